"""Decide whether words are a self-contained clause: a subject other than a bare pronoun, and its own finite verb.

This is a rule of thumb for English that needs no tagger. It uses closed word classes, verbs common in the literature
and the preceding word. When in doubt, the words stay with the clause before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_WORD = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*|,")

AUXILIARIES = _set(
    "is are was were am has have had do does did can could may might must shall should will would cannot isn't aren't "
    "wasn't weren't hasn't haven't hadn't don't doesn't didn't can't couldn't won't wouldn't shouldn't"
)
FUNCTION = _set(
    "a an the this that these those its their our his her each every any some no all both either neither another such "
    "of in on at by for with from to into onto over under between among during after before within without through "
    "across against about above below per via than as like despite upon towards toward until and or nor but if "
    "whether because although though while whereas so yet not"
)
"""Words that do not end a clause, and after which a form such as `increased` is not a finite verb."""

_PRONOUNS = _set("it they he she this that these those which who such both neither either")
_SUBJECTS = _PRONOUNS | frozenset(["we", "i", "you", "there", "one", "none", "others"])
_PLURAL = _set("we they you i these those which who data patients people children men women mice rats")
_RELATIVE = _set(
    "that which who whom whose where when if whether because although though while whereas unless once what how"
)
_HYPOTHETICAL = _set("if whether unless")
_NEGATIVE = _set("not no never none neither nor cannot without")
_ADVERBS = _set("also still not never often then thus therefore further only even now already both generally")

_VERBS = _set(
    "achieve act activate affect agree aid allow alter appear argue arise associate attenuate avoid become begin bind "
    "block carry cause change come compensate comprise concern confer confirm consist constitute contain continue "
    "contradict contribute control correlate decline decrease define delay demonstrate depend develop differ diminish "
    "disappear disrupt drive elevate eliminate emerge enable enhance ensure equal exceed exert exhibit exist explain "
    "express facilitate fail fall favor favour follow form generate give grow harm help hold impair implicate imply "
    "improve include increase indicate induce influence inhibit initiate interact involve lead lessen lie limit "
    "lower maintain make mean mediate modulate need occur offer participate persist play possess precede predict "
    "prevent produce progress promote protect prove provide raise reach receive recommend reduce reflect regulate "
    "relieve remain report represent require resemble reside respond restore restrict return reveal reverse rise run "
    "seem serve shorten show stabilize stimulate strengthen suffer suggest support suppress survive sustain target "
    "tend trigger undergo underlie use vary warrant weaken work worsen yield "
    "account advise believe bleed caution cluster conclude cure describe die disagree drop heal infect kill know "
    "matter note oppose outweigh overlap propose recover recur relapse resist resolve rest state think warn"
)
_PAST = _set(
    "became began bore bound broke brought came chose drew drove fell felt fought found gave gained got grew held "
    "kept knew lay lead led lost made met proved ran rose saw sent showed stood took thought told underwent went won "
    "wrote"
)
_CHANGES = _set(
    "accumulated agreed appeared arose ceased changed correlated decayed declined decreased depended developed died "
    "differed diminished disappeared dropped emerged evolved existed failed halved improved increased interacted "
    "lasted occurred participated persisted progressed recovered relapsed remained resolved responded returned "
    "resulted reversed seemed shifted stabilized succeeded suffered survived tended varied worsened"
)
"""Past forms that are finite even before a preposition, where others are participles ("patients treated with")."""

_AFTER_PARTICIPLE = _set("with by to in from as for of on at during after before using under")

_AFTER_NOUN = _set("of and or ,")
"""Words after which a form such as `causes` or `forms` is a noun."""


def words_of(text: str, start: int = 0, end: int | None = None) -> list[str]:
    """Words and commas of a slice in lower case, except the `A` of "vitamin A" and "group A"."""
    found = _WORD.finditer(text, start, len(text) if end is None else end)
    return [match[0] if match[0] == "A" and match.start() > start else match[0].lower() for match in found]


class Clause:
    """Reads words one at a time and tracks the grammar of the clause so far."""

    def __init__(self, words: Sequence[str] = ()) -> None:
        self.negated = False
        self.hypothetical = False
        self._before = ""
        self._nouns = 0
        self._pronoun = False
        self._embedded = 0
        self._verb = False
        self._bare = False
        self.feed(words)

    @property
    def complete(self) -> bool:
        """Whether the main clause has a subject and a finite verb."""
        return self._verb and not self._bare

    @property
    def stands_alone(self) -> bool:
        """Whether it is complete and its subject is not just a pronoun that refers back."""
        return self.complete and not self._pronoun

    @property
    def names_subject(self) -> bool:
        """Whether it has a subject other than a pronoun and more words, even if its verb is not recognised."""
        return self._nouns > 1 and not self._pronoun

    def feed(self, words: Sequence[str]) -> None:
        """Read more words."""
        for number, word in enumerate(words):
            self._read(word, words[number + 1 : number + 5])
            if word == "," or not _is_adverb(word):
                self._before = word

    def _read(self, word: str, after: Sequence[str]) -> None:
        self.negated |= word in _NEGATIVE or word.endswith(("n't", "n’t"))
        self.hypothetical |= word in _HYPOTHETICAL
        if word == ",":
            self._embedded = 0
        elif _finite(word, self._before, after[0] if after else ""):
            self._found_verb(word, after)
        elif word in _RELATIVE and (self._before or word not in _PRONOUNS) and not self._verb:
            self._embedded += 1
            self._pronoun = False  # "those who"
        elif not _is_adverb(word) and (word in _SUBJECTS or word not in FUNCTION):
            self._pronoun |= self._nouns == 0 and word in _PRONOUNS
            self._nouns += 1

    def _found_verb(self, verb: str, after: Sequence[str]) -> None:
        if self._verb:
            return
        if self._embedded:
            self._embedded -= 1
            return
        self._verb = True
        self._bare = self._nouns == 0
        reports = "that" in (after[:4] if verb in AUXILIARIES else after[:1])
        self._pronoun &= self._nouns == 1 and not reports  # "it is known that", "they showed that"


def _is_adverb(word: str) -> bool:
    return word in _ADVERBS or (word.endswith("ly") and len(word) > 4)


def _finite(word: str, before: str, after: str) -> bool:
    """Whether a word is a finite verb, judged by the words next to it."""
    if word in AUXILIARIES:
        return before != "to"
    if before in ("", ",") or (before in FUNCTION and before not in _SUBJECTS) or before in AUXILIARIES:
        return False
    if word in _PAST or word in _CHANGES:
        return True
    if word.endswith("ed") and len(word) > 4 and not word.endswith(("eed", "hundred")):
        return bool(after) and after not in _AFTER_PARTICIPLE
    if word.endswith("s") and not _plural(before) and after not in AUXILIARIES and after not in _AFTER_NOUN:
        stems = {word[:-1], word[:-2] if word.endswith("es") else "", word[:-3] + "y" if word.endswith("ies") else ""}
        return bool(stems & _VERBS)
    return word in _VERBS and _plural(before)


def _plural(word: str) -> bool:
    return word in _PLURAL or (word.endswith("s") and not word.endswith(("ss", "us", "is", "'s", "’s")))
