"""`medground eval audit SET`: how well a data set can be answered without reading any evidence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli.options import Sets, SettingsFile, load_settings
from medground.faces.cli.terminal import page, say_json

if TYPE_CHECKING:
    from medground.document import Document
    from medground.evaluate.audit.base import Audit, Figure
    from medground.settings import Settings


def audit(
    dataset: Annotated[str, typer.Argument(metavar="SET", help="A set from `medground data list`.")],
    data: Annotated[Path, typer.Option(help="The set's file, or its folder.")],
    split: Annotated[str, typer.Option(help="test, train, validation, unknown, or all.")] = "test",
    corpus: Annotated[
        list[str] | None, typer.Option("--corpus", "-c", help="Look for items in this corpus; repeatable.")
    ] = None,
    linear: Annotated[bool, typer.Option(help="Fit linear models; needs scikit-learn.")] = True,
    seed: Annotated[int, typer.Option(help="Seed for the folds of the linear models.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    sets: Sets = None,
    settings: SettingsFile = None,
) -> None:
    """Show the accuracy that can be reached without evidence, and duplicate texts. Calls no model."""
    from medground.errors import UsageError
    from medground.evaluate.audit.report import audit as audited
    from medground.evaluate.datasets.registry import open_dataset

    loader = open_dataset(dataset)
    every = list(loader.read(loader.find(data), "all"))
    items = [item for item in every if split in ("all", item.split)]
    if not items:
        there = ", ".join(sorted({item.split for item in every})) or "no items"
        raise UsageError(f"{data} has no questions in split {split!r}; it has {there}; choose another --split")
    documents = _documents(load_settings(sets, None, settings), corpus) if corpus else None
    found = audited(items, documents=documents, every=every, models=linear, seed=seed)
    if json:
        say_json(found.model_dump_json(indent=2))
    else:
        page(shown_audit(found))


def _documents(settings: Settings, names: list[str]) -> Iterator[Document]:
    from medground.corpus.library import Library

    library = Library(settings.home)
    for name in names:
        with library.open(name) as snapshot:
            yield from snapshot.all_documents()


def shown_audit(found: Audit) -> str:
    """The audit as text."""
    width = max(len(figure.name) for figure in (*found.baselines, *found.facts))
    lines = [f"{found.items:,} items, {found.scored:,} with a gold answer"]
    if found.baselines:
        lines += ["", "Accuracy without evidence (95 % Wilson interval)"]
        lines += [_line(figure, width) for figure in found.baselines]
    lines += ["", "Other shares"]
    lines += [_line(figure, width) for figure in found.facts]
    return "\n".join([*lines, *(f"\n{note}" for note in found.notes)])


def _line(figure: Figure, width: int) -> str:
    interval = f"[{figure.low:6.1%}, {figure.high:6.1%}]"
    return (
        f"  {figure.name:<{width}}  {figure.share:6.1%}  {interval}  {figure.count:,} of {figure.of:,}: {figure.words}"
    )
