"""What the page shows when a source fails, when the reader stops, and when the connection is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from browser import Opened, opened, served
from page_papers import QUESTION

pytest.importorskip("playwright", reason="needs the extra test")
from playwright.sync_api import expect

from medground.home.settings import Settings

Open = Callable[..., Opened]


@pytest.fixture
def beside_pubmed(page_home: Path, chrome: Any, make_peer: Callable[..., Any], reply: Any) -> Iterator[Open]:
    """A browser before a server that also searches a PubMed with the given reply."""
    with ExitStack() as stack:

        def start(**of_reply: Any) -> Opened:
            pubmed = make_peer(reply(**of_reply)).url
            options = {"home": page_home, "retrieval.corpora": ("papers",), "retrieval.pubmed": pubmed}
            address = stack.enter_context(served(Settings.load(options=options)))
            return stack.enter_context(opened(address, chrome))

        yield start


def test_a_failing_source_is_named_while_it_is_asked_and_in_the_answer(beside_pubmed: Open) -> None:
    page = beside_pubmed(status=400).page()
    page.get_by_label("Question").fill(QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_url("**/#/answer/**")
    expect(page.get_by_test_id("failed-source")).to_contain_text("Could not search pubmed")
    expect(page.get_by_test_id("sentence").first).to_contain_text("uoted from the")


def test_stop_keeps_what_was_found(beside_pubmed: Open) -> None:
    page = beside_pubmed(hang=60).page()
    page.get_by_label("Question").fill(QUESTION)
    page.keyboard.press("Enter")
    expect(page.get_by_label("Progress")).to_contain_text("in corpus:papers")
    expect(page.get_by_test_id("live")).not_to_be_empty()
    page.get_by_role("button", name="Stop and keep what was found").click()
    page.get_by_role("link", name="Read what was found").click()
    expect(page.locator(".decision")).to_contain_text("Stopped early")
    expect(page.get_by_role("heading", level=1)).to_have_text(QUESTION)


def test_a_lost_connection_is_taken_up_after_the_last_event_that_came(browser: Opened) -> None:
    page = browser.page()
    resumed: list[str | None] = []
    first = 'id: 1\nevent: queued\ndata: {"version": 1, "id": 1, "type": "queued", "words": "waiting in line"}\n\n'

    def lose_the_first(route: Any) -> None:
        resumed.append(route.request.headers.get("last-event-id"))
        if len(resumed) == 1:
            route.fulfill(status=200, content_type="text/event-stream", body=first)
        else:
            route.continue_()

    page.route("**/v1/jobs/*/events", lose_the_first)
    page.get_by_label("Question").fill(QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_url("**/#/answer/**")
    assert resumed == [None, "1"]
    expect(page.get_by_test_id("sentence").first).to_contain_text("uoted from the")
