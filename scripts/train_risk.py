"""Learns the weights of words that show a person at risk.

    python scripts/train_risk.py SHARED_DATA_FOLDER

Reads `tests/risk/wordings.tsv` and every second real question of `benchmarks/risk.py` (of research and of patients),
chosen by its checksum, so that false alarms on the other half are honest. Writes
`src/medground/risk/weights.tsv`. Nothing is random.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from medground.language.risk.notices import KINDS, signs
from medground.language.risk.rules import plain

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))

from risk import consumers, real, trained_on  # noqa: E402

TARGET = ROOT / "src" / "medground" / "risk" / "weights.tsv"
REAL, PATIENT = 0.1, 0.3
"""Weights of a real question of research and of one by a patient; a wording of our own has 1."""
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
    research = sorted({q for questions in real(given.folder).values() for q in questions if trained_on(q)})
    patients = sorted(q for q in consumers(given.folder) if trained_on(q))
    vocabulary = sorted(set().union(*(signs(plain(words)) for kind, words in written if kind != "none")))
    counter = CountVectorizer(analyzer=signs, vocabulary=vocabulary, binary=True)
    texts = [*(words for _, words in written), *research, *patients]
    seen = counter.transform(map(plain, texts))
    fitted = []
    for kind in KINDS:
        # What patients ask of their treatment is not labelled; that they are in no danger is nearly always true.
        weights = (
            [1.0] * len(written) + [REAL] * len(research) + [0 if kind == "treatment" else PATIENT] * len(patients)
        )
        wanted = [one == kind for one, _ in written] + [False] * (len(research) + len(patients))
        fitted.append(LogisticRegression(C=1.0, max_iter=1000).fit(seen, wanted, sample_weight=weights))
    against = np.column_stack([model.coef_[0] for model in fitted])
    bias = [float(model.intercept_[0]) for model in fitted]
    lines = ["\t".join(("# sign", *KINDS)), _line("", bias)]
    lines += [_line(sign, row) for sign, row in zip(vocabulary, against, strict=True) if abs(row).max() >= SMALLEST]
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(
        f"{len(written)} wordings, {len(research) + len(patients):,} real questions, {len(lines) - 2:,} signs: {TARGET}"
    )


def _line(sign: str, weights: Iterable[float]) -> str:
    return "\t".join([sign, *(f"{weight:.2f}" if abs(weight) >= SMALLEST else "" for weight in weights)])


if __name__ == "__main__":
    main()
