"""Which judges may call a statement supported or contradicted: those validated on held-out data, and those that the
user trusts by a setting.

One gate for all (`proven`): a judge must have passed on SciFact and on at least two other sets, and wherever it was
measured on what a search finds, on how often its "supported" is right, or on texts that decide nothing. The
measurements of a network that ships with the package are in its card (`models.pairs.shipped`), those of other models,
made on this machine by `medground judge measure`, in the user's folder. They count through `verify.measured_judges`.
The sets that a shipped network failed are named wherever it says anything.
"""

import logging
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from medground.home.files import digest, write_whole, writing_to
from medground.home.settings import Settings
from medground.home.settings_groups import VerifySettings
from medground.models.catalogue import Proof, shipped
from medground.models.registry import own_address
from medground.values.document import Frozen
from medground.values.usage import Author, UsageReport

OPERATOR = "check"
"""The critic that asks an operator."""
NLI = "nli:"
"""What the name of an NLI model begins with."""
SETS = 3
"""Data sets that a judge must have passed."""


def may_judge(model: str, settings: VerifySettings) -> bool:
    """Whether this model is a validated judge or trusted by the settings."""
    return model in (*settings.trusted_judges, *settings.measured_judges) or proven(_proofs(model))


def proven(proofs: Sequence[Proof]) -> bool:
    """Whether these measurements make a judge."""
    passed = {proof.dataset for proof in proofs if proof.of == "claims"} - set(failed(proofs))
    in_use = all(proof.passes for proof in proofs if proof.of in ("search", "supported", "neutral", "planted"))
    return in_use and len(passed) >= SETS and any("scifact" in name.lower() for name in passed)


def failed(proofs: Sequence[Proof]) -> list[str]:
    """The sets on which a judge did not pass."""
    return [proof.dataset for proof in proofs if not proof.passes]


ONE, SEVERAL = "one paper", "several papers"
"""The kinds of answers to a closed question: how many papers have findings that say the same."""


def decides_from(model: str, kind: str, settings: VerifySettings) -> tuple[float | None, str]:
    """The probability from which this model may answer a closed question of a kind, None if it may not; and how often
    such answers were right where they were measured, in words.

    It must have passed on all such answers, and on each of yes and no; or be trusted.
    """
    asked = {proof.said: proof for proof in _proofs(model) if proof.of == "questions" and proof.kind == kind}
    right = ""
    if all_of_them := asked.get(""):
        share, number = f"{all_of_them.accuracy:.0%}", all_of_them.pairs
        right = f"{share} of {number} such answers to {all_of_them.dataset} were right"
    if model in settings.trusted_judges:
        return 0.0, right
    passed = may_judge(model, settings) and all(proof.passes for proof in asked.values())
    return shipped()[model].card.decides_from if passed and {"yes", "no"} <= asked.keys() else None, right


def domain(model: str, settings: Settings) -> str:
    """What a shipped judge was measured on, in words, and where it failed; how one did that is proven here."""
    if (one := shipped().get(model)) is None:
        found = measurement_of(model, settings) if model in settings.verify.measured_judges else None
        return found.figures if found else ""
    not_passed = failed([proof for proof in one.card.proofs if proof.of != "questions"])
    aside = f" (no better than guessing on {' and '.join(not_passed)})" if not_passed else ""
    return f"{one.card.domain}{aside}"


def _proofs(model: str) -> tuple[Proof, ...]:
    return one.card.proofs if (one := shipped().get(model)) else ()


_LIMITED = ("local", "nli")


def has_last_word(judge: str, settings: VerifySettings) -> bool:
    """Whether this judge decides over a word filter."""
    if judge in settings.trusted_judges:
        return True
    if not Author(judge).is_model or judge in (*shipped(), *settings.unproven_judges):
        return False
    return judge.partition(":")[0] not in _LIMITED or may_judge(judge, settings)


# Judges that `medground judge measure` measured on this machine: one file each in the user's folder.

log = logging.getLogger(__name__)


class Measured(Frozen):
    """What was measured of a judge.

    Attributes:
        address: `model.base_url`, if it has its own; empty for the provider's.
        asked: hash of the instructions and the schema that it was asked with (`asked_with`).
        proofs: one for each set, and one of how often its "supported" was right.
        pairs: how many it was asked about.
        unusable: of these, replies that could not be read; they count as wrong.
    """

    model: str
    address: str = ""
    temperature: float = 0.0
    asked: str
    measured: datetime
    made_by: str
    proofs: tuple[Proof, ...]
    pairs: int
    unusable: int = 0
    usage: UsageReport = UsageReport()

    @property
    def is_current(self) -> bool:
        """Whether this version of Medground asks as it did when this was measured."""
        return self.asked == asked_with()

    @property
    def is_proven(self) -> bool:
        """Whether it passed the gate, as it is asked now."""
        return self.is_current and proven(self.proofs)

    @property
    def verdict(self) -> str:
        """Whether it is a judge, and if not, why not, in a few words."""
        if not self.is_current:
            return "measured with the instructions of another version; measure it again"
        if self.is_proven:
            return "proven: its verdicts count as supported and contradicted on this machine"
        if missed := failed(self.proofs):
            return f"not proven: no better than guessing on {', '.join(missed)}"
        return f"not proven: it passed all, and a proof needs SciFact and {SETS - 1} more public sets (--data)"

    @property
    def figures(self) -> str:
        """How it did, in words."""
        told = [proof for proof in self.proofs if proof.of == "planted"]
        pairs, right = sum(proof.pairs for proof in told), sum(round(proof.accuracy * proof.pairs) for proof in told)
        planted = [f"{right} of {pairs} findings with and without planted errors right"] if told else []
        sets = [f"{proof.dataset} {proof.accuracy:.0%} right" for proof in self.proofs if proof.of == "claims"]
        return ", ".join([*planted, *sets])

    def is_of(self, name: str, settings: Settings) -> bool:
        """Whether it was made with this model, as these settings reach it."""
        mine = (self.model, self.address, self.temperature)
        return mine == (name, own_address(name, settings), settings.server_of(name, OPERATOR).temperature)


def asked_with() -> str:
    """Hash of the instructions and the schema of `check`: a judge that is asked otherwise is another judge."""
    from medground.models.operators.checking import check

    asked = [*check.taught_by, check.output.model_json_schema()]
    return digest(asked)[:16]


def judges_folder(home: Path) -> Path:
    """The folder of measurements."""
    return home / "judges"


def stem(model: str, pin: str) -> str:
    """The name of a measurement's files: readable, and different for every `pin`."""
    return f"{re.sub(r'[^A-Za-z0-9.]+', '-', model).strip('-.')[:60]}-{pin[:8]}"


def keep(found: Measured, path: Path) -> None:
    """Store a measurement. Raises StorageFailed: the disk is full or protected."""
    with writing_to(path.parent):
        write_whole(path, found.model_dump_json(indent=1))


def measured_judges(home: Path) -> list[Measured]:
    """All measurements, the latest first. A file that cannot be read proves nothing, and is logged."""
    found = []
    for path in judges_folder(home).glob("*.json"):
        try:
            found.append(Measured.model_validate_json(path.read_bytes()))
        except (OSError, ValidationError):
            log.warning("%s is not a measurement of a judge; remove it and measure again", path)
    return sorted(found, key=lambda one: one.measured, reverse=True)


def measurement_of(name: str, settings: Settings) -> Measured | None:
    """The latest measurement of a model, as these settings reach it."""
    return next((judge for judge in measured_judges(settings.home) if judge.is_of(name, settings)), None)


def judge_of(settings: Settings) -> str:
    """The name of the judge of these settings; empty where word statistics compare or a shipped network judges."""
    critic, model = settings.verify.critic, settings.model
    if critic == OPERATOR:
        name = model.operators.get(OPERATOR, model.default)
        return name if Author(name).is_model else ""
    return critic if critic.startswith(NLI) else ""


def with_measured(settings: Settings) -> Settings:
    """The settings with the models in use that were measured here, proven or not; unchanged where a layer names
    `measured_judges`."""
    if "measured_judges" in settings.verify.model_fields_set or not judges_folder(settings.home).is_dir():
        return settings
    used = {settings.model.default, *settings.model.operators.values()}
    latest = {name: measurement_of(name, settings) for name in sorted(used) if Author(name).is_model}
    current = {name: found.is_proven for name, found in latest.items() if found is not None and found.is_current}
    sides = {"verify.measured_judges": True, "verify.unproven_judges": False}
    names = {key: tuple(name for name, passed in current.items() if passed is side) for key, side in sides.items()}
    return settings.with_options({key: some for key, some in names.items() if some}) if current else settings
