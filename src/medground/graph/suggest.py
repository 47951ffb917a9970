"""Wordings that the graph understands, about the names in a question that it did not understand."""

from __future__ import annotations

from medground.graph.answer import find
from medground.graph.question import mentions, read_question
from medground.graph.relation import ConceptKind
from medground.graph.store import GraphStore

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
    own = [example.format(**named) for example in _EXAMPLES if _fits(example, named)]
    working = [wording for wording in own if _answered(store, wording)]
    return tuple(working[:_SUGGESTED]) or _examples()


def _fits(example: str, named: dict[str, str]) -> bool:
    return all(slot in named for slot in _SLOTS if f"{{{slot}}}" in example)


def _answered(store: GraphStore, wording: str) -> bool:
    question = read_question(store, wording)
    found = find(store, question) if question is not None else None
    return found is not None and bool(found.facts)


def _examples() -> tuple[str, ...]:
    return tuple(example.format(**_WITHOUT_NAMES) for example in _EXAMPLES[:_SUGGESTED])
