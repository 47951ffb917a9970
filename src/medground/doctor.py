"""Check what is installed and what is missing, and say how to fix it. Nothing is called or downloaded."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as package_version
from typing import Literal, get_args

from medground.answering.captions import NOT_VALIDATED
from medground.answering.verify.judges import NLI, SETS, judge_of, may_judge, measurement_of, with_measured
from medground.corpus.library import Library
from medground.corpus.retraction_table import table
from medground.engine.open_engine import corpora_of
from medground.engine.opening import operator_names, with_fetched
from medground.errors import MedgroundError
from medground.home.files import tables
from medground.home.registry import Group, added, installed
from medground.home.settings import Settings
from medground.models.catalogue import shipped
from medground.models.registry import open_models
from medground.recipes.base import open_recipe
from medground.sources.base import find_source

_EXTRAS = tables("data", "extras")
_ROOM = 2_000_000_000


@dataclass(frozen=True)
class Check:
    """The result of one check. `missing`: absent but optional. `limited`: works, but not all of it. `broken`: the
    settings need it."""

    what: str
    state: Literal["ok", "missing", "limited", "broken"]
    note: str


def examine(settings: Settings | None = None) -> list[Check]:
    """Check settings, disk, extras, the recipe, models, the judge, sources and corpora."""
    try:
        settings = settings or Settings.load()
    except MedgroundError as error:
        return [Check("settings", "broken", str(error))]
    return [
        Check("settings", "ok", f"hash {settings.hash}, recipe {settings.recipe.name}, model {settings.model.default}"),
        _home(settings),
        *(_extra(name, packages) for name, packages in _EXTRAS.items()),
        _tried("recipe", lambda: open_recipe(settings.recipe.name).name),
        _tried("models", _models, settings),
        *_judge(settings),
        *_networks(settings),
        *(_tried(f"source {name}", lambda one: find_source(one).name, name) for name in settings.retrieval.sources),
        *_added(),
        *_corpora(settings),
        _retractions(),
    ]


def _home(settings: Settings) -> Check:
    folder = settings.home
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    writable, room = os.access(folder, os.W_OK), f"{settings.home}, {free / 1e9:.1f} GB free"
    if writable and free > _ROOM:
        return Check("home folder", "ok", room)
    if not writable and folder != settings.home:
        return Check("home folder", "broken", f"{settings.home} cannot be created; set MEDGROUND_HOME elsewhere")
    if writable:
        return Check("home folder", "limited", f"{room}: a build may not fit, and answers may not be saved; free some")
    note = f"{settings.home} is read-only: no corpus can be built, no answer saved; set MEDGROUND_HOME elsewhere"
    return Check("home folder", "limited", note)


def _extra(name: str, packages: tuple[str, ...]) -> Check:
    versions = []
    for package in packages:
        try:
            versions.append(f"{package} {package_version(package)}")
        except PackageNotFoundError:
            return Check(
                f"extra {name}", "missing", f'{package} is not installed; run: pip install "medground[{name}]"'
            )
    return Check(f"extra {name}", "ok", ", ".join(versions))


def _tried(what: str, found: Callable[..., str], *given: object) -> Check:
    try:
        return Check(what, "ok", found(*given))
    except MedgroundError as error:
        return Check(what, "broken", str(error))


def _models(settings: Settings) -> str:
    open_models(settings, operator_names())
    return ", ".join({settings.model.default, *settings.model.operators.values()})


def _added() -> Iterator[Check]:
    """What other packages add, apart from our own."""
    for group in get_args(Group):
        loaded = added(group, object)
        for name, point in installed(group).items():
            if point.dist and point.dist.name != "medground":
                note = f"{point.value} of {point.dist.name} {point.dist.version}"
                yield Check(f"added {group[:-1]} {name}", "ok" if name in loaded else "broken", note)


def _judge(settings: Settings) -> list[Check]:
    """Whether the model that judges statements may call them supported, and if not, what to do."""
    name = judge_of(settings)
    if not name:
        return []
    what, found = f"judge {name}", measurement_of(name, settings)
    told = f" ({found.figures})" if found else ""
    if name in settings.verify.trusted_judges:
        return [Check(what, "ok", "trusted by verify.trusted_judges, without a measurement")]
    if may_judge(name, with_measured(settings).verify):
        measured = found and f"proven here on {found.measured:%Y-%m-%d}{told}; see: medground judge list"
        return [Check(what, "ok", measured or "proven by the measurements of this release")]
    if found is not None:
        return [Check(what, "missing", f"{found.verdict}{told}; see: medground judge list")]
    command = f"run: medground judge measure {name} --data FOLDER, with SciFact and {SETS - 1} more public sets"
    how = f"to trust it, set verify.trusted_judges to {name}" if name.startswith(NLI) else f"to validate it, {command}"
    return [Check(what, "missing", f'{NOT_VALIDATED}, so its verdicts read "assessed by"; {how}')]


def _networks(settings: Settings) -> list[Check]:
    """The networks that ship with the package: not fetched, in use, or why not."""
    folder, used = settings.home / "models", with_fetched(settings)
    found = []
    for one in shipped().values():
        if one.find(folder) is None:
            note = f"{one.card.domain}; to use it, run: medground models fetch {one.name}"
            found.append(Check(f"network {one.name}", "missing", note))
        else:
            note = "in use" if one.name == used.verify.critic else "fetched, but not selected in the settings"
            found.append(Check(f"network {one.name}", "ok", note))
    return found


def _retractions() -> Check:
    known = table()
    note = f"{len(known.natures):,} records; the newest are of {known.month}"
    old = known.old_at(date.today())
    return Check("retractions", "limited" if old else "ok", f"{note}; {old}" if old else note)


def _corpora(settings: Settings) -> list[Check]:
    library = Library(settings.home)
    found = []
    try:
        names = corpora_of(settings)
    except MedgroundError as error:
        names = settings.retrieval.corpora
        found.append(Check(f"knowledge base {settings.retrieval.knowledge_base}", "broken", str(error)))
    for name in names:
        try:
            with library.open(name) as snapshot:
                note = f"{snapshot.manifest.counts.documents:,} documents, {snapshot.manifest.hash[:12]}"
            found.append(Check(f"corpus {name}", "ok", note))
        except MedgroundError as error:
            buildable = name == "starter" and name not in library.list()
            note = "will be built by the first question" if buildable else str(error)
            found.append(Check(f"corpus {name}", "missing" if buildable else "broken", note))
    return found
