"""Records that are not evidence: retracted papers and notices, recognised by state, type or title.

Titles have the forms of publishers and databases, and some papers only look like them.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from rows import each_row, tables

from medground.answering import captions
from medground.answering.read.corrections import corrected_number
from medground.answering.run import Run
from medground.corpus.design import UNKNOWN, design_level
from medground.corpus.retraction import CONCERN, ERRATUM, NOTICE, REMOVED, RETRACTED, said_by, set_aside, why_aside
from medground.recipes.ground.recipe import ground
from medground.values.document import Document, Hit, Passage, Retraction
from medground.wording.markup import as_markdown
from medground.wording.phrases import headline
from medground.wording.view import view


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
        (passage(kinds=("Expression of Concern",)), CONCERN),
        (passage(kinds=("Published Erratum",)), ERRATUM),
        (passage(kinds=("Corrected and Republished Article",)), None),
        (passage(kinds=("Publication rétractée",)), RETRACTED),
        (passage(kinds=("D016441",)), RETRACTED),
        (passage(kinds=("Rétractation d'une publication",)), NOTICE),
        (passage(kinds=("出版の撤回",)), NOTICE),
        (passage(kinds=("Randomized Withdrawal Trial",)), None),
        (passage("Retracted and republished: Aspirin and stroke"), RETRACTED),
        (passage("TEMPORARY REMOVAL: Aspirin and stroke"), REMOVED),
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


TABLES = tables(__file__)
PAPER = "Effect of aspirin on stroke: a randomised trial"


@each_row(("said", "form"), [(said, form) for said, forms in TABLES["titles"].items() for form in forms])
def test_a_title_says_what_its_record_is(said: str, form: str) -> None:
    assert (said_by(form.format(PAPER)) or "nothing") == said


TRIAL = Document(
    id="PMID:1",
    title="Aspirin and stroke: a randomised trial",
    text="Stroke is common. Aspirin significantly reduced the risk of stroke (p < 0.05).",
)
NOTICES = [Document.model_validate(one) for one in TABLES["notices"]]


def test_notices_are_listed_but_never_quoted_and_a_paper_in_doubt_is_evidence_with_a_warning(
    make_run: Callable[..., Run], memory_source: Any
) -> None:
    other = "In another trial of 900 adults, aspirin significantly reduced the risk of stroke."
    doubtful = TRIAL.model_copy(update={"id": "PMID:5", "title": "Aspirin and stroke: retraction", "text": other})
    run = make_run("Does aspirin reduce the risk of stroke?", [memory_source([TRIAL, *NOTICES, doubtful])])
    answer = asyncio.run(ground(run.question, run))
    assert {e.document_id for e in answer.evidence} == {"PMID:1", "PMID:5"}
    assert {d.id for d in answer.documents} == {f"PMID:{n}" for n in range(1, 6)}
    for number, what in ((2, "a retraction notice"), (3, "an expression of concern"), (4, "an erratum")):
        assert f"PMID:{number} was found but is {what}, so it is not used as evidence" in answer.warnings
    states = {d.id: captions.state(d) for d in answer.documents}
    assert states["PMID:2"] == "A retraction notice: not used as evidence."
    why = "its title suggests a notice about another paper; check it before you rely on it"
    assert f"PMID:5 {why}" in answer.warnings
    for shown in ("An erratum: not used as evidence.", f"This record {why}."):
        assert shown in as_markdown(answer)


@each_row("weak", ["Comment", "Clinical Trial Protocol", "reply", "article-commentary"])
def test_comments_rank_below_every_study(weak: str) -> None:
    for study in ("Randomized Controlled Trial", "Observational Study", "Review", "Case Reports", "case-report"):
        assert design_level([weak, "Journal Article"]) > design_level([study])
    assert design_level([weak]) > UNKNOWN


def record(number: int, title: str, text: str, year: int, kind: str) -> Document:
    return Document(id=f"PMID:{number}", title=title, text=text, year=year, publication_types=(kind,))


def test_what_an_erratum_says_stands_beside_the_paper_that_it_corrects(
    make_run: Callable[..., Run], memory_source: Any
) -> None:
    paper = record(1, "Gliptarex and weight", "Weight fell by 14.2 kg with gliptarex.", 2019, "Journal Article")
    said = "That weight fell by 14.2 kg should read 4.2 kg."
    erratum = record(2, "Erratum: Gliptarex and weight", said, 2020, "Published Erratum")
    run = make_run("How much weight is lost with gliptarex?", [memory_source([paper, erratum])])
    answer = asyncio.run(ground(run.question, run))
    assert f"PMID:1 was corrected: “{said}” (PMID:2)" in answer.warnings
    first = "4.2 kg, corrected; the paper first said 14.2 kg (PMID:2): Weight fell by 14.2 kg with gliptarex."
    assert headline(answer) == first == view(answer).sentences[0].text


@each_row(
    ("quote", "said", "numbers"),
    [
        (
            "With fastlin 16.8 kg was lost in 12 months.",
            "It should read: With fastlin 6.8 kg was lost in 12 months.",
            ("6.8 kg", "16.8 kg"),
        ),
        ("The dose was 50 mg daily.", "The dose should have been 5 mg, not 50 mg.", ("5 mg", "50 mg")),
        ("Mortality was 12% at a year.", "On page 4, “mortality was 12%” should read “21%”.", ("21%", "12%")),
        ("Mortality was 12% at a year.", "Diarrhoea was given as 12%; it was 21%.", None),
        ("The dose was 5 mg daily.", "The correct dose is 5 mg, not 50 mg.", None),
        ("Survival was 60%.", "Survival was 60%. The correct p is 0.05%.", None),
        ("Drug A reduced it by 1.2%.", "Drug B reduced it by 1.4%, not 1.2%.", None),
        (
            "It fell by 4.2 kg and by 1.1 kg with placebo.",
            "It should read: less by 3.2 kg with drug and 1.1 kg with placebo.",
            None,
        ),
        ("Pain was 7.1 points.", "Pain fell from 7.1 to 5.2 points.", None),
        ("Mortality was 12%.", "The affiliation of the second author was wrong.", None),
    ],
)
def test_the_number_that_an_erratum_changes_is_told_where_it_is_certain(quote: str, said: str, numbers: Any) -> None:
    assert corrected_number(quote, said) == numbers


def test_a_newer_version_of_a_review_replaces_the_older_and_two_trials_do_not(
    make_run: Callable[..., Run], memory_source: Any
) -> None:
    texts = ("Milquet probably reduces snoring in adults.", "Milquet makes little difference to snoring in adults.")
    for kind, told in (("Review", True), ("Randomized Controlled Trial", False)):
        both = [record(at, "Milquet for snoring", text, 2000 + at, kind) for at, text in enumerate(texts, start=1)]
        run = make_run("Does milquet reduce snoring?", [memory_source(both)])
        answer = asyncio.run(ground(run.question, run))
        assert ("PMID:1 (2001) was replaced by PMID:2 (2002), a newer version of it" in answer.warnings) == told
