"""Measures how often sources are reported as disagreeing, without a model, on abstracts of randomised trials.

    python benchmarks/disagreement.py [--data ../shared/data] [--limit 250] [--home FOLDER]

There are two sets of questions over the open trial abstracts of Evidence Inference: broad ones about a treatment and an
outcome that several trials may cover, and narrow ones made from the set's own pairs of intervention and outcome, each
from a single trial. Each pair found is printed with both quotes for a reader to judge, because words cannot.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from medground.answer import Answer, Conflict
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.engine import Engine
from medground.question import Question
from medground.settings import Settings

CORPUS = "trials"
ABSTRACTS = "evidence_inference/rct_abstracts_open.jsonl.gz"
PROMPTS = "evidence_inference/prompts_labelled.jsonl.gz"
LONGEST = 40
"""Maximum characters of an intervention or outcome; longer ones describe the arms of a single trial."""

BROAD: Mapping[str, tuple[str, ...]] = {
    "vitamin D supplementation": ("insulin sensitivity", "respiratory infection", "bone density", "blood pressure"),
    "omega-3 fatty acids": ("depression", "cognition", "inflammation", "triglycerides"),
    "probiotics": ("diarrhoea", "infection", "irritable bowel syndrome", "eczema"),
    "zinc supplementation": ("diarrhoea", "growth", "pneumonia"),
    "vitamin A supplementation": ("infant mortality", "infection"),
    "metformin": ("body weight", "insulin resistance"),
    "exercise training": ("quality of life", "depression", "body weight", "blood pressure", "fatigue", "cognition"),
    "acupuncture": ("pain", "nausea", "pregnancy rate", "hot flushes"),
    "cognitive behavioural therapy": ("depression", "insomnia", "anxiety", "pain"),
    "green tea": ("body weight", "cholesterol"),
    "folic acid": ("homocysteine", "cognition"),
    "iron supplementation": ("anaemia", "growth", "cognition"),
    "dexamethasone": ("postoperative pain", "nausea and vomiting"),
    "ketamine": ("postoperative pain", "depression"),
    "soy isoflavones": ("cholesterol", "hot flushes", "bone density"),
    "melatonin": ("sleep", "anxiety"),
    "mindfulness": ("stress", "depression", "pain"),
    "text message reminders": ("adherence", "attendance"),
    "motivational interviewing": ("alcohol consumption", "physical activity", "smoking cessation"),
    "azithromycin": ("trachoma", "asthma"),
    "corticosteroids": ("mortality", "pain", "lung function"),
    "yoga": ("back pain", "depression", "quality of life"),
    "protein supplementation": ("muscle mass", "muscle strength"),
    "intermittent preventive treatment": ("malaria", "anaemia"),
    "telemonitoring": ("mortality", "hospitalisation", "quality of life"),
}


def broad() -> list[str]:
    """Questions whether a treatment improves an outcome."""
    return [f"Does {treatment} improve {outcome}?" for treatment, outcomes in BROAD.items() for outcome in outcomes]


def narrow(path: Path, limit: int, seed: int = 7) -> list[str]:
    """Questions made from the set's own interventions and outcomes."""
    prompts = list(records(path))
    random.Random(seed).shuffle(prompts)
    short = [p for p in prompts if len(p["intervention"]) < LONGEST and len(p["outcome"]) < LONGEST]
    asked = dict.fromkeys(f"Does {p['intervention']} affect {p['outcome']}?" for p in short)
    return list(asked)[:limit]


def records(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a gzipped JSON Lines file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def ready(settings: Settings, data: Path) -> None:
    """Build the corpus if it is missing."""
    library = Library(settings.home)
    if CORPUS in library.list():
        return
    source = settings.home / f"{CORPUS}.jsonl"
    source.parent.mkdir(parents=True, exist_ok=True)
    with source.open("w", encoding="utf-8") as file:
        for record in {r["pmid"]: r for r in records(data / ABSTRACTS) if r.get("pmid") and r["abstract"]}.values():
            abstract = " ".join(section["text"] for section in record["abstract"])
            fields = {"pmid": record["pmid"], "title": record["title"], "abstract": abstract}
            file.write(json.dumps(fields | {"year": int(record["year"]), "journal": record["journal"]}) + "\n")
    build(library, CORPUS, find_inputs([source]))


async def count(engine: Engine, questions: Sequence[str]) -> int:
    """Ask all questions, print each disagreement, and return how many questions have one."""
    with_one = 0
    for question in questions:
        answer = await engine.ask(Question.ask(question))
        with_one += bool(answer.conflicts)
        for conflict in answer.conflicts:
            show(question, answer, conflict)
    return with_one


def show(question: str, answer: Answer, conflict: Conflict) -> None:
    """Print one disagreement with the first quote of each side."""
    quotes = {evidence.id: evidence for evidence in answer.evidence}
    print(f"\n{question} ({conflict.about})")
    for side in conflict.sides:
        first = quotes[side.evidence[0]]
        print(f"  {len(side.evidence)} quotes, {first.document_id}: {first.quote}")


async def run(options: argparse.Namespace) -> None:
    home = {"home": str(options.home)} if options.home else {}
    settings = Settings.load(options={"retrieval.corpora": (CORPUS,), **home})
    ready(settings, options.data)
    sets = {"broad": broad(), "narrow": narrow(options.data / PROMPTS, options.limit)}
    async with await Engine.open(settings) as engine:
        counts = {name: await count(engine, questions) for name, questions in sets.items()}
    print("\n| questions | asked | with sources that seem to disagree |\n| --- | --- | --- |")
    for name, questions in sets.items():
        print(f"| {name} | {len(questions)} | {counts[name]} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--limit", type=int, default=250)
    parser.add_argument(
        "--home", type=Path, help="Medground's home folder, where the corpus is built; the usual one by default"
    )
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
