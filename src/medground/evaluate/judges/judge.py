"""Asking a judge: two answers in both orders, or a long answer next to its reference. Each reply becomes one line.

Lines are appended as they arrive, and the same call resumes an interrupted file. A reply that cannot be used has its
line too, and is never asked for again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from medground.errors import ModelFailed, UsageError
from medground.evaluate.judges.judged import JudgedRun, check_judge, pairs_of, pin
from medground.evaluate.judges.lines import Judgement, scores
from medground.evaluate.judges.sheet import Sheet
from medground.line_file import work_off
from medground.models.base import CallLimits
from medground.models.registry import Models
from medground.operators.base import Operator
from medground.operators.judging import (
    CompareInput,
    CompareOutput,
    RateInput,
    RateOutput,
    compare_explanations,
    rate_long_answer,
)
from medground.operators.views import EvidenceView
from medground.usage import Usage, UsageReport


class Watch(Protocol):
    """Called after each judgement with the number done and the total; must be cheap."""

    def __call__(self, done: int, of: int, /) -> None: ...


@dataclass(frozen=True)
class _Job:
    item: str
    shown: tuple[str, ...]
    value: CompareInput | RateInput


async def judge_pairs(
    models: Models,
    one: JudgedRun,
    other: JudgedRun,
    out: Path,
    *,
    limit: int | None = None,
    concurrency: int = 1,
    watch: Watch = lambda done, of: None,
) -> list[Judgement]:
    """Let the model of `compare_explanations` compare two runs where both are correct, each question in both orders.

    Args:
        models: the registry with the judge.
        one: a run.
        other: another run over the same set.
        out: the file of judgements, new or to be resumed.
        limit: judge only this many questions, from the start.
        concurrency: number of judgements in parallel.
        watch: called after each judgement.

    Returns:
        All lines of the file.

    Raises:
        UsageError: the judge wrote one of the runs, the runs are not comparable, or `out` contains other judgements.
        ConfigError: the judge cannot be used as configured.
        StorageFailed: the file cannot be written.
    """
    jobs = [
        _Job(i, (a.name, b.name), CompareInput(question=a.lines[i].question, first=_text(a, i), second=_text(b, i)))
        for i in pairs_of(one, other).right[:limit]
        for a, b in ((one, other), (other, one))
    ]
    return await _judge(models, compare_explanations, (one, other), jobs, out, concurrency, watch)


async def judge_long(
    models: Models,
    run: JudgedRun,
    references: Mapping[str, str],
    out: Path,
    *,
    documents: Mapping[str, Sequence[EvidenceView]] | None = None,
    limit: int | None = None,
    concurrency: int = 1,
    watch: Watch = lambda done, of: None,
) -> list[Judgement]:
    """Let the model of `rate_long_answer` mark a run's answers against reference answers.

    Args:
        models: the registry with the judge.
        run: a run of long answers; lines without text or without a reference are left out.
        references: reference answers by item id.
        out: the file of judgements, new or to be resumed.
        documents: the documents read for each item, by item id; without any, interpretability is not marked.
        limit: judge only this many questions, from the start.
        concurrency: number of judgements in parallel.
        watch: called after each judgement.

    Returns:
        All lines of the file.

    Raises:
        UsageError: the judge wrote the run, no line has a reference, or `out` contains other judgements.
        ConfigError: the judge cannot be used as configured.
        StorageFailed: the file cannot be written.
    """
    ids = [i for i, line in run.lines.items() if references.get(i) and line.text.strip()]
    if not ids:
        raise UsageError(
            f"{run.name} has no long answer with a reference answer; check that --data is the set that was run"
        )
    given = documents or {}
    jobs = [
        _Job(
            i,
            (run.name,),
            RateInput(
                question=run.lines[i].question,
                reference=references[i],
                answer=run.lines[i].text,
                documents=tuple(given.get(i, ())),
            ),
        )
        for i in ids[:limit]
    ]
    return await _judge(models, rate_long_answer, (run,), jobs, out, concurrency, watch)


async def _judge(
    models: Models,
    operator: Operator[Any, Any],
    runs: Sequence[JudgedRun],
    jobs: Sequence[_Job],
    out: Path,
    concurrency: int,
    watch: Watch,
) -> list[Judgement]:
    judge = models.of(operator.name)
    check_judge(judge, runs)
    mark = pin(judge, operator, runs)
    with Sheet(out, mark) as sheet:
        done = {(line.item, line.shown) for line in sheet.lines}

        async def work(job: _Job) -> None:
            fields = await _ask(models, operator, job)
            sheet.append(Judgement(item=job.item, shown=job.shown, judge=judge.name, pin=mark, **fields))
            watch(len(sheet.lines), len(jobs))

        await work_off([job for job in jobs if (job.item, job.shown) not in done], work, concurrency)
    return sheet.lines


async def _ask(models: Models, operator: Operator[Any, Any], job: _Job) -> dict[str, Any]:
    try:
        reply = await models.answer(operator, job.value, CallLimits())
    except ModelFailed as failed:
        error = " ".join(str(failed).split())
        return {"status": "failed", "error": error, "usage": UsageReport.of(failed.usage or Usage())}
    return _fields_of(reply.output) | {"usage": UsageReport.of(reply.usage)}


def _fields_of(output: CompareOutput | RateOutput) -> dict[str, Any]:
    both = (output.marks,) if isinstance(output, RateOutput) else (output.first, output.second)
    marks = tuple(scores(mark) for mark in both if mark is not None)
    better = output.better if isinstance(output, CompareOutput) else None
    return {"status": "judged" if marks else "not judged", "better": better, "marks": marks, "reason": output.reason}


def _text(run: JudgedRun, item: str) -> str:
    """The text of an answer, with the documents that it cites."""
    line = run.lines[item]
    cited = f"\n\nCited: {', '.join(line.cited)}" if line.cited else ""
    return f"Answer: {', '.join(line.answer)}\n\n{line.text}{cited}"
