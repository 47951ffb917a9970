"""Where the predicate of a closed question begins: after `Does aspirin`, at `reduce the risk`.

Plain rules over words, no grammar: each rule marks places where a predicate could begin, and places that contradict one
another give no answer. Words are tokens of `statement.as_statement`: a bracketed aside belongs to the word before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from medground.text import predicate_words as lists

BE = frozenset(("is", "are", "was", "were"))
DO = frozenset(("does", "do", "did"))
HAVE = frozenset(("has", "have", "had"))
MODAL = frozenset(("can", "could", "may", "might", "will", "would", "should", "must"))
PRONOUNS = frozenset(("i", "we", "you", "he", "she", "it", "they", "there"))

_BEFORE_NOUN = lists.DETERMINERS | lists.PREPOSITIONS | {"and", "or", "to", "be", "been", "being", "no"} | BE
_ADJECTIVE = re.compile(r"(?:able|ible|ful|less|ic|ical|al|ous|ive|ary|ile|oid)$")
_PREFIX = re.compile(r"^(?:co|down|over|pre|re|under|up|cross|self|inter)-|^(?:over|under)(?=[a-z]{4})")
_ALL_VERBS = lists.VERBS | lists.OFTEN_VERBS | lists.SELDOM_VERBS
_NEGATED = re.compile(r"^(?:un|in|im|ir|non-)(?=[a-z]{4})")
_END = ""

Kind = Literal["participle", "adjective", "comparison", "noun", "idiom"]


@dataclass(frozen=True)
class Place:
    """A place where a predicate could begin.

    Attributes:
        at: index of its first word, adverbs apart.
        kind: what begins there.
        last: whether nothing follows it.
    """

    at: int
    kind: Kind
    last: bool


def core(token: str) -> str:
    """A token as it is looked up: no aside, no punctuation at its ends, lower case."""
    return token.split(" (")[0].strip(",;:\"'“”‘’").lower()


def predicate(auxiliary: str, rest: Sequence[str]) -> int | None:
    """The index in `rest`, the words after the auxiliary, where the predicate begins; None where the rules are not sure."""
    words = [core(token) for token in rest]
    if words[0] in PRONOUNS:
        return 1 if len(words) > 1 else None
    if auxiliary in BE:
        return _before_adverbs(words, _said(words, rest))
    if auxiliary in HAVE:
        return _before_adverbs(words, _perfect(words))
    if auxiliary in DO:
        return _verb(words)
    if auxiliary in MODAL:
        return _before_adverbs(words, _verb(words))
    return None


def _before_adverbs(words: Sequence[str], place: int | None) -> int | None:
    """The place with the adverbs that belong to it: `significantly | associated` is `| significantly associated`."""
    while place is not None and place > 1 and _adverb(words[place - 1]):
        place -= 1
    return place


def _adverb(word: str) -> bool:
    return word in lists.ADVERBS or (word.endswith("ly") and word not in ("family", "early", "only", "assembly", "elderly"))


def _at(words: Sequence[str], n: int) -> str:
    return words[n] if 0 <= n < len(words) else _END


# --- after does, can and the like: a base form ---


def _verb(words: Sequence[str]) -> int | None:
    """Where the verb stands."""
    sure = [n for n in _verbs(words, lists.VERBS | {"be", "have"})]
    often = [n for n in _verbs(words, lists.OFTEN_VERBS)]
    seldom = [n for n in _verbs(words, lists.SELDOM_VERBS)]
    limit = next((n for n, w in enumerate(words) if n and w in lists.SUBORDINATE), len(words))
    unsure = sorted([*often, *seldom])
    taking = [n for n in unsure if _at(words, n + 1) in (*lists.DETERMINERS, "better", "more", "less", "how", "whether")]
    first = min([*sure[:1], *taking[:1]], default=None)
    if first is not None and first < limit:
        return _help(words, first)
    unsure = [n for n in unsure if n < limit and _at(words, n + 1) not in ("of", "between")]
    if limit < len(words) and words[limit] in ("that", "who", "which") and not unsure:
        return None
    for some in ([n for n in unsure if n in often], unsure):
        if len(some) == 1 and (first is None or first > limit):
            return some[0]
        if some:
            break
    return None


def _help(words: Sequence[str], first: int) -> int:
    """`help` before a verb is the verb: `can training help prevent falls`."""
    return first - 1 if first > 1 and words[first - 1] in ("help", "helps") and words[first - 2] not in _BEFORE_NOUN else first


def _verbs(words: Sequence[str], known: frozenset[str] | set[str]) -> list[int]:
    """Where one of the known verbs could be the verb of the question."""
    found = []
    for n in range(1, len(words)):
        forms = {words[n], _PREFIX.sub("", words[n])}
        if words[n - 1] not in _BEFORE_NOUN and forms & known:
            found.append(n)
    return found


# --- after is, are: what is said of the subject ---


def _said(words: Sequence[str], rest: Sequence[str]) -> int | None:
    """Where what is said of the subject begins."""
    titled = sum(token[:1].isupper() for token in rest) > len(rest) / 2
    places = [p for n in range(1, len(words)) if (p := _place(words, n, titled or rest[n] != "A"))]
    if not places:
        return _open_ended(words)
    first, later = places[0], places[1:]
    if not later:
        return first.at
    end = places[-1]
    if first.kind == "participle" and end.last and (end.kind == "adjective" or words[end.at] in lists.FINAL):
        return None if words[end.at - 1] in ("and", "or", "but") else end.at  # after a noun, nothing else can stand last
    if first.kind == "participle":
        sure = words[first.at] in lists.DECIDED and all(p.kind == "participle" and not p.last for p in later)
        return first.at if sure else None
    if (first.kind == "idiom" or words[first.at] in lists.AFTER_NOUN) and words[later[0].at - 1] not in ("and", "or"):
        return None
    if first.kind == "adjective" and any(p.kind == "noun" for p in later):
        return None
    odd = [p for p in later if p.last and words[p.at - 1] not in ("and", "or") and not _adverb(words[p.at - 1])]
    return None if odd and first.kind in ("noun", "idiom", "adjective") and odd[0].at - first.at > 1 else first.at


def _place(words: Sequence[str], n: int, may_be_article: bool) -> Place | None:
    """What could begin at a word."""
    word, before, after = words[n], words[n - 1], _at(words, n + 1)
    phrase = " ".join(words[n : n + 4])
    if any(f"{phrase} ".startswith(f"{idiom} ") and not phrase.startswith(f"{idiom} of") for idiom in lists.IN_STATE):
        return Place(n, "idiom", last=False)
    adverbs = n
    while adverbs > 1 and _adverb(words[adverbs - 1]):
        adverbs -= 1
    before = words[adverbs - 1]
    if before in _BEFORE_NOUN or _adverb(before) or before.endswith(("fold", "%")) or before == "times":
        return None
    closed = after == _END or after in lists.PREPOSITIONS | lists.SUBORDINATE | {"to", "and", "or"} | lists.LARGER or _adverb(after) or after[:1].isdigit()
    if word in lists.ARTICLES and may_be_article:
        infinitive = n > 1 and words[n - 2] == "to" and before in _ALL_VERBS
        taken = _gerund(before) or _participle(before) or infinitive or words[n - 1] == "as"
        return None if taken else Place(n, "noun", last=False)
    if word == "one" and after == "of":
        return Place(n, "noun", last=False)
    if word in lists.LARGER and closed:
        return Place(n - (before in ("becoming", "getting", "growing")), "comparison", after == _END)
    if _participle(word) and closed:
        return Place(n, "participle", after == _END)
    closed = closed or word == "worth"
    if closed and ({word, _NEGATED.sub("", word)} & lists.STATES or (adverbs < n and words[n - 1] in ("more", "less", "as") and _ADJECTIVE.search(word.removesuffix("ent") + "al" * word.endswith("ent")))):
        return Place(n, "adjective", after == _END)
    return None


def _participle(word: str) -> bool:
    return word in lists.PARTICIPLES or (
        word.endswith("ed") and len(word) > 3 and word not in lists.NOT_PARTICIPLES and "-" not in word[:-9]
    )


def _adjectival(word: str) -> bool:
    return bool(_ADJECTIVE.search(word)) and word not in lists.NOUN_ENDINGS_OF_ADJECTIVES


def _gerund(word: str) -> bool:
    return word.endswith("ing") and len(word) > 5


def _open_ended(words: Sequence[str]) -> int | None:
    """No known predicate: an adjective by its ending, or a form in `ing`, where only one place is possible."""
    found = []
    for n in range(1, len(words)):
        word, before, after = words[n], words[n - 1], _at(words, n + 1)
        if before in _BEFORE_NOUN or _adverb(before) or _gerund(before) or _adjectival(before):
            continue
        if word == "being":
            return n
        if _gerund(word) and word not in lists.ING_NOUNS and _known_stem(word) and after not in ("of", "and", "or"):
            found.append(n)
        if _adjectival(word) and after in (_END, "for", "to", "in"):
            found.append(n)
    return found[0] if len(found) == 1 else None


def _known_stem(word: str) -> bool:
    """Whether a form in `ing` comes from a known verb: `reducing`, `getting`."""
    stem = word[:-3]
    return bool({stem, f"{stem}e", stem[:-1]} & _ALL_VERBS)


# --- after has, have ---


def _perfect(words: Sequence[str]) -> int | None:
    """Where the participle stands, or `any`: `has zinc any effect`."""
    for n in range(1, len(words)):
        if words[n] in ("been", "any"):
            return n
    found = [n for n in range(1, len(words)) if _participle(words[n]) and words[n - 1] not in _BEFORE_NOUN]
    return found[0] if len(found) == 1 else None
