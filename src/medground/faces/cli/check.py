"""`medground check`: a text against its own references, sentence by sentence."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Exit, Option

from medground.errors import MedgroundError, Stopped, UsageError
from medground.faces.cli import options as by
from medground.faces.cli.answers import check_folder, render_blocks, write_file
from medground.faces.cli.asking import STDIN, opened, read_stdin
from medground.faces.cli.terminal import say, say_data

if TYPE_CHECKING:
    from medground.home.settings import Settings
    from medground.values.finding import Finding, TextCheck

_BESIDE = (".bib", ".bibtex", ".ris", ".nbib", ".enw")

_Html = Annotated[Path | None, Option(metavar="FILE", help="Write a page that needs nothing else.")]
_Docx = Annotated[
    Path | None, Option(metavar="FILE", help="Write a Word document with comments; of a Word document, a copy of it.")
]
_Sarif = Annotated[Path | None, Option(metavar="FILE", help="Write SARIF, for code hosts.")]
_FailOn = Annotated[
    str | None, Option(metavar="KIND,...", help="Kinds that exit with 1, or none; by default, every fault.")
]
_Baseline = Annotated[Path | None, Option(metavar="FILE", help="Findings that are accepted: they do not fail.")]
_WriteBaseline = Annotated[
    bool, Option("--write-baseline", help="Accept what is found now, in the file of --baseline.")
]


def check(
    file: Annotated[list[Path], Argument(help="Texts to check, or - for standard input.")],
    corpus: Annotated[
        list[str] | None,
        Option("--corpus", "-c", help="Corpus with the papers cited; repeatable.", autocompletion=by.corpora),
    ] = None,
    bibliography: Annotated[
        list[Path] | None, Option(help="File of references: BibTeX, RIS, CSL JSON (repeatable).")
    ] = None,
    field: Annotated[
        list[str] | None, Option(help="Field of YAML or JSON that is checked, as a dotted path (repeatable).")
    ] = None,
    source: by.SourceNames = None,
    json: by.PrintJson = False,
    html: _Html = None,
    docx: _Docx = None,
    sarif: _Sarif = None,
    fail_on: _FailOn = None,
    baseline: _Baseline = None,
    write_baseline: _WriteBaseline = False,
    sets: by.Sets = None,
    preset: by.Preset = None,
    settings: by.SettingsFile = None,
    quiet: by.Quiet = False,
) -> None:
    """Check a text against its own references: what they say of each sentence.

    The exit status is 0 if no fault is found, 1 if one is, and 2 if the text could not be checked.
    """
    from medground.checking.baseline import Accepted, as_baseline, read_baseline
    from medground.wording.findings import blocks

    kinds = _kinds(fail_on)
    if write_baseline and baseline is None:
        raise UsageError("--write-baseline needs the name of its file: --baseline FILE")
    for path in filter(None, (html, docx, sarif, baseline)):
        check_folder(path)
        if path.resolve() in {one.resolve() for one in file}:
            raise UsageError(f"{path} is a text to check and would be overwritten; name another file")
    known = read_baseline(baseline) if baseline and not write_baseline else frozenset()
    chosen = by.load_settings(sets, preset, settings, {**by.searched(corpus), "retrieval.sources": source})
    whole = _checked(file, bibliography or [], field or [], chosen, quiet=quiet)
    if not whole.findings:
        raise UsageError("no sentence to check was found; give a text of sentences that cite")
    faults = [finding for finding in whole.findings if finding.kind in kinds]
    accepted = frozenset(fault for fault in faults if Accepted.of(fault) in known)
    _write(whole, accepted, html, sarif, docx, file)
    if json:
        say_data([finding.model_dump(mode="json") for finding in whole.findings])
    else:
        render_blocks(list(blocks(whole, accepted)))
    if write_baseline and baseline is not None:
        write_file(baseline, as_baseline(faults))
        say(f"{len(faults):,} findings are accepted in {baseline}", err=True)
    elif len(accepted) < len(faults):
        raise Exit(1)


def _kinds(named: str | None) -> Collection[str]:
    """The kinds of finding that fail. Raises UsageError: there is no such kind."""
    from medground.wording.findings import FAULTS, KINDS

    if named is None:
        return FAULTS
    kinds = [one for kind in named.split(",") if (one := kind.strip().replace("-", "_")) not in ("", "none")]
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise UsageError(f"{unknown[0][:40]!r} is not a kind of finding; choose from {', '.join(KINDS)}, or none")
    return kinds


def _checked(
    files: list[Path], bibliography: list[Path], fields: list[str], settings: Settings, *, quiet: bool
) -> TextCheck:
    """The checks of the texts as one. Raises UsageError: whatever kept them from being checked."""
    from medground.checking.files import text_of
    from medground.values.finding import TextCheck

    texts = [("stdin", read_stdin()) if str(one) == STDIN else (str(one), text_of(one)) for one in files]
    found: list[TextCheck] = []
    try:
        with opened(settings, quiet=quiet) as engine:
            for path, (name, text) in zip(files, texts, strict=True):
                lists = [*bibliography, *([] if str(path) == STDIN else _beside(path))]
                found.append(engine.check_text(text, file=name, references=lists, fields=fields))
    except Stopped:
        raise
    except MedgroundError as error:  # a failure exits with 1 elsewhere, and here that says that the text has faults
        raise UsageError(*error.args) from error
    return TextCheck(
        findings=tuple(finding for each in found for finding in each.findings),
        references=tuple(reference for each in found for reference in each.references),
        remarks=tuple(dict.fromkeys(remark for each in found for remark in each.remarks)),
        texts={file: text for each in found for file, text in each.texts.items()},
    )


def _write(
    whole: TextCheck,
    accepted: Collection[Finding],
    html: Path | None,
    sarif: Path | None,
    docx: Path | None,
    files: list[Path],
) -> None:
    from medground.wording.checked_text import as_docx, as_html
    from medground.wording.sarif import as_sarif

    if html is not None:
        write_file(html, as_html(whole))
    if sarif is not None:
        write_file(sarif, as_sarif(whole, accepted))
    if docx is not None:
        of_word = len(files) == 1 and files[0].suffix.lower() == ".docx"
        write_file(docx, as_docx(whole, files[0].read_bytes() if of_word else None))


def _beside(path: Path) -> list[Path]:
    """Files of references in the folder of a text with its name."""
    return [one for suffix in _BESIDE if (one := path.with_suffix(suffix)).is_file() and one != path]
