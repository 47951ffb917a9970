"""What a knowledge graph says to a question."""

from __future__ import annotations

from typing import Literal

from medground.document import DocumentId, Frozen

RelationKind = Literal[
    "feature of", "frequency of", "diseases with", "genes of", "features of", "diseases of gene", "definition of"
]
FindingStatus = Literal["recorded", "excluded", "seen in none", "not recorded"]
"""`excluded`: stored with the qualifier NOT, or with the frequency "excluded". `seen in none`: counted in none of some
patients, which is no "no". Nor is `not recorded`: the graph is silent."""


class GraphFact(Frozen):
    """A stored relation as a sentence of ours, and the line of a graph document that states it."""

    sentence: str
    document_id: DocumentId
    start: int
    end: int
    references: tuple[str, ...] = ()
    """What the annotation itself rests on: `PMID:...`, `OMIM:...`, `ORPHA:...`."""
    excluded: bool = False
    """Absent as stored: ruled out, or seen in none of the patients that were counted."""
    ruled_out: bool = False
    """Stored as not belonging to the disease, whoever was counted."""


class GraphFinding(Frozen):
    """The graph's word on a question that asks for a stored relation.

    `concepts` are the readings of the question ("Marfan syndrome (OMIM:154700)"); several matching diseases are all
    in `facts`. `note` is a line for the reader, such as "not recorded in HPO 2025-01-16".
    """

    relation: RelationKind
    status: FindingStatus
    concepts: tuple[str, ...] = ()
    facts: tuple[GraphFact, ...] = ()
    note: str = ""
    answer: str = ""
    """Short answer to an open question, such as "COL5A1, COL5A2"; empty where the facts' sentences are the answer."""
    graph: str = ""
    """Name and version of the graph, such as `HPO 2025-01-16`."""
