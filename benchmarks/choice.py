"""Measures answering a choice from retrieved paragraphs: evidence per option, its lean, and a model's sets of options.

    python benchmarks/choice.py BIOMEDMCQS --corpus literature [--model local] [--limit 40] [--out FILE]
        [--paragraphs 5] [--each-option] [--report [--without-keywords]]

BIOMEDMCQS is the file or folder of the set `biomedmcqs`; the corpus holds its abstracts (`docs/evaluation.md`). Each
question searches the corpus by words and vectors, fused by RRF; the passages of the first ten papers are the
paragraphs, and those nearest to question and options by cosine are read. With `--each-option` every option is searched
for by itself, too, and as many papers are taken for each. With `--report` the paragraphs are those of the report that
the recipe biomedsearch writes from the corpus alone, which is not shown the options, and the passages that it read.
`--out` keeps a line for each question, and the same command resumes. An answer is right only if the set is exactly
right. The baselines of `medground eval audit` are computed on the same questions.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import time
from pathlib import Path
from typing import Any

from medground.answering.declaration import Declaration
from medground.answering.rank.fuse import distinct, fuse
from medground.answering.run import Run
from medground.answering.trace import Trace
from medground.answering.write.choice import choose, report_paragraphs
from medground.engine.engine import Engine
from medground.errors import ModelFailed
from medground.home.settings import Settings
from medground.models.operators.reasoning import choose_options
from medground.recipes.biomedsearch.recipe import BIOMEDSEARCH, biomedsearch
from medground.recipes.settings import BioMedSearchSettings
from medground.values.lookup import Lookup
from medground_evaluate.auditing import audit
from medground_evaluate.datasets.registry import open_dataset
from medground_evaluate.items import Item
from medground_evaluate.statistics import wilson

PAPERS = 10
DECLARED = Declaration(name="choice", operators=(choose_options,), settings=BioMedSearchSettings)


async def one(item: Item, engine: Engine, section: BioMedSearchSettings, *, each: bool, report: bool) -> dict[str, Any]:
    """The line of one question."""
    settings = engine.settings.with_section(section)
    run = Run(item.question, settings, DECLARED, engine.sources, engine.models, trace=Trace("choice", None))
    began = time.monotonic()
    asked = [Lookup.words(item.question.text, also=" ".join(o.text for o in item.question.options))]
    found = await run.look_up(*asked, *(Lookup.words(o.text) for o in item.question.options if each))
    hits = distinct(fuse([ranking for result in found for ranking in result.rankings], k=60))
    most = PAPERS * (1 + len(item.question.options) * each)
    papers: dict[str, None] = {}
    kept = []
    for hit in hits:
        papers.setdefault(hit.passage.document_id)
        if len(papers) > most:
            break
        kept.append(hit.passage.text)
    line: dict[str, Any] = {
        "id": item.id,
        "gold": sorted(item.gold),
        "letters": [o.letter for o in item.question.options],
    }
    try:
        chosen = await choose(
            item.question, kept if not report else await report_of(item, run), run, most=5, embedder="minilm"
        )
    except ModelFailed as error:
        return line | {"failed": error.reason[:200], "answer": [], "seconds": round(time.monotonic() - began, 2)}
    return line | {
        "answer": list(chosen.answer),
        "lean": list(chosen.lean),
        "leans": {option.letter: round(option.lean, 3) for option in chosen.options},
        "sentences": {option.letter: len(option.sentences) for option in chosen.options},
        "seconds": round(time.monotonic() - began, 2),
        "tokens": [run.usage.input_tokens, run.usage.output_tokens],
    }


async def report_of(item: Item, run: Run) -> list[str]:
    """The paragraphs of the report on the question, without its options, and the passages that the report read."""
    asked = item.question.model_copy(update={"task": "free", "options": ()})
    of_report = Run(asked, run.settings, BIOMEDSEARCH, run.sources, run.models, trace=Trace("report", None))
    paragraphs = report_paragraphs(await biomedsearch(asked, of_report))
    found = of_report.research.found.values() if of_report.research else ()
    return [*paragraphs, *dict.fromkeys(hit.passage.text for one in found for hit in one.hits)]


def share(name: str, right: int, of: int) -> str:
    """A share with its 95 % Wilson interval, in %."""
    low, high = wilson(right, of)
    value = 100 * right / of if of else 0.0
    return f"{name:<44} {value:5.1f} [{100 * low:.1f}, {100 * high:.1f}]  {right} of {of}"


def told(lines: list[dict[str, Any]], field: str) -> None:
    """Print how often the set is exactly right, and how often each option is judged right."""
    given = [line for line in lines if line.get(field)]
    print(share(f"{field}: exact set", sum(line[field] == line["gold"] for line in given), len(lines)))
    print(
        share(f"{field}: exact set where one is given", sum(line[field] == line["gold"] for line in given), len(given))
    )
    options = [(letter in line[field], letter in line["gold"]) for line in given for letter in line["letters"]]
    print(share(f"{field}: options", sum(a == b for a, b in options), len(options)))


def auc(lines: list[dict[str, Any]]) -> float:
    """How often a right option has a higher lean than a wrong one of the same question; ties count half."""
    won = pairs = 0.0
    for line in lines:
        leans = line.get("leans", {})
        for right in line["gold"]:
            for wrong in set(leans) - set(line["gold"]):
                pairs += 1
                won += (leans[right] > leans[wrong]) + (leans[right] == leans[wrong]) / 2
    return won / pairs if pairs else 0.5


async def measured(arguments: argparse.Namespace) -> None:
    """Run what is not there yet, and print the figures."""
    loader = open_dataset("biomedmcqs")
    items = list(loader.read(loader.find(arguments.data), "test"))
    if arguments.limit:
        random.Random(0).shuffle(items)
        items = items[: arguments.limit]
    options = {"retrieval.corpora": tuple(arguments.corpus), "model.default": arguments.model}
    section = BioMedSearchSettings(
        paragraphs=arguments.paragraphs, tools=("literature",), use_keywords=not arguments.without_keywords
    )
    settings = Settings.load(options=options)
    lines = []
    if arguments.out and arguments.out.exists():
        lines = [json.loads(text) for text in arguments.out.read_text(encoding="utf-8").splitlines()]
    done = {line["id"] for line in lines}
    async with await Engine.open(settings) as engine:
        for item in items:
            if item.id in done:
                continue
            lines.append(await one(item, engine, section, each=arguments.each_option, report=arguments.report))
            if arguments.out:
                with arguments.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(lines[-1]) + "\n")
    wanted = {item.id for item in items}
    lines = [line for line in lines if line["id"] in wanted]
    print(f"{len(lines)} questions, model {arguments.model}, {sum(line['seconds'] for line in lines):.0f} s")
    told(lines, "lean")
    print(f"{'lean: right above wrong (AUC)':<44} {auc(lines):.3f}")
    if arguments.model != "keyless":
        told(lines, "answer")
        print(share("no usable output", sum("failed" in line for line in lines), len(lines)))
    print(share("options with a sentence shown", *shown(lines)))
    for baseline in audit(items, models=len(items) >= 50).baselines:
        print(share(f"blind: {baseline.name}", baseline.count, baseline.of))


def shown(lines: list[dict[str, Any]]) -> tuple[int, int]:
    """How many options have a sentence, and how many options there are."""
    counts = [count for line in lines for count in line.get("sentences", {}).values()]
    return sum(count > 0 for count in counts), len(counts)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--corpus", action="append", required=True)
    parser.add_argument("--model", default="keyless")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--each-option", action="store_true")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--without-keywords", action="store_true")
    parser.add_argument("--paragraphs", type=int, default=BioMedSearchSettings().paragraphs)
    asyncio.run(measured(parser.parse_args()))
