"""Answer a question from the graph: a finding whose facts are stored relations and nothing more."""

from __future__ import annotations

from collections.abc import Callable

from medground.graph import lists
from medground.graph.facts import SHOWN
from medground.graph.features import feature
from medground.graph.finding import GraphFact, GraphFinding
from medground.graph.finding import RelationKind as Asked
from medground.graph.profile import profile
from medground.graph.question import GraphQuestion
from medground.graph.ranking import diseases_with
from medground.graph.relation import StatedAt
from medground.graph.store import GraphStore
from medground.graph.wording import sentence

__all__ = ["SHOWN", "entails", "find"]


def find(store: GraphStore, question: GraphQuestion) -> GraphFinding | None:
    """Look up a question in the graph. None if the graph has nothing to say about it.

    Raises:
        SnapshotCorrupt: the graph cannot be read.
    """
    finding = _FINDERS[question.relation](store, question)
    if finding is not None and question.only_recorded and finding.status != "recorded":
        # "Associated with" and "causes" ask for more than a feature: its absence does not answer them.
        return finding.model_copy(update={"closed": ""})
    if finding is not None and question.asked.personal:
        note = "; ".join(filter(None, (finding.note, "what is recorded of patients decides nothing for one person")))
        return finding.model_copy(update={"closed": "", "note": note})
    return finding


def entails(store: GraphStore, fact: GraphFact) -> bool:
    """Whether the relation stored at a fact's location, read again, states the fact's sentence.

    Raises:
        SnapshotCorrupt: the graph cannot be read.
    """
    relation = store.stated_at(StatedAt(fact.document_id, fact.start, fact.end))
    if relation is None or relation.excluded != fact.excluded or relation.references != fact.references:
        return False
    if fact.sentence == sentence(relation):
        return True
    if relation.predicate in ("gene", "definition"):
        return False
    kin = store.descendants(relation.object.id) if relation.excluded else store.ancestors(relation.object.id)
    return any(fact.sentence == sentence(relation, asked) for asked in store.concepts(kin))


_FINDERS: dict[Asked, Callable[[GraphStore, GraphQuestion], GraphFinding | None]] = {
    "feature of": feature,
    "frequency of": feature,
    "diseases with": diseases_with,
    "genes of": lists.genes_of,
    "features of": lists.features_of,
    "excluded features of": lists.excluded_of,
    "diseases of gene": lists.diseases_of_gene,
    "definition of": lists.definition_of,
    "inheritance of": lists.inheritance_of,
    "onset of": lists.onset_of,
    "profile": profile,
}
