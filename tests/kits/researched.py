"""What a plan of research found, made from documents of the test, and the reports on it."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from rows import tables

from medground.answering.declaration import Declaration
from medground.answering.run import Run
from medground.recipes.biomedsearch.report import REPORTING, write_report
from medground.recipes.biomedsearch.reporting import compose_report
from medground.recipes.settings import BioMedSearchSettings
from medground.values.answer import Answer
from medground.values.document import Document, Hit, Passage
from medground.values.report import Attachment, FlowRow, SubFound, ToolFound
from medground.values.research_plan import ResearchPlan, Tool

TABLES = tables(__file__)

MakeRun = Callable[..., Run]
RECIPE = Declaration(name="biomedsearch", operators=REPORTING, writers=(compose_report,), settings=BioMedSearchSettings)
QUESTION = "What are the effects of cyp17a1 knockout on zebrafish?"
PLAN = ResearchPlan.model_validate(TABLES["plan"])
HORMONES = Document.model_validate(TABLES["hormones"])
SEXES = Document.model_validate(TABLES["sexes"])
PREPRINT = Document.model_validate(TABLES["preprint"])
BLOG = Document.model_validate(TABLES["blog"])
PROTEIN = Document.model_validate(TABLES["protein"])
SLEEP = Document(id="PMID:7", title="Sleep of mice", text="Mice without melatonin slept 20 % less.", year=2001)


def hits(documents: Sequence[Document], source: str = "corpus:test") -> tuple[Hit, ...]:
    """Whole documents as hits, in order."""
    return tuple(
        Hit(
            passage=Passage(
                document_id=one.id,
                start=0,
                end=len(one.text),
                text=one.text,
                title=one.title,
                year=one.year,
                kind=one.kind,
                publication_types=one.publication_types,
                retraction=one.retraction,
                paper=one.paper,
            ),
            ranker="test",
            rank=rank,
            score=1 / rank,
            source=source,
        )
        for rank, one in enumerate(documents, start=1)
    )


def tool(sub: str, name: Tool, documents: Sequence[Document], **more: Any) -> ToolFound:
    """What a tool found: these documents of twice as many."""
    size = len(documents)
    counts = more.pop("counts", {"found": 2 * size, "filtered": size, "kept": size})
    return ToolFound(
        tool=name,
        state=more.pop("state", "found" if documents else "empty"),
        flow=FlowRow(subquestion=sub, tool=name, **counts),
        hits=hits(documents),
        **more,
    )


def found(attachments: Sequence[Attachment] = ()) -> list[SubFound]:
    """Literature, a protein and a web page for the plan; the last sub-question has only a paper about mice."""
    q1, q2, q3, q4 = PLAN.subquestions
    unset = "Brave is not configured: name a key with MEDGROUND_KEYS__BRAVE"
    return [
        SubFound(q1, (tool("q1", "literature", [HORMONES]),)),
        SubFound(q2, (tool("q2", "web", [BLOG], failures=(unset,)), tool("q2", "literature", [PREPRINT, SEXES]))),
        SubFound(
            q3,
            (
                tool("q3", "protein", [PROTEIN], attachments=tuple(attachments), notes=("2 organisms have Cyp17a1",)),
                tool("q3", "literature", [HORMONES]),
            ),
        ),
        SubFound(
            q4,
            (
                tool("q4", "literature", [SLEEP]),
                tool("q4", "web", [], state="not configured", failures=(unset,), counts={}),
            ),
        ),
    ]


def documents_of(items: Sequence[SubFound], known: Sequence[Document] = ()) -> list[Document]:
    """The documents of this module and `known` that were found."""
    everything = {d.id: d for d in (HORMONES, SEXES, PREPRINT, BLOG, PROTEIN, SLEEP, *known)}
    ids = dict.fromkeys(h.passage.document_id for one in items for t in one.tools for h in t.hits)
    return [everything[i] for i in ids]


def reported(
    make_run: MakeRun, items: Sequence[SubFound], plan: ResearchPlan = PLAN, known: Sequence[Document] = (), **more: Any
) -> tuple[Answer, Run]:
    """The report on what was found, and the run; `known` are documents beside those of this module."""
    run = make_run(plan.question, **{"recipe": RECIPE, **more})
    run.ledger.admit(documents_of(items, known))
    return asyncio.run(write_report(plan, items, run)), run
