"""Nine papers about aspirin, and questions that `reason-and-verify` answers from them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from asked_questions import Asks, MakeRun, asks
from rows import tables
from scripted_capable import checks
from small_corpora import corpus_of_documents

from medground.corpus.library import Library
from medground.models.operators.reasoning import ReasonOutput, SubClaim
from medground.values.document import Document

TABLES = tables(__file__)

QUESTION = "Does aspirin prevent myocardial infarction in adults with hypertension?"
PAPERS = [Document.model_validate(one) for one in TABLES["papers"]]


def library(home: Path, papers: Sequence[Document] = PAPERS) -> Library:
    """A home with a corpus of the papers, called heart."""
    return corpus_of_documents(home, papers, "heart")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A home with the papers in a corpus called heart."""
    return library(tmp_path_factory.mktemp("home"))


@pytest.fixture
def ask(make_run: MakeRun, corpus: Library, scripted_model: Any) -> Asks:
    """Asks `reason-and-verify` over the papers."""
    return asks(scripted_model, make_run, "reason-and-verify", corpus, QUESTION)


def spans(tmp_path: Path, name: str) -> list[dict[str, Any]]:
    """The attributes of the run's spans of a name."""
    lines = (tmp_path / "test.jsonl").read_text(encoding="utf-8").splitlines()
    return [span["attributes"] for span in map(json.loads, lines) if span["name"] == name]


def cited(value: Any, phrase: str) -> str:
    """Id of the first sentence that holds a phrase."""
    return next(s.id for p in value.passages for s in p.sentences if phrase in s.text)


def reasons(value: Any) -> ReasonOutput:
    """A rationale of two sentences, each of which a passage supports."""
    return ReasonOutput(
        claims=(
            SubClaim(text="Aspirin prevented  infarction.", sentences=(cited(value, "prevented myocardial"),)),
            SubClaim(text="Infarction fell by a fifth.", sentences=(cited(value, "by a fifth"),)),
        ),
        answer=("yes",),
    )


entails = checks(lambda asked: asked.is_("entails", asked.evidence[0].id))
"""A judge that finds every statement supported."""
