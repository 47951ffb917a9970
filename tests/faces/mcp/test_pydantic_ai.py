"""The tools with the client of pydantic-ai: an agent asks, reads the citations, and goes on after an error."""

from __future__ import annotations

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from medground.faces.mcp.http import running
from medground.faces.service.service import Service
from medground.home.settings import Settings

fastmcp = pytest.importorskip(
    "fastmcp.client.transports", reason="pydantic-ai's MCP client needs pydantic-ai-slim[mcp]"
)
mcp = pytest.importorskip("pydantic_ai.mcp")

QUESTION = "Does aspirin reduce the risk of stroke in adults?"


def reader(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """A model that fetches a wrong id, then asks, and then quotes what it was given."""
    parts = [part for message in messages for part in message.parts]
    returned = [part for part in parts if isinstance(part, ToolReturnPart) and part.tool_name == "ask"]
    if returned:
        content = returned[-1].content
        assert isinstance(content, dict)
        quote = content["citations"][0]
        return ModelResponse(parts=[TextPart(f"{quote['document_id']} {quote['start']}: {quote['quote']}")])
    if any("Find its id with search." in str(getattr(part, "content", "")) for part in parts):  # the next step is told
        return ModelResponse(parts=[ToolCallPart("ask", {"question": QUESTION})])
    assert {"ask", "search", "fetch", "get_document"} <= {tool.name for tool in info.function_tools}
    return ModelResponse(parts=[ToolCallPart("fetch", {"id": "PMID:404"})])


@pytest.mark.usefixtures("loopback")
async def test_an_agent_asks_over_http(papers: Settings) -> None:
    async with Service.open(papers) as service, running(service) as url:
        client = fastmcp.StreamableHttpTransport(url)
        agent = Agent(FunctionModel(reader), toolsets=[mcp.MCPToolset(client, init_timeout=60)], retries=3)
        async with agent:
            said = (await agent.run(QUESTION)).output
    assert said == "PMID:1 30: RESULTS: Aspirin reduced the risk of stroke in adults."
