"""An answer in a notebook: the order and the words of the page, with each quote where it is cited."""

from __future__ import annotations

import re

from medground.answer import Answer
from medground.text.english import joined
from medground.wording.templates import template
from medground.wording.view import view
from medground.wording.view_types import SentenceView, VerdictView


def as_html(answer: Answer) -> str:
    """One `<div>` that needs nothing else: all text escaped, no script, no style sheet.

    A mark such as `[E1]` leads to the quote in the list of sources; the quotes of a sentence also open below it, for
    notebooks that take the anchors out of a page that they do not trust.
    """
    shown = view(answer)
    return template(__package__, "answer.html").render(
        shown=shown,
        quotes={quote.id: quote for quote in shown.evidence},
        documents={document.id: document for document in shown.documents},
        prefix=re.sub(r"\W", "", shown.trace_id),  # several answers may be in one notebook
        names_of=_cited,
        verdicts_of=_verdicts,
    )


def _cited(sentence: SentenceView) -> list[str]:
    deciding = (verdict.deciding for verdict in sentence.verdicts if verdict.deciding)
    return list(dict.fromkeys([*sentence.citations, *deciding]))


def _verdicts(sentence: SentenceView) -> list[tuple[VerdictView, str]]:
    """What is said of a sentence, once each; with the statement, where a sentence has several verdicts."""
    several = len({verdict.words for verdict in sentence.verdicts}) > 1
    named = [(one, joined(one.text) if several else "") for one in sentence.verdicts]
    return list({(one.words, one.deciding, one.style, about): (one, about) for one, about in named}.values())
