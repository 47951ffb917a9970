"""A small home folder for the service, with a second corpus, and what it writes down."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from awaited import pytest_pyfunc_call  # noqa: F401
from command_line import corpus_of
from small_service import PAPERS

from medground.faces.service.records import Records
from medground.home.settings import Settings


@pytest.fixture
def papers(home: Path) -> Settings:
    """Settings of a home with the corpus `papers`, which is searched, and `others`."""
    corpus_of(*PAPERS)
    corpus_of(*PAPERS[1:], name="others")
    return Settings.load(options={"retrieval.corpora": ("papers",)})


@pytest.fixture
def records(home: Path) -> Iterator[Records]:
    """What a service writes down, in an empty home."""
    opened = Records(home)
    yield opened
    opened.close()
