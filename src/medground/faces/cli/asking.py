"""One question as users type it: read, asked, its steps shown, and what was found kept after Ctrl-C."""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeVar, cast

from medground.errors import Stopped, UsageError
from medground.faces.cli.progress import StepLine, shown_progress

if TYPE_CHECKING:
    from medground.engine.blocking import BlockingEngine
    from medground.home.settings import Settings
    from medground.values.answer import Answer
    from medground.values.query import Filters
    from medground.values.question import Question
    from medground.values.research_plan import ResearchPlan
    from medground.values.steps import OnStep
    from medground.wording.changes import AskedAgain


T = TypeVar("T")


def ask_one(
    question: Question, settings: Settings, *, follow: str | None = None, plan: ResearchPlan | None = None, quiet: bool
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
    from medground.engine.answers import Answers
    from medground.home.kept_files import settings_of

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
    from medground.engine.unfinished import UnfinishedResearch

    one = UnfinishedResearch(now.home).read(name)
    with opened(one.settings_with(now).with_options(changes), quiet=quiet) as engine:
        return _shown(lambda on_step: engine.resume(one.id, settings=changes, on_step=on_step), quiet=quiet)


@contextlib.contextmanager
def opened(settings: Settings, *, quiet: bool) -> Iterator[BlockingEngine]:
    """An engine, with the progress of what must be built first."""
    from medground.engine.blocking import BlockingEngine

    with shown_progress(quiet=quiet) as progress:
        engine = BlockingEngine(settings, progress=progress)
    with engine:
        yield engine


def limits(first: int | None, last: int | None, where: list[str]) -> Filters:
    """Limits on the year of publication and on other fields (`FIELD=VALUE`).

    Raises UsageError: the first year is after the last, or a limit is not one.
    """
    from medground.values.query import Filters
    from medground.values.where import parse_where

    return parse_where(where, Filters(year_from=first, year_to=last))


def _shown(work: Callable[[OnStep], T], *, quiet: bool) -> T:
    with StepLine(quiet=quiet) as line:
        try:
            return work(line)
        except KeyboardInterrupt:
            if not line.kept:
                raise
            kept = f"stopped; what was found is kept, see it with medground show {line.kept}"
            on = f", or go on: medground research --resume {line.research}" if line.research else ""
            raise Stopped(kept + on) from None


_LINE_END = re.compile(r"\r\n?|\n")
_LINE_FORM = 'write the question alone, or {"question": "...", "context": "..."}'
STDIN = "-"
"""Stands for standard input where a question or a file is expected."""


def read_stdin() -> str:
    """All of standard input. Raises UsageError: it is not UTF-8."""
    return _decoded(standard_input().read(), "standard input")


def standard_input() -> BinaryIO:
    """Standard input as bytes."""
    return cast("BinaryIO", sys.stdin.buffer)


def read_context(path: Path) -> str:
    """What a file, or standard input for `-`, gives with a question.

    Raises UsageError: the file cannot be read, is not UTF-8, or is empty.
    """
    name, text = _read(path, "name a text file")
    if not text.strip():
        raise UsageError(f"{name} is empty; give the text that the question is about, or leave --context out")
    return text


def read_questions(path: Path) -> list[tuple[int, str]]:
    """The questions of a file, or of standard input for `-`: one on each line, with the number of the line.

    Empty lines and lines that begin with `#` are skipped.

    Raises UsageError: the file cannot be read, is not UTF-8, or has no question.
    """
    name, text = _read(path, "name a file of questions")
    lines = ((number, line.strip()) for number, line in enumerate(_LINE_END.split(text), start=1))
    found = [(number, line) for number, line in lines if line and not line.startswith("#")]
    if not found:
        raise UsageError(f"{name} has no question; write one on each line")
    return found


def with_context(line: str) -> tuple[str, str]:
    """The question and the context of a line: as it was typed, or `{"question": "...", "context": "..."}`.

    Raises UsageError: the line begins like JSON, but is not such an object.
    """
    if not line.startswith("{"):
        return line, ""
    try:
        content = json.loads(line)
    except ValueError as error:
        raise UsageError(f"this is not JSON ({error}); {_LINE_FORM}") from None
    if unknown := sorted(content.keys() - {"question", "context"}):
        raise UsageError(f"unknown key {unknown[0][:40]!r}; {_LINE_FORM}")
    question, context = content.get("question"), content.get("context", "")
    if not isinstance(question, str) or not isinstance(context, str):
        raise UsageError(f"question and context must be text; {_LINE_FORM}")
    return question, context


def received(paths: list[Path], corpus: Path) -> list[Path]:
    """The paths, with what comes from standard input stored in the folder of the corpus in place of `-`.

    Raises UsageError: standard input is named twice, or is empty.
    """
    from medground.corpus.received import receive

    if sum(str(path) == STDIN for path in paths) > 1:
        raise UsageError("- is given twice; standard input can only be read once")
    return [receive(standard_input(), corpus) if str(path) == STDIN else path for path in paths]


def _read(path: Path, advice: str) -> tuple[str, str]:
    if str(path) == STDIN:
        return "standard input", read_stdin()
    try:
        return str(path), _decoded(path.read_bytes(), str(path))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}; {advice}") from None


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is not UTF-8 (byte {error.start:,}); save it as UTF-8") from None
