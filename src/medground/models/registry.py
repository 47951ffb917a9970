"""Which model answers which operator, with one call cache for all models."""

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
    """The open models, and the model for each operator.

    Args:
        default: name of the model for operators that are not in `operators`.
        operators: operator name to model name.
        models: open models by name, with every name that `default` and `operators` use.
        cache: stores replies, or None.
        concurrency: most calls at once to models that can be cached.
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

    async def answer(
        self, operator: Operator[I, O], value: I, limits: CallLimits, *, kept: CallCache | None = None
    ) -> Reply[O]:
        """Answer from the cache or by the model. With a cache, identical concurrent calls run once.

        Args:
            operator: what is asked.
            value: its input.
            limits: what the call may spend.
            kept: the replies of a run that can be resumed, which serve where there is no cache.

        Raises:
            ModelFailed: the model gave no usable output.
            BudgetExhausted: the limits were reached during the call.
        """
        model = self.of(operator.name)
        if not model.cacheable:
            return await model.answer(operator, value, limits)
        cache = self._cache or kept
        if cache is None:
            async with self._slots:
                return await model.answer(operator, value, limits)
        key = call_key(model, operator, value)
        async with self._under_way.setdefault(key, asyncio.Lock()):  # identical calls wait for the stored reply
            stored = cache.get(key, operator.output)
            if stored is not None and _fits(operator, value, stored):
                return Reply(output=stored, usage=Usage(cached_calls=1))
            async with self._slots:
                reply = await model.answer(operator, value, limits)
            cache.put(key, reply.output, {"model": model.name, "operator": operator.name})
            return reply

    async def close(self) -> None:
        """Close every model."""
        await asyncio.gather(*(model.close() for model in self._models.values()))


def _fits(operator: Operator[I, O], value: I, stored: O) -> bool:
    """Whether a stored output passes the current check, which may be stricter than when it was stored."""
    try:
        operator.check(value, stored)
    except InvalidOutput:
        return False
    return True


def call_key(model: Model, operator: Operator[I, O], value: I) -> str:
    """Cache key of a call: SHA-256 of everything that determines its output."""
    content = {
        "model": model.identity,
        "operator": operator.name,
        "instructions": operator.instructions,
        "schema": operator.output.model_json_schema(),
        "prompt": operator.prompt(value),
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
