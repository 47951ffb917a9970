"""`medground check`: a text against its own references, sentence by sentence."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli import options as by
from medground.faces.cli.asking import STDIN, opened, read_stdin
from medground.faces.cli.terminal import say, say_data

if TYPE_CHECKING:
    from medground.values.finding import TextCheck

GOOD = frozenset(["supported", "not_checked"])
"""Kinds of finding that are no fault; `not_checked` is counted apart, and never as good."""
_BESIDE = (".bib", ".bibtex", ".ris", ".nbib", ".enw")


def check(
    file: Annotated[list[Path], typer.Argument(help="Texts to check, or - for standard input.")],
    refs: Annotated[
        list[str] | None,
        typer.Option(
            "--refs", metavar="CORPUS", help="Corpus with the papers cited (repeatable).", autocompletion=by.corpora
        ),
    ] = None,
    bibliography: Annotated[
        list[Path] | None, typer.Option(help="File of references: BibTeX, RIS, CSL JSON (repeatable).")
    ] = None,
    field: Annotated[
        list[str] | None, typer.Option(help="Field of YAML or JSON that is checked, as a dotted path (repeatable).")
    ] = None,
    source: by.SourceNames = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    sets: by.Sets = None,
    preset: by.Preset = None,
    settings: by.SettingsFile = None,
    quiet: by.Quiet = False,
) -> None:
    """Check a text against its own references: what they say of each sentence. Exits with 1 where a fault is found."""
    from medground.checking.files import text_of

    chosen = by.load_settings(sets, preset, settings, {**by.searched(refs, None), "retrieval.sources": source})
    texts = [("stdin", read_stdin()) if str(one) == STDIN else (str(one), text_of(one)) for one in file]
    found: list[TextCheck] = []
    with opened(chosen, quiet=quiet) as engine:
        for path, (name, text) in zip(file, texts, strict=True):
            lists = [*(bibliography or []), *([] if str(path) == STDIN else _beside(path))]
            found.append(engine.check_text(text, file=name, references=lists, fields=field or []))
    if json:
        say_data([one.model_dump(mode="json") for each in found for one in each.findings])
    else:
        for each, (_, text) in zip(found, texts, strict=True):
            say(*_lines(each, text))
    if any(one.kind not in GOOD for each in found for one in each.findings):
        raise typer.Exit(1)


def _beside(path: Path) -> list[Path]:
    """Files of references in the folder of a text with its name."""
    return [one for suffix in _BESIDE if (one := path.with_suffix(suffix)).is_file() and one != path]


def _lines(found: TextCheck, text: str) -> list[str]:
    lines = []
    for one in found.findings:
        line = text.count("\n", 0, one.start) + 1
        column = one.start - text.rfind("\n", 0, one.start)
        cited = f" ({', '.join(one.cited)})" if one.cited else ""
        lines += [f"{one.file}:{line}:{column}: {one.kind}{cited}", f"    {one.sentence}"]
        lines += [f"    {one.reason}"] if one.reason else []
        lines += [f"    {one.evidence.ref}: “{one.evidence.quote}”"] if one.evidence else []
    lines += [f"reference {one.mark or '-'}: {one.reason}: {one.entry}" for one in found.references if one.reason]
    lines += [f"note: {remark}" for remark in found.remarks]
    counts = Counter(one.kind for one in found.findings)
    return [*lines, ", ".join(f"{number} {kind}" for kind, number in counts.most_common()) or "nothing to check"]
