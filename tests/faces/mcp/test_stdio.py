"""`medground mcp` as a real process that speaks over standard input and output."""

from __future__ import annotations

import sys

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_talk import text

from medground.home.settings import Settings
from medground.testing.command import run

pytestmark = pytest.mark.slow
COMMAND = ["-c", "from medground.faces.cli.app import main; main()", "mcp"]


async def test_a_client_starts_it_asks_and_leaves(papers: Settings, environment: dict[str, str]) -> None:
    command = [*COMMAND, "--corpus", "papers", "--corpus", "terms"]
    process = StdioServerParameters(command=sys.executable, args=command, env=environment)
    async with Client(process) as client:
        assert client.server_info.name == "medground"
        assert len((await client.list_tools()).tools) == 12
        answer = await client.call_tool("ask", {"question": "Does aspirin reduce the risk of stroke in adults?"})
        assert not answer.is_error
        assert "PMID:1" in text(answer)
        wrong = await client.call_tool("fetch", {"id": "PMID:404"})
        assert wrong.is_error
        assert "Find its id with search." in text(wrong)


def test_a_corpus_that_is_not_there_is_told_at_once(papers: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("mcp", "--corpus", "nowhere") == 2
    said = capsys.readouterr()
    assert said.err.startswith("medground: no corpus 'nowhere'")
    assert said.out == ""
