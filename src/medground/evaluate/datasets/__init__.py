"""Data sets by name."""

from __future__ import annotations

from importlib import import_module

from medground.errors import UsageError
from medground.evaluate.datasets.loader import Loader

_ROOM = "medground.evaluate.datasets"
_PLACES = {
    "bioasq": "bioasq:BIOASQ",
    "bioasq-yesno": "bioasq:YES_NO",
    "biomedmcqs": "biomedmcqs:BIOMEDMCQS",
    "covidqa": "covidqa:COVIDQA",
    "ddxplus": "medsbench:DDXPLUS",
    "expertqa": "long_answers:EXPERTQA",
    "jsonl": "own:OWN",
    "liveqa": "long_answers:LIVEQA",
    "medicationqa": "long_answers:MEDICATIONQA",
    "medquad": "medquad:MEDQUAD",
    "mimic-iv-ed": "medsbench:MIMIC_IV_ED",
    "mirage": "mirage:MIRAGE",
    "mirage-bioasq": "mirage:BIOASQ",
    "mirage-medmcqa": "mirage:MEDMCQA",
    "mirage-medqa": "mirage:MEDQA",
    "mirage-mmlu": "mirage:MMLU",
    "mirage-pubmedqa": "mirage:PUBMEDQA",
    "mmlu": "mmlu:MMLU",
    "mmlu-pro-health": "mmlu_pro:MMLU_PRO",
    "omni-long": "long_answers:OMNI_LONG",
    "pubmedqa": "pubmedqa:PUBMEDQA",
    "scifact": "scifact:SCIFACT",
    "seer": "medsbench:SEER",
}


def dataset_names() -> list[str]:
    """The names of all sets."""
    return sorted(_PLACES)


def open_dataset(name: str) -> Loader:
    """The loader of the set called `name`.

    Raises:
        UsageError: there is no set of that name.
    """
    if name not in _PLACES:
        raise UsageError(
            f"unknown data set {name!r}; available: {', '.join(dataset_names())}; see `medground data list`"
        )
    module, _, loader = _PLACES[name].partition(":")
    found: Loader = getattr(import_module(f"{_ROOM}.{module}"), loader)
    return found
