"""What papers say against each other is shown on both sides, however alike their words are."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from rows import tables
from small_corpora import corpus_of_documents

from medground.engine.blocking import BlockingEngine
from medground.home.settings import Settings
from medground.values.document import Document

PAIRS, REPEATS = tables(__file__)["pairs"], tables(__file__)["repeats"]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BlockingEngine]:
    home: Path = tmp_path_factory.mktemp("opposed")
    said = [text for _, *both in [*PAIRS, *REPEATS] for text in both]
    papers = [
        Document(id=f"PMID:{n}", kind="research", title=f"Paper {n}", text=text) for n, text in enumerate(said, start=1)
    ]
    corpus_of_documents(home, papers)
    with BlockingEngine.open(Settings(home=home), corpora="papers") as opened:
        yield opened


def quoted(engine: BlockingEngine, question: str) -> list[str]:
    return [quote.quote for quote in engine.ask(question).evidence]


@pytest.mark.parametrize(("question", "one", "other"), PAIRS)
def test_both_of_two_opposed_findings_are_shown(engine: BlockingEngine, question: str, one: str, other: str) -> None:
    assert {one, other} <= set(quoted(engine, question))


@pytest.mark.parametrize(("question", "one", "other"), REPEATS)
def test_the_same_sentence_is_shown_once(engine: BlockingEngine, question: str, one: str, other: str) -> None:
    assert len({one, other}.intersection(quoted(engine, question))) == 1
