"""Measures the reading of folders as people have them, and what keeping up with one costs.

    python benchmarks/folders.py ../shared/data/pubmedqa/pqa_l.jsonl.gz [--sync 5000] [--many 50000]

- 1,000 files in thirteen formats, made from real abstracts, a tenth of them nothing that can be read: is every file
  read or named, and do title, year, DOI and text come out as they were written?
- A folder of 5,000 abstracts, each a file: the time of `sync` when one file changed, beside a build of the whole and
  `add` of the one file.
- A folder of 50,000 small files with links in a circle: the time of a build.
"""

from __future__ import annotations

import argparse
import gzip
import html
import io
import json
import os
import statistics
import tempfile
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from medground.corpus.build import add, build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.corpus.sync import sync
from medground.values.document import Document

REPEATS = 9


@dataclass(frozen=True)
class Paper:
    """What a file is made from."""

    pmid: str
    title: str
    abstract: str
    year: int

    @property
    def doi(self) -> str:
        """A DOI made from the PMID."""
        return f"10.5555/{self.pmid}"


def papers(path: Path) -> list[Paper]:
    """Real abstracts with their titles and years."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return [
        Paper(str(one["pmid"]), plain(one["question"]), plain(" ".join(one["contexts"])), int(one["year"]))
        for one in records
        if one.get("year")
    ]


def plain(text: str) -> str:
    """A text with white space collapsed."""
    return " ".join(text.split())


def docx_file(paper: Paper) -> bytes:
    """A Word document: title, headings, one paragraph."""
    import docx

    made = docx.Document()
    made.add_heading(paper.title, level=0)
    made.add_paragraph(f"doi: {paper.doi}")
    made.add_heading("Abstract", level=1)
    made.add_paragraph(paper.abstract)
    content = io.BytesIO()
    made.save(content)
    return content.getvalue()


def html_file(paper: Paper) -> str:
    """A publisher's page, with scripts, a menu and a footer around the text."""
    title, text = html.escape(paper.title), html.escape(paper.abstract)
    return (
        f"<!DOCTYPE html><html><head><title>{title} | Journal</title>"
        f'<meta name="citation_title" content="{title}">'
        f'<meta name="citation_doi" content="{paper.doi}">'
        f'<meta name="citation_publication_date" content="{paper.year}">'
        "<script>track('all')</script></head><body><nav><a href='/'>Home</a></nav>"
        f"<article><h1>{title}</h1><h2>Abstract</h2><p>{text}</p></article><footer>Terms</footer></body></html>"
    )


def csl(paper: Paper) -> str:
    """CSL-JSON with one record."""
    return json.dumps(
        [
            {
                "type": "article-journal",
                "title": paper.title,
                "abstract": paper.abstract,
                "DOI": paper.doi,
                "issued": {"date-parts": [[paper.year]]},
            }
        ]
    )


def csv_file(paper: Paper) -> str:
    """A table with one row."""
    quoted = [f'"{value.replace(chr(34), chr(34) * 2)}"' for value in (paper.title, paper.abstract)]
    return f"Title,Abstract,DOI,Year\n{quoted[0]},{quoted[1]},{paper.doi},{paper.year}\n"


def endnote(paper: Paper) -> str:
    """EndNote XML with one record."""
    title, text = html.escape(paper.title), html.escape(paper.abstract)
    return (
        f'<xml><records><record><ref-type name="Journal Article">17</ref-type><titles><title>{title}</title></titles>'
        f"<dates><year>{paper.year}</year></dates><electronic-resource-num>{paper.doi}</electronic-resource-num>"
        f"<abstract>{text}</abstract></record></records></xml>"
    )


def bibtex(paper: Paper) -> str:
    """BibTeX with one entry, its special characters escaped."""
    title, text = (
        "".join(f"\\{letter}" if letter in "%&#$_" else letter for letter in value.replace("{", "(").replace("}", ")"))
        for value in (paper.title, paper.abstract)
    )
    return (
        f"@article{{k{paper.pmid}, title={{{title}}}, abstract={{{text}}}, year={paper.year}, doi={{{paper.doi}}}}}\n"
    )


def ris(paper: Paper) -> str:
    """RIS with one record."""
    return f"TY  - JOUR\nTI  - {paper.title}\nAB  - {paper.abstract}\nPY  - {paper.year}\nDO  - {paper.doi}\nER  - \n"


WRITERS: dict[str, Callable[[Paper], str | bytes]] = {
    ".nbib": lambda p: f"PMID- {p.pmid}\nTI  - {p.title}\nDP  - {p.year}\nAB  - {p.abstract}\nAID - {p.doi} [doi]\n",
    ".ris": ris,
    ".latin1.ris": lambda p: ris(p).encode("latin-1", "replace"),
    ".enw": lambda p: f"%0 Journal Article\n%T {p.title}\n%D {p.year}\n%R {p.doi}\n%X {p.abstract}\n",
    ".bib": bibtex,
    ".csv": csv_file,
    ".json": csl,
    ".xml": endnote,
    ".html": html_file,
    ".docx": docx_file,
    ".md": lambda p: f"---\ntitle: {json.dumps(p.title)}\nyear: {p.year}\ndoi: {p.doi}\n---\n\n{p.abstract}\n",
    ".txt": lambda p: p.abstract,
    ".jsonl": lambda p: json.dumps({"id": p.pmid, **vars(p), "doi": p.doi, "ward": "ICU"}) + "\n",
}
ALIENS: tuple[tuple[str, Callable[[Paper], bytes]], ...] = (
    (".png", lambda _: b"\x89PNG\r\n\x1a\n\x00"),
    (".empty.txt", lambda _: b""),
    (".cut.docx", lambda p: docx_file(p)[:9000]),
    (".zip", lambda _: b"PK\x03\x04\x00"),
    (".cut.xml", lambda p: endnote(p).encode()[:80]),
    (".bomb.docx", lambda _: bomb()),
    (".data.csv", lambda _: b"a,b\n1,2\n"),
    (".settings.json", lambda _: b'{"theme": "dark"}'),
)


def bomb() -> bytes:
    """A small DOCX that would unpack to 90 MB."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"<a>" * 30_000_000)
    return content.getvalue()


def mixed(folder: Path, material: list[Paper], count: int) -> dict[str, Paper]:
    """Write `count` files; every tenth holds nothing that can be read. Returns the papers by the name of their file."""
    written = {}
    kinds = list(WRITERS.items())
    for number in range(count):
        paper = material[number % len(material)]
        below = folder / f"d{number % 7}"
        below.mkdir(parents=True, exist_ok=True)
        if number % 10 == 9:
            suffix, make = ALIENS[(number // 10) % len(ALIENS)]
            (below / f"{number:04}{suffix}").write_bytes(make(paper))
            continue
        suffix, write = kinds[number % len(kinds)]
        content = write(paper)
        file = below / f"{number:04}{suffix}"
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        written[str(file)] = paper
    return written


def reading(home: Path, material: list[Paper]) -> None:
    """The thousand mixed files."""
    folder = home / "mixed"
    written = mixed(folder, material, 1000)
    started = time.perf_counter()
    manifest = build(Library(home), "mixed", find_inputs([folder]))
    seconds = time.perf_counter() - started
    with Library(home).open("mixed") as snapshot:
        told = snapshot.file_report()
        read = {file.name for file in told.files if file.reason is None}
        named = {file.name for file in told.files if file.reason is not None}
        for line in told.lines():
            print(f"    {line}")
    everything = {str(path) for path in folder.rglob("*") if path.is_file()}
    print(f"files {len(everything)}: read {len(read)}, named {len(named)}, neither {len(everything - read - named)}")
    print(f"readable but not read: {len(set(written) - read)}; documents {manifest.counts.documents}; {seconds:.1f} s")
    rights: dict[str, list[tuple[bool, bool, bool, bool]]] = {}
    for name, paper in written.items():
        suffix = next(suffix for suffix in sorted(WRITERS, key=len, reverse=True) if name.endswith(suffix))
        (source,) = find_inputs([Path(name)])
        (document,) = (item for item in source.read(0) if isinstance(item, Document))
        rights.setdefault(suffix, []).append(right(document, paper))
    print(f"{'format':<14}{'files':>6}{'title':>8}{'year':>8}{'DOI':>8}{'text':>8}")
    for suffix, found in rights.items():
        shares = "".join(share(suffix, at, [one[at] for one in found]) for at in range(4))
        print(f"{suffix:<14}{len(found):>6}{shares}")


def share(suffix: str, at: int, found: list[bool]) -> str:
    """The share that is right; a dash where the file does not hold it."""
    absent = {".txt": (0, 1, 2), ".docx": (1,)}
    return f"{'-':>8}" if at in absent.get(suffix, ()) else f"{statistics.mean(found):>8.1%}"


def right(document: Document, paper: Paper) -> tuple[bool, bool, bool, bool]:
    """Whether title, year and DOI are those that were written, and the abstract is in the text as a whole."""
    text = " ".join(document.text.split())
    return (
        document.title == paper.title,
        document.year == paper.year,
        document.identifiers.get("doi") == paper.doi,
        paper.abstract in text,
    )


def syncing(home: Path, material: list[Paper], count: int) -> None:
    """One changed file of many."""
    folder, library = home / "abstracts", Library(home)
    folder.mkdir()
    for number in range(count):
        paper = material[number % len(material)]
        (folder / f"{number:05}.txt").write_text(f"{paper.title}\n\n{paper.abstract} Copy {number}.")
    print(f"build of {count:,} files: {timed(lambda: sync(library, 'abstracts', folder)):.2f} s")
    print(f"sync, nothing changed: {median(lambda: sync(library, 'abstracts', folder))}")

    def change() -> None:
        file = folder / f"{count // 2:05}.txt"
        file.write_text(f"{file.read_text()} Changed.")
        sync(library, "abstracts", folder)

    print(f"sync, one file changed: {median(change)}")
    one = home / "one.txt"
    one.write_text("One more.")
    print(f"add of one file, for comparison: {median(lambda: add(library, 'abstracts', find_inputs([one])))}")
    changed = folder / "00001.txt"
    changed.write_text("Another text.")
    again = timed(lambda: build(library, "again", find_inputs([folder])))
    print(f"build of the whole again, for comparison: {again:.2f} s")


def many(home: Path, count: int) -> None:
    """Many small files, with links in a circle."""
    folder = home / "many"
    for number in range(count):
        below = folder / f"d{number % 100}"
        if number < 100:
            below.mkdir(parents=True)
            (below / "up").symlink_to(folder)
        (below / f"{number}.txt").write_text(f"Text number {number}.")
    begun = time.perf_counter()
    inputs = find_inputs([folder])
    listed = time.perf_counter() - begun
    manifest = build(Library(home), "many", inputs)
    seconds = time.perf_counter() - begun
    print(
        f"{count:,} files and 100 links in a circle: {len(inputs):,} told, {manifest.counts.documents:,} read; "
        f"listed in {listed:.1f} s, built in {seconds:.1f} s"
    )


def timed(call: Callable[[], object]) -> float:
    """Seconds that a call takes."""
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def median(call: Callable[[], object]) -> str:
    """Median and range of several calls."""
    seconds = sorted(timed(call) for _ in range(REPEATS))
    return f"{statistics.median(seconds):.2f} s ({seconds[0]:.2f} to {seconds[-1]:.2f}, {REPEATS} runs)"


def main() -> None:
    """Measure everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path)
    parser.add_argument("--sync", type=int, default=5000)
    parser.add_argument("--many", type=int, default=50_000)
    chosen = parser.parse_args()
    os.environ.pop("MEDGROUND_HOME", None)
    material = papers(chosen.records)
    with tempfile.TemporaryDirectory() as home:
        reading(Path(home), material)
        syncing(Path(home), material, chosen.sync)
        many(Path(home), chosen.many)


if __name__ == "__main__":
    main()
