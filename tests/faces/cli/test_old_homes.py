"""Homes that released versions wrote: nothing in them is lost, and what they hold can be used."""

import json
import sqlite3
import tarfile
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from medground.faces.cli.answers import UNANSWERABLE
from medground.faces.service.accounts import Owners, Saved
from medground.faces.service.records import Records
from medground.values.answer import Answer

HOMES = Path(__file__).parent / "homes"
"""Each was made by that version: questions of all kinds, recipes, a server with tokens, a run, research under way."""


@pytest.fixture(params=["0.1.0", "0.2.0"])
def old(request: pytest.FixtureRequest, home: Path, here: Path) -> Path:
    """The home of a released version, as it left it."""
    home.mkdir(parents=True, exist_ok=True)
    with tarfile.open(HOMES / f"{request.param}.tar.gz") as packed:
        packed.extractall(home, filter="data")
    return home


@pytest.mark.slow
def test_each_answer_is_listed_shown_and_exported(old: Path, said: Callable[..., Any]) -> None:
    files = {file.stem: json.loads(file.read_bytes()) for file in (old / "answers").iterdir()}
    listed = [json.loads(line) for line in said("history", "--limit", "99", "--json").out.splitlines()]
    assert {past["trace_id"]: past["question"] for past in listed} == {
        name: raw["question"]["text"] for name, raw in files.items()
    }
    assert all(past["problem"] is None for past in listed)
    kept = ("question", "rationale", "statements", "evidence", "documents", "searches", "recipe", "created", "usage")
    for name, raw in files.items():
        shown = json.loads(said("show", name, "--json").out)
        assert {field: _within(raw[field], shown[field]) for field in kept} == {field: raw[field] for field in kept}
        answer = Answer.model_validate(shown)
        exported = said("export", name, "--format", "markdown").out
        assert all(sentence in exported for sentence in [each.quote.split(".")[0] for each in answer.evidence][:1])


def _within(before: Any, now: Any) -> Any:
    """What is now of the fields that were there before."""
    if isinstance(before, dict) and isinstance(now, dict):
        return {name: _within(value, now.get(name)) for name, value in before.items()}
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        return [_within(*pair) for pair in zip(before, now, strict=True)]
    return now


def test_collections_tokens_runs_and_research_are_there(old: Path, said: Callable[..., Any]) -> None:
    for corpus in ("papers", "dense"):
        assert corpus in said("corpus", "list").out
        assert "PMID:1" in said("corpus", "search", corpus, "zotromab").out
    tokens = [json.loads(line) for line in said("token", "list", "--json").out.splitlines()]
    assert Counter((one["role"], one["revoked"] is None) for one in tokens) == {
        ("reader", True): 1,
        ("reader", False): 1,
        ("admin", True): 3,
    }
    [run] = (old / "runs").iterdir()
    said("eval", "report", run, "--out", "report")
    assert (Path("report") / "report.md").is_file()
    [unfinished] = (old / "research").iterdir()
    found = said("research", "--resume", "last", "-q", code=UNANSWERABLE).out  # of epilepsy, which is asked, nothing
    assert "Nothing found on epilepsy" in found
    assert "Zotromab reduced migraine days in adults." in found
    assert not unfinished.exists()


def test_an_old_question_is_asked_again_and_followed_with_the_settings_that_are_left(
    old: Path, said: Callable[..., Any]
) -> None:
    with_other_settings = next(
        file.stem for file in sorted((old / "answers").iterdir()) if json.loads(file.read_bytes())["evidence"]
    )
    assert "Since 2026" in said("ask", "--again", with_other_settings).out
    assert said("ask", "What about children?", "--follow", with_other_settings, "-c", "papers").out


def test_owners_and_saved_work_are_those_of_before(old: Path) -> None:
    with closing(sqlite3.connect(old / "service" / "service.sqlite")) as file:
        owners = dict(file.execute("SELECT trace_id, owner FROM answers").fetchall())
        tables = {name for (name,) in file.execute("SELECT name FROM sqlite_master")}
        saved = dict(file.execute("SELECT owner, content FROM saved").fetchall()) if "saved" in tables else {}
    assert owners
    with closing(Records(old)) as records:
        assert all(Owners(records).owns(owner, trace_id) for trace_id, owner in owners.items())
        for owner, content in saved.items():
            now = Saved(records).read(owner).model_dump(mode="json")
            assert _within(json.loads(content), now) == json.loads(content)
