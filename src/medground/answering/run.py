"""The run of one question: its retrieval, its models, its budget and its cost.

Recipe functions take values and the `Run`, and return values. Models (`ask`) are only reached through the run, as
sources are (`look_up`), so that every call is counted, limited, cached and traced in one place.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from medground.answering.budget import of_question
from medground.answering.retrieval import Retrieval
from medground.errors import BudgetExhausted, ModelFailed, UsageError
from medground.models.operators.base import I, O, Operator
from medground.models.registry import Models
from medground.values.notice import Notice
from medground.values.research_found import ResearchSoFar
from medground.values.steps import Asking
from medground.values.usage import Author, Usage, UsageReport


@dataclass
class Run(Retrieval):
    """All state of one question."""

    models: Models
    _: KW_ONLY
    answered_by: dict[str, str] = field(default_factory=dict)
    shown: dict[str, None] = field(default_factory=dict)
    """Ids of documents that the answer lists without citing them, in order."""
    missing: str = ""
    """What the model that read last said is missing in what was read; empty if it suffices."""
    notice: Notice | None = None
    """What the answer says first, if the question shows a person at risk."""
    research: ResearchSoFar | None = None
    """How far the research of a plan is, for a report of what there is; None for a recipe without such a plan."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._turn = asyncio.Lock()

    def report(self) -> UsageReport:
        """Cost of the run so far."""
        return UsageReport.of(self.usage, seconds=round(self.seconds, 3))

    async def ask(self, operator: Operator[I, O], value: I) -> O:
        """Have an operator answered by the model that the settings assign to it.

        Raises:
            UsageError: the recipe does not declare the operator.
            BudgetExhausted: the run reached one of its limits before or by this call.
            ModelFailed: the model returned no usable output; its cost is counted.
        """
        if operator not in self.recipe.operators:
            raise UsageError(
                f"the recipe {self.recipe.name} does not declare operator {operator.name!r}; add it to `operators`"
            )
        async with self._limited():
            return await self._ask(operator, value)

    def answerer(self, operator: Operator[I, O]) -> Author:
        """Who answers an operator with these settings."""
        return Author(self.models.of(operator.name).name)

    @property
    def writer(self) -> Author | None:
        """Who wrote the answer; None if it has not been written."""
        return self.author(*self.recipe.writers)

    @property
    def reader(self) -> Author | None:
        """Who read the quotes and gave each a stance; None if that has not happened."""
        return self.author(self.recipe.reader) if self.recipe.reader else None

    def author(self, *operators: Operator[Any, Any]) -> Author | None:
        """Who answered the first of these operators that has been asked; None if none has."""
        return next((Author(self.answered_by[o.name]) for o in operators if o.name in self.answered_by), None)

    def _limited(self) -> contextlib.AbstractAsyncContextManager[object]:
        """Allow one call at a time if calls are limited: concurrent calls would each spend what is left."""
        budget = self.settings.budget
        limited = budget.tokens is not None or budget.calls is not None or budget.money is not None
        return self._turn if limited else contextlib.nullcontext()

    async def _ask(self, operator: Operator[I, O], value: I) -> O:
        limits = self._remaining()
        model = self.models.of(operator.name)
        with self.step(Asking(operator=operator.name, model=model.name)) as span:
            span.genai(request_model=model.name, operation_name="chat")
            span.text(input=value.model_dump_json())
            try:
                given = operator.with_context(self.question.context)
                reply = await self.models.answer(given, value, limits, kept=self.kept.calls if self.kept else None)
            except ModelFailed as failed:
                self.usage += failed.usage or Usage()
                raise
            except BudgetExhausted as reached:
                self.usage += reached.usage or Usage()
                raise of_question(reached, self.settings.budget, self.usage, self.seconds) from None
            self.usage += reply.usage
            self.answered_by[operator.name] = model.name
            span.genai(usage_input_tokens=reply.usage.input_tokens, usage_output_tokens=reply.usage.output_tokens)
            span.set(cached=reply.usage.cached_calls > 0)
            if reply.usage.price is not None:
                span.set(price=str(reply.usage.price))
            span.text(output=reply.output.model_dump_json())
        self._remaining()
        return reply.output
