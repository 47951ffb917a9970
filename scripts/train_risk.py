"""Learns the weights of words that show a person at risk.

    python scripts/train_risk.py SHARED_DATA_FOLDER

Reads `tests/risk/wordings.tsv` and every second real question of `benchmarks/risk.py`, chosen by its checksum, so that
false alarms on the other half are honest. Writes `src/medground/risk/weights.tsv`. Nothing is random.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from medground.risk.weighing import KINDS, signs
from medground.risk.words import plain

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))

from risk import real, trained_on  # noqa: E402

TARGET = ROOT / "src" / "medground" / "risk" / "weights.tsv"
SMALLEST = 0.05
"""Weights below it are left out."""


def main() -> None:
    """Fit the model and write its weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--without", nargs="*", default=[], help="Rounds of wordings to leave out.")
    given = parser.parse_args()
    text = (ROOT / "tests" / "risk" / "wordings.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    written = [(kind, words) for kind, group, words in rows if group not in given.without]
    harmless = sorted({q for questions in real(given.folder).values() for q in questions if trained_on(q)})
    texts = [plain(words) for _, words in written] + [plain(words) for words in harmless]
    kinds = [kind for kind, _ in written] + ["none"] * len(harmless)
    vocabulary = sorted(set().union(*(signs(plain(words)) for kind, words in written if kind != "none")))
    counter = CountVectorizer(analyzer=signs, vocabulary=vocabulary, binary=True)
    weights = [1.0] * len(written) + [0.1] * len(harmless)
    model = LogisticRegression(C=1.0, max_iter=1000).fit(counter.transform(texts), kinds, sample_weight=weights)
    order = list(model.classes_)
    columns = [order.index(kind) for kind in KINDS]
    none = order.index("none")
    against = np.column_stack([model.coef_[c] - model.coef_[none] for c in columns])
    bias = [model.intercept_[c] - model.intercept_[none] for c in columns]
    lines = ["\t".join(("# sign", *KINDS)), _line("", bias)]
    lines += [_line(sign, row) for sign, row in zip(vocabulary, against, strict=True) if abs(row).max() >= SMALLEST]
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(written)} wordings, {len(harmless):,} real questions, {len(lines) - 2:,} signs: {TARGET}")


def _line(sign: str, weights: Iterable[float]) -> str:
    return "\t".join([sign, *(f"{weight:.2f}" if abs(weight) >= SMALLEST else "" for weight in weights)])


if __name__ == "__main__":
    main()
