"""What a plan of research found, made from documents of the test, and the reports on it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from medground.answering.declaration import Declaration
from medground.answering.run import Run
from medground.recipes.biomedsearch.report import REPORTING, write_report
from medground.recipes.biomedsearch.reporting import compose_report
from medground.recipes.settings import BioMedSearchSettings
from medground.values.answer import Answer
from medground.values.document import Document, Hit, Passage
from medground.values.report import Attachment, FlowRow, SubFound, ToolFound
from medground.values.research_plan import Edge, Keyword, ResearchPlan, SubQuestion, Tool

MakeRun = Callable[..., Run]
RECIPE = Declaration(name="biomedsearch", operators=REPORTING, writers=(compose_report,), settings=BioMedSearchSettings)
QUESTION = "What are the effects of cyp17a1 knockout on zebrafish?"
PLAN = ResearchPlan(
    question=QUESTION,
    subquestions=(
        SubQuestion(
            id="q1", text="Does cyp17a1 knockout change the hormones of zebrafish?", keywords=("cyp17a1", "cortisol")
        ),
        SubQuestion(id="q2", text="Does cyp17a1 knockout change the sex ratio of zebrafish?", keywords=("sex ratio",)),
        SubQuestion(id="q3", text="What is the function of the protein Cyp17a1?", keywords=("Cyp17a1 protein",)),
        SubQuestion(id="q4", text="Does cyp17a1 knockout shorten the sleep of zebrafish?", keywords=("sleep",)),
    ),
    keywords=(
        Keyword(name="cyp17a1"),
        Keyword(name="cortisol"),
        Keyword(name="sex ratio"),
        Keyword(name="Cyp17a1 protein", tools=("protein",)),
        Keyword(name="sleep", tools=("literature", "web")),
    ),
    edges=(Edge(before="cyp17a1", after="sex ratio"),),
    notes=("a cycle was broken between sleep and cortisol",),
)
HORMONES = Document(
    id="PMID:1",
    title="Loss of cyp17a1 in zebrafish",
    text=(
        "The zebrafish gene cyp17a1 lies on chromosome 13. We knocked out cyp17a1. "
        "The cyp17a1 knockout lowered the hormones cortisol and 11-ketotestosterone by 87 % in zebrafish. "
        "Fish were fed twice a day."
    ),
    authors=("Zhai G", "Shu T"),
    year=2018,
    journal="Endocrinology",
    identifiers={"doi": "10.1210/x.1", "pmid": "1"},
)
SEXES = Document(
    id="PMID:2",
    title="An all-male phenotype of zebrafish without cyp17a1",
    text=(
        "Sex of zebrafish depends on many genes. "
        "The sex ratio of zebrafish was 100 % male after knockout of cyp17a1, and 11-ketotestosterone was low."
    ),
    authors=("Li H",),
    year=2020,
    journal="Development",
)
PREPRINT = Document(
    id="DOI:10.1101/2019.01.01",
    title="An all-male phenotype of zebrafish without cyp17a1",
    text="The sex ratio of zebrafish was 100 % male after knockout of cyp17a1. Sex of zebrafish depends on many genes.",
    authors=("Li, Hui",),
    year=2019,
    journal="bioRxiv",
    publication_types=("Preprint",),
)
BLOG = Document(
    id="WEB:fish",
    title="My zebrafish without cyp17a1",
    text="Every zebrafish of my cyp17a1 knockout had a male sex ratio of 3 to 1.",
    kind="web",
    url="https://example.org/fish",
)
PROTEIN = Document(
    id="UNIPROT:Q8QHI2",
    title="Cyp17a1 protein of zebrafish (Q8QHI2)",
    text=(
        "Function: Catalyzes the hydroxylation of pregnenolone; a function of the protein in steroid synthesis.\n"
        "Length: 519 amino acids."
    ),
    kind="protein",
    url="https://www.uniprot.org/uniprotkb/Q8QHI2",
)
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
    make_run: MakeRun,
    items: Sequence[SubFound],
    plan: ResearchPlan = PLAN,
    known: Sequence[Document] = (),
    **more: Any,
) -> tuple[Answer, Run]:
    """The report on what was found, and the run; `known` are documents beside those of this module."""
    run = make_run(plan.question, **{"recipe": RECIPE, **more})
    run.ledger.admit(documents_of(items, known))
    return asyncio.run(write_report(plan, items, run)), run
