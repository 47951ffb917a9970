"""A yes-or-no question as the statement that `yes` would assert.

Plain rules over words, no grammar: where the predicate begins, after `Does aspirin`, at `reduce the risk`. Where
several words could begin it and nothing tells which, there is no statement.
"""

import re
from collections.abc import Sequence

from medground.language import predicate_words as lists
from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.language.predicate_words import ARTICLES, BE, DO, HAVE, MODAL

_NO_MEANING = frozenset(("they", "this", "these", "those", "he", "she", "his", "her", "their"))
"""Subjects that stand for something said before."""
_AFFIRMED = {"any": "some", "ever": "sometimes"}
_CHOICE = verbose_pattern(
    r"""
    \bor\ (?:not|is|are|does|do|an?|the|just|only|merely)\b|\b(?:better|best|more|less|worse|superior|inferior|
    first|due)\b|\bprefer
    """,
    0,
)


def statement_of(text: str) -> str | None:
    """The statement of a clause such as `is zinc safe`, without a full stop; None where the rules are not sure."""
    verb, *rest = text.split()
    words, verb = [*map(core, rest)], verb.lower()
    if len(words) < 2 or words[0] in _NO_MEANING or offers_choice(verb, words):
        return None
    if verb in BE and BE.intersection(words) and lists.SUBORDINATE.isdisjoint(words):
        return " ".join(rest)  # `Is zinc is safe`: the statement is there already
    place = predicate(verb, words)
    if place is None:
        return None
    return " ".join([*affirmed(rest[:place]), *in_form(verb, rest[place:])])


def offers_choice(verb: str, words: Sequence[str]) -> bool:
    """Whether `or` offers a choice, so that `yes` would say nothing: `is aspirin or warfarin better`."""
    if "or" not in words:
        return False
    follows = words[words.index("or") + 1 :][:1]
    is_choice = not lists.ALL_VERBS.isdisjoint(follows) or _CHOICE.search(" ".join(words)) is not None
    return is_choice or verb in ("should", "would")


def in_form(verb: str, tokens: Sequence[str]) -> list[str]:
    """The predicate with its auxiliary, or in the form that needs none."""
    said = affirmed(tokens)
    if verb not in ("do", "does"):
        return [verb, *said]
    at = next((n for n, token in enumerate(said) if not _is_adverb(core(token))), 0)
    return [*said[:at], said[at] if verb == "do" else _third_person(said[at]), *said[at + 1 :]]


def affirmed(tokens: Sequence[str]) -> list[str]:
    """The words with `some` and `sometimes` for `any` and `ever`, which statements do not have."""
    return [_AFFIRMED.get(core(token), token) for token in tokens]


def _is_adverb(word: str) -> bool:
    return word in lists.ADVERBS or (word.endswith("ly") and word not in lists.VERBS | lists.NOT_ADVERBS)


def _third_person(token: str) -> str:
    """The verb without `does`: `reduce` is `reduces`."""
    if core(token) in ("have", "be"):
        return {"have": "has", "be": "is", "Have": "Has", "Be": "Is"}.get(token, token)
    if token.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{token}es"
    return f"{token[:-1]}ies" if re.search(r"[^aeiou]y$", token) else f"{token}s"


# Where the predicate begins.

_PRONOUNS = frozenset(("i", "we", "you", "he", "she", "it", "they", "there"))
_BEFORE_NOUN = lists.DETERMINERS | lists.PREPOSITIONS | BE | {"and", "or", "to", "be", "been", "being", "no"}
_FOLLOWS = lists.PREPOSITIONS | lists.SUBORDINATE | {"", "to", "and", "or"}
"""What may follow a predicate of one word."""


def core(token: str) -> str:
    """A token as it is looked up: no punctuation at its ends, lower case."""
    return token.strip(",;:\"'“”‘’").lower()


def predicate(auxiliary: str, words: Sequence[str]) -> int | None:
    """Where the predicate begins in the words after the auxiliary; None where the rules are not sure."""
    if words[0] in _PRONOUNS:
        return 1
    place = _said(words) if auxiliary in BE else _perfect(words) if auxiliary in HAVE else _verb(words)
    while place is not None and place > 1 and _is_adverb(words[place - 1]):
        place -= 1
    return place


def _free(words: Sequence[str]) -> list[int]:
    """The places of words before which no noun is awaited."""
    return [n for n in range(1, len(words)) if words[n - 1] not in _BEFORE_NOUN]


def _verb(words: Sequence[str]) -> int | None:
    """Where a base form stands: one hardly ever a noun, or the only one that can be a verb."""
    for n in (n for n in _free(words) if words[n] in lists.VERBS):
        return n - (words[n - 1] == "help")  # `can training help prevent falls`
    unsure = [n for n in _free(words) if words[n] in lists.ALL_VERBS]
    some = [n for n in unsure if words[n] in lists.OFTEN_VERBS] or unsure
    return some[0] if len(some) == 1 else None


def _perfect(words: Sequence[str]) -> int | None:
    """Where the participle stands, or `any`: `has zinc any effect`."""
    found = [n for n, word in enumerate(words) if word in ("been", "any")]
    found = found[:1] or [n for n in _free(words) if _is_participle(words[n])]
    return found[0] if len(found) == 1 else None


def _said(words: Sequence[str]) -> int | None:
    """Where what is said of the subject begins, after `is`. The first of several places may belong to the subject."""
    places = [n for n in range(1, len(words)) if _begins(words, n)]
    if len(places) < 2:
        return places[0] if places else None
    first, last = places[0], places[-1]
    ends = last == len(words) - 1
    if _is_participle(words[first]):  # `are tests proposed by the society useful`
        only = all(_is_participle(words[n]) for n in places)
        return first if only and not ends else last if ends else None
    return None if ends or any(words[n] in ARTICLES for n in places[1:]) else first


def _begins(words: Sequence[str], n: int) -> bool:
    """Whether a word could begin what is said of a subject."""
    word, after = words[n], words[n + 1] if n + 1 < len(words) else ""
    before = next((other for other in words[n - 1 : 0 : -1] if not _is_adverb(other)), words[0])
    if before in _BEFORE_NOUN:
        return False
    if word in ARTICLES:
        return not (before.endswith("ing") or before in lists.ALL_VERBS or _is_participle(before))
    if word == "being" or _is_done(word):
        return True
    return (word in lists.STATES or _is_participle(word)) and (after in _FOLLOWS or _is_adverb(after))


def _is_participle(word: str) -> bool:
    return word in lists.PARTICIPLES or (word.endswith("ed") and word not in lists.NOT_PARTICIPLES)


def _is_done(word: str) -> bool:
    """Whether a word in `ing` is of a known verb, and seldom a noun."""
    stem = word.removesuffix("ing")
    known = not lists.ALL_VERBS.isdisjoint({stem, f"{stem}e", stem[:-1]})
    return known and stem != word and word not in lists.ING_NOUNS


_AUXILIARY = rf"(?:{'|'.join(sorted(BE | DO | HAVE | MODAL))})\b"
_CLOSED = lazy_pattern(_AUXILIARY, re.IGNORECASE)
_UNSUITED = verbose_pattern(
    r"""
    \b(?:not|no|never|neither|nor|none|cannot|versus|vs|yet|at\ all|any\ ?more|any\ longer|any(?:thing|one|
    body))\b|n['’]t\b|\?.
    """
)
"""Negation, comparison of two as a title, words of questions alone, more than one question."""
_OPEN = lazy_pattern(r"(?:what|which|how|why|where|who|whose|whom)\b", re.IGNORECASE)
_SYMBOL = lazy_pattern(r"[^\W\d_]{1,2}[-\d]")
"""A name such as `p53` or `α-synuclein`, which keeps its small letter."""
_YES_OR_NO = lazy_pattern(r",?\s*(?:yes|true)\s+or\s+(?:no|false)\s*\??$", re.IGNORECASE)
_BREAK = r"\s*(?:[:;.]|--|—|\s[-–])\s+|\s*(?:--|—)\s*"
_LEAD = lazy_pattern(rf"^([^:;?]{{5,}}?), (?={_AUXILIARY})", re.IGNORECASE)
"""Where or in whom: `In patients with sepsis, does ...`."""
_TOPIC = lazy_pattern(rf"^(.{{5,}}?)(?:{_BREAK})({_AUXILIARY} .+)$", re.IGNORECASE)
"""A title before its question: `Aspirin in migraine: does it help`."""


def as_statement(question: str) -> str | None:
    """The statement, with a full stop; None where the rules are not sure of it."""
    text = " ".join(question.split())
    bare = _YES_OR_NO.sub("", text)
    asked = bare.rstrip("? ")
    if (bare == text and not text.endswith("?")) or not asked or _UNSUITED.search(f"{asked}?"):
        return None
    said = _turned(asked)
    if said is None and bare != text and not _CLOSED.match(asked):
        said = asked  # `Zinc is a metal, yes or no?`
    return None if said is None else _sentence(said)


def _sentence(text: str) -> str:
    """With a full stop, and a capital if the first word has none of its own (`mRNA`)."""
    first = text.split()[0]
    named = any(char.isupper() for char in first) or _SYMBOL.match(first)
    return f"{text if named else text[0].upper() + text[1:]}".rstrip(". ") + "."


def _turned(text: str) -> str | None:
    if _CLOSED.match(text):
        return statement_of(text)
    if _OPEN.match(text):
        return None
    if lead := _LEAD.match(text):
        mark = "," if core(lead[1].split()[0]) in lists.PREPOSITIONS | lists.SUBORDINATE | {"based", "given"} else ":"
        return _of_topic(lead[1], mark, text[lead.end() :])
    topic = _TOPIC.match(text)
    return _of_topic(topic[1], ":", topic[2]) if topic else None


def _of_topic(topic: str, mark: str, clause: str) -> str | None:
    """`it` stands for the topic; otherwise the topic stays before the statement."""
    verb, subject, *rest = [*clause.split(), ""]
    if re.search(r":|\bor\b", topic):
        return None
    subject = subject.lower()
    if subject not in ("it", "they") and not (subject in ("this", "these") and core(rest[0]) in ARTICLES):
        said = statement_of(clause)
        return None if said is None else f"{topic}{mark} {said}"
    words = [core(word) for word in topic.split()]
    if _several(words) != (subject in ("they", "these")) or (BE | HAVE | MODAL | DO).intersection(words):
        return None  # `Iron is low: is this a sign`
    if words[0] in lists.PREPOSITIONS | lists.SUBORDINATE:  # `In sepsis, is it useful`
        return None
    if offers_choice(verb.lower(), [*map(core, rest)]):
        return None
    return " ".join([topic, *in_form(verb.lower(), [token for token in rest if token])])


def _several(topic: Sequence[str]) -> bool:
    """Whether a topic names several things: its noun, before a preposition or a clause, is a plural, or two are."""
    after = lists.PREPOSITIONS | lists.SUBORDINATE | {"to"}
    words = topic[: next((n for n, word in enumerate(topic) if n and word in after), len(topic))]
    singular = ("ss", "us", "is", "cans", "diabetes", "series", "aids")
    is_plural = words[-1].endswith("s") and not words[-1].endswith(singular)
    return not words[0].endswith("ing") and (is_plural or "and" in words)  # `Assessing lesions in mice` is one thing
