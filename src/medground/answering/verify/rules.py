"""The policy on what a model writes: each rule is a row of one table, with who may settle the doubt that it raises.

A model can be wrong and its check agree, because both read with the same eyes. So numbers with their units, groups and
times, names, denials and comparisons are looked up in the quotes. A rule that is rarely wrong holds a text back unless
the check copies the words of a quote that settle it; a rule that is often wrong only asks the check.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.distance import OSA

from medground.answering.verify.critic import Claim
from medground.answering.verify.numbers import misplaced, missing_quantities, other_time
from medground.answering.verify.opposition import opposed, told_otherwise
from medground.answering.verify.orders import (
    addresses,
    hides_evidence,
    in_another_language,
    is_order,
    orders,
    speaks_to_readers,
    urges,
)
from medground.answering.verify.polarity import answered_against, denied_thing, nearest
from medground.corpus.design import animals_in, not_of_people, people_in
from medground.language import words
from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.models.operators.differences import ASSOCIATION, CAUSE, HEDGE, Pair, population
from medground.values.document import Document

Settled = Literal["code", "words"]
"""Who settles a doubt: nobody but the code, or a check that copies the words of a quote."""
Kind = Literal["statement", "sentence", "short", "closed", "direction"]
"""A statement of the rationale; a short answer that is a sentence, a name or items, a yes or no, a direction."""


@dataclass(frozen=True)
class Part:
    """A text that a model wrote, with what it rests on.

    Attributes:
        text: the text; of a yes or no the statement that it answers, of a direction what `higher` would say.
        quotes: the quotes cited, the nearest first.
        documents: the documents of the quotes, in the same order.
        passages: the quotes as they are read, with their titles and what stands around them.
        answer: the yes or no, or the direction.
        english: whether it is in English, as the quotes are; of other texts only what is told by signs is looked up.
        asks_advice: whether the question asks what to do, so that advice of a quote may be repeated as the answer.
    """

    kind: Kind
    text: str
    quotes: tuple[str, ...] = ()
    documents: tuple[Document, ...] = ()
    passages: tuple[str, ...] = ()
    answer: str = ""
    english: bool = True
    asks_advice: bool = False


@dataclass(frozen=True)
class Rule:
    """A row: the name of a doubt, who settles it, in what texts it is looked for, and what finds the words for it."""

    name: str
    settled: Settled
    kinds: frozenset[Kind]
    finds: Callable[[Part], str]


_STRONG = verbose_pattern(
    r"""
    \b(?:cur(?:e|es|ed|ing)|eradicat\w+|eliminat\w+|completely|all|every(?!\ (?:day|week|month|hour|\d))|
    guarante\w+|always|prove[sdn]?|definitely)\b
    """
)
OUTCOMES = (
    verbose_pattern(
        r"""
        \b(?:deaths?|died?|dying|mortalit\w+|fatal\w*|surviv\w+|lethal\w*|life\ expectancy|lifespan|outlive\w*)\b
        """
    ),
    lazy_pattern(r"\b(?:exacerbation\w*|flare\w*|attacks?|relaps\w+|recur\w+)\b", re.IGNORECASE),
    lazy_pattern(
        r"\b(?:hospitali[sz]\w+|admi(?:ssions?|tted)|readmi\w+|discharge\w*|length[ -]of[ -]stay)\b", re.IGNORECASE
    ),
    lazy_pattern(r"\bfractur\w+", re.IGNORECASE),
    verbose_pattern(
        r"""
        \b(?:strokes?|cerebrovascular|isch(?:a)?emic\ attacks?|cerebral\ (?:infarct\w*|isch\w+|h(?:a)?emorrh\w+)|
        apoplexy|thrombectom\w+)\b
        """
    ),
    verbose_pattern(
        r"""
        \b(?:myocardial\ infarct\w*|heart\ attacks?|coronary|cardiovascular|cardiac|AMI|STEMI|NSTEMI|MI)\b
        """
    ),
    lazy_pattern(r"\b(?:dementia|alzheimer\w*|cognitive)\b", re.IGNORECASE),
    verbose_pattern(
        r"""
        \b(?:cur(?:e|es|ed|ing)|remission\w*|eradicat\w+|clear(?:ance|ed)|heal(?:s|ed|ing)?|resol(?:ve[sd]?|ution)|
        recover\w*)\b
        """
    ),
    verbose_pattern(
        r"""
        \b(?:disab\w+|independen\w+|functional\ outcome\w*|rankin|mRS|activities\ of\ daily\ living)\b
        """
    ),
    lazy_pattern(r"\b(?:quality of life|QoL|HRQ\w+|well-?being)\b", re.IGNORECASE),
)
_ASIDE = re.compile(
    r"(?i)[- ](?:[\w-]+ ){0,2}(?:therap|surger|bypass|operat|patient|people|adult|child|rehabilit|care\b|unit)"
)
"""Behind the name of an outcome: a treatment of it, or those who have it."""
_NOT_ALNUM = re.compile(r"[\W_]+")
_WITH = re.compile(r"\b(?:with|after|having|had|who have) (?:[\w-]+ ){0,3}$")
_NEAR_PEOPLE = 60
"""Characters before a condition in which those are named who have it."""
_ADULT = 15
_FROM_AGE = re.compile(r"(?i)(?:>|≥|over|above|older than|at least|aged?(?: of)?) ?(\d{1,2})(?: ?(?:years?|y\b)|[-–+])")
_TO_AGE = re.compile(r"(?i)(?:<|≤|under|below|younger than|up to|[-–]|\bto) ?(\d{1,2}) ?(?:years? (?:old|of age)|y\b)")
_SHORT_NAME = re.compile(r"\b(?=\w*[A-Z])(?=\w*\d|\w*[A-Z]\w*[A-Z])[\w-]+\b")
_CODE = re.compile(r"(?=\S*\d)(?=\S*[A-Za-z])\S+")
_LONGEST = 200_000
"""Characters of a document in which orders to its readers are looked for."""
_ABOUT = 0.4
"""Minimum share of a statement's words, by weight, in a quote that is on the same outcome."""


def _instruction(part: Part) -> str:
    repeated = any(map(orders, part.quotes)) and (part.asks_advice or not (part.kind in _SHOWN and is_order(part.text)))
    told = orders(part.text) if part.kind in _SHOWN else is_order(part.text) or speaks_to_readers(part.text)
    told = told and part.english and not repeated
    is_said = part.kind == "sentence" or not part.english
    urged = is_said and urges(part.text, english=part.english) and not any(map(urges, part.quotes))
    return part.text if told or urged else ""


def _address(part: Part) -> str:
    return ", ".join(addresses(part.text))


def _language(part: Part) -> str:
    return part.text if part.english and in_another_language(part.text, "\n".join(part.quotes)) else ""


def _ordered(part: Part) -> str:
    """A quote that speaks to whoever reads or sums it up, where no other is cited."""
    found = [_spoken(quote, paper) for quote, paper in zip(part.quotes, part.documents, strict=True)]
    return found[0] if found and all(found) else ""


def _spoken(quote: str, document: Document) -> str:
    """The words with which a quote speaks to its readers, or else the document around it."""
    return quote if in_another_language(quote, document.title) else speaks_to_readers(document.text[:_LONGEST])


def _unseen(part: Part) -> str:
    """A quote whose evidence cannot be seen, where no other is cited."""
    found = [hides_evidence(quote) for quote in part.quotes]
    return found[0] if found and all(found) else ""


def _misplaced(part: Part) -> str:
    return misplaced(part.text, part.quotes[:1]) or other_time(part.text, part.quotes)


def _opposite(part: Part) -> str:
    """The nearest quote, where each that is on the same outcome says the opposite."""
    pairs = [*zip(part.quotes, part.documents, strict=True)] if part.answer != "no" else []
    near = [pair for pair in pairs if _coverage(part.text, pair[0]) >= _ABOUT] or pairs[:1]
    sure = [pair for pair in near if not (HEDGE.search(part.text) and HEDGE.search(pair[0]))]
    found = [opposed(part.text, nearest(part.text, quote), document) for quote, document in sure]
    return sure[0][0] if found and all(found) else ""


def _denied(part: Part) -> str:
    return denied_thing(part.text, part.quotes)


def _strong(part: Part) -> str:
    held = frozenset(words.stems("\n".join(part.quotes)))
    found = (one[0].lower() for one in _STRONG.finditer(part.text))
    return ", ".join(dict.fromkeys(word for word in found if not held.issuperset(words.stems(word))))


def _unhedged(part: Part) -> str:
    """A short answer in one sentence that is sure of what all its quotes leave open."""
    hedges = [HEDGE.search(Pair(part.text, quote, quote).clause) for quote in part.quotes]
    return hedges[0][0].lower() if hedges and hedges[0] and all(hedges) and not HEDGE.search(part.text) else ""


def _cause(part: Part) -> str:
    links = [ASSOCIATION.search(quote) for quote in part.quotes]
    caused = CAUSE.search(part.text) and not any(map(CAUSE.search, part.quotes))
    return links[0][0].lower() if caused and part.answer != "no" and links and links[0] and all(links) else ""


def _group(part: Part) -> str:
    every = "\n".join([*part.quotes, *(document.title for document in part.documents)])
    for source in (every, part.quotes[0]):
        told = f"{source} {_of_ages(source)}"
        if population(Pair(f"{part.text} {_of_ages(part.text)}", told, told)):
            return part.quotes[0]
    return ""


def _of_ages(text: str) -> str:
    """Adults, children or both, by the ages that a text gives in years."""
    least = [int(found[1]) for found in _FROM_AGE.finditer(text)]
    most = [int(found[1]) for found in _TO_AGE.finditer(text)]
    return " ".join(["adults"] * any(age >= _ADULT for age in least) + ["children"] * any(age < _ADULT for age in most))


def _animals(part: Part) -> str:
    species = [not_of_people(quote, document) for quote, document in zip(part.quotes, part.documents, strict=True)]
    asks_of_people = people_in(part.text) and not animals_in(part.text)
    return species[0] if asks_of_people and species and all(species) and part.answer != "no" else ""


def _outcome(part: Part) -> str:
    """An outcome of patients, such as death, of which no passage that is cited has a word: it measured another."""
    read = "\n".join(part.passages or part.quotes)
    named = ((one, one.search(part.text)) for one in OUTCOMES)
    lost = (found for one, found in named if found and not one.search(read))
    return next((found[0] for found in lost if not _ASIDE.match(part.text, found.end())), "")


def _condition(part: Part) -> str:
    """What the people have who are asked about, where no passage names it."""
    known = [subject for subject in Claim(part.text).asked.subjects if _have(subject.said, part.text)]
    return next((one.said for one in known if not any(map(one.is_named_in, part.passages))), "")


def _have(condition: str, text: str) -> bool:
    at = max(0, text.find(condition))
    before = text[max(0, at - _NEAR_PEOPLE) : at]
    return bool(_WITH.search(before)) and bool(people_in(before))


def _numbers(part: Part) -> str:
    return ", ".join(dict.fromkeys(quantity.text for quantity in missing_quantities(part.text, part.quotes)))


def _unnamed(part: Part) -> str:
    """A name that no quote has, in these words, in other forms of them, or as a synonym that is known."""
    if any(_letters(part.text) in _letters(quote) for quote in part.quotes):
        return ""
    named = frozenset(words.terms(part.text))
    held = "\n".join(part.quotes)
    if named and named <= frozenset(words.terms(held)) and _codes(part.text) <= _codes(held):
        return ""
    known = Claim(part.text).asked.subjects
    rest = named.difference(*(words.terms(one.said) for one in known), words.terms(held))
    return "" if known and all(one.is_named_in(held) for one in known) and not rest else part.text


def _misspelled(part: Part) -> str:
    """A code or a short name that the papers of a statement lack, where a quote has one of nearly the same letters."""
    read = _codes(" ".join([*part.passages, *(document.text[:_LONGEST] for document in part.documents)]), _SHORT_NAME)
    near = _codes(" ".join(part.quotes), _SHORT_NAME)
    lost = _codes(part.text, _SHORT_NAME) - read - near
    return next((one for one in lost for other in near if _is_nearly(one, other)), "")


def _is_nearly(one: str, other: str) -> bool:
    """Whether two codes differ in few letters, and neither is a part of the other, as a plural is."""
    return not (one in other or other in one) and OSA.distance(one, other) <= max(len(one), len(other)) / 3


def _codes(text: str, pattern: re.Pattern[str] = _CODE) -> set[str]:
    """The letters of the words of a text with a digit in them: no form of such a name is another one."""
    return {_letters(word) for word in pattern.findall(text)}


def _against(part: Part) -> str:
    return answered_against(part.answer, part.text, part.quotes)


def _which_way(part: Part) -> str:
    near = [quote for quote in part.quotes if _coverage(part.text, quote) >= _ABOUT] or part.quotes[:1]
    return told_otherwise(part.answer, part.text, near)


def _letters(text: str) -> str:
    return _NOT_ALNUM.sub("", text.casefold())


def _coverage(text: str, quote: str) -> float:
    return words.coverage(words.terms(text), words.terms(quote))


def _in(*kinds: Kind) -> frozenset[Kind]:
    return frozenset(kinds)


_PROSE = _in("statement", "sentence")
_SHOWN = _in("sentence", "short")
_WITH_SHORT = _PROSE | _SHOWN

TABLE: tuple[Rule, ...] = (
    Rule("instruction", "code", _WITH_SHORT, _instruction),
    Rule("address", "code", _WITH_SHORT, _address),
    Rule("language", "code", _WITH_SHORT, _language),
    Rule("ordered", "code", _WITH_SHORT | {"closed", "direction"}, _ordered),
    Rule("unseen", "code", _in("closed", "direction"), _unseen),
    Rule("misplaced", "words", _WITH_SHORT, _misplaced),
    Rule("opposite", "words", _PROSE | {"closed"}, _opposite),
    Rule("none", "words", _PROSE, _denied),
    Rule("strong", "words", _PROSE, _strong),
    Rule("unhedged", "words", _in("sentence"), _unhedged),
    Rule("cause", "words", _in("statement", "sentence", "closed"), _cause),
    Rule("group", "words", _PROSE, _group),
    Rule("outcome", "words", _in("statement", "sentence", "closed", "direction"), _outcome),
    Rule("population", "words", _in("sentence", "closed", "direction"), _animals),
    Rule("condition", "words", _in("sentence", "closed", "direction"), _condition),
    Rule("amount", "words", _SHOWN, _numbers),
    Rule("name", "words", _in("short"), _unnamed),
    Rule("code", "words", _PROSE, _misspelled),
    Rule("against", "words", _in("closed"), _against),
    Rule("which way", "words", _in("direction"), _which_way),
)
"""Of a statement, word rules in `overclaim` raise further doubts, which a check that agrees settles."""

BY_CODE = frozenset(rule.name for rule in TABLE if rule.settled == "code")
"""The doubts that no model clears."""
BINDING = frozenset(rule.name for rule in TABLE)
"""The doubts over which a text is held back though its check agrees."""


_IN_ANY_LANGUAGE = frozenset(["instruction", "address", "ordered", "unseen", "amount"])
_WITHOUT_QUOTES = frozenset(["instruction", "address"])


def broken(part: Part) -> dict[str, str]:
    """The rules that a text breaks, with the words that show it: those that code alone settles, or else all others."""
    applied = [one for one in TABLE if part.kind in one.kinds and (part.english or one.name in _IN_ANY_LANGUAGE)]
    if not part.quotes:
        applied = [one for one in applied if one.name in _WITHOUT_QUOTES]
    found = {rule: word for rule in applied if (word := rule.finds(part))}
    first = {rule.name: word for rule, word in found.items() if rule.settled == "code"}
    return first or {rule.name: word for rule, word in found.items()}


def settles(copied: str, quotes: Sequence[str]) -> bool:
    """Whether what a check copied stands in one of the quotes, and is more than a word."""
    wanted = _letters(copied)
    return len(words.tokens(copied)) > 1 and any(wanted in _letters(quote) for quote in quotes)
