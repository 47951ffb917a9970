"""Check a text on the page: paste or drop it, read what was found by keyboard, save it, in the reader's language."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from browser import DESK, ENGINEERS, PHONE, Opened, faults, overflow
from rows import each_row

pytest.importorskip("playwright", reason="needs the extra test")
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.slow
TEXT = (
    "The trial said that “aspirin tripled stroke in adults with atrial fibrillation” (PMID: 101).\n\n"
    "It is <b>bold</b> 🧠 to cite nothing. Bleeding was frequent in both groups (PMID: 404404)."
)
DROP = """([name, text]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name));
    const form = document.querySelector("main form");
    form.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}"""


def checked(page: Page) -> None:
    """Paste the text, and wait for what was found."""
    page.get_by_label("Text", exact=True).fill(TEXT)
    page.get_by_role("button", name="Check the text").click()
    expect(page.get_by_test_id("checked")).to_be_visible()


def test_each_sentence_is_named_and_its_source_opens_beside_it_by_keyboard(browser: Opened) -> None:
    page = browser.page()
    page.get_by_role("link", name="Check a text").click()
    checked(page)
    found = page.get_by_test_id("checked")
    expect(found.get_by_role("heading", name="3 sentences")).to_be_focused()
    expect(found.locator(".checked")).to_contain_text("It is <b>bold</b> 🧠 to cite nothing.")
    expect(found.locator(".checked a")).to_have_count(3)
    expect(found.locator(".checked .kind.bad")).to_have_text(["Altered quotation"])
    expect(found.locator(".kinds li")).to_have_text(["Altered quotation: 1", "Not checked: 2"])
    expect(found).to_contain_text("References without a stored paper")
    wrong = found.locator(".checked a.bad")
    wrong.focus()
    page.keyboard.press("Enter")
    pane = page.get_by_test_id("finding")
    expect(pane).to_be_focused()
    expect(pane).to_contain_text("Aspirin for stroke prevention: a randomized trial")
    expect(pane.locator("mark.chosen")).to_contain_text("Aspirin prevented stroke in adults with atrial fibrillation.")
    expect(pane.locator("mark.chosen")).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(pane).to_have_count(0)
    expect(wrong).to_be_focused()


def test_a_file_is_dropped_and_what_was_found_is_saved(browser: Opened) -> None:
    page = browser.page("#/check")
    page.evaluate(DROP, ["draft <i>.md", TEXT])
    expect(page.get_by_text("draft <i>.md")).to_be_visible()
    page.get_by_role("button", name="Check the text").click()
    expect(page.get_by_test_id("checked")).to_be_visible()
    saved = {}
    for button in ("Word", "Web page", "JSON"):
        with page.expect_download() as download:
            page.get_by_test_id("exports").get_by_role("button", name=button).click()
        saved[download.value.suggested_filename] = Path(download.value.path()).read_bytes()
    assert saved.keys() == {"medground-check.docx", "medground-check.html", "medground-check.json"}
    assert saved["medground-check.docx"].startswith(b"PK")
    assert b"draft &lt;i&gt;.md" in saved["medground-check.html"]
    findings = json.loads(saved["medground-check.json"])
    assert [one["sentence"] in TEXT for one in findings] == [True] * 3
    page.get_by_role("button", name="Remove the file").click()
    expect(page.get_by_role("button", name="Check the text")).to_be_disabled()


def test_what_cannot_be_checked_is_said(browser: Opened) -> None:
    browser.expected.append("422")
    page = browser.page("#/check")
    page.evaluate(DROP, ["binary.md", "a\x00b"])
    page.get_by_role("button", name="Check the text").click()
    expect(page.get_by_role("alert")).to_contain_text("binary.md is a binary file")


@each_row("size", [DESK, (820, 1180), PHONE])
def test_axe_finds_nothing_and_no_width_needs_sideways_scroll(browser: Opened, size: tuple[int, int]) -> None:
    page = browser.page("#/check", size=size)
    checked(page)
    page.get_by_test_id("checked").locator(".checked a.bad").click()
    expect(page.locator("mark.chosen")).to_be_visible()
    sentence, pane = (page.locator(one).bounding_box() for one in (".checked a[aria-current]", ".source"))
    assert sentence is not None
    assert pane is not None
    assert sentence["y"] < pane["y"] or sentence["x"] + sentence["width"] <= pane["x"]
    assert overflow(page) <= 0
    assert faults(page) == []
    assert not ENGINEERS.findall(page.locator("body").inner_text().replace("PMID:", ""))


def test_the_kinds_are_named_in_the_language_of_the_reader(browser: Opened) -> None:
    context = browser.browser.new_context(locale="de-AT")
    page = context.new_page()
    page.goto(f"{browser.url}/#/check")
    page.get_by_label("Text", exact=True).fill(TEXT)
    page.get_by_role("button", name="Text prüfen").click()
    expect(page.locator(".checked .kind.bad")).to_have_text(["Verändertes Zitat"])
    expect(page.locator(".kinds li")).to_have_text(["Verändertes Zitat: 1", "Nicht geprüft: 2"])
    context.close()
