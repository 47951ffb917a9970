"""Compares the sentences that the keyless `extract` quotes from PubMedQA's abstracts with the paper's conclusion.

    python benchmarks/evidence.py PUBMEDQA_FOLDER [--split test]

Prints the token F1 of the three quoted sentences with the conclusion (`long_answer`, which is not in the text), and how
often they include the sentence with the highest F1, next to the first three, the last three and three random sentences.
F1 favours statements of purpose, which repeat the question but are not evidence, so their share is shown too. Then adds
the conclusion to the text, as on PubMed, and prints how often one of its sentences is quoted, and quoted first. Quotes
take the same path as in answers (document, passages, sentences, ledger) and are compared with the stored text.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from pubmedqa import Record, read

from medground.corpus.chunk import chunk
from medground.language.finding_sentences import states_purpose
from medground.language.sentences import sentence_spans
from medground.language.words import tokens
from medground.models.operators.base import SentencedPassage, SentenceView
from medground.models.operators.reading import quotable_sentences
from medground.values.document import Document
from medground.values.evidence import Evidence, Ledger
from medground_evaluate.datasets.readers import pubmedqa_document

Choose = Callable[[str, Sequence[str]], Sequence[int]]


def token_f1(one: str, other: str) -> float:
    """Harmonic mean of precision and recall over tokens, with repeats."""
    a, b = Counter(tokens(one)), Counter(tokens(other))
    shared = sum((a & b).values())
    return 2 * shared / (sum(a.values()) + sum(b.values())) if shared else 0.0


def sentences_of(text: str) -> list[str]:
    """The sentences of a text."""
    return [text[start:end] for start, end in sentence_spans(text)]


def extracted(question: str, sentences: Sequence[str]) -> list[int]:
    """Indices of the sentences that `extract` picks, strongest first."""
    views = tuple(SentenceView(id=f"P1.S{n}", text=s) for n, s in enumerate(sentences))
    picked = quotable_sentences(question, [SentencedPassage(id="P1", sentences=views)])
    return [int(sentence.removeprefix("P1.S")) for sentence in picked]


def selection(records: Sequence[Record], name: str, choose: Choose) -> None:
    """Print one row: how close the chosen sentences are to the conclusion."""
    f1, best, purposes, chosen = 0.0, 0, 0, 0
    for record in records:
        sentences = sentences_of("\n\n".join(record["contexts"]))
        places = sorted(choose(record["question"], sentences))
        conclusion = record["long_answer"]
        scores = [token_f1(s, conclusion) for s in sentences]
        f1 += token_f1(" ".join(sentences[i] for i in places), conclusion)
        best += scores.index(max(scores)) in places
        purposes += sum(states_purpose(sentences[i]) for i in places)
        chosen += len(places)
    n = len(records)
    print(f"{name:12} token F1 {f1 / n:.3f}   best sentence found {best / n:6.1%}   purposes {purposes / chosen:6.1%}")


def conclusions(records: Sequence[Record], name: str, choose: Choose) -> None:
    """Print one row: how often the conclusion is quoted if the text includes it."""
    among = first = 0
    for record in records:
        body = sentences_of("\n\n".join(record["contexts"]))
        places = choose(record["question"], body + sentences_of(record["long_answer"]))
        among += any(i >= len(body) for i in places)
        first += any(i >= len(body) for i in places[:1])
    print(f"{name:12} conclusion quoted {among / len(records):6.1%}   first {first / len(records):6.1%}")


def quotes(document: Document, question: str) -> list[Evidence]:
    """What `extract` picks from a document, quoted through the ledger."""
    ledger = Ledger()
    ledger.admit([document])
    places: dict[str, tuple[int, int]] = {}
    views: list[SentencedPassage] = []
    for number, passage in enumerate(chunk(document), start=1):
        found: list[SentenceView] = []
        for start, end in sentence_spans(passage.text):
            key = f"P{number}.S{len(found) + 1}"
            places[key] = (passage.start + start, passage.start + end)
            found.append(SentenceView(id=key, text=passage.text[start:end]))
        views.append(SentencedPassage(id=f"P{number}", section=passage.section or "", sentences=tuple(found)))
    return [ledger.quote(document.id, *places[key]) for key in quotable_sentences(question, views)]


def main() -> None:
    """Print the three tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--split", choices=("test", "train"), default="test")
    arguments = parser.parse_args()
    records = read(arguments.folder, arguments.split)
    dice = random.Random(0)
    rows: dict[str, Choose] = {
        "extract": extracted,
        "lead 3": lambda _, sentences: range(min(3, len(sentences))),
        "last 3": lambda _, sentences: range(max(0, len(sentences) - 3), len(sentences)),
        "random 3": lambda _, sentences: dice.sample(range(len(sentences)), min(3, len(sentences))),
    }
    print(f"{len(records)} abstracts without their conclusion")
    for name, choose in rows.items():
        selection(records, name, choose)
    print("with their conclusion")
    for name, choose in rows.items():
        conclusions(records, name, choose)
    total = verbatim = 0
    for record in records:
        document = pubmedqa_document(record)
        for evidence in quotes(document, record["question"]):
            total += 1
            verbatim += document.text[evidence.start : evidence.end] == evidence.quote
    print(f"quotes found verbatim: {verbatim} of {total} ({verbatim / total:.1%})")


if __name__ == "__main__":
    main()
