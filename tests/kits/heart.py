"""Nine papers about aspirin, and questions that `reason-and-verify` answers from them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from asking import Asks

from medground.answering.run import Run
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers.base import Input
from medground.models.operators.reasoning import ReasonOutput, SubClaim
from medground.models.operators.verifying import EntailOutput
from medground.recipes.reason_and_verify.recipe import REASON_AND_VERIFY
from medground.sources.corpus import CorpusSource
from medground.values.answer import Answer
from medground.values.document import Document

MakeRun = Callable[..., Run]
QUESTION = "Does aspirin prevent myocardial infarction in adults with hypertension?"
PAPERS = [
    Document(
        id=f"PMID:{number}",
        title=f"Aspirin and {outcome}",
        text=f"We studied aspirin and {outcome} in adults with hypertension. {result} Town {number * 91} took part.",
        year=2000 + number,
        retraction="retracted" if number == 9 else "none",
    )
    for number, (outcome, result) in enumerate(
        [
            ("myocardial infarction", "Aspirin prevented myocardial infarction significantly."),
            ("stroke", "Stroke did not change in this cohort."),
            ("myocardial infarction", "Myocardial infarction (MI) fell by a fifth with aspirin."),
            ("gout", "Gout attacks became more frequent."),
            ("asthma", "Asthma worsened in some children."),
            ("migraine", "Migraine was less frequent."),
            ("headache", "Headache went away within hours."),
            ("fever", "Fever fell."),
            ("myocardial infarction", "Myocardial infarction vanished altogether with aspirin."),
        ],
        start=1,
    )
]


def library(home: Path, papers: Sequence[Document] = PAPERS) -> Library:
    """A home with a corpus of the papers, called heart."""
    made = Library(home)
    build(made, "heart", [Input("papers", "test", "1", lambda skip: iter(papers[skip:]))])
    return made


def answered(make_run: MakeRun, corpus: Library, text: str = QUESTION, **more: Any) -> tuple[Answer, Run]:
    """The answer, with these settings and models of the run, and the run."""
    with corpus.open("heart") as snapshot:
        options = {"recipe.name": "reason-and-verify", **more.pop("options", {})}
        run = make_run(text, [CorpusSource(snapshot)], options=options, recipe=REASON_AND_VERIFY, **more)
        return asyncio.run(REASON_AND_VERIFY.run(run.question, run)), run


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A home with the papers in a corpus called heart."""
    return library(tmp_path_factory.mktemp("home"))


@pytest.fixture
def ask(make_run: MakeRun, corpus: Library, scripted_model: Any) -> Asks:
    """Asks `reason-and-verify` over the papers."""
    return Asks(scripted_model, partial(answered, make_run, corpus))


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


def entails(value: Any) -> EntailOutput:
    """A judge that finds every statement supported."""
    return EntailOutput(relation="entails", best=value.evidence[0].id)
