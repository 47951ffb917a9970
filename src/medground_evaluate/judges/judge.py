"""Which judge may judge which runs, and asking it: two answers in both orders, or one beside its reference."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medground.errors import ModelFailed, UsageError
from medground.home import digest
from medground.models import CallLimits, EvidenceView, Model, Models, Operator
from medground.values import Author, Usage, UsageReport
from medground_evaluate.compare import Result, in_common
from medground_evaluate.judges.judgements import (
    CompareInput,
    CompareOutput,
    Judgement,
    RateInput,
    RateOutput,
    Sheet,
    compare_explanations,
    rate_long_answer,
)
from medground_evaluate.line_file import work_off


@dataclass(frozen=True)
class Pairs:
    """The questions on which two runs can be compared.

    Attributes:
        right: ids of the questions that both answer correctly, with an explanation, in the order of the first run.
        both: number of questions that both runs have.
        unexplained: number that both answer correctly, but at least one without an explanation.
    """

    right: tuple[str, ...]
    both: int
    unexplained: int


def pairs_of(one: Result, other: Result) -> Pairs:
    """The questions on which two runs' explanations may be compared: those that both answer correctly (000, app. B)."""
    if one.name == other.name:
        raise UsageError(f"both runs are called {one.name}; rename one of the files")
    for field in ("dataset", "dataset_hash", "split"):
        values = getattr(one.header, field), getattr(other.header, field)
        if values[0] != values[1]:
            raise UsageError(f"the runs differ in {field}: {values[0]} and {values[1]}; compare runs over the same set")
    both = in_common(one, other)
    right = [i for i in both if one.lines[i].right and other.lines[i].right]
    explained = [i for i in right if one.lines[i].text.strip() and other.lines[i].text.strip()]
    return Pairs(right=tuple(explained), both=len(both), unexplained=len(right) - len(explained))


def check_judge(judge: Model, runs: Sequence[Result]) -> None:
    """Check that a judge does not judge itself: that it did not contribute to a run."""
    for run in runs:
        by_operator = run.header.settings.get("model", {}).get("operators", {})
        if not any(same_model(name, judge.name) for name in (run.header.model, *by_operator.values())):
            continue
        if Author(judge.name).is_model:  # word statistics judge nothing
            raise UsageError(
                f"{judge.name} wrote answers of {run.name}, so it may not judge them; name another --model"
            )


def place_of(home: Path, judge: str, names: Sequence[str]) -> Path:
    """The default file of judgements: the same judge on the same runs always has the same file."""
    words = "/".join([judge, *names])
    return home / "judgements" / f"{hashlib.sha256(words.encode()).hexdigest()[:12]}.jsonl"


def same_model(one: str, other: str) -> bool:
    """Whether two names denote the same model, whatever runs it: `openrouter:openai/gpt-5` and `openai:gpt-5` do."""
    first, second = (
        name if name.startswith("local:") else name.replace(":", "/", 1).rpartition("/")[2]
        for name in (one.casefold(), other.casefold())
    )
    return first == second


def pin(judge: Model, operator: Operator[Any, Any], runs: Sequence[Result]) -> str:
    """Hash of everything that decides a judgement except the item: the judge, its instructions, and the runs."""
    content = {
        "judge": judge.identity,
        "instructions": operator.instructions,
        "schema": operator.output.model_json_schema(),
        "runs": [[run.name, run.header.dataset_hash, run.header.settings_hash, run.header.started] for run in runs],
    }
    return digest(content)[:16]


Watch = Callable[[int, int], None]
"""Called after each judgement with the number done and the total; must be cheap."""


@dataclass(frozen=True)
class _Job:
    item: str
    shown: tuple[str, ...]
    value: CompareInput | RateInput


async def judge_pairs(
    models: Models,
    one: Result,
    other: Result,
    out: Path,
    *,
    limit: int | None = None,
    concurrency: int = 1,
    watch: Watch = lambda done, of: None,
) -> list[Judgement]:
    """Let the model of `compare_explanations` compare two runs where both are correct, each question in both orders.

    Args:
        out: the file of judgements, new or to be resumed; all of its lines are returned.
        limit: judge only this many questions, from the start.

    Raises UsageError: the judge wrote one of the runs, the runs are not comparable, or `out` contains other judgements;
    ConfigError: the judge cannot be used as configured; StorageFailed: the file cannot be written.
    """
    jobs = []
    for i in pairs_of(one, other).right[:limit]:
        for a, b in ((one, other), (other, one)):
            value = CompareInput(question=a.lines[i].question, first=_text(a, i), second=_text(b, i))
            jobs.append(_Job(i, (a.name, b.name), value))
    return await _judge(models, compare_explanations, (one, other), jobs, out, concurrency, watch)


async def judge_long(
    models: Models,
    run: Result,
    references: Mapping[str, str],
    out: Path,
    *,
    documents: Mapping[str, Sequence[EvidenceView]] | None = None,
    limit: int | None = None,
    concurrency: int = 1,
    watch: Watch = lambda done, of: None,
) -> list[Judgement]:
    """Let the model of `rate_long_answer` mark a run's answers against reference answers by item id, as `judge_pairs`.

    Lines without text or without a reference are left out. `documents` are those read for each item; without any,
    interpretability is not marked.
    """
    ids = [i for i, line in run.lines.items() if references.get(i) and line.text.strip()]
    if not ids:
        raise UsageError(
            f"{run.name} has no long answer with a reference answer; check that --data is the set that was run"
        )
    jobs = []
    for i in ids[:limit]:
        line, read = run.lines[i], tuple((documents or {}).get(i, ()))
        value = RateInput(question=line.question, reference=references[i], answer=line.text, documents=read)
        jobs.append(_Job(i, (run.name,), value))
    return await _judge(models, rate_long_answer, (run,), jobs, out, concurrency, watch)


async def _judge(
    models: Models,
    operator: Operator[Any, Any],
    runs: Sequence[Result],
    jobs: Sequence[_Job],
    out: Path,
    concurrency: int,
    watch: Watch,
) -> list[Judgement]:
    judge = models.for_operator(operator.name)
    check_judge(judge, runs)
    mark = pin(judge, operator, runs)
    with Sheet(out, mark) as sheet:
        done = {(line.item, line.shown) for line in sheet.lines}

        async def work(job: _Job) -> None:
            fields = await _ask(models, operator, job)
            sheet.add(Judgement(item=job.item, shown=job.shown, judge=judge.name, pin=mark, **fields))
            watch(len(sheet.lines), len(jobs))

        await work_off([job for job in jobs if (job.item, job.shown) not in done], work, concurrency)
    return sheet.lines


async def _ask(models: Models, operator: Operator[Any, Any], job: _Job) -> dict[str, Any]:
    try:
        reply = await models.answer(operator, job.value, CallLimits())
    except ModelFailed as failed:
        error = " ".join(str(failed).split())
        return {"status": "failed", "error": error, "usage": UsageReport.from_usage(failed.usage or Usage())}
    output: CompareOutput | RateOutput = reply.output
    both = (output.marks,) if isinstance(output, RateOutput) else (output.first, output.second)
    marks = tuple(mark.model_dump(exclude_none=True) for mark in both if mark is not None)
    return {
        "status": "judged" if marks else "not judged",
        "better": output.better if isinstance(output, CompareOutput) else None,
        "marks": marks,
        "reason": output.reason,
        "usage": UsageReport.from_usage(reply.usage),
    }


def _text(run: Result, item: str) -> str:
    """The text of an answer, with the documents that it cites."""
    line = run.lines[item]
    cited = f"\n\nCited: {', '.join(line.cited)}" if line.cited else ""
    return f"Answer: {', '.join(line.answer)}\n\n{line.text}{cited}"
