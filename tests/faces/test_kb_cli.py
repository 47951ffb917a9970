"""`medground kb ...` and `--kb` as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Printed, printing
from knowledge_base import ALL, BOOK, GUIDELINE, WIKI, filled, written
from rows import each_row

from medground.corpus.library import Library


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str]) -> Printed:
    """Printeds the program, and gives its exit status, output and messages."""
    return printing(capsys)


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    return written(filled(tmp_path / "in"), *ALL)


def test_build_list_show_stats_verify_remove(run: Printed, home: Path, spec: Path) -> None:
    code, out, err = run("kb", "build", spec, "-q")
    assert code == 0
    assert "omni.book: 3 documents, 3 passages" in out
    assert [line.split()[0] for line in out.splitlines()[-7:]] == [
        *("Source", "book", "guideline", "research", "wiki"),
        *("#Concepts", "graph"),
    ]
    code, again, err = run("kb", "build", spec, "-q")
    assert err.count("is up to date") == 5
    assert again.strip() == "\n".join(out.splitlines()[-7:]).strip()

    assert run("kb", "list")[1].startswith("omni             book, guideline, research, wiki, graph; ")
    shown = run("kb", "show", "omni")[1]
    assert "licence    the licence of the guideline" in shown
    assert "origin     the wiki of this test" in shown
    assert "a term, a comma, what is asked about it" in shown
    assert json.loads(run("kb", "show", "omni", "--json")[1])["graph"]["kind"] == "graph"
    assert json.loads(run("kb", "stats", "omni", "--json")[1])["research"]["chunks"] == 5
    assert run("kb", "stats", "omni")[1].strip() == again.strip()
    assert run("kb", "verify", "omni")[1].count("is intact") == 5
    assert run("kb", "remove", "omni", "-y")[0] == 0
    assert Library(home).list() == ()
    assert "no knowledge bases yet" in run("kb", "list")[2]


def test_a_question_and_a_claim_are_answered_from_the_base_by_its_name(run: Printed, spec: Path) -> None:
    run("kb", "build", spec, "-q")
    code, out, _ = run("ask", "Does zinc help?", "--kb", "omni", "--json", "-q")
    answer = json.loads(out)
    assert code == 0
    assert "corpus:omni.research" in {search["source"] for search in answer["searches"]}
    assert {one["license"] for one in answer["documents"]} <= {f"the licence of the {kind}" for kind in ("research",)}
    assert json.loads(run("verify", "Zinc was given.", "--kb", "omni", "--json", "-q")[1])["documents"]
    assert run("ask", "Does zinc help?", "--set", "retrieval.knowledge_base=omni", "-q")[0] == 0


@each_row(
    ("words", "told"),
    [
        (["ask", "Does zinc help?", "--kb", "../omni"], "'../omni' is not a name of a knowledge base"),
        (["ask", "Does zinc help?", "--kb", "omni"], "no knowledge base 'omni' (existing: none)"),
        (["kb", "show", "nothing"], "build one with medground kb build SPEC"),
        (["kb", "remove", "/etc", "-y"], "is not a name of a knowledge base"),
        (["kb", "build", "nowhere.toml"], "no specification nowhere.toml"),
    ],
)
def test_a_mistake_is_one_line_and_exit_status_2(run: Printed, words: list[str], told: str) -> None:
    code, _, err = run(*words)
    assert code == 2
    assert told in err
    assert len(err.strip().splitlines()) == 1


def test_a_source_that_is_dropped_is_told(run: Printed, tmp_path: Path) -> None:
    place = filled(tmp_path / "in")
    run("kb", "build", written(place, GUIDELINE, WIKI), "-q")
    _, out, err = run("kb", "build", written(place, WIKI), "-q")
    assert "guideline is no longer in the specification: removed" in err
    assert "guideline" not in out


def test_a_pdf_without_text_is_named_with_its_source(run: Printed, tmp_path: Path) -> None:
    canvas = pytest.importorskip("reportlab.pdfgen.canvas", reason="needs reportlab")
    place = filled(tmp_path / "in")
    (place / "scans").mkdir()
    page = canvas.Canvas(str(place / "scans" / "scan.pdf"))
    page.rect(10, 10, 100, 100, fill=1)
    page.showPage()
    page.save()
    code, _, err = run("kb", "build", written(place, BOOK.replace('path = "book"', 'path = "scans"')), "-q")
    assert code == 2
    assert "source book: " in err
    assert "scan.pdf" in err
    assert len(err.strip().splitlines()) == 1
    (place / "scans" / "real.txt").write_text("The heart is an organ.", encoding="utf-8")
    code, out, err = run("kb", "build", written(place, BOOK.replace('path = "book"', 'path = "scans"')), "-q")
    assert (code, "1 file passed over" in out, "scan.pdf" in err) == (0, True, True)


def test_a_base_is_searched_as_a_whole_or_one_source_at_a_time(run: Printed, spec: Path) -> None:
    run("kb", "build", spec, "-q")
    assert "Influenza is an infection." in run("corpus", "search", "omni.wiki", "influenza")[1]
    found = run("kb", "search", "omni", "infection organ zinc", "--limit", "20")[1]
    assert {"QA:2", "P:3"} <= {line.split()[1].partition("#")[0] for line in found.splitlines()[::2]}
    assert "no knowledge base" in run("kb", "search", "none", "zinc")[2]
