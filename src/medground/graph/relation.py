"""What a graph stores: concepts and the relations between them, and how a relation is put into words."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from math import sqrt
from typing import Any, Literal, NamedTuple

from medground.home.files import tables
from medground.language.sentences import sentence_spans

ConceptKind = Literal["phenotype", "disease", "gene", "modifier"]
"""`modifier`: a term of the ontology that is not an abnormality (a mode of inheritance, an onset, a severity)."""

Predicate = Literal["feature", "inheritance", "course", "modifier", "history", "gene", "definition"]
"""Read as: `subject` has `predicate` `object`. A definition has its own concept as object."""

Scope = Literal["name", "exact", "abbreviation", "related", "broad", "narrow", "xref"]
"""How close a name is to its concept. Only the first three identify it, and `xref`: its id elsewhere."""


class Concept(NamedTuple):
    """A node of the graph, such as `HP:0001083` Ectopia lentis."""

    id: str
    name: str
    kind: ConceptKind
    definition: str = ""

    @property
    def label(self) -> str:
        """`Marfan syndrome (OMIM:154700)`."""
        return f"{self.name} ({self.id})"


class Name(NamedTuple):
    """A name or synonym of a concept."""

    text: str
    scope: Scope


class Frequency(NamedTuple):
    """The share of patients: `low` and `high` from 0 to 1, and the `text` that the source stores."""

    text: str
    words: str
    low: float
    high: float
    patients: int | None = None

    @property
    def least(self) -> float:
        """A cautious estimate of the share, from 0 to 1: 1 of 1 patients counts for less than 45 of 58.

        The lower end of the 95 % Wilson interval where patients were counted, else `low`.
        """
        if self.patients is None:
            return self.low
        n, z2 = self.patients, 1.96**2
        spread = 1.96 * sqrt(self.low * (1 - self.low) / n + z2 / (4 * n * n))
        return max(0.0, (self.low + z2 / (2 * n) - spread) / (1 + z2 / n))


_TERMS: Mapping[str, Sequence[Any]] = tables("graph", "words")["frequencies"]
_COUNT = re.compile(r"(\d+)/(\d+)")
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)%")


@cache
def frequency(text: str) -> Frequency | None:
    """Read a stored frequency: `119/251`, `45%` or a term of the ontology. None if it cannot be read."""
    if text in _TERMS:
        words, low, high = _TERMS[text]
        return Frequency(text, words, low, high)
    if (count := _COUNT.fullmatch(text)) and 0 <= int(count[1]) <= int(count[2]) > 0:
        share = int(count[1]) / int(count[2])
        return Frequency(text, f"{int(count[1])} of {int(count[2])} patients", share, share, int(count[2]))
    if (percent := _PERCENT.fullmatch(text)) and float(percent[1]) <= 100:
        share = float(percent[1]) / 100
        return Frequency(text, f"{text} of patients", share, share)
    return None


class StatedAt(NamedTuple):
    """Where a document states a relation: `document.text[start:end]` is that line."""

    document_id: str
    start: int
    end: int


class Relation(NamedTuple):
    """A stored relation. `negated` is the qualifier NOT; `onset` and `modifiers` are names of terms."""

    subject: Concept
    predicate: Predicate
    object: Concept
    frequency: Frequency | None = None
    negated: bool = False
    sex: str = ""
    onset: str = ""
    modifiers: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    place: StatedAt | None = None

    @property
    def excluded(self) -> bool:
        """Stored as absent: ruled out, or seen in none of the patients examined."""
        return self.negated or (self.frequency is not None and self.frequency.high == 0)

    @property
    def ruled_out(self) -> bool:
        """Stored with NOT, or with the term "excluded", and not limited to a sex, an onset or a modifier."""
        absent = self.negated or (self.frequency is not None and self.frequency.text == "HP:0040285")
        return absent and not (self.sex or self.onset or self.modifiers)


def by_frequency(relation: Relation) -> tuple[float, str, str]:
    """Sort key: most frequent first, unknown frequencies last, ties in a fixed order."""
    share = relation.frequency
    return (-share.least if share else 1.0, relation.object.id, relation.subject.id)


def line(relation: Relation) -> str:
    """The line that states a relation in a document of its subject, with frequency and references."""
    if relation.predicate == "definition":
        return relation.subject.definition
    if relation.predicate == "gene":
        return f"{relation.object.label}: associated gene."
    details = [part for part in (_stated(relation), *extras(relation)) if part]
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
        text = relation.subject.definition
        spans = sentence_spans(text)
        return f"{subject} is defined as: {text[slice(*spans[0])] if spans else text}"
    if relation.predicate == "gene":
        return f"{thing} is recorded as a gene associated with {subject}."
    if asked is not None and asked.id != relation.object.id:
        kinship = f"of which {asked.name} is a kind" if relation.excluded else f"a kind of {asked.name}"
        thing = f"{thing}, {kinship},"
    extra = "".join(f" ({part})" for part in extras(relation))
    if relation.negated:
        return f"{thing} is recorded as not being a feature of {subject}{extra}."
    found = relation.frequency
    if relation.excluded and found is not None and not found.text.startswith("HP:"):
        return f"{thing} was seen in {found.words} with {subject}{extra}."
    return f"{thing} is recorded as {_ROLE[relation.predicate]} {subject}{_share(relation)}{extra}."


_ROLE: Mapping[str, str] = tables("graph", "words")["roles"]


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


def extras(relation: Relation) -> tuple[str, ...]:
    """What limits the relation: a sex, an onset, modifiers."""
    if not (relation.sex or relation.onset or relation.modifiers):
        return ()
    sex = [f"recorded for {relation.sex}s"] if relation.sex else []
    onset = [f"onset: {relation.onset}"] if relation.onset else []
    return (*sex, *onset, *relation.modifiers)
