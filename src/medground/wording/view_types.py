"""What a page, a notebook or an agent is shown of an answer: plain values, with the words of the terminal.

All text is cleaned of control characters and is not escaped. Offsets count code points.
"""

from datetime import datetime
from typing import Any, Literal, TypeVar

from medground.values.decision import Basis, ExactAnswer, NoticeKind, Status
from medground.values.document import Described, Frozen, Retraction, SourceKind
from medground.values.evidence import Origin, Stance
from medground.values.question import Option, Task
from medground.values.report import FlowRow, Relation, SectionKind, SubAnswerState
from medground.values.research_plan import ResearchPlan
from medground.values.statement import Dropped, Label
from medground.values.usage import UsageReport
from medground.wording.blocks import Style

Shape = Literal["check", "half", "cross", "quote", "wave", "gap", "ring", "alert", "dot"]
"""A sign for each label, so that no verdict is shown by its colour alone."""


class VerdictView(Described):
    """The verdict on a statement: its words, and how it looks. `deciding` is the quote that decided it, if the citation
    marks of the sentence do not tell."""

    text: str
    label: Label
    shape: Shape
    glyph: str
    """the shape as one character"""
    plain: bool = False
    """whether the shape says all that the words do"""
    style: Style
    words: str
    deciding: str | None = None
    category: str = ""


class SentenceView(Described):
    """A written sentence: `rationale[start:end]`. `citations` are ids of evidence, `section` is one of the report."""

    text: str
    start: int
    end: int
    citations: tuple[str, ...] = ()
    web: bool = False
    """whether it is from web pages alone"""
    section: int | None = None
    verdicts: tuple[VerdictView, ...] = ()


class EvidenceView(Described):
    """A quote: the citation is `document_id`, `start`, `end`, the same everywhere."""

    id: str
    document_id: str
    start: int
    end: int
    quote: str
    place: str = ""
    """section and page in its paper"""
    study: str = ""
    """design and year of its paper"""
    stance: Stance = "unknown"
    origin: Origin = "text"


class DocumentView(Described):
    """A source of the answer. `url` is safe to link to, or empty."""

    id: str
    number: int
    title: str
    year: int | None = None
    journal: str = ""
    authors: tuple[str, ...] = ()
    design: str = ""
    kind: SourceKind
    retraction: Retraction = "none"
    aside: str = ""
    """why it is not evidence, such as `retracted`; empty if it may be"""
    retraction_words: str = ""
    cautions: tuple[str, ...] = ()
    url: str = ""
    reference: str
    licence: str = ""
    source: str = ""
    evidence: tuple[str, ...] = ()


class SideView(Frozen):
    """One side of a disagreement."""

    name: str
    stance: Stance
    evidence: tuple[str, ...]


class ConflictView(Frozen):
    """Sources that disagree."""

    about: str
    words: str
    sides: tuple[SideView, ...]


class FactView(Frozen):
    """A relation that a knowledge graph states; `frequency` is empty where none applies."""

    subject: str
    relation: str
    object: str
    frequency: str = ""
    references: tuple[str, ...] = ()
    evidence: str


class SearchView(Described):
    """One query to one source; `words` say what it found, or why it failed."""

    source: str
    name: str
    """the source as readers know it"""
    query: str
    status: Literal["found", "empty", "failed"]
    hits: int = 0
    words: str
    node: str = ""


class NoticeView(Frozen):
    """Where to turn, shown before anything else."""

    kind: NoticeKind
    sentence: str
    stops: bool


class SectionView(Frozen):
    """A section of a report; `sentences` are places in the answer's list of sentences."""

    kind: SectionKind
    title: str
    subquestion: str = ""
    notes: tuple[str, ...] = ()
    sentences: tuple[int, ...] = ()


class SubAnswerView(Frozen):
    """What became of a sub-question."""

    id: str
    text: str
    state: SubAnswerState
    words: str
    evidence: tuple[str, ...] = ()


class ConnectionView(Frozen):
    """How two sub-answers hang together."""

    first: str
    second: str
    relation: Relation
    words: str
    found_by: str
    evidence: tuple[str, ...] = ()


class FileView(Frozen):
    """A file of a report."""

    name: str
    title: str
    media_type: str
    size: int
    words: str
    document_id: str | None = None
    licence: str = ""


class ReportView(Described):
    """The parts of a report."""

    plan: ResearchPlan
    order: str = ""
    """which sub-questions were searched after which, in words"""
    sections: tuple[SectionView, ...] = ()
    subanswers: tuple[SubAnswerView, ...] = ()
    connections: tuple[ConnectionView, ...] = ()
    flow: tuple[FlowRow, ...] = ()
    files: tuple[FileView, ...] = ()
    read: tuple[str, ...] = ()
    """ids of documents that were read and are not cited"""


class ChosenView(Frozen):
    """What was chosen to be searched, by the names that a question takes."""

    corpora: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


class AnswerView(Described):
    """An answer as it is shown."""

    trace_id: str
    id: str
    question: str
    task: Task
    options: tuple[Option, ...] = ()
    follows: str | None = None
    """trace id of the answer that it follows"""
    read_as: str = ""
    context: str = ""
    recipe: str
    models: tuple[str, ...] = ()
    corpora: tuple[str, ...] = ()
    """names of the snapshots that were searched"""
    chosen: ChosenView | None = None
    """what a server was told to search; null for all that it searches by default"""
    created: datetime
    notice: NoticeView | None = None
    status: Status
    value: str | None = None
    exact_answer: ExactAnswer = None
    basis: Basis | None = None
    probability: float | None = None
    headline: str
    reason: str = ""
    nearby: tuple[str, ...] = ()
    """questions to ask instead, where nothing was found"""
    unsearched: tuple[str, ...] = ()
    """corpora to search too, where nothing was found"""
    support: str = ""
    support_share: float | None = None
    rationale: str = ""
    sentences: tuple[SentenceView, ...] = ()
    evidence: tuple[EvidenceView, ...] = ()
    documents: tuple[DocumentView, ...] = ()
    conflicts_heading: str = ""
    conflicts: tuple[ConflictView, ...] = ()
    facts: tuple[FactView, ...] = ()
    searches: tuple[SearchView, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    notes: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    """queries, hashes and the trace, for an engineer"""
    cost: str
    usage: UsageReport
    report: ReportView | None = None
    stopped: str = ""


V = TypeVar("V", bound=Frozen)


def taken(view: type[V], value: object, /, **more: Any) -> V:
    """What a view takes of a value that has fields of its names, as they are; `more` are those that it has not so."""
    known = {name: getattr(value, name) for name in view.model_fields if name not in more and hasattr(value, name)}
    return view(**known, **more)
