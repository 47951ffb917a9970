"""Measures whether an answer from PDFs quotes the right sentence first as often as one from the same texts.

    python benchmarks/pdf_covidqa.py COVIDQA_FOLDER [--questions 100] [--seed 1]

The articles of COVID-QA are built into two corpora: as texts, and as PDFs of two hyphenated columns that are printed
from these texts. The same questions are asked of both, without a language model. An answer counts if its first quote
is from the article of the question and holds the marked answer (letters and digits, 90 % match), or is held by it.
Needs reportlab and pyphen.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

from pdfs.article import Article, Piece, Span
from pdfs.layouts import LAYOUTS, draw, supported
from rapidfuzz import fuzz

from medground import BlockingEngine, Settings
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.values.answer import Answer
from medground_evaluate.statistics import wilson

SURE = 90


def article(record: dict[str, Any]) -> Article:
    """A text of COVID-QA as an article: its paragraphs, without the lines on its source."""
    paragraphs = [" ".join(part.split()) for part in supported(record["text"]).split("\n\n")]
    pieces = [Piece("paragraph", (Span(text),), text) for text in paragraphs[3:] if len(text) > 40]
    title = supported(" ".join(record["title"].split()))
    return Article(f"a{record['doc_id']}", title, ("A Miller",), "", "Journal", 2020, "", "", pieces[:1], pieces[1:])


def right(answer: Answer, title: str, marked: Sequence[str], count: int) -> bool:
    """Whether one of the first quotes holds a marked answer."""
    titles = {document.id: letters(document.title) for document in answer.documents}
    for quote in answer.evidence[:count]:
        if titles.get(quote.document_id) == letters(title):
            said = letters(quote.quote)
            if any(fuzz.partial_ratio(letters(one), said) >= SURE for one in marked):
                return True
    return False


def letters(text: str) -> str:
    """Letters and digits only."""
    return re.sub(r"[\W_]+", "", text.casefold())


def asked(
    home: Path, corpus: str, questions: Sequence[dict[str, Any]], titles: dict[int, str]
) -> Iterator[tuple[bool, bool]]:
    """For each question: whether the first quote is right, and whether one of the first five is."""
    settings = Settings.load(environ={"MEDGROUND_HOME": str(home)})
    with BlockingEngine.open(settings, corpora=corpus) as engine:
        for question in questions:
            marked = [supported(one["text"]) for one in question["answers"]]
            answer = engine.ask(question["question"])
            title = titles[question["doc_id"]]
            yield right(answer, title, marked, 1), right(answer, title, marked, 5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with gzip.open(arguments.folder / "documents.jsonl.gz", "rt", encoding="utf-8") as lines:
        articles = {record["doc_id"]: article(record) for record in map(json.loads, lines)}
    printed: dict[int, str] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "pdf").mkdir()
        rows = []
        for number, one in articles.items():
            try:
                draw(one, LAYOUTS[1], folder / "pdf" / f"{one.name}.pdf", random.Random(number))
            except ValueError:
                (folder / "pdf" / f"{one.name}.pdf").unlink(missing_ok=True)
                continue
            printed[number] = one.title
            text = "\n\n".join(piece.plain for piece in (*one.abstract, *one.body))
            rows.append(json.dumps({"id": f"COVID:{number}", "title": one.title, "text": text}))
        (folder / "texts.jsonl").write_text("\n".join(rows), encoding="utf-8")
        library = Library(folder)
        build(library, "texts", find_inputs([folder / "texts.jsonl"]))
        build(library, "pdfs", find_inputs([folder / "pdf"]))
        content = (arguments.folder / "questions.jsonl").read_text(encoding="utf-8")
        questions = [q for q in map(json.loads, content.splitlines()) if q["doc_id"] in printed]
        questions = random.Random(arguments.seed).sample(questions, arguments.questions)
        found = {name: list(asked(folder, name, questions, printed)) for name in ("texts", "pdfs")}
    print(f"{len(printed)} of {len(articles)} articles, {len(questions)} questions")
    for at, what in enumerate(("first quote", "first five quotes")):
        for name, results in found.items():
            count = sum(result[at] for result in results)
            low, high = wilson(count, len(results))
            print(f"{what} right, {name}: {count} [{100 * low:.0f}, {100 * high:.0f}] %")
        won = sum(p[at] and not t[at] for t, p in zip(found["texts"], found["pdfs"], strict=True))
        lost = sum(t[at] and not p[at] for t, p in zip(found["texts"], found["pdfs"], strict=True))
        print(f"  only from PDFs {won}, only from texts {lost}")


if __name__ == "__main__":
    main()
