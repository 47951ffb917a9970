"""A home with two papers for the service and its faces, people, and a clock that only the test moves."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from command_line import corpus_of

from medground.faces.service.accounts import Tokens
from medground.faces.service.records import Records
from medground.faces.service.request import AskBody
from medground.faces.service.service import Service
from medground.faces.service.values import Person
from medground.home.settings import Settings
from medground.values.answer import Answer

QUESTION = "Does aspirin reduce the risk of stroke?"
PAPERS = [
    {"id": "PMID:1", "title": "Aspirin", "text": "Aspirin reduced the risk of stroke in adults."},
    {"id": "PMID:2", "title": "Zebrafish", "text": "Fins of zebrafish regenerate after amputation."},
]
ADA = Person(id="ada", name="Ada")
BOB = Person(id="bob", name="Bob")


class Clock:
    """Seconds that the test sets."""

    def __init__(self, now: float = 0.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def papers(home: Path) -> Settings:
    """Settings of a home with the corpus `papers`, which is searched."""
    corpus_of(*PAPERS)
    return Settings.load(options={"retrieval.corpora": ("papers",)})


async def answered(service: Service, asked: AskBody, person: Person) -> Answer:
    """The answer to a question of a person."""
    return await (await service.start(asked, person)).outcome()


@contextmanager
def tokens_of(home: Path) -> Iterator[Tokens]:
    """The tokens of a home folder."""
    with closing(Records(home)) as records:
        yield Tokens(records)
