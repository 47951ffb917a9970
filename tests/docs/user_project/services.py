"""Every call of a program that awaits: a server, an agent."""

from collections.abc import AsyncIterator
from typing import assert_type

from medground import (
    Answer,
    AnyStep,
    AskedAgain,
    AskOptions,
    CheckedClaim,
    ConceptFound,
    Document,
    Engine,
    EvidenceTable,
    Filters,
    Finding,
    FullText,
    Opening,
    Outcome,
    PaperFound,
    Related,
    ResearchPlan,
    SearchResult,
    Settings,
    StrategyFound,
    TextCheck,
    steps,
)


async def events(engine: Engine, question: str, options: AskOptions) -> AsyncIterator[str]:
    """Server-sent events of a question."""
    async for event in engine.stream(question, **options):
        if isinstance(event, Answer):
            yield event.model_dump_json()
        elif isinstance(event, steps.SourcesPlanned):
            yield str(event.by_source)
        else:
            assert_type(event.type == "written", bool)
            yield event.model_dump_json()


async def asked(engine: Engine, plan: ResearchPlan) -> None:
    seen: list[AnyStep] = []
    answer = await engine.ask("Does zinc shorten colds?", plan=plan, on_step=seen.append)
    assert_type(answer, Answer)
    assert_type(await engine.ask_many(["Is zinc safe?"], concurrency=2, model="keyless"), list[Outcome])
    async for outcome in engine.ask_each(["Is zinc safe?"], concurrency=2, settings={"retrieval.keep": 5}):
        assert_type(outcome, Outcome)
    assert_type(await engine.again(answer.id), AskedAgain)
    assert_type(await engine.resume("last"), Answer)
    print(engine.unfinished(), engine.answer(answer.id), engine.history(), engine.export(answer.id, "ris"))
    assert_type(await engine.table(answer.id, ["dose"]), EvidenceTable)


async def found(engine: Engine) -> list[Finding]:
    limits = Filters(where={"design": ["rct", "meta-analysis"]})
    assert_type(await engine.search("zinc[ti]", syntax="pubmed", filters=limits), SearchResult)
    assert_type(await engine.strategy(["zinc"]), StrategyFound)
    document = await engine.document("PMID:1")
    assert_type(document, Document)
    print(await engine.highlights(document.id, [(0, 10)]))
    assert_type(await engine.concept("HP:0001083"), list[ConceptFound])
    assert_type(await engine.papers(["10.1/x"]), list[PaperFound])
    assert_type(await engine.related("PMID:1"), Related)
    assert_type(await engine.full_text("PMID:1"), FullText)
    assert_type(await engine.verify("Zinc shortens colds."), CheckedClaim)
    assert_type(await engine.check_text("Zinc shortens colds [1]."), TextCheck)
    return await engine.check_against([("Zinc shortens colds.", [document])])


async def opened(settings: Settings) -> None:
    opening: Opening[Engine] = Engine.open(settings, corpora="papers", recipe="ground")
    async with opening as engine:
        await found(engine)
    engine = await Engine.open({"retrieval.keep": 5}, model="keyless")
    print(engine.now(), engine.settings.hash, [source.name for source in engine.sources])
    await engine.close()
