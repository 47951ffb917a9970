"""The page in a real browser: a server over a small home in a thread of its own, and pages whose errors fail a test."""

from __future__ import annotations

import re
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from live_server import in_a_thread, listening
from small_corpora import corpus_of_documents

import medground
from medground.home.settings import Settings
from medground.values.document import Document

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

BUILT = Path(medground.__file__).parent / "faces" / "web" / "built"
DESK, PHONE = (1280, 900), (390, 844)
ENGINEERS = re.compile(r"\b(corpus|corpora|recipes?|runs?|usage|timeline|tokens?|hash(?:es)?|operators?)\b|FILE:", re.I)
"""Words that only those who build it know: the views that people see first have none of them."""
AXE = {"resultTypes": ["violations"]}


def chromium() -> str | None:
    """Where this computer has Chromium; None where it has none."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def why_not() -> str:
    """Why the page cannot be tested in a browser here; empty where it can."""
    if missing := [name for name in ("fastapi", "playwright", "axe_playwright_python") if find_spec(name) is None]:
        return f"needs {missing[0]}: the extra test"
    if not (BUILT / "index.html").is_file():
        return "needs the built page: cd page && npm ci && npm run build"
    return "" if chromium() else "needs Chromium: apt install chromium"


def papers_home(home: Path, papers: list[Document], name: str = "papers") -> Settings:
    """Settings of a home with a corpus of these papers, which is searched."""
    corpus_of_documents(home, papers, name)
    return Settings.load(options={"home": home, "retrieval.corpora": (name,)})


@contextmanager
def served(settings: Settings, *, authenticated: bool = False) -> Iterator[str]:
    """The address of a server of the API and the page over these settings; a token is needed if `authenticated`."""
    with in_a_thread(_serving(settings, authenticated)) as address:
        yield address


@asynccontextmanager
async def _serving(settings: Settings, authenticated: bool) -> AsyncIterator[str]:
    from medground.faces.api.server import make_app
    from medground.faces.service.service import Service
    from medground.faces.web.app import add_page

    async with Service.open(settings) as service:
        await service.warm()
        app = make_app(service, authenticated=authenticated)
        add_page(app, login=authenticated)
        async with listening(app, ws="none") as address:
            try:
                yield address
            finally:
                await service.jobs.close()


@dataclass
class Opened:
    """A browser, and what its pages complained about.

    Attributes:
        browser: Chromium.
        url: the address of the server.
        errors: messages of the console and exceptions of scripts.
        expected: what an error may say without failing the test, such as a status that the test provokes.
    """

    browser: Browser
    url: str
    errors: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)

    def page(self, where: str = "#/ask", *, size: tuple[int, int] = DESK) -> Page:
        """A page of a fresh session at a view, without movement, waited for until its heading is there."""
        made: BrowserContext = self.browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme="light", reduced_motion="reduce"
        )
        made.set_default_timeout(40_000)
        page = made.new_page()
        page.on("console", lambda said: self.errors.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto(f"{self.url}/{where}")
        page.get_by_role("heading", level=1).first.wait_for()
        return page

    def check(self) -> None:
        """Fail if a page complained."""
        unexpected = [said for said in self.errors if not any(known in said for known in self.expected)]
        assert unexpected == []


@contextmanager
def started() -> Iterator[Browser]:
    """Chromium. Its loop lives in this thread, which can run no other meanwhile."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(url: str, browser: Browser) -> Iterator[Opened]:
    """A browser with sessions for one test, which fails if a page complained."""
    found = Opened(browser, url)
    try:
        yield found
        found.check()
    finally:
        for context in browser.contexts:
            context.close()


def violations(page: Page, *rules: str) -> list[str]:
    """What axe finds wrong with a page, by these rules or by all: the rule, and the element."""
    from axe_playwright_python.sync_playwright import Axe

    only = {"runOnly": {"type": "rule", "values": rules}} if rules else {}
    found = Axe().run(page, options=AXE | only).response["violations"]
    return [f"{one['id']}: {node['html'][:160]} ({node['failureSummary']})" for one in found for node in one["nodes"]]


def faults(page: Page) -> list[str]:
    """What axe finds wrong with a page in light colours, and which contrasts it finds too low in dark ones."""
    found = violations(page)
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(background) != light
    return found + violations(page, "color-contrast")


def printed(page: Page) -> str:
    """The text of a page on paper: white sheets with the text inside, and none that is empty."""
    from pypdfium2 import PdfDocument

    told = []
    for sheet in PdfDocument(page.pdf(prefer_css_page_size=True)):
        text = sheet.get_textpage()
        assert max(text.get_charbox(n)[2] for n in range(text.count_chars())) < sheet.get_width()
        assert sheet.render().to_numpy()[0, 0].min() == 255
        told.append(text.get_text_range())
    return " ".join(" ".join(told).split())


OWN_TEXTS = """() => {
    const seen = (one) => one.getClientRects().length > 0 && getComputedStyle(one).visibility !== "hidden";
    const ours = (one) => seen(one) && !one.closest("body [lang=en], script, textarea, code");
    const texts = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) if (ours(walk.currentNode.parentElement)) texts.push(walk.currentNode.textContent.trim());
    for (const name of ["aria-label", "title", "placeholder", "alt"])
        for (const one of document.querySelectorAll(`[${name}]`)) if (ours(one)) texts.push(one.getAttribute(name));
    const english = [...document.querySelectorAll("body [lang=en]")].map((one) => one.textContent.trim());
    return texts.map((text) => english.reduce((left, one) => (one.length > 9 ? left.replaceAll(one, "") : left), text));
}"""
"""What a page says by itself: visible texts and labels without what is marked as English, as texts of others are."""
ACTIONS = "main :is(a[href], button, summary, textarea, select, input):not(:disabled)"


def own_texts(page: Page) -> list[str]:
    """The texts and labels of a page that are its own."""
    return [text for text in page.evaluate(OWN_TEXTS) if text]


def overflow(page: Page) -> int:
    """How many pixels a page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
