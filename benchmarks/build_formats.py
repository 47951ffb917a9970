"""Measures how fast a corpus is built of each format of records, beside another version of the program.

    python benchmarks/build_formats.py --data ../shared/data --before SRC [--records 3000] [--rounds 9] [--only ris,csv]

SRC is the `src` folder of another checkout. The records are SciFact's, written in each format with authors, journal,
date, ids and keywords. Each version has a process of its own, one thread; round by round both build the same file, in
turns who is first. A row gives the median over the rounds of this version's time beside the other's, in CPU and in
wall seconds, with 95 % intervals (bootstrap over rounds). Limit: 1.0. The first round is not counted.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from html import escape
from pathlib import Path
from textwrap import fill
from typing import Any

from before import interval

Record = dict[str, Any]


def records(data: Path, count: int) -> list[Record]:
    """SciFact's abstracts as records with what an export has."""
    lines = gzip.decompress((data / "scifact" / "corpus.jsonl.gz").read_bytes()).splitlines()[:count]
    found = []
    for number, line in enumerate(lines):
        one = json.loads(line)
        names = [
            f"{one['title'].split()[at % 2 - 1].strip(':,').title()}son, Ada {'BCDE'[at]}."
            for at in range(number % 4 + 1)
        ]
        found.append(
            {
                "pmid": str(30_000_000 + number),
                "doi": f"10.5555/trial.{number}",
                "title": one["title"],
                "text": " ".join(one["abstract"]),
                "authors": names,
                "journal": f"Journal of Trials {number % 90}",
                "year": 1990 + number % 34,
                "month": number % 12 + 1,
                "volume": str(number % 80 + 1),
                "issue": str(number % 12 + 1),
                "first": str(number % 900 + 1),
                "last": str(number % 900 + 9),
                "keywords": ["trial", f"drug {number % 300}", "adults"],
            }
        )
    return found


def _tagged(pattern: str, tags: dict[str, str], end: str, width: int = 0) -> Callable[[list[Record]], str]:
    """A writer of tagged lines; `tags` has the field of each tag in order."""

    def one(record: Record) -> str:
        lines = []
        for tag, field in tags.items():
            value = field.format(**record) if "{" in field or field.isupper() else record[field]
            for part in value if isinstance(value, list) else [value]:
                line = pattern.format(tag=tag, value=part)
                lines.append(fill(line, width, subsequent_indent="      ") if width else line)
        return "\n".join([*lines, end]) + "\n"

    return lambda found: "".join(map(one, found))


_RIS = {"TY": "JOUR", "AU": "authors", "TI": "title", "JO": "journal", "PY": "{year}/{month:02}//", "VL": "volume"}
_RIS |= {"IS": "issue", "SP": "first", "EP": "last", "AB": "text", "KW": "keywords", "DO": "doi", "AN": "pmid"}
_NBIB = {"PMID": "pmid", "OWN": "NLM", "DP": "{year}", "TI": "title", "VI": "volume", "IP": "issue", "AB": "text"}
_NBIB |= {"PG": "{first}-{last}", "FAU": "authors", "AU": "authors", "LA": "{pmid:.0}eng", "OT": "keywords"}
_NBIB |= {"JT": "journal", "AID": "{doi} [doi]", "MH": "keywords"}
_ENW = {"%0": "{pmid:.0}Journal Article", "%A": "authors", "%T": "title", "%J": "journal", "%D": "{year}"}
_ENW |= {
    "%V": "volume",
    "%N": "issue",
    "%P": "{first}-{last}",
    "%X": "text",
    "%K": "keywords",
    "%R": "doi",
    "%M": "pmid",
}


def _bibtex(found: list[Record]) -> str:
    def one(number: int, record: Record) -> str:
        fields = {name: record[name] for name in ("title", "journal", "year", "volume", "doi", "pmid")}
        fields |= {"author": " and ".join(record["authors"]), "number": record["issue"]}
        fields |= {"pages": f"{record['first']}--{record['last']}", "keywords": ", ".join(record["keywords"])}
        fields["abstract"] = record["text"].replace("%", r"\%").replace("&", r"\&").replace("{", "").replace("}", "")
        said = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
        return f"@article{{key{number},\n{said}\n}}\n\n"

    return "".join(one(number, record) for number, record in enumerate(found))


def _csv(found: list[Record]) -> str:
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(["Authors", "Title", "Year", "Source title", "Volume", "Issue", "DOI", "Abstract", "PubMed ID"])
    for one in found:
        start = ["; ".join(one["authors"]), one["title"], one["year"], one["journal"], one["volume"], one["issue"]]
        rows.writerow([*start, one["doi"], one["text"], one["pmid"]])
    return text.getvalue()


def _csl(found: list[Record]) -> str:
    items = [
        {
            "id": one["doi"],
            "type": "article-journal",
            "title": one["title"],
            "container-title": one["journal"],
            "author": [dict(zip(("family", "given"), name.split(", "), strict=True)) for name in one["authors"]],
            "issued": {"date-parts": [[one["year"], one["month"]]]},
            "volume": one["volume"],
            "page": f"{one['first']}-{one['last']}",
            "abstract": one["text"],
            "DOI": one["doi"],
            "PMID": one["pmid"],
        }
        for one in found
    ]
    return json.dumps(items)


def _jsonlines(found: list[Record]) -> str:
    return "".join(json.dumps({**one, "id": one["pmid"]}) + "\n" for one in found)


def _xml(pattern: str, author: str, root: str) -> Callable[[list[Record]], str]:
    """A writer of XML: `pattern` of a record, `author` of each name, `root` around all."""

    def one(record: Record) -> str:
        plain = {name: escape(str(value)) for name, value in record.items()}
        names = "".join(
            author.format(family=escape(family), given=given)
            for family, given in (name.split(", ") for name in record["authors"])
        )
        return pattern.format(**plain, names=names)

    return lambda found: f"<?xml version='1.0'?><{root}>{''.join(map(one, found))}</{root.rpartition('<')[2]}>"


_ENDNOTE = _xml(
    "<record><ref-type name='Journal Article'>17</ref-type><contributors><authors>{names}</authors></contributors>"
    "<titles><title><style>{title}</style></title><secondary-title>{journal}</secondary-title></titles>"
    "<pages>{first}-{last}</pages><volume>{volume}</volume><number>{issue}</number><dates><year>{year}</year></dates>"
    "<accession-num>{pmid}</accession-num><abstract>{text}</abstract>"
    "<electronic-resource-num>{doi}</electronic-resource-num><remote-database-name>Medline</remote-database-name>"
    "</record>",
    "<author><style>{family}, {given}</style></author>",
    "records",
)
_MEDLINE = _xml(
    "<PubmedArticle><MedlineCitation><PMID>{pmid}</PMID><Article><Journal><JournalIssue><Volume>{volume}</Volume>"
    "<Issue>{issue}</Issue><PubDate><Year>{year}</Year></PubDate></JournalIssue><Title>{journal}</Title></Journal>"
    "<ArticleTitle>{title}</ArticleTitle><Abstract><AbstractText>{text}</AbstractText></Abstract>"
    "<AuthorList>{names}</AuthorList><Language>eng</Language></Article></MedlineCitation></PubmedArticle>",
    "<Author><LastName>{family}</LastName><Initials>{given}</Initials></Author>",
    "PubmedArticleSet",
)
_JATS = _xml(
    "<article><front><journal-meta><journal-title>{journal}</journal-title></journal-meta><article-meta>"
    "<article-id pub-id-type='pmid'>{pmid}</article-id><title-group><article-title>{title}</article-title>"
    "</title-group><contrib-group>{names}</contrib-group><pub-date><month>{month}</month><year>{year}</year></pub-date>"
    "<abstract><p>{text}</p></abstract></article-meta></front><body><sec><title>Results</title><p>{text}</p></sec>"
    "</body></article>",
    "<contrib contrib-type='author'><name><surname>{family}</surname>"
    "<given-names>{given}</given-names></name></contrib>",
    "pmc-articleset",
)

FORMATS: dict[str, tuple[str, Callable[[list[Record]], str]]] = {
    "ris": (".ris", _tagged("{tag}  - {value}", _RIS, "ER  - \n")),
    "nbib": (".nbib", _tagged("{tag:<4}- {value}", _NBIB, "", 88)),
    "enw": (".enw", _tagged("{tag} {value}", _ENW, "")),
    "bibtex": (".bib", _bibtex),
    "csv": (".csv", _csv),
    "csl-json": (".json", _csl),
    "jsonlines": (".jsonl", _jsonlines),
    "endnote": (".xml", _ENDNOTE),
    "medline": (".xml", _MEDLINE),
    "jats": (".xml", _JATS),
}


def work(home: Path) -> None:
    """Build a corpus of the file that each line read names, and print its wall and CPU seconds."""
    from medground.corpus.build import build
    from medground.corpus.library import Library
    from medground.corpus.readers import find_inputs

    for line in sys.stdin:
        shutil.rmtree(home, ignore_errors=True)
        wall, cpu = time.perf_counter(), time.process_time()
        built = build(Library(home), "built", find_inputs([Path(line.strip())])).counts.documents
        print(json.dumps([time.perf_counter() - wall, time.process_time() - cpu, built]), flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--records", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default=",".join(FORMATS))
    given = parser.parse_args()
    if given.work:
        work(given.work)
        return
    sources = (Path(__file__).resolve().parent.parent / "src", given.before.resolve())
    with tempfile.TemporaryDirectory() as folder:
        written = records(given.data, given.records)
        workers = [
            subprocess.Popen(
                [sys.executable, __file__, "--work", str(Path(folder, f"home{number}"))],
                env=os.environ | {"PYTHONPATH": str(source), "OMP_NUM_THREADS": "1"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for number, source in enumerate(sources)
        ]

        def built(worker: subprocess.Popen[str], path: Path) -> list[float]:
            assert worker.stdin is not None and worker.stdout is not None
            print(path, file=worker.stdin, flush=True)
            return list(json.loads(worker.stdout.readline()))

        for name in given.only.split(","):
            suffix, write = FORMATS[name]
            path = Path(folder, f"{name}{suffix}")
            path.write_text(write(written), encoding="utf-8")
            pairs = []
            for number in range(given.rounds + 1):
                order = workers if number % 2 else workers[::-1]
                took = [built(worker, path) for worker in order]
                pairs.append(took if number % 2 else took[::-1])
            cpu, wall = ([now[at] / then[at] for now, then in pairs[1:]] for at in (1, 0))
            spent = sorted(now[1] for now, _ in pairs)[len(pairs) // 2]
            told = f"{spent:.2f} s, {pairs[0][0][2]} and {pairs[0][1][2]} documents"
            print(f"{name:10} CPU {interval(cpu)}  wall {interval(wall)}  {told}", flush=True)
        for worker in workers:
            worker.communicate()


if __name__ == "__main__":
    main()
