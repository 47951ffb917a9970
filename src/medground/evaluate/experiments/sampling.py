"""The uncertainty of a row: nine sampled answers to each question, compared by an NLI model.

Source: Omni-RAG, appendix A.3 and Table 10: LUQ with 9 samples at a temperature of 0.7.
"""

from __future__ import annotations

from pathlib import Path

from medground.author import Author
from medground.evaluate.metrics.uncertainty import Entailment, nli_entailment
from medground.evaluate.samples import SampledUncertainty, read_samples, uncertainty_of
from medground.settings import Settings

SAMPLES = 9
TEMPERATURE = 0.7
UNCERTAINTY = "uncertainty"
SAMPLING = {"model.temperature": TEMPERATURE, "model.cache": False}
"""With which the answers of a row are sampled."""
_NLI = "nli:"


def waits_for(settings: Settings, nli: str) -> str:
    """What the uncertainty of a row waits for; empty if it can be measured."""
    if not Author(settings.model.default).is_model:
        return "uncertainty waits for a model: without one, all samples are the same"
    if not nli:
        return "uncertainty waits for an NLI model: name one with --nli, or with verify.critic = nli:NAME"
    return ""


def nli_of(settings: Settings, named: str | None) -> str:
    """The NLI model that is named, else that of the settings; empty if there is none."""
    critic = settings.verify.critic
    return named or (critic.removeprefix(_NLI) if critic.startswith(_NLI) else "")


def open_entailment(nli: str) -> Entailment:
    """The probability of entailment by an NLI model. It loads the model, and blocks while it does.

    Raises:
        ConfigError: the model cannot be opened.
        UsageError: it has no label for contradiction.
    """
    from medground.verify.critics.nli.open import open_nli

    return nli_entailment(open_nli(nli))


def sample_paths(path: Path) -> list[Path]:
    """The files of the samples of a run."""
    return [path.with_name(f"{path.stem}_sample-{n}{path.suffix}") for n in range(1, SAMPLES + 1)]


async def measured(paths: list[Path], entailment: Entailment) -> SampledUncertainty:
    """The uncertainty over these samples.

    Raises:
        UsageError: they differ in more than their answers.
    """
    return await uncertainty_of(read_samples(paths), entailment)
