"""Running a set: every item gets one line whatever becomes of it, in a fixed order, resumed where it stopped."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.exceptions import ModelHTTPError, OutputTokenLimitExceeded, ToolRetryError, UnexpectedModelBehavior
from pydantic_ai.messages import ToolReturnPart
from refusals import refused
from rows import each_row
from runs import write_lines

from medground.answering.conclude.compose import compose
from medground.answering.run import Run, words_lookup
from medground.answering.write.draft import Draft
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.engine.engine import Engine
from medground.engine.open_engine import open_sources
from medground.errors import BudgetExhausted, ConfigError, ModelFailed, SourceUnavailable, UsageError
from medground.home.settings import Settings
from medground.models.base import Keyless
from medground.models.failures import Endpoint, explain
from medground.models.registry import Models
from medground.recipes.base import Recipe, open_recipe
from medground.sources.base import DescribedSource, TermsSource
from medground.values.answer import Answer
from medground.values.document import Document
from medground.values.evidence import Sentence
from medground.values.question import Question
from medground.values.source_plan import SourceDescription
from medground.values.usage import Usage
from medground_evaluate.datasets.registry import open_dataset
from medground_evaluate.items import RunLine, Tally
from medground_evaluate.run_file import read_run
from medground_evaluate.runner import GivenSource, Selection, recording, run_set

Algorithm = Callable[[Question, Run], Awaitable[Answer]]


def said(run: Run, *answer: str) -> Answer:
    from medground.values.statement import Verdict

    nothing = Verdict(label="not found", critic="citation")
    sentence = Sentence(text="It is so.", evidence=())
    return compose(run, Draft(sentences=(sentence,), answer=answer, basis="model"), [nothing])


async def yes(question: Question, run: Run) -> Answer:
    return said(run, "yes")


def engine(home: Path, algorithm: Algorithm | Recipe, sources: Sequence[Any] = ()) -> Engine:
    """An engine with a recipe, or with the algorithm of a test as a recipe that needs no evidence."""
    recipe = algorithm
    if not isinstance(recipe, Recipe):
        recipe = Recipe(name="model-only", run=recipe, operators=(), needs_evidence=False)
    settings = Settings.load(environ={"MEDGROUND_HOME": str(home)}, options={"recipe.name": "model-only"})
    settings = settings.model_copy(update={"home": home})
    return Engine(settings, recipe, sources, Models("keyless", {}, {"keyless": Keyless()}))


def questions(folder: Path, count: int, **fields: Any) -> Selection:
    path = folder / "questions.jsonl"
    records = [{"id": f"q{n}", "question": f"Does drug {n} work?", "answer": "yes"} | fields for n in range(count)]
    return Selection(open_dataset("jsonl"), write_lines(path, records))


def run(home: Path, recipe: Algorithm | Recipe, chosen: Selection, sources: Sequence[Any] = (), **more: Any) -> Tally:
    return asyncio.run(run_set(engine(home, recipe, sources), chosen, home / "run.jsonl", **more))


def lines(home: Path) -> list[RunLine]:
    return list(read_run(home / "run.jsonl")[1])


def test_each_failure_is_a_line_with_its_status(home: Path, tmp_path: Path) -> None:
    fate: dict[str, Any] = {
        "Does drug 1 work?": ModelFailed("no valid answer after all attempts: x", model="m", unreadable=True),
        "Does drug 2 work?": ModelFailed("m answered HTTP 500", model="m", usage=Usage(input_tokens=9, price=None)),
        "Does drug 3 work?": SourceUnavailable("cannot be reached\nat all", source="pubmed"),
        "Does drug 4 work?": KeyError("a bug"),
        "Does drug 5 work?": BudgetExhausted("calls", spent="2", allowed="1"),
        "Does drug 6 work?": TimeoutError("later"),
    }

    async def recipe(question: Question, run: Run) -> Answer:
        if error := fate.get(question.text):
            run.usage += getattr(error, "usage", None) or Usage()  # as a run counts a failed call
            raise error
        return said(run, "yes" if question.text == "Does drug 0 work?" else "no")

    tally = run(home, recipe, questions(tmp_path, 8))
    found = {line.id: line for line in lines(home)}
    statuses = [found[f"q{n}"].status for n in range(8)]
    assert statuses == ["answered", "unreadable", "failed", "failed", "failed", "budget", "failed", "answered"]
    assert found["q3"].error == "pubmed: cannot be reached at all"
    assert found["q4"].error == "KeyError: 'a bug'"
    assert (found["q2"].usage.input_tokens, found["q2"].usage.price) == (9, None)
    assert found["q2"].trace and found["q5"].trace
    assert all(found[f"q{n}"].answer == () for n in range(1, 7))
    assert (tally.items, tally.lines, tally.right, tally.final.value) == (8, 8, 1, 1 / 8)
    failed = [f"q{n}" for n in range(8) if statuses[n] == "failed"]
    fate.clear()
    again = run(home, recipe, questions(tmp_path, 8))  # those that failed are asked again, and no other
    assert again.lines == 8 and again.statuses["answered"] == 6
    assert [line.id for line in lines(home)][-len(failed) :] == failed and len(lines(home)) == 8


def test_an_answer_that_no_retry_made_readable_is_not_a_failed_provider(home: Path, tmp_path: Path) -> None:
    rubbish = UnexpectedModelBehavior("too many retries")
    rubbish.__cause__ = ToolRetryError(ToolReturnPart("write", "not yes or no", "call", outcome="retried"))
    reasons = iter([rubbish, OutputTokenLimitExceeded("cut"), ModelHTTPError(500, "m"), UnexpectedModelBehavior("odd")])

    async def recipe(question: Question, run: Run) -> Answer:
        raise explain(next(reasons), Endpoint("openai:m"), "write", Usage())

    run(home, recipe, questions(tmp_path, 4))
    assert [line.status for line in lines(home)] == ["unreadable", "unreadable", "failed", "failed"]


def test_what_nobody_would_be_spared_stops_the_run_and_it_goes_on(home: Path, tmp_path: Path) -> None:
    asked: list[str] = []
    mended = False

    async def recipe(question: Question, run: Run) -> Answer:
        asked.append(question.text)
        if question.text == "Does drug 2 work?" and not mended:
            raise ConfigError("the key is refused")
        return said(run, "yes")

    refused(ConfigError, "the key is refused", lambda: run(home, recipe, questions(tmp_path, 5)))
    assert [line.id for line in lines(home)] == ["q0", "q1"]
    mended = True
    (home / "run.jsonl").write_bytes((home / "run.jsonl").read_bytes()[:-30])
    for wanted in ([f"Does drug {n} work?" for n in (1, 2, 3, 4)], []):
        asked.clear()
        assert run(home, recipe, questions(tmp_path, 5), concurrency=3).right == 5
        assert asked == wanted  # a cut line, and nothing twice
    assert sorted(line.id for line in lines(home)) == [f"q{n}" for n in range(5)]


def test_a_seed_gives_one_order_and_smaller_limits_are_part_of_greater_ones(home: Path, tmp_path: Path) -> None:
    chosen = questions(tmp_path, 30)

    def order(seed: int | None, limit: int) -> list[str]:
        selection = Selection(chosen.dataset, chosen.path, limit=limit, seed=seed)
        run(home, yes, selection)
        found = [line.id for line in lines(home)]
        (home / "run.jsonl").unlink()
        return found

    assert order(None, 4) == ["q0", "q1", "q2", "q3"]
    ten = order(7, 10)
    assert ten == order(7, 10)
    assert ten[:4] == order(7, 4)
    assert ten != order(8, 10)
    assert len(set(ten)) == 10
    run(home, yes, Selection(chosen.dataset, chosen.path, limit=10, seed=7))
    written = (home / "run.jsonl").read_bytes().splitlines(keepends=True)
    (home / "run.jsonl").write_bytes(b"".join(written[:4]))
    assert order(7, 10) == ten, "an interrupted one goes on with the same questions"


def test_what_was_found_is_noted_in_rank_order(home: Path, tmp_path: Path, memory_source: type[Any]) -> None:
    async def recipe(question: Question, run: Run) -> Answer:
        await run.look_up(words_lookup(question))
        return said(run, "yes")

    texts = ("Nothing of the sort.", "Drug nine.", "Does drug 0 work: yes.")
    source = memory_source([Document(id=f"PMID:{n}", text=text) for n, text in enumerate(texts, start=1)])
    run(home, recipe, questions(tmp_path, 1, documents=["PMID:3"]), [source])
    (line,) = lines(home)
    assert line.found == ("PMID:3", "PMID:2")
    assert line.gold_documents == ("PMID:3",)


def test_own_context_is_the_only_source_where_it_is_asked_for(
    home: Path, tmp_path: Path, memory_source: type[Any]
) -> None:
    context = [{"id": "PMID:7", "text": "Aspirin is right. It is number 1 among drugs."}]
    chosen = questions(tmp_path, 3, context=context)
    elsewhere = memory_source([Document(id="PMID:8", text="Does drug 1 work? Does drug 2 work?")])
    with_context = Selection(chosen.dataset, chosen.path, with_context=True)
    run(home, open_recipe("ground"), with_context, [elsewhere])
    assert {line.found for line in lines(home)} == {("PMID:7",)}
    assert {i for line in lines(home) for i in line.cited} <= {"PMID:7"}
    with pytest.raises(UsageError, match="with_context was true, is false"):
        run(home, open_recipe("ground"), chosen, [elsewhere])


@each_row(
    ("chosen", "message"),
    [
        ({"split": "train"}, "no question of split 'train'"),
        ({"with_context": True}, "has no context"),
        ({"limit": 0}, "limit of at least 1"),
    ],
)
def test_a_selection_of_nothing_is_refused_before_anything_is_written(
    home: Path, tmp_path: Path, chosen: dict[str, Any], message: str
) -> None:
    base = questions(tmp_path, 2)
    refused(UsageError, message, lambda: run(home, yes, Selection(base.dataset, base.path, **chosen)))
    assert not (home / "run.jsonl").exists()


def test_the_header_says_what_was_run_and_the_watch_sees_every_line(home: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, Decimal | None]] = []
    run(home, yes, questions(tmp_path, 3), watch=lambda tally: seen.append((tally.lines, tally.usage.price)))
    assert [count for count, _ in seen] == [0, 1, 2, 3]
    header, _ = read_run(home / "run.jsonl")
    assert (header.dataset, header.split, header.items, header.model) == ("jsonl", "test", 3, "keyless")
    assert header.settings["recipe"]["name"] == "model-only"
    assert {"medground", "python", "model"} <= header.versions.keys()
    assert "keys" not in header.settings
    assert len(header.prompts_hash) == 16
    refused(UsageError, "dataset_hash was", lambda: run(home, yes, questions(tmp_path, 4)))


def test_a_recorded_source_says_what_the_source_says_of_itself(home: Path, tmp_path: Path) -> None:
    """Else a plan of sources would name it differently in a run than outside of it."""
    (tmp_path / "heart.txt").write_text("The heart pumps blood.", encoding="utf-8")
    book = SourceDescription(name="book", kind="book", about="Chapters.", licence="CC BY 4.0", origin="the test")
    library = Library(home)
    build(library, "omni.book", find_inputs([tmp_path / "heart.txt"]), described=book)
    [source] = recording(open_sources(Settings.load(options={"retrieval.corpora": "omni.book"})))
    assert isinstance(source, DescribedSource) and isinstance(source, TermsSource)
    assert source.described == source.terms == book
    [given] = recording([GivenSource([])])
    assert isinstance(given, DescribedSource) and given.described is None
    asyncio.run(source.close())
