"""A yes-or-no question as the statement that `yes` would assert.

Plain rules over words, no grammar: where the predicate begins, after `Does aspirin`, at `reduce the risk`. Where
several words could begin it and nothing tells which, there is no statement.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from medground.language import predicate_words as lists
from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.language.predicate_words import BE, DO, HAVE, MODAL

_NO_MEANING = frozenset(("they", "this", "these", "those", "he", "she", "his", "her", "their"))
"""Subjects that stand for something said before."""
_CHOICE = verbose_pattern(
    r"""
    \bor\ (?:not|is|are|does|do|an?|the|just|only|merely)\b|\b(?:better|best|more|less|worse|superior|inferior|
    first|due)\b|\bprefer
    """,
    0,
)
_SAME_AS_AND = lazy_pattern(r"\bwith or without\b|\band or\b|\bone or more\b")


def statement_of(text: str) -> str | None:
    """The statement of a clause such as `is zinc safe`, without a full stop; None where the rules are not sure."""
    tokens = tokenized(text)
    if tokens is None or len(tokens) < 3:
        return None
    verb, rest = tokens[0].lower(), tokens[1:]
    words = [core(token) for token in rest]
    if words[0] in _NO_MEANING or (words[0] == "it" and not stands_for_clause(verb, rest)):
        return None
    one_clause = not lists.SUBORDINATE & set(words)
    if verb in BE and one_clause and BE & set(words):
        return " ".join(rest)  # `Is zinc is safe`: the statement is there already
    place = predicate(verb, rest)
    if place is None or offers_choice(verb, words, place):
        return None
    said = in_form(verb, rest[place:])
    subject = ["some", *rest[1:place]] if words[0] == "any" else rest[:place]
    return None if said is None else " ".join([*subject, *said])


def tokenized(text: str) -> list[str] | None:
    """Words, each with the bracketed aside after it; None if brackets do not match."""
    tokens: list[str] = []
    depth = 0
    for word in text.split():
        change = word.count("(") - word.count(")")
        if tokens and (depth or (word.startswith("(") and (change or word.rstrip(",.;:").endswith(")")))):
            tokens[-1] += f" {word}"
        else:
            tokens.append(word)
        depth += change
        if depth < 0:
            return None
    return None if depth else tokens


def stands_for_clause(verb: str, rest: Sequence[str]) -> bool:
    """Whether `it` is explained later: `is it safe to operate`. `is it a drug` is not."""
    words = [core(token) for token in rest]
    said = verb in BE and len(words) > 1 and words[1] not in lists.ARTICLES
    return said and any(word in ("to", "that") for word in words[2:5])


def in_form(verb: str, tokens: Sequence[str]) -> list[str] | None:
    """The predicate with its auxiliary, or in the form that needs none; None if a word has no place in a statement."""
    said = _positive(verb, tokens)
    if said is None or verb not in DO:
        return said
    at = next((n for n, token in enumerate(said) if not _is_adverb(token)), 0)
    joined = {core(token) for before, token in pairwise(said[at + 1 :]) if core(before) in ("and", "or")}
    if verb == "did" or (verb == "does" and joined & (lists.VERBS | lists.OFTEN_VERBS)):
        return [verb, *said]  # a second verb would need its form too
    return [*said[:at], said[at] if verb == "do" else _third_person(said[at]), *said[at + 1 :]]


def _is_adverb(token: str) -> bool:
    word = core(token)
    return word in lists.ADVERBS or (word.endswith("ly") and word not in lists.VERBS | lists.NOT_ADVERBS)


def _positive(verb: str, tokens: Sequence[str]) -> list[str] | None:
    """The auxiliary, if it stays, and the predicate, without `any` and `ever`, which statements do not have."""
    said = [token for token in tokens if core(token) != "ever"]
    if len(said) < len(tokens) and verb not in HAVE:
        said = ["sometimes" if core(token) == "ever" else token for token in tokens]
    said = said if verb in DO else [verb, *said]
    anys = [n for n, token in enumerate(said) if core(token) == "any" and core(said[n - 1]) not in lists.PREPOSITIONS]
    if not anys:
        return said
    at = anys[0]
    if len(anys) > 1 or not 0 < at < min(4, len(said) - 1):
        return None
    noun = before_preposition(said[at + 1 :])
    if noun[0] == "other":
        return None
    if verb in ("are", "were") or any(is_plural(word) for word in noun) or noun[-1] in lists.MASS:
        return [*said[:at], *said[at + 1 :]]
    return [*said[:at], "an" if noun[0][:1] in "aeiou" else "a", *said[at + 1 :]]


def before_preposition(tokens: Sequence[str]) -> list[str]:
    """A noun with what stands before it: all words up to the first preposition or clause."""
    words = [core(token) for token in tokens]
    after = lists.PREPOSITIONS | lists.SUBORDINATE | {"to"}
    return words[: next((n for n, word in enumerate(words) if n and word in after), len(words))]


def is_plural(noun: str) -> bool:
    """Whether a noun looks like a plural."""
    singular = ("ss", "us", "is", "cans", "diabetes", "series", "aids")
    return noun in lists.PLURALS or (noun.endswith("s") and not noun.endswith(singular))


def _third_person(token: str) -> str:
    """The verb without `does`: `reduce` is `reduces`."""
    if core(token) in ("have", "be"):
        return {"have": "has", "be": "is", "Have": "Has", "Be": "Is"}.get(token, token)
    if token.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{token}es"
    return f"{token[:-1]}ies" if re.search(r"[^aeiou]y$", token) else f"{token}s"


def offers_choice(verb: str, words: Sequence[str], place: int) -> bool:
    """Whether `or` offers a choice, so that `yes` would say nothing: `is aspirin or warfarin better`.

    Args:
        place: where the predicate begins among them.
    """
    text = _SAME_AS_AND.sub("and", " ".join(words))
    if "or" not in text.split():
        return False
    if verb in ("should", "would") or _CHOICE.search(text):
        return True
    at = words.index("or")
    if at < place or "either" in words[place:]:
        return at > place
    return len(words[place:at]) < 2 or words[at + 1 : at + 2] == [] or words[at + 1] in lists.ALL_VERBS


# Where the predicate begins.

_PRONOUNS = frozenset(("i", "we", "you", "he", "she", "it", "they", "there"))
_BEFORE_NOUN = lists.DETERMINERS | lists.PREPOSITIONS | BE | {"and", "or", "to", "be", "been", "being", "no"}
_FOLLOWS = lists.PREPOSITIONS | lists.SUBORDINATE | {"", "to", "and", "or"}
"""What may follow a predicate of one word."""
_AND_OR = ("and", "or", "but")


def core(token: str) -> str:
    """A token as it is looked up: no aside, no punctuation at its ends, lower case."""
    return token.split(" (")[0].strip(",;:\"'“”‘’").lower()


def predicate(auxiliary: str, rest: Sequence[str]) -> int | None:
    """Where the predicate begins in `rest`, the words after the auxiliary; None where the rules are not sure."""
    words = [core(token) for token in rest]
    if words[0] in _PRONOUNS:
        return 1 if len(words) > 1 else None
    place = _said(words, rest) if auxiliary in BE else _perfect(words) if auxiliary in HAVE else _verb(words)
    while place is not None and place > 1 and _is_adverb(words[place - 1]):
        place -= 3 if place > 3 and words[place - 2] in _AND_OR else 1  # `accurately and reliably`
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
    for n, word in enumerate(words):
        if n and word in ("been", "any"):
            return n
    found = [n for n in _free(words) if _is_participle(words[n])]
    return found[0] if len(found) == 1 else None


def _said(words: Sequence[str], rest: Sequence[str]) -> int | None:
    """Where what is said of the subject begins, after `is`. The first of several places may belong to the subject."""
    titled = sum(token[:1].isupper() for token in rest) > len(rest) / 2
    places = [n for n in range(1, len(words)) if _begins(words, n) and (titled or rest[n] != "A")]  # `type A`
    if len(places) < 2:
        return places[0] if places else None
    first, last = places[0], places[-1]
    ends, joined = last == len(words) - 1, words[last - 1] in _AND_OR
    if _is_participle(words[first]):  # `are tests proposed by the society useful`
        only = all(_is_participle(words[n]) for n in places)
        return first if only and not ends else last if ends and not joined else None
    unsure = any(words[n] in lists.ARTICLES for n in places[1:]) or (ends and not joined and last - first > 1)
    return None if unsure else first


def _begins(words: Sequence[str], n: int) -> bool:
    """Whether a word could begin what is said of a subject."""
    word, after = words[n], words[n + 1] if n + 1 < len(words) else ""
    if any(f"{' '.join(words[n : n + 4])} ".startswith(f"{idiom} ") for idiom in lists.IDIOMS):
        return True
    start = next(m for m in range(n, 0, -1) if m == 1 or not _is_adverb(words[m - 1]))
    before = words[start - 1]
    if before in _BEFORE_NOUN:
        return False
    if word in lists.ARTICLES or (word == "one" and after == "of"):
        takes_it = before.endswith("ing") or before in ("as", "worth") or before in lists.ALL_VERBS
        return not (takes_it or _is_participle(before))
    if word == "being" or (_is_done(word) and after not in ("of", "and", "or")):
        return True
    states = word in lists.STATES
    ended = after in _FOLLOWS or _is_adverb(after) or (states and words[n + 2 : n + 3] == ["of"])
    return ended and (states or _is_participle(word))


def _is_participle(word: str) -> bool:
    regular = word.endswith("ed") and len(word) > 3 and word not in lists.NOT_PARTICIPLES
    return word in lists.PARTICIPLES or (regular and "-" not in word)


def _is_done(word: str) -> bool:
    """Whether a word in `ing` is of a known verb, and seldom a noun."""
    stem = word.removesuffix("ing")
    known = not lists.ALL_VERBS.isdisjoint({stem, f"{stem}e", stem[:-1]})
    return known and stem != word and len(word) > 5 and word not in lists.ING_NOUNS


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
_TITLE = lazy_pattern(rf"^([^:;?]{{5,}}?)(?:{_BREAK}|, )((?:an?|the) [^:;?]+)$", re.IGNORECASE)
"""A title whose second half is said of the first: `Leptin: a marker of obesity`."""
_OF_WORK = verbose_pattern(
    r"""
    ^(?:an?\ |the\ )?(?:analys[ie]s|characteri[sz]ation|compar|correlat|epidemiolog|estimat|evaluat|evidence|
    experience|factors|improv|investigat|measur|outcomes?|patients?|potential|predict|prevalence|review|role|
    significance|study|survey|trends?|utility|usefulness|value)
    """
)
"""Titles of what was done: what follows is seldom said of them."""


def as_statement(question: str) -> str | None:
    """The statement, with a full stop; None where the rules are not sure of it."""
    text = " ".join(question.split())
    bare = _YES_OR_NO.sub("", text)
    if bare == text and not text.endswith("?"):
        return None
    asked = bare.rstrip("? ")
    if not asked or asked.isupper() or _UNSUITED.search(f"{asked}?"):
        return None
    said = _turned(asked)
    if said is None and bare != text and not _CLOSED.match(asked) and not _OPEN.match(asked):
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
    if topic := _TOPIC.match(text):
        return _of_topic(topic[1], ":", topic[2])
    return _of_title(text)


def _of_topic(topic: str, mark: str, clause: str) -> str | None:
    """`it` stands for the topic; otherwise the topic stays before the statement."""
    verb, *rest = tokenized(clause) or [clause]
    if tokenized(topic) is None or re.search(r":|\bor\b", topic) or len(rest) < 2:
        return None
    subject, verb = rest[0].lower(), verb.lower()
    whole = subject in ("it", "they") or (subject in ("this", "these") and core(rest[1]) in lists.ARTICLES)
    if not whole or (subject == "it" and stands_for_clause(verb, rest)):
        said = statement_of(clause)
        return None if said is None else f"{topic}{mark} {said}"
    if _OF_WORK.match(topic) or _several(topic) != (subject in ("they", "these")):
        return None
    words = [core(word) for word in topic.split()]
    others = lists.PEOPLE & set(words[len(before_preposition(topic.split())) :])
    if (subject == "they" and others) or (BE | HAVE | MODAL | DO) & set(words):
        return None  # `Operations in children: do they benefit`, `Iron is low: is this a sign`
    if words[0] in lists.PREPOSITIONS | lists.SUBORDINATE:  # `In sepsis, is it useful`
        return None
    asked = [core(token) for token in rest]
    if offers_choice(verb, asked, 1) or asked[1] in ("just", "only", "simply", "merely"):
        return None
    if asked[1] in lists.STATES and set(asked[2:3]) & lists.ARTICLES:  # `is it necessary a fast`
        return None
    predicate = in_form(verb, rest[1:])
    return None if predicate is None else " ".join([topic, *predicate])


def _several(topic: str) -> bool:
    """Whether a topic names several things: its noun is a plural, or two are joined."""
    words = before_preposition(topic.split())
    doing = len(words) > 1 and words[0].endswith("ing") and words[0] not in lists.ING_NOUNS
    return not doing and (is_plural(words[-1]) or "and" in words)  # `Assessing lesions in mice` is one thing


def _of_title(text: str) -> str | None:
    """`Leptin: a marker of obesity` says that leptin is one."""
    title = _TITLE.match(text)
    if title is None or _OF_WORK.match(title[1]) or before_preposition(title[2].split())[-1] not in lists.KINDS:
        return None
    return f"{title[1]} {'are' if _several(title[1]) else 'is'} {title[2][0].lower()}{title[2][1:]}"
