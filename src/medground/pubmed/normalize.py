"""QueryNormalize (PubMed Reasoner, Eq. 11): turn any text from a model or a person into a valid PubMed query."""

from __future__ import annotations

from datetime import UTC, date, datetime

from medground.document import Frozen
from medground.pubmed.mapping import Mapper
from medground.pubmed.model_text import query_in
from medground.pubmed.parser import MAX_CHARACTERS, repair_syntax
from medground.pubmed.repair import EVERYTHING, Repairer
from medground.pubmed.syntax import to_text
from medground.pubmed.translate import parse, standard_mapper
from medground.query import Query

_MOST_ROUNDS = 8
_MOST_NOTES = 50


class Normalised(Frozen):
    """A valid query, its tree and a note for each repair. No notes means that the text was already valid."""

    text: str
    query: Query
    notes: tuple[str, ...] = ()


def normalize(text: str, *, today: date | None = None, mapper: Mapper | None = None) -> Normalised:
    """Turn any text into a query. Valid queries keep their meaning, and the result is idempotent.

    This repairs operators, parentheses, quotation marks, field tags, headings and dates, and removes code fences, JSON
    and prose around a model's query. A text without words becomes `all[Filter]`, with a note.
    """
    mapper = mapper or standard_mapper()
    today = today or datetime.now(UTC).date()
    notes: list[str] = []
    for _ in range(_MOST_ROUNDS):
        repaired, found = _round(text, today, mapper)
        notes += found
        if repaired == text:
            break
        text = repaired
    else:
        text = to_text(EVERYTHING)
        notes.append("no stable interpretation was found; everything is searched")
    return Normalised(
        text=text, query=parse(text, today=today, mapper=mapper), notes=tuple(dict.fromkeys(notes))[:_MOST_NOTES]
    )


def _round(text: str, today: date, mapper: Mapper) -> tuple[str, list[str]]:
    """Repair the text once. Callers repeat this, because one repair can uncover the next fault."""
    plain, notes = query_in(text)
    if len(plain) > MAX_CHARACTERS:
        notes.append(f"only the first {MAX_CHARACTERS:,} characters were used")
    node, repairs = repair_syntax(plain)
    repairer = Repairer(mapper.mesh, today)
    repaired = None if node is None else repairer.repair(node)
    notes += [f"column {repair.column}: {repair.reason}" for repair in (*repairs, *repairer.repairs)]
    if repaired is None:
        notes.append("the text contains no word to search for; everything is searched")
        repaired = EVERYTHING
    return to_text(repaired), notes
