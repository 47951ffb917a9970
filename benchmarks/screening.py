"""Measures what the keyless `screen` keeps, and how often the keyless `sufficient` is satisfied.

    python benchmarks/screening.py PUBMEDQA_FOLDER [--split test]

For each question, screens its own abstract, a random other one, and the nearest wrong one (the best BM25 hit that is
not its own). Titles are left out, because PubMedQA's titles are its questions. For each off-topic question, screens the
best 20 hits. `sufficient`: the share of questions for which quotes from the first 5 documents are enough. The
thresholds and word lists were chosen on the training split.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

from pubmedqa import FILE, Record, read, shown

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.snapshot import Snapshot
from medground.language.sentences import sentence_spans
from medground.models.operators.base import EvidenceView, PassageView, SentencedPassage, SentenceView
from medground.models.operators.reading import covers_the_topic, quotable_sentences, relevant_passages
from medground.values.query import Words
from medground_evaluate.datasets.readers import open_pubmedqa

OFF_TOPIC = (
    "What is the capital of Australia?",
    "Who won the 1998 world cup?",
    "How do I bake sourdough bread?",
    "What is the tallest mountain in Africa?",
    "Who wrote Pride and Prejudice?",
    "When did the Berlin Wall fall?",
    "What is the speed of light in vacuum?",
    "How many players are on a basketball team?",
    "Is Python faster than Java?",
    "Who painted the Mona Lisa?",
    "What is the currency of Japan?",
    "Did Napoleon win the battle of Waterloo?",
    "Can I return a laptop after thirty days?",
    "Who is the president of France?",
    "How far is the moon from the earth?",
    "Are electric cars cheaper than petrol cars?",
    "What year did the Titanic sink?",
    "Should I repaint my kitchen before selling the house?",
    "Is gold a good investment in 2020?",
    "Was Shakespeare born in Stratford?",
)


def passes(question: str, text: str) -> bool:
    """Whether screening keeps a text for a question."""
    return bool(relevant_passages(question, [PassageView(id="P1", text=text)]))


def found(snapshot: Snapshot, question: str, count: int) -> list[tuple[str, str]]:
    """Id and text of the best documents by BM25 on their abstracts."""
    hits = snapshot.bm25(Words(text=question, field="text"), 3 * count)
    ids = list(dict.fromkeys(hit.passage.document_id for hit in hits))[:count]
    documents = snapshot.documents(ids)
    return [(i, documents[i].text) for i in ids]


def enough(question: str, texts: Sequence[str]) -> bool:
    """Whether the quotes from these documents, screened and extracted, are sufficient."""
    kept = relevant_passages(question, [PassageView(id=f"P{n}", text=text) for n, text in enumerate(texts)])
    views, by_id = [], {}
    for key in kept:
        text = texts[int(key[1:])]
        spans = sentence_spans(text)
        sentences = tuple(SentenceView(id=f"{key}.S{n}", text=text[a:b]) for n, (a, b) in enumerate(spans))
        by_id |= {s.id: s.text for s in sentences}
        views.append(SentencedPassage(id=key, sentences=sentences))
    picked = quotable_sentences(question, views)
    return covers_the_topic(
        question, [EvidenceView(id=f"E{n}", quote=by_id[key]) for n, key in enumerate(picked, start=1)]
    )


def report(records: Sequence[Record], snapshot: Snapshot) -> None:
    """Print the rates."""
    dice = random.Random(0)
    own, other, nearest, content = [], [], [], []
    for record in records:
        question, text = record["question"], "\n\n".join(record["contexts"])
        hits = found(snapshot, question, 5)
        wrong = [t for i, t in hits if i != f"PMID:{record['pmid']}"]
        random_other = dice.choice([r for r in records if r is not record])
        own.append(passes(question, text))
        other.append(passes(question, "\n\n".join(random_other["contexts"])))
        nearest.append(bool(wrong) and passes(question, wrong[0]))
        content.append(enough(question, [t for _, t in hits]))
    print(f"own abstract passes            {shown(own)}")
    print(f"random other abstract passes   {shown(other)}")
    print(f"nearest wrong abstract passes  {shown(nearest)}")
    print(f"first 5 documents suffice      {shown(content)}")
    strays = [(q, n) for q in OFF_TOPIC if (n := sum(passes(q, text) for _, text in found(snapshot, q, 20)))]
    print(f"off-topic questions with a passage: {len(strays)} of {len(OFF_TOPIC)} {strays or ''}")


def main() -> None:
    """Build a corpus of the 1,000 abstracts and print the rates."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--split", choices=("test", "train"), default="test")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        library = Library(Path(home))
        build(library, "pubmedqa", [open_pubmedqa(arguments.folder / FILE)])
        with library.open("pubmedqa") as snapshot:
            report(read(arguments.folder, arguments.split), snapshot)


if __name__ == "__main__":
    main()
