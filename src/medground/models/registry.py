"""Which model answers which operator, opened when first used, with one call cache for all."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping

from medground.models.cache import CallCache

from medground.models.base import CallLimits, Model, Reply
from medground.operators.base import I, O, Operator
from medground.usage import Usage


class Models:
    """Models by name and the operator-to-name table.

    Args:
        default: name of the model for operators that the table does not name.
        operators: operator name to model name.
        models: opened models by name; every name that the table uses is here.
        cache: where replies are kept, or None.
        concurrency: how many calls that cost something may be under way at once.
    """

    def __init__(
        self,
        default: str,
        operators: Mapping[str, str],
        models: Mapping[str, Model],
        cache: CallCache | None = None,
        concurrency: int = 8,
    ) -> None:
        self._default = default
        self._operators = dict(operators)
        self._models = dict(models)
        self._cache = cache
        self._slots = asyncio.Semaphore(concurrency)

    def of(self, operator: str) -> Model:
        """The model that answers an operator."""
        return self._models[self._operators.get(operator, self._default)]

    async def answer(self, operator: Operator[I, O], value: I, limits: CallLimits) -> Reply[O]:
        """Answer from the cache or by the model.

        Raises:
            ModelFailed: the model gave no usable output.
            BudgetExhausted: the limits were reached inside the call.
        """
        model = self.of(operator.name)
        if not model.cacheable:
            return await model.answer(operator, value, limits)
        key = call_key(model, operator, value)
        if self._cache is not None and (stored := self._cache.get(key, operator.output)) is not None:
            return Reply(output=stored, usage=Usage(cached_calls=1))
        async with self._slots:
            reply = await model.answer(operator, value, limits)
        if self._cache is not None:
            self._cache.put(key, reply.output, {"model": model.name, "operator": operator.name})
        return reply

    async def close(self) -> None:
        """Close every model."""
        await asyncio.gather(*(model.close() for model in self._models.values()))


def call_key(model: Model, operator: Operator[I, O], value: I) -> str:
    """Content address of a call: SHA-256 over everything that decides its output."""
    content = {
        "model": model.identity,
        "operator": operator.name,
        "instructions": operator.instructions,
        "schema": operator.output.model_json_schema(),
        "prompt": operator.prompt(value),
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
