"""`medground eval measure`, `uncertainty` and `compare`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces import Sets, SettingsFile, load_settings, say, say_json
from medground_evaluate.cli.running import Json, aligned, number, percent, run_stoppable

if TYPE_CHECKING:
    from medground_evaluate.compare import Comparison, Pair, Result, Row
    from medground_evaluate.items import RunLine
    from medground_evaluate.metrics.measures import Measures


WITHIN = (5, 10, 20)
"""Numbers of articles, as in the paper."""


def measure(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run's file.")],
    data: Annotated[
        Path | None, typer.Option(help="The set's file or folder, for gold headings and reference answers.")
    ] = None,
    embedding: Annotated[
        str | None, typer.Option(help="Model that encodes queries to measure their diversity, such as minilm.")
    ] = None,
    json: Json = False,
    sets: Sets = None,
    settings: SettingsFile = None,
) -> None:
    """Measure a run from its stored answers and traces: reading depth, queries, MeSH, rounds, long answers."""
    from medground.models import open_embedder
    from medground_evaluate.compare import items_of, read_result
    from medground_evaluate.metrics.measures import measure as measured

    home = load_settings(sets, None, settings).home
    result = read_result(run)
    items = items_of(result, data) if data is not None else ()
    embedder = open_embedder(embedding, home) if embedding is not None else None
    found = measured(result.header, [*result.lines.values()], home, items, embedder)
    if json:
        from pydantic import TypeAdapter

        say_json(TypeAdapter(type(found)).dump_json(found, indent=2).decode())
        return
    for line in _lines(found, encoded=embedder is not None):
        say(line)


def uncertainty(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Runs of the same questions: the samples.")],
    nli: Annotated[str, typer.Option(help="NLI model with a label for contradiction: a folder or hub name.")],
) -> None:
    """Compute the long-text uncertainty (LUQ) of sampled answers; the paper uses nine at a temperature of 0.7."""
    from medground.answering import open_nli
    from medground_evaluate.metrics.uncertainty import nli_entailment, read_samples, uncertainty_of

    samples = read_samples(runs)  # before loading a model
    found = run_stoppable(uncertainty_of(samples, nli_entailment(open_nli(nli))))
    unjudged = sum(one.unjudged for one in found.each.values())
    say(f"{samples.runs} samples at temperature {samples.temperature:g}, judged by {nli}")
    without = f"{found.mean.without:,} without a value"
    say(f"uncertainty  {number(found.mean.value)} (mean of {found.mean.of:,} questions; {without})")
    if unjudged:
        say(f"unjudged     {unjudged:,} pairs of sentence and answer, left out")


def _lines(found: Measures, *, encoded: bool) -> Iterator[str]:
    yield f"{found.items:,} questions; {found.untraced:,} without a stored trace"
    low, high = found.grounded.interval
    yield f"answers that cite  {percent(found.grounded.value)} [{low:.1%}, {high:.1%}]"
    if found.checked is not None:
        yield f"  after sufficient reading  {percent(found.checked.value)}"
    if (depths := found.depths) is not None:
        counts = ", ".join(f"{articles}: {count:,}" for articles, count in depths.distribution.items()) or "none"
        within = ", ".join(f"{n} {percent(depths.within(n).value)}" for n in WITHIN)
        yield f"articles read until sufficient: mean {number(depths.mean)}, median {number(depths.median)}"
        yield f"    articles: questions  {counts}; never {depths.never:,}"
        yield f"    sufficient within (of all questions)  {within}"
    if (mesh := found.headings) is not None:
        yield (
            f"MeSH of the final query: precision {number(mesh.precision)}, recall {number(mesh.recall)}"
            f" ({mesh.questions:,} questions, {mesh.without_query:,} of them without a heading)"
        )
    for source, queries in found.queries.items():
        spread = f"diversity {number(queries.diversity.value)} ({queries.diversity.of:,} questions with two or more)"
        yield (
            f"{source}: {queries.queries:.2f} queries per question, {number(queries.words.value)} words each,"
            f" {spread if encoded else 'diversity not measured without --embedding'}"
        )
    for stage in found.stages:
        yield f"{stage.name}: {number(stage.seconds.value)} s and {number(stage.tokens.value)} tokens per question"
    if (rewritten := found.rewritten) is not None:
        low, high = rewritten.interval
        share = f"{percent(rewritten.value)} [{low:.1%}, {high:.1%}]"
        yield f"questions rewritten because too little was found: {share} of {rewritten.of:,}"
    if (assessed := found.assessed) is not None:
        yield (
            f"rationales that the judge calls correct: {percent(assessed.correct.value)} of {assessed.correct.of:,};"
            f" quality {number(assessed.quality.value)} of 5 ({assessed.quality.of:,} answers)"
        )
    for point in found.rounds:
        interval = "[{:.1%}, {:.1%}]".format(*point.accuracy.interval)
        yield (
            f"after round {point.number}: accuracy {percent(point.accuracy.value)} {interval},"
            f" macro-F1 {number(point.macro_f1)}; {point.asked:,} questions reached it"
        )
    if found.rouge is not None:
        yield f"ROUGE-L against the reference: F1 {number(found.rouge.value)} ({found.rouge.of:,} questions)"


def compare_runs(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run files; all are compared with the first.")],
    classes: Annotated[bool, typer.Option("--classes", help="Show scores by class, and the confusion matrix.")] = False,
    retrieval: Annotated[
        bool, typer.Option("--retrieval", help="Score the documents found against gold documents.")
    ] = False,
    questions: Annotated[int, typer.Option(min=0, help="List at most N questions won and N lost.")] = 5,
    data: Annotated[
        Path | None, typer.Option(help="The set's file or folder, to show the best baseline without evidence.")
    ] = None,
    json: Json = False,
) -> None:
    """Compare runs: accuracy with intervals, paired tests, questions won and lost, costs, warnings."""
    from json import dumps

    from pydantic import TypeAdapter

    from medground_evaluate.compare import Comparison, items_of, read_results
    from medground_evaluate.report import content

    results = read_results(runs)
    report = content.report_on(results, items_of(results[0], data) if data is not None else None)
    comparison = report.comparison
    if json:
        found = TypeAdapter(Comparison).dump_python(comparison, mode="json")
        blind = report.baseline if data is not None else None
        found["best_blind"] = blind and blind.model_dump(mode="json")
        say_json(dumps(found, indent=2, ensure_ascii=False))
        return
    rows = (content.ACCURACY, *content.accuracy_rows(report, " - "))
    say(f"{comparison.dataset}, {len(comparison.rows)} runs", *aligned([(name, *rest) for name, _, *rest in rows]))
    say("", *aligned([("outcomes", *content.used_statuses(comparison)), *content.status_rows(comparison)]))
    _show_evidence(comparison)
    if retrieval:
        _show_retrieval(results)
    costs = aligned([("per question", *content.COSTS[1:]), *content.cost_rows(comparison, " x{:,.2f}")])
    say("", f"cost (x: ratio to {comparison.cost_base})", *costs)
    if classes:
        for row in comparison.rows:
            _show_classes(row)
    for pair in comparison.pairs:
        _show_pair(pair, questions)
    if comparison.dataset.partition("-")[0] == "mirage":
        _show_mirage(results)
    if warnings := content.warnings_in(comparison):
        say("", "warnings", *(f"  {line}" for line in warnings))


def _show_evidence(comparison: Comparison) -> None:
    header = ("evidence", "answers that cite", "precision", "recall", "support", "faithful", "statements")
    table: list[tuple[str, ...]] = [header]
    for row in comparison.rows:
        cited, support = row.cited, row.support
        means = (cited.precision, cited.recall, support.support, support.faithfulness, support.statements)
        table.append((row.name, percent(row.grounded.value), *(number(one.value) for one in means)))
    say("", "precision and recall: cited against gold documents", *aligned(table))


def _show_retrieval(results: Sequence[Result]) -> None:
    from medground_evaluate.metrics.searching import retrieval_means

    means = [retrieval_means(result.lines.values() if result.knows("found") else ()) for result in results]
    names = next((list(scores) for scores in means if scores), [])
    table = [("retrieval", *("MRR" if name == "RR" else name for name in names))]
    table += [
        (result.name, *(number(scores.get(name)) for name in names))
        for result, scores in zip(results, means, strict=True)
    ]
    say("", *(aligned(table) if names else ["retrieval: no question has gold documents"]))


def _show_classes(row: Row) -> None:
    from medground_evaluate.report.content import CLASSES, class_rows, confusion_rows

    say("", f"classes of {row.name}", *aligned([CLASSES, *class_rows(row)]))
    answers, rows = confusion_rows(row)
    say("gold answers (rows) and answers given (columns)")
    matrix = [("", *(answer or "(none)" for answer in answers))]
    say(*aligned([*matrix, *((gold, *(f"{count:,}" for count in counts)) for gold, counts in rows)]))


def _show_pair(pair: Pair, questions: int) -> None:
    say("", f"{pair.other} against {pair.first}, {pair.questions:,} questions in common")
    if (d := pair.difference) is None:
        say("  none of these questions has a gold answer")
    else:
        say(f"  accuracy {d.value:+.1%} [{d.low:+.1%}, {d.high:+.1%}] (95 %, Tango's score interval)")
    say(
        f"  won {len(pair.won):,}, lost {len(pair.lost):,}, both correct {pair.both:,}, both wrong {pair.neither:,};"
        f" exact McNemar p {pair.p:.3g}" + (f", {pair.adjusted:.3g} (Holm)" if pair.adjusted != pair.p else "")
    )
    for name, ids in (("won", pair.won), ("lost", pair.lost)):
        if ids and questions:
            rest = f", and {len(ids) - questions:,} more" if len(ids) > questions else ""
            say(f"  {name}: {', '.join(ids[:questions])}{rest}")
    for line in pair.chosen:
        say(f"  differs: {line}")


def _show_mirage(results: Sequence[Result]) -> None:
    """Each set's accuracy and their mean, as MIRAGE reports them; an unfinished question is in no set."""
    from statistics import fmean

    from medground_evaluate.metrics.answers import accuracy

    table = [("MIRAGE", "set", "accuracy", "correct")]
    for result in results:
        of_sets: dict[str, list[RunLine]] = {}
        for i, line in result.lines.items():
            of_sets.setdefault(i.partition(":")[0], []).append(line)
        shares = {name: accuracy(lines) for name, lines in of_sets.items()}
        table += [(result.name, name, percent(s.value), f"{s.right:,} of {s.of:,}") for name, s in shares.items()]
        table.append((result.name, "mean of sets", percent(fmean(s.value or 0.0 for s in shares.values())), ""))
    say("", *aligned(table))
