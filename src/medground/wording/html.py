"""An answer as HTML that needs nothing else: no script, no font, no address is loaded, and pictures are inside.

Text of documents is escaped. On a page of its own, a content security policy forbids everything else, also in a reader
that would run or load it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import groupby

from medground.answer import Answer, SourceDocument
from medground.text.english import joined
from medground.wording.blocks import Line
from medground.wording.layout import layout
from medground.wording.pictures import Files
from medground.wording.references import plain_reference
from medground.wording.templates import template


def as_html(
    answer: Answer,
    *,
    details: bool = False,
    bibliography: Callable[[SourceDocument], Line] = plain_reference,
    files: Files | None = None,
    whole: bool = False,
) -> str:
    """An answer as one `<div>`.

    Args:
        answer: the answer.
        details: also show category labels, offsets, queries, hashes and the trace.
        bibliography: formats each source.
        files: reads the files of a report, which are shown if they are pictures.
        whole: make a page of its own.
    """
    blocks = layout(answer, details=details, bibliography=bibliography, files=files)
    groups = groupby(blocks, key=lambda block: (block.kind, block.marker[-1:]))
    return template(__package__, "page.html").render(
        groups=[(kind, list(group)) for (kind, _), group in groups],
        page=re.sub(r"\W", "", answer.trace_id),  # several answers may be on one page
        title=joined(answer.question.text) if whole else "",
    )
