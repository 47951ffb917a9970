"""Take the pictures of the page that the documentation shows, over made-up papers.

    python scripts/page_pictures.py [--out docs/images] [NAME ...]

Needs Chromium and the extra `test`, and shows the page as `npm run build` left it. Pictures are named after views.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "kits"))

from browser import Opened, opened, papers_home, served, started  # noqa: E402
from page_papers import PAPERS, QUESTION, keep_answers  # noqa: E402
from page_studies import JUDGED, REPORTED, keep_studies  # noqa: E402
from runs import line, write_run  # noqa: E402
from studies import STUDIES  # noqa: E402

from medground.faces.service.accounts import Tokens  # noqa: E402
from medground.faces.service.records import Records  # noqa: E402
from medground.home.settings import Settings  # noqa: E402

if TYPE_CHECKING:
    from playwright.sync_api import Page

Show = Callable[[Opened, tuple[int, int]], "Page"]


def view(address: str, awaited: str) -> Show:
    """A view by its address, once this is there."""

    def show(browser: Opened, size: tuple[int, int]) -> Page:
        page = browser.page(address, size=size)
        page.locator(awaited).first.wait_for()
        return page

    return show


def answered(browser: Opened, size: tuple[int, int]) -> Page:
    """A question that has just been answered."""
    page = browser.page(size=size)
    page.get_by_label("Question").fill(QUESTION)
    page.keyboard.press("Enter")
    page.locator("mark.chosen").first.wait_for()
    return page


def compared(browser: Opened, size: tuple[int, int]) -> Page:
    """Two methods on one question."""
    page = browser.page("#/compare", size=size)
    page.get_by_label("Question").fill(QUESTION)
    page.get_by_label("Second method").select_option("rag")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_test_id("compared").nth(1).wait_for()
    return page


PICTURES: dict[str, tuple[tuple[int, int], Show]] = {
    "ask-light": ((1280, 900), view("#/ask", ".chip")),
    "answer-light": ((1280, 900), answered),
    "table": ((1280, 900), view(f"#/table/{JUDGED}?c=n|dose", "table.studies")),
    "report": ((1280, 1100), view(f"#/report/{REPORTED}", ".decision")),
    "corpora": ((1280, 900), view("#/corpora", "main table")),
    "compare": ((1280, 1000), compared),
    "trace": ((1280, 560), view(f"#/trace/{JUDGED}", "main table")),
    "runs": ((1100, 760), view("#/runs", "main table")),
    "history": ((1280, 900), view("#/history", ".cards li")),
}
SIGN_IN = ((900, 560), view("#/ask", "#main input"))


def fill(home: Path) -> None:
    """Papers, studies, their answers, a run of evaluation and a token."""
    papers_home(home, PAPERS)
    papers_home(home, list(STUDIES), "falls-in-old-age")
    keep_answers(home)
    keep_studies(home)
    (home / "runs").mkdir()
    lines = [
        line(f"q{n}", "yes", value, question=f"Question {n}?", task="yes-no") for n, value in enumerate(["yes", "no"])
    ]
    write_run(home / "runs" / "small.jsonl", lines, recipe="ground")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="such as ask-light; all without one")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images")
    arguments = parser.parse_args()
    wanted = {name: one for name, one in PICTURES.items() if not arguments.names or name in arguments.names}
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        fill(home)
        settings = Settings.load(options={"home": home, "retrieval.corpora": ("papers", "falls-in-old-age")})
        with served(settings) as address, started() as chrome, opened(address, chrome) as browser:
            for name, (size, show) in wanted.items():
                show(browser, size).screenshot(path=arguments.out / f"page-{name}.png")
                print(name, flush=True)
        if not arguments.names or "signin" in arguments.names:
            records = Records(home)
            Tokens(records).create("ada")
            records.close()
            with (
                served(settings, authenticated=True) as address,
                started() as chrome,
                opened(address, chrome) as browser,
            ):
                browser.expected.append("401")
                size, show = SIGN_IN
                show(browser, size).screenshot(path=arguments.out / "page-signin.png")


if __name__ == "__main__":
    main()
