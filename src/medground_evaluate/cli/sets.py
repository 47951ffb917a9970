"""`medground data`, `eval audit`, `eval build` and `demonstrations`: sets and pools listed, checked, audited, built."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Context, Exit, Option

from medground.errors import ConfigError, UsageError
from medground.faces import (
    KnowledgeBase,
    Preset,
    PrintJson,
    Quiet,
    Sets,
    SettingsFile,
    group,
    home_folder,
    load_settings,
    page,
    say,
    say_data,
    say_either,
    searched,
    shown_progress,
)
from medground.wording import printed
from medground_evaluate.cli.running import (
    AsTraining,
    Corpora,
    SetFile,
    SetName,
    Split,
    aligned,
    documents_of,
    run_stoppable,
)

if TYPE_CHECKING:
    from medground_evaluate.blind import Audit
    from medground_evaluate.build.make import Built


data_app = group("List the evaluation data sets, and check their files.")


@data_app.command("list")
def list_sets(json: PrintJson = False) -> None:
    """List every data set: tasks, sizes, licence, date limit, and how to obtain it. Downloads nothing."""
    from medground_evaluate.datasets.registry import dataset_names, open_dataset

    found = [open_dataset(name).info for name in dataset_names()]
    say_either(found, (line for info in found for line in printed(__package__, "set", info=info)), json=json)


@data_app.command("check")
def check(
    path: Annotated[Path, Argument(help="A data set's file, or its folder.")],
    name: Annotated[str | None, Option("--set", metavar="SET", help="Check it as this set.")] = None,
    json: PrintJson = False,
) -> None:
    """Identify the set of a file, read every question, and compare the file with the known release."""
    from medground_evaluate.datasets.registry import check_file, named_dataset, recognised

    checked = [check_file(dataset, path) for dataset in ([named_dataset(name)] if name else recognised(path))]
    say_either(checked, (line for one in checked for line in printed(__package__, "set_file", found=one)), json=json)


def audit(
    dataset: Annotated[str, Argument(metavar="SET", help="A set from `medground data list`.")],
    data: SetFile,
    split: Split = "test",
    corpus: Annotated[
        list[str] | None, Option("--corpus", "-c", help="Look for items in this corpus; repeatable.")
    ] = None,
    linear: Annotated[bool, Option(help="Fit linear models; needs scikit-learn.")] = True,
    seed: Annotated[int, Option(help="Seed for the folds of the linear models.")] = 0,
    json: PrintJson = False,
) -> None:
    """Show the accuracy that can be reached without evidence, and duplicate texts. Calls no model."""
    from medground_evaluate.auditing import audit as audited
    from medground_evaluate.datasets.registry import named_dataset

    loader = named_dataset(dataset)
    every = list(loader.read(loader.find(data), "all"))
    items = [item for item in every if split in ("all", item.split)]
    if not items:
        there = ", ".join(sorted({item.split for item in every})) or "no items"
        raise UsageError(f"{data} has no questions in split {split!r}; it has {there}; choose another --split")
    documents = documents_of(home_folder(), corpus) if corpus else None
    found = audited(items, documents=documents, every=every, models=linear, seed=seed)
    if json:
        say_data(found)
    else:
        page(shown_audit(found))


def shown_audit(found: Audit) -> str:
    """The audit as text."""
    cells = []
    for one in (*found.baselines, *found.facts):
        interval, counted = f"[{one.low:6.1%}, {one.high:6.1%}]", f"{one.count:,} of {one.of:,}: {one.words}"
        cells.append((one.name, f"{one.share:6.1%}", interval, counted))
    rows = aligned(cells, indent="  ")
    lines = [f"{found.items:,} items, {found.scored:,} with a gold answer"]
    if found.baselines:
        lines += ["", "Accuracy without evidence (95 % Wilson interval)", *islice(rows, len(found.baselines))]
    return "\n".join([*lines, "", "Other shares", *rows, *(f"\n{note}" for note in found.notes)])


Levels = Annotated[
    list[int] | None,
    Option(
        "--level",
        min=1,
        max=3,
        help="1: one causal mechanism; 2: separate findings combined; 3: time and feedback; repeatable.",
    ),
]
Coverage = Annotated[float, Option(min=0, max=1, help="Minimum share of a sub-topic's keywords in a paper (Eq. 3).")]


def build(
    command: Context,
    out: Annotated[Path, Argument(metavar="FOLDER", help="Folder of the set; an unfinished one is resumed.")],
    topic: Annotated[list[str] | None, Option("--topic", help="A topic to ask about; repeatable.")] = None,
    random_topics: Annotated[int, Option(min=0, help="Draw this many topics from titles in the corpora.")] = 0,
    level: Levels = None,
    count: Annotated[int, Option(min=1, help="Questions for each level.")] = 100,
    subtopics: Annotated[int, Option(min=1, max=20, help="Maximum sub-topics per topic.")] = 6,
    papers: Annotated[int, Option(min=1, help="Maximum papers found per topic.")] = 600,
    top: Annotated[int, Option(min=1, help="Maximum papers read per topic.")] = 300,
    tries: Annotated[int, Option(min=1, help="Maximum attempts per question.")] = 5,
    rounds: Annotated[int, Option(min=0, help="How often to replace questions that can be guessed.")] = 3,
    seed: Annotated[int, Option(help="Seed for all random choices.")] = 0,
    corpus: Corpora = None,
    kb: KnowledgeBase = None,
    model: Annotated[str | None, Option(help="Model that writes and checks; needed.")] = None,
    coverage: Coverage = 0.8,
    sets: Sets = None,
    preset: Preset = None,
    settings: SettingsFile = None,
    quiet: Quiet = False,
) -> None:
    """Build a set of questions with several right answers, check each twice, and audit the set."""
    from medground_evaluate.build.make import Plan, build_set
    from medground_evaluate.build.operators import LEVELS
    from medground_evaluate.runner import check_searched

    chosen = load_settings(sets, preset, settings, searched(corpus, kb, model))
    check_searched(chosen)
    same = ("random_topics", "count", "subtopics", "papers", "top", "coverage", "tries", "rounds", "seed")
    plan = Plan(
        topics=tuple(dict.fromkeys(topic or ())),
        levels=tuple(one for one in LEVELS if one in (level or [1])),
        **{name: command.params[name] for name in same},
    )
    with shown_progress(quiet=quiet) as progress:
        built = run_stoppable(build_set(plan, chosen, out, progress=progress))
    _write(built, out)


def _write(built: Built, out: Path) -> None:
    """Audit what was made, write it, and say what it is."""
    from medground_evaluate.auditing import audit as audited
    from medground_evaluate.build.file import write_set

    if not built.questions:
        raise UsageError(f"no question could be made: {_missing(built)}; give other topics or search more literature")
    audit = None
    try:
        audit = audited([question.item() for question in built.questions])
    except ConfigError as error:  # without scikit-learn, which its linear models need
        say(f"not audited: {error}", err=True)
    files = write_set(built.questions, audit, out)
    _tell(built, audit)
    say("", f"written: {', '.join(path.name for path in files)} in {out}")
    if len(built.questions) < built.wanted:
        raise Exit(1)


def _tell(built: Built, audit: Audit | None) -> None:
    from medground_evaluate.build.make import key_counts

    say(
        f"{len(built.questions):,} of {built.wanted:,} questions; {built.attempts:,} attempts, {built.dropped:,} taken "
        f"out again, {built.seconds:.0f} s"
    )
    if len(built.questions) < built.wanted:
        say(f"missing: {_missing(built)}")
    say(f"keys: {', '.join(f'{key} {times}' for key, times in key_counts(built.questions).items())}")
    if audit is not None:
        say("")
        page(shown_audit(audit))
        # Whether somebody who reads nothing does better than chance.
        chance = next(baseline for baseline in audit.baselines if baseline.name == "chance")
        above = [baseline.name for baseline in audit.baselines if baseline.blind and baseline.low > chance.share]
        passed = "no blind baseline is above chance: the set passes"
        failed = f"above chance without evidence: {', '.join(above)}; the set does not pass"
        say("", failed if above else passed)


def _missing(built: Built) -> str:
    return "; ".join(f"{times} x {reason}" for reason, times in built.missing.items()) or "nothing"


demonstrations_app = group(
    "Build and inspect demonstrations: solved training questions that reason-and-verify shows to a model."
)


@demonstrations_app.command("build")
def build_pool_command(
    name: Annotated[str, Argument(help="Name of the pool.", metavar="NAME")],
    source: Annotated[
        Path, Option("--from", metavar="FILE", help="File or folder of a data set with training questions.")
    ],
    dataset: SetName = None,
    against: Annotated[
        list[Path] | None,
        Option(metavar="FILE", help="Evaluation questions; questions similar to them are excluded; repeatable."),
    ] = None,
    as_training: AsTraining = False,
    corpus: Corpora = None,
    kb: KnowledgeBase = None,
    model: Annotated[str | None, Option(help="Model that writes the rationales; keyless by default.")] = None,
    limit: Annotated[int | None, Option(help="Maximum number of demonstrations; all by default.", min=1)] = None,
    seed: Annotated[int, Option(help="Seed for the order of the training questions.")] = 0,
    sets: Sets = None,
    preset: Preset = None,
    settings: SettingsFile = None,
    quiet: Quiet = False,
) -> None:
    """Build a pool from training questions, replacing any pool of the same name."""
    from medground_evaluate.datasets.registry import Source
    from medground_evaluate.pools import build_pool
    from medground_evaluate.runner import check_searched

    chosen = load_settings(sets, preset, settings, searched(corpus, kb, model))
    check_searched(chosen)
    questions = Source(source, dataset, tuple(against or ()), as_training)
    with shown_progress(quiet=quiet) as progress:
        manifest = run_stoppable(build_pool(name, questions, chosen, limit=limit, seed=seed, progress=progress))
    say(*printed(__package__, "pool", pool=manifest, whole=False))
    for reason, number in manifest.left_out.items():
        say(f"left out    {number:,}  {reason}", err=True)


@demonstrations_app.command("info")
def info(
    name: Annotated[str, Argument(help="Name of the pool, or the path of its file.", metavar="NAME")],
    json: PrintJson = False,
) -> None:
    """Check a pool and show how it was made."""
    from medground.recipes import pool

    manifest = pool.read_pool(name, home_folder()).manifest
    say_either(manifest, printed(__package__, "pool", pool=manifest, whole=True), json=json)
