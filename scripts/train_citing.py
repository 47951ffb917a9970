"""Train the judge of citing sentences: `python scripts/train_citing.py --data ../shared/data --home HOME`.

Learns from the developers' half of Citation-Integrity: citing sentences as people write them, the whole text that each
cites, and whether people called the citation accurate. The features are those of `medground.checking.support`; the
fetched critic in HOME reads the nearest sentences. Printed, each without the paper that is judged (11 papers): the area
under the curve by the words of the nearest sentence, by the critic over the whole sentence, and by the judge; of all
sentences, and of those that are accurate or find nothing to rest on. The penalty is chosen in the same way.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import LeaveOneGroupOut, cross_val_predict

from medground.answering.declaration import Declaration
from medground.answering.run import Run
from medground.answering.trace import Trace
from medground.answering.verify.critic import Claim, Judgement
from medground.answering.verify.critics import open_critic
from medground.checking.sources import Source, nearest, source_of, windows
from medground.checking.support import Features, claim_on, features_of, parts_of
from medground.corpus.readers.compose import make_document
from medground.home.files import write_whole
from medground.home.settings import Settings
from medground.models.registry import open_models
from medground.values.question import Question

OUT = Path(__file__).parent.parent / "src" / "medground" / "data" / "citing_judge.json"
SETS = ("audit/citation_integrity/claims.jsonl.gz", "audit/citation_integrity/references.jsonl.gz")
PENALTIES = (0.1, 0.3, 1.0, 3.0, 10.0)
"""Inverse penalty strengths to try."""
CRITIC = "critic"


class Citing(NamedTuple):
    """A sentence of another paper, the text that it cites, and what people said of it."""

    parts: list[str]
    whole: str
    source: Source
    paper: str
    kind: str


def sentences(data: Path) -> Iterator[Citing]:
    """The citing sentences with their texts; every mark of citation becomes `[1]`."""
    claims, references = (list(_lines(data / name)) for name in SETS)
    papers = {one["id"]: source_of(make_document({**one, "id": f"PMC:{one['id']}"})) for one in references}
    for row in claims:
        text = row["sentence"].replace("[*]", "[1]")
        whole = parts_of(text.replace("[1]", "").replace(";", ","))[0]
        yield Citing(parts_of(text), whole, papers[row["ref"]], row["ref"], row["kind"])


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def judged(claims: Sequence[Claim], home: Path) -> list[Judgement]:
    """What the critic says of each claim."""

    async def read() -> list[Judgement]:
        settings = Settings.load(options={"home": home, "verify.critic": CRITIC})
        models = open_models(settings, ())
        try:
            run = Run(
                Question.ask("Is it so?"),
                settings,
                Declaration(name="training", operators=()),
                (),
                models,
                trace=Trace("training", None),
            )
            return await open_critic(run).judge(claims)
        finally:
            await models.close()

    return asyncio.run(read())


def main() -> None:
    """Train and write `citing_judge.json`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--home", type=Path, required=True)
    given = parser.parse_args()
    rows = list(sentences(given.data))
    claims = {
        (part, row.paper): claim_on(part, windows(part, [row.source]))
        for row in rows
        for part in (row.whole, *row.parts)
    }
    said = dict(zip(claims, judged(list(claims.values()), given.home), strict=True))
    x = np.array([features_of(row.parts, [row.source], [said[part, row.paper] for part in row.parts]) for row in rows])
    y = np.array([row.kind == "supported" for row in rows])
    decided, papers = y | np.array([row.kind == "silent" for row in rows]), np.array([row.paper for row in rows])

    def unseen(penalty: float) -> NDArray[np.float64]:
        """How likely each is, by a model that has not seen its paper."""
        model, folds = LogisticRegression(C=penalty), LeaveOneGroupOut()
        return np.asarray(cross_val_predict(model, x, y, groups=papers, cv=folds, method="predict_proba")[:, 1])

    best = max(PENALTIES, key=lambda penalty: round(float(roc_auc_score(y, unseen(penalty))), 3))
    final = LogisticRegression(C=best).fit(x, y)
    scores = {
        "words": np.array([nearest(row.whole, [row.source], 1)[0].share for row in rows]),
        "critic": np.array([said[row.whole, row.paper].entailment or 0.0 for row in rows]),
        "judge": unseen(best),
    }
    areas = {
        name: [round(float(roc_auc_score(y[some], score[some])), 3) for some in (y | True, decided)]
        for name, score in scores.items()
    }
    about = {
        "about": "weights of medground.checking.support; made by scripts/train_citing.py",
        "trained on": {"citing sentences of Citation-Integrity": len(rows), "accurate": int(y.sum())},
        "left out by paper": {"inverse penalty": best, "AUC of all, and of accurate against silent": areas},
        "weights": {name: round(float(w), 4) for name, w in zip(Features._fields, final.coef_[0], strict=True)},
        "intercept": round(float(final.intercept_[0]), 4),
        "scikit-learn": version("scikit-learn"),
    }
    write_whole(OUT, json.dumps(about, indent=2) + "\n")
    print(json.dumps(about["left out by paper"]))
    for place, name in enumerate(Features._fields):
        print(
            f"{name} alone: AUC {roc_auc_score(y, x[:, place]):.3f}, {roc_auc_score(y[decided], x[decided, place]):.3f}"
        )


if __name__ == "__main__":
    main()
