"""Judges that `medground judge measure` measured on this machine: one file each in the user's folder.

A measurement holds for one model at one address and temperature, asked with the instructions of this version. A model
that passed the gate (`judges.proven`) is a validated judge from then on; `with_measured` puts its name into the
settings that a question is answered with, so that an answer's hash tells it.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from medground.answering.verify.judges import failed, proven
from medground.home.files import write_whole, writing_to
from medground.home.settings import Settings
from medground.models.catalogue import Proof
from medground.models.registry import own_address
from medground.values.usage import Author, UsageReport

log = logging.getLogger(__name__)


class Measured(BaseModel):
    """What was measured of a judge.

    Attributes:
        model: its name in the settings.
        address: `model.base_url`, if it has its own; empty for the provider's.
        temperature: `model.temperature`.
        asked: hash of the instructions and the schema that it was asked with (`asked_with`).
        measured: when it was finished.
        made_by: program and version.
        proofs: one for each set, and one of how often its "supported" was right.
        pairs: how many it was asked about.
        unusable: of these, replies that could not be read; they count as wrong.
        usage: what it cost.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

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
        return f"not proven: no better than guessing on {', '.join(failed(self.proofs)) or 'too few sets'}"

    def is_of(self, name: str, settings: Settings) -> bool:
        """Whether it was made with this model, as these settings reach it."""
        mine = (self.model, self.address, self.temperature)
        return mine == (name, own_address(name, settings), settings.model.temperature)


def asked_with() -> str:
    """Hash of the instructions and the schema of `entail`: a judge that is asked otherwise is another judge."""
    from medground.models.operators.verifying import entail

    asked = [entail.instructions, entail.output.model_json_schema()]
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:16]


def judges_folder(home: Path) -> Path:
    """The folder of measurements."""
    return home / "judges"


def stem(model: str, pin: str) -> str:
    """The name of a measurement's files: readable, and different for every `pin`."""
    return f"{re.sub(r'[^A-Za-z0-9.]+', '-', model).strip('-.')[:60]}-{pin[:8]}"


def keep(found: Measured, path: Path) -> None:
    """Store a measurement.

    Raises:
        StorageFailed: the disk is full or protected.
    """
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
    return next((one for one in measured_judges(settings.home) if one.is_of(name, settings)), None)


def judge_of(settings: Settings) -> str:
    """The name of the judge of these settings; empty where word statistics compare or a shipped network judges."""
    from medground.answering.verify.critics import NLI, OPERATOR

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
    names = {
        "verify.measured_judges": tuple(name for name, passed in current.items() if passed),
        "verify.unproven_judges": tuple(name for name, passed in current.items() if not passed),
    }
    return settings.with_options({key: some for key, some in names.items() if some}) if current else settings
