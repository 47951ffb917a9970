"""Where the predicate of a closed question begins: after `Does aspirin`, at `reduce the risk`.

Plain rules over words, no grammar: each rule marks places where a predicate could begin, and places that contradict one
another give no answer. Words are tokens of `clause.tokenized`: a bracketed aside belongs to the word before it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from medground.language import predicate_words as lists

BE = frozenset(("is", "are", "was", "were"))
DO = frozenset(("does", "do", "did"))
HAVE = frozenset(("has", "have", "had"))
MODAL = frozenset(("can", "could", "may", "might", "will", "would", "should", "must"))
PRONOUNS = frozenset(("i", "we", "you", "he", "she", "it", "they", "there"))

_BEFORE_NOUN = lists.DETERMINERS | lists.PREPOSITIONS | BE | {"and", "or", "to", "be", "been", "being", "no"}
_ADJECTIVE = re.compile(r"(?:able|ible|ful|less|ic|ical|al|ous|ive|ary|ile|oid)$")
_PREFIX = re.compile(r"^(?:co|down|over|pre|re|under|up|cross|self|inter)-|^(?:over|under)(?=[a-z]{4})")
_NEGATED = re.compile(r"^(?:un|in|im|ir|non-)(?=[a-z]{4})")
_NOT_ADVERBS = frozenset(("family", "early", "only", "assembly", "elderly"))
_OBJECT = lists.DETERMINERS | {"better", "more", "less", "how", "whether"}
_AND_OR = ("and", "or", "but")
_END = ""
_AFTER_PREDICATE = lists.PREPOSITIONS | lists.SUBORDINATE | lists.LARGER | {_END, "to", "and", "or"}

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
    """Where the predicate begins in `rest`, the words after the auxiliary; None where the rules are not sure."""
    words = [core(token) for token in rest]
    if words[0] in PRONOUNS:
        return 1 if len(words) > 1 else None
    if auxiliary in BE:
        return _before_adverbs(words, _said(words, rest))
    if auxiliary in HAVE:
        return _before_adverbs(words, _perfect(words))
    if auxiliary in DO:
        return _verb(words)
    return _before_adverbs(words, _verb(words))


def _before_adverbs(words: Sequence[str], place: int | None) -> int | None:
    """The place with the adverbs that belong to it: `significantly | associated` is `| significantly associated`."""
    while place is not None and place > 1 and _adverb(words[place - 1]):
        joined = place > 3 and words[place - 2] in _AND_OR and _adverb(words[place - 3])
        place -= 3 if joined else 1  # `accurately and reliably`
    return place


def _adverb(word: str) -> bool:
    return word in lists.ADVERBS or (word.endswith("ly") and word not in _NOT_ADVERBS)


def _at(words: Sequence[str], n: int) -> str:
    return words[n] if 0 <= n < len(words) else _END


# --- after does, can and the like: a base form ---


def _verb(words: Sequence[str]) -> int | None:
    """Where the verb stands: a word hardly ever a noun, one that takes an object, or the only one that can be."""
    sure = _found(words, lists.VERBS | {"be", "have"})
    often, seldom = _found(words, lists.OFTEN_VERBS), _found(words, lists.SELDOM_VERBS)
    limit = next((n for n, word in enumerate(words) if n and word in lists.SUBORDINATE), len(words))
    unsure = sorted([*often, *seldom])
    taking = [n for n in unsure if _at(words, n + 1) in _OBJECT]
    first = min([*sure[:1], *taking[:1]], default=limit)
    if first < limit:
        helps = first > 1 and words[first - 1] == "help" and words[first - 2] not in _BEFORE_NOUN
        return first - 1 if helps else first  # `can training help prevent falls`
    unsure = [n for n in unsure if n < limit and _at(words, n + 1) not in ("of", "between")]
    some = [n for n in unsure if n in often] or unsure
    return some[0] if len(some) == 1 else None


def _found(words: Sequence[str], known: frozenset[str]) -> list[int]:
    """Where one of the known verbs could be the verb of the question."""
    places = [n for n in range(1, len(words)) if words[n - 1] not in _BEFORE_NOUN]
    return [n for n in places if words[n] in known or _PREFIX.sub("", words[n]) in known]


# --- after is, are: what is said of the subject ---


def _said(words: Sequence[str], rest: Sequence[str]) -> int | None:
    titled = sum(token[:1].isupper() for token in rest) > len(rest) / 2
    places = [place for n in range(1, len(words)) if (place := _place(words, n, titled or rest[n] != "A"))]
    if not places:
        return _open_ended(words)
    first, later = places[0], places[1:]
    return first.at if not later else _of_several(words, first, later)


def _of_several(words: Sequence[str], first: Place, later: Sequence[Place]) -> int | None:
    """One of several places, or None: the first may belong to the subject (`are patients treated with zinc safe`)."""
    end = later[-1]
    if first.kind == "participle":
        if end.last and (end.kind == "adjective" or words[end.at] in lists.FINAL):  # nothing else stands last
            return None if words[end.at - 1] in _AND_OR else end.at
        only = all(place.kind == "participle" and not place.last for place in later)
        return first.at if only and words[first.at] in lists.DECIDED else None
    if (first.kind == "idiom" or words[first.at] in lists.AFTER_NOUN) and words[later[0].at - 1] not in _AND_OR:
        return None
    if first.kind == "adjective" and any(place.kind == "noun" for place in later):
        return None
    last = [p for p in later if p.last and words[p.at - 1] not in _AND_OR and not _adverb(words[p.at - 1])]
    return None if last and first.kind in ("noun", "adjective") and last[0].at - first.at > 1 else first.at


def _place(words: Sequence[str], n: int, may_be_article: bool) -> Place | None:
    """What could begin at a word; `may_be_article` is false for the `A` of `type A`."""
    if _idiom(words, n):
        return Place(n, "idiom", last=False)
    start = n
    while start > 1 and _adverb(words[start - 1]):
        start -= 1
    word, before, after = words[n], words[start - 1], _at(words, n + 1)
    if before in _BEFORE_NOUN or _adverb(before) or before.endswith(("fold", "%", "times")):
        return None
    if word in lists.ARTICLES or (word == "one" and after == "of"):
        infinitive = n > 1 and words[n - 2] == "to" and before.split("/")[0] in lists.ALL_VERBS
        has_it = _gerund(before) or _participle(before) or infinitive or words[n - 1] == "as"
        return Place(n, "noun", last=False) if may_be_article and not has_it else None
    if not (after in _AFTER_PREDICATE or _adverb(after) or after[:1].isdigit() or word == "worth"):
        return None
    if word in lists.LARGER:
        return Place(n - (before in ("becoming", "getting", "growing")), "comparison", after == _END)
    if _participle(word):
        return Place(n, "participle", after == _END)
    compared = words[n - 1] in ("more", "less", "as") and (_ADJECTIVE.search(word) or word.endswith("ent"))
    if word in lists.STATES or _NEGATED.sub("", word) in lists.STATES or compared:
        described = n > 1 and words[n - 1] in lists.STATES  # `accurate predictors of`
        return Place(n - described, "adjective", after == _END)
    return None


def _idiom(words: Sequence[str], n: int) -> bool:
    """Whether an idiom such as `at risk` begins at a word; `of use of` is none."""
    phrase = f"{' '.join(words[n : n + 4])} "
    if phrase.startswith("of ") and " of " in phrase:
        return False
    return any(phrase.startswith(f"{idiom} ") for idiom in lists.IDIOMS)


def _participle(word: str) -> bool:
    regular = word.endswith("ed") and len(word) > 3 and word not in lists.NOT_PARTICIPLES
    return word in lists.PARTICIPLES or (regular and "-" not in _PREFIX.sub("", word))


def _adjectival(word: str) -> bool:
    return bool(_ADJECTIVE.search(word)) and word not in lists.LIKE_ADJECTIVES


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
        stem = word.removesuffix("ing")
        known = bool({stem, f"{stem}e", stem[:-1]} & lists.ALL_VERBS) and word not in lists.ING_NOUNS
        if (_gerund(word) and known and after not in ("of", "and", "or")) or (
            _adjectival(word) and after in (_END, "for", "to", "in")
        ):
            found.append(n)
    return found[0] if len(found) == 1 else None


# --- after has, have ---


def _perfect(words: Sequence[str]) -> int | None:
    """Where the participle stands, or `any`: `has zinc any effect`."""
    for n in range(1, len(words)):
        if words[n] in ("been", "any"):
            return n
    found = [n for n in range(1, len(words)) if _participle(words[n]) and words[n - 1] not in _BEFORE_NOUN]
    return found[0] if len(found) == 1 else None
