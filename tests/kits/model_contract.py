"""Contract tests for models. Subclass `ModelContract` in a test file and implement `make`; pytest runs the rest.

    class TestMyModel(ModelContract):
        def make(self) -> Model:
            return MyModel()

The model must be capable enough to copy an id from its prompt.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

import pytest

from medground.errors import BudgetExhausted, ModelFailed
from medground.models.base import CallLimits, Model, Reply
from medground.models.operators.base import InvalidOutput, Operator, OperatorInput, OperatorOutput, Untrusted
from medground.values.usage import Usage

T = TypeVar("T")

FREE = CallLimits()


class ThingView(OperatorInput):
    """A thing with an id."""

    id: str
    text: Untrusted


class NameInput(OperatorInput):
    """Things, one of which is to be named."""

    question: Untrusted
    things: tuple[ThingView, ...]


class NameOutput(OperatorOutput):
    """The id of one thing."""

    id: str


def _known(value: NameInput, output: NameOutput) -> None:
    if output.id not in {thing.id for thing in value.things}:
        raise InvalidOutput(f"{output.id[:20]!r} is not one of the given ids")


def _never(value: NameInput, output: NameOutput) -> None:
    raise InvalidOutput("no output passes this check")


NAME = Operator(
    name="name",
    instructions="Copy the id of the thing that answers the question into the field `id`. Use only ids that are given.",
    input=NameInput,
    output=NameOutput,
    keyless=lambda value: NameOutput(id=value.things[0].id),
    check=_known,
)
IMPOSSIBLE = replace(NAME, name="impossible", check=_never)


def asking(thing: str) -> NameInput:
    """An input whose only right answer is this id."""
    return NameInput(question=f"Which thing is {thing}?", things=(ThingView(id=thing, text=f"This is {thing}."),))


class ModelContract:
    """The tests. Each opens a model with `make` and closes it."""

    def make(self) -> Model:
        """A new model."""
        raise NotImplementedError

    def with_model(self, test: Callable[[Model], Awaitable[T]]) -> T:
        """Run a test with a new model in its own event loop, and close the model afterwards."""

        async def run() -> T:
            model = self.make()
            try:
                return await test(model)
            finally:
                await model.close()

        return asyncio.run(run())

    def test_name_and_identity_are_stable(self) -> None:
        one, two = self.make(), self.make()
        assert one.name and one.identity
        assert (one.name, one.identity, one.cacheable) == (two.name, two.identity, two.cacheable)

    def test_answers_with_a_checked_output_and_its_cost(self) -> None:
        reply = self.with_model(lambda model: model.answer(NAME, asking("T1"), FREE))
        assert reply.output == NameOutput(id="T1")
        _sound(reply.usage)
        assert (reply.usage.model_calls >= 1) == self.make().cacheable

    def test_concurrent_calls_do_not_mix(self) -> None:
        things = [f"T{n}" for n in range(6)]

        async def test(model: Model) -> list[Reply[NameOutput]]:
            return await asyncio.gather(*(model.answer(NAME, asking(thing), FREE) for thing in things))

        assert [reply.output.id for reply in self.with_model(test)] == things

    def test_output_that_never_passes_fails_with_its_cost(self) -> None:
        async def test(model: Model) -> ModelFailed:
            with pytest.raises(ModelFailed) as raised:
                await model.answer(IMPOSSIBLE, asking("T1"), FREE)
            return raised.value

        failed = self.with_model(test)
        assert "\n" not in str(failed)
        assert failed.model == self.make().name
        assert failed.usage is not None
        _sound(failed.usage)
        assert (failed.usage.model_calls >= 1) == self.make().cacheable

    def test_a_spent_budget_stops_before_the_call(self) -> None:
        async def stops(model: Model, limits: CallLimits) -> bool:
            try:
                await model.answer(NAME, asking("T1"), limits)
            except BudgetExhausted as error:
                assert error.usage is None or error.usage.model_calls == 0
                return True
            return False

        for limits in (CallLimits(calls=0), CallLimits(tokens=0), CallLimits(seconds=0.0)):
            assert self.with_model(partial(stops, limits=limits)) == self.make().cacheable

    def test_the_model_works_after_a_cancelled_call(self) -> None:
        async def test(model: Model) -> Reply[NameOutput]:
            task = asyncio.create_task(model.answer(NAME, asking("T1"), FREE))
            await asyncio.sleep(0)
            task.cancel()
            results = await asyncio.gather(task, return_exceptions=True)
            assert isinstance(results[0], (asyncio.CancelledError, Reply))
            return await model.answer(NAME, asking("T2"), FREE)

        assert self.with_model(test).output.id == "T2"

    def test_closing_twice_is_safe(self) -> None:
        async def test(model: Model) -> None:
            await model.close()
            await model.close()

        self.with_model(test)


def _sound(usage: Usage) -> None:
    assert min(usage.input_tokens, usage.output_tokens, usage.model_calls) >= 0
    assert usage.cached_calls == 0
    assert usage.searches == 0
    assert usage.price is None or usage.price >= 0
