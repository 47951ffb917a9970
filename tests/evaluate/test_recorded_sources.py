"""A run records what its sources find; in all else they stay as they are."""

from __future__ import annotations

import asyncio
from pathlib import Path

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.engine.open_sources import open_sources
from medground.home.settings import Settings
from medground.sources.base import DescribedSource, TermsSource
from medground.values.source_description import SourceDescription
from medground_evaluate.recorded_sources import GivenSource, recording


def test_a_recorded_source_says_what_the_source_says_of_itself(home: Path, tmp_path: Path) -> None:
    """Else a plan of sources would name it differently in a run than outside of it."""
    (tmp_path / "heart.txt").write_text("The heart pumps blood.", encoding="utf-8")
    book = SourceDescription(name="book", kind="book", about="Chapters.", licence="CC BY 4.0", origin="the test")
    library = Library(home)
    build(library, "omni.book", find_inputs([tmp_path / "heart.txt"]), described=book)
    [source] = recording(open_sources(Settings.load(options={"retrieval.corpora": "omni.book"})))
    assert isinstance(source, DescribedSource) and isinstance(source, TermsSource)
    assert source.described == source.terms == book
    [given] = recording([GivenSource([])])
    assert isinstance(given, DescribedSource) and given.described is None
    asyncio.run(source.close())
