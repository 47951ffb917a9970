"""One measurement of a judge, from its estimated cost to the record in the user's folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from medground.answering.verify.measured import Measured, asked_with, judges_folder, keep, stem
from medground.errors import UsageError
from medground.home.settings import Settings
from medground.models.operators.verifying import EntailInput, entail
from medground.models.registry import Models, list_price, open_models, own_address
from medground.models.shipped import shipped
from medground.values.usage import Author
from medground_evaluate.judges.labelled_pairs import LabelledPair, drawn_pairs
from medground_evaluate.judges.measure import Sheet, Watch, ask_all, claim_of, result

_CHARACTERS = 4
"""Characters of a token, roughly, in English."""
_REPLY = 40
"""Tokens of a reply; what a model thinks before it is not counted."""


@dataclass(frozen=True)
class Estimate:
    """The expected cost. `price` is in US dollars; None means unknown."""

    calls: int
    input_tokens: int
    output_tokens: int
    price: Decimal | None

    def __str__(self) -> str:
        price = "price unknown" if self.price is None else f"about ${self.price:.2f} at list price"
        return (
            f"{self.calls:,} calls, about {self.input_tokens:,} tokens in and {self.output_tokens:,} out "
            f"(without any reasoning), {price}"
        )


def estimate(model: str, pairs: Sequence[LabelledPair], settings: Settings) -> Estimate:
    """What asking about these pairs will cost, if every reply can be used."""
    schema = len(json.dumps(entail.output.model_json_schema()))
    prompts = (entail.prompt(EntailInput(statement=c.statement, evidence=c.premises)) for c in map(claim_of, pairs))
    characters = sum(len(entail.instructions) + schema + len(prompt) for prompt in prompts)
    tokens, replies = round(characters / _CHARACTERS, -3), len(pairs) * _REPLY
    known = None if own_address(model, settings) else list_price(model, int(tokens), replies)
    return Estimate(len(pairs), int(tokens), replies, known)


@dataclass(frozen=True)
class Measurement:
    """A measurement that is about to be made: nothing was asked yet."""

    model: str
    settings: Settings
    pairs: Sequence[LabelledPair]
    models: Models
    sheet: Path
    """The file of what the judge says; its name tells judge, instructions and pairs."""

    def left(self, *, fresh: bool = False) -> Estimate:
        """What is still to be asked, and its cost.

        Raises:
            UsageError: another process is measuring the same judge.
        """
        if fresh or not self.sheet.exists():
            return estimate(self.model, self.pairs, self.settings)
        with Sheet(self.sheet) as sheet:
            return estimate(self.model, [pair for pair in self.pairs if pair.id not in sheet.lines], self.settings)

    async def make(
        self,
        *,
        fresh: bool = False,
        concurrency: int = 8,
        watch: Watch = lambda done, of: None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> Measured:
        """Ask what is left and store the result; from then on it counts on this machine.

        Raises:
            ModelFailed, ConfigError, StorageFailed: see `ask_all`; what was answered is kept.
            UsageError: another process is measuring the same judge.
        """
        with Sheet(self.sheet, fresh=fresh) as sheet:
            await ask_all(self.models, self.pairs, sheet, self.settings, concurrency=concurrency, watch=watch)
            found = result(self.pairs, sheet.lines, self.model, self.settings, now())
        keep(found, self.sheet.with_suffix(".json"))
        return found


def prepared(model: str, data: Path, settings: Settings) -> Measurement:
    """Read the test and open the model; nothing is asked. The call cache is not used, so that replies are new.

    Args:
        model: its name, as in `model.default`.
        data: the folder of `scifact` and `nli`.
        settings: home folder, keys, address and temperature.

    Raises:
        UsageError: the model is not one that can be measured, or the data are missing.
        ConfigError: the model is unknown, or its key or extra is missing.
    """
    if not Author(model).is_model:
        raise UsageError(f"{model} compares words and is not a judge; name a language model, such as openai:gpt-5")
    if model.startswith("nli:"):
        raise UsageError(
            f"{model} is not a language model; measure it with benchmarks/verification.py --critic {model}"
        )
    if model in shipped():
        raise UsageError(f"{model} ships with its own measurements; see `medground judge list`")
    chosen = settings.with_options({"model.default": model, "model.operators": {}, "model.cache": False})
    models = open_models(chosen, ())
    pairs = drawn_pairs(data)
    pin = [models.of(entail.name).identity, asked_with(), [pair.id for pair in pairs]]
    name = stem(model, hashlib.sha256(json.dumps(pin).encode()).hexdigest())
    return Measurement(model, chosen, pairs, models, judges_folder(settings.home) / f"{name}.jsonl")
