"""Compares the citations of an answer on every surface of a server.

    python benchmarks/citations.py --data ../shared/data --home FOLDER [--questions 200] [--pages markdown,html]

Half of the questions are claims of SciFact (dev), half are PubMedQA's, chosen at random; the corpora `scifact` and
`pubmedqa` of the home folder are searched. For each question the citations (document, start, end, quote) of
`POST /v1/ask` are compared with those of its event stream, of the answer after a reload, of the page's view, of the
chat endpoint with and without a stream, and of the exports; lists of references are compared by document and quote.
Each quote is looked up in its document with `GET /v1/documents/ID`. A mismatch is a citation on one side alone.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
import time
from collections import Counter
from pathlib import Path

import httpx2
from served import served

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "kits"))

import surfaces  # noqa: E402


def questions(data: Path, count: int) -> list[str]:
    """Claims and questions, as many of each."""
    with (data / "scifact" / "claims_dev.jsonl").open(encoding="utf-8") as file:
        claims = [json.loads(line)["claim"] for line in file]
    with gzip.open(data / "pubmedqa" / "pqa_l.jsonl.gz", "rt", encoding="utf-8") as file:
        asked = [json.loads(line)["question"] for line in file]
    order = random.Random(17)
    return [*order.sample(claims, count // 2), *order.sample(asked, count - count // 2)]


def main() -> None:
    """Ask, compare, and print a row for each surface."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--pages", default=",".join(surfaces.PAGES))
    given = parser.parse_args()
    begun = time.perf_counter()
    wrong: Counter[str] = Counter()
    asked = cited = 0
    with (
        served(given.home, ["scifact", "pubmedqa"]) as server,
        httpx2.Client(base_url=server.address, timeout=120) as client,
    ):
        for question in questions(given.data, given.questions):
            found = surfaces.compared(client, question, given.pages.split(","))
            wrong.update({name: count for name, count in found.items() if name != "citations"})
            cited += found["citations"]
            asked += 1
            if any(count for name, count in found.items() if name != "citations"):
                print(f"mismatch: {question}: {found}", file=sys.stderr)
    print(f"{asked} questions, {cited} citations, {time.perf_counter() - begun:.0f} s\n")
    print("| surface | mismatches |\n| --- | --- |")
    for name, count in wrong.items():
        print(f"| {name} | {count} |")


if __name__ == "__main__":
    main()
