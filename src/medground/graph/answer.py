"""Answer a question from the graph: a finding whose facts are stored relations and nothing more."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from medground.graph import lists
from medground.graph.features import diseases_with, feature, profile
from medground.graph.question import GraphQuestion, mentions, read_question
from medground.graph.relation import ConceptKind, StatedAt, sentence
from medground.graph.store import GraphStore
from medground.values.graph import GraphFact, GraphFinding
from medground.values.graph import RelationKind as Asked


def find(store: GraphStore, question: GraphQuestion) -> GraphFinding | None:
    """Look up a question in the graph. None if the graph has nothing to say about it.

    Raises:
        SnapshotCorrupt: the graph cannot be read.
    """
    finding = _FINDERS[question.relation](store, question)
    if finding is not None and question.asked.only_recorded and finding.status != "recorded":
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


# Wordings that the graph understands, about the names in a question that it did not understand.

_SUGGESTED = 3
_EXAMPLES = (
    "Is {p} a feature of {d}?",
    "How is {d} inherited?",
    "What are the features of {d}?",
    "Which genes are associated with {d}?",
    "Which diseases have {p}?",
    "What is {p}?",
    "Which diseases are caused by {g} mutations?",
    "When does {d} begin?",
)
_WITHOUT_NAMES = {"p": "ectopia lentis", "d": "Marfan syndrome", "g": "FBN1"}
_SLOTS: dict[str, ConceptKind] = {"p": "phenotype", "d": "disease", "g": "gene"}


def wordings(store: GraphStore, text: str) -> tuple[str, ...]:
    """Three questions that the graph answers: about the names in the text if it has any, else examples.

    Raises:
        SnapshotCorrupt: the graph cannot be read.
    """
    named: dict[str, str] = {}
    for mention in mentions(store, text):
        for slot, kind in _SLOTS.items():
            if concepts := mention.of(kind):
                named.setdefault(slot, concepts[0].name)
                break
    fitting = (e for e in _EXAMPLES if all(slot in named for slot in _SLOTS if f"{{{slot}}}" in e))
    working = (wording for example in fitting if _answered(store, wording := example.format(**named)))
    own = tuple(islice(working, _SUGGESTED))
    return own or tuple(example.format(**_WITHOUT_NAMES) for example in _EXAMPLES[:_SUGGESTED])


def _answered(store: GraphStore, wording: str) -> bool:
    question = read_question(store, wording)
    found = find(store, question) if question is not None else None
    return found is not None and bool(found.facts)
