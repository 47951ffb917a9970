"""`medground kb ...` and `--kb` as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Printed
from knowledge_base import ALL, WIKI, filled, written
from rows import each_row

from medground.corpus.library import Library


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    return written(filled(tmp_path / "in"), *ALL)


def test_a_base_is_built_listed_shown_checked_searched_asked_and_removed(
    typed: Printed, home: Path, spec: Path
) -> None:
    code, out, err = typed("kb", "build", spec, "-q")
    assert code == 0
    assert "omni.book: 3 documents, 3 passages" in out
    assert [line.split()[0] for line in out.splitlines()[-7:]] == [
        *("Source", "book", "guideline", "research", "wiki"),
        *("#Concepts", "graph"),
    ]
    code, again, err = typed("kb", "build", spec, "-q")
    assert err.count("is up to date") == 5
    assert again.strip() == "\n".join(out.splitlines()[-7:]).strip()

    assert typed("kb", "list")[1].startswith("omni             book, guideline, research, wiki, graph; ")
    shown = typed("kb", "show", "omni")[1]
    assert "licence    the licence of the guideline" in shown
    assert "origin     the wiki of this test" in shown
    assert "a term, a comma, what is asked about it" in shown
    assert json.loads(typed("kb", "show", "omni", "--json")[1])["graph"]["kind"] == "graph"
    assert json.loads(typed("kb", "stats", "omni", "--json")[1])["research"]["chunks"] == 5
    assert typed("kb", "stats", "omni")[1].strip() == again.strip()
    assert typed("kb", "verify", "omni")[1].count("is intact") == 5

    assert "Influenza is an infection." in typed("corpus", "search", "omni.wiki", "influenza")[1]
    found = typed("kb", "search", "omni", "infection organ zinc", "--limit", "20")[1]
    assert {"QA:2", "P:3"} <= {line.split()[1].partition("#")[0] for line in found.splitlines()[::2]}
    assert "no knowledge base" in typed("kb", "search", "none", "zinc")[2]

    code, asked, _ = typed("ask", "Does zinc help?", "--kb", "omni", "--json", "-q")
    answer = json.loads(asked)
    assert code == 0
    assert "corpus:omni.research" in {search["source"] for search in answer["searches"]}
    assert {one["license"] for one in answer["documents"]} <= {"the licence of the research"}
    assert json.loads(typed("verify", "Zinc was given.", "--kb", "omni", "--json", "-q")[1])["documents"]
    assert typed("ask", "Does zinc help?", "--set", "retrieval.knowledge_base=omni", "-q")[0] == 0

    err = typed("kb", "build", written(spec.parent, WIKI), "-q")[2]
    assert "guideline is no longer in the specification: removed" in err
    assert typed("kb", "remove", "omni", "-y")[0] == 0
    assert Library(home).list() == ()
    assert "no knowledge bases yet" in typed("kb", "list")[2]


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
def test_a_mistake_is_one_line_and_exit_status_2(typed: Printed, words: list[str], told: str) -> None:
    code, _, err = typed(*words)
    assert code == 2
    assert told in err
    assert len(err.strip().splitlines()) == 1
