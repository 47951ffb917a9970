"""Records that are not evidence: retracted papers and notices, recognised by state, type or title."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from rows import each_row

from medground.answering import captions
from medground.answering.captions import UNKNOWN, design_level
from medground.answering.run import Run
from medground.answering.verify.check import check_all
from medground.corpus.retraction import CONCERN, ERRATUM, NOTICE, REMOVED, RETRACTED, set_aside, why_aside
from medground.models.operators.verifying import EntailOutput
from medground.recipes.ground import ground
from medground.values.document import Document, Hit, Passage, Retraction
from medground.values.evidence import Sentence
from medground.wording.markup import as_markdown

MakeRun = Callable[..., Run]


def passage(title: str = "", kinds: tuple[str, ...] = (), state: Retraction = "none", number: int = 1) -> Passage:
    return Passage(
        document_id=f"PMID:{number}", start=0, end=1, text="x", title=title, publication_types=kinds, retraction=state
    )


@each_row(
    ("record", "reason"),
    [
        (passage(state="retracted"), RETRACTED),
        (passage(state="notice"), NOTICE),
        (passage(state="concern"), None),
        (passage(kinds=("Journal Article", "Retracted Publication")), RETRACTED),
        (passage(kinds=("Retraction of Publication",)), NOTICE),
        (passage(kinds=("retraction",)), NOTICE),
        (passage(kinds=("Expression of Concern",)), CONCERN),
        (passage(kinds=("Published Erratum",)), ERRATUM),
        (passage(kinds=("Corrected and Republished Article",)), None),
        (passage(kinds=("Publication rétractée",)), RETRACTED),
        (passage(kinds=("撤稿",)), RETRACTED),
        (passage(kinds=("D016441",)), RETRACTED),
        (passage(kinds=("Rétractation d'une publication",)), NOTICE),
        (passage(kinds=("出版の撤回",)), NOTICE),
        (passage(kinds=("Randomized Withdrawal Trial",)), None),
        (passage("Aspirin and stroke: retraction"), None),
        (passage("RETRACTED: Aspirin and stroke"), RETRACTED),
        (passage("Retraction: Aspirin and stroke"), NOTICE),
        (passage("Editorial expression of concern: Aspirin"), CONCERN),
        (passage("Erratum: Detection of six novel mutations"), ERRATUM),
        (passage("Correction to: Aspirin"), ERRATUM),
        (passage("Aspirin and stroke (RETRACTED)"), RETRACTED),
        (passage("Withdrawn as duplicate: Aspirin and stroke"), RETRACTED),
        (passage("Retracted and republished: Aspirin and stroke"), RETRACTED),
        (passage("TEMPORARY REMOVAL: Aspirin and stroke"), REMOVED),
        (passage("Correction for Miller et al., Aspirin and stroke"), ERRATUM),
        (passage("Correction for guessing in multiple-choice tests"), None),
        (passage("Clot retraction in haemophilia"), None),
        (passage("Correction to normal of serum sodium"), None),
        (passage(), None),
    ],
)
def test_why_a_record_is_not_evidence(record: Passage, reason: str | None) -> None:
    assert why_aside(record) == reason


def test_one_retracted_passage_excludes_the_whole_document() -> None:
    hits = [
        Hit(passage=p, ranker="bm25", rank=rank, score=1.0)
        for rank, p in enumerate([passage(), passage(number=2), passage(state="retracted"), passage()], start=1)
    ]
    standing, reasons = set_aside(hits)
    assert [hit.passage.document_id for hit in standing] == ["PMID:2"]
    assert reasons == {"PMID:1": RETRACTED}


TRIAL = Document(
    id="PMID:1",
    title="Aspirin and stroke: a randomised trial",
    text="Stroke is common. Aspirin significantly reduced the risk of stroke (p < 0.05).",
)
NOTICES = [
    Document(
        id="PMID:2",
        title="Retraction: Aspirin and stroke",
        text="We retract the paper which found that aspirin significantly reduced the risk of stroke.",
        retraction="notice",
    ),
    Document(
        id="PMID:3",
        title="Expression of concern: Aspirin and stroke",
        text="The paper found that aspirin significantly reduced the risk of stroke.",
        publication_types=("Expression of Concern",),
    ),
    Document(
        id="PMID:4",
        title="Erratum: Aspirin and stroke",
        text="Aspirin significantly reduced the risk of stroke (p < 0.01) is correct.",
    ),
]


def test_notices_are_listed_with_their_reason_but_never_quoted(make_run: MakeRun, memory_source: Any) -> None:
    run = make_run("Does aspirin reduce the risk of stroke?", [memory_source([TRIAL, *NOTICES])])
    answer = asyncio.run(ground(run.question, run))
    assert {e.document_id for e in answer.evidence} == {"PMID:1"}
    assert {d.id for d in answer.documents} == {"PMID:1", "PMID:2", "PMID:3", "PMID:4"}
    for warning in (
        "PMID:2 was found but is a retraction notice, so it is not used as evidence",
        "PMID:3 was found but is an expression of concern, so it is not used as evidence",
        "PMID:4 was found but is an erratum, so it is not used as evidence",
    ):
        assert warning in answer.warnings
    assert "An erratum: not used as evidence." in as_markdown(answer)
    states = {d.id: captions.state(d) for d in answer.documents}
    assert states["PMID:2"] == "A retraction notice: not used as evidence."


def test_a_paper_in_doubt_is_evidence_with_a_warning(make_run: MakeRun, memory_source: Any) -> None:
    doubtful = TRIAL.model_copy(update={"title": "Aspirin and stroke: retraction"})
    run = make_run("Does aspirin reduce the risk of stroke?", [memory_source([doubtful])])
    answer = asyncio.run(ground(run.question, run))
    assert {e.document_id for e in answer.evidence} == {"PMID:1"}
    why = "may be a notice about another paper, going by its title; check it before you rely on it"
    assert f"PMID:1 {why}" in answer.warnings
    assert f"This record {why}." in as_markdown(answer)


def test_no_critic_is_asked_about_a_notice(make_run: MakeRun, scripted_model: Any) -> None:
    model = scripted_model({"entail": EntailOutput(relation="entails")})
    run = make_run("q?", model=model, by_model=["entail"], options={"verify.trusted_judges": (model.name,)})
    run.ledger.admit(NOTICES)
    quotes = [run.ledger.quote(d.id, 0, len(d.text)) for d in NOTICES]
    same = [Sentence(text=quote.quote, evidence=(quote.id,)) for quote in quotes]
    other = [Sentence(text="Aspirin prevents stroke.", evidence=(quote.id,)) for quote in quotes]
    verdicts = asyncio.run(check_all([*same, *other], run))
    assert {v.label for v in verdicts} == {"not found"}
    assert model.seen == []


@each_row("weak", ["Comment", "Clinical Trial Protocol", "reply", "article-commentary"])
def test_comments_rank_below_every_study(weak: str) -> None:
    for study in ("Randomized Controlled Trial", "Observational Study", "Review", "Case Reports", "case-report"):
        assert design_level([weak, "Journal Article"]) > design_level([study])
    assert design_level([weak]) > UNKNOWN
