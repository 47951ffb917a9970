"""`medground eval judge`, `judged` and `form`, `medground judge`, and `medground agreement`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from medground.errors import UsageError
from medground.faces import (
    PrintJson,
    Quiet,
    Sets,
    SettingsFile,
    confirm,
    count,
    group,
    home_folder,
    load_settings,
    out_option,
    page,
    say,
    say_data,
    say_either,
)
from medground.language import one_line, some
from medground.wording import number, printed
from medground_evaluate.cli.running import Corpora, RunFile, aligned, documents_of, run_stoppable

if TYPE_CHECKING:
    from medground.answering import judges
    from medground.home import Settings
    from medground_evaluate.agreement import JudgesAgreement
    from medground_evaluate.compare import Result
    from medground_evaluate.judges.judge import Watch
    from medground_evaluate.judges.judgements import Judgement
    from medground_evaluate.judges.measure import Measurement
    from medground_evaluate.judges.results import LongResult, PairResult


def show_judgements(lines: Sequence[Judgement], *, json: bool) -> None:
    """Print results of all judges and, if there are several, their agreement."""
    from medground_evaluate.agreement import judges_agreement
    from medground_evaluate.judges.results import long_results, pair_results

    pairs, long = pair_results(lines), long_results(lines)
    agreement = judges_agreement(lines) if len({line.judge for line in lines}) > 1 else []
    if json:
        say_data({"pairs": pairs, "long": long, "agreement": agreement})
        return
    parts = [*map(_pair, pairs), *map(_long, long)]
    page("\n\n".join(parts + (["\n".join(_agreement(agreement))] if agreement else []) or ["nothing was judged"]))


def _pair(found: PairResult) -> str:
    lines = [
        f"{one_line(found.one)} against {one_line(found.other)}, judged by {one_line(found.judge)}",
        _counts(found),
    ]
    if found.first_preferred is not None:
        lines.append(f"  the answer shown first won {found.first_preferred:.0%} of decided comparisons")
    table: list[tuple[str, ...]] = [("", "win", "tie", "loss", "flipped", "wins, 95 % Wilson", "means")]
    for axis in found.axes:
        counts = (str(count) for count in (axis.wins, axis.ties, axis.losses, axis.flipped))
        means = "" if axis.mean is None else f"{number(axis.mean, 2)} {number(axis.other_mean, 2)}"
        table.append((axis.axis, *counts, f"[{axis.low:.1%}, {axis.high:.1%}]", means))
    return "\n".join([*lines, *(aligned(table, indent="  ", right=True) if found.axes else ())])


def _long(found: LongResult) -> str:
    lines = [f"long answers of {one_line(found.answer)}, marked by {one_line(found.judge)}", _counts(found)]
    means = [(axis, number(mean, 2)) for axis, mean in found.means.items()]
    return "\n".join([*lines, *aligned(means, indent="  ", right=True)])


def _counts(found: PairResult | LongResult) -> str:
    judged = f"{found.judged:,} judged, {found.not_judged:,} not judged, {found.failed:,} failed (never a win)"
    return f"  {found.questions:,} questions: {judged}"


def _agreement(found: Sequence[JudgesAgreement]) -> Iterator[str]:
    yield "agreement between judges"
    for row in found:
        who = one_line(f"{row.judges[0]} and {row.judges[1]}, {row.axis}, {row.items:,} items")
        yield f"  {who}: kappa {number(row.kappa, 2)} ({row.words}), same judgement {row.observed:.1%}"


def judge(
    run: RunFile,
    model: Annotated[str, Option(help="The judge; it must not have written any of the runs.")],
    other: Annotated[Path | None, Argument(metavar="[RUN]", help="Another run over the same set.")] = None,
    data: Annotated[Path | None, Option(help="The set's file, for the reference answers of one run.")] = None,
    limit: Annotated[int | None, Option(min=1, help="Judge only the first N questions.")] = None,
    concurrency: Annotated[int, Option(min=1, help="Number of judgements in parallel.")] = 1,
    out: Annotated[Path | None, out_option("File of the judgements; by default in the home folder.")] = None,
    json: PrintJson = False,
    sets: Sets = None,
    settings: SettingsFile = None,
    quiet: Quiet = False,
) -> None:
    """Compare two runs' explanations where both are correct, in both orders, or mark one run's long answers."""
    from medground_evaluate.compare import read_result
    from medground_evaluate.judges.judge import pairs_of, place_of

    if (other is None) == (data is None):
        raise UsageError("give two runs to compare them, or one run and --data to mark its long answers")
    # The judge is the model named here, whatever the settings say about single operators.
    chosen = load_settings(sets, None, settings, {"model.default": model, "model.operators": {}})
    runs = [read_result(path) for path in (run, other) if path]
    place = out or place_of(chosen.home, model, [run.name for run in runs])
    options = {"limit": limit, "concurrency": concurrency, "watch": shown_judging(quiet=quiet)}
    lines = run_stoppable(_judged(runs, data, place, chosen, **options))
    show_judgements(lines, json=json)
    if json:
        return
    say("")
    if other:
        found = pairs_of(*runs)
        without = f", {found.unexplained:,} more without an explanation" if found.unexplained else ""
        say(f"both correct: {len(found.right):,} of {found.both:,} questions{without}")
    say(f"judgements: {place}")


def judged(
    files: Annotated[list[Path], Argument(metavar="FILE...", help="Files of judgements by models or people.")],
    json: PrintJson = False,
) -> None:
    """Summarise judgements and, with several judges, show how far they agree."""
    from medground_evaluate.judges.results import read_marked

    found = read_marked(files)
    show_judgements(found.lines, json=json)
    if found.blank and not json:
        say("", f"{some(found.blank, 'answer')} not marked yet")


def form(
    run: RunFile,
    data: Annotated[Path, Option(help="The set's file, for the reference answers.")],
    out: Annotated[Path, out_option("The form, a new file.")],
) -> None:
    """Write a form for a person to mark a run's long answers; read it with `medground eval judged`."""
    from medground_evaluate.compare import read_result
    from medground_evaluate.judges.results import SCALE, blank_form, quotes_of, references_of, write_form

    read = read_result(run)
    lines = list(blank_form(read, references_of(read, data), quotes_of(read, home_folder())))
    write_form(lines, out)
    say(f"{some(len(lines), 'answer')} to mark in {out}: fill in `judge`, and each `score` from 1 to 5")
    for axis, scale in SCALE.items():
        say(f"  {axis:<17} {scale}")
    say(f"then: medground eval judged {out}")


def shown_judging(*, quiet: bool) -> Watch:
    """A watch that draws one line on standard error; it draws nothing when `quiet`."""

    def watch(done: int, of: int) -> None:
        if not quiet:
            count(f"{done:,} of {of:,} judged", ended=done == of)

    return watch


async def _judged(
    runs: list[Result], data: Path | None, out: Path, settings: Settings, **options: Any
) -> list[Judgement]:
    from medground.engine import operator_names
    from medground.models import open_models
    from medground_evaluate.judges.judge import judge_long, judge_pairs
    from medground_evaluate.judges.results import quotes_of, references_of

    models = open_models(settings, operator_names())
    try:
        if data is None:
            return await judge_pairs(models, runs[0], runs[1], out, **options)
        run = runs[0]
        quotes = quotes_of(run, settings.home)
        return await judge_long(models, run, references_of(run, data), out, documents=quotes, **options)
    finally:
        await models.close()


judge_app = group(
    "Measure whether a model's verdicts may count as supported or contradicted, and list validated judges."
)


@judge_app.command("measure")
def measure(
    model: Annotated[str, Argument(metavar="MODEL", help="Its name, such as openai:gpt-5.")],
    data: Annotated[Path | None, Option(help="The folder of the public sets, which a proof needs.")] = None,
    corpus: Corpora = None,
    records: Annotated[list[Path] | None, Option(help="A file or folder of records to plant errors in.")] = None,
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask before the calls.")] = False,
    fresh: Annotated[bool, Option("--fresh", help="Ask everything again.")] = False,
    concurrency: Annotated[int, Option(min=1, help="Number of calls in parallel.")] = 8,
    json: PrintJson = False,
    sets: Sets = None,
    settings: SettingsFile = None,
    quiet: Quiet = False,
) -> None:
    """Test a model on findings of your corpora with planted errors, and on public sets. If it passes, it counts here.

    If interrupted, run the same command to resume.
    """
    from medground_evaluate.judges.measure import prepared

    chosen = load_settings(sets, None, settings, {"model.concurrency": concurrency})
    names = corpus or (() if records else None)
    planned = prepared(model, chosen, data=data, records=documents_of(chosen.home, names, records or ()))
    _confirm(planned, yes=yes, fresh=fresh)
    found = run_stoppable(_measured(planned, fresh=fresh, concurrency=concurrency, quiet=quiet))
    say_either(found, printed(__package__, "judge", found=found), json=json)


@judge_app.command("list")
def list_judges(json: PrintJson = False, sets: Sets = None, settings: SettingsFile = None) -> None:
    """List the validated judges here, and what each was measured on."""
    from medground.answering import judges
    from medground.home import VerifySettings
    from medground.models import shipped

    chosen = load_settings(sets, None, settings)
    found = judges.measured_judges(chosen.home)
    if json:
        say_data([one.model_dump(mode="json") | {"proven": one.is_proven} for one in found])
        return
    for one in shipped().values():
        proven = "proven" if judges.may_judge(one.name, VerifySettings()) else "not proven"
        say(f"{one.name}  {proven}, ships with Medground: {judges.domain(one.name, chosen)}")
    for name in chosen.verify.trusted_judges:
        say(f"{name}  trusted by the settings (verify.trusted_judges), without a measurement")
    for measured in found:
        say(*printed(__package__, "judge", found=measured))
    if not found:
        say("No model was measured on this machine; to measure one: medground judge measure MODEL")


def _confirm(planned: Measurement, *, yes: bool, fresh: bool) -> None:
    """Say what the calls will cost, and ask unless nothing is left or the user has agreed."""
    left = planned.left(fresh=fresh)
    if not left.calls:
        return
    sets = len({pair.dataset for pair in planned.pairs})
    say(f"{planned.model}: {len(planned.pairs):,} pairs of {sets} sets; to do: {left}", err=True)
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError("no calls were made; add --yes to make them")
    confirm("Continue?")


async def _measured(planned: Measurement, *, fresh: bool, concurrency: int, quiet: bool) -> judges.Measured:
    try:
        return await planned.make(fresh=fresh, concurrency=concurrency, watch=shown_judging(quiet=quiet))
    except BaseException:
        if not quiet:
            say("", err=True)  # what went wrong is not on the line of the progress
        raise
    finally:
        await planned.models.close()


def agreement(
    files: Annotated[list[Path], Argument(metavar="FILE...", help="Annotations as JSON Lines; answers as JSON.")],
    reference: Annotated[
        str | None, Option(help="Annotator to compare all others with; by default every pair is compared.")
    ] = None,
    context: Annotated[int, Option(min=1, help="The j of CONTEXT-j to which the labels of answers refer.")] = 5,
    json: PrintJson = False,
) -> None:
    """Compare annotators of the eight labels: Cohen's kappa, and precision, recall and F1 per label, per context."""
    from medground_evaluate.agreement import agreements, faithfulness_by_item, in_words, read_annotations

    annotations = read_annotations(files, context=context)
    found = agreements(annotations, reference)
    if json:
        say_data(found)
        return
    for pair in found:
        where = "all contexts" if pair.context is None else f"CONTEXT-{pair.context}"
        say(f"{pair.reference} and {pair.other}, {where}, {pair.statements:,} statements")
        say(f"  kappa {number(pair.kappa, 2)} ({in_words(pair.kappa)}), same labels {pair.observed:.1%}")
        say(f"  CORRECT against INCORRECT: kappa {number(pair.binary, 2)} ({in_words(pair.binary)})")
        table: list[tuple[str, ...]] = [("label", "precision", "recall", "F1", "times")]
        table += [
            (s.label, *(number(one, 2) for one in (s.precision, s.recall, s.f1)), str(s.gold)) for s in pair.labels
        ]
        say(*aligned(table, indent="  ", right=True), "")
    say("Faithfulness (share of statements labelled CORRECT)")
    for (item, j, annotator), share in faithfulness_by_item(annotations).items():
        say(f"  {item}, CONTEXT-{j}, {annotator}: {share:.2f}")
