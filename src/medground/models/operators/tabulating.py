"""Tabulating: which sentence of a study reports what a column of an evidence table asks for, if any does.

A rule for a kind of column that researchers often ask for gives 0 to a sentence that does not report it, and more the
more surely it does. It is strict: a cell that stays empty is right more often than one that is filled by a word.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial

from pydantic import Field

from medground.home.files import tables
from medground.language import words
from medground.language.prose import is_prose
from medground.language.quantities import TIMES, Quantity, quantities
from medground.language.quoting.headings import parts_of
from medground.language.quoting.leading import describes_method, reports_result, states_purpose
from medground.language.words import spelled_out
from medground.models.operators import base

_I = re.IGNORECASE
_LISTS = tables("data", "table_columns")


@cache
def _pattern(name: str, flags: int = _I) -> re.Pattern[str]:
    listed = _LISTS["patterns"][name]
    whole = [rf"\b(?:{'|'.join(listed['words'])})\b"] if "words" in listed else []
    text = "|".join([*whole, *listed.get("forms", ())])
    for word, meant in _LISTS["words"].items():
        text = text.replace(f"{{{word}}}", f"(?:{'|'.join(meant)})")
    return re.compile(text, flags)


_OF_OTHERS, _TAKEN, _GIVEN = map(_pattern, ("of_others", "taken", "given"))
_COUNTED, _PART_OF, _DENIED = map(_pattern, ("counted", "part_of", "denied"))
_THRESHOLD, _COMPARED, _PLANNED = map(_pattern, ("threshold", "compared", "planned"))
_OWN_DESIGN = re.compile(r"\b(?:in this|this|the present|our)\b.{0,80}\b(?:study|trial|analysis)\b")
"""How this study was done, said in an introduction: `In this randomized trial, we`."""
_MASS = frozenset(("kg", "g", "mg", "μg", "ng", "IU", "U", "Gy", "ml", "μl", "mmol", "meq", "mol", "μmol"))
_VOLUME = frozenset(("l", "dl", "ml", "μl"))


@dataclass(frozen=True)
class ReadSentence:
    """A sentence of a study.

    Attributes:
        text: the sentence.
        heading: the heading over it; empty if there is none.
        names: stems of the rare names in the study's title, such as those of its drugs.
    """

    text: str
    heading: str
    names: frozenset[str] = frozenset()

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """Its numbers."""
        return quantities(self.text)

    @cached_property
    def parts(self) -> frozenset[str]:
        """The parts of a paper that its heading names."""
        return parts_of(self.heading)

    @property
    def is_background(self) -> bool:
        """Whether it tells what was known or wanted before the study, or what only frames it."""
        if self.parts & {"opening", "back"} and not self.parts & {"results", "methods", "conclusion"}:
            return not _OWN_DESIGN.search(self.text)
        return bool(_OF_OTHERS.search(self.text))

    @property
    def reports(self) -> bool:
        """Whether it says what was found, and not what was aimed at or done."""
        if states_purpose(self.text) or self.is_background:
            return False
        return reports_result(self.text) or not (describes_method(self.text) or "methods" in self.parts)


Rule = Callable[[ReadSentence], float]
"""How surely a sentence reports a column: 0 if it does not. Of equals, the first of the study is quoted."""


def _size(one: ReadSentence) -> float:
    named = sum(quantity.measure == "n" and max(quantity.values, default=0) >= 2 for quantity in one.quantities)
    counted = _COUNTED.search(one.text) and (_TAKEN.search(one.text) or "methods" in one.parts)
    if one.is_background or not (named or counted):
        return 0.0
    return 1.0 if _PLANNED.search(one.text) or (named < 2 and _PART_OF.search(one.text)) else 2.0


def _dose(one: ReadSentence) -> float:
    units = [quantity.unit.split("/") for quantity in one.quantities if not quantity.measure]
    given = any(first in _MASS and not _VOLUME.intersection(rest) for first, *rest in units)
    if one.is_background or not given or not _GIVEN.search(one.text):
        return 0.0
    return 1.0 if one.names.isdisjoint(words.terms(one.text)) else 2.0  # of what was studied, not of an anaesthetic


def _timed(said: re.Pattern[str], one: ReadSentence) -> float:
    """A time in days or longer, in a sentence that says so much of it."""
    times = any(q.unit in TIMES and q.unit not in ("second", "minute") for q in one.quantities)
    return float(times and not one.is_background and said.search(one.text) is not None)


def _measured(measures: Sequence[str], one: ReadSentence) -> float:
    return float(not one.is_background and any(q.measure in measures for q in one.quantities))


def _told(name: str, one: ReadSentence) -> float:
    """What was found of something that a study counts: with a number, or with a word that there was none."""
    if not one.reports or not (found := _pattern(name).search(one.text)):
        return 0.0
    denied = _DENIED.search(one.text[max(0, found.start() - 30) : found.end() + 30])
    return float(denied is not None or any(not q.measure for q in one.quantities))


def _said(name: str, heading: str, one: ReadSentence) -> float:
    """What a form of words tells, outside of the background; or what stands under a heading of its own."""
    if heading and re.search(heading, one.heading, _I):
        return 2.0
    return float(bool(name) and not one.is_background and _pattern(name).search(one.text) is not None)


def _finding(one: ReadSentence) -> float:
    found = {"results", "conclusion"} & one.parts
    if not one.reports or not (found or one.quantities) or ("methods" in one.parts and not found):
        return 0.0
    return float(not _THRESHOLD.search(one.text))


def _effect_size(one: ReadSentence) -> float:
    """A ratio; or else what was found in both groups: two figures of one unit that are compared."""
    units = Counter(quantity.unit for quantity in one.quantities if not quantity.measure)
    both = max(units.values(), default=0) > 1 and _COMPARED.search(one.text)
    return 2.0 * _measured(("or", "hr", "rr"), one) or (_finding(one) if both else 0.0)


_RULES: Mapping[str, Rule] = {
    "size": _size,
    "dose": _dose,
    "follow-up": partial(_timed, _pattern("after")),
    "duration": partial(_timed, _pattern("lasting")),
    "harm": partial(_told, "harm"),
    "death": partial(_told, "death"),
    "finding": _finding,
    "effect size": _effect_size,
    **{kind: partial(_measured, measures) for kind, measures in _LISTS["measured"].items()},
    **{kind: partial(_said, *told) for kind, told in _LISTS["said"].items()},
}
_CALLED = {kind: re.compile(f"(?:the )?(?:{'|'.join(names)})", _I) for kind, names in _LISTS["called"].items()}


_WINDOW = 8
"""Stems within which all words of a column must stand: further apart, they are about different things."""


def reporting_sentence(column: str, sentences: Sequence[tuple[str, str]], title: str = "") -> int | None:
    """The number of the sentence that reports a column, from 0; None if none does.

    `sentences` are text and heading of each sentence of the study; empty headings where there are none.
    """
    name = " ".join(column.split()).strip(" ?:.")
    named = next((_RULES[kind] for kind, called in _CALLED.items() if called.fullmatch(name)), None)
    rule = named or _rule_by_words(column)
    if rule is None:
        return None
    names = frozenset(stem for stem in words.names(title) if words.weight(stem) >= words.MOST)
    read = [ReadSentence(text, heading, names) for text, heading in sentences]
    scored = [(rule(one), -n) for n, one in enumerate(read) if is_prose(one.text) or one.quantities]
    best = max(scored, default=(0.0, 0))
    return -best[1] if best[0] > 0 else None


def _rule_by_words(column: str) -> Rule | None:
    """The rule for a column of any name: all its words close together, in a sentence that reports a result."""
    wanted = frozenset(words.terms(column))
    if not wanted:
        return None

    def rule(one: ReadSentence) -> float:
        held = words.terms(spelled_out(one.text, column)) if one.reports else []
        return float(words.densest(wanted, held, _WINDOW, least=len(wanted)) == 1.0)

    return rule


NOT_REPORTED = "not reported"
"""In place of a sentence's id: the text does not say it."""


class ColumnView(base.OperatorInput):
    """A column by its id (C1, C2, ...) and the name that the reader gave it."""

    id: str
    name: base.Untrusted


class StudySentence(base.OperatorInput):
    """A sentence of a study with the heading over it."""

    id: str
    heading: base.Untrusted = ""
    text: base.Untrusted


class TabulateInput(base.OperatorInput):
    columns: tuple[ColumnView, ...]
    title: base.Untrusted = ""
    sentences: tuple[StudySentence, ...]


class Filled(base.OperatorOutput):
    column: str = Field(description="id of a column")
    sentence: str = Field(description=f"id of the sentence that reports it, or `{NOT_REPORTED}`")


class TabulateOutput(base.OperatorOutput):
    cells: tuple[Filled, ...] = Field(description="one for each column, in their order")


def _each_column_once(value: TabulateInput, output: TabulateOutput) -> None:
    if [cell.column for cell in output.cells] != [column.id for column in value.columns]:
        raise base.InvalidOutput("give one cell for each column, in the order of the columns")


@base.operator(
    ids={
        "column": lambda value: (column.id for column in value.columns),
        "sentence": lambda value: (NOT_REPORTED, *(sentence.id for sentence in value.sentences)),
    },
    check=_each_column_once,
)
def tabulate(value: TabulateInput) -> TabulateOutput:
    """For each column the sentence that reports it by its words."""
    sentences = [(one.text, one.heading) for one in value.sentences]
    cells = []
    for column in value.columns:
        at = reporting_sentence(column.name, sentences, value.title)
        cells.append(Filled(column=column.id, sentence=NOT_REPORTED if at is None else value.sentences[at].id))
    return TabulateOutput(cells=tuple(cells))
