"""The paper's QueryNormalize (Eq. 11): whatever a model or a person wrote becomes a query that PubMed understands."""

from __future__ import annotations

from datetime import UTC, date, datetime

from medground.document import Frozen
from medground.pubmed.mapping import Mapper
from medground.pubmed.mend import EVERYTHING, Mender
from medground.pubmed.model_text import query_in
from medground.pubmed.parser import MAX_CHARACTERS, mend_syntax
from medground.pubmed.syntax import written
from medground.pubmed.translate import parse, standard_mapper
from medground.query import Query

_MOST_ROUNDS = 8
_MOST_NOTES = 50


class Normalised(Frozen):
    """A query that parses, its tree, and a line for each repair; no notes means that the text was valid as it stood."""

    text: str
    query: Query
    notes: tuple[str, ...] = ()


def normalize(text: str, *, today: date | None = None, mapper: Mapper | None = None) -> Normalised:
    """Make a query of any text. A valid query keeps its meaning, and normalising twice changes nothing more.

    Operators, parentheses, quotation marks, field tags, headings and dates are repaired; code fences, JSON and prose
    around a model's query are taken off. A text without any word becomes `all[Filter]`, with a note.
    """
    mapper = mapper or standard_mapper()
    today = today or datetime.now(UTC).date()
    notes: list[str] = []
    for _ in range(_MOST_ROUNDS):
        mended, found = _round(text, today, mapper)
        notes += found
        if mended == text:
            break
        text = mended
    else:
        text = written(EVERYTHING)
        notes.append("no stable reading was found: everything is searched")
    return Normalised(
        text=text, query=parse(text, today=today, mapper=mapper), notes=tuple(dict.fromkeys(notes))[:_MOST_NOTES]
    )


def _round(text: str, today: date, mapper: Mapper) -> tuple[str, list[str]]:
    """One pass over the text. A mended text is read once more, as a repair can uncover the next fault."""
    plain, notes = query_in(text)
    if len(plain) > MAX_CHARACTERS:
        notes.append(f"only the first {MAX_CHARACTERS:,} characters were read")
    node, repairs = mend_syntax(plain)
    mender = Mender(mapper.mesh, today)
    mended = None if node is None else mender.mend(node)
    notes += [f"column {repair.column}: {repair.reason}" for repair in (*repairs, *mender.repairs)]
    if mended is None:
        notes.append("the text holds no word to search for: everything is searched")
        mended = EVERYTHING
    return written(mended), notes
