"""One server for the tests of the page, and a browser for each of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_socket
from browser import Opened, opened, papers_home, served, started, why_not
from page_papers import PAPERS, keep_answers

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def page_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the corpus `papers`, and answers that hold everything an answer can hold."""
    if reason := why_not():
        pytest.skip(reason)
    from playwright.sync_api import expect

    expect.set_options(timeout=40_000)  # other tests share the machine
    home = tmp_path_factory.mktemp("page") / "home"
    papers_home(home, PAPERS)
    keep_answers(home)
    return home


@pytest.fixture(scope="session")
def site(page_home: Path) -> Iterator[str]:
    """The address of a server over that home."""
    from medground.home.settings import Settings

    pytest_socket.enable_socket()
    with served(Settings.load(options={"home": page_home, "retrieval.corpora": ("papers",)})) as address:
        yield address


@pytest.fixture(scope="module")
def chrome(page_home: Path) -> Iterator[Browser]:
    """One Chromium for the tests of a module; each has sessions of its own."""
    pytest_socket.enable_socket()
    with started() as found:
        yield found


@pytest.fixture
def browser(loopback: None, chrome: Browser, site: str) -> Iterator[Opened]:
    """A browser before that server. A message in its console fails the test."""
    with opened(site, chrome) as found:
        yield found
