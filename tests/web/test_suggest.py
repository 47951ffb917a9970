"""Suggestions while typing, from the graphs of the home folder; a corpus without one suggests nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medground.corpus.build import build
from medground.corpus.library import GRAPH_FILE, Library
from medground.corpus.readers import find_inputs
from medground.home.settings import Settings

Visit = Callable[..., Any]


def write_graph(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(
        """
        CREATE TABLE meta (key TEXT, value TEXT); INSERT INTO meta VALUES ('name', 'small');
        CREATE TABLE concepts (number INTEGER PRIMARY KEY, id TEXT, name TEXT, kind TEXT, definition TEXT);
        CREATE TABLE names (key TEXT, concept INTEGER, scope TEXT, level INTEGER, text TEXT);
        CREATE TABLE relations (number INTEGER PRIMARY KEY, subject INTEGER, object INTEGER);
        INSERT INTO concepts VALUES (1, 'HP:0001083', 'Ectopia lentis', 'phenotype', ''),
            (2, 'OMIM:154700', 'Marfan syndrome', 'disease', '');
        INSERT INTO names VALUES ('', 1, 'name', 0, 'Ectopia lentis'), ('', 1, 'exact', 0, 'Dislocated lens'),
            ('', 2, 'name', 0, 'Marfan syndrome');
        INSERT INTO relations VALUES (1, 2, 1);
        """
    )
    connection.close()


@pytest.fixture
def graph(papers: Settings, tmp_path: Path) -> Settings:
    """A corpus with a graph beside the papers."""
    file = tmp_path / "more.txt"
    file.write_text("Marfan syndrome has ectopia lentis.")
    build(Library(papers.home), "small", find_inputs([file]), attachments={GRAPH_FILE: write_graph})
    return papers


async def test_the_last_words_are_completed_for_those_who_are_signed_in(visit: Visit, graph: Settings) -> None:
    typed = ("Is ectopia l", "disl", "zz")
    wrong = ({}, {"q": "x" * 4001}, {"q": "a", "limit": 0}, {"q": "a", "limit": 21})
    async with visit() as site:
        ask = site.client.get
        ectopia, dislocated, nothing = [(await ask("/v1/suggest", params={"q": q})).json() for q in typed]
        refused = {(await ask("/v1/suggest", params=query)).status_code for query in wrong}
    assert ectopia == [{"text": "Ectopia lentis", "about": "phenotype", "id": "HP:0001083", "start": 3}]
    assert dislocated[0]["text"] == "Dislocated lens"
    assert dislocated[0]["about"] == "phenotype, for Ectopia lentis"
    assert nothing == []
    assert refused == {422}
    async with visit(login=True) as site:
        assert (await site.client.get("/v1/suggest", params={"q": "ectopia"})).status_code == 401
    (Library(graph.home).current("small") / GRAPH_FILE).write_bytes(b"broken")
    async with visit() as site:
        response = await site.client.get("/v1/suggest", params={"q": "ectopia"})
    assert (response.status_code, response.json()) == (200, [])
