"""Open the critic that `verify.critic` names."""

from __future__ import annotations

from pathlib import Path

from medground.errors import ConfigError
from medground.models.pairs.shipped import shipped
from medground.run import Run
from medground.verify.critics.base import Critic
from medground.verify.critics.labels import LabelsOnly
from medground.verify.critics.nli.critic import NliCritic, Scorer
from medground.verify.critics.nli.open import open_nli
from medground.verify.critics.operator import OperatorCritic
from medground.verify.critics.trained import PairScorer, TrainedCritic, open_trained

OPERATOR = "entail"
LABELS = "label"
NLI = "nli:"


def open_critic(run: Run) -> Critic:
    """Open the critic that the run's settings name. A model is loaded on first use, or earlier by `check_critic`.

    Raises:
        ConfigError: no critic has that name, an extra is missing, or the model is not an NLI model.
    """
    name = run.settings.verify.critic
    if name == LABELS:
        return LabelsOnly(run)
    model = check_critic(name, run.settings.home / "models")
    if isinstance(model, PairScorer):
        return TrainedCritic(run, model)
    return OperatorCritic(run) if model is None else NliCritic(run, name, model)


def check_critic(name: str, models: Path) -> Scorer | None:
    """Load the model of a critic, once. Returns None for an operator, whose model is opened with the others.

    This blocks: call it in a thread, before anything is paid for.

    Args:
        name: as in `verify.critic`.
        models: folder of all fetched models.

    Raises:
        ConfigError: see `open_critic`.
    """
    if name in (OPERATOR, LABELS):
        return None
    ours = list(shipped())
    if name in ours:
        return open_trained(name, models)
    if not name.startswith(NLI) or not name.removeprefix(NLI).strip():
        known = "`, `".join([OPERATOR, LABELS, *ours])
        raise ConfigError(f"unknown critic {name!r}; set verify.critic to `{known}` or `nli:` and a folder or hub name")
    return open_nli(name.removeprefix(NLI).strip())
