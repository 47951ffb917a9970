"""How fast the page can be used on loopback, how soon the first answer is on it, and how much of it is sent.

    python benchmarks/page.py [--home HOME]

Needs the built page (`cd page && npm ci && npm run build`) and Chromium. Each visit is by a browser that has nothing of
the page yet. `usable`: from the start of the visit until a question can be typed and everything it can choose from is
there. `first_answer`: from Enter until the decision is on the screen, the first question of a server that just started
over the collections of HOME; `second_answer`: the same by the next browser; `empty_page`: an answer of one word by the
same server to a new browser, which is what the browser alone takes. `scripts`: what the first view loads, as gzip packs
it; a structure in 3D loads one more, which is told apart.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "kits"))

from browser import BUILT, chromium, papers_home, served, why_not
from page_papers import PAPERS
from playwright.sync_api import Browser, sync_playwright


def visit(browser: Browser, url: str) -> float:
    """Seconds of one first visit until the page is usable."""
    context = browser.new_context()
    page = context.new_page()
    began = time.perf_counter()
    page.goto(f"{url}/#/ask")
    page.get_by_label("Question").fill("Does aspirin prevent stroke?")
    page.locator("details.options").wait_for()
    seconds = time.perf_counter() - began
    context.close()
    return seconds


QUESTIONS = ("What are the signs of Marfan syndrome?", "Is Huntington disease inherited?")


def answered(browser: Browser, url: str, question: str) -> float:
    """Seconds from Enter until the decision is seen, on a page that is all there."""
    page = browser.new_context().new_page()
    page.goto(f"{url}/#/ask")
    page.locator("details.options").wait_for()
    page.get_by_label("Question").fill(question)
    began = time.perf_counter()
    page.keyboard.press("Enter")
    page.locator(".headline").wait_for()
    seconds = time.perf_counter() - began
    page.context.close()
    return seconds


def empty(browser: Browser, url: str) -> float:
    """Seconds in which a new browser shows an answer without a page."""
    page = browser.new_context().new_page()
    began = time.perf_counter()
    page.goto(f"{url}/healthz")
    seconds = time.perf_counter() - began
    page.context.close()
    return seconds


def first_answers(browser: Browser, home: Path, servers: int) -> dict[str, list[float]]:
    """Seconds of the first and the second answer of new servers over a home, and of an empty page."""
    told: dict[str, list[float]] = {"first_answer": [], "second_answer": [], "empty_page": []}
    command = [sys.executable, "-m", "medground", "web", "--no-browser", "--open", "--port", "0"]
    for number in range(servers):
        one = subprocess.Popen(
            command, env=os.environ | {"MEDGROUND_HOME": str(home)}, stderr=subprocess.PIPE, text=True
        )
        try:
            url = next(found[0] for line in one.stderr or () if (found := re.search(r"http://\S+", line)))
            told["empty_page"].append(empty(browser, url))
            for what, question in zip(
                ("first_answer", "second_answer"), QUESTIONS[:: 1 - 2 * (number % 2)], strict=True
            ):
                told[what].append(answered(browser, url, question))
        finally:
            one.terminate()
            one.wait()
    return told


def spread(seconds: list[float]) -> dict[str, float]:
    """Median, 95th percentile and worst."""
    ordered = sorted(seconds)
    last = ordered[max(0, round(0.95 * len(ordered)) - 1)]
    return {
        name: round(one, 3)
        for name, one in (("median", statistics.median(ordered)), ("p95", last), ("worst", ordered[-1]))
    }


def sizes() -> dict[str, int]:
    """Bytes of each file of scripts, packed."""
    return {path.name: len(gzip.compress(path.read_bytes(), 9)) for path in sorted((BUILT / "assets").glob("*.js"))}


def first_scripts(packed: dict[str, int]) -> int:
    """Bytes of the scripts that the first view names."""
    named = re.findall(r"assets/([^\"]+\.js)", (BUILT / "index.html").read_text(encoding="utf-8"))
    return sum(packed[name] for name in named)


def main() -> None:
    """Measure and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visits", type=int, default=20)
    parser.add_argument("--home", type=Path, help="a home with the collections that are searched, such as `starter`")
    parser.add_argument("--servers", type=int, default=10)
    given = parser.parse_args()
    visits = given.visits
    if reason := why_not():
        raise SystemExit(reason)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        settings = papers_home(Path(folder) / "home", PAPERS)
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        with served(settings) as address:
            seconds = [visit(browser, address) for _ in range(visits)]
        answers = first_answers(browser, given.home, given.servers) if given.home else {}
        browser.close()
    packed = sizes()
    first = first_scripts(packed)
    told = {
        "visits": visits,
        "usable": spread(seconds),
        **{what: spread(one) for what, one in answers.items()},
        "scripts": {"first_view": first, "all": sum(packed.values())},
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
