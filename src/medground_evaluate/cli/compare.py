"""`medground eval measure`, `uncertainty` and `compare`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from medground.faces import PrintJson, home_folder, say, say_data, say_either
from medground.wording import number, percent, printed
from medground_evaluate.cli.running import RunFile, aligned, run_stoppable

if TYPE_CHECKING:
    from medground_evaluate.compare import Comparison, Result, Row


def measure(
    run: RunFile,
    data: Annotated[
        Path | None, Option(help="The set's file or folder, for gold headings and reference answers.")
    ] = None,
    embedding: Annotated[
        str | None, Option(help="Model that encodes queries to measure their diversity, such as minilm.")
    ] = None,
    json: PrintJson = False,
) -> None:
    """Measure a run from its stored answers and traces: reading depth, queries, MeSH, rounds, long answers."""
    from medground.models import open_embedder
    from medground_evaluate.compare import items_of, read_result
    from medground_evaluate.metrics.measures import measure as measured

    home = home_folder()
    result = read_result(run)
    items = items_of(result, data) if data is not None else ()
    embedder = open_embedder(embedding, home) if embedding is not None else None
    found = measured(result.header, [*result.lines.values()], home, items, embedder)
    say_either(found, printed(__package__, "measure", found=found, encoded=embedder is not None), json=json)


def uncertainty(
    runs: Annotated[list[Path], Argument(metavar="RUN...", help="Runs of the same questions: the samples.")],
    nli: Annotated[str, Option(help="NLI model with a label for contradiction: a folder or hub name.")],
    json: PrintJson = False,
) -> None:
    """Compute the long-text uncertainty (LUQ) of sampled answers; the paper uses nine at a temperature of 0.7."""
    from medground.answering import open_nli
    from medground_evaluate.metrics.uncertainty import nli_entailment, read_samples, uncertainty_of

    samples = read_samples(runs)  # before loading a model
    found = run_stoppable(uncertainty_of(samples, nli_entailment(open_nli(nli))))
    if json:
        say_data(found)
        return
    unjudged = sum(one.unjudged for one in found.each.values())
    say(f"{samples.runs} samples at temperature {samples.temperature:g}, judged by {nli}")
    without = f"{found.mean.without:,} without a value"
    say(f"uncertainty  {number(found.mean.value)} (mean of {found.mean.of:,} questions; {without})")
    if unjudged:
        say(f"unjudged     {unjudged:,} pairs of sentence and answer, left out")


def compare_runs(
    runs: Annotated[list[Path], Argument(metavar="RUN...", help="Run files; all are compared with the first.")],
    classes: Annotated[bool, Option("--classes", help="Show scores by class, and the confusion matrix.")] = False,
    retrieval: Annotated[bool, Option("--retrieval", help="Score the documents found against gold documents.")] = False,
    questions: Annotated[int, Option(min=0, help="List at most N questions won and N lost.")] = 5,
    data: Annotated[
        Path | None, Option(help="The set's file or folder, to show the best baseline without evidence.")
    ] = None,
    json: PrintJson = False,
) -> None:
    """Compare runs: accuracy with intervals, paired tests, questions won and lost, costs, warnings."""
    from medground_evaluate.compare import items_of, read_results
    from medground_evaluate.report import content

    results = read_results(runs)
    report = content.report_on(results, items_of(results[0], data) if data is not None else None)
    comparison = report.comparison
    if json:
        say_data({**vars(comparison), "best_blind": report.baseline if data is not None else None})
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
        say(*printed(__package__, "pair", pair=pair, most=questions))
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
        table.append((row.name, percent(row.grounded.value), *(number(mean.value) for mean in means)))
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


def _show_mirage(results: Sequence[Result]) -> None:
    """Each set's accuracy and their mean, as MIRAGE reports them; an unfinished question is in no set."""
    from statistics import fmean

    from medground.values import grouped
    from medground_evaluate.metrics.answers import accuracy

    table = [("MIRAGE", "set", "accuracy", "correct")]
    for result in results:
        of_sets = grouped((i.partition(":")[0], line) for i, line in result.lines.items())
        shares = {name: accuracy(lines) for name, lines in of_sets.items()}
        table += [(result.name, name, percent(s.value), f"{s.right:,} of {s.of:,}") for name, s in shares.items()]
        table.append((result.name, "mean of sets", percent(fmean(s.value or 0.0 for s in shares.values())), ""))
    say("", *aligned(table))
