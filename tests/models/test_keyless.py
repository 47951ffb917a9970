"""Keyless answers cost nothing and pass the operator's own check."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import pytest

from medground.errors import ModelFailed
from medground.models.base import CallLimits, Keyless
from medground.testing.model_contract import FREE, IMPOSSIBLE, NAME, NameOutput, asking
from medground.values.usage import Usage


def test_it_is_free_never_cached_and_passes_the_operators_own_check() -> None:
    model = Keyless()
    assert (model.name, model.identity, model.cacheable) == ("keyless", "keyless", False)
    for limits in (FREE, CallLimits(tokens=0, calls=0, seconds=0.0)):
        reply = asyncio.run(model.answer(NAME, asking("T1"), limits))
        assert reply.output == NameOutput(id="T1")
        assert reply.usage == Usage(price=Decimal(0))
    with pytest.raises(ModelFailed, match="keyless: impossible: no output passes") as caught:
        asyncio.run(model.answer(IMPOSSIBLE, asking("T1"), FREE))
    assert caught.value.usage == Usage()
