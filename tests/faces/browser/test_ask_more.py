"""Suggestions, what narrows a question, a follow-up, and the queries that are edited and run again."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import Opened, opened, overflow, papers_home, served, violations
from page_papers import EVERYTHING, PAPERS, QUESTION

pytest.importorskip("playwright", reason="needs the extra test")
from playwright.sync_api import Browser, Page, expect

from medground.home.settings import Settings


def suggesting(page: Page) -> None:
    """Let the server suggest two names for what begins after `Is `."""

    def answer(route: Any) -> None:
        named = [
            {"text": "Marfan syndrome", "about": "disease", "id": "OMIM:154700", "start": 3},
            {"text": "Marfanoid habitus", "about": "phenotype", "id": "HP:0001519", "start": 3},
        ]
        route.fulfill(body=json.dumps(named), content_type="application/json")

    page.route("**/v1/suggest*", answer)


def test_a_suggestion_is_chosen_by_keyboard(browser: Opened) -> None:
    page = browser.page()
    suggesting(page)
    field = page.get_by_label("Question")
    field.focus()
    page.keyboard.type("Is marf")
    options = page.get_by_role("listbox", name="Suggestions").get_by_role("option")
    expect(options).to_have_count(2)
    assert violations(page) == []
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    expect(field).to_have_attribute("aria-activedescendant", str(options.nth(1).get_attribute("id")))
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(field).to_have_value("Is Marfan syndrome ")
    expect(page.get_by_role("listbox")).to_be_hidden()
    page.keyboard.type("x")
    expect(options).to_have_count(2)
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()


def test_what_narrows_a_question_is_sent_and_a_follow_up_keeps_the_documents(browser: Opened) -> None:
    page = browser.page()
    page.get_by_text("A patient's case, dates").click()
    page.get_by_label("Question").fill(QUESTION)
    page.get_by_label("Context").fill("A woman of 70.")
    page.get_by_label("Kind of answer").select_option("single-choice")
    page.get_by_label("Options").fill("Yes\nNo")
    page.get_by_label("From year").fill("2016")
    with page.expect_request("**/v1/jobs") as sent:
        page.get_by_role("button", name="Ask", exact=True).click()
    assert sent.value.post_data_json == {
        "kind": "ask",
        "question": QUESTION,
        "context": "A woman of 70.",
        "filters": {"year_from": 2016},
        "task": "single-choice",
        "options": ["Yes", "No"],
    }
    page.wait_for_url("**/#/answer/**")
    expect(page.locator("article")).to_contain_text("not evidence): “A woman of 70.”")
    expect(page.locator("article")).to_contain_text("Limited to year 2016..")
    page.get_by_label("Ask a follow-up question").fill("Is bleeding rare?")
    page.keyboard.press("Enter")
    expect(page.locator("article")).to_contain_text("the sources of its answer were searched too")


@pytest.fixture
def unnamed(loopback: None, chrome: Browser, tmp_path: Path) -> Iterator[Opened]:
    """A browser before a server that names no corpus, over a home with three small ones."""
    for number, name in enumerate(("starter", "papers", "others")):
        papers_home(tmp_path, PAPERS[number : number + 2], name)
    with served(Settings.load(options={"home": tmp_path})) as address, opened(address, chrome) as found:
        yield found


def test_all_is_searched_by_default_and_a_choice_goes_along_on_every_way(unnamed: Opened) -> None:
    def asked(page: Page, button: str = "Ask") -> Any:
        with page.expect_request("**/v1/jobs") as sent:
            page.get_by_role("button", name=button, exact=True).click()
        return sent.value.post_data_json

    def checked() -> list[str]:
        chips = page.get_by_role("group", name="Search in").get_by_role("checkbox")
        expect(chips.first).to_be_visible()
        return [one.evaluate("box => box.labels[0].innerText") for one in chips.all() if one.is_checked()]

    page = unnamed.page()
    assert [name.partition(" 2 papers, ")[0] for name in checked()] == ["Others", "Papers", "Rare diseases (HPO)"]
    page.get_by_label("Question").fill(QUESTION)
    assert "corpora" not in asked(page)
    page.wait_for_url("**/#/answer/**")
    page.get_by_role("link", name="Edit the question and ask again").click()
    for name in ("Rare diseases", "Others"):
        page.get_by_role("checkbox", name=name).uncheck()
    page.reload()
    assert len(checked()) == 1
    assert page.get_by_label("Question").input_value() == QUESTION
    chosen = {"corpora": ["papers"], "sources": []}
    assert asked(page).items() >= chosen.items()
    page.wait_for_url("**/#/answer/**")
    page.get_by_role("link", name="Choose what it searches").click()
    expect(page.get_by_test_id("followed")).to_contain_text(QUESTION)
    expect(page.get_by_role("checkbox", name="Others")).not_to_be_checked()
    page.get_by_label("Question").fill("Is bleeding rare with aspirin?")
    assert asked(page).items() >= chosen.items()
    page.wait_for_url("**/#/answer/**")
    page.get_by_text("Details").click()
    page.get_by_role("link", name="Compare methods").last.click()
    with page.expect_request(lambda request: '"recipe":"rag"' in (request.post_data or "")) as second:
        assert asked(page, "Compare").items() >= chosen.items()
    assert second.value.post_data_json.items() >= chosen.items()
    page.wait_for_url("**/#/compare/**")
    assert violations(page) == []


def test_a_strategy_is_counted_line_by_line_and_its_records_are_listed_once(browser: Opened) -> None:
    page = browser.page("#/search")
    page.get_by_label("Query").fill("aspirin\ncohort[title]\n#1 AND #2\nstroke adj3 aspirin\n#1 AND #2")
    page.get_by_label("PubMed syntax").check()
    page.get_by_role("button", name="Search", exact=True).click()
    lines = page.get_by_test_id("line")
    expect(lines).to_have_count(5)
    expect(lines.nth(3)).to_contain_text("this is the syntax of Ovid")
    expect(page.get_by_test_id("record")).to_have_count(1)
    expect(page.get_by_test_id("record")).to_contain_text("PMID:102")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save all as RIS").click()
    assert "AN  - 102" in saved.value.path().read_text()
    assert violations(page) == []
    assert overflow(page) == 0


def test_a_query_is_edited_and_run_again(browser: Opened) -> None:
    browser.expected.append("422")
    page = browser.page(f"#/answer/{EVERYTHING}")
    page.get_by_text("Details").click()
    page.get_by_role("link", name="Edit and search again").first.click()
    query = page.get_by_label("Query")
    expect(query).to_have_value("aspirin AND stroke[mesh]")
    expect(page.get_by_label("PubMed syntax")).to_be_checked()
    query.fill("aspirin AND cohort[title]")
    page.get_by_role("button", name="Search", exact=True).click()
    hits = page.get_by_test_id("hit")
    expect(hits.first).to_contain_text("PMID:102")
    expect(hits.filter(has_not_text="PMID:102")).to_have_count(0)
    assert violations(page) == []
    assert overflow(page) == 0
    hits.first.get_by_role("link").click()
    expect(page.locator("mark.chosen").first).to_be_in_viewport()
    expect(page.get_by_role("heading", level=1)).to_contain_text("a cohort")
    page.goto(f"{browser.url}/#/search?q=(aspirin+AND")
    expect(page.get_by_role("alert")).to_contain_text("invalid query at column")
