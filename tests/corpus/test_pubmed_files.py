"""PubMed's baseline and update files: adds, revisions and deletions in the order of their numbers."""

from __future__ import annotations

import gzip
import itertools
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from rows import each_row
from small_corpora import contents

from medground.corpus.build import add, build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.corpus.readers.folders import release_of
from medground.errors import BadDocument

Records = Mapping[int, str | None]
"""What a file says of papers by PMID: their text, or None where it deletes them."""

_ticks = itertools.count(1_700_000_000)


def write(folder: Path, number: int, records: Records, *, year: int = 26) -> Path:
    """A file as NLM publishes it, with a new time."""
    folder.mkdir(parents=True, exist_ok=True)
    articles = "".join(
        f'<PubmedArticle><MedlineCitation><PMID Version="1">{pmid}</PMID><Article><ArticleTitle>T{pmid}</ArticleTitle>'
        f"<Abstract><AbstractText>{text}</AbstractText></Abstract></Article></MedlineCitation></PubmedArticle>"
        for pmid, text in records.items()
        if text is not None
    )
    gone = "".join(f'<PMID Version="1">{pmid}</PMID>' for pmid, text in records.items() if text is None)
    deleted = f"<DeleteCitation>{gone}</DeleteCitation>" if gone else ""
    path = folder / f"pubmed{year}n{number:04}.xml.gz"
    path.write_bytes(gzip.compress(f"<PubmedArticleSet>{articles}{deleted}</PubmedArticleSet>".encode()))
    now = next(_ticks)
    os.utime(path, (now, now))
    return path


def stated(files: Sequence[Records]) -> dict[str, str]:
    """What files in their order come to."""
    found: dict[int, str | None] = {}
    for records in files:
        found |= records
    return {f"PMID:{pmid}": text for pmid, text in sorted(found.items()) if text is not None}


def texts(library: Library, name: str = "pubmed") -> dict[str, str]:
    return {document.id: document.text for document in contents(library, name).values()}


def notes(library: Library, name: str = "pubmed") -> dict[str, list[str]]:
    with library.open(name) as snapshot:
        told = snapshot.file_report()
        refused = {entry.reason: [Path(entry.name).name] for entry in told.files if entry.reason is not None}
        return refused | {text: [Path(one).name for one in names] for text, names in told.notes.items()}


BASELINE: Records = {1: "One.", 2: "Two.", 3: "Three."}
UPDATE: Records = {2: "Two, revised.", 3: None, 4: "Four."}
LATER: Records = {1: None, 3: "Three again.", 4: "Four, revised."}


@each_row(
    ("name", "release"),
    [
        ("baseline/pubmed26n0001.xml.gz", (26, 1)),
        ("pubmed09n1274.xml", (9, 1274)),
        ("medline16n0902.xml.gz", (16, 902)),
        ("pubmed26n0001.xml.gz.md5", None),
        ("mypubmed26n0001.xml", None),
    ],
)
def test_names_of_files(name: str, release: tuple[int, int] | None) -> None:
    assert release_of(name) == release


@each_row("order", [(2, 1, 0), (1, 2, 0)])
def test_files_given_or_added_in_any_order_come_to_the_same(
    tmp_path: Path, library: Library, order: Sequence[int]
) -> None:
    """A baseline that is added after its updates revises nothing, and brings back nothing that they delete."""
    said = [BASELINE, UPDATE, LATER]
    paths = [write(tmp_path / str(at), at + 1, records) for at, records in enumerate(said)]
    build(library, "pubmed", find_inputs([paths[at] for at in order]))
    assert texts(library) == stated(said)
    late = [paths[at].name for place, at in enumerate(order) if any(before > at for before in order[:place])]
    told = [name for text, names in notes(library).items() if text.startswith("given out of order") for name in names]
    assert sorted(told) == sorted(late)
    build(library, "added", find_inputs([paths[order[0]]]))
    for at in order[1:]:
        add(library, "added", find_inputs([paths[at]]))
    assert texts(library, "added") == stated(said)
    if order[0] == 2:
        assert any(text.startswith("older than pubmed26n0003, which was") for text in notes(library, "added"))


def test_a_file_given_twice_is_read_once(tmp_path: Path, library: Library) -> None:
    first = write(tmp_path / "a", 1, BASELINE)
    second = write(tmp_path / "b", 1, BASELINE)
    build(library, "pubmed", find_inputs([first, second]))
    assert texts(library) == stated([BASELINE])
    (reason,) = notes(library)
    assert reason.startswith(f"PubMed's pubmed26n0001 is given twice; it is read as {first}")
    with pytest.raises(BadDocument, match="is given twice"):
        find_inputs([first, second], strict=True)
    add(library, "pubmed", find_inputs([second]))
    assert any(text.startswith("PubMed's pubmed26n0001 was read before, as") for text in notes(library))


def test_missing_numbers_are_told(tmp_path: Path, library: Library) -> None:
    for number in (1, 2, 5):
        write(tmp_path, number, BASELINE)
    build(library, "pubmed", find_inputs([tmp_path]))
    assert notes(library) == {
        "the files between pubmed26n0002 and pubmed26n0005 are missing; revisions in them are lost": [
            "pubmed26n0005.xml.gz"
        ]
    }
