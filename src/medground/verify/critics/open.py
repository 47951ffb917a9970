"""Critics by the name that `verify.critic` gives them."""

from __future__ import annotations

from medground.errors import ConfigError
from medground.run import Run
from medground.verify.critics.base import Critic
from medground.verify.critics.operator import OperatorCritic


def open_critic(run: Run) -> Critic:
    """The critic that the run's settings name.

    Raises:
        ConfigError: there is none of that name.
    """
    name = run.settings.verify.critic
    if name == "entail":
        return OperatorCritic(run)
    raise ConfigError(f"unknown critic {name!r}; verify.critic is `entail`, or `nli:` and a folder or hub name")
