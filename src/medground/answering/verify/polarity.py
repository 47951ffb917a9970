"""Whether texts affirm or deny: an effect, a significant difference, a thing."""

import re
from collections.abc import Iterable, Sequence

from medground.language import words
from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.language.sentences import sentence_spans
from medground.models.operators.differences import DENIED, DOWN, NEGATION, UP, Pair, direction

_SAME = verbose_pattern(
    r"""
    \b(?:(?:no|without(?:\ an?)?)\ (?:\w+\ ){0,3}differences?|(?:did|do|does)\ not\ differ|similar\ (?:in|between|
    across|to|for)|comparable\ (?:in|between|to)|(?:the\ |were\ |was\ )same\ (?:in|as|for)|
    equivalent\ (?:in|between|to)|non-?inferior|unchanged|
    (?:evidence|data)\ [^.;]{0,60}(?:lacking|insufficient|inconclusive|scarce))\b
    """
)
_SIGNIFICANT = lazy_pattern(r"\bsignifican\w+", re.IGNORECASE)
_NOTHING = verbose_pattern(
    r"""
    \b(?:no|(?<!and\ )(?<!or\ )without(?:\ any)?|never\ any|not\ any)\ (?P<thing>(?:[\w-]+\ ){0,2}(?:events?|
    effects?|reactions?|complications?|deaths?|toxicit\w+|harms?|risks?|concerns?|infections?|bleeding|symptoms?|
    cases?|recurrences?|[\w-]+s))\b
    """
)
_WORSE = verbose_pattern(
    r"""
    \b(?:wors\w+|poor\w*|harm\w*|detriment\w+|deteriorat\w+|inferior|unsafe|dangerous|(?:increas\w+|rais\w+|
    higher|greater|more|excess)\ (?:\w+\ ){0,4}(?:deaths?|mortality|disability|toxicity|harms?|adverse|
    complications?|fatal\w*))\b
    """
)
_BENEFIT = verbose_pattern(
    r"""
    \b(?:effective\w*|efficac\w+|used|use|treat\w*|benefi\w+|improv\w+|help\w*|safe\w*|recommend\w*|prevent\w*|
    protect\w*|reliev\w*|support\w*)\b
    """
)
_SMALL_P = lazy_pattern(r"\bp\s?[<=≤]\s?0?[.·]0(?![6-9])", re.IGNORECASE)
_LARGE_P = lazy_pattern(r"\bp\s?[=>≥]\s?0?[.·](?:0[5-9]|[1-9])", re.IGNORECASE)
_EFFECT = verbose_pattern(
    r"""
    \b(?:hasten\w*|accelerat\w+|sped|speeds|slow(?:s|ed)|delay(?:s|ed)|prolong\w*|shorten\w*|reliev\w+|alleviat\w+|
    ameliorat\w+|protect(?:s|ed)|help(?:s|ed)|halv\w+|doubl(?:es|ed)|tripl(?:es|ed)|effective|outperform\w*|
    differ(?:s|ed|ences?)?|dose\ response|advantage)\b
    """
)
_TURN = verbose_pattern(
    r"""
    ;(?![^()]*\))|,?\ \b(?:but|although|though|whereas|while|however|yet|despite|except)\b|(?:,|,?\ and)\ (?=(?:did|
    does|do|was|were|had|has|have|tended|showed|with|without|no|not)\b)|
    \ (?=without\ (?:\w+\ ){0,3}differences?\b)
    """
)
_CLOSE = 60
"""Characters before `significant` in which its denial stands."""


def denies(text: str) -> bool:
    """Whether a text denies an effect or a difference."""
    significant = _significances(text)
    same = _SAME.search(text) or is_by_chance(text)
    same = same and True not in significant  # "significantly better, and safety was similar"
    return bool(DENIED.search(text) or same or significant == {False})


def is_by_chance(text: str) -> bool:
    """Whether the p values of a text tell of no significant difference, and none of one."""
    return bool(_LARGE_P.search(text)) and not _SMALL_P.search(text)


def affirms(text: str) -> bool:
    """Whether a text says that something rose or fell, or was significant, and denies nothing."""
    return not denies(text) and bool(
        UP.search(text) or DOWN.search(text) or _EFFECT.search(text) or _significances(text)
    )


def nearest(statement: str, quote: str) -> str:
    """The sentence of a quote that holds most of a statement's words."""
    said = words.terms(statement)
    sentences = [quote[start:end] for start, end in sentence_spans(quote)] or [quote]
    return max(sentences, key=lambda sentence: words.coverage(said, words.terms(sentence)))


def clause_on(statement: str, quote: str) -> str:
    """The clause of a quote's nearest sentence that holds most of a statement's words, with its lists and brackets."""
    said, clauses = words.terms(statement), _TURN.split(nearest(statement, quote))
    return max(clauses, key=lambda clause: words.coverage(said, words.terms(clause)))


def _significances(text: str) -> set[bool]:
    """For each `significant` whether it is affirmed."""
    befores = [text[max(0, one.start() - _CLOSE) : one.start()] for one in _SIGNIFICANT.finditer(text)]
    return {not (NEGATION.search(before) or before.endswith(("non-", "nearly ", "almost "))) for before in befores}


def turns_round(statement: str, quote: str) -> bool:
    """Whether a sentence denies what a statement affirms, or is significant where the statement denies a difference."""
    if affirms(statement):
        return denies(clause_on(statement, quote))
    is_significant = _significances(quote) == {True} and not (denies(quote) or NEGATION.search(quote))
    return is_significant and all(map(denies, _TURN.split(statement)))


def answered_against(answer: str, statement: str, texts: Sequence[str]) -> str:
    """The text over which a yes or no to a statement cannot stand; empty if there is none.

    A yes cannot over texts that all deny an effect or, asked for a benefit, report harm; nor a no over significant
    results of which none denies one or goes the other way.
    """
    if not texts or denies(statement):
        return ""
    texts = [nearest(statement, text) for text in texts]
    harmful = [bool(_BENEFIT.search(statement) and _WORSE.search(text)) for text in texts]
    if answer == "yes":
        return texts[0] if all(denies(text) or bad for text, bad in zip(texts, harmful, strict=True)) else ""
    found = [not denies(text) and (_significances(text) == {True} or _SMALL_P.search(text)) for text in texts]
    turned = any(direction(Pair(statement, text, text)) or NEGATION.search(text) for text in texts)
    return texts[0] if answer == "no" and all(found) and not (turned or any(harmful)) else ""


def denied_thing(statement: str, quotes: Iterable[str]) -> str:
    """What a statement says that there was none of, though a quote reports it: `no adverse events`; else empty."""
    for found in _NOTHING.finditer(statement):
        wanted = set(words.terms(found["thing"]))
        for quote in quotes if wanted else ():
            if wanted <= set(words.terms(quote)) and not NEGATION.search(_before(found["thing"], quote)):
                return found[0]
    return ""


def _before(thing: str, quote: str) -> str:
    """The words before a thing in a quote."""
    first = words.terms(thing)[0]
    at = next((one.start() for one in re.finditer(r"\w+", quote) if words.terms(one[0])[:1] == [first]), 0)
    return quote[max(0, at - _CLOSE) : at]
