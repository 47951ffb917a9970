"""Long-text uncertainty (LUQ) of a model or recipe, with several runs of the same questions as samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from medground.errors import UsageError
from medground.evaluate.base import RunHeader
from medground.evaluate.manifest import differences
from medground.evaluate.metrics.share import Mean, mean
from medground.evaluate.metrics.uncertainty import Entailment, Uncertainty, luq
from medground.evaluate.runs import read_run


@dataclass(frozen=True)
class SampledUncertainty:
    """LUQ over the questions of a run.

    Attributes:
        mean: over the questions that have a value; `without` counts the others.
        each: by question id.
        samples: number of runs.
        temperature: the temperature of the samples.
    """

    mean: Mean
    each: Mapping[str, Uncertainty]
    samples: int
    temperature: float


@dataclass(frozen=True)
class Samples:
    """The rationales that several runs of the same questions wrote, by question id."""

    texts: Mapping[str, Sequence[str]]
    runs: int
    temperature: float


async def uncertainty_of(samples: Samples, entailment: Entailment) -> SampledUncertainty:
    """LUQ of every question; `entailment` is called once per question."""
    each = {i: await luq(texts, entailment) for i, texts in samples.texts.items()}
    return SampledUncertainty(mean(found.value for found in each.values()), each, samples.runs, samples.temperature)


def read_samples(paths: Sequence[Path]) -> Samples:
    """Read the rationales of several runs.

    Raises:
        UsageError: there are fewer than two runs, they have different settings, or they were made without sampling (at
            a temperature of 0, or with cached calls).
    """
    if len({path.resolve() for path in paths}) < max(2, len(paths)):
        raise UsageError("uncertainty needs two or more runs of the same questions, each given once")
    texts: dict[str, list[str]] = {}
    headers = []
    for path in paths:
        header, lines = read_run(path)
        headers.append(header)
        _check(path, header, headers[0])
        for line in lines:
            texts.setdefault(line.id, []).append(line.text)
    return Samples(texts, len(paths), float(headers[0].settings["model"]["temperature"]))


def _check(path: Path, header: RunHeader, first: RunHeader) -> None:
    if found := differences(first, header):
        raise UsageError(
            f"{path} differs from the first run: {'; '.join(found.values())}; give runs of the same command"
        )
    model = header.settings.get("model", {})
    if model.get("cache", True) or not model.get("temperature"):
        raise UsageError(
            f"{path} was made without sampling; run it with --set model.temperature=0.7 --set model.cache=false and "
            "its own --out"
        )
