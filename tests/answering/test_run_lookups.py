"""What a run looks up: which sources are asked, what is counted, listed and cached, and what a failure leaves."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from rows import each_row

from medground.answering.run import Run
from medground.corpus.chunk import chunk
from medground.errors import BudgetExhausted, RateLimited, SourceUnavailable, UsageError
from medground.values.document import Document, Hit, SourceKind
from medground.values.lookup import Found, Lookup, PlainWords, Ranker
from medground.values.query import Filters, Phrase, Term, Words
from medground.values.question import Question
from medground.values.steps import Searched, Searching, Step

MakeRun = Callable[..., Run]
PAPER = Document(id="PMID:1", title="Lens", text="The lens moved in Marfan syndrome.")
PAGE = Document(id="HP:1", kind="graph", title="Lens", text="Ectopia lentis is a phenotype.")


@dataclass
class Recorded:
    """A source that holds one paper, records what it is asked, and waits a number of turns before it answers."""

    name: str
    forms: type[Any] | tuple[type[Any], ...] = (Words, Term)
    kinds: Collection[SourceKind] = frozenset(["research"])
    turns: Mapping[str, int] = field(default_factory=dict)
    fails: Exception | None = None
    notes: tuple[str, ...] = ()
    understood: bool = True
    barrier: asyncio.Barrier | None = None
    asked: list[tuple[Lookup, Filters]] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)
    state: None = None

    def accepts(self, lookup: Lookup) -> bool:
        return isinstance(lookup.asked, self.forms)

    async def search(self, lookup: Lookup, filters: Filters) -> Found:
        self.asked.append((lookup, filters))
        if self.barrier is not None:
            await asyncio.wait_for(self.barrier.wait(), timeout=60)
        for _ in range(self.turns.get(lookup.text, 0)):
            await asyncio.sleep(0)
        self.answered.append(lookup.text)
        if self.fails:
            raise self.fails
        if not self.understood:
            return Found(lookup, self.name, understood=False, notes=self.notes)
        passage = next(iter(chunk(PAPER)))
        hit = Hit(passage=passage, ranker="bm25", rank=1, score=1.0, source=self.name)
        rankings = ((hit,),) if "lens" in lookup.text else ((),)
        return Found(lookup, self.name, rankings=rankings, notes=self.notes)

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        return {PAPER.id: PAPER} if PAPER.id in ids else {}

    async def close(self) -> None:
        return None


def words(text: str, **more: Any) -> Lookup:
    return Lookup(asked=Words(text=text), text=text, **more)


def down(name: str) -> SourceUnavailable:
    return SourceUnavailable("no answer", source=name)


def look_up(run: Run, *lookups: Lookup) -> list[Found]:
    return asyncio.run(run.look_up(*lookups))


def listed(run: Run) -> list[tuple[str, str, str]]:
    return [(s.query, s.source, s.status) for s in run.searches]


def test_all_lookups_are_sent_to_all_sources_at_the_same_time(make_run: MakeRun) -> None:
    async def concurrently() -> tuple[Run, list[Found]]:
        barrier = asyncio.Barrier(4)  # a search ends only once all four have begun
        run = make_run("lens?", [Recorded(name, barrier=barrier) for name in ("a", "b")])
        return run, await run.look_up(words("lens"), words("aorta"))

    run, found = asyncio.run(concurrently())
    order = [("lens", "a"), ("lens", "b"), ("aorta", "a"), ("aorta", "b")]
    assert [(one.lookup.text, one.source, one.size) for one in found] == [
        (*pair, size) for pair, size in zip(order, (1, 1, 0, 0), strict=True)
    ]
    assert listed(run) == [(*pair, "found" if pair[0] == "lens" else "empty") for pair in order]
    assert run.usage.searches == 4
    assert look_up(run) == []


@each_row("turns", [(0, 0, 1, 2, 3, 4), (4, 0, 2, 1, 0, 3), (3, 2, 1, 0, 4, 0)])
def test_searches_are_listed_in_the_order_of_asking(make_run: MakeRun, turns: tuple[int, ...]) -> None:
    texts = ["one lens", "two", "three lens"]
    waits = [dict(zip(texts, part, strict=True)) for part in (turns[:3], turns[3:])]
    run = make_run("lens?", [Recorded(name, turns=own) for name, own in zip("ab", waits, strict=True)])
    found = look_up(run, *map(words, texts))
    look_up(run, words("four"))
    expected = [(text, name) for text in [*texts, "four"] for name in ("a", "b")]
    assert [(s.query, s.source) for s in run.searches] == expected
    assert [(one.lookup.text, one.source) for one in found] == expected[:6]


def test_a_source_that_fails_is_named_and_tried_again(make_run: MakeRun) -> None:
    broken = Recorded("b", fails=down("b"))
    run = make_run("lens?", [Recorded("a"), broken, Recorded("c", fails=RateLimited("too many calls", source="c"))])
    found = look_up(run, words("lens"), words("aorta"))
    assert [(one.source, one.lookup.text) for one in found] == [("a", "lens"), ("a", "aorta")]
    assert [s.status for s in run.searches] == ["found", "failed", "failed", "empty", "failed", "failed"]
    assert [s.error for s in run.searches if s.error][:2] == ["b: no answer", "c: too many calls"]
    assert run.warnings == ["b could not be searched: no answer", "c could not be searched: too many calls"]
    broken.fails = None
    assert [one.source for one in look_up(run, words("lens"))] == ["a", "b"]


def test_when_every_source_fails_or_understands_nothing_the_first_failure_is_raised(make_run: MakeRun) -> None:
    run = make_run("lens?", [Recorded("a", fails=down("a")), Recorded("b", fails=down("b"))])
    with pytest.raises(SourceUnavailable, match=r"^a: no answer$"):
        look_up(run, words("lens"), words("aorta"))
    assert ([s.status for s in run.searches], len(run.warnings)) == (["failed"] * 4, 2)
    puzzled = Recorded("a", understood=False)
    with pytest.raises(SourceUnavailable, match="b: no answer"):
        look_up(make_run("lens?", [puzzled, Recorded("b", fails=down("b"))]), words("lens"))
    run = make_run("lens?", [puzzled, Recorded("b", notes=("no vectors",))])
    found = look_up(run, words("lens"))
    look_up(run, words("aorta"))
    assert [(one.source, one.understood) for one in found] == [("a", False), ("b", True)]
    assert ([s.source for s in run.searches], run.usage.searches) == (["b", "b"], 2)
    assert run.warnings == ["b: no vectors"], "told once"


def test_an_error_of_the_caller_cancels_the_other_searches(make_run: MakeRun) -> None:
    async def asked() -> tuple[Recorded, set[Any]]:
        slow = Recorded("b", turns={"lens": 10_000})
        run = make_run("lens?", [Recorded("a", fails=UsageError("no such field")), slow])
        with pytest.raises(UsageError, match="no such field"):
            await run.look_up(words("lens"))
        assert run.warnings == [], "it is not a source that failed"
        return slow, asyncio.all_tasks() - {asyncio.current_task()}

    slow, running = asyncio.run(asked())
    assert len(slow.asked) == 1
    assert (slow.answered, running) == ([], set())


@each_row("cancelled", [0, 1])
def test_cancelling_one_of_two_equal_lookups_leaves_the_other(make_run: MakeRun, cancelled: int) -> None:
    """The first, or the one that waits for it; after both were cancelled the lookup can be made again."""

    async def asked() -> tuple[Recorded, list[Any]]:
        source = Recorded("a", turns={"lens": 20})
        run = make_run("lens?", [source])
        both = [asyncio.create_task(run.look_up(words("lens", node=node))) for node in ("n1", "n2")]
        for _ in range(5):
            await asyncio.sleep(0)
        both[cancelled].cancel()
        results: list[Any] = await asyncio.gather(*both, return_exceptions=True)
        again = asyncio.create_task(run.look_up(words("aorta", limit=3)))
        await asyncio.sleep(0)
        again.cancel()
        assert (await run.look_up(words("aorta", limit=3)))[0].size == 0
        return source, results

    source, results = asyncio.run(asked())
    assert isinstance(results[cancelled], asyncio.CancelledError)
    assert results[1 - cancelled][0].size == 1
    assert [lookup.text for lookup, _ in source.asked].count("lens") == 2 - cancelled


def test_the_same_lookup_is_sent_once_and_listed_as_it_was_asked(make_run: MakeRun) -> None:
    source = Recorded("a")
    run = make_run("lens?", [source])
    (first,) = look_up(run, words("lens", node="first"))
    (again,) = look_up(run, words("lens", node="second", shown="lens[tiab]"))
    assert len(source.asked) == 1
    assert again.rankings == first.rankings
    assert (first.lookup.node, again.lookup.node) == ("first", "second")
    assert [(s.query, s.node, s.cached, s.hits) for s in run.searches] == [
        ("lens", "first", False, 1),
        ("lens[tiab]", "second", True, 1),
    ]
    assert run.usage.searches == 2
    changes: list[dict[str, Any]] = [{"rankers": (Ranker.LEXICAL,)}, {"limit": 7}, {"kinds": ("research",)}]
    for change in [*changes, {"asked": Term(value="lens")}]:
        look_up(run, words("lens").model_copy(update=change))
    assert (len(source.asked), [s.cached for s in run.searches[2:]]) == (5, [False] * 4)


@each_row(
    ("lookup", "asked"),
    [
        (words("lens"), "abc"),
        (words("lens", rankers=(Ranker.DENSE,)), "ab"),
        (words("lens", sources=("b",)), "b"),
        (words("lens", kinds=("wiki",)), "b"),
        (words("lens", kinds=("research", "wiki")), "ab"),
        (words("lens", sources=("a",), kinds=("wiki",)), ""),
        (Lookup(asked=Phrase(text="ectopic lens"), text="lens"), "abc"),
        (Lookup(asked=PlainWords(text="lens"), text="lens"), "c"),
        (Lookup(asked=PlainWords(text="lens"), text="lens", sources=("a",)), ""),
    ],
)
def test_a_lookup_is_sent_to_the_sources_that_accept_it(make_run: MakeRun, lookup: Lookup, asked: str) -> None:
    plain = Recorded("c", forms=PlainWords, kinds={"graph"})
    sources = [Recorded("a"), Recorded("b", kinds={"wiki"}), plain]
    run = make_run("lens?", sources)
    assert [found.source for found in look_up(run, lookup)] == list(asked)
    assert [source.name for source in sources if source.asked] == list(asked)
    assert run.usage.searches == len(asked)


def test_limits_of_the_question_and_the_settings_reach_the_source(make_run: MakeRun) -> None:
    source = Recorded("a", kinds={"research", "wiki"})
    run = make_run("lens?", [source], options={"retrieval.depth": 33})
    run.question = Question.ask("lens?", filters=Filters(year_from=2000, kinds=("research", "book")))
    look_up(run, words("lens"), words("aorta", limit=4, kinds=("research", "wiki")), words("lens", kinds=("wiki",)))
    assert [(lookup.limit, filters) for lookup, filters in source.asked] == [
        (33, Filters(year_from=2000, kinds=("research", "book"))),
        (4, Filters(year_from=2000, kinds=("research",))),
    ]


def test_searches_steps_and_spans_say_what_is_searched_and_what_came_back(
    make_run: MakeRun, memory_source: Any
) -> None:
    steps: list[Step] = []
    sources = [memory_source([PAPER, PAGE]), Recorded("b", fails=down("b"), kinds={"wiki"})]
    run = make_run("lens?", sources, on_step=steps.append)
    look_up(run, words("lens ectopia", node="n1"), words("xylophone", node="n2", kinds=("wiki", "research")))
    assert [(s.source, s.node, s.status, s.kinds) for s in run.searches] == [
        ("corpus:test", "n1", "found", ("graph", "research")),
        ("b", "n1", "failed", ()),
        ("corpus:test", "n2", "empty", ("wiki", "research")),
        ("b", "n2", "failed", ("wiki", "research")),
    ]
    begun = {(s.source, s.node) for s in steps if isinstance(s, Searching)}
    assert begun == {(s.source, s.node) for s in steps if isinstance(s, Searched)} and len(begun) == 4
    assert run.trace.path is not None
    line = run.trace.path.read_text(encoding="utf-8")
    assert '"search corpus:test"' in line
    assert "overlap:1:HP:1" in line


def test_a_spent_budget_stops_before_a_search(make_run: MakeRun) -> None:
    now = [0.0]
    source = Recorded("a")
    run = make_run("lens?", [source], clock=lambda: now[0], options={"budget.seconds": 2})
    look_up(run, words("lens"))
    now[0] = 3.0
    with pytest.raises(BudgetExhausted, match="seconds"):
        look_up(run, words("aorta"))
    assert len(source.asked) == 1
