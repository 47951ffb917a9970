"""Measures how many unsupported statements join the next query of `self-medrag`, with and without its drift guard.

    python benchmarks/self_medrag_drift.py [--data ../shared/data] [--limit N] [--critic check|critic] [--home FOLDER]

The writer is scripted: it writes the authors' conclusion of the question's own paper, a right rationale in other words
than those of the abstract. Questions are PubMedQA's outside the test split; its 1,000 abstracts are searched by words,
without their titles, which are the questions. Printed: of the statements that the critic does not find supported in
round 1, those that join the query; and whether the own abstract is among the five passages of the second round, of the
questions that have one. `--critic critic` takes minutes.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pubmed_reasoner import without_titles
from pubmedqa import FILE, Record, read, shown

from medground.answering.run import Run
from medground.answering.trace import Trace, read_trace
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.home.settings import Settings
from medground.language.sentences import sentence_spans
from medground.models.base import CallLimits, Keyless, Reply
from medground.models.operators.base import Operator
from medground.models.operators.reasoning import ReasonInput, ReasonOutput, SubClaim
from medground.models.registry import Models
from medground.recipes.self_medrag import SELF_MEDRAG
from medground.sources.corpus import CorpusSource
from medground.values.question import Question
from medground.values.usage import Usage

WRITER = "scripted:writer"


@dataclass
class Writer:
    """Writes a conclusion, cites the first sentence that it is shown, and says yes."""

    conclusion: str
    name = identity = WRITER
    cacheable = False

    async def answer(self, operator: Operator[Any, Any], value: ReasonInput, limits: CallLimits) -> Reply[Any]:
        """The rationale."""
        texts = [self.conclusion[start:end] for start, end in sentence_spans(self.conclusion)]
        first = value.passages[0].sentences[0].id
        claims = tuple(SubClaim(text=text, sentences=(first,)) for text in texts)
        return Reply(output=ReasonOutput(claims=claims, answer=("yes",)), usage=Usage())

    async def close(self) -> None:
        """Nothing is open."""


async def rounds(record: Record, sources: Sequence[CorpusSource], settings: Settings) -> list[Any]:
    """The attributes of the rounds of one question."""
    with TemporaryDirectory() as folder:
        trace = Trace("drift", Path(folder) / "drift.jsonl")
        opened: Mapping[str, Any] = {"keyless": Keyless(), WRITER: Writer(record["long_answer"])}
        question = Question.ask(record["question"], task="yes-no-maybe")
        run = Run(question, settings, SELF_MEDRAG, sources, Models("keyless", {"reason": WRITER}, dict(opened)), trace)
        await SELF_MEDRAG.run(question, run)
        trace.close()
        return [s["attributes"] for s in read_trace(Path(folder), "drift") if s["name"] == "round"]


async def measured(records: Sequence[Record], library: Library, options: argparse.Namespace, drift: float) -> None:
    """Print one row."""
    chosen = {
        "self_medrag.drift": drift,
        "self_medrag.retrieval": "bm25",
        "self_medrag.rounds": 2,
        "verify.critic": options.critic,
        "verify.taxonomy": False,
    }
    settings = Settings.load(environ={"MEDGROUND_HOME": str(options.home)}, options=chosen)
    with library.open("untitled") as snapshot:
        all_rounds = [await rounds(record, [CorpusSource(snapshot)], settings) for record in records]
    unsupported = sum(len(found[0].get("medground.text.unsupported", ())) for found in all_rounds)
    joined = unsupported - sum(found[0].get("medground.drifted", 0) for found in all_rounds)
    pairs = zip(records, all_rounds, strict=True)
    own = [f"PMID:{r['pmid']}" in found[1]["medground.documents"] for r, found in pairs if len(found) > 1]
    share = f"{joined} of {unsupported} ({joined / max(unsupported, 1):.1%})"
    print(f"| {drift} | {share} | {shown(own) if own else '-'} |", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--limit", type=int, default=200)
    parser.add_argument("--critic", default="check")
    parser.add_argument("--home", type=Path, default=Path(), help="a home folder with the critic that was fetched")
    options = parser.parse_args()
    records = read(options.data / "pubmedqa", "train")[: options.limit]
    with TemporaryDirectory() as folder:
        library = Library(Path(folder))
        build(library, "untitled", [without_titles(i) for i in find_inputs([options.data / "pubmedqa" / FILE])])
        print("| drift | unsupported statements that join | own abstract in round 2 |\n| --- | --- | --- |")
        for drift in (0.3, 0.0):
            asyncio.run(measured(records, library, options, drift))


if __name__ == "__main__":
    main()
