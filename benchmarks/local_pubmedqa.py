"""Measures a model on PubMedQA's official test split, with the own abstract given, through the `write` operator.

    python benchmarks/local_pubmedqa.py PUBMEDQA_FOLDER RESULTS.jsonl [--model local] [--count 60] [--home FOLDER]

Any model name that the settings accept works. The questions are the first `--count` of a fixed shuffle of the split. A
missing, unreadable or failed answer counts as wrong. Each result is appended to RESULTS.jsonl at once; run the same
command to resume. The majority class of the same questions is shown for comparison; intervals are Wilson's, 95 %.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pubmedqa import Record, read, shown

from medground.errors import ModelFailed
from medground.home.settings import Settings
from medground.models.base import CallLimits
from medground.models.operators.answering import ReadInput, read_and_answer
from medground.models.operators.base import SentencedPassage, SentenceView
from medground.models.registry import Models, open_models
from medground.values.usage import Usage

Result = Mapping[str, Any]


def question_of(record: Record) -> ReadInput:
    """The input of `read_and_answer`: the question, and each section of the abstract as a passage of one sentence."""
    labels = [*record["labels"], *[""] * len(record["contexts"])]
    year = int(record["year"]) if record["year"] else None
    passages = tuple(
        SentencedPassage(
            id=f"P{n}", section=labels[n - 1], year=year, sentences=(SentenceView(id=f"P{n}.S1", text=text),)
        )
        for n, text in enumerate(record["contexts"], start=1)
        if text.strip()
    )
    return ReadInput(question=record["question"], task="yes-no-maybe", passages=passages)


async def answered(models: Models, record: Record) -> Result:
    """One question: the model's answer and its cost. A failure is a result too."""
    started = time.monotonic()
    usage, answer, error = Usage(), None, None
    try:
        reply = await models.answer(read_and_answer, question_of(record), CallLimits())
        usage, answer = reply.usage, next(iter(reply.output.answer), None)
    except ModelFailed as failed:
        usage, error = failed.usage or usage, str(failed)
    return {
        "model": models.of(read_and_answer.name).name,
        "pmid": record["pmid"],
        "expected": record["final_decision"],
        "answer": answer,
        "error": error,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "seconds": round(time.monotonic() - started, 2),
    }


def stored(path: Path, model: str) -> dict[str, Result]:
    """Results of an earlier run of the same model, by PMID. Incomplete lines are ignored."""
    found: dict[str, Result] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            result = json.loads(line)
        except json.JSONDecodeError:
            continue
        if result["model"] == model:
            found[result["pmid"]] = result
    return found


async def run(models: Models, records: Sequence[Record], path: Path) -> list[Result]:
    """Results for all records. Those not yet stored are asked in sequence."""
    known = stored(path, models.of(read_and_answer.name).name)
    with path.open("a", encoding="utf-8") as file:
        if path.stat().st_size and not path.read_text(encoding="utf-8").endswith("\n"):
            file.write("\n")
        for number, record in enumerate(records, start=1):
            if record["pmid"] not in known:
                known[record["pmid"]] = result = await answered(models, record)
                file.write(json.dumps(result) + "\n")
                file.flush()
                print(f"{number}/{len(records)} {result['expected']:5} {result['answer']} {result['seconds']} s")
    return [known[record["pmid"]] for record in records]


def report(results: Sequence[Result]) -> None:
    """Print the table."""
    expected = Counter(r["expected"] for r in results)
    majority = expected.most_common(1)[0][0]
    n = len(results)
    print(f"{results[0]['model']} on {n} questions, {dict(expected.most_common())}")
    print(f"accuracy              {shown([r['answer'] == r['expected'] for r in results])}")
    print(f"always {majority!r}          {shown([r['expected'] == majority for r in results])}")
    print(f"answers               {dict(Counter(str(r['answer']) for r in results).most_common())}")
    print(f"failed                {sum(r['error'] is not None for r in results)}")
    print(f"no answer             {sum(r['answer'] is None and r['error'] is None for r in results)}")
    print(f"tokens in / question  {sum(r['input_tokens'] for r in results) / n:,.0f}")
    print(f"tokens out / question {sum(r['output_tokens'] for r in results) / n:,.0f}")
    print(f"seconds / question    {sum(r['seconds'] for r in results) / n:,.2f}")


async def main() -> None:
    """Ask the questions, store the results and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--model", default="local")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--home", type=Path, help="Medground's home folder; the usual one by default")
    arguments = parser.parse_args()
    records = read(arguments.folder, "test")
    random.Random(0).shuffle(records)
    # The call cache would make a second run look fast; the results file is enough to resume.
    options: dict[str, Any] = {"model.default": arguments.model, "model.cache": False, "model.timeout": 600.0}
    if arguments.home:
        options["home"] = str(arguments.home)
    models = open_models(Settings.load(options=options), [read_and_answer.name])
    try:
        report(await run(models, records[: arguments.count], arguments.results))
    finally:
        await models.close()


if __name__ == "__main__":
    asyncio.run(main())
