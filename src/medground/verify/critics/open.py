"""Open the critic that `verify.critic` names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medground.errors import ConfigError
from medground.run import Run
from medground.verify.critics.base import Critic
from medground.verify.critics.nli.critic import NliCritic
from medground.verify.critics.nli.open import open_nli
from medground.verify.critics.operator import OperatorCritic

if TYPE_CHECKING:
    from medground.verify.critics.nli.model import NliModel

OPERATOR = "entail"
_NLI = "nli:"


def open_critic(run: Run) -> Critic:
    """Open the critic that the run's settings name. A model is loaded on first use, or earlier by `check_critic`.

    Raises:
        ConfigError: no critic has that name, an extra is missing, or the model is not an NLI model.
    """
    name = run.settings.verify.critic
    model = check_critic(name)
    return OperatorCritic(run) if model is None else NliCritic(run, name, model)


def check_critic(name: str) -> NliModel | None:
    """Load the NLI model of a critic, once. Returns None for the operator, whose model is opened with the others.

    This blocks: call it in a thread, before anything is paid for.

    Raises:
        ConfigError: see `open_critic`.
    """
    if name == OPERATOR:
        return None
    if not name.startswith(_NLI) or not name.removeprefix(_NLI).strip():
        raise ConfigError(f"unknown critic {name!r}; set verify.critic to `entail` or `nli:` and a folder or hub name")
    return open_nli(name.removeprefix(_NLI).strip())
