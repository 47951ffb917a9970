"""What a knowledge graph says: about a question, and about a concept."""

from typing import Literal, NamedTuple

from medground.values.document import DocumentId, Frozen, Passage
from medground.values.shown import brief

RelationKind = Literal[
    "feature of",
    "frequency of",
    "diseases with",
    "genes of",
    "features of",
    "excluded features of",
    "diseases of gene",
    "definition of",
    "inheritance of",
    "onset of",
    "profile",
]
FindingStatus = Literal["recorded", "excluded", "seen in none", "not recorded"]
"""`excluded`: stored with the qualifier NOT, or with the frequency "excluded". `seen in none`: seen in none of the
patients examined. `not recorded`: the graph has no entry. Neither of the last two means "no"."""


class GraphFact(Frozen):
    """A stored relation, worded as a sentence, and the line of a graph document that states it."""

    sentence: str
    document_id: DocumentId
    start: int
    end: int
    references: tuple[str, ...] = ()
    """Sources of the annotation: `PMID:...`, `OMIM:...`, `ORPHA:...`."""
    excluded: bool = False
    """Stored as absent: ruled out, or seen in none of the patients counted."""
    ruled_out: bool = False
    """Stored as not belonging to the disease, with no restriction to some of the patients."""


class GraphFinding(Frozen):
    """The graph's answer to a question about a stored relation.

    `concepts` are the concepts that the question matches ("Marfan syndrome (OMIM:154700)"); if several diseases match,
    `facts` covers all of them. `note` is a line for the reader, such as "not recorded in HPO 2025-01-16".
    """

    relation: RelationKind
    status: FindingStatus
    concepts: tuple[str, ...] = ()
    names: tuple[tuple[str, ...], ...] = ()
    """For each name of the question: how it is written there, and the names of its concepts."""
    facts: tuple[GraphFact, ...] = ()
    note: str = ""
    answer: str = ""
    """Short answer to an open question, such as "COL5A1, COL5A2"; empty where the facts' sentences are the answer."""
    closed: Literal["yes", "no", ""] = ""
    """Answer to a closed question; empty where the facts decide none, or the question is open."""
    chooses: bool = False
    """Whether it is asked which of two it is, such as dominant or recessive, which no yes or no answers."""
    graph: str = ""
    """Name and version of the graph, such as `HPO 2025-01-16`."""


class Neighbour(NamedTuple):
    """A concept directly above or below another one."""

    id: str
    name: str


class ConceptEntry(NamedTuple):
    """A concept with its synonyms, and the concepts directly above and below it."""

    id: str
    name: str
    synonyms: tuple[str, ...] = ()
    above: tuple[Neighbour, ...] = ()
    below: tuple[Neighbour, ...] = ()


class ConceptFound(NamedTuple):
    """What a graph knows of a term.

    Attributes:
        term: as it was given.
        source: the graph, such as `graph:HPO 2025-01-16`.
        entries: the concepts that the term names; none if it names none.
        by: how the term names them: `id`, `name`, `exact` (a synonym), `related` and so on; empty if it names none.
        lines: what documents state about them, verbatim, the definition first.
        nearest: the names closest to a term that names no concept.
    """

    term: str
    source: str
    entries: tuple[ConceptEntry, ...] = ()
    by: str = ""
    lines: tuple[Passage, ...] = ()
    nearest: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return brief("ConceptFound", self._asdict().items())
