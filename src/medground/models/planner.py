"""A planner of sources that was trained here, run in this process: `planner:FOLDER` (extra `train`).

It answers the one operator that asks for a plan as plain text, with the messages that it was trained on.
"""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path
from typing import Any

from medground.errors import BudgetExhausted, ConfigError, ModelFailed
from medground.models.base import CallLimits, Reply
from medground.models.operators.base import I, InvalidOutput, O, Operator, PlainOutput
from medground.values.usage import Usage

MOST_TOKENS = 512
"""Longest plan in tokens."""


def open_planner_model(name: str) -> PlannerModel:
    """Open `planner:FOLDER`. The weights are loaded by the first call.

    Raises:
        ConfigError: the folder holds no trained planner.
    """
    from medground.models.planner_weights import read_card

    folder = Path(name.partition(":")[2]).expanduser()
    card = read_card(folder)
    return PlannerModel(name, folder, hashlib.sha256(card.model_dump_json().encode()).hexdigest())


class PlannerModel:
    """A base model with a trained adapter, through transformers. It writes the likeliest plan, without sampling.

    Args:
        name: as in the settings.
        folder: the adapter.
        digest: of its card, which names the base's weights and the training.
    """

    cacheable = True

    def __init__(self, name: str, folder: Path, digest: str) -> None:
        self.name = name
        self._folder = folder
        self._digest = digest
        self._loaded: tuple[Any, Any] | None = None
        self._turn = asyncio.Lock()

    @property
    def identity(self) -> str:
        """The card's hash and the size of the weights."""
        size = (self._folder / "adapter_model.safetensors").stat().st_size
        return f"planner-{self._digest}-{size}"

    async def answer(self, operator: Operator[I, O], value: I, limits: CallLimits) -> Reply[O]:
        """Write a plan.

        Raises:
            ConfigError: the operator wants more than plain text, the base cannot be loaded, or is another model.
            ModelFailed: the plan fails the operator's check.
            BudgetExhausted: nothing may be spent any more.
        """
        if not issubclass(operator.output, PlainOutput):
            raise ConfigError(
                f"{self.name} only writes plans of sources, and cannot answer {operator.name}; give it that operator "
                f"alone: --set model.operators.plan_sources={self.name} --set omni_rag.planner=trained"
            )
        if limits.tokens == 0 or limits.calls == 0:
            raise BudgetExhausted("tokens" if limits.tokens == 0 else "calls", spent="all", allowed="0", usage=Usage())
        async with self._turn:  # one model, one sequence at a time
            text, given, new = await asyncio.to_thread(self._write, operator, value, limits)
        usage = Usage(input_tokens=given, output_tokens=new, model_calls=1)
        output = operator.output.model_validate({"text": text})
        try:
            operator.check(value, output)
        except InvalidOutput as error:
            raise ModelFailed(str(error), model=self.name, usage=usage, unreadable=True) from None
        return Reply(output=output, usage=usage)

    def _write(self, operator: Operator[I, O], value: I, limits: CallLimits) -> tuple[str, int, int]:
        from medground.models.planner_weights import device, libraries, load_adapter, messages, written

        if self._loaded is None:
            model, tokenizer, _ = load_adapter(self._folder, on=device(libraries().torch)[0])
            self._loaded = (model.eval(), tokenizer)
        most = MOST_TOKENS if limits.tokens is None else min(MOST_TOKENS, limits.tokens)
        return written(*self._loaded, messages(operator, value), tokens=most)

    async def close(self) -> None:
        """Let go of the weights."""
        self._loaded = None
