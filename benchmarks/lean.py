"""Measures the calibrated lean on PubMedQA's official test split, with the question's own abstract given or retrieved.

    python benchmarks/lean.py PUBMEDQA_FOLDER [--split test] [--limit 500] [--bioasq FOLDER]

The majority class (always `yes`) is shown for comparison. `retrieved by text` searches only the abstracts, as for a
user's question; `retrieved` searches titles too, which in PubMedQA are the questions. `through the engine` are the
answers of the recipe `ground`, which lean on the papers that they quote; with `--bioasq` also those to the yes-no
questions of BioASQ tasks 7b to 9b, whose corpus holds snippets, not whole abstracts. Intervals are Wilson's, 95 %. The
calibration error uses ten bins of equal width over the probability of the likeliest answer. The lean was trained on the
training split, so figures on that split are meaningless.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

from marked import build_corpus

from medground import Answer, BlockingEngine, Settings
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers.pubmedqa import open_pubmedqa
from medground.corpus.snapshot import Snapshot
from medground.lean.model import Lean, lean
from medground.query import Words
from medground.question import Task

FILE = "pqa_l.jsonl.gz"
Record = Mapping[str, Any]


def read(folder: Path, split: str) -> list[Record]:
    """Records of one split, in the order of the file; `train` is every record outside the test split."""
    with gzip.open(folder / FILE, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return [r for r in records if (r["split"] == "test") == (split == "test")]


def wilson(right: int, of: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % Wilson interval of a share."""
    if of == 0:
        return 0.0, 1.0
    share, spread = right / of, z * math.sqrt(right / of * (1 - right / of) / of + z * z / (4 * of * of))
    middle, scale = share + z * z / (2 * of), 1 + z * z / of
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def calibration_error(probabilities: Sequence[float], right: Sequence[bool], bins: int = 10) -> float:
    """Expected calibration error."""
    sure, hits = np.array(probabilities), np.array(right)
    place = np.minimum((sure * bins).astype(int), bins - 1)
    return float(sum(abs(hits[place == b].sum() - sure[place == b].sum()) for b in range(bins)) / len(sure))


def error_by_chance(probabilities: Sequence[float], draws: int = 2000, seed: int = 0) -> tuple[float, float]:
    """Calibration error of a perfect model with these probabilities by chance: mean, 95th percentile."""
    random = np.random.default_rng(seed)
    sure = np.asarray(probabilities)
    errors = [calibration_error(probabilities, list(random.random(len(sure)) < sure)) for _ in range(draws)]
    return float(np.mean(errors)), float(np.quantile(errors, 0.95))


def shown(right: Sequence[bool]) -> str:
    """A share with its interval."""
    low, high = wilson(sum(right), len(right))
    share = sum(right) / len(right) if right else float("nan")
    return f"{share:6.1%} [{low:.1%}, {high:.1%}] of {len(right)}"


def retriever(snapshot: Snapshot, *, text_only: bool) -> tuple[Callable[[Record], str], Counter[str]]:
    """A function that returns the text of the top document for a record, and a count of how often it is its own."""
    counted: Counter[str] = Counter()

    def top(record: Record) -> str:
        hits = snapshot.bm25(Words(text=record["question"], field="text" if text_only else None), 1)
        if not hits:
            counted["none"] += 1
            return ""
        found = hits[0].passage.document_id
        counted["own" if found == f"PMID:{record['pmid']}" else "another"] += 1
        return snapshot.documents([found])[found].text

    return top, counted


def report(name: str, records: Sequence[Record], leans: Sequence[Lean]) -> None:
    """Print the results for one way of providing the abstract."""
    likeliest = [max(found.probabilities, key=lambda v, f=found: f.probabilities[v]) for found in leans]
    right = [value == record["final_decision"] for value, record in zip(likeliest, records, strict=True)]
    sure = [found.probability for found in leans]
    half = sorted(range(len(leans)), key=lambda i: (-sure[i], i))[: len(leans) // 2]
    judged = [hit for hit, found in zip(right, leans, strict=True) if found.value is not None]
    print(f"{name}\n  accuracy, all answered      {shown(right)}")
    print(f"  accuracy, surest half       {shown([right[i] for i in half])}")
    print(f"  accuracy where judged       {shown(judged)}")
    print(f"  not judged                  {1 - len(judged) / len(leans):6.1%}")
    print(f"  calibration error           {calibration_error(sure, right):6.3f}")
    mean, high = error_by_chance(sure)
    print(f"    of a perfect model         {mean:6.3f} by chance, below {high:.3f} in 95 of 100 draws")
    print(f"  leans                       {dict(Counter(likeliest).most_common())}")
    for threshold in (0.5, 0.6, 0.7, 0.8):
        over = [hit for hit, probability in zip(right, sure, strict=True) if probability >= threshold]
        print(f"  probability >= {threshold}          {shown(over)}")


def engine_report(name: str, home: Path, corpus: str, asked: Sequence[tuple[str, str]], task: Task) -> None:
    """Print how often answers of the engine lean, how often that is right, and on how many papers.

    Args:
        name: what is printed.
        home: the folder of the corpora.
        corpus: the corpus to search.
        asked: each question with its right answer.
        task: the form of the questions.
    """
    settings = Settings.load(environ={"MEDGROUND_HOME": str(home)}, options={"retrieval.dense": "false"})
    with BlockingEngine.open(settings, corpora=corpus) as engine:
        answers = [engine.ask(question, task=task) for question, _ in asked]
    leans = [(a, gold) for a, (_, gold) in zip(answers, asked, strict=True) if a.decision.status == "lean"]
    right = [answer.decision.shown() == gold for answer, gold in leans]
    mean = np.mean([answer.decision.probability for answer, _ in leans])
    print(f"{name}, through the engine\n  right where it leans        {shown(right)}, mean probability {mean:.1%}")
    print(f"  always 'yes', the same       {shown([gold == 'yes' for _, gold in leans])}")
    quoted = sum(_rests_on(a) <= {e.document_id for e in a.evidence} for a, _ in leans)
    print(f"  named papers all quoted     {quoted} of {len(leans)}")
    print(f"  papers named                {dict(sorted(Counter(len(_rests_on(a)) for a, _ in leans).items()))}")


def _rests_on(answer: Answer) -> set[str]:
    """The papers that the reason of a lean names."""
    return {document.id for document in answer.documents if re.search(rf"{document.id}\b", answer.decision.reason)}


def bioasq(folder: Path) -> list[tuple[str, str]]:
    """The yes-no questions of tasks 7b to 9b with their answers."""
    files = (folder / f"task{task}b.json.gz" for task in "789")
    questions = (q for file in files for q in json.loads(gzip.decompress(file.read_bytes()))["questions"])
    return [(q["body"], q["exact_answer"].lower()) for q in questions if q["type"] == "yesno"]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--split", choices=("test", "train"), default="test")
    parser.add_argument("--limit", type=int, default=500)
    parser.add_argument("--bioasq", type=Path)
    arguments = parser.parse_args()
    records = read(arguments.folder, arguments.split)[: arguments.limit]
    classes = Counter(r["final_decision"] for r in records)
    majority = classes.most_common(1)[0][0]
    print(f"{len(records)} questions, {dict(classes.most_common())}")
    print(f"always {majority!r}                  {shown([r['final_decision'] == majority for r in records])}")
    report("own abstract given", records, [lean(r["question"], r["contexts"]) for r in records])
    with tempfile.TemporaryDirectory() as home:
        library = Library(Path(home))
        build(library, "pubmedqa", [open_pubmedqa(arguments.folder / FILE)])
        with library.open("pubmedqa") as snapshot:
            for name, text_only in (("retrieved by text", True), ("retrieved", False)):
                top, counted = retriever(snapshot, text_only=text_only)
                report(name, records, [lean(r["question"], [top(r)]) for r in records])
                print(f"  top document is             {dict(counted.most_common())}")
        asked = [(r["question"], r["final_decision"]) for r in records]
        engine_report("PubMedQA", Path(home), "pubmedqa", asked, "yes-no-maybe")
        if arguments.bioasq:
            name = build_corpus("bioasq", arguments.bioasq.parent, Path(home))
            engine_report("BioASQ", Path(home), name, bioasq(arguments.bioasq), "yes-no")


if __name__ == "__main__":
    main()
