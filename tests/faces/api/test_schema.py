"""The API keeps to its OpenAPI document, whatever is sent (schemathesis)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest

from medground.faces.api.server import make_app, running
from medground.faces.service.service import Service
from medground.home.settings import Settings

schemathesis = pytest.importorskip("schemathesis", reason="needs the extra test")

EXAMPLES = 3
"""Requests of each operation. `st run ADDRESS/openapi.json --max-examples 1000` looks for more; see docs/api.md."""


@pytest.fixture
def described(papers: Settings, loopback: None) -> Iterator[Any]:
    """The schema of a real server, which runs in a thread of its own."""
    begun, ended = threading.Event(), asyncio.Event()
    found: dict[str, Any] = {}

    async def serve() -> None:
        found["loop"] = asyncio.get_running_loop()
        async with Service.open(papers) as service, running(service) as address:
            found["address"] = address
            found["document"] = make_app(service, authenticated=False).openapi()
            begun.set()
            await ended.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert begun.wait(60)
    schema = schemathesis.openapi.from_dict(found["document"])
    schema.config.update(base_url=found["address"])
    yield schema
    found["loop"].call_soon_threadsafe(ended.set)
    thread.join()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Do not use the .random. module")  # schemathesis does, or another thread meanwhile
def test_no_request_gets_what_the_document_does_not_say(described: Any) -> None:
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    tried = 0
    for operation in (result.ok() for result in described.get_all_operations()):

        @hypothesis.given(case=operation.as_strategy())
        @hypothesis.settings(
            max_examples=EXAMPLES,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        def keeps(case: Any) -> None:
            # A name that fits the document need not be that of a corpus: such a request may get a 422.
            case.call_and_validate(excluded_checks=[positive_data_acceptance], timeout=60)

        keeps()
        tried += 1
    assert tried >= 20
