"""The page in a real browser: a server over a small home in a thread of its own, and pages whose errors fail a test."""

from __future__ import annotations

import asyncio
import shutil
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import medground
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers.base import Input
from medground.home.settings import Settings
from medground.values.document import Document

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

BUILT = Path(medground.__file__).parent / "faces" / "web" / "built"
DESK, PHONE = (1280, 900), (390, 844)
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
    build(Library(home), name, [Input(name, "test", "1", lambda skip: iter(papers[skip:]))])
    return Settings.load(options={"home": home, "retrieval.corpora": (name,)})


class Served:
    """A real server over these settings, in a thread with a loop of its own. Use it as a context manager.

    Args:
        settings: those of the server.
        authenticated: whether a token is needed.
    """

    def __init__(self, settings: Settings, *, authenticated: bool = False) -> None:
        self.settings = settings
        self.url = ""
        self._authenticated = authenticated
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> Served:
        self._thread.start()
        if not self._ready.wait(60) or self._failure:
            raise RuntimeError("the server did not start") from self._failure
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(30)

    def _work(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        except Exception as failure:  # noqa: BLE001  it is raised where the test waits
            self._failure = failure
        finally:
            self._loop.close()
            self._ready.set()

    async def _serve(self) -> None:
        from medground.faces.service.service import Service

        self._end = asyncio.Event()
        async with Service.open(self.settings) as self.service:
            await self.service.warm()
            async with _running(self.service, self._authenticated) as self.url:
                self._ready.set()
                await self._end.wait()


@asynccontextmanager
async def _running(service: Any, authenticated: bool) -> AsyncIterator[str]:
    """The API and the page on a free port of this computer."""
    import uvicorn

    from medground.faces.api.server import make_app
    from medground.faces.web.app import add_page

    app = make_app(service, authenticated=authenticated)
    add_page(app, login=authenticated)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off", ws="none"))
        task = asyncio.create_task(server.serve([listening]))
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            await service.jobs.close()
            server.should_exit = True
            await task


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
        made.set_default_timeout(10_000)
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


def overflow(page: Page) -> int:
    """How many pixels a page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
