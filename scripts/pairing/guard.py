"""Keeps what is measured out of what is trained on, by the words themselves.

Cutting by identifiers does not notice that two sets quote the same abstract. So a training text is refused if it has
ten words in a row, or a whole statement, in common with a text that a measurement reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from real_sentences import abstracts

from pairing.lines import lines
from pairing.people import HELD_OUT, MEASURE_ONLY, held_out, rows

RUN = 10
_WORD = re.compile(r"[a-z0-9]+")


class Guard:
    """What may not be trained on."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._runs = {run for text in texts for run in _runs(text)}

    def allows(self, *texts: str) -> bool:
        """Whether none of these texts repeats a guarded one."""
        return not any(run in self._runs for text in texts for run in _runs(text))


def _runs(text: str) -> Iterator[int]:
    """A hash of each run of words, or of the whole text if it is shorter."""
    words = _WORD.findall(text.lower())
    for start in range(max(1, len(words) - RUN + 1)):
        if len(words) >= 4:
            yield hash(tuple(words[start : start + RUN]))


def measured(data: Path) -> Iterator[str]:
    """Every text that a measurement or the choice of a model reads."""
    for name in (*MEASURE_ONLY, *HELD_OUT):
        for row in rows(data, name):
            if held_out(name, row):
                yield from (row["premise"], row["hypothesis"])
    for folder in ("scifact", "pubmedqa", "evidence_inference"):
        for abstract in abstracts(data / folder, "held out"):
            yield from abstract.sentences
    yield from (claim["claim"] for claim in lines(data / "scifact" / "claims_dev.jsonl"))
    for prompt in lines(data / "evidence_inference" / "prompts_labelled.jsonl.gz"):
        if prompt["split"] != "train":
            yield from (annotation["evidence"] for annotation in prompt["annotations"])
