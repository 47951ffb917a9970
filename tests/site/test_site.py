"""The documentation as a site: built strictly, without a network, complete, and loading nothing from elsewhere."""

import html
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import browser
import pytest
import typer

import medground
from medground.faces.cli.app import command_line
from medground.home.settings import settings_file

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parent.parent.parent
NO_NETWORK = """
import socket, sys

def refuse(*_):
    raise OSError("the site reached for the network")

socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from mkdocs.__main__ import cli
cli(["build", "--strict", "--config-file", sys.argv[1], "--site-dir", sys.argv[2]])
"""
LOADED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "video": "src"}


class Loads(HTMLParser):
    """The addresses that a page loads by itself, which do not include its links."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.feed(content)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if named.get("rel") not in ("canonical", "prev", "next") and (address := named.get(LOADED.get(tag, ""))):
            self.addresses.append(address)


def build(config: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Build a site; a broken link, a missing anchor or any other warning fails."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-c", NO_NETWORK, str(config), str(folder)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=600)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    folder = tmp_path_factory.mktemp("site")
    built = build(ROOT / "mkdocs.yml", folder)
    assert built.returncode == 0, built.stderr[-3000:]
    return folder


def words(page: Path) -> str:
    """The text of a page."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", page.read_text(encoding="utf-8"))).split())


def test_every_page_of_docs_is_in_the_site(site: Path) -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        assert (site / page.relative_to(ROOT / "docs").with_suffix(".html")).is_file(), page
    assert "Change" in words(site / "changes.html")
    assert "Contributing" in words(site / "contributing.html")


def test_a_page_loads_nothing_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        content = page.read_text(encoding="utf-8")
        for address in Loads(content).addresses:
            assert not re.match(r"(?:https?:)?//", address), (page.name, address)
            if not address.startswith(("data:", "/")):  # the page of a wrong address, 404.html, has absolute ones
                assert (page.parent / address.partition("?")[0]).exists(), (page.name, address)
        assert 'class="mermaid"' not in content  # its program would come from elsewhere
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(?:https?:)?//", style.read_text(encoding="utf-8")), style


@pytest.mark.skipif(bool(browser.why_not()), reason="needs Chromium")
def test_the_site_is_searched_from_a_folder_without_a_server(site: Path, loopback: None) -> None:
    with browser.started() as chrome:
        page = chrome.new_page()
        page.goto((site / "index.html").as_uri())
        page.get_by_role("textbox", name="Search").fill("unanswerable")
        found = page.locator(".md-search-result__link:visible").first
        found.wait_for(timeout=60_000)
        found.click()
        page.wait_for_url("**/*.html?h=unanswerable*")


def test_the_reference_has_every_command_and_option(site: Path) -> None:
    shown = words(site / "reference" / "cli.html")

    def check(command: Any, name: str) -> None:
        assert f"Usage: {name} " in shown
        options = [option for parameter in command.params for option in parameter.opts if option.startswith("--")]
        hidden = {o for parameter in command.params if getattr(parameter, "hidden", False) for o in parameter.opts}
        assert not [option for option in options if option not in shown and option not in hidden], name
        for inner in getattr(command, "commands", {}).values():
            if not inner.hidden:
                check(inner, f"{name} {inner.name}")

    check(typer.main.get_command(command_line()), "medground")


def test_the_reference_has_every_setting(site: Path) -> None:
    shown = words(site / "reference" / "settings.html")
    for line in settings_file().splitlines():
        assert " ".join(line.split()) in shown


def test_the_reference_has_what_the_package_exports(site: Path) -> None:
    pages = (site / "reference" / name for name in ("python.html", "answers.html"))
    content = "".join(page.read_text(encoding="utf-8") for page in pages)
    for name in set(medground.__all__) - {"__version__", "errors", "steps"}:
        assert re.search(rf'id="medground\.[\w.]*\b{name}"', content), name
    for name in ("RateLimited", "BudgetExhausted", "SnapshotCorrupt"):
        assert f'id="medground.errors.{name}"' in content


def test_broken_links_fail_the_build(tmp_path: Path) -> None:
    links = ("missing.md", "index.md#missing", "/absolute.md")
    checked = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nmarkdown_extensions:")[0]
    (tmp_path / "docs").mkdir()
    text = "\n\n".join(f"[x]({link})" for link in links)
    (tmp_path / "docs" / "index.md").write_text(f"# One\n\n{text}\n", encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text(f"{checked}\nplugins: []\n", encoding="utf-8")
    built = build(tmp_path / "mkdocs.yml", tmp_path / "site")
    assert built.returncode != 0
    assert [link for link in links if link.rpartition("#")[2] not in built.stderr] == []
