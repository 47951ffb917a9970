"""Which model answers which operator, opened when first used, with one call cache for all."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping
from weakref import WeakValueDictionary

from medground.models.base import CallLimits, Model, Reply
from medground.models.cache import CallCache
from medground.operators.base import I, InvalidOutput, O, Operator
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
        self._under_way: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def of(self, operator: str) -> Model:
        """The model that answers an operator."""
        return self._models[self._operators.get(operator, self._default)]

    async def answer(self, operator: Operator[I, O], value: I, limits: CallLimits) -> Reply[O]:
        """Answer from the cache or by the model. Identical calls at the same time run once where there is a cache.

        Raises:
            ModelFailed: the model gave no usable output.
            BudgetExhausted: the limits were reached inside the call.
        """
        model = self.of(operator.name)
        if not model.cacheable:
            return await model.answer(operator, value, limits)
        if self._cache is None:
            async with self._slots:
                return await model.answer(operator, value, limits)
        key = call_key(model, operator, value)
        async with self._under_way.setdefault(key, asyncio.Lock()):  # an identical call waits and is then found stored
            stored = self._cache.get(key, operator.output)
            if stored is not None and _fits(operator, value, stored):
                return Reply(output=stored, usage=Usage(cached_calls=1))
            async with self._slots:
                reply = await model.answer(operator, value, limits)
            self._cache.put(key, reply.output, {"model": model.name, "operator": operator.name})
            return reply

    async def close(self) -> None:
        """Close every model."""
        await asyncio.gather(*(model.close() for model in self._models.values()))


def _fits(operator: Operator[I, O], value: I, stored: O) -> bool:
    """Whether a stored output passes the check of today, which may be stricter than the one that it passed."""
    try:
        operator.check(value, stored)
    except InvalidOutput:
        return False
    return True


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
