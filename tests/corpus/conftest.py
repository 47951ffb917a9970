"""The corpora of a new home, and a model for them."""

from pathlib import Path

import pytest
from small_corpora import WordEmbedder

from medground.corpus.library import Library


@pytest.fixture
def library(home: Path) -> Library:
    return Library(home)


@pytest.fixture
def embedder() -> WordEmbedder:
    return WordEmbedder()
