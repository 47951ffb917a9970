"""What each tool gives: the types behind the output schemas. A field without a value is left out."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from medground.faces.mcp.pages import Status
from medground.values.decision import Status as DecisionStatus
from medground.values.document import Retraction

_Whole = WithJsonSchema({"type": "array"})
Entries = Annotated[tuple[dict[str, Any], ...], _Whole]
"""A list whose entries say themselves what they are: their schema would cost every client tokens on each call."""

Named = Annotated[Retraction, WithJsonSchema({"type": "string"})]


class Output(BaseModel):
    """Base of what tools give."""

    model_config = ConfigDict(frozen=True)


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
    citations: tuple[str, ...] = Field(description="ids of citations")
    label: str
    verdict: str


class AnswerOrJob(Paged):
    """An answer, or the job that is still at work on it."""

    job: str | None = Field(default=None, description="Still running: call get_job.")
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


class Researched(Paged):
    """A report has the fields of an answer, and the titles of its sections."""

    model_config = ConfigDict(frozen=True, extra="allow")
    job: str | None = Field(default=None, description="Still running: call get_job. Other fields are those of ask.")


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


class OneOfMany(Output):
    """An entry of a batch."""

    status: Status
    error: str | None = None
    next: str | None = None


class Piece(OneOfMany):
    """A document, or a slice of a long one."""

    id: str
    title: str | None = None
    retraction: Named | None = None
    year: int | None = None
    journal: str | None = None
    design: str | None = None
    url: str | None = None
    sections: Entries = ()
    start: int | None = None
    end: int | None = None
    text: str | None = None


class DocumentsFound(Paged):
    documents: Annotated[tuple[Piece, ...], _Whole]


class PapersFound(Paged):
    papers: Entries


class RelatedFound(Paged):
    documents: Entries


class Checked(OneOfMany):
    """A statement of a claim, which is numbered from 1 as it was given."""

    claim: int
    text: str
    label: str | None = None
    verdict: str | None = None
    citations: tuple[str, ...] = ()


class ClaimsChecked(Paged):
    job: str | None = None
    claims: Annotated[tuple[Checked, ...], _Whole] = ()
    citations: Annotated[tuple[Citation, ...], _Whole] = ()
    documents: Annotated[tuple[Source, ...], _Whole] = ()


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


class Term(OneOfMany):
    """What is known of a term, and what is above and below it."""

    term: str
    id: str | None = None
    broader: tuple[str, ...] = ()
    narrower: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()


class MeshFound(Term):
    heading: str | None = None
    entry_terms: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()


class MeshTerms(Paged):
    terms: Annotated[tuple[MeshFound, ...], _Whole]


class Phenotype(Term):
    matched_by: str | None = None
    name: str | None = None
    synonyms: tuple[str, ...] = ()
    source: str | None = None


class PhenotypeTerms(Paged):
    terms: Annotated[tuple[Phenotype, ...], _Whole]
    quotes: Annotated[tuple[Quote, ...], _Whole] = ()


class GoesOn(Paged):
    """A later page, or the result of a job: the fields are those of the tool that is named."""

    tool: str = Field(description="Other fields are those of this tool.")
    job: str | None = None
    state: Literal["queued", "running", "done", "failed", "stopped"] | None = None
    words: str | None = None
