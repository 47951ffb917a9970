"""What each tool gives: the types behind the output schemas. A field without a value is left out."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, WithJsonSchema

from medground.values.decision import Status as DecisionStatus
from medground.values.document import Retraction

Entries = Annotated[tuple[dict[str, Any], ...], WithJsonSchema({"type": "array"})]
"""A list whose entries say themselves what they are: their schema would cost every client tokens on each call."""

Named = Annotated[Retraction, WithJsonSchema({"type": "string"})]


class Output(BaseModel, frozen=True, use_attribute_docstrings=True):
    """Base of what tools give."""


class Paged(Output):
    """A page of a result. The instructions of the server say what its fields mean."""

    notice: str | None = None
    truncated: bool
    cursor: str | None = None


class Quote(Output):
    """A verbatim slice of a document: `document.text[start:end]`."""

    document_id: str
    start: int
    end: int
    quote: str
    retraction: Named = "none"


class Citation(Quote):
    """A quote that sentences cite by `id`."""

    id: str
    place: str | None = None
    stance: str | None = None


class Source(Output):
    """A document without its text."""

    id: str
    title: str
    year: int | None = None
    journal: str | None = None
    design: str | None = None
    retraction: Named = "none"
    retraction_words: str | None = None
    url: str | None = None


class Sentence(Output):
    text: str
    citations: tuple[str, ...]
    label: str
    verdict: str


class AnswerOrJob(Paged):
    """An answer, or the job that is still at work on it."""

    job: str | None = None
    status: DecisionStatus | None = None
    headline: str | None = None
    reason: str | None = None
    support: str | None = None
    stopped: str | None = None
    trace_id: str | None = None
    sentences: tuple[Sentence, ...] = ()
    citations: tuple[Citation, ...] = ()
    documents: tuple[Source, ...] = ()
    conflicts: Entries = ()
    facts: Entries = ()
    searches: Entries = ()
    notes: tuple[str, ...] = ()
    cost: str | None = None


class Researched(Paged, extra="allow"):
    """A report has the fields of an answer, and the titles of its sections."""

    job: str | None = None
    """Other fields are those of ask."""


class Found(Quote):
    """A passage that a search found; `id` is its document's, as `fetch` takes it."""

    id: str
    title: str
    url: str
    year: int | None = None


class SearchFound(Paged):
    results: tuple[Found, ...]
    searches: Entries = ()
    notes: tuple[str, ...] = ()


class Fetched(Paged):
    id: str
    title: str
    url: str
    start: int
    end: int
    text: str
    metadata: Annotated[dict[str, Any], WithJsonSchema({"type": "object"})]


class DocumentsFound(Paged):
    documents: Entries


class PapersFound(Paged):
    papers: Entries


class RelatedFound(Paged):
    documents: Entries


class ClaimsChecked(Paged):
    job: str | None = None
    claims: Entries = ()
    citations: Entries = ()
    documents: Entries = ()


class TextChecked(Paged):
    findings: Entries = ()
    references: Entries = ()
    notes: tuple[str, ...] = ()


class Heading(Output):
    heading: str
    reason: str


class QueryPlanned(Paged):
    query: str | None = None
    url: str | None = None
    terms: tuple[Heading, ...] = ()
    notes: tuple[str, ...] = ()
    planner: str | None = None


class MeshTerms(Paged):
    terms: Entries


class PhenotypeTerms(Paged):
    terms: Entries
    quotes: Entries = ()


class GoesOn(Paged):
    """A later page, or the result of a job: the fields are those of the tool that is named."""

    tool: str
    """Other fields are those of this tool."""
    job: str | None = None
    state: Literal["queued", "running", "done", "failed", "stopped"] | None = None
    words: str | None = None
