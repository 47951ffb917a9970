"""Mistakes, each on a line that ends with `# slip`."""

from medground import Answer, AnyStep, BlockingEngine, Engine, Filters, Question, RetrieverSource, ask, steps


def asked(engine: BlockingEngine) -> None:
    ask("Does zinc shorten colds?", corpus="papers")  # slip
    ask("Does zinc shorten colds?", task="yes/no")  # slip
    engine.ask("Does zinc shorten colds?", modell="keyless")  # slip
    for event in engine.stream("Does zinc shorten colds?", recipes="ground"):  # slip
        print(event)
    engine.ask_many(["Does zinc shorten colds?"], contexts="an adult")  # slip
    for outcome in engine.ask_each(["Does zinc shorten colds?"], follow="last"):  # slip
        print(outcome.answer.rationale)  # slip


def limited(engine: BlockingEngine) -> None:
    engine.search("zinc", filters=Filters(where={"year": 2015}))  # slip
    engine.search("zinc", filters=Filters(since=2015))  # slip
    Question.ask("Does zinc shorten colds?", filters={"year_from": 2015})  # slip


def told(step: AnyStep) -> None:
    if isinstance(step, steps.Searched):
        print(step.query)  # slip
    if step.type == "judging":
        print(step.doen)  # slip


async def awaited(engine: Engine) -> Answer:
    BlockingEngine(corpora="papers", reranker=print)  # slip
    RetrieverSource("my notes", lambda words: words, kinds=("websites",))  # slip
    return engine.ask("Does zinc shorten colds?")  # slip
