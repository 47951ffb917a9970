"""What a client may ask for, and how much: settings, rate, requests at once, and the budget of the month."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from pydantic import BaseModel, ValidationError
from rows import each_row
from small_service import BOB, QUESTION, Clock, answered

from medground.errors import NotFound, UsageError
from medground.faces.service.accounts import Spent
from medground.faces.service.admission import left_of, lowered
from medground.faces.service.request import AskBody, allowed_keys, terms_of
from medground.faces.service.service import Service
from medground.faces.service.values import LimitReached, Limits, Person, Told
from medground.home.registry import recipe_names
from medground.home.settings import Settings, section_of
from medground.home.settings_groups import BudgetSettings
from medground.models.base import Keyless
from medground.models.registry import Models

SERVER = Settings.load(environ={}, options={"budget.tokens": 1000, "budget.money": 2, "retrieval.corpora": ("papers",)})


def every_key() -> list[str]:
    """Every setting that there is, by its dotted name."""
    kinds = {name: field.annotation for name, field in Settings.model_fields.items()}
    kinds |= {kind.section: kind for kind in map(section_of, recipe_names()) if kind}
    nested = [
        f"{group}.{name}"
        for group, kind in kinds.items()
        if isinstance(kind, type) and issubclass(kind, BaseModel)
        for name in kind.model_fields
    ]
    return [*nested, "home", "sections", "recipe", "keys", "verify"]


KEYS = every_key()
FORBIDDEN_WORDS = ("home", "keys", "model.", "trace.", "serve.", "adapter", "judges", "embedder", "pool", "reranker")
PLACES = ["/etc/passwd", "nli:/srv/model", "http://169.254.169.254/", "planner:/x", "openai:gpt-5", "last"]
VALUES = some.one_of(
    *(some.booleans(), some.integers(), some.floats(), some.none(), some.text(max_size=50)),
    *(some.sampled_from(PLACES), some.lists(some.text(max_size=10), max_size=3)),
)


def changed(asked: AskBody) -> Settings:
    terms = terms_of(asked, SERVER)
    recipe = {"recipe.name": terms.recipe} if terms.recipe else {}
    return SERVER.with_options({**terms.settings, **recipe})


@given(
    key=some.one_of(some.sampled_from(KEYS), some.text(max_size=40)),
    value=VALUES,
    recipe=some.sampled_from(recipe_names()),
)
def test_no_setting_outside_the_list_passes_and_no_text_that_could_be_a_place(
    key: str, value: Any, recipe: str
) -> None:
    try:
        settings = changed(AskBody(question=QUESTION, recipe=recipe, settings={key: value}))
    except (ValidationError, UsageError):
        return
    assert key in allowed_keys(recipe)
    assert not any(word in key for word in FORBIDDEN_WORDS)
    untouched = ("model", "keys", "trace", "serve", "home")
    assert all(getattr(settings, name) == getattr(SERVER, name) for name in untouched)
    numbers = dict.fromkeys(("depth", "keep", "fusion_k", "dense"))
    assert settings.retrieval.model_copy(update=numbers) == SERVER.retrieval.model_copy(update=numbers)
    for name in ("tokens", "money", "calls", "seconds"):
        own = getattr(SERVER.budget, name)
        assert own is None or getattr(settings.budget, name) <= own


@each_row(
    ("settings", "message"),
    [
        ({"model.default": "openai:gpt-5"}, "'model.default' is not a setting that a question can change"),
        ({"verify.critic": "nli:/srv"}, "verify.critic takes one of check, critic, label"),
        ({"recipe.rounds": 10**9}, "recipe.rounds takes at most 10,000"),
        ({"recipe.rounds": 0}, "recipe.rounds: too small; use 1 or more"),
        ({"recipe.rounds": "many"}, "recipe.rounds: not a whole number"),
        ({"self_medrag.passages": 3}, "is not a setting"),  # of another recipe
    ],
)
def test_what_is_refused_is_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as error:
        terms_of(AskBody(question=QUESTION, settings=settings), SERVER)
    assert message in str(error.value)


def test_budgets_only_become_lower_and_settings_are_those_of_the_recipe() -> None:
    chosen = changed(AskBody(question=QUESTION, recipe="self-medrag", settings={"self_medrag.passages": 3}))
    assert chosen.sections["self_medrag"].model_dump()["passages"] == 3
    terms = terms_of(AskBody(question=QUESTION, kind="research", corpora=("papers", "others")), SERVER)
    assert (terms.recipe, terms.searched.corpora, terms.free) == ("biomedsearch", ("papers", "others"), True)
    asked = {"budget.tokens": 5000, "budget.money": 0.5, "budget.calls": 3, "budget.seconds": 1e6}
    budget = changed(AskBody(question=QUESTION, settings=asked)).budget
    assert (budget.tokens, budget.money, budget.calls, budget.seconds) == (1000, Decimal("0.5"), 3, 120.0)
    assert changed(AskBody(question=QUESTION, kind="research", settings=asked)).budget.seconds == 3600.0
    assert changed(AskBody(question=QUESTION, settings={"budget.seconds": 5})).budget.seconds == 5
    assert terms_of(AskBody(question=QUESTION), SERVER).settings == {}  # so that its id is that of the command line


def test_sources_and_models_are_those_that_the_server_offers() -> None:
    server = SERVER.with_options({"serve.models": ("openai:gpt-5",), "serve.sources": ("europepmc", "pubmed")})
    terms = terms_of(AskBody(question=QUESTION, model="openai:gpt-5", sources=("europepmc",)), server)
    assert (terms.model, terms.searched.sources, terms.searched.corpora, terms.free) == (
        "openai:gpt-5",
        ("europepmc",),
        (),
        False,
    )
    for asked, message in (
        (
            AskBody(question=QUESTION, sources=("brave",)),
            "the source 'brave' is not offered here; sources: europepmc",
        ),
        (
            AskBody(question=QUESTION, model="local:/srv/x.gguf"),
            "is not offered here; models: keyless, openai:gpt-5",
        ),
        (AskBody(question=QUESTION, recipe="../x"), "unknown recipe"),
        (AskBody(question=QUESTION, corpora=()), "there is nothing to search"),
    ):
        with pytest.raises(UsageError, match=message):
            terms_of(asked, server)
    server = SERVER.with_options({"retrieval.pubmed": "live", "serve.sources": ("europepmc",)})
    searched = terms_of(AskBody(question=QUESTION, sources=("europepmc",)), server).searched
    assert server.with_options(searched.options()).retrieval.pubmed is None  # it is not named, so not searched
    both = terms_of(AskBody(question=QUESTION, corpora=("papers",)), server).searched
    assert (both.corpora, both.sources) == (("papers",), ("pubmed",))


def limited(**limits: Any) -> Person:
    return Person(id="ada", name="Ada", limits=Limits(**limits))


async def test_the_rate_of_a_service_is_that_of_all_requests_to_the_engine(papers: Settings) -> None:
    clock, asked, claim = Clock(), AskBody(question=QUESTION), "Aspirin reduced the risk of stroke in adults."
    async with Service.open(papers, clock=clock) as service:
        ada = limited(rate=3)
        await service.search("aspirin", ada)
        clock.now = 10
        await service.verify(claim, ada)
        await answered(service, asked, ada)
        refused = (service.search("aspirin", ada), service.verify(claim, ada), answered(service, asked, ada))
        for request in (*refused, service.document("PMID:1", ada)):
            with pytest.raises(LimitReached, match="this token allows 3 requests in 60 seconds") as limit:
                await request
            assert limit.value.retry_after == 50
        assert len(await service.history(ada)) == 1  # to read what is kept is always allowed
        await service.search("aspirin", Person(id="bob", name="Bob", limits=Limits(rate=1)))
        clock.now = 60
        await service.document("PMID:1", ada)  # a refused request did not count
        with pytest.raises(LimitReached) as limit:
            await service.search("aspirin", ada)
        assert limit.value.retry_after == 10


async def test_no_more_than_allowed_is_at_work_at_once(papers: Settings) -> None:
    async with Service.open(papers) as service:
        ada, bob = limited(concurrent=2), Person(id="bob", name="Bob", limits=Limits(concurrent=1))
        starting = [service.start(AskBody(question=QUESTION), ada) for _ in range(10)]
        outcomes = await asyncio.gather(*starting, return_exceptions=True)
        refused = [one for one in outcomes if isinstance(one, LimitReached)]
        jobs = [one for one in outcomes if not isinstance(one, BaseException)]
        assert (len(jobs), len(refused)) == (2, 8)
        assert service.problem(refused[0]).status == 429
        assert service.problem(refused[0]).retry_after == 5
        with pytest.raises(LimitReached, match="2 of your requests are running"):
            await service.verify("Aspirin helps.", ada)
        await service.search("aspirin", ada)  # short, so that it does not count
        await answered(service, AskBody(question=QUESTION), bob)
        for job in jobs:
            await job.result()
        await answered(service, AskBody(question=QUESTION), ada)


def test_what_is_left_lowers_the_budget_of_a_question() -> None:
    at = datetime(2026, 11, 30, 23, tzinfo=UTC)
    ada = limited(tokens=1000, money=Decimal(2))
    left = left_of(ada, Spent(input_tokens=100, output_tokens=50, money=Decimal("0.5")), at)
    assert left == {"budget.tokens": 850, "budget.money": Decimal("1.5")}
    server = BudgetSettings(tokens=500)
    assert lowered({"budget.money": Decimal(1), "recipe.rounds": 2}, left, server) == {
        "budget.tokens": 500,
        "budget.money": Decimal(1),
        "recipe.rounds": 2,
    }
    with pytest.raises(LimitReached, match="the monthly budget of tokens is used up") as refused:
        left_of(ada, Spent(input_tokens=1000), at)
    assert refused.value.retry_after == 3600
    assert left_of(limited(rate=5), Spent(input_tokens=10**9), at) == {}


def paid(monkeypatch: pytest.MonkeyPatch, model: Any) -> None:
    """Let a scripted model stand for a hosted one."""

    def models(settings: Settings, operators: Any) -> Models:
        default = settings.model.default
        return Models(default, {}, {default: model if default == model.name else Keyless(), "keyless": Keyless()})

    monkeypatch.setattr("medground.engine.opening.open_models", models)


class Paid(Keyless):
    """Answers like word statistics, for 100 tokens a call."""

    name = identity = "paid:model"

    async def answer(self, operator: Any, value: Any, limits: Any) -> Any:
        from medground.models.base import Reply
        from medground.values.usage import Usage

        await asyncio.sleep(0)
        done = await super().answer(operator, value, limits)
        return Reply(output=done.output, usage=Usage(input_tokens=90, output_tokens=10, model_calls=1, price=None))


async def test_a_budget_of_tokens_ends_a_question_and_refuses_the_next(
    papers: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid(monkeypatch, Paid())
    server = papers.with_options({"serve.models": ("paid:model",)})

    async with Service.open(server) as service:
        ada = limited(tokens=250)
        asked = AskBody(question=QUESTION, model="paid:model")
        jobs = await asyncio.gather(*(service.start(asked, ada) for _ in range(4)))
        outcomes = await asyncio.gather(*(job.result() for job in jobs), return_exceptions=True)
        spent = await service.usage(ada)
        assert 250 <= spent.tokens <= 400  # the call that reached the limit is the last one
        assert spent.unpriced >= 1
        assert {one.problem.status for one in outcomes if isinstance(one, Told)} == {422, 429}
        with pytest.raises(LimitReached, match="monthly budget of tokens") as refused:
            await service.start(asked, ada)
        assert refused.value.retry_after is not None
        with pytest.raises(LimitReached):
            await service.verify("Aspirin helps.", ada, model="paid:model")
        free = await answered(service, AskBody(question=QUESTION), ada)  # what costs nothing goes on
        assert free.usage.model_calls == 0


async def test_use_is_counted_also_of_claims_and_of_what_was_stopped(papers: Settings) -> None:
    async with Service.open(papers) as service:
        ada = limited()
        await answered(service, AskBody(question=QUESTION), ada)
        calling = asyncio.create_task(service.verify("Aspirin helps.", ada))
        while not service._unfinished:
            await asyncio.sleep(0.001)
        calling.cancel()  # its caller left, and it goes on
        await asyncio.gather(*service._unfinished)
        job = await service.start(AskBody(question=QUESTION), ada)
        async for event in job.events():
            if event.type == "step":
                break
        await job.stop()
        spent = await service.usage(ada)
        assert spent.requests == 3
        assert spent.searches >= 2
        assert (await service.usage(BOB)).requests == 0


async def test_the_same_request_is_answered_once(papers: Settings) -> None:
    async with Service.open(papers) as service:
        asked, ada, bob = AskBody(question=QUESTION), limited(), BOB
        job = await service.start(asked, ada, key="k1")
        name = (await job.outcome()).trace_id
        again = await service.start(asked, ada, key="k1")
        assert again.id == job.id
        others = [await service.start(asked, person, key=key) for person, key in ((ada, "k2"), (bob, "k1"))]
        assert len({job.id for job in (*others, again)}) == 3
        for key in ("", "a b", "é", "x" * 201, "a\r\nSet-Cookie: x"):
            with pytest.raises(UsageError, match="idempotency key"):
                await service.start(asked, ada, key=key)
        stopped = await service.start(asked, ada, key="k3")
        await stopped.stop()
        assert (await service.start(asked, ada, key="k3")).id != stopped.id  # it is tried again
    async with Service.open(papers) as service:
        ada = limited(rate=1)
        job = await service.start(AskBody(question=QUESTION), ada, key="k1")
        events = [event async for event in job.events()]
        assert (job.id, events[0].type, events[-1].type) == (again.id, "queued", "answer")
        assert events[-1].answer is not None
        assert events[-1].answer.trace_id == name
        with pytest.raises(UsageError, match="used for another request"):
            await service.start(AskBody(question="Do fins regenerate?"), ada, key="k1")
        await service.delete(name, ada)
        with pytest.raises(NotFound):
            await service.answer(name, ada)
        assert (await answered(service, AskBody(question=QUESTION), ada)).trace_id != name
