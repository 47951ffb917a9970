"""Nine small papers about aspirin, and replies of a capable model to every operator of `pubmed-reasoner`."""

from typing import Any

import heart
import pytest
from asked_questions import Asks, MakeRun, asks

from medground.corpus.library import Library
from medground.models.operators.reading import Extracted, ExtractOutput, ScreenOutput, SufficientOutput
from medground.models.operators.writing import WriteOutput, WrittenSentence
from medground.recipes.pubmed_reasoner import operators
from medground.recipes.pubmed_reasoner.answering import Observation, SummariseOutput

QUESTION = heart.QUESTION
TYPES = {"PMID:1": ("Case Reports",), "PMID:3": ("Randomized Controlled Trial",)}
PAPERS = [
    paper.model_copy(
        update={"publication_types": TYPES.get(paper.id, ()), "text": paper.text.replace("adults with ", "")}
    )
    for paper in heart.PAPERS
]
"""None says in whom, so that the first query finds nothing and is widened."""
CRITIC = ["coverage", "alignment", "redundancy", "update_terms", "refine_query"]
READING = ["screen", "extract", "sufficient", "summarise", "respond", "check"]
BY_MODEL = ["mesh_terms", "select_terms", "draft_query", *CRITIC, *READING]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A home with the papers in a corpus called heart."""
    return heart.library(tmp_path_factory.mktemp("home"), PAPERS)


@pytest.fixture
def ask(make_run: MakeRun, corpus: Library, scripted_model: Any) -> Asks:
    """Asks `pubmed-reasoner`, or the recipe that is named, over the papers."""
    return asks(scripted_model, make_run, "pubmed-reasoner", corpus, QUESTION)


def verdicts(value: Any, **said: bool) -> operators.CritiqueOutput:
    return operators.CritiqueOutput(
        verdicts=tuple(operators.TermVerdict(heading=t.heading, verdict=said.get("verdict", True)) for t in value.terms)
    )


def replies(**changes: Any) -> dict[str, Any]:
    return {
        "mesh_terms": operators.MeshTermsOutput(
            terms=(operators.ProposedTerm(heading="Aspirin"), operators.ProposedTerm(heading="Myocardial Infarction"))
        ),
        "select_terms": operators.SelectTermsOutput(selected=("Aspirin", "Myocardial Infarction")),
        "draft_query": operators.QueryOutput(query="```aspirin[tiab] AND (myocardial infarction[tiab]```"),
        "coverage": verdicts,
        "alignment": verdicts,
        "redundancy": lambda value: verdicts(value, verdict=False),
        "update_terms": operators.MeshTermsOutput(terms=(operators.ProposedTerm(heading="Aspirin"),)),
        "refine_query": operators.QueryOutput(query="aspirin[tiab] AND infarction[tiab]"),
        "screen": lambda value: ScreenOutput(relevant=tuple(p.id for p in value.passages)),
        "extract": lambda value: ExtractOutput(
            sentences=tuple(
                Extracted(sentence=s.id, stance="supports")
                for p in value.passages
                for s in p.sentences
                if "nfarction" in s.text and "studied" not in s.text
            )
        ),
        "sufficient": SufficientOutput(sufficient=True),
        "summarise": lambda value: SummariseOutput(
            observations=tuple(Observation(text=e.quote, evidence=(e.id,)) for e in value.evidence)
        ),
        "respond": lambda value: WriteOutput(
            sentences=(WrittenSentence(text="Aspirin lowered infarction.", evidence=value.summary[0].evidence),),
            answer=("yes",),
        ),
        "check": heart.entails,
    } | changes
