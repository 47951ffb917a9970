"""An answer as HTML that needs nothing else: no script, no font, no address is loaded, and pictures are inside.

Text of documents is escaped. On a page of its own, a content security policy forbids everything else, also in a reader
that would run or load it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import resources
from itertools import groupby
from typing import Any

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from medground.language.clean import clean, joined
from medground.values.answer import Answer, SourceDocument
from medground.wording.blocks import Line, plain_reference
from medground.wording.layout import layout
from medground.wording.pictures import Files


@cache
def template(package: str, name: str) -> Template:
    """A template beside the code of a package, which renders to markup."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, finalize=_shown)
    return environment.from_string((resources.files(package) / name).read_text(encoding="utf-8"))


def _shown(value: Any) -> Any:
    return value if isinstance(value, Markup) else clean(str(value))


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
