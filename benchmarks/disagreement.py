"""Measures how often sources are reported as disagreeing, without a model.

    python benchmarks/disagreement.py [--data ../shared/data] [--limit 250] [--home FOLDER]

Through the engine: broad and narrow questions to the open trial abstracts of Evidence Inference (broad: a treatment and
an outcome that several trials may cover; narrow: from the set's own pairs, each of a single trial), the yes-no
questions of BioASQ tasks 7b to 9b to a corpus of their snippets, and PubMedQA's test split. By the rule alone: all
pairs of snippets that experts chose for a BioASQ question, from different papers; and the claims of SciFact against the
sentences that contradict them (known opposites) or support them (false alarms). Each pair found is
printed with both quotes for a reader to judge, because words cannot.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import random
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

from marked import build_corpus, lines

from medground.answer import Answer, Conflict
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.corpus.readers.pubmedqa import open_pubmedqa
from medground.engine import Engine
from medground.operators.keyless.disagreement import Finding, difference
from medground.question import Question
from medground.settings import Settings

CORPUS = "trials"
ABSTRACTS = "evidence_inference/rct_abstracts_open.jsonl.gz"
PUBMEDQA = "pubmedqa/pqa_l.jsonl.gz"
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
    prompts = list(lines(path))
    random.Random(seed).shuffle(prompts)
    short = [p for p in prompts if len(p["intervention"]) < LONGEST and len(p["outcome"]) < LONGEST]
    asked = dict.fromkeys(f"Does {p['intervention']} affect {p['outcome']}?" for p in short)
    return list(asked)[:limit]


def ready(settings: Settings, data: Path) -> None:
    """Build the corpus if it is missing."""
    library = Library(settings.home)
    if CORPUS in library.list():
        return
    source = settings.home / f"{CORPUS}.jsonl"
    source.parent.mkdir(parents=True, exist_ok=True)
    with source.open("w", encoding="utf-8") as file:
        for record in {r["pmid"]: r for r in lines(data / ABSTRACTS) if r.get("pmid") and r["abstract"]}.values():
            abstract = " ".join(section["text"] for section in record["abstract"])
            fields = {"pmid": record["pmid"], "title": record["title"], "abstract": abstract}
            file.write(json.dumps(fields | {"year": int(record["year"]), "journal": record["journal"]}) + "\n")
    build(library, CORPUS, find_inputs([source]))


def bioasq(data: Path) -> list[dict[str, Any]]:
    """The questions of tasks 7b to 9b."""
    files = (data / "bioasq" / f"task{task}b.json.gz" for task in "789")
    return [question for file in files for question in json.loads(gzip.decompress(file.read_bytes()))["questions"]]


def pairs(questions: Sequence[Mapping[str, Any]]) -> None:
    """Compare the snippets of each question, and print those that differ."""
    compared, found = 0, set()
    for question in questions:
        snippets = sorted({(s["document"].rsplit("/", 1)[1], s["text"]) for s in question["snippets"]})
        for (paper, text), (other, its) in combinations(snippets, 2):
            compared += paper != other
            if paper != other and difference(question["body"], Finding("", text), Finding("", its)):
                found.add((question["id"], question["body"]))
                print(f"\n{question['id']} {question['body']}\n  {paper}: {text}\n  {other}: {its}")
    print(f"\n{compared:,} pairs of snippets of {len(questions):,} questions: found in {len(found)} questions")


def opposites(data: Path) -> None:
    """Compare SciFact's claims with the sentences that experts marked."""
    texts = {str(r["doc_id"]): r["abstract"] for r in lines(data / "scifact" / "corpus.jsonl.gz")}
    seen: Counter[str] = Counter()
    for record in (r for split in ("train", "dev") for r in lines(data / "scifact" / f"claims_{split}.jsonl")):
        for document, marked in record["evidence"].items():
            for one in marked:
                quote = " ".join(texts[document][n] for n in one["sentences"])
                seen[one["label"]] += 1
                seen[f"{one['label']}, found"] += (
                    difference(record["claim"], Finding("", record["claim"]), Finding("", quote)) is not None
                )
    for label in ("CONTRADICT", "SUPPORT"):
        print(f"SciFact, {label}: found {seen[f'{label}, found']} of {seen[label]}")


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


async def through_engine(name: str, asked: Mapping[str, Sequence[str]], home: Mapping[str, str]) -> None:
    """Ask sets of questions of one corpus and print a row for each."""
    settings = Settings.load(options={"retrieval.corpora": (name,), "retrieval.dense": "false", **home})
    async with await Engine.open(settings) as engine:
        counts = {title: await count(engine, questions) for title, questions in asked.items()}
    print("\n| questions | asked | with sources that seem to disagree |\n| --- | --- | --- |")
    for title, questions in asked.items():
        print(f"| {title} | {len(questions)} | {counts[title]} |")


async def run(options: argparse.Namespace) -> None:
    home = {"home": str(options.home)} if options.home else {}
    settings, data = Settings.load(options=home), options.data
    ready(settings, data)
    pubmedqa = [r for r in lines(data / PUBMEDQA) if r["split"] == "test"]
    if not Library(settings.home).has("pubmedqa"):
        build(Library(settings.home), "pubmedqa", [open_pubmedqa(data / PUBMEDQA)])
    experts = bioasq(data)
    closed = [question["body"] for question in experts if question["type"] == "yesno"]
    trials = {"broad": broad(), "narrow": narrow(data / PROMPTS, options.limit)}
    await through_engine(CORPUS, trials, home)
    await through_engine(build_corpus("bioasq", data, settings.home), {"BioASQ, yes or no": closed}, home)
    await through_engine("pubmedqa", {"PubMedQA": [r["question"] for r in pubmedqa]}, home)
    pairs(experts)
    opposites(data)


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
