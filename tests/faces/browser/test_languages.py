"""The page at three widths in four languages: it fits, leads on, and its own words are in the reader's language."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest
from browser import ACTIONS, Opened, overflow, own_texts
from page_papers import AT_RISK, EVERYTHING, QUESTION

pytest.importorskip("playwright", reason="needs the extra test")
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.slow
WORDS = Path(__file__).parents[3] / "page" / "src" / "words"
SIZES = ((375, 812), (768, 1024), (1280, 720))
ENGLISH = re.compile(
    r"\b(the|of|and|with|is|are|were|that|this|not|for|from|by|have|its|they|which|been|each|when|your|you|it)\b"
)
"""Words of grammar that stand in nearly every English sentence, and are none of the other three languages."""
QUOTED = re.compile(r"„[^“]*“|«[^»]*»|“[^”]*”")
"""What somebody asked or wrote, in the quotation marks of these languages."""
VIEWS = {
    "ask": ".chip",
    f"answer/{EVERYTHING}/cite/E1": "mark.chosen",
    f"answer/{AT_RISK}": ".notice",
    f"table/{EVERYTHING}": "table.studies",
    "document/PMID:101": "main h1",
    "search": ".chip",
    "check": ".chip",
    "corpora": "main table",
    "corpora/papers": "main table",
    "history": ".cards li",
    "saved": "main a",
    "compare": "main select",
    "answer/20990101-nothing": "[role=alert]",
}
"""Views by address, with what is there once they are loaded."""
CLAIMS = "Aspirin tripled stroke in all adults (PMID: 101). Nobody doubts it (PMID: 9)."
STRATEGY = "aspirin\ncohort[title]\n#1 AND #2\nexp Stroke/ AND aspirin.tw."


class Refused(NamedTuple):
    """A question in the reader's language that nothing here answers; what the first line and the notice then hold."""

    question: str
    headline: str
    notice: str


REFUSED = {
    "en": Refused("Does zorbamycin cure gout?", "Nothing found", "emergency"),
    "de": Refused("Was hilft gegen Gicht?", "Nichts gefunden", "Notruf"),
    "fr": Refused("Comment soigner la goutte ?", "Rien trouvé", "numéro d’urgence"),
    "es": Refused("¿Cómo se trata la gota?", "No se encontró nada", "emergencias"),
}


class Reader:
    """Somebody with a window of this size, who reads this language."""

    def __init__(self, browser: Opened, language: str, size: tuple[int, int]) -> None:
        self.size, self.url = size, browser.url
        file = WORDS / f"{language}.json"
        self.words: dict[str, str] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
        context = browser.browser.new_context(
            locale=language, viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce"
        )
        context.set_default_timeout(40_000)
        self.page: Page = context.new_page()
        self.page.on("console", lambda said: browser.errors.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: browser.errors.append(str(error)))

    def opens(self, view: str, awaited: str) -> None:
        self.page.goto(f"{self.url}/#/{view}")
        expect(self.page.locator(awaited).first).to_be_visible()

    def presses(self, words: str) -> None:
        self.page.get_by_role("button", name=self.words.get(words, words), exact=True).click()

    def asks(self, question: str) -> None:
        """Ask, and read the first line without scrolling."""
        before = self.page.url
        self.page.locator(".combobox textarea").first.fill(question)
        self.page.keyboard.press("Enter")
        self.page.wait_for_url(lambda url: "/answer/" in url and url != before)
        decision = self.page.locator(".decision")
        expect(decision).to_be_visible()
        assert decision.evaluate("one => one.getBoundingClientRect().bottom") < self.size[1]

    def faults(self) -> list[str]:
        """What is wrong with the view that is open."""
        wrong = [f"{over} pixels wider than the window"] if (over := overflow(self.page)) > 0 else []
        wrong += [] if self.page.locator(ACTIONS).filter(visible=True).count() else ["a dead end"]
        if self.words:
            texts = [QUOTED.sub("", text) for text in own_texts(self.page) if text != "Papers"]  # a collection's name
            wrong += [text for text in texts if self.words.get(text, text) != text]
            wrong += [text for text in texts if len(text.split()) > 2 and ENGLISH.search(text)]
        return wrong


def views_with_faults(reader: Reader, refused: Refused) -> dict[str, list[str]]:
    """The faults of each view that a person meets."""
    found: dict[str, list[str]] = {}
    for view, awaited in VIEWS.items():
        reader.opens(view, awaited)
        found[view] = reader.faults()
    reader.opens("ask", ".chip")
    report = reader.words.get("Write a report", "Write a report")
    expect(reader.page.get_by_role("button", name=report)).to_be_disabled()
    reader.asks(QUESTION)
    expect(reader.page.locator("article > h1 ~ *").nth(1)).to_have_class("decision")  # before all warnings
    expect(reader.page.locator(".decision [lang=en]").first).to_contain_text("spirin")
    expect(reader.page.locator(".decision .hint")).to_contain_text(re.compile(r"\b20\d\d\b"))  # its year
    found["answered"] = reader.faults()
    reader.asks("And in children?")
    found["followed"] = reader.faults()
    reader.opens("ask", ".chip")
    reader.asks(refused.question)
    expect(reader.page.locator(".headline")).to_contain_text(refused.headline)
    found["refused"] = reader.faults()
    reader.opens("search", ".chip")
    reader.page.locator("textarea.query").fill(STRATEGY)
    reader.page.locator("form .primary").click()
    expect(reader.page.get_by_test_id("line")).to_have_count(4)
    found["strategy"] = reader.faults()
    reader.opens("check", ".chip")
    reader.page.locator("main textarea").fill(
        "Aspirin tripled stroke in all adults (PMID: 101). Nobody doubts it (PMID: 9)."
    )
    reader.presses("Check the text")
    reader.page.get_by_test_id("checked").locator(".checked a").first.click()
    expect(reader.page.get_by_test_id("finding")).to_be_visible()
    found["checked"] = reader.faults()
    reader.opens(f"answer/{AT_RISK}", ".notice")
    expect(reader.page.get_by_role("note")).to_contain_text(refused.notice)
    return {view: wrong for view, wrong in found.items() if wrong}


@pytest.mark.parametrize(("language", "size"), [("en", SIZES[0]), ("fr", SIZES[1]), ("de", SIZES[2]), ("es", SIZES[0])])
def test_views_fit_lead_on_and_say_nothing_in_another_language(
    browser: Opened, language: str, size: tuple[int, int]
) -> None:
    browser.expected.append("404")  # an answer that is not there
    assert views_with_faults(Reader(browser, language, size), REFUSED[language]) == {}


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
