"""The labelled pairs that measure the critic: none of them, nor their documents, is trained on.

- `scifact`: development claims, each with every abstract it cites. The sentences are chosen by the words they share
  with the claim, not given. `shared` is the same for the training claims on abstracts that development claims also
  cite; models are chosen, and probabilities calibrated, on these.
- `covid`: Check-COVID's development split; `trials`: Evidence Inference's validation split, in templates.
- `healthver`, `nli4ct`: sets of other people that may only be measured.
- `planted`: errors planted in sentences of held-out abstracts, by kind; `entails` is right for `unchanged` only.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from planted import sentence_cases

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

from critic_pairs import claim_sets
from pairing.claims import judged
from pairing.lines import lines
from pairing.pair import Weights
from pairing.people import cut, rows
from real_sentences import abstracts

from medground.text.sentences import sentence_spans

VIEWS = ((3, 64),)
"""Most sentences and words of each view of an abstract; log-probabilities are averaged over the views."""
NAMES = {"support": "entails", "refute": "contradicts", "neutral": "neutral"}
MOST_WORDS = 130


class Case(NamedTuple):
    """A statement, views of its premise, and the truth: a label, or the kind of error."""

    statement: str
    views: tuple[str, ...]
    truth: str


def word_weights(data: Path) -> Weights:
    """Word weights from the SciFact abstracts that training may read."""
    return Weights(s for abstract in abstracts(data / "scifact", "train") for s in abstract.sentences)


def views(statement: str, sentences: Sequence[str], weights: Weights) -> tuple[str, ...]:
    """The distinct views of an abstract that a statement is compared with."""
    chosen = (weights.best(statement, sentences, number, most) for number, most in VIEWS)
    return tuple(dict.fromkeys(" ".join(sentences[i] for i in places) for places in chosen))


def scifact(data: Path, weights: Weights, split: str) -> Iterator[Case]:
    """Claims under the abstracts they cite."""
    corpus = {str(record["doc_id"]): record["abstract"] for record in lines(data / "scifact" / "corpus.jsonl.gz")}
    claims = claim_sets(data)[1] if split == "shared" else list(lines(data / "scifact" / "claims_dev.jsonl"))
    for claim in claims:
        for document in dict.fromkeys((*map(str, claim["cited_doc_ids"]), *claim["evidence"])):
            sentences = [" ".join(sentence.split()) for sentence in corpus[document]]
            yield Case(claim["claim"], views(claim["claim"], sentences, weights), judged(claim, document)[0])


def people(data: Path, weights: Weights, name: str, split: str | None, most: int | None) -> Iterator[Case]:
    """Rows of a set of `nli`; at most `most`, drawn at random. Long premises are cut by shared words."""
    found = [row for row in rows(data, name) if split in (None, row.get("split"))]
    for row in random.Random(0).sample(found, min(most or len(found), len(found))):
        premise = cut(row["premise"], row["hypothesis"], weights, MOST_WORDS)
        yield Case(row["hypothesis"], (premise,), NAMES[row["label"]])


def planted(data: Path, weights: Weights, per_kind: int) -> Iterator[Case]:
    """Sentences of held-out abstracts, with and without an error."""
    for kind, statement, premise in sentence_cases(data, "held out", per_kind, 0):
        sentences = [premise[start:end] for start, end in sentence_spans(premise)]
        yield Case(statement, views(statement, sentences, weights), kind)


SETS: Mapping[str, Callable[[Path, Weights, int], Iterator[Case]]] = {
    "shared": lambda data, weights, _: scifact(data, weights, "shared"),
    "scifact": lambda data, weights, _: scifact(data, weights, "dev"),
    "covid": lambda data, weights, _: people(data, weights, "check_covid", "dev", None),
    "trials": lambda data, weights, most: people(data, weights, "evidence_inference_v2_templates", "validation", most),
    "healthver": lambda data, weights, most: people(data, weights, "healthver_abs", None, most),
    "nli4ct": lambda data, weights, most: people(data, weights, "nli4ct2023_evidence", None, most),
    "planted": lambda data, weights, most: planted(data, weights, max(20, most // 10)),
}
"""Every set; the number is the most pairs of a large one."""
