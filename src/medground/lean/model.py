"""The calibrated lean: which way word statistics point on a closed question. It is no judgement, and says so.

A logistic model over cues (`cues.py`) and hashed words of the question and of the abstract's end (`grams.py`), with its
probabilities calibrated. `scripts/train_lean.py` makes the weights; `data/lean.json` tells what they were made from.

Measured on PubMedQA's test split (`benchmarks/lean.py`), own abstract given: 60.8 % right where `always yes` has 55.2 %
and 66.0 % on the half it is surest of. Its calibration error was 0.02 in cross-validation and is 0.06 there: it is a
little too sure of itself.
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
"""Least share of the question's topic words, by weight, in a text that is about what the question asks.

On PubMedQA's training split 88 % of the own abstracts and 6 % of the nearest wrong ones have it: a lean on a
neighbouring topic would be the worst of answers."""

_NEGATED = re.compile(
    r"\b(?:not|no|never|neither|nor|none|cannot|false|untrue|incorrect|wrong)\b|n['’]t\b", re.IGNORECASE
)
"""Word statistics do not see which way such a question is asked, and PubMedQA has next to none of them."""

LeanValue = Literal["yes", "no", "maybe"]
CLASSES: tuple[LeanValue, ...] = ("maybe", "no", "yes")


@dataclass(frozen=True)
class Lean:
    """A lean with its calibrated probability.

    Attributes:
        probabilities: by value, summing to 1; without `maybe` for a yes-no task.
        value: the likeliest, or None (not judged) where its probability is below the threshold or the text is not
            about the question's subject, or the question is negated.
        probability: of the likeliest.
        document: id of the document that was read.
    """

    probabilities: dict[LeanValue, float]
    value: LeanValue | None
    probability: float
    document: str = ""


def lean(question: str, passages: Sequence[str], *, task: Literal["yes-no", "yes-no-maybe"] = "yes-no-maybe") -> Lean:
    """Which way the text of one research abstract leans on a question.

    Args:
        question: the question asked.
        passages: passages of one document in their order, or its whole text as one.
        task: without `maybe`, the probabilities of yes and no are made to sum to 1.
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
    """What the logistic model sees: scaled cues, then words of the question, then words of the text's last third."""
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
    """Probability per sentence that it reports no significant difference, as learnt from trials; shape (sentences,)."""
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
        ConfigError: the files of the package are damaged.
    """
    folder = resources.files("medground") / "data"
    with np.load(io.BytesIO((folder / "lean.npz").read_bytes()), allow_pickle=False) as stored:
        weights = {name: stored[name].astype(np.float64) for name in stored.files}
    if digest(weights) != json.loads((folder / "lean.json").read_text(encoding="utf-8"))["sha256"]:
        raise ConfigError("the weights of the lean are damaged (data/lean.npz); install medground again")
    return weights
