"""PubMedQA's records, and a share with its interval: what several benchmarks read and print."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from medground_evaluate.statistics import wilson

FILE = "pqa_l.jsonl.gz"
Record = Mapping[str, Any]


def read(folder: Path, split: str) -> list[Record]:
    """Records of one split, in the order of the file; `train` is every record outside the test split."""
    with gzip.open(folder / FILE, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return [r for r in records if (r["split"] == "test") == (split == "test")]


def shown(right: Sequence[bool]) -> str:
    """A share with its 95 % Wilson interval."""
    low, high = wilson(sum(right), len(right))
    share = sum(right) / len(right) if right else float("nan")
    return f"{share:6.1%} [{low:.1%}, {high:.1%}] of {len(right)}"
