"""A hundred calls leave nothing behind: no task, no open file, no results without bound."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp_talk import Talking

DESCRIPTORS = Path("/proc/self/fd")
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search", {"query": "aspirin stroke"}),
    ("fetch", {"id": "BOOK:long"}),
    ("get_document", {"ids": ["PMID:1", "PMID:404"]}),
    ("plan_query", {"question": "Does aspirin prevent stroke?"}),
    ("lookup_phenotype", {"terms": ["HP:1"]}),
    ("fetch", {"id": "PMID:404"}),
    ("ask", {"question": ""}),
    ("get_job", {"job": "nothing"}),
    ("read_more", {"cursor": "nothing"}),
    ("ask", {"question": "Does aspirin reduce the risk of stroke?"}),
]


@pytest.mark.slow
@pytest.mark.skipif(not DESCRIPTORS.is_dir(), reason="open files are counted in /proc")
async def test_a_hundred_calls_leave_no_task_and_no_open_file(talking: Talking) -> None:
    async with talking() as talk:

        async def round_of(calls: int) -> tuple[int, int]:
            for number in range(calls):
                name, arguments = CALLS[number % len(CALLS)]
                with anyio.move_on_after(0.01 if number % 20 == 10 else 60):
                    await talk.call(name, **arguments)
            await asyncio.sleep(0.5)  # what was cancelled ends
            gc.collect()
            return len(asyncio.all_tasks()), len(list(DESCRIPTORS.iterdir()))

        before = await round_of(10)
        assert await round_of(100) == before
