"""Measures when word statistics call a sub-question answerable: on its own gold snippets, and on those of others.

    python benchmarks/subanswers.py DATA

DATA has `bioasq/task7b.json.gz` and so on. A case is a question of BioASQ with another one about the same subject (they
share a rare word, but no paper): what both ask about stands for the whole question, the rest for the sub-question. It
is asked of its own gold snippets, which answer it; of those of the other question, which are about the same subject;
and of those of a third question that asks the same of another subject. 7b is what the thresholds were chosen on, 8b and
9b are what they are measured on. Gold snippets have no titles, which real passages have. Intervals are Wilson's, 95 %.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from medground.language import words
from medground.language.sentences import sentence_spans
from medground.models.operators.base import SentencedPassage, SentenceView
from medground.recipes.biomedsearch import reporting
from medground_evaluate.statistics import wilson

MOST, RARE, ALIKE = 300, 4.5, 0.8
ROWS = ("its own snippets", "same subject, another question", "same question, another subject")


def passages(question: dict[str, Any]) -> tuple[SentencedPassage, ...]:
    """The gold snippets of a question, one passage for each paper, of the first ten papers."""
    texts: dict[str, list[str]] = {}
    for snippet in question["snippets"]:
        texts.setdefault(snippet["document"], []).append(snippet["text"])
    found = []
    for number, snippets in enumerate(list(texts.values())[:10], start=1):
        split = [text[start:end] for text in snippets for start, end in sentence_spans(text)]
        views = tuple(SentenceView(id=f"P{number}.S{n}", text=text) for n, text in enumerate(split, start=1))
        found.append(SentencedPassage(id=f"P{number}", sentences=views))
    return tuple(found)


def cases(questions: Sequence[dict[str, Any]]) -> list[tuple[str, str, list[tuple[SentencedPassage, ...]]]]:
    """Sub-question, the words that it shares with its neighbour, and the three sets of passages."""
    topics = [words.topic(question["body"]) for question in questions]
    papers = [set(question["documents"]) for question in questions]
    everyone = range(len(questions))
    found = []
    for one in everyone:
        near = [(words.coverage(topics[one], topics[n]), -n) for n in everyone if _is_near(one, n, topics, papers)]
        if not near:
            continue
        other = -max(near)[1]
        shared = topics[one] & topics[other]
        own = topics[one] - shared
        strangers = [n for n in everyone if not shared & topics[n] and not papers[one] & papers[n]]
        third = max(strangers, key=lambda n: words.coverage(own, topics[n]))
        sets = [passages(questions[n]) for n in (one, other, third)]
        found.append((questions[one]["body"], " ".join(sorted(shared)), sets))
    return random.Random(1).sample(found, min(MOST, len(found)))


def _is_near(one: int, other: int, topics: Sequence[frozenset[str]], papers: Sequence[set[str]]) -> bool:
    shared = topics[one] & topics[other]
    different = one != other and not papers[one] & papers[other] and bool(topics[one] - topics[other])
    rare = max(map(words.weight, shared), default=0.0) >= RARE
    return different and rare and words.coverage(topics[one], topics[other]) < ALIKE


def main() -> None:
    """Print a table for each set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data / "bioasq"
    for name, years in (("7b (chosen on)", "7"), ("8b and 9b", "89")):
        loaded = [json.loads(gzip.decompress((data / f"task{year}b.json.gz").read_bytes())) for year in years]
        questions = [question for one in loaded for question in one["questions"] if question.get("snippets")]
        measured = cases(questions)
        print(f"{name}: {len(measured)} questions")
        for place, row in enumerate(ROWS):
            hits = sum(bool(reporting.answering(text, whole, sets[place], 3)) for text, whole, sets in measured)
            low, high = wilson(hits, len(measured))
            print(f"| {row} | {hits / len(measured):.1%} ({low:.1%} to {high:.1%}) |")


if __name__ == "__main__":
    main()
