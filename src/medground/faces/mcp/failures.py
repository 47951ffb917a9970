"""What goes wrong as a result that no client takes for a finding: what is wrong, and the next step."""

from __future__ import annotations

from typing import Any

from mcp_types import CallToolResult, TextContent
from pydantic import ValidationError

from medground.faces.mcp.untrusted import Fence, line
from medground.service.problem import Problem
from medground.wrong_values import wrong_values

_LINE = 1_000


def failure(problem: Problem, fence: Fence) -> CallToolResult:
    """A problem, with `is_error`. A notice comes first."""
    notice = problem.notice.sentence if problem.notice else None
    detail = line(problem.detail, _LINE)
    fields: dict[str, Any] = {
        **({"notice": notice} if notice else {}),
        "error": problem.title,
        "detail": detail,
        "next": problem.next,
        **({"retry_after": problem.retry_after} if problem.retry_after is not None else {}),
        **({"trace_id": problem.trace_id} if problem.trace_id else {}),
    }
    wait = f" Retry after {problem.retry_after} s." if problem.retry_after is not None else ""
    lines = [notice, f"{problem.title}: {fence('detail', detail)}", f"Next: {problem.next}{wait}"]
    words = "\n".join(filter(None, lines))
    return CallToolResult(content=[TextContent(type="text", text=words)], structured_content=fields, is_error=True)


def said(error: ValidationError) -> str:
    """What is wrong with values, in one line, without the values."""
    return line(wrong_values(error.errors(include_url=False, include_input=False), most=3), _LINE)
