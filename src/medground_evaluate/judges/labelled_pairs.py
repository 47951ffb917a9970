"""The test of a judge: the same few hundred pairs of text and statement for everyone, from sets that are measured only.

None of them trains anything that ships. They are public, so a hosted model may have seen them: a pass is necessary
proof, not sufficient.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple
from zlib import crc32

from medground.answering.verify.judges import SETS as LEAST_SETS
from medground.errors import UsageError
from medground_evaluate.datasets.literature import SCIFACT
from medground_evaluate.datasets.loader import json_lines

Truth = Literal["support", "refute", "neutral"]
PER_SET: Mapping[Truth, int] = {"support": 24, "refute": 24, "neutral": 12}
"""Pairs of each label in a set. Half of those that decide support, so that guessing is right half of the time."""
_TRUTHS: Mapping[str, Truth] = {"SUPPORT": "support", "CONTRADICT": "refute"}


class LabelledPair(NamedTuple):
    """A statement, the text to judge it by, and the truth. `group`: pairs of one share a document or a claim."""

    id: str
    dataset: str
    group: str
    text: str
    statement: str
    truth: Truth


def _scifact(data: Path, name: str) -> Iterator[LabelledPair]:
    """Development claims, each with every abstract that it cites."""
    for item in SCIFACT.read(data / "scifact", "validation"):
        for document in item.context:
            number = document.id.partition(":")[2]
            given = item.extra["evidence"].get(number)
            truth = _TRUTHS[given[0]["label"]] if given else "neutral"
            yield LabelledPair(f"{item.id}-{number}", name, number, document.text, item.question.text, truth)


def _nli(file: str, split: str | None) -> Callable[[Path, str], Iterator[LabelledPair]]:
    def read(data: Path, name: str) -> Iterator[LabelledPair]:
        path = data / "nli" / f"{file}.jsonl.gz"
        for where, row in json_lines(path):
            try:
                if split in (None, row.get("split")):
                    text = " ".join(row["premise"].split())
                    yield LabelledPair(row["id"], name, row["group"], text, row["hypothesis"], row["label"])
            except (KeyError, AttributeError) as error:
                raise UsageError(f"{where}: not a labelled pair ({error}); copy the file again") from None

    return read


_PLACES: Mapping[str, tuple[str, Callable[[Path, str], Iterator[LabelledPair]]]] = {
    "SciFact dev": ("scifact", _scifact),
    "Check-COVID dev": ("nli/check_covid.jsonl.gz", _nli("check_covid", "dev")),
    "Evidence Inference validation": (
        "nli/evidence_inference_v2_templates.jsonl.gz",
        _nli("evidence_inference_v2_templates", "validation"),
    ),
    "HealthVer dev": ("nli/healthver_abs.jsonl.gz", _nli("healthver_abs", None)),
    "NLI4CT evidence": ("nli/nli4ct2023_evidence.jsonl.gz", _nli("nli4ct2023_evidence", None)),
}
"""The sets by the names that answers use, each with its place in the data folder."""


def drawn_pairs(data: Path) -> list[LabelledPair]:
    """The pairs of the sets that are in a data folder, set by set.

    Raises:
        UsageError: the folder is missing, has too few of the sets for a proof, or a file is damaged.
    """
    if not data.is_dir():
        raise UsageError(f"{data} is not a folder; give the folder of scifact/ and nli/ with --data")
    there = [name for name, (place, _) in _PLACES.items() if (data / place).exists()]
    if "SciFact dev" not in there or len(there) < LEAST_SETS:
        missing = ", ".join(place for name, (place, _) in _PLACES.items() if name not in there)
        raise UsageError(
            f"{data} lacks {missing}; a proof needs scifact and {LEAST_SETS - 1} sets of nli (see its README)"
        )
    return [pair for name in there for pair in _drawn(list(_PLACES[name][1](data, name)), name)]


def _drawn(pairs: Iterable[LabelledPair], name: str) -> list[LabelledPair]:
    """The fixed draw of a set: by the checksum of ids, of each group one before any second."""
    ordered = sorted(pairs, key=lambda pair: (crc32(pair.id.encode()), pair.id))
    used: set[str] = set()
    found: list[LabelledPair] = []
    for truth, most in PER_SET.items():
        of_it = [pair for pair in ordered if pair.truth == truth]
        fresh: list[LabelledPair] = []
        again: list[LabelledPair] = []
        for pair in of_it:
            (again if pair.group in used else fresh).append(pair)
            used.add(pair.group)
        found += [*fresh, *again][:most]
    if not {"support", "refute"} <= {pair.truth for pair in found}:
        raise UsageError(f"{name} has no pairs of both kinds, supported and refuted; copy the data again")
    return sorted(found, key=lambda pair: crc32(pair.id.encode()))
