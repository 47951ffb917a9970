"""Every call of a script or a notebook: nothing is awaited."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, assert_type

import medground
from medground import (
    Answer,
    AnyStep,
    AskedAgain,
    BlockingEngine,
    Box,
    CheckedClaim,
    ConceptFound,
    Document,
    Engine,
    EvidenceTable,
    Filters,
    Finding,
    FullText,
    Hit,
    Outcome,
    PaperFound,
    PastAnswer,
    Question,
    Related,
    SearchResult,
    Settings,
    StrategyFound,
    TextCheck,
    Unfinished,
    errors,
    steps,
)


def progress(step: str, done: int, total: int | None) -> None:
    print(step, done, total or "")


def on_step(step: AnyStep) -> None:
    print(step.type)


def told_apart(step: AnyStep) -> str:
    """By class, or by its `type`."""
    match step:
        case steps.Searched(source=source, found=found):
            return f"{source}: {found}"
        case steps.Judging(done=done, of=of):
            return f"{done / of:.0%}"
        case _:
            pass
    if step.type == "asking":
        return f"{step.operator} by {step.model}"
    return step.type


def asked_once() -> Answer:
    answer = medground.ask(
        "Does zinc shorten colds?",
        task="yes-no",
        context="an adult",
        corpora=["papers"],
        settings={"retrieval.keep": 5},
        recipe="ground",
        model="keyless",
    )
    again = medground.ask_again(answer.trace_id, settings=Settings.load())
    assert_type(again, AskedAgain)
    print(again.before.id, again.answer.id, again.changes)
    return medground.resume(changes={"budget.calls": 50}, settings={"recipe.rounds": 2})


def asked_in_all_ways(engine: BlockingEngine) -> None:
    choice = engine.ask("Which is safer?", options={"A": "zinc", "B": "iron"}, task="single-choice", on_step=on_step)
    assert_type(choice, Answer)
    followed = engine.ask("And in children?", follow=choice.trace_id, recipe="ground", model="keyless", settings={})
    print(followed.headline, followed.rationale, followed.decision.status, [quote.quote for quote in followed.evidence])
    limits = Filters(year_from=2015, kinds=["research"], where={"journal": "Lancet", "ward": ["ICU", "ED"]})
    question = Question.ask("Does zinc shorten colds?", task="free", filters=limits)
    outcomes = engine.ask_many([question, "Is zinc safe?"], concurrency=2, recipe="ground", context="an adult")
    assert_type(outcomes, list[Outcome])
    for outcome in engine.ask_each([question], concurrency=2, recipe="ground", model="keyless", settings={}):
        print(outcome.question, outcome.answer.rationale if outcome.answer else outcome.error)
    for event in engine.stream(
        "Does zinc shorten colds?", task="yes-no", filters=limits, settings={"retrieval.keep": 5}
    ):
        print(event.rationale if isinstance(event, Answer) else told_apart(event))
    assert_type(engine.again(choice.trace_id, on_step=on_step), AskedAgain)
    assert_type(engine.resume("last", settings={"budget.calls": 50}, on_step=on_step), Answer)
    unfinished: Sequence[Unfinished] = engine.unfinished()
    print([one.id for one in unfinished])


def found_without_a_question(engine: BlockingEngine) -> None:
    result = engine.search("zinc colds", limit=5, filters=Filters(date_from="2019-03"), syntax="words")
    assert_type(result, SearchResult)
    for hit in result.hits:
        assert_type(hit, Hit)
        print(hit.rank, hit.passage.title, hit.passage.text, hit.passage.key)
    assert_type(engine.strategy(["zinc[ti]", "#1 AND colds"]), StrategyFound)
    document = engine.document("PMID:1")
    assert_type(document, Document)
    print(
        document.passage(0, 10, None).text,
        document.section_at(0),
        document.page_at(0),
        document.places(0, 10),
        document.paper,
    )
    boxes: list[Box] = [*document.boxes(0, 10)]
    assert_type(engine.highlights("PMID:1", [(0, 10)]), list[tuple[Box, ...]])
    assert_type(engine.concept("Marfan syndrome", limit=3), list[ConceptFound])
    assert_type(engine.papers(["PMID:1"], entities=True), list[PaperFound])
    assert_type(engine.related("PMID:1", by="citing", limit=5), Related)
    assert_type(engine.full_text("PMID:1"), FullText)
    print(boxes)


def checked(engine: BlockingEngine) -> list[Finding]:
    assert_type(engine.verify("Zinc shortens colds.", model="keyless", settings={}), CheckedClaim)
    text = engine.check_text("Zinc shortens colds [1].", file="text.md", references=[Path("my.bib")], fields=["a.b"])
    assert_type(text, TextCheck)
    assert_type(engine.run(Engine.document, "PMID:1"), Document)
    return engine.run(Engine.check_against, [("Zinc shortens colds.", [engine.document("PMID:1")])])


def kept(engine: BlockingEngine) -> bytes:
    past: list[PastAnswer] = engine.history(limit=5)
    print([one.question for one in past], engine.answer(past[0].trace_id).id)
    table = engine.table(past[0].id, ["dose", "n"], model="keyless", settings={})
    assert_type(table, EvidenceTable)
    return engine.export(past[0].id, "bibtex") + engine.export(past[0].id, "docx", style="apa")


def opened(settings: Settings) -> None:
    by_option: Mapping[str, Any] = {"retrieval.keep": 5}
    with BlockingEngine(by_option, corpora=("papers",), progress=progress, recipe="ground", model="keyless") as engine:
        asked_in_all_ways(engine)
    engine = BlockingEngine.open(settings, corpora="papers", progress=progress, sources=["pubmed"])
    try:
        found_without_a_question(engine)
        checked(engine)
        sys.stdout.buffer.write(kept(engine))
    except errors.BudgetExhausted as error:
        print(error.answer.rationale if error.answer else error)
    except errors.UserMistake as error:
        print(f"correct it: {error}")
    except errors.MedgroundError as error:
        print(medground.__version__, error)
    finally:
        engine.close()


async def inside_a_loop(engine: BlockingEngine) -> Answer:
    return await engine.run_async(Engine.ask, "Does zinc shorten colds?", task="yes-no", on_step=on_step)
