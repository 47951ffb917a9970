"""The catalogue that every client sends to its model with each request."""

from __future__ import annotations

import json
from typing import Any

from mcp_talk import Talking

NAMES = {
    *("ask", "research", "search", "fetch", "get_document", "verify_claim", "plan_query", "lookup_mesh"),
    *("lookup_phenotype", "read_more", "get_job", "cancel_job"),
}


async def test_each_tool_says_what_it_takes_gives_and_changes(talking: Talking) -> None:
    async with talking() as talk:
        listed = await talk.client.list_tools()
        # no tokeniser is at hand: three bytes count as a token, where models' own make about four bytes of JSON one
        assert len(listed.model_dump_json(by_alias=True, exclude_none=True).encode()) / 3 < 4_000
        tools = {tool.name: tool for tool in listed.tools}
        assert tools.keys() == NAMES
        for tool in tools.values():
            assert tool.description
            assert tool.output_schema is not None
            assert tool.annotations is not None
            assert bool(tool.annotations.read_only_hint) == (tool.name != "cancel_job")
            for schema in (tool.input_schema, tool.output_schema):
                assert schema["type"] == "object"
                # hosted models refuse a choice of schemas at the top, and definitions elsewhere cost tokens
                assert not schema.keys() & {"anyOf", "oneOf", "allOf", "$ref", "$defs"}
                assert "title" not in schema
        assert tools["ask"].input_schema["required"] == ["question"]
        assert tools["get_document"].input_schema["properties"]["ids"]["maxItems"] == 50
        assert "instructions" in (talk.client.instructions or "")


async def test_results_fit_their_output_schemas(talking: Talking) -> None:
    """The client of the SDK checks each result against the schema; it raises where one does not fit."""
    calls: dict[str, dict[str, Any]] = {
        "ask": {"question": "Does aspirin reduce the risk of stroke?"},
        "search": {"query": "aspirin"},
        "fetch": {"id": "PMID:1"},
        "get_document": {"ids": ["PMID:1", "PMID:77"]},
        "verify_claim": {"claims": ["Aspirin reduces stroke."]},
        "plan_query": {"question": "Does aspirin prevent stroke?"},
        "lookup_mesh": {"terms": ["heart attack", "hart atack"]},
        "lookup_phenotype": {"terms": ["Spider fingers", "no such thing"]},
    }

    for mode in ("auto", "legacy"):
        async with talking(mode=mode) as talk:
            await talk.client.list_tools()
            for name, arguments in calls.items():
                assert json.dumps(await talk.found(name, **arguments))
