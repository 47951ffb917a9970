"""Asks about retracted papers, and looks for one that any surface of a server shows without its mark.

    python benchmarks/retractions.py --data ../shared/data --home FOLDER

21 retracted papers stand among PubMedQA's 1,000 abstracts in a corpus that is built in the home folder. The papers are
those of the data that the shipped list of retracted PMIDs names (BioASQ's snippets, PubMedQA, open trials, MEDLINE
files); where these are fewer than 21, abstracts of PubMedQA are marked as retracted to make up the number. Each paper
is asked about with its title or its own question. A surface shows a paper where its id or title stands; it is unmarked
where the same entry (a record of JSON, an item of a list, a line) does not say that it is retracted.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from lxml import etree
from served import served

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import READERS
from medground.corpus.retraction import listed

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "tests" / "kits"), str(HERE.parent / "scripts")]

import marked  # noqa: E402
import surfaces  # noqa: E402

WANTED = 21
NAME = "retracted"


@dataclass(frozen=True)
class Paper:
    """A retracted paper: its PMID, what is asked about it, its record, and whether only this benchmark retracted it."""

    pmid: str
    question: str
    record: Mapping[str, Any]
    planted: bool = False


def papers(data: Path) -> list[Paper]:
    """The retracted papers of the data, then as many marked ones as are wanted."""
    retracted = {name.removeprefix("pmid:") for name in listed()}
    found = [paper for paper in _listed(data) if paper.pmid in retracted]
    unique = list({paper.pmid: paper for paper in found}.values())[:WANTED]
    others = [record for record in _pubmedqa(data) if record.pmid not in retracted]
    for paper in random.Random(3).sample(others, WANTED - len(unique)):
        marked_record = {**paper.record, "publication_types": ["Retracted Publication"]}
        unique.append(Paper(paper.pmid, paper.question, marked_record, planted=True))
    return unique


def _listed(data: Path) -> Iterator[Paper]:
    yield from _pubmedqa(data)
    questions = {
        pmid.removeprefix("PMID:"): one.question for one in marked.bioasq(data) for pmid in one.gold if one.question
    }
    for record in marked.bioasq_corpus(data):
        if record["abstract"] and record["pmid"] in questions:
            yield _paper(record["pmid"], questions[record["pmid"]], record["title"], record["abstract"])
    for record in marked.lines(data / "evidence_inference" / "rct_abstracts_open.jsonl.gz"):
        text = "\n".join(part["text"] for part in record["abstract"])
        yield _paper(record["pmid"], record["title"], record["title"], text)
    for path in sorted((data / "pubmed_xml" / "raw").glob("*.xml*")):
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            yield from _medline(etree.parse(file))


def _pubmedqa(data: Path) -> Iterator[Paper]:
    for record in marked.lines(data / "pubmedqa" / "pqa_l.jsonl.gz"):
        text = "\n".join([*record["contexts"], record["long_answer"]])
        yield _paper(str(record["pmid"]), record["question"], record["question"], text)


def _medline(tree: Any) -> Iterator[Paper]:
    for record in tree.iter("MedlineCitation"):
        title = "".join(record.find(".//ArticleTitle").itertext())
        text = " ".join("".join(part.itertext()) for part in record.iter("AbstractText"))
        if text:
            yield _paper(record.findtext("PMID"), title, title, text)


def _paper(pmid: str, question: str, title: str, text: str) -> Paper:
    return Paper(pmid, question, {"pmid": pmid, "title": title, "abstract": text})


def corpus(data: Path, home: Path, chosen: list[Paper]) -> None:
    """Build the corpus, with the record of each retracted paper in place of another of the same PMID."""
    records = {paper.pmid: dict(paper.record) for paper in _pubmedqa(data)}
    records.update({paper.pmid: dict(paper.record) for paper in chosen})
    path = home / "retracted.jsonl"
    path.write_text("\n".join(map(json.dumps, records.values())) + "\n", encoding="utf-8")
    build(Library(home), NAME, [READERS["jsonlines"].open(path)])


def terminal(home: Path, trace_id: str) -> str:
    """What `medground show` prints of an answer."""
    command = [sys.executable, "-m", "medground", "show", trace_id]
    environment = {**os.environ, "MEDGROUND_HOME": str(home)}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


def main() -> None:
    """Ask about each paper, and print a row for each surface."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--home", type=Path, required=True)
    given = parser.parse_args()
    chosen = papers(given.data)
    corpus(given.data, given.home, chosen)
    planted = sum(paper.planted for paper in chosen)
    print(f"{len(chosen)} retracted papers, {len(chosen) - planted} of the list, {planted} marked here\n")
    shown: Counter[str] = Counter()
    unmarked: Counter[str] = Counter()
    surfaces_seen: dict[str, None] = {}
    cited = 0
    with served(given.home, [NAME]) as server, httpx2.Client(base_url=server.address, timeout=120) as client:
        for paper in chosen:
            name = f"PMID:{paper.pmid}"
            found = surfaces.marked(client, paper.question, name)
            answer = surfaces.asked(client, paper.question)
            cited += surfaces.cites(answer, name)
            found["terminal"] = surfaces.marks_in_text(terminal(given.home, answer["trace_id"]), name)
            for surface, marks in found.items():
                surfaces_seen[surface] = None
                shown[surface] += bool(marks)
                unmarked[surface] += not all(marks)
    print(f"quoted as evidence: {cited}\n")
    print("| surface | papers shown | unmarked |\n| --- | --- | --- |")
    for surface in surfaces_seen:
        print(f"| {surface} | {shown[surface]} | {unmarked[surface]} |")


if __name__ == "__main__":
    main()
