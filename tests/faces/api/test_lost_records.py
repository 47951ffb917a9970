"""A home that has had tokens stays shut when its records or its last token are gone, and shows nobody what was kept."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from small_service import answered, tokens_of

from medground.engine.blocking import BlockingEngine
from medground.faces.api.server import needs_token
from medground.faces.service.records import FILE_NAME, MARK
from medground.faces.service.request import Asked
from medground.faces.service.service import Service
from medground.home.settings import Settings
from medground.testing.command import run as cli

QUESTION = "Does aspirin reduce the risk of stroke?"
CHAT = {"model": "ground", "messages": [{"role": "user", "content": QUESTION}]}


def statements(file: Path, *done: str) -> None:
    with closing(sqlite3.connect(file)) as records, records:
        for one in done:
            records.execute(one)


LOST: dict[str, Callable[[Path], None]] = {
    "its folder deleted": lambda file: shutil.rmtree(file.parent),
    "no mark and no tables": lambda file: (
        (file.parents[1] / MARK).unlink(),
        statements(file, "DROP TABLE tokens", "DROP TABLE answers"),
    )[0],
}
"""Two of the faults; `benchmarks/faults.py` has more."""


def token(settings: Settings, name: str, *, admin: bool = False) -> str:
    with tokens_of(settings.home) as tokens:
        return tokens.create(name, admin=admin)


@pytest.fixture
def asked(papers: Settings) -> str:
    """The trace of an answer of ada, who has the only token."""
    secret = token(papers, "ada")

    async def ask() -> str:
        async with Service.open(papers) as service:
            return (await answered(service, Asked(question=QUESTION), await service.who(secret))).trace_id

    return asyncio.run(ask())


@pytest.mark.parametrize("how", [*LOST, "no mark and last token revoked"])
def test_a_server_without_a_valid_token_does_not_start_by_itself(
    papers: Settings, asked: str, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if how in LOST:
        LOST[how](papers.home / "service" / FILE_NAME)
    else:
        assert cli("token", "revoke", "ada") == 0
        assert "servers refuse everyone" in capsys.readouterr().err
        (papers.home / MARK).unlink()  # as an older version of Medground left it
    for command in (("serve",), ("web", "--no-browser"), ("mcp", "--http")):
        assert cli(*command, "--corpus", "papers", "--port", "0") == 2
        assert (
            "none is valid now; create one with medground token create NAME, or add --open"
            in capsys.readouterr().err.replace("\n", " ")
        )
    assert not needs_token(papers, "127.0.0.1", login=False)
    token(papers, "ada")
    assert needs_token(papers, "127.0.0.1")


def test_damaged_records_are_named_with_what_to_do(
    papers: Settings, asked: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = papers.home / "service" / FILE_NAME
    for beside in file.parent.glob("*-*"):
        beside.unlink()
    file.write_bytes(b"no database " * 1000)
    for words in (("serve", "--port", "0"), ("serve", "--open", "--port", "0"), ("token", "create", "bob")):
        assert cli(*words) == 1
        assert "file is not a database); move it away and restart" in capsys.readouterr().err.replace("\n", " ")


async def test_an_answer_whose_owner_is_lost_is_shown_by_the_command_line_alone(
    papers: Settings, calling: Callable[..., Any], asked: str, capsys: pytest.CaptureFixture[str]
) -> None:
    LOST["no mark and no tables"](papers.home / "service" / FILE_NAME)
    people = [{"Authorization": f"Bearer {token(papers, name, admin=name == 'bob')}"} for name in ("ada", "bob")]
    with BlockingEngine(papers) as engine:
        later = engine.ask(QUESTION).trace_id

    async with calling() as client:
        for headers in people:
            assert (await client.get("/v1/answers", headers=headers)).json()["answers"] == []
        here = (await client.get("/v1/answers")).json()["answers"]
        assert [one["trace_id"] for one in here] == [later]
        for headers in (*people, {}):
            for end in ("", "/view", "/export", "/trace"):
                assert (await client.get(f"/v1/answers/{asked}{end}", headers=headers)).status_code == 404
            follow = {"question": QUESTION, "follow": asked}
            assert (await client.post("/v1/ask", json=follow, headers=headers)).status_code == 404
    assert cli("history") == 0
    assert asked in capsys.readouterr().out


@pytest.mark.parametrize("how", ["its folder deleted", "last token revoked"])
async def test_a_running_server_shuts_when_its_records_or_its_last_token_go(
    papers: Settings, calling: Callable[..., Any], asked: str, how: str
) -> None:
    bearer = {"Authorization": f"Bearer {token(papers, 'bob')}"}

    async with calling(authenticated=True) as client:
        assert (await client.get("/v1/answers", headers=bearer)).status_code == 200
        if how in LOST:
            LOST[how](papers.home / "service" / FILE_NAME)
        else:
            for name in ("ada", "bob"):
                cli("token", "revoke", name)
        for headers in (bearer, {}):
            refused = {401} if how not in LOST or not headers else {507}
            assert {(await client.get("/v1/answers", headers=headers)).status_code} == refused
            assert {(await client.post("/v1/chat/completions", json=CHAT, headers=headers)).status_code} == refused
