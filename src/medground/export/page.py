"""The whole answer as Markdown and as one HTML file, its references in a citation style."""

from __future__ import annotations

from collections.abc import Callable

from medground.answer import Answer, SourceDocument
from medground.export.reference import listed_sources
from medground.export.styles import styled
from medground.wording.blocks import Line
from medground.wording.html import as_html
from medground.wording.markdown import as_markdown
from medground.wording.pictures import Files


def as_styled_markdown(answer: Answer, style: str, files: Files | None = None) -> bytes:
    """An answer as a report in Markdown.

    Raises:
        UsageError: there is no such style.
        ConfigError: the `export` extra is missing.
    """
    return (as_markdown(answer, bibliography=bibliography(answer, style), files=files) + "\n").encode()


def as_page(answer: Answer, style: str, files: Files | None = None) -> bytes:
    """An answer as one HTML file; raises as `as_styled_markdown` does."""
    return as_html(answer, bibliography=bibliography(answer, style), files=files, whole=True).encode()


def bibliography(answer: Answer, style: str) -> Callable[[SourceDocument], Line]:
    """What formats each source of an answer in a citation style; raises as `as_styled_markdown` does."""
    lines = styled(listed_sources(answer), style)
    return lambda document: lines[document.id]
