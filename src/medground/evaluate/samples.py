"""Long-text uncertainty (LUQ) of a model or recipe: several runs of the same questions are its samples."""

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
        samples: how many runs there are.
        temperature: that they were made at.
    """

    mean: Mean
    each: Mapping[str, Uncertainty]
    samples: int
    temperature: float


@dataclass(frozen=True)
class Samples:
    """What several runs of the same questions wrote: rationales by question id."""

    texts: Mapping[str, Sequence[str]]
    runs: int
    temperature: float


async def uncertainty_of(samples: Samples, entailment: Entailment) -> SampledUncertainty:
    """LUQ of every question, `entailment` called once for each."""
    each = {i: await luq(said, entailment) for i, said in samples.texts.items()}
    return SampledUncertainty(mean(found.value for found in each.values()), each, samples.runs, samples.temperature)


def read_samples(paths: Sequence[Path]) -> Samples:
    """The rationales of several runs.

    Raises:
        UsageError: there are fewer than two runs, they are not of the same kind, or they were made without sampling (at
            a temperature of 0, or with calls from the cache).
    """
    if len({path.resolve() for path in paths}) < max(2, len(paths)):
        raise UsageError("uncertainty needs two runs or more of the same questions, each named once")
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
        raise UsageError(f"{path} is no sample of the first run: {'; '.join(found.values())}")
    model = header.settings.get("model", {})
    if model.get("cache", True) or not model.get("temperature"):
        raise UsageError(
            f"{path} holds no sample: run it with --set model.temperature=0.7 --set model.cache=false, to an --out "
            "of its own"
        )
