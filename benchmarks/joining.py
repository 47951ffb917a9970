"""Measures the joining of files with their MEDLINE records: how many are joined, how many wrongly, and the price.

    python benchmarks/joining.py ../shared/data [--pdfs 40]

No article of ../shared/data/jats is in ../shared/data/pubmed_xml, so the records are made: one of each article (its own
title, PMID and DOI, no PMC id), and one of each paper that it cites (title, PMID and DOI as its reference list has
them). They stand in one corpus with the real records of pubmed_xml. What is cited is what a wrong DOI on a first page
would be.

- The JATS files, and PDFs made of them in eight layouts (`scripts/make_pdfs.py`; one prints no DOI).
- Every article with the id of each paper that it cites: is it refused?
- The price of the phase that joins, beside a build without it, of `enrich`, and of `sync` when
  nothing changed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxml import etree

from medground.corpus import tables
from medground.corpus.build import build
from medground.corpus.join import join_records, open_records
from medground.corpus.library import Library
from medground.corpus.phases import copy_base
from medground.corpus.readers import find_inputs
from medground.corpus.records import Records, decide
from medground.corpus.sync import enrich, sync
from medground.corpus.writer import DatabaseWriter
from medground.values.document import Document
from medground.values.steps import no_progress
from medground_evaluate.statistics import wilson

ROOT = Path(__file__).resolve().parent.parent
REPEATS = 5


@dataclass(frozen=True)
class Cited:
    """A paper that an article cites, as its reference list has it."""

    article: str
    title: str
    ids: dict[str, str]
    year: int | None


def words(element: etree._Element | None) -> str:
    """The text of an element in one line."""
    return "" if element is None else " ".join("".join(element.itertext()).split())


def cited_by(path: Path) -> Iterator[Cited]:
    """The papers with a title and a PMID or DOI in the reference list of an article."""
    tree = etree.fromstring(gzip.decompress(path.read_bytes()))
    name = path.name.partition(".")[0]
    for reference in tree.iterfind(".//ref-list//ref"):
        ids = {each.get("pub-id-type", ""): words(each) for each in reference.iterfind(".//pub-id")}
        ids = {kind: value for kind, value in ids.items() if kind in ("pmid", "doi") and value}
        title, year = words(reference.find(".//article-title")), words(reference.find(".//year"))[:4]
        if title and ids:
            yield Cited(name, title, ids, int(year) if year.isdecimal() else None)


def described(document_id: str, title: str, ids: dict[str, str], year: int | None) -> dict[str, Any]:
    """A record as a line of JSON Lines has it."""
    types = ["Randomized Controlled Trial"]
    return {"id": document_id, "title": title, "text": title, "year": year, "publication_types": types, **ids}


def make_records(articles: list[dict[str, Any]], cited: list[Cited], data: Path, folder: Path) -> None:
    """The records of all articles and of what they cite, and the real ones."""
    lines = {}
    for n, one in enumerate(cited):
        made = described(f"PMID:{one.ids['pmid']}" if "pmid" in one.ids else f"DOC:{n}", one.title, one.ids, one.year)
        lines[made["id"]] = made
    for row in articles:
        ids = {"pmid": row["pmid"], "doi": row["doi"]}
        lines[f"PMID:{row['pmid']}"] = described(f"PMID:{row['pmid']}", row["title"], ids, int(row["year"]))
    (folder / "records.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines.values()))
    for path in (data / "pubmed_xml" / "raw").iterdir():
        (folder / path.name).symlink_to(path)


def share(count: int, total: int) -> str:
    """A share with its 95 % interval (Wilson)."""
    if not total:
        return "0 of 0"
    low, high = wilson(count, total)
    return f"{count:,} of {total:,} ({100 * count / total:.1f} %, {100 * low:.1f} to {100 * high:.1f})"


def judged(library: Library, name: str, right: Callable[[str], str | None]) -> str:
    """How many documents were joined with their own record; `right` gives its PMID by the name of the file."""
    with library.open(name) as snapshot:
        found = snapshot.document_reports()
    known = [entry for entry in found if right(entry.file)]
    good = sum(entry.outcome == "joined" and entry.record == f"PMID:{right(entry.file)}" for entry in known)
    bad = sum(entry.outcome == "joined" for entry in known) - good
    others = {
        what: sum(entry.outcome == what for entry in known) for what in ("no id", "not found", "title", "several")
    }
    rest = ", ".join(f"{count} {what}" for what, count in others.items() if count)
    return f"joined {share(good, len(known))}; wrongly {bad}; {rest or 'none left'}"


def wrong_ids(documents: dict[str, Document], cited: list[Cited]) -> str:
    """How many articles with the id of a paper that they cite are joined with its record."""
    joined = []
    for one in cited:
        own = documents.get(one.article)
        if own is None:
            continue
        record = Document(id="PMID:1", title=one.title, text=one.title, identifiers=one.ids, year=one.year)
        wrong = own.model_copy(update={"id": "FILE:a.pdf", "identifiers": one.ids})
        if decide(wrong, [record])[0] == "joined":
            joined.append(f"    {own.title[:90]} ({own.year}) | {one.title[:90]} ({one.year})")
    return "\n".join([f"wrong id joined: {share(len(joined), len(cited))}", *joined[:10]])


def prices(library: Library, papers: Path) -> None:
    """Print what joining costs, beside a build of the same files without it."""
    inputs = find_inputs([papers])
    spent = median(lambda: build(library, "plain", inputs))
    count = library.info("plain").counts.documents
    print(f"{count:,} documents; build without records: {spent}")
    [records] = open_records(library, "priced", ["medline"])
    print(f"  the phase that joins: {median(lambda: joined(library, records))}")
    anew = median(lambda: enrich(library, "plain", [records]), before=lambda: enrich(library, "plain", []))
    print(f"  enrich: {anew}")
    print(f"  sync when nothing changed: {median(lambda: sync(library, 'plain', papers))}")


def joined(library: Library, records: Records) -> None:
    """The phase by itself, in a copy of the database of the corpus `plain`, whose documents are as their files have
    them.
    """
    with library.open("plain") as base, tempfile.TemporaryDirectory() as place:
        copy_base(base, Path(place))
        database = DatabaseWriter(Path(place) / tables.FILE_NAME)
        join_records(database, [records], no_progress, anew=True)
        database.close()


def median(work: Callable[[], object], before: Callable[[], object] = lambda: None) -> str:
    """Median and range of the processor seconds, and the median of the wall time: the machine is shared."""
    spent, wall = [], []
    for _ in range(REPEATS):
        before()
        begun, started = time.process_time(), time.perf_counter()
        work()
        spent.append(time.process_time() - begun)
        wall.append(time.perf_counter() - started)
    low, *_, high = sorted(spent)
    return f"{statistics.median(spent):.2f} s ({low:.2f} to {high:.2f}) of a processor, {statistics.median(wall):.2f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--pdfs", type=int, default=40, help="PDFs of each of the three families of layouts")
    arguments = parser.parse_args()
    data: Path = arguments.data.resolve()
    jats = data / "jats" / "evidence_inference"
    rows = [json.loads(line) for line in (data / "jats" / "index.jsonl").read_text().splitlines()]
    articles = [row for row in rows if row["file"].startswith("evidence_inference") and row["pmid"] and row["doi"]]
    pmids = {row["pmcid"]: row["pmid"] for row in articles}
    cited = [one for path in sorted(jats.glob("*.nxml.gz")) for one in cited_by(path)]
    with tempfile.TemporaryDirectory() as place:
        home, folder = Path(place, "home"), Path(place, "records")
        folder.mkdir()
        library = Library(home)
        make_records(articles, cited, data, folder)
        records = build(library, "medline", find_inputs([folder])).counts.documents
        print(f"{len(articles)} articles, {len(cited):,} cited papers, {records:,} records")

        def right(file: str) -> str | None:
            return pmids.get(Path(file).name.partition(".")[0])

        build(library, "jats", find_inputs([jats]), records=open_records(library, "jats", ["medline"]))
        print(f"JATS: {judged(library, 'jats', right)}")
        with library.open("jats") as snapshot:
            by_name = {d.identifiers.get("pmc", ""): d for d in snapshot.all_documents()}
        for layouts in ("ours", "unseen", "held-out") if arguments.pdfs else ():
            out = Path(place, layouts)
            command = [sys.executable, str(ROOT / "scripts" / "make_pdfs.py"), str(jats), str(out)]
            command += ["--layouts", layouts, "--count", str(arguments.pdfs)]
            subprocess.run(command, check=True, capture_output=True)
            for note in out.glob("*.json"):
                note.unlink()
            build(library, layouts, find_inputs([out]), records=open_records(library, layouts, ["medline"]))
            print(f"PDFs, layouts {layouts}: {judged(library, layouts, right)}")
        print(wrong_ids(by_name, cited))
        prices(library, jats)
        prices(library, folder)


if __name__ == "__main__":
    main()
