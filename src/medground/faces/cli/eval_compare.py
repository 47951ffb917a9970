"""`medground eval compare RUN...`: runs side by side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli.figures import number, percent
from medground.faces.cli.terminal import say, say_json
from medground.text.clean import one_line

if TYPE_CHECKING:
    from medground.evaluate.audit.base import Baseline
    from medground.evaluate.compare import Comparison, Pair, Row
    from medground.evaluate.results import Result


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
    seed: Annotated[int, typer.Option(help="Seed for the bootstrap.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare runs: accuracy with intervals, paired tests, questions won and lost, costs, warnings."""
    from medground.evaluate.compare import compare
    from medground.evaluate.results import read_results

    results = read_results(runs, rankings=retrieval)
    comparison = compare(results, seed=seed)
    blind = _best_blind(results[0], data) if data is not None else None
    if json:
        _as_json(comparison, blind)
        return
    _show_rows(comparison, blind)
    _show_evidence(comparison)
    if retrieval:
        _show_retrieval(results)
    _show_costs(comparison)
    if classes:
        for row in comparison.rows:
            _show_classes(row)
    for pair in comparison.pairs:
        _show_pair(pair, questions)
    if comparison.dataset.partition("-")[0] == "mirage":
        _show_mirage(results)
    _show_warnings(comparison)


def _best_blind(result: Result, data: Path) -> Baseline | None:
    from medground.evaluate.audit.report import best_blind
    from medground.evaluate.results import items_of

    return best_blind(items_of(result, data))


def _show_rows(comparison: Comparison, blind: Baseline | None) -> None:
    header = ("run", "accuracy", "95 % Wilson", "correct", "macro-F1", "partial", "no answer")
    table: list[tuple[str, ...]] = [header]
    if blind is not None:
        interval = f"{blind.low:.1%} - {blind.high:.1%}"
        name = f"best blind: {blind.name}"
        table.append((name, percent(blind.share), interval, f"{blind.count:,} of {blind.of:,}", *[""] * 3))
    if comparison.majority is not None:
        answer, share = comparison.majority
        table.append((f"always {answer!r}", percent(share.value), "", f"{share.right:,} of {share.of:,}", *[""] * 3))
    for row in comparison.rows:
        low, high = row.accuracy.interval
        table.append(
            (
                row.name,
                percent(row.accuracy.value),
                f"{low:.1%} - {high:.1%}",
                f"{row.accuracy.right:,} of {row.accuracy.of:,}",
                number(row.macro_f1),
                number(row.sets.partial if row.sets else None),
                f"{row.items - row.statuses.get('answered', 0):,}",
            )
        )
    say(f"{comparison.dataset}, {len(comparison.rows)} runs")
    _table(table)


def _show_evidence(comparison: Comparison) -> None:
    table = [("evidence", "answers that cite", "precision", "recall", "support", "faithful", "statements")]
    table += [
        (
            row.name,
            percent(row.grounded.value),
            number(row.cited.precision.value),
            number(row.cited.recall.value),
            number(row.support.support.value),
            number(row.support.faithfulness.value),
            number(row.support.statements.value),
        )
        for row in comparison.rows
    ]
    say("", "precision and recall: cited against gold documents")
    _table(table)


def _show_retrieval(results: Sequence[Result]) -> None:
    from medground.evaluate.metrics.retrieval import retrieval_scores

    means = [retrieval_scores(result.lines.values()).mean for result in results]
    names = next((list(scores) for scores in means if scores), [])
    table = [("retrieval", *("MRR" if name == "RR" else name for name in names))]
    table += [
        (result.name, *(number(scores.get(name)) for name in names))
        for result, scores in zip(results, means, strict=True)
    ]
    say("", *([] if names else ["retrieval: no question has gold documents"]))
    if names:
        _table(table)


def _show_costs(comparison: Comparison) -> None:
    names = ("input_tokens", "output_tokens", "model_calls", "searches", "seconds", "money")
    table: list[tuple[str, ...]] = [
        ("per question", "tokens in", "tokens out", "model calls", "searches", "seconds", "US $")
    ]
    for row in comparison.rows:
        cells = []
        for name in names:
            value, ratio = getattr(row.cost, name), row.cost_ratio[name]
            times = "" if ratio is None or row.name == comparison.cost_base else f" x{ratio:,.2f}"
            cells.append("unknown" if value is None else f"{value:,.4g}{times}")
        table.append((row.name, *cells))
    say("", f"cost (x: ratio to {comparison.cost_base})")
    _table(table)


def _show_classes(row: Row) -> None:
    say("", f"classes of {row.name}")
    _table(
        [("class", "gold", "given", "precision", "recall", "F1")]
        + [
            (s.label, f"{s.gold:,}", f"{s.given:,}", number(s.precision), number(s.recall), number(s.f1))
            for s in row.classes
        ]
    )
    answers = sorted({answer for _, answer in row.confusion})
    golds = sorted({gold for gold, _ in row.confusion})
    say("gold answers (rows) and answers given (columns)")
    _table(
        [("", *(answer or "(none)" for answer in answers))]
        + [(gold, *(f"{row.confusion.get((gold, answer), 0):,}" for answer in answers)) for gold in golds]
    )


def _show_pair(pair: Pair, questions: int) -> None:
    say("", f"{pair.other} against {pair.first}, {pair.questions:,} questions in common")
    if pair.difference is None:
        say("  none of these questions has a gold answer")
    else:
        d = pair.difference
        say(f"  accuracy {d.value:+.1%} [{d.low:+.1%}, {d.high:+.1%}], p {d.p:.3g} (paired bootstrap)")
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
    from medground.evaluate.mirage_scorer import score_run

    table: list[tuple[str, ...]] = [("MIRAGE scores", "set", "its script", "honest", "errors of the script")]
    for result in results:
        scores = score_run(result.header, result.lines.values())
        several = len(scores.sets) > 1
        for s in (*scores.sets, *((scores.whole,) if several else ())):
            name = "all questions" if several and s is scores.whole else s.name
            table.append((result.name, name, percent(s.published.value), percent(s.honest.value), s.note or "none"))
        if several and scores.average is not None:
            table.append((result.name, "mean of sets", *map(percent, scores.average), ""))
    say("")
    _table(table)


def _show_warnings(comparison: Comparison) -> None:
    warnings = [f"{row.name}: {text}" for row in comparison.rows for text in row.warnings]
    warnings += [f"{pair.first} and {pair.other}: {text}" for pair in comparison.pairs for text in pair.warnings]
    if warnings:
        say("", "warnings")
    for line in warnings:
        say(f"  {line}")


def _as_json(comparison: Comparison, blind: Baseline | None) -> None:
    import json

    from pydantic import TypeAdapter

    from medground.evaluate.compare import Comparison as Whole

    content = TypeAdapter(Whole).dump_python(comparison, mode="json")
    content["best_blind"] = None if blind is None else blind.model_dump(mode="json")
    say_json(json.dumps(content, indent=2, ensure_ascii=False))


def _table(rows: Sequence[Sequence[str]]) -> None:
    cells = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        say("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())
