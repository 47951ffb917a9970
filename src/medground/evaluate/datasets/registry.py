"""Data sets by name."""

from __future__ import annotations

from collections.abc import Mapping

from medground.errors import UsageError
from medground.evaluate.datasets.bioasq import BIOASQ, YES_NO
from medground.evaluate.datasets.biomedmcqs import BIOMEDMCQS
from medground.evaluate.datasets.covidqa import COVIDQA
from medground.evaluate.datasets.loader import Loader
from medground.evaluate.datasets.long_answers import EXPERTQA, LIVEQA, MEDICATIONQA, OMNI_LONG
from medground.evaluate.datasets.medquad import MEDQUAD
from medground.evaluate.datasets.medsbench import DDXPLUS, MIMIC_IV_ED, SEER
from medground.evaluate.datasets.mirage import MIRAGE, MIRAGE_SETS
from medground.evaluate.datasets.mmlu import MMLU
from medground.evaluate.datasets.mmlu_pro import MMLU_PRO
from medground.evaluate.datasets.own import OWN
from medground.evaluate.datasets.pubmedqa import PUBMEDQA
from medground.evaluate.datasets.scifact import SCIFACT

_LITERATURE = (BIOASQ, YES_NO, COVIDQA, PUBMEDQA, SCIFACT)
_CHOICE = (BIOMEDMCQS, MIRAGE, *MIRAGE_SETS, MMLU, MMLU_PRO, SEER, DDXPLUS, MIMIC_IV_ED)
_OPEN = (EXPERTQA, LIVEQA, MEDICATIONQA, MEDQUAD, OMNI_LONG, OWN)
_SETS: Mapping[str, Loader] = {one.info.name: one for one in (*_LITERATURE, *_CHOICE, *_OPEN)}


def dataset_names() -> list[str]:
    """The names of all sets."""
    return sorted(_SETS)


def open_dataset(name: str) -> Loader:
    """The loader of the set called `name`.

    Raises:
        UsageError: there is no set of that name.
    """
    if name not in _SETS:
        raise UsageError(
            f"unknown data set {name!r}; available: {', '.join(dataset_names())}; see `medground data list`"
        )
    return _SETS[name]
