"""Plan files: a research plan as JSON that a user edits and gives back.

What a file says is checked entry by entry, and the first thing that is wrong is told in one line.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from medground.errors import UsageError
from medground.research_plan import TOOLS, ResearchPlan

MOST_BYTES = 1_000_000
_MOST = {"subquestions": 20, "keywords": 200, "edges": 2_000}
"""Most entries of each list: more are a mistake, and would be as many searches."""
_SHOWN = 60


def read_plan_file(path: Path) -> ResearchPlan:
    """The plan in a file that `medground plan --format json` wrote, and that may have been edited since.

    Raises:
        UsageError: it cannot be read, is too big, is not JSON, or an entry of it is wrong; the message says which.
    """
    try:
        return read_plan(_text(path))
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


def read_plan(text: str) -> ResearchPlan:
    """The plan in a text.

    Raises:
        UsageError: it is not JSON, or an entry of it is wrong; the message says which.
    """
    try:
        said = json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(f"line {error.lineno}, column {error.colno} is not JSON: {error.msg}") from None
    except (RecursionError, ValueError):  # nested without end, or a number of thousands of digits
        raise UsageError("it is not the JSON of a research plan; write one with medground plan --format json") from None
    if not isinstance(said, dict) or not isinstance(said.get("subquestions"), list):
        raise UsageError("it is not a research plan; write one with medground plan --format json")
    _check_sizes(said)
    try:
        plan = ResearchPlan.model_validate_json(text)
    except ValidationError as error:
        raise UsageError(_first(error, said)) from None
    for number, one in enumerate(plan.subquestions):
        if not one.text.strip():
            raise UsageError(f"subquestions[{number}].text is empty; write the sub-question or remove {one.id}")
    return plan


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UsageError(f"it has {path.stat().st_size:,} bytes; a plan has at most {MOST_BYTES:,}")
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"it cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"byte {error.start} is not UTF-8; save the file as UTF-8") from None


def _check_sizes(said: dict[str, Any]) -> None:
    for name, most in _MOST.items():
        found = said.get(name)
        if isinstance(found, list) and len(found) > most:
            raise UsageError(f"`{name}` has {len(found):,} entries; a plan has at most {most:,}")
    if not said["subquestions"]:
        raise UsageError("`subquestions` is empty; a plan has at least one")


def _first(error: ValidationError, said: dict[str, Any]) -> str:
    """The first problem: where it is, what stands there, and what may."""
    found = error.errors(include_url=False)[0]
    where = _place(found["loc"])
    if not where:  # a check of the whole plan, whose message says it all
        return str(found["msg"]).removeprefix("Value error, ")
    if found["type"] == "missing":
        return f"{where} is missing; add it"
    if found["type"] == "extra_forbidden":
        return f"{where} is not part of a plan; remove it"
    stands = f"{where} is {_short(_at(said, found['loc']))}"
    if found["type"] == "literal_error":
        return f"{stands}; use one of {', '.join(TOOLS)}"
    if found["type"] == "string_too_short":
        return f"{where} is empty; write something or remove the entry"
    if found["type"] == "string_pattern_mismatch":
        return f"{stands}; ids are q1, q2, ... up to q99"
    return f"{stands}: {str(found['msg'])[:1].lower()}{str(found['msg'])[1:]}"


def _place(path: Sequence[int | str]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def _at(said: Any, path: Sequence[int | str]) -> Any:
    for part in path:
        said = said[part]
    return said


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
