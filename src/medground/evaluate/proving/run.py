"""One measurement from the data folder to the record in the user's folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from medground.author import Author
from medground.errors import UsageError
from medground.evaluate.proving.estimate import Estimate, estimate
from medground.evaluate.proving.measure import Watch, ask_all, result
from medground.evaluate.proving.pairs import LabelledPair, drawn_pairs
from medground.evaluate.proving.sheet import Sheet
from medground.models.open import open_models
from medground.models.pairs.shipped import shipped
from medground.models.registry import Models
from medground.operators.verifying import entail
from medground.settings import Settings
from medground.verify.measured import Measured, asked_with, judges_folder, keep, stem


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
