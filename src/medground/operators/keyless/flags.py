"""What makes a lookalike wrong: differences between a statement and the quote that is nearest to it.

Nothing here says that a quote supports a statement. Measured on SciFact, word statistics do not tell SUPPORT from
REFUTE better than the majority does; they tell `related` from `not related`, and they point at differences to look at.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from medground.operators.keyless import words
from medground.operators.views import EvidenceView

RELATED = 0.5
"""Least share of a statement's words, by weight, that a related quote holds."""


@dataclass(frozen=True)
class Comparison:
    """A statement against the quotes.

    Attributes:
        related: whether a quote is about the same things, which is no proof.
        best: id of the nearest quote, None when nothing is related.
        coverage: share of the statement's words and numbers, by weight, in the nearest quote, 0 to 1.
        flags: kinds of difference from the nearest quote, of `FLAGS` and in its order.
    """

    related: bool
    best: str | None
    coverage: float
    flags: tuple[str, ...]


def compare(statement: str, evidence: Sequence[EvidenceView]) -> Comparison:
    """Find the quote nearest to a statement and name the differences that can change a meaning."""
    wanted = words.terms(statement)
    scores = [words.coverage(wanted, words.terms(e.quote)) for e in evidence]
    if not scores:
        return Comparison(related=False, best=None, coverage=0.0, flags=())
    nearest = max(range(len(scores)), key=lambda i: (scores[i], -i))
    if scores[nearest] < RELATED:
        return Comparison(related=False, best=None, coverage=scores[nearest], flags=())
    quote = evidence[nearest]
    return Comparison(True, quote.id, scores[nearest], differences(statement, quote.quote))


def differences(statement: str, quote: str) -> tuple[str, ...]:
    """Kinds of difference between a statement and a quote, in the order of `FLAGS`; none for equal texts."""
    one, other = (unicodedata.normalize("NFKC", text) for text in (statement, quote))
    return tuple(name for name, differs in FLAGS.items() if differs(one, other))


_NUMBER = re.compile(
    r"(?<![\w.])(\d+(?:[.,]\d+)*)\s*-?\s*(%|percent|[mµμ]?g|kg|mcg|[mdµμ]?l|mmol|nmol|[mcnµμ]?m|mmhg|fold|"
    r"(?:second|minute|hour|day|week|month|year)s?)?(?![\w])",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:no|not|never|neither|nor|none|without|cannot|fail(?:s|ed)? to|lack(?:s|ed|ing)?|absence of)\b|n['’]t\b",
    re.IGNORECASE,
)
_UP = re.compile(
    r"\b(?:increas\w*|higher|greater|more|rais\w*|elevat\w*|improv\w*|better|upregulat\w*|enhanc\w*|promot\w*|longer|"
    r"superior|activat\w*|gain\w*)\b",
    re.IGNORECASE,
)
_DOWN = re.compile(
    r"\b(?:decreas\w*|lower\w*|less|fewer|reduc\w*|declin\w*|worse\w*|downregulat\w*|inhibit\w*|suppress\w*|shorter|"
    r"inferior|impair\w*|diminish\w*|loss|prevent\w*)\b",
    re.IGNORECASE,
)
_THAN = re.compile(r"\b(?:than|versus|vs|(?:as )?compared (?:with|to)|relative to)\b", re.IGNORECASE)
_HEDGE = re.compile(
    r"\b(?:may|might|could|can|suggest\w*|possib\w+|potential\w*|appear\w*|seem\w*|likely|unclear|probabl\w+|perhaps|"
    r"preliminary|trend\w*|hypothesi\w*)\b",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"\b(?:caus\w*|leads? to|led to|results? in|resulted in|induc\w*|due to|because|responsible for|trigger\w*|"
    r"produc\w*|prevent\w*|mediat\w*)\b",
    re.IGNORECASE,
)
_ASSOCIATION = re.compile(
    r"\b(?:associat\w*|correlat\w*|link\w*|relat(?:ed|ionship|ion)|predict\w*|risk factors?)\b", re.IGNORECASE
)


def _numbers(text: str) -> dict[str, set[str]]:
    """Units by the number they follow; a number without one has an empty unit."""
    found: dict[str, set[str]] = {}
    for number, unit in _NUMBER.findall(text):
        plain = unit.lower().replace("percent", "%").replace("μ", "µ")
        found.setdefault(number.replace(",", ""), set()).add(plain.rstrip("s"))
    return found


def _number(statement: str, quote: str) -> bool:
    return not _numbers(statement).keys() <= _numbers(quote).keys()


def _unit(statement: str, quote: str) -> bool:
    known = _numbers(quote)
    return any(
        number in known and "" not in units | known[number] and units.isdisjoint(known[number])
        for number, units in _numbers(statement).items()
    )


def _negation(statement: str, quote: str) -> bool:
    return bool(_NEGATION.search(statement)) != bool(_NEGATION.search(quote))


def _direction(statement: str, quote: str) -> bool:
    ways = [(bool(_UP.search(text)), bool(_DOWN.search(text))) for text in (statement, quote)]
    return sorted(ways) == [(False, True), (True, False)]


def _order(statement: str, quote: str) -> bool:
    """Whether what stands before `than` in one text stands after it in the other."""
    stated, quoted = _sides(statement), _sides(quote)
    if stated is None or quoted is None:
        return False
    (left, right), (quoted_left, quoted_right) = stated, quoted
    crossed = min(len(left & quoted_right), len(right & quoted_left))
    return crossed > 0 and crossed > min(len(left & quoted_left), len(right & quoted_right))


def _sides(text: str) -> tuple[set[str], set[str]] | None:
    if (than := _THAN.search(text)) is None:
        return None
    left, right = set(words.terms(text[: than.start()])), set(words.terms(text[than.end() :]))
    return left - right, right - left


def _certainty(statement: str, quote: str) -> bool:
    return bool(_HEDGE.search(quote)) and not _HEDGE.search(statement)


def _cause(statement: str, quote: str) -> bool:
    return bool(_CAUSE.search(statement) and _ASSOCIATION.search(quote)) and not _CAUSE.search(quote)


FLAGS: Mapping[str, Callable[[str, str], bool]] = {
    "number": _number,
    "unit": _unit,
    "negation": _negation,
    "direction": _direction,
    "comparison order": _order,
    "certainty": _certainty,
    "cause": _cause,
}
"""Each kind of difference and what tells it: a number of the statement that the quote lacks; the same number with
another unit; one text negates; one goes up and the other down; the sides of a comparison are exchanged; the quote
hedges and the statement does not; the quote reports an association and the statement a cause."""
