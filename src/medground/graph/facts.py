"""Facts of a finding, their order, and how many of them are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from medground.graph.finding import FindingStatus, GraphFact, GraphFinding
from medground.graph.names import name_key
from medground.graph.question import GraphQuestion
from medground.graph.relation import Concept, Relation, StatedAt
from medground.graph.store import GraphStore
from medground.graph.wording import sentence

_LISTS = ("features of", "excluded features of", "onset of", "definition of", "profile")

SHOWN = 12
"""Maximum number of facts in a finding; the note gives the total."""


def finding_of(
    store: GraphStore,
    question: GraphQuestion,
    facts: Sequence[GraphFact],
    notes: Iterable[str] = (),
    *,
    status: FindingStatus | None = None,
    answer: str = "",
) -> GraphFinding:
    """A finding of the first facts; without any, it is `not recorded` unless a status says otherwise."""
    status = status or ("recorded" if facts else "not recorded")
    said = [note for note in notes if note] or [f"not recorded in {store.name}"] * (status == "not recorded")
    return GraphFinding(
        relation=question.relation,
        status=status,
        concepts=tuple(c.label for c in (*question.phenotypes, *question.genes, *question.diseases)),
        names=tuple(tuple(dict.fromkeys((m.text, *(c.name for c in m.concepts)))) for m in question.asked.mentions),
        facts=tuple(facts[:SHOWN]),
        note="; ".join((*question.read_as, *said)),
        answer=answer,
        closed=_closed(question, status),
        graph=store.name,
    )


def _closed(question: GraphQuestion, status: FindingStatus) -> Literal["yes", "no", ""]:
    """What a status says to a closed question; a question for a list is not closed, however it begins."""
    if question.relation in _LISTS:
        return ""
    return "yes" if status == "recorded" else "no" if status == "excluded" else ""


def fact_of(relation: Relation, asked: Concept | None = None) -> GraphFact:
    """A relation as a fact; `asked` is the phenotype of the question if the relation is stored for another."""
    place = relation.place or StatedAt("", 0, 0)
    return GraphFact(
        sentence=sentence(relation, asked),
        document_id=place.document_id,
        start=place.start,
        end=place.end,
        references=relation.references,
        excluded=relation.excluded,
        ruled_out=relation.ruled_out,
    )


def one_each(relations: Iterable[Relation], key: Callable[[Relation], str]) -> list[Relation]:
    """The first relation for each key."""
    first: dict[str, Relation] = {}
    for relation in relations:
        first.setdefault(key(relation), relation)
    return list(first.values())


def in_turns(relations: Sequence[Relation], subjects: Sequence[Concept]) -> list[Relation]:
    """The relations with the subjects taking turns, so that one entry does not crowd out the others."""
    turns = [[r for r in relations if r.subject.id == subject.id] for subject in subjects]
    return [turn[i] for i in range(max(map(len, turns), default=0)) for turn in turns if i < len(turn)]


def names_of(concepts: Iterable[Concept]) -> set[str]:
    """The keys of their names."""
    return {name_key(concept.name) for concept in concepts}


def labels(concepts: Sequence[Concept]) -> str:
    """Three labels at most, and how many more there are."""
    shown = ", ".join(concept.label for concept in concepts[:3])
    return f"{shown} and {len(concepts) - 3} more" if len(concepts) > 3 else shown


def counted(shown: int, total: int, what: str) -> str:
    """`12 of 170 diseases shown`; empty if there are none."""
    return f"{min(shown, total):,} of {total:,} {what} shown" if total else ""
