"""What `pubmed-reasoner` searches with and what that costs, when a capable model answers: PubMedQA's test split.

    python benchmarks/reasoner_queries.py [--data ../shared/data] [--limit 30] [--preset NAME] [--set KEY=VALUE ...]

The model is scripted from the gold data of the question in hand: it names the headings of the question's own article,
joins all that it is left with by AND (as the paper's examples do), and takes the article's conclusion as evidence. So
MeSH recall is an upper bound that only the recipe's own limits lower, and searches and calls are those that the recipe
itself asks for. `--keyless` lets word statistics answer instead.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import tempfile
from pathlib import Path
from typing import Any

from medground.answering.run import Run
from medground.answering.trace import Trace, read_trace
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.home.layers import parse_options
from medground.home.settings import Settings
from medground.language.mesh_terms import POOR
from medground.models.base import CallLimits, Keyless, Reply
from medground.models.operators.base import Operator
from medground.models.registry import Models
from medground.recipes.base import open_recipe
from medground.recipes.pubmed_reasoner.operators import MOST_TERMS
from medground.sources.corpus import CorpusSource
from medground.values.question import Question
from medground.values.usage import Usage
from medground_evaluate.metrics.measures import final_query
from medground_evaluate.metrics.searching import heading_scores, headings_of

CAPABLE = "scripted:capable"
WORDS = Keyless()


class CapableModel:
    """Answers from a record of PubMedQA; what it has no script for, word statistics answer, as a model call."""

    name = identity = CAPABLE
    cacheable = False

    def __init__(self, record: dict[str, Any]) -> None:
        headings = sorted(record["meshes"], key=lambda heading: heading.casefold() in POOR)  # subjects first
        self._headings = headings[:MOST_TERMS]
        self._pmid = f"PMID:{record['pmid']}"
        self._title = record["question"]

    async def answer(self, operator: Operator[Any, Any], value: Any, limits: CallLimits) -> Reply[Any]:
        """The scripted output of an operator."""
        scripted = getattr(self, f"_{operator.name}", None)
        output = scripted(value) if scripted else (await WORDS.answer(operator, value, limits)).output
        output = operator.output.model_validate(output) if isinstance(output, dict) else output
        operator.check(value, output)
        return Reply(output=output, usage=Usage(model_calls=1))

    async def close(self) -> None:
        """Nothing is open."""

    def _mesh_terms(self, value: Any) -> dict[str, Any]:
        return {"terms": [{"heading": heading} for heading in self._headings]}

    def _select_terms(self, value: Any) -> dict[str, Any]:
        return {"selected": [candidate.heading for candidate in value.candidates]}

    def _draft_query(self, value: Any) -> dict[str, Any]:
        return {"query": joined([term.heading for term in value.terms] or self._headings)}

    def _write_query(self, value: Any) -> dict[str, Any]:
        return {"query": joined(self._headings)}

    def _alignment(self, value: Any) -> dict[str, Any]:
        found = any(signal.title == self._title for signal in value.signals)
        return {"verdicts": [{"heading": term.heading, "verdict": found} for term in value.terms]}

    def _coverage(self, value: Any) -> dict[str, Any]:
        return self._alignment(value)

    def _redundancy(self, value: Any) -> dict[str, Any]:
        return {"verdicts": [{"heading": term.heading, "verdict": False} for term in value.terms]}

    def _self_critic(self, value: Any) -> dict[str, Any]:
        found = int(any(signal.title == self._title for signal in value.signals))
        said = {"coverage": found, "alignment": found, "redundancy": 1}
        return {"query": joined(self._headings if found else self._headings[:2]), **said}

    def _update_terms(self, value: Any) -> dict[str, Any]:
        return {"terms": [{"heading": one.heading} for one in value.feedback] or self._mesh_terms(value)["terms"]}

    def _refine_query(self, value: Any) -> dict[str, Any]:
        few = not value.history[-1].found
        return {"query": joined([t.heading for t in value.terms][: 2 if few else None] or self._headings[:2])}

    def _screen(self, value: Any) -> dict[str, Any]:
        own = [p.id for p in value.passages if p.title == self._title]
        return {"relevant": own or [p.id for p in value.passages]}

    def _extract(self, value: Any) -> dict[str, Any]:
        own = [p for p in value.passages if p.title == self._title] or value.passages[:1]
        return {"sentences": [{"sentence": p.sentences[-1].id, "stance": "supports"} for p in own if p.sentences]}

    def _sufficient(self, value: Any) -> dict[str, Any]:
        return {"sufficient": any(e.title == self._title for e in value.evidence)}

    def _respond(self, value: Any) -> dict[str, Any]:
        said = [{"text": o.text, "evidence": list(o.evidence)} for o in value.summary[:2]]
        return {"sentences": said, "answer": ["yes"] if said else []}

    def _check(self, value: Any) -> dict[str, Any]:
        best = value.evidence[0].id if value.evidence else None
        told = [{"statement": s.id, "relation": "entails", "best": best} for s in value.statements]
        return {"statements": told, "found": value.answer, "result": "follows" if value.answer else None}


def joined(headings: list[str]) -> str:
    """All headings with AND, as in the paper's examples."""
    return " AND ".join(f'"{heading}"[mesh]' for heading in headings)


async def ask(record: dict[str, Any], source: CorpusSource, settings: Settings, *, keyless: bool) -> dict[str, Any]:
    """One question: its final query, searches, counts and calls."""
    model = CapableModel(record)
    name = "keyless" if keyless else CAPABLE
    trace = Trace(str(record["pmid"]), settings.home / "traces" / f"{record['pmid']}.jsonl")
    recipe = open_recipe(settings.recipe.name)
    run = Run(
        question=Question.ask(record["question"], task="yes-no-maybe"),
        settings=settings,
        recipe=recipe,
        sources=[source],
        models=Models(name, {}, {CAPABLE: model, "keyless": WORDS}),
        trace=trace,
    )
    answer = await recipe.run(run.question, run)
    trace.close()
    spans = read_trace(settings.home / "traces", str(record["pmid"]))
    asked = [s["name"].removeprefix("operator ") for s in spans if s["name"].startswith("operator ")]
    return {
        "query": final_query(spans) or "",
        "searches": answer.usage.searches,
        "counts": answer.usage.counts,
        "calls": len(asked),
        "verifying": asked.count("check"),
        "own": f"PMID:{record['pmid']}" in {e.document_id for e in answer.evidence},
    }


async def measure(records: list[dict[str, Any]], settings: Settings, *, keyless: bool) -> list[dict[str, Any]]:
    """All questions, in sequence."""
    with Library(settings.home).open("pubmedqa") as snapshot:
        return [await ask(record, CorpusSource(snapshot), settings, keyless=keyless) for record in records]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--limit", type=int, default=30)
    parser.add_argument("--preset")
    parser.add_argument("--keyless", action="store_true", help="word statistics answer, not the scripted model")
    parser.add_argument("--set", dest="sets", action="append", default=[])
    options = parser.parse_args()
    path = options.data / "pubmedqa" / "pqa_l.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        records = [r for r in map(json.loads, lines) if r["split"] == "test"][: options.limit]
    with tempfile.TemporaryDirectory() as home:
        build(Library(Path(home)), "pubmedqa", find_inputs([path]))
        chosen = {"recipe.name": "pubmed-reasoner", **parse_options(options.sets)}
        settings = Settings.load(preset=options.preset, environ={"MEDGROUND_HOME": home}, options=chosen)
        found = asyncio.run(measure(records, settings, keyless=options.keyless))
    report(records, found)


def report(records: list[dict[str, Any]], found: list[dict[str, Any]]) -> None:
    """Print the means."""
    scores = heading_scores((headings_of(f["query"]), r["meshes"]) for r, f in zip(records, found, strict=True))

    def mean(name: str) -> float:
        return sum(f[name] for f in found) / len(found)

    print(f"questions                    {len(found)}")
    print(f"own abstract cited           {mean('own'):.1%}")
    print(f"MeSH precision, recall       {scores.precision or 0:.3f}, {scores.recall or 0:.3f}")
    print(f"searches that fetch, count   {mean('searches'):.2f}, {mean('counts'):.2f}")
    print(f"most searches of a question  {max(f['searches'] for f in found)}")
    print(f"calls, of these verification {mean('calls'):.2f}, {mean('verifying'):.2f}")


if __name__ == "__main__":
    main()
