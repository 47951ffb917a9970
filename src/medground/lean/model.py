"""The calibrated lean: the answer to a closed question that word statistics suggest. It is labelled as an estimate.

A logistic model over cues (`cues.py`) and hashed words of the question and of the abstract's end (`grams.py`), with its
probabilities calibrated. `scripts/train_lean.py` trains the weights; `data/lean.json` records the training data.

On PubMedQA's test split (`benchmarks/lean.py`), given each question's own abstract, it is right for 60.8 % (`always
yes`: 55.2 %), and for 66.0 % of the half with the highest probabilities. Its calibration error was 0.02 in
cross-validation and is 0.06 on the test split: it is slightly overconfident.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

import numpy as np

from medground.errors import ConfigError
from medground.lean.cues import cues, last_third
from medground.lean.grams import Vector, tfidf
from medground.text import words
from medground.text.sentences import sentence_spans

ON_SUBJECT = 0.6
"""Lowest share of the question's topic words, by weight, in a text that counts as on topic.

On PubMedQA's training split 88 % of the questions' own abstracts reach it, and 6 % of the closest wrong abstracts. A
lean based on a neighbouring topic would be the worst possible answer."""

_NEGATED = re.compile(
    r"\b(?:not|no|never|neither|nor|none|cannot|false|untrue|incorrect|wrong)\b|n['’]t\b", re.IGNORECASE
)
"""Word statistics cannot tell which way a negated question is asked, and PubMedQA has almost none of them."""

LeanValue = Literal["yes", "no", "maybe"]
CLASSES: tuple[LeanValue, ...] = ("maybe", "no", "yes")


@dataclass(frozen=True)
class Lean:
    """A lean with its calibrated probability.

    Attributes:
        probabilities: by value, summing to 1; without `maybe` for a yes-no task.
        value: the likeliest value; None (not judged) if its probability is below the threshold, the text is off topic
            or the question is negated.
        probability: probability of the likeliest value.
        documents: ids of the documents that were read and lean this way.
    """

    probabilities: dict[LeanValue, float]
    value: LeanValue | None
    probability: float
    documents: tuple[str, ...] = ()


def lean(question: str, passages: Sequence[str], *, task: Literal["yes-no", "yes-no-maybe"] = "yes-no-maybe") -> Lean:
    """The answer that the text of one research abstract suggests.

    Args:
        question: the question asked.
        passages: passages of one document in order, or its whole text as one passage.
        task: for `yes-no`, the probabilities of yes and no sum to 1.
    """
    weights = _weights()
    text = "\n\n".join(passages)
    logits = weights["intercepts"] + weights["coefficients"] @ features(question, text, weights)
    probabilities = softmax(logits / weights["temperature"])
    if task == "yes-no":
        probabilities = np.where(np.array(CLASSES) == "maybe", 0.0, probabilities)
        probabilities = probabilities / probabilities.sum()
    by_value = {c: round(float(p), 4) for c, p in zip(CLASSES, probabilities, strict=True) if p > 0}
    likeliest = max(by_value, key=lambda c: by_value[c])
    sure = by_value[likeliest] >= float(weights[f"threshold {task}"]) and _on_subject(question, text)
    sure = sure and not _NEGATED.search(question)
    return Lean(by_value, likeliest if sure else None, by_value[likeliest])


def _on_subject(question: str, text: str) -> bool:
    if not words.variants(question) <= words.variants(text):
        return False
    return words.coverage(words.topic(question), words.terms(text)) >= ON_SUBJECT


def features(question: str, text: str, weights: Mapping[str, Vector]) -> Vector:
    """Inputs of the logistic model: scaled cues, words of the question, words of the last third of the text."""
    sentences = [text[start:end] for start, end in sentence_spans(text)] or [""]
    found = cues(question, sentences, null_results(sentences, weights))
    return np.concatenate(
        [
            (found - weights["cue means"]) / weights["cue scales"],
            tfidf([question], weights["question idf"])[0],
            tfidf([" ".join(last_third(sentences))], weights["text idf"])[0],
        ]
    )


def null_results(sentences: Sequence[str], weights: Mapping[str, Vector]) -> Vector:
    """Probability that each sentence reports no significant difference, learnt from trials; shape (sentences,)."""
    logits = tfidf(sentences, weights["null idf"]) @ weights["null coefficients"] + weights["null intercept"]
    return np.asarray(1.0 / (1.0 + np.exp(-logits)))


def softmax(logits: Vector) -> Vector:
    """Probabilities along the last axis."""
    raised = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))


def digest(weights: Mapping[str, Vector]) -> str:
    """SHA-256 over the names, shapes and bytes of the weights."""
    hashed = hashlib.sha256()
    for name in sorted(weights):
        array = np.ascontiguousarray(weights[name], dtype="<f4")
        hashed.update(f"{name} {array.shape} ".encode() + array.tobytes())
    return hashed.hexdigest()


@cache
def _weights() -> Mapping[str, Vector]:
    """The shipped weights.

    Raises:
        ConfigError: a file of the package is damaged.
    """
    folder = resources.files("medground") / "data"
    with np.load(io.BytesIO((folder / "lean.npz").read_bytes()), allow_pickle=False) as stored:
        weights = {name: stored[name].astype(np.float64) for name in stored.files}
    if digest(weights) != json.loads((folder / "lean.json").read_text(encoding="utf-8"))["sha256"]:
        raise ConfigError("the weights of the lean (data/lean.npz) are damaged; reinstall medground")
    return weights
