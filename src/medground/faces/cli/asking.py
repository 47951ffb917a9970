"""One question: an engine is opened, the steps are shown, and Ctrl-C keeps what was found."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from medground.answer import Answer
    from medground.blocking import BlockingEngine
    from medground.query import Filters
    from medground.question import Question
    from medground.research_plan import ResearchPlan
    from medground.settings import Settings
    from medground.steps import OnStep
    from medground.wording.changes import AskedAgain

T = TypeVar("T")


@dataclass(frozen=True)
class Kind:
    """What kind of answer is wanted, the limits on what may be found, and what the questions are about."""

    task: str | None
    options: tuple[str, ...]
    filters: Filters
    context: str = ""

    def question(self, text: str, context: str = "") -> Question:
        """A question of this kind, with a context of its own where it has one.

        Raises:
            UsageError: as `Question.ask`.
        """
        from medground.question import Question

        return Question.ask(
            text,
            task=self.task,  # type: ignore[arg-type]
            options=self.options,
            filters=self.filters,
            context=context or self.context,
        )


def ask_one(
    question: Question,
    settings: Settings,
    *,
    follow: str | None = None,
    plan: ResearchPlan | None = None,
    quiet: bool,
) -> Answer:
    """The answer to a question; `follow` names the answer that it follows, and `plan` is a plan of research for it.

    Raises what `Engine.open` and `Engine.ask` raise, and Stopped after Ctrl-C.
    """
    with opened(settings, quiet=quiet) as engine:
        return _shown(lambda on_step: engine.ask(question, follow=follow, plan=plan, on_step=on_step), quiet=quiet)


def ask_again(name: str, now: Settings, *, quiet: bool) -> AskedAgain:
    """The question of a kept answer, asked again with its settings; stored model calls are reused only if `now` does.

    Raises what `settings_of`, `Engine.open` and `Engine.again` raise, and Stopped after Ctrl-C.
    """
    from medground.answers import Answers
    from medground.kept_settings import settings_of

    before = Answers(now.home).read(name)
    then = settings_of(before, now)
    if not now.model.cache:
        then = then.with_options({"model.cache": False})
    with opened(then, quiet=quiet) as engine:
        return _shown(lambda on_step: engine.again(before.trace_id, on_step=on_step), quiet=quiet)


def resume_one(name: str, now: Settings, changes: Mapping[str, object], *, quiet: bool) -> Answer:
    """The answer of unfinished research that is gone on with; `changes` are settings that it did not have.

    Raises what `UnfinishedResearch.read`, `Engine.open` and `Engine.resume` raise, and Stopped after Ctrl-C.
    """
    from medground.unfinished import UnfinishedResearch

    one = UnfinishedResearch(now.home).read(name)
    with opened(one.settings_with(now).with_options(changes), quiet=quiet) as engine:
        return _shown(lambda on_step: engine.resume(one.id, settings=changes, on_step=on_step), quiet=quiet)


@contextlib.contextmanager
def opened(settings: Settings, *, quiet: bool) -> Iterator[BlockingEngine]:
    """An engine, with the progress of what must be built first."""
    from medground.blocking import BlockingEngine
    from medground.faces.cli.progress import shown_progress

    with shown_progress(quiet=quiet) as progress:
        engine = BlockingEngine(settings, progress=progress)
    with engine:
        yield engine


def limits(first: int | None, last: int | None, where: list[str]) -> Filters:
    """Limits on the year of publication and on other fields (`FIELD=VALUE`).

    Raises:
        UsageError: the first year is after the last, or a limit is not one.
    """
    from pydantic import ValidationError

    from medground.errors import UsageError
    from medground.query import Filters
    from medground.where import parse_where

    try:
        return parse_where(where, Filters(year_from=first, year_to=last))
    except ValidationError as error:
        raise UsageError(error.errors()[0]["msg"].removeprefix("Value error, ")) from None


def _shown(work: Callable[[OnStep], T], *, quiet: bool) -> T:
    from medground.errors import Stopped
    from medground.faces.cli.steps import StepLine

    with StepLine(quiet=quiet) as line:
        try:
            return work(line)
        except KeyboardInterrupt:
            if not line.kept:
                raise
            kept = f"stopped; what was found is kept, see it with medground show {line.kept}"
            on = f", or go on: medground research --resume {line.research}" if line.research else ""
            raise Stopped(kept + on) from None
