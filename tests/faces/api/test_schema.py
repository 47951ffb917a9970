"""The API keeps to its OpenAPI document, whatever is sent (schemathesis)."""

from __future__ import annotations

from typing import Any

import hypothesis
import pytest
from live_server import live_server

from medground.home.settings import Settings

schemathesis = pytest.importorskip("schemathesis", reason="needs the extra test")

EXAMPLES = 3
"""Requests of each operation. `st run ADDRESS/openapi.json --max-examples 1000` looks for more; see docs/api.md."""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Do not use the .random. module")  # schemathesis does, or another thread meanwhile
def test_no_request_gets_what_the_document_does_not_say(papers: Settings, loopback: None) -> None:
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    with live_server(papers.home, "papers") as address:
        assert tried(schemathesis.openapi.from_url(f"{address}/openapi.json"), positive_data_acceptance) >= 20


def tried(described: Any, excluded: Any) -> int:
    """How many operations keep to the document."""
    operations = [result.ok() for result in described.get_all_operations()]
    for operation in operations:

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
            case.call_and_validate(excluded_checks=[excluded], timeout=60)

        keeps()
    return len(operations)
