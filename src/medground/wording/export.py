"""An answer for other programs: reference managers (RIS, BibTeX, CSL-JSON) and readers (Markdown, Word, HTML, PDF)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from medground.answering.changes import as_known_now
from medground.errors import UsageError
from medground.values.answer import Answer

if TYPE_CHECKING:
    from medground.wording.pictures import Files

Format = Literal["ris", "bibtex", "csl-json", "markdown", "docx", "html", "pdf"]
Pages = Literal["markdown", "docx", "html", "pdf"]
"""The formats that hold the whole answer."""

STYLE = "harvard-cite-them-right"
"""The citation style where none is named; citeproc-py brings it."""

_SUFFIXES: Mapping[str, Format] = {
    ".ris": "ris",
    ".bib": "bibtex",
    ".json": "csl-json",
    ".md": "markdown",
    ".docx": "docx",
    ".html": "html",
    ".htm": "html",
    ".pdf": "pdf",
}


def export(answer: Answer, form: Format = "markdown", *, style: str = STYLE, files: Files | None = None) -> bytes:
    """An answer in a format; text formats are UTF-8.

    `ris`, `bibtex` and `csl-json` hold a reference for each source that the answer quotes, with the quotes and their
    section or page as notes. The others hold the whole answer, the same in each, its references in a citation style.

    Args:
        style: for the whole answer: a style that citeproc-py has, or a CSL file.
        files: for the whole answer: reads the files of a report, so that its pictures are shown.

    Raises:
        UsageError: an unknown format or style; the answer quotes no source, so that there is no reference.
        ConfigError: the `export` extra is missing, which the whole answer needs.
    """
    if form not in get_args(Format):
        raise UsageError(f"unknown format {form!r}; choose one of {', '.join(get_args(Format))}")
    answer = as_known_now(answer)
    if form in get_args(Pages):
        from medground.wording.documents import as_docx, as_pdf  # with libraries that references do not need
        from medground.wording.styles import as_page, as_styled_markdown

        whole = {"markdown": as_styled_markdown, "docx": as_docx, "html": as_page, "pdf": as_pdf}
        return whole[form](answer, style, files)
    from medground.wording.reference import as_bibtex, as_csl_json, as_ris

    return {"ris": as_ris, "bibtex": as_bibtex, "csl-json": as_csl_json}[form](answer)


def format_of(path: Path) -> Format:
    """The format that the name of a file asks for.

    Raises:
        UsageError: its ending names none.
    """
    if (form := _SUFFIXES.get(path.suffix.lower())) is None:
        endings = ", ".join(_SUFFIXES)
        raise UsageError(f"cannot tell the format from the name {path.name}; end it with {endings}, or give --format")
    return form
