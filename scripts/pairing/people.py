"""Pairs that people labelled: the sets of the folder `nli` that may be trained on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zlib import crc32

from medground.language.sentences import sentence_spans
from pairing.lines import lines
from pairing.pair import Label, Pair, Weights

_LABELS: Mapping[str, Label] = {"support": "entails", "refute": "contradicts", "neutral": "neutral"}
_LOOSE: Mapping[str, Label] = {"support": "entails", "refute": "contradicts", "neutral": "unsupported"}
_WEAK: Mapping[str, Label] = {"support": "entails", "refute": "unsupported", "neutral": "neutral"}
MOST_WORDS = 75
"""Longer premises are cut to the sentences that share most words with the statement."""


@dataclass(frozen=True)
class Set:
    """A set. `labels` says what its labels are worth; one in `fold` groups is kept for validation."""

    name: str
    labels: Mapping[str, Label] = field(default_factory=lambda: _LABELS)
    fold: int = 0

    def label(self, row: Mapping[str, Any]) -> Label:
        """The label of a row."""
        return self.labels[row["label"]]


GENERAL = tuple(map(Set, ("mnli_taxinli", "sanli_wiki", "snli_cad", "negnli", "fever_symmetric", "fm2")))
MEDICAL = (
    Set("evidence_inference_v2_templates", fold=20),
    Set("ei_distant_conclusions", fold=20),
    Set("check_covid", fold=8),
    Set("clinifact", _WEAK),
    Set("wice", _LOOSE),
    Set("factcheck_gpt", _LOOSE),
    Set("summedits_scitldr", _WEAK),
)
MEASURE_ONLY = ("nli4ct2023_evidence", "healthver_abs", "insciout_exaggeration")
"""No shipped weights may be trained on these."""
HELD_OUT: Mapping[str, frozenset[str]] = {
    "check_covid": frozenset(("dev",)),
    "evidence_inference_v2_templates": frozenset(("validation",)),
    "clinifact": frozenset(("dev",)),
    "snli_cad": frozenset(("dev",)),
}
"""Splits that are never trained on."""
Fair = Callable[[Mapping[str, Any]], bool]


def rows(data: Path, name: str) -> Iterator[dict[str, Any]]:
    """The rows of a set."""
    yield from lines(data / "nli" / f"{name}.jsonl.gz")


def held_out(name: str, row: Mapping[str, Any]) -> bool:
    """Whether a row may only be measured."""
    return name in MEASURE_ONLY or row.get("split") in HELD_OUT.get(name, frozenset())


def kept(one: Set, row: Mapping[str, Any]) -> bool:
    """Whether a row of the training part is kept for choosing between models, by its group."""
    return bool(one.fold) and crc32(str(row["group"]).split(":")[-1].encode()) % one.fold == 0


def pairs(data: Path, one: Set, weights: Weights, fair: Fair) -> Iterator[tuple[Pair, bool]]:
    """The pairs of a set that may be trained on, and whether each is kept for validation."""
    for row in rows(data, one.name):
        if not held_out(one.name, row) and fair(row):
            premise = cut(row["premise"], row["hypothesis"], weights)
            yield Pair(premise, row["hypothesis"], one.label(row), one.name), kept(one, row)


def cut(premise: str, statement: str, weights: Weights, most: int = MOST_WORDS) -> str:
    """A premise of at most about `most` words: its sentences that share most words with the statement, in order."""
    text = " ".join(premise.split())
    if len(text.split()) <= most:
        return text
    sentences: Sequence[str] = [text[start:end] for start, end in sentence_spans(text)]
    return " ".join(sentences[i] for i in weights.best(statement, sentences, len(sentences), most))
