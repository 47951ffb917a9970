"""Asking in a real browser, the answer as people read it, and what is shown when something fails."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from browser import PHONE, Opened, faults, opened, overflow, served
from chat_peer import ChatPeer, streamed
from page_papers import AT_RISK, EVERYTHING, NOTICED, QUESTION
from playwright.sync_api import Page, expect

from medground.home.settings import Settings

pytest.importorskip("playwright", reason="needs the extra test")


def ask(page: Page, question: str = QUESTION) -> None:
    page.get_by_label("Question").fill(question)
    page.keyboard.press("Enter")


def test_a_question_is_answered_and_its_quote_opens_in_place(browser: Opened) -> None:
    page = browser.page()
    ask(page)
    page.wait_for_url("**/#/answer/**")
    expect(page.get_by_role("heading", level=1)).to_have_text(QUESTION)
    expect(page.get_by_test_id("sentence").first).to_contain_text("uoted from the")
    retracted = page.get_by_test_id("source-entry").filter(has_text="PMID:103")
    expect(retracted).to_contain_text("RETRACTED: not used as evidence.")
    mark = page.get_by_test_id("sentence").locator("a[data-cite]").first
    mark.click()
    chosen = page.get_by_test_id("source").locator("mark.chosen")
    expect(chosen).to_be_in_viewport()
    said = page.get_by_test_id("sentence").locator("p").first.inner_text()
    assert said.startswith(chosen.inner_text())
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("source")).to_have_count(0)
    expect(mark).to_be_focused()


def test_a_shared_citation_survives_a_reload_and_offsets_count_code_points(browser: Opened) -> None:
    page = browser.page(f"#/answer/{EVERYTHING}/cite/E5")
    chosen = page.locator("mark.chosen")
    expect(chosen).to_have_text("Bleeding was rare in both groups.")
    page.reload()
    expect(chosen).to_be_in_viewport()
    expect(page.get_by_test_id("about-source")).to_have_text("Lancet · 2015 · randomized controlled trial · results")
    link = page.get_by_role("link", name="Open in PubMed")
    assert link.get_attribute("href") == "https://pubmed.ncbi.nlm.nih.gov/101/"
    page.goto(f"{browser.url}/#/answer/{EVERYTHING}/cite/E1")  # before it are characters that JavaScript counts twice
    expect(chosen).to_have_text("Aspirin prevented stroke in adults with atrial fibrillation.")


def test_a_hostile_document_is_text(browser: Opened) -> None:
    page = browser.page(f"#/answer/{EVERYTHING}/cite/E3")
    chosen = page.locator("mark.chosen")
    expect(chosen).to_contain_text("<script>window.hacked = 1</script>")
    assert page.evaluate("window.hacked") is None
    assert page.locator("main script, main img").count() == 0
    assert page.locator("a[href^=javascript]").count() == 0
    text = page.locator("body").inner_text()
    assert not set(text) & set("\u202e\u202c\u200b")
    expect(page.get_by_test_id("source")).to_contain_text("3 characters that cannot be seen")


def test_everything_that_an_answer_says_is_there(browser: Opened) -> None:
    page = browser.page(f"#/answer/{EVERYTHING}")
    expect(page.locator(".headline")).to_have_text("Yes")
    sentences = page.get_by_test_id("sentence")
    words = {
        "Supported": "check", "Partly supported": "half", "Contradicted by": "cross", "Not found": "gap",
        "Not checked": "alert", "From the context": "dot", "Quoted from": "quote", "Not assessed": "ring",
    }  # fmt: skip
    for said, shape in words.items():
        expect(sentences.locator(".verdict").filter(has_text=said).first.locator("svg")).to_have_attribute(
            "data-shape", shape
        )
    sides = page.get_by_test_id("conflict").locator(".side")
    first, second = sides.nth(0).bounding_box(), sides.nth(1).bounding_box()
    assert first is not None
    assert second is not None
    assert first["y"] == second["y"]
    expect(sides.nth(0)).to_contain_text("For")
    expect(sides.nth(1)).to_contain_text("Aspirin did not prevent stroke")
    row = page.get_by_role("row").filter(has_text="HP:0001297")
    expect(row).to_contain_text("45 of 58 patients")
    expect(row).to_contain_text("PMID:7, PMID:8")
    expect(page.get_by_test_id("failed-source")).to_have_text("Could not search pubmed live: no reply in 30 s.")
    expect(page.locator(".decision")).to_contain_text("Stopped early: The budget of 20,000 tokens is used.")


def test_the_notice_comes_first_and_what_is_not_there_is_told(browser: Opened) -> None:
    browser.expected.append("404")
    page = browser.page(f"#/answer/{NOTICED}")
    first = page.locator("article > *").first
    expect(first).to_have_text("Talk to the doctor who treats you before you change a treatment.")
    page = browser.page(f"#/answer/{AT_RISK}")
    expect(page.get_by_role("note")).to_contain_text("your local emergency number")
    expect(page.locator(".decision, h2")).to_have_count(0)
    page.goto(f"{browser.url}/#/answer/20990101-nothing")
    expect(page.get_by_role("alert")).to_contain_text("Check the name")
    page.goto(f"{browser.url}/#/nowhere")
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no such view")


def test_keyboard_alone(browser: Opened) -> None:
    page = browser.page("#/history")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page = browser.page()
    expect(page.get_by_label("Question")).to_be_focused()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_url("**/#/answer/**")
    expect(page.locator("main")).to_be_focused()
    mark = page.locator("a[data-cite]").first
    mark.wait_for()
    for _ in range(10):
        page.keyboard.press("Tab")
        if mark.evaluate("one => one === document.activeElement"):
            break
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("source")).to_be_focused()
    page.keyboard.press("Escape")
    expect(mark).to_be_focused()


@pytest.mark.slow
def test_axe_finds_nothing_and_a_phone_never_scrolls_sideways(browser: Opened) -> None:
    page = browser.page(size=PHONE)
    page.get_by_text("A patient's case, dates").click()
    assert overflow(page) == 0
    assert faults(page) == []
    page.get_by_role("button", name="Menu").click()
    expect(page.get_by_role("navigation").get_by_role("link", name="Ask")).to_be_visible()
    page = browser.page(f"#/answer/{EVERYTHING}/cite/E3", size=PHONE)
    page.locator(".headline").wait_for()
    page.wait_for_load_state("networkidle")
    assert overflow(page) == 0
    assert faults(page) == []


pytest.importorskip("playwright", reason="needs the extra test")


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
    expect(page.get_by_label("Progress")).to_contain_text("in papers")
    expect(page.get_by_test_id("live")).not_to_be_empty()
    page.get_by_role("button", name="Stop and keep what was found").click()
    page.get_by_role("link", name="Read what was found").click()
    expect(page.locator(".decision")).to_contain_text("Stopped early")
    expect(page.get_by_role("heading", level=1)).to_have_text(QUESTION)


def test_sentences_of_a_model_are_shown_as_they_come(
    page_home: Path, chrome: Any, loopback: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEDGROUND_KEYS__OPENAI", "key")
    told = [{"text": f"It {how}.", "sentences": ["P1.S1"]} for how in ("rose", "fell")]
    reply = streamed(json.dumps({"statements": told, "answer": ["yes"]}), size=60)
    with ChatPeer(replace(reply, drip=0.004)) as peer:
        model = {"model.base_url": peer.url, "model.operators": {"read_and_answer": "openai:stub"}}
        options = {"home": page_home, "retrieval.corpora": ("papers",), **model}
        with served(Settings.load(options=options)) as address, opened(address, chrome) as found:
            page = found.page()
            ask(page)
            expect(page.get_by_label("Progress").locator(".draft").first).to_contain_text("It rose.")
            page.wait_for_url("**/#/answer/**", timeout=30_000)
            expect(page.get_by_test_id("sentence")).to_contain_text(["It rose.", "It fell."])


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


def test_the_page_works_below_a_prefix_that_a_proxy_takes_away(browser: Opened) -> None:
    def passed_on(route: Any) -> None:
        route.fulfill(response=route.fetch(url=route.request.url.replace("/med/", "/", 1)))

    page = browser.page()
    page.goto("about:blank")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.route("**/med/**", passed_on)
    page.goto(f"{browser.url}/med/#/answer/{EVERYTHING}")
    expect(page.locator("mark.chosen").first).to_be_visible()
    assert all("/med/" in url for url in asked)
