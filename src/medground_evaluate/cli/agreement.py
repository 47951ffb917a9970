"""`medground agreement FILE ...`: how far annotators agree on the eight labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli.terminal import say, say_json

if TYPE_CHECKING:
    from medground_evaluate.agreement import Agreement, Annotation


def agreement(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Annotations as JSON Lines; answers as JSON.")],
    reference: Annotated[
        str | None, typer.Option(help="Annotator to compare all others with; by default every pair is compared.")
    ] = None,
    context: Annotated[int, typer.Option(min=1, help="The j of CONTEXT-j that the labels of answers are for.")] = 5,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare annotators of the eight labels: Cohen's kappa, and precision, recall and F1 per label, per context."""
    from medground_evaluate.agreement import agreements, read_annotations

    annotations = read_annotations(files, context=context)
    found = agreements(annotations, reference)
    if json:
        _as_json(found)
        return
    for pair in found:
        _show(pair)
    _show_faithfulness(annotations)


def _as_json(found: Sequence[Agreement]) -> None:
    import json
    from dataclasses import asdict

    from medground_evaluate.agreement import in_words

    rows = [asdict(pair) | {"kappa_in_words": in_words(pair.kappa)} for pair in found]
    say_json(json.dumps(rows, indent=2, ensure_ascii=False))


def _show(pair: Agreement) -> None:
    from medground_evaluate.agreement import in_words

    where = "all contexts" if pair.context is None else f"CONTEXT-{pair.context}"
    say(f"{pair.reference} and {pair.other}, {where}, {pair.statements:,} statements")
    say(f"  kappa {_number(pair.kappa)} ({in_words(pair.kappa)}), same labels {pair.observed:.1%}")
    say(f"  CORRECT against INCORRECT: kappa {_number(pair.binary)} ({in_words(pair.binary)})")
    say(f"  {'label':<21}{'precision':>10}{'recall':>8}{'F1':>7}{'times':>7}")
    for score in pair.labels:
        numbers = f"{_number(score.precision):>10}{_number(score.recall):>8}{_number(score.f1):>7}"
        say(f"  {score.label:<21}{numbers}{score.reference:>7}")
    say("")


def _show_faithfulness(annotations: Sequence[Annotation]) -> None:
    from medground_evaluate.agreement import faithfulness_by_item

    say("Faithfulness (share of statements labelled CORRECT)")
    for (item, context, annotator), share in faithfulness_by_item(annotations).items():
        say(f"  {item}, CONTEXT-{context}, {annotator}: {share:.2f}")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
