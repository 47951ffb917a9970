"""The page in the reader's language, which the browser names or the reader chooses."""

from __future__ import annotations

import pytest
from browser import Opened
from page_papers import AT_RISK, EVERYTHING

pytest.importorskip("playwright", reason="needs the extra test")
from playwright.sync_api import expect

pytestmark = pytest.mark.slow


def test_the_browser_names_the_language_the_reader_changes_it_and_texts_of_others_stay_english(browser: Opened) -> None:
    context = browser.browser.new_context(locale="de-AT")
    page = context.new_page()
    page.goto(f"{browser.url}/#/answer/{EVERYTHING}/cite/E1")
    expect(page.get_by_role("heading", name="Die Quellen")).to_be_visible()
    assert page.locator("html").get_attribute("lang") == "de"
    assert page.locator("mark.chosen").first.evaluate("one => one.closest('[lang]').lang") == "en"
    page.get_by_label("Sprache").select_option("fr")
    expect(page.get_by_role("heading", name="Les sources")).to_be_visible()
    page.reload()
    expect(page.get_by_role("link", name="Mes questions")).to_be_visible()
    expect(page.get_by_role("contentinfo")).to_contain_text("Les réponses et les citations sont en anglais")
    assert page.locator("html").get_attribute("lang") == "fr"
    page.get_by_label("Langue").select_option("en")
    expect(page.get_by_role("heading", name="The sources")).to_be_visible()
    context.close()


@pytest.mark.parametrize(
    ("locale", "asked", "refused", "notice"),
    [
        ("de", "Was hilft gegen Gicht?", "Nichts gefunden", "Notruf"),
        ("fr", "Comment soigner la goutte ?", "Rien trouvé", "numéro d’urgence"),
        ("es", "¿Cómo se trata la gota?", "No se encontró nada", "emergencias"),
    ],
)
def test_refusals_notices_and_what_became_of_a_sentence_are_in_the_language_of_the_page(
    browser: Opened, locale: str, asked: str, refused: str, notice: str
) -> None:
    context = browser.browser.new_context(locale=locale)
    page = context.new_page()
    page.goto(f"{browser.url}/#/ask")
    page.locator(".combobox textarea").fill(asked)
    page.keyboard.press("Enter")
    expect(page.locator(".headline")).to_contain_text(refused)
    page.goto(f"{browser.url}/#/answer/{AT_RISK}")
    expect(page.get_by_role("note")).to_contain_text(notice)
    page.goto(f"{browser.url}/#/answer/{EVERYTHING}")
    expect(page.locator(".verdict").first).to_be_visible()
    assert "Supported" not in page.locator(".verdict").first.inner_text()
    context.close()
