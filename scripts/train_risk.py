"""Learns the weights of words that show a person at risk.

    python scripts/train_risk.py SHARED_DATA_FOLDER [--check]

Reads `tests/risk/wordings.tsv`, without its group `unseen`, and every second real question of `benchmarks/risk.py` (of
research and of patients), chosen by its checksum, so that false alarms on the other half are honest. Writes
`src/medground/language/risk/weights.tsv`; with `--check` it writes nothing and prints what five models say of the fifth
of the texts that each did not learn from. Nothing is random.
"""

from __future__ import annotations

import argparse
import sys
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from medground.language.risk.notices import KINDS, LEAST, signs
from medground.language.risk.rules import LONGEST, plain, rules

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))

from risk import consumers, real, trained_on  # noqa: E402

TARGET = ROOT / "src" / "medground" / "language" / "risk" / "weights.tsv"
REAL, PATIENT = 0.1, 3.0
"""Weights of a real question of research and of one by a patient; a wording of our own has 1. With 1 for
patients, three of 859 whom nothing ails were taken for self-harm, with 3 none (`--check`)."""
SOFTNESS = 2.0
"""The inverse of the penalty on weights; 0.3 to 3 were the same within two wordings of a hundred (`--check`)."""
SMALLEST = 0.1
"""Weights below it are left out."""
FOLDS = 5
ASKED = """
    liveqa-000011 liveqa-000386 liveqa-000493 medicationqa-000061 medicationqa-000145 medicationqa-000294
    medicationqa-000329 medicationqa-000486 medicationqa-000523 medicationqa-000544 medicationqa-000574
    medicationqa-000598 medicationqa-000605 medicationqa-000610 medicationqa-000643 medicationqa-000667
"""
"""The patients' questions that ask to decide about a treatment, of those that a rule takes for it; read by hand."""


class Text(NamedTuple):
    """A text to learn from: its kind, where it is from, and its words."""

    kind: str
    group: str
    words: str

    @property
    def signs(self) -> set[str]:
        """Its signs, with what a rule says of a treatment."""
        return signs(self.words, "treatment" if rules().first(self.words) == "treatment" else None)


def texts(folder: Path, without: Sequence[str]) -> list[Text]:
    """All texts, our own first."""
    lines = (ROOT / "tests" / "risk" / "wordings.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    own = [Text(kind, group, plain(words)) for kind, group, words in rows if group not in without]
    research = sorted({q for questions in real(folder).values() for q in questions if trained_on(q)})
    asked = consumers(folder, ASKED.split())
    patients = [
        Text("treatment" if q in asked else "none", "patients", plain(q))
        for q in sorted(consumers(folder))
        if trained_on(q)
    ]
    return [*own, *(Text("none", "research", plain(q)) for q in research), *patients]


def fit(learned: Sequence[Text]) -> tuple[CountVectorizer, list[LogisticRegression]]:
    """What counts signs, and the model of each kind."""
    share = {"research": REAL, "patients": PATIENT}
    vocabulary = sorted(set().union(*(one.signs for one in learned if one.group not in share)))
    counter = CountVectorizer(analyzer=lambda one: one.signs, vocabulary=vocabulary, binary=True)
    seen, weights = counter.transform(learned), [share.get(one.group, 1.0) for one in learned]
    model = LogisticRegression(C=SOFTNESS, max_iter=1000)
    fitted = [clone(model).fit(seen, [t.kind == kind for t in learned], sample_weight=weights) for kind in KINDS]
    return counter, fitted


def check(found: Sequence[Text]) -> None:
    """Print what is said of texts that were not learned from, by group."""
    said: dict[Text, str] = {}
    for fold in range(FOLDS):
        other = [one for one in found if zlib.crc32(one.words.encode()) // 2 % FOLDS == fold]
        counter, fitted = fit([one for one in found if zlib.crc32(one.words.encode()) // 2 % FOLDS != fold])
        shares = np.column_stack([model.predict_proba(counter.transform(other))[:, 1] for model in fitted])
        said |= {one: _said(one, row) for one, row in zip(other, shares, strict=True)}
    for group in dict.fromkeys(one.group for one in found):
        for kind in (*KINDS, "none"):
            given = [said[one] for one in found if (one.group, one.kind) == (group, kind)]
            print(f"{group}\t{kind}\t{given.count(kind)} of {len(given)}" if given else "", end="\n" if given else "")


def _said(one: Text, shares: NDArray[np.float64]) -> str:
    """What is decided, as `notices` decides."""
    rule = rules().first(one.words)
    if rule in ("self-harm", "emergency"):
        return rule
    likely = [(share, kind) for share, kind in zip(shares, KINDS, strict=True) if share >= LEAST[kind]]
    kind = max(likely)[1] if likely and len(one.words.split()) <= LONGEST else "none"
    return kind if kind == rule or rules().may_be_weighed(one.words) else "none"


def main() -> None:
    """Fit the model and write its weights, or check it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--without", nargs="*", default=[], help="Groups of wordings to leave out.")
    parser.add_argument("--check", action="store_true", help="Print what is said of texts that were not learned from.")
    given = parser.parse_args()
    found = texts(given.folder, ["unseen", *given.without])
    if given.check:
        check(found)
        return
    counter, fitted = fit(found)
    against = np.column_stack([model.coef_[0] for model in fitted])
    lines = ["\t".join(("# sign", *KINDS)), _line("", [float(model.intercept_[0]) for model in fitted])]
    vocabulary = counter.get_feature_names_out()
    lines += [_line(sign, row) for sign, row in zip(vocabulary, against, strict=True) if abs(row).max() >= SMALLEST]
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(found):,} texts, {len(lines) - 2:,} signs: {TARGET}")


def _line(sign: str, weights: Iterable[float]) -> str:
    return "\t".join([sign, *(f"{weight:.2f}" if abs(weight) >= SMALLEST else "" for weight in weights)])


if __name__ == "__main__":
    main()
