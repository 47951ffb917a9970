"""The labelled texts that measure the critic, read as a user's texts are: the critic finds the sentences itself.

Measured; none of them, nor their documents, is trained on:

- `scifact`: development claims, each with every abstract it cites;
- `covid`: Check-COVID's development split; `trials`: Evidence Inference's validation split, in templates;
- `healthver`, `nli4ct`: sets of other people that may only be measured;
- `planted`: errors planted in sentences of held-out abstracts, by kind; `entails` is right for `unchanged` only.

To choose and to calibrate: `claims kept` (SciFact's training claims on abstracts that development claims also cite),
`covid kept` and `trials kept` (groups of the training splits that were not trained on).
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from planted import sentence_cases

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

from critic_pairs import claim_sets
from pairing import people
from pairing.claims import judged
from pairing.lines import lines

from medground.answering.verify.context import premise_spans
from medground.answering.verify.critic import Claim, Score
from medground.answering.verify.trained_critic import of_windows, telling
from medground.models.operators.base import EvidenceView
from medground.models.pair_network import PairNetwork

LABELS = ("entails", "contradicts", "neutral")
NAMES = {"support": "entails", "refute": "contradicts", "neutral": "neutral"}
Array = NDArray[np.float64]


class Case(NamedTuple):
    """A statement, a text, and the truth: a label, or the kind of error."""

    statement: str
    text: str
    truth: str


class Read(NamedTuple):
    """The windows of a text that the critic reads, and their logarithms of probabilities, shape (windows, labels)."""

    case: Case
    windows: Sequence[str]
    logs: Array

    def probabilities(self, temperature: float = 1.0) -> Array:
        """What the critic says of the text, shape (labels,), if its logits are divided by a further temperature."""
        powers = np.exp(self.logs / temperature)
        scores = [Score(float(row[0]), float(row[1])) for row in powers / powers.sum(axis=1, keepdims=True)]
        said = of_windows(scores)
        return np.array([said.entailment, said.contradiction, 1 - said.entailment - said.contradiction])


def read(network: PairNetwork, cases: Sequence[Case]) -> list[Read]:
    """Each text as the critic reads it."""
    found = []
    for case in cases:
        windows = [view.quote for view in telling(Claim(case.statement), views(case.text))]
        rows = network.probabilities([(window, case.statement) for window in windows])
        found.append(Read(case, windows, np.log(np.maximum(rows, 1e-9))))
    return found


def views(text: str) -> list[EvidenceView]:
    """The windows of a text."""
    spans = premise_spans(text, "windows") or [(0, len(text))]
    return [EvidenceView(id=f"P1.S{n}", quote=text[start:end]) for n, (start, end) in enumerate(spans)]


def stacked(found: Sequence[Read], temperature: float = 1.0) -> Array:
    """What the critic says of each text, shape (texts, labels)."""
    return np.array([one.probabilities(temperature) for one in found])


def scifact(data: Path, split: str) -> Iterator[Case]:
    """Claims with the abstracts that they cite."""
    corpus = {str(record["doc_id"]): record["abstract"] for record in lines(data / "scifact" / "corpus.jsonl.gz")}
    claims = claim_sets(data)[1] if split == "kept" else list(lines(data / "scifact" / "claims_dev.jsonl"))
    for claim in claims:
        for document in dict.fromkeys((*map(str, claim["cited_doc_ids"]), *claim["evidence"])):
            text = " ".join(" ".join(sentence.split()) for sentence in corpus[document])
            yield Case(claim["claim"], text, judged(claim, document)[0])


def labelled(data: Path, name: str, split: str | None = None, most: float = math.inf) -> Iterator[Case]:
    """Rows of a set of `nli`, of a split if it is named; at most `most`, drawn at random."""
    found = [row for row in people.rows(data, name) if split in (None, row.get("split"))]
    for row in random.Random(0).sample(found, min(int(min(most, len(found))), len(found))):
        yield Case(row["hypothesis"], " ".join(row["premise"].split()), NAMES[row["label"]])


def kept(data: Path, name: str) -> Iterator[Case]:
    """Rows of the training part that were kept for choosing."""
    one = next(one for one in people.MEDICAL if one.name == name)
    for row in people.rows(data, name):
        if not people.held_out(name, row) and people.kept(one, row):
            yield Case(row["hypothesis"], " ".join(row["premise"].split()), NAMES[row["label"]])


def planted(data: Path, per_kind: int) -> Iterator[Case]:
    """Sentences of held-out abstracts, with and without an error."""
    for kind, statement, premise in sentence_cases(data, "held out", per_kind, 0):
        yield Case(statement, premise, kind)


SETS: Mapping[str, Callable[[Path, int], Iterator[Case]]] = {
    "scifact": lambda data, _: scifact(data, "dev"),
    "covid": lambda data, _: labelled(data, "check_covid", "dev"),
    "trials": lambda data, most: labelled(data, "evidence_inference_v2_templates", "validation", most),
    "healthver": lambda data, most: labelled(data, "healthver_abs", None, most),
    "nli4ct": lambda data, most: labelled(data, "nli4ct2023_evidence", None, most),
    "planted": lambda data, most: planted(data, max(20, most // 10)),
    "claims kept": lambda data, _: scifact(data, "kept"),
    "covid kept": lambda data, _: kept(data, "check_covid"),
    "trials kept": lambda data, _: kept(data, "evidence_inference_v2_templates"),
}
"""Every set; the number is the most texts of a large one."""
TITLES = {
    "scifact": "SciFact dev",
    "covid": "Check-COVID dev",
    "trials": "Evidence Inference validation",
    "healthver": "HealthVer dev",
    "nli4ct": "NLI4CT evidence",
}
"""The measured sets with labels, as answers name them."""
