"""What experts wrote: BioASQ's answers under the snippets they chose, and yes-or-no questions read as statements.

An ideal answer restates in an expert's words what its snippets say. A snippet that shares few words with it may not
prove it alone, so it teaches only that the answer is not contradicted (`compatible`), and a reversed answer only that
it is not entailed (`unsupported`). Half of BioASQ's yes-or-no questions, and the documents of their snippets, are kept
for measuring decisions on questions.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

from medground.language.closed_question import as_statement
from medground.language.sentences import sentence_spans
from pairing.changed import contrary
from pairing.lines import lines
from pairing.pair import Label, Pair, Weights, joined, words
from pairing.paraphrase import reworded

_PROVES, _REPEATS = 0.6, 0.97
"""From this share of an answer's word weight on, sentences are taken to prove it; and to be the same text."""
_UNLIKE = 0.5
"""Below this share, what another question's experts chose is taken to say nothing on it."""
_LEAD = re.compile(r"^(?:yes|no)\b[,.;:\s]*(?:that is correct)?[,.\s]*", re.IGNORECASE)
_POINTS = re.compile(
    r"^(?:it|its|they|their|this|these|those|he|she|such|both|"
    r"the (?:drug|gene|protein|disease|study|results?|latter))\b",
    re.IGNORECASE,
)
_TURNED: Mapping[Label, Label] = {
    "entails": "contradicts", "contradicts": "entails", "compatible": "unsupported", "unsupported": "compatible",
    "neutral": "neutral",
}  # fmt: skip


def held_question(identifier: str) -> bool:
    """Whether a yes-or-no question of BioASQ is kept for measuring."""
    return bool(crc32(identifier.encode()) % 2)


def questions(folder: Path) -> Iterator[dict[str, Any]]:
    """The questions of all files of BioASQ's folder."""
    for path in sorted(folder.glob("*.json.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            yield from json.load(file)["questions"]


def from_bioasq(folder: Path, weights: Weights, rng: random.Random) -> Iterator[Pair]:
    """Pairs of BioASQ's questions, without those kept for measuring and the documents they cite."""
    used = _used(folder)
    for question, passages in used:
        other = rng.choice(used)[1] if rng.random() < 0.3 else _nearest(question, used, rng)
        for statement, label in _stated(question):
            yield from under(statement, label, passages, weights, rng, "bioasq")
            best = [other[i] for i in weights.best(statement, other, 2)]
            if rng.random() < 0.35 and max(weights.overlap(statement, s) for s in best) < _UNLIKE:
                said = contrary("negation", statement, rng) if rng.random() < 0.5 else None
                yield Pair(joined(best), said or statement, "neutral", "bioasq other")


def stated_by_experts(folder: Path) -> Iterator[str]:
    """What the experts assert in answers to the questions that `from_bioasq` uses."""
    for question, _ in _used(folder):
        yield from (statement for statement, _ in _stated(question))


def _used(folder: Path) -> list[tuple[Mapping[str, Any], list[str]]]:
    """The questions that are not kept for measuring, and the sentences of documents that no kept one cites."""
    found = list(questions(folder))
    kept = [q for q in found if q["type"] == "yesno" and held_question(q["id"])]
    away = {s["document"] for q in kept for s in q["snippets"]}
    names = {q["id"] for q in kept}
    used = [(q, _sentences(q, away)) for q in found if q["id"] not in names]
    return [(q, passages) for q, passages in used if passages]


def from_pubmedqa(path: Path, weights: Weights, rng: random.Random) -> Iterator[Pair]:
    """PubMedQA's training questions as statements: under the authors' conclusion, and under the results before it."""
    for record in lines(path):
        statement = as_statement(record["question"])
        answer = record["final_decision"]
        if record["split"] == "test" or statement is None or answer == "maybe":
            continue
        label: Label = "entails" if answer == "yes" else "contradicts"
        loose: Label = "compatible" if answer == "yes" else "unsupported"
        before = _split(" ".join(record["contexts"]))
        yield from _both(joined(_split(record["long_answer"])), statement, label, rng, "pubmedqa")
        best = [before[i] for i in weights.best(statement, before, 3)]
        yield from _both(joined(best), statement, loose, rng, "pubmedqa")


def under(
    statement: str, label: Label, passages: Sequence[str], weights: Weights, rng: random.Random, source: str
) -> Iterator[Pair]:
    """A statement under the sentences that share most words with it, and reversed."""
    fresh = [s for s in passages if weights.overlap(statement, s) < _REPEATS]
    if not fresh:
        return
    best = weights.best(statement, fresh, rng.choice((1, 2, 3)))
    top = max((fresh[i] for i in best), key=lambda s: weights.overlap(statement, s))
    proves = weights.overlap(statement, top) >= _PROVES
    loose: Label = "compatible" if label == "entails" else "unsupported"
    opposite = contrary(rng.choice(("negation", "direction")), top, rng) if proves and rng.random() < 0.4 else None
    if opposite:  # so that a negation in the statement does not reveal the label
        yield from _both(opposite, statement, _TURNED[label], rng, source)
    else:
        yield from _both(joined([fresh[i] for i in best]), statement, label if proves else loose, rng, source)


def _both(premise: str, statement: str, label: Label, rng: random.Random, source: str) -> Iterator[Pair]:
    yield Pair(premise, reworded(statement, rng.getrandbits(30)), label, source)
    turned = [t for kind in ("negation", "direction") if (t := contrary(kind, statement, rng))]
    if turned:
        yield Pair(premise, reworded(rng.choice(turned), rng.getrandbits(30)), _TURNED[label], source)


def _stated(question: Mapping[str, Any]) -> Iterator[tuple[str, Label]]:
    """What the experts assert: the sentences of their answers, and a yes-or-no question as a statement."""
    if question["type"] == "yesno" and (statement := as_statement(question["body"])):
        exact = question["exact_answer"]
        answer = (exact if isinstance(exact, str) else exact[0]).lower()
        yield statement, "entails" if answer == "yes" else "contradicts"
    ideal = question["ideal_answer"]
    seen: set[frozenset[str]] = set()
    for text in [ideal] if isinstance(ideal, str) else ideal:
        for sentence in _split(_LEAD.sub("", text)):
            mine = words(sentence)
            if 6 <= len(sentence.split()) <= 40 and sentence[-1] == "." and not _POINTS.match(sentence):
                if mine not in seen:
                    yield sentence, "entails"
                seen.add(mine)


def _sentences(question: Mapping[str, Any], away: set[str]) -> list[str]:
    found = [s for snippet in question["snippets"] if snippet["document"] not in away for s in _split(snippet["text"])]
    return list(dict.fromkeys(s for s in found if len(s.split()) >= 6))


def _nearest(
    question: Mapping[str, Any], used: Sequence[tuple[Mapping[str, Any], list[str]]], rng: random.Random
) -> list[str]:
    """The snippets of the question that shares most words with this one, of a random part of all."""
    mine = words(question["body"])
    some = [one for one in rng.sample(used, min(150, len(used))) if one[0]["id"] != question["id"]]
    return max(some, key=lambda one: len(mine & words(one[0]["body"])))[1]


def _split(text: str) -> list[str]:
    clean = " ".join(text.split())
    return [clean[start:end] for start, end in sentence_spans(clean)]
