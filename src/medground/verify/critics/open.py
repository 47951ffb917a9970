"""Critics by the name that `verify.critic` gives them."""

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
    """The critic that the run's settings name. The first time it loads a model; `check_critic` does that before.

    Raises:
        ConfigError: there is none of that name, an extra is missing, or its model is of another kind.
    """
    name = run.settings.verify.critic
    model = check_critic(name)
    return OperatorCritic(run) if model is None else NliCritic(run, name, model)


def check_critic(name: str) -> NliModel | None:
    """Load the model of a critic of its own, once; None for the operator, whose model is opened with all others.

    It blocks, so it is called in a thread, and before anything that costs.

    Raises:
        ConfigError: as `open_critic`.
    """
    if name == OPERATOR:
        return None
    if not name.startswith(_NLI) or not name.removeprefix(_NLI).strip():
        raise ConfigError(f"unknown critic {name!r}; verify.critic is `entail`, or `nli:` and a folder or hub name")
    return open_nli(name.removeprefix(_NLI).strip())
