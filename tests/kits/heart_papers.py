"""Nine small papers about aspirin, and replies of a capable model to every operator of `pubmed-reasoner`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from medground.answering.run import Run
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers.base import Input
from medground.models.operators.reading import Extracted, ExtractOutput, ScreenOutput, SufficientOutput
from medground.models.operators.verifying import EntailOutput
from medground.models.operators.writing import WriteOutput, WrittenSentence
from medground.recipes.base import open_recipe
from medground.recipes.pubmed_reasoner.answering import Observation, SummariseOutput
from medground.recipes.pubmed_reasoner.operators import (
    CritiqueOutput,
    MeshTermsOutput,
    ProposedTerm,
    QueryOutput,
    SelectTermsOutput,
    TermVerdict,
)
from medground.sources.corpus import CorpusSource
from medground.values.answer import Answer
from medground.values.document import Document

MakeRun = Callable[..., Run]
QUESTION = "Does aspirin prevent myocardial infarction in adults with hypertension?"
PAPERS = [
    Document(
        id=f"PMID:{number}",
        title=f"Aspirin and {outcome}",
        text=f"We studied aspirin and {outcome} in hypertension. {result} Town {number * 91} took part.",
        year=2000 + number,
        publication_types=types,
        retraction="retracted" if number == 9 else "none",
    )
    for number, (outcome, result, types) in enumerate(
        [
            ("myocardial infarction", "Myocardial infarction fell significantly with aspirin.", ("Case Reports",)),
            ("stroke", "Stroke did not change in this cohort.", ()),
            (
                "myocardial infarction",
                "Aspirin lowered myocardial infarction by a fifth.",
                ("Randomized Controlled Trial",),
            ),
            ("gout", "Gout attacks became more frequent.", ()),
            ("asthma", "Asthma worsened in some children.", ()),
            ("migraine", "Migraine was less frequent.", ()),
            ("headache", "Headache went away within hours.", ()),
            ("fever", "Fever fell.", ()),
            ("myocardial infarction", "Myocardial infarction vanished altogether with aspirin.", ()),
        ],
        start=1,
    )
]
CRITIC = ["coverage", "alignment", "redundancy", "update_terms", "refine_query"]
READING = ["screen", "extract", "sufficient", "summarise", "respond", "entail"]
BY_MODEL = ["mesh_terms", "select_terms", "draft_query", *CRITIC, *READING]


def library_of_papers(home: Path) -> Library:
    library = Library(home)
    build(library, "heart", [Input("papers", "test", "1", lambda skip: iter(PAPERS[skip:]))])
    return library


def answered(recipe: str, make_run: MakeRun, corpus: Library, text: str = QUESTION, **more: Any) -> tuple[Answer, Run]:
    with corpus.open("heart") as snapshot:
        options = {"recipe.name": recipe, **more.pop("options", {})}
        opened = open_recipe(recipe)
        run = make_run(text, [CorpusSource(snapshot)], options=options, recipe=opened, **more)
        return asyncio.run(opened.run(run.question, run)), run


def verdicts(value: Any, **said: bool) -> CritiqueOutput:
    return CritiqueOutput(
        verdicts=tuple(TermVerdict(heading=t.heading, verdict=said.get("verdict", True)) for t in value.terms)
    )


def replies(**changes: Any) -> dict[str, Any]:
    return {
        "mesh_terms": MeshTermsOutput(
            terms=(ProposedTerm(heading="Aspirin"), ProposedTerm(heading="Myocardial Infarction"))
        ),
        "select_terms": SelectTermsOutput(selected=("Aspirin", "Myocardial Infarction")),
        "draft_query": QueryOutput(query="```aspirin[tiab] AND (myocardial infarction[tiab]```"),
        "coverage": verdicts,
        "alignment": verdicts,
        "redundancy": lambda value: verdicts(value, verdict=False),
        "update_terms": MeshTermsOutput(terms=(ProposedTerm(heading="Aspirin"),)),
        "refine_query": QueryOutput(query="aspirin[tiab] AND infarction[tiab]"),
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
        "entail": lambda value: EntailOutput(relation="entails", best=value.evidence[0].id),
    } | changes
