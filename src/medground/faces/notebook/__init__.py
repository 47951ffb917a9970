"""Medground in a notebook: an answer in the order and the words of the page, and the steps while it is made.

    from medground.faces.notebook import ask

    ask("Is ectopia lentis a feature of Marfan syndrome?")

shows the steps while the question is answered, then the answer.
"""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from typing import Any

from markupsafe import Markup

from medground.engine.blocking import BlockingEngine
from medground.errors import ConfigError
from medground.home.registry import joining
from medground.home.settings import Settings
from medground.language.clean import joined
from medground.language.risk.notices import notice_first
from medground.values.answer import Answer
from medground.values.question import Question
from medground.values.shown import Shown
from medground.values.steps import Kept, Step
from medground.wording.progress import in_words
from medground.wording.templates import template
from medground.wording.view import view
from medground.wording.view_types import SentenceView, VerdictView


def ask(
    question: str | Question,
    *,
    context: str = "",
    corpora: str | Sequence[str] | None = None,
    settings: Settings | None = None,
    **chosen: Any,
) -> Answer:
    """Answer one question and show its steps below the cell. For several questions keep a `BlockingEngine` open.

    Args:
        context: a passage or a patient's case that it is about.
        corpora: names of the corpora to search.
        settings: `Settings.load()` by default.
        chosen: what else `Engine.ask` takes, such as `recipe` or `model`.

    Raises what `Engine.open` and `Engine.ask` raise, and `ConfigError` where IPython is not installed.
    """
    shown = ShownSteps()
    text = question if isinstance(question, str) else question.text
    with notice_first(text, context), BlockingEngine(settings, corpora=corpora, progress=shown.progress) as engine:
        return engine.ask(question, context=context, on_step=shown, **chosen)


def __getattr__(name: str) -> Any:
    """`show_runs` and `ShownRuns`, plots of evaluation runs, which are of the other package."""
    if (point := joining("medground.notebook").get(name)) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return point.load()


def as_html(answer: Answer) -> str:
    """One `<div>` that needs nothing else: all text escaped, no script, no style sheet.

    A mark such as `[E1]` leads to the quote in the list of sources; the quotes of a sentence also open below it, for
    notebooks that take the anchors out of a page that they do not trust.
    """
    shown = view(answer)
    return template(__name__, "answer.html").render(
        shown=shown,
        quotes={quote.id: quote for quote in shown.evidence},
        documents={document.id: document for document in shown.documents},
        prefix=re.sub(r"\W", "", shown.trace_id),  # several answers may be in one notebook
        names_of=_cited,
        verdicts_of=_verdicts,
    )


_FOR_PROGRAMS = {"start", "end", "usage", "settings"}
"""Fields that a reader does not need."""


def as_tables(value: Any) -> str:
    """A result as tables of its fields, without empty ones: all text escaped, no script, no style sheet."""
    return template(__name__, "tables.html").render(value=_told(value))


def _told(value: Any) -> Any:
    """What the template shows: a mapping or a list of mappings as tables, an answer as its own markup, else text."""
    if isinstance(value, Answer):
        return Markup(as_html(value))  # noqa: S704 (its template escapes all text)
    if isinstance(value, Shown):
        value = dict(value.__repr_args__())
    elif hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        named = sorted(value.items(), key=lambda pair: pair[0] != "notice")  # which comes before everything else
        fields = {str(name): _told(one) for name, one in named if name not in _FOR_PROGRAMS}
        return {name.replace("_", " "): told for name, told in fields.items() if told}
    if isinstance(value, (list, tuple)):
        return [_told(one) for one in value]
    return "" if value is None or value is False else str(value)


def _cited(sentence: SentenceView) -> list[str]:
    deciding = (verdict.deciding for verdict in sentence.verdicts if verdict.deciding)
    return list(dict.fromkeys([*sentence.citations, *deciding]))


def _verdicts(sentence: SentenceView) -> list[tuple[VerdictView, str]]:
    """The remarks on a sentence, once each; with the statement where a sentence has several verdicts."""
    several = len({verdict.words for verdict in sentence.verdicts}) > 1
    named = [(one, joined(one.text) if several else "") for one in sentence.verdicts]
    return list({(one.words, one.deciding, one.style, about): (one, about) for one, about in named}.values())


_PAUSE = 0.1
"""Seconds between two updates: a notebook that is sent every step falls behind."""
_LINES = 6


class ShownSteps:
    """Shows each step below the cell that made this object; hand it over as `on_step`.

    It needs no widgets: one output is replaced in place. Where no notebook is running it shows nothing.

    Raises ConfigError: IPython is not installed.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        try:
            from IPython import get_ipython
        except ImportError:
            raise ConfigError("a notebook needs IPython; run pip install jupyterlab, or use medground.ask") from None
        self._in_notebook = get_ipython() is not None
        self._context = copy_context()  # steps come from the engine's thread; the cell is known in this one
        self._clock = clock
        self._shown_at = float("-inf")
        self._lines: list[str] = []
        self._done = False
        self._progress = ""
        self._handle: Any = None

    def __call__(self, step: Step) -> None:
        """Show a step."""
        self._done = isinstance(step, Kept)
        self._add(in_words(step), at_once=self._done)

    def progress(self, step: str, done: int, total: int | None) -> None:
        """Show the progress of a long piece of work, such as building the starter corpus."""
        if self._progress == step:
            self._lines.pop()
        self._add(f"{step}: {done:,} of {total:,}" if total else step, at_once=False)
        self._progress = step

    def _add(self, words: str, *, at_once: bool) -> None:
        self._progress = ""
        if words:
            self._lines.append(words[:1].upper() + words[1:])
        now = self._clock()
        if self._in_notebook and self._lines and (at_once or now - self._shown_at >= _PAUSE):
            self._shown_at = now
            self._context.run(self._show)

    def _show(self) -> None:
        from IPython.display import display

        if self._handle is None:
            self._handle = display(self, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._handle.update(self)

    def __repr__(self) -> str:
        return "\n".join(self._lines[-_LINES:])

    def _repr_html_(self) -> str:
        """The last steps; all of them, folded, when the question is answered."""
        lines = self._lines if self._done else self._lines[-_LINES:]
        return template(__name__, "steps.html").render(lines=lines, done=self._done)
