"""How fast the page can be used on loopback, and how much of it is sent.

    PYTHONPATH=tests/kits python benchmarks/page.py

Needs the built page (`cd page && npm ci && npm run build`) and Chromium. Each visit is by a browser that has nothing of
the page yet. `usable`: from the start of the visit until a question can be typed and everything it can choose from is
there. `scripts`: what the first view loads, as gzip packs it; a structure in 3D loads one more, which is told apart.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import statistics
import tempfile
import time
from pathlib import Path

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
    visits = parser.parse_args().visits
    if reason := why_not():
        raise SystemExit(reason)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        settings = papers_home(Path(folder) / "home", PAPERS)
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        with served(settings) as address:
            seconds = sorted(visit(browser, address) for _ in range(visits))
        browser.close()
    packed = sizes()
    first = first_scripts(packed)
    told = {
        "visits": visits,
        "usable": {
            "median": round(statistics.median(seconds), 3),
            "p95": round(seconds[max(0, round(0.95 * visits) - 1)], 3),
            "worst": round(seconds[-1], 3),
        },
        "scripts": {"first_view": first, "all": sum(packed.values())},
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
