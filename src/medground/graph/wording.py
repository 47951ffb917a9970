"""Put a relation into words: the line of a document that states it, and the sentence of a fact."""

from __future__ import annotations

import re
from typing import NamedTuple

from medground.graph.relation import Concept, Relation
from medground.text.sentences import sentence_spans


def line(relation: Relation) -> str:
    """The line that states a relation in a document of its subject, with frequency and references."""
    if relation.predicate == "definition":
        return relation.subject.definition
    if relation.predicate == "gene":
        return f"{relation.object.label}: associated gene."
    details = [part for part in (_stated(relation), *_extras(relation)) if part]
    parts = [", ".join(details)] * bool(details) + [", ".join(relation.references)] * bool(relation.references)
    return f"{relation.object.label}: {'; '.join(parts)}." if parts else f"{relation.object.label}."


class Stated(NamedTuple):
    """What a line states of its subject: the object, its frequency with what limits it, and the references."""

    object: str
    details: str = ""
    references: tuple[str, ...] = ()


_OBJECT = re.compile(r"(?P<object>.*? \([A-Za-z][\w.-]*:[^\s()]+\))(?:: (?P<rest>.*))?")
_REFERENCES = re.compile(r"[A-Za-z][\w.-]*:\S+(?:, [A-Za-z][\w.-]*:\S+)*")


def read_line(text: str) -> Stated:
    """A line that states a relation, read again. Text in another form, such as a definition, is all object."""
    found = _OBJECT.fullmatch(text.strip().removesuffix("."))
    if found is None:
        return Stated(text.strip())
    details, _, last = (found["rest"] or "").rpartition("; ")
    if not _REFERENCES.fullmatch(last):
        return Stated(found["object"], found["rest"] or "")
    return Stated(found["object"], details, tuple(last.split(", ")))


def sentence(relation: Relation, asked: Concept | None = None) -> str:
    """A complete sentence that states one relation and nothing more.

    `asked` is the phenotype of the question if the relation is stored for a more specific or a more general one.
    """
    subject, thing = relation.subject.label, relation.object.name
    if relation.predicate == "definition":
        return f"{subject} is defined as: {_first_sentence(relation.subject.definition)}"
    if relation.predicate == "gene":
        return f"{thing} is recorded as a gene associated with {subject}."
    if asked is not None and asked.id != relation.object.id:
        kinship = f"of which {asked.name} is a kind" if relation.excluded else f"a kind of {asked.name}"
        thing = f"{thing}, {kinship},"
    extra = "".join(f" ({part})" for part in _extras(relation))
    if relation.negated:
        return f"{thing} is recorded as not being a feature of {subject}{extra}."
    found = relation.frequency
    if relation.excluded and found is not None and not found.text.startswith("HP:"):
        return f"{thing} was seen in {found.words} with {subject}{extra}."
    return f"{thing} is recorded as {_ROLE[relation.predicate]} {subject}{_share(relation)}{extra}."


_ROLE = {
    "feature": "a feature of",
    "inheritance": "a mode of inheritance of",
    "course": "an onset or course of",
    "modifier": "a clinical modifier of",
    "history": "a part of the medical history in",
}


def _stated(relation: Relation) -> str:
    if relation.negated:
        return "excluded, not a feature"
    if relation.frequency is not None:
        return relation.frequency.words
    return "frequency not recorded" if relation.predicate == "feature" else ""


def _share(relation: Relation) -> str:
    if relation.frequency is None:
        return ", frequency not recorded" if relation.predicate == "feature" else ""
    if relation.frequency.text.startswith("HP:"):
        return f", frequency: {relation.frequency.words}"
    return f", in {relation.frequency.words}"


def _extras(relation: Relation) -> tuple[str, ...]:
    """What limits the relation: a sex, an onset, modifiers."""
    if not (relation.sex or relation.onset or relation.modifiers):
        return ()
    sex = [f"recorded for {relation.sex}s"] if relation.sex else []
    onset = [f"onset: {relation.onset}"] if relation.onset else []
    return (*sex, *onset, *relation.modifiers)


def _first_sentence(text: str) -> str:
    spans = sentence_spans(text)
    return text[slice(*spans[0])] if spans else text
