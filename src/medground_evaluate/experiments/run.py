"""Running an experiment: each row on each data set, one resumable run file for each.

A figure stands in a table under its row's name, so it must come from the settings that the row names. What would change
them from outside is refused; what changes others is refused from the environment and `medground.toml`, and shown from
`--set`.
"""

import asyncio
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from medground.answering import open_nli
from medground.corpus import Library
from medground.engine import Engine, operator_names
from medground.errors import ConfigError, SnapshotCorrupt, SourceUnavailable, StorageFailed, UsageError, UserMistake
from medground.home import FILE_NAME, PREFIX, Settings, preset_layer, section_of
from medground.models import open_embedder
from medground.recipes import open_recipe
from medground.values import KEYLESS, Author
from medground_evaluate.auditing import best_blind
from medground_evaluate.blind import Baseline
from medground_evaluate.experiments import figures
from medground_evaluate.experiments.form import POOLED, Data, Experiment, Row, find_data
from medground_evaluate.items import tallied
from medground_evaluate.judges.judgements import Judgement
from medground_evaluate.judges.results import PairResult, read_marked
from medground_evaluate.metrics import uncertainty
from medground_evaluate.metrics.searching import Embed
from medground_evaluate.run_file import flattened
from medground_evaluate.runner import Selection, Watch, check_searched, run_path, run_set, selected_items

SMOKE = 3
"""Number of questions in a trial run."""


Shown = Callable[[str], AbstractContextManager[Watch]]
"""Opens a watch for one run, such as a progress bar with that name."""


@dataclass(frozen=True)
class Options:
    """How to run an experiment.

    Attributes:
        model: the model that answers; by default `keyless`.
        corpora: `NAME` for all data, or `DATA=NAME`; `DATA=` searches no corpus for this data.
        smoke: run keyless on three questions, to see whether it works at all.
        nli: the NLI model that compares sampled answers; by default that of `verify.critic`, if it is one.
        verbatim: ask in the paper's own prompts, which `scripts/paper_prompts.py` makes of the paper.
        repeat: runs of each row that a model answers, for the mean and standard deviation of accuracy.
    """

    data: Path
    out: Path | None = None
    model: str | None = None
    smoke: bool = False
    limit: int | None = None
    corpora: tuple[str, ...] = ()
    sets: Mapping[str, Any] = field(default_factory=dict)
    concurrency: int = 1
    accept: tuple[str, ...] = ()
    nli: str | None = None
    marks: tuple[Path, ...] = ()
    repeat: int = 1
    verbatim: bool = False


@dataclass(frozen=True)
class Made:
    """The outcome of an experiment.

    Attributes:
        runs: by row and data.
        missing: why a row has no run, by row and data; the row is empty if the data itself is missing.
        stand_ins: options that replaced the paper's own, by row.
        uncertain: LUQ of the rows that were sampled, by row and data.
        again: further runs of the rows that were repeated, by row and data.
        embed: encodes queries; None if no column needs it, or there is none here.
        waits: what single columns wait for, in a line each.
    """

    experiment: Experiment
    runs: dict[tuple[str, str], figures.RunOfRow]
    missing: dict[tuple[str, str], str]
    blind: dict[str, Baseline]
    stand_ins: Mapping[str, Mapping[str, Any]]
    judged: dict[str, PairResult] = field(default_factory=dict)
    changed: dict[str, tuple[str, ...]] = field(default_factory=dict)
    uncertain: dict[tuple[str, str], uncertainty.SampledUncertainty] = field(default_factory=dict)
    again: dict[tuple[str, str], tuple[figures.RunOfRow, ...]] = field(default_factory=dict)
    marks: tuple[Judgement, ...] = ()
    embed: Embed | None = None
    waits: list[str] = field(default_factory=list)

    def every(self, row: str, data: str) -> list[figures.RunOfRow]:
        """The run of a row on a data set, and those in which it was repeated."""
        run = self.runs.get((row, data))
        return [] if run is None else [run, *self.again.get((row, data), ())]

    def base(self, data: str) -> figures.RunOfRow | None:
        """The run that cost ratios are relative to."""
        return next((self.runs.get((r.name, data)) for r in self.experiment.rows if r.baseline), None)


async def make(
    experiment: Experiment, options: Options, shown: Shown = lambda name: nullcontext(lambda tally: None)
) -> Made:
    """Run whatever has not been run yet, and read all runs.

    A row that cannot be run here (a missing corpus, a model that is not installed) does not stop the others.

    Raises UsageError: the experiment waits for something, or no row could be run; StorageFailed: a file cannot be
    written.
    """
    if not experiment.runnable:
        raise UsageError(
            f"{experiment.name} {experiment.status}; `medground experiment list` shows the ones that can be run"
        )
    keyless = not Author(model_of(options)).is_model
    experiment = without_unread(experiment)
    replaced = {r.name: r.stand_in for r in experiment.rows if keyless and r.stand_in}
    marks = tuple(read_marked(options.marks).lines) if options.marks else ()
    made = Made(experiment, {}, {}, {}, replaced, marks=marks)
    rows = _Rows(options, shown, made)
    named = experiment.data if not options.verbatim else _verbatim(experiment)
    for name, data in _with_corpora(named, options.corpora):
        try:
            dataset, place = find_data(data, options.data)
        except UsageError as error:
            made.missing["", name] = str(error)
            continue
        limits = [n for n in (data.limit, options.limit, SMOKE if options.smoke else None) if n is not None]
        selection = Selection(dataset, place, data.split, min(limits, default=None), until=data.until)
        items = list(selected_items(selection))
        headings = {item.id: item.headings for item in items if item.headings}
        for row in experiment.rows:
            if not row.data or name in row.data:
                await rows.add(row, name, data, selection, headings)
        was_run = any(data_name == name for _, data_name in made.runs)
        if was_run and (found := best_blind(items, models=not options.smoke)):
            made.blind[name] = found
    if not made.runs:
        why = "; ".join(dict.fromkeys(made.missing.values()))
        raise UsageError(f"{experiment.name}: no row could be run: {why}")
    if not any(metric.startswith("diversity-") for _, _, metric in experiment.cells()):
        return made
    try:
        home = next(iter(made.runs.values())).traces.parent
        return replace(made, embed=figures.remembering(open_embedder("minilm", home).embed))
    except (ConfigError, StorageFailed) as error:
        made.waits.append(f"diversity needs a model that encodes queries: {error}")
        return made


@dataclass(frozen=True)
class _Rows:
    """Runs rows, and notes what becomes of each."""

    options: Options
    shown: Shown
    made: Made

    async def add(
        self, row: Row, name: str, data: Data, selection: Selection, headings: Mapping[str, tuple[str, ...]]
    ) -> None:
        """Run a row, once and as often as it is repeated; what keeps it from that is its reason to be missing."""
        key, options, made = (row.name, name), self.options, self.made
        if name in row.corpora:
            data = data.replace(corpora=row.corpora[name])
        try:
            settings = settings_of(row, data, options)
            _check_embedder(row, settings)
            if found_changes := changes(row, data, options):
                made.changed[row.name] = found_changes
            path, traces = self._path(selection, settings), settings.home / "traces"
            await self._run(selection, settings, {path: f"{name}, {row.name}"})
            run = figures.read_row(path, headings, traces)
            if lost := tallied(run.lines, run.items).failed(figures.MOST_FAILED):
                raise UsageError(f"{lost[0]}; correct that and run again: only these questions are asked")
            made.runs[key] = run
            runs = options.repeat if Author(settings.model.default).is_model else 1  # without a model all are the same
            again = figures.further_paths(path, "repeat", range(2, runs + 1))
            named = {one: f"run {number} of {len(again) + 1}" for number, one in enumerate(again, start=2)}
            await self._run(selection, self._settings(row, data, figures.REPEATING), named)
            made.again[key] = tuple(figures.read_row(one, headings, traces) for one in again)
            if f"{name}.{figures.UNCERTAINTY}" in made.experiment.columns:
                await self._sample(key, selection, row, data)
        except (UserMistake, SourceUnavailable, SnapshotCorrupt) as error:
            made.missing[key] = str(error)

    def _path(self, selection: Selection, settings: Settings) -> Path:
        return run_path(self.options.out or settings.home / "runs" / "experiments", selection, settings)

    def _settings(self, row: Row, data: Data, more: Mapping[str, Any]) -> Settings:
        return settings_of(row, data, replace(self.options, sets={**self.options.sets, **more}))

    async def _run(self, selection: Selection, settings: Settings, named: Mapping[Path, str]) -> None:
        """Make the runs of these files; each is shown under its name."""
        options = self.options
        for path, name in named.items():
            with self.shown(name) as watch:
                check_searched(settings)
                async with await Engine.open(settings) as engine:
                    await run_set(
                        engine, selection, path, concurrency=options.concurrency, accept=options.accept, watch=watch
                    )

    async def _sample(self, key: tuple[str, str], selection: Selection, row: Row, data: Data) -> None:
        """Measure the uncertainty of a row, or note what it waits for."""
        settings = self._settings(row, data, figures.sampling(row.recipe))
        nli = figures.nli_of(settings, self.options.nli)
        if waiting := figures.waits_for(settings, nli):
            if waiting not in self.made.waits:
                self.made.waits.append(waiting)
            return
        entailment = uncertainty.nli_entailment(await asyncio.to_thread(open_nli, nli))  # before paying for the samples
        paths = figures.further_paths(self._path(selection, settings), "sample", range(1, figures.SAMPLES + 1))
        named = {path: f"{row.name}, sample {number} of {len(paths)}" for number, path in enumerate(paths, start=1)}
        await self._run(selection, settings, named)
        self.made.uncertain[key] = await uncertainty.uncertainty_of(uncertainty.read_samples(paths), entailment)


_REACHING = frozenset(
    {"model.base_url", "model.cache", "model.concurrency", "model.retries", "model.timeout", "retrieval.email"}
)
"""How a model or a service is reached. These may come from outside."""


_SAID = {"temperature", "longest", "instructions", "typed"}


def changes(row: Row, data: Data, options: Options) -> tuple[str, ...]:
    """What `--set` changes of a row: `retrieval.depth = 3`. The row itself names the models that answered.

    Raises UsageError: it would change what the row, its data or its preset names.
    """
    chosen = _chosen(row, data, options)
    taken = _taken(row, chosen, options.sets)
    found = _differing(_alone(row.preset, chosen), _alone(row.preset, chosen | taken))
    layers = ({"recipe": {"name": row.recipe}}, preset_layer(row.preset) if row.preset else {})
    own = {name for layer in layers for name in flattened(layer)} | data.settings.keys() | row.settings.keys()
    section = section_of(row.recipe)  # what a row does not name of its own recipe has the default that it names thereby
    prefix = f"{section.section}." if section else "recipe.name"
    if lost := [one for one in found if one.startswith(prefix) or one.partition(" = ")[0] in own]:
        raise UsageError(f"--set would replace what this row names: {', '.join(lost)}; change it in a copy of the file")
    return tuple(one for one in found if not one.startswith("model.operators."))


def _taken(row: Row, chosen: Mapping[str, Any], sets: Mapping[str, Any]) -> dict[str, Any]:
    """Of `--set`, all but models of operators that the row never asks, or for which it names one: a trained planner."""
    own = _alone(row.preset, chosen).served.operators
    asked = {operator.name for operator in open_recipe(row.recipe).operators} - own.keys()
    idle = {f"model.operators.{name}" for name in operator_names() if name not in asked}
    return {name: value for name, value in sets.items() if name not in idle}


def _check_embedder(row: Row, settings: Settings) -> None:
    """Refuse corpora whose vectors are not of the model that the row names."""
    for name in settings.retrieval.corpora if row.embedder else ():
        with Library(settings.home).open(name) as snapshot:
            found = snapshot.embedding or "none"
        if row.embedder.casefold() not in found.casefold():
            said = f"this row needs vectors of {row.embedder}, but those of corpus {name} are of {found}"
            raise UsageError(f"{said}; build one with medground corpus build NAME PATH --embed MODEL")


def _alone(preset: str | None, chosen: Mapping[str, Any]) -> Settings:
    return Settings.load(preset=preset, file=Path(os.devnull), environ={}, options=chosen)


def _differing(named: Settings, used: Settings) -> tuple[str, ...]:
    """Settings that are used in place of those that are named: `retrieval.keep = 3`."""
    before, after = (_compared(settings) for settings in (named, used))
    names = sorted((before.keys() | after.keys()) - _REACHING)
    return tuple(f"{name} = {after.get(name, 'the default')}" for name in names if before.get(name) != after.get(name))


def _compared(settings: Settings) -> dict[str, str]:
    """What the recipe reads, and the folder of replies that stand for the network, which is not part of the hash.

    Of single models and operators, what is set of their answers, and not how they are reached.
    """
    content = settings.as_read_by(settings.recipe.name)
    content["retrieval"]["replay"] = str(settings.retrieval.replay or "")
    for group, each in (("models", settings.models), ("operators", settings.operators)):
        content[group] = {
            name: one.model_dump(mode="json", include=_SAID, exclude_unset=True) for name, one in each.items()
        }
    return {name: json.dumps(value, ensure_ascii=False) for name, value in flattened(content).items()}


def settings_of(row: Row, data: Data, options: Options) -> Settings:
    """The settings of a row on one data set; environment and `medground.toml` may say how services are reached."""
    chosen = _chosen(row, data, options)
    chosen |= _taken(row, chosen, options.sets)
    used = Settings.load(preset=row.preset, options=chosen)
    changed = _differing(_alone(row.preset, chosen), used)
    if not changed:
        return used
    raise ConfigError(
        f"{FILE_NAME} or {PREFIX}... in the environment would change this row: {', '.join(changed)}; "
        "remove it there, or change the row openly with --set"
    )


def _chosen(row: Row, data: Data, options: Options) -> dict[str, Any]:
    """The options that the file names for a row, with the model and the corpora of the command."""
    model = model_of(options)
    chosen: dict[str, Any] = {"recipe.name": row.recipe, "model.default": model, **data.settings, **row.settings}
    if not Author(model).is_model:
        chosen |= row.stand_in
    corpora = data.corpora if open_recipe(row.recipe).needs_evidence else ()
    if corpora is not None:
        chosen["retrieval.corpora"] = corpora
        chosen["retrieval.knowledge_base"] = ""
    return chosen


VERIFIED = frozenset({"faithfulness", "grounded", "grounded-checked"})
"""Metrics that verdicts on sentences take part in."""
UNVERIFIED = {"verify.critic": "label", "verify.taxonomy": False, "reason_and_verify.assess": False}
"""With these, no model verifies what was written."""


def without_unread(experiment: Experiment) -> Experiment:
    """The experiment without the verification that no column reads, in rows where it decides nothing."""
    rows = (row.replace(settings=row.settings | _unread(row, experiment)) for row in experiment.rows)
    return experiment.replace(rows=tuple(rows))


def _unread(row: Row, experiment: Experiment) -> dict[str, Any]:
    named = _alone(row.preset, {"recipe.name": row.recipe, **row.settings})
    recipe, of = open_recipe(row.recipe), {*row.data, *POOLED}
    read = {metric for _, data, metric in experiment.cells() if not row.data or data in of}
    needed = named.verify.gate or not recipe.needs_evidence or recipe.steered_by_verdicts(named)
    return {} if needed or read & VERIFIED else UNVERIFIED


def _verbatim(experiment: Experiment) -> dict[str, Data]:
    """The data, each with the settings of the paper's own prompts.

    Raises UsageError: the paper prints none.
    """
    if not experiment.verbatim:
        raise UsageError(f"--verbatim: paper {experiment.paper} prints no prompts")
    found = {}
    for name, data in experiment.data.items():
        words = flattened(preset_layer(data.verbatim or experiment.verbatim, alone=True))
        found[name] = data.replace(settings=words | data.settings)
    return found


def model_of(options: Options) -> str:
    """The model that answers."""
    return options.model or KEYLESS


def _with_corpora(data: Mapping[str, Data], named: Sequence[str]) -> Iterator[tuple[str, Data]]:
    """The data, each with the corpora that the command names for it."""
    pairs = [one.rpartition("=")[::2] for one in named]
    if unknown := {name for name, _ in pairs} - data.keys() - {""}:
        raise UsageError(f"--corpus: no data is called {', '.join(sorted(unknown))}; it has {', '.join(data)}")
    for name, one in data.items():
        own = [corpus for of, corpus in pairs if of == name] or [corpus for of, corpus in pairs if not of]
        yield name, one.replace(corpora=tuple(filter(None, own))) if own else one
