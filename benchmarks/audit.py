"""Measures `medground check` on texts with known faults.

    python benchmarks/audit.py DATA [--texts FOLDER --truth FILE] [--repeat N] [--show]

DATA has `refs/` (the stored papers), `texts/`, `truth.json` and `audit_score.py`, as its README says. Printed: the
scorer's table, the same by hand and by script, marks joined to their paper, comparisons with exchanged arms, planted
absences, and the CPU time. `--repeat` checks the texts so often, each time with other words in every sentence, so that
no sentence was seen before. The fetched critic is needed; it is taken from the user's home folder.

The set was used to learn from while the rules were written: of other texts a held-out one tells.
"""

from __future__ import annotations

import argparse
import json
import random
import runpy
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers.every import find_inputs
from medground.engine.blocking import BlockingEngine
from medground.home.settings import Settings

CORPUS = "audit"
CLEAN = ("supported", "not_checked")
PLANTED = 300
FORMS = (
    "No data on {} were given (PMID: {}).",
    "This trial does not report {} (PMID: {}).",
    "{} was not studied (PMID: {}).",
    "Nothing is said about {} (PMID: {}).",
)


THINGS = (
    "mortality", "adverse events", "quality of life", "pain score", "body weight", "blood pressure", "heart rate",
    "length of stay", "readmission", "infection", "fever", "nausea", "vomiting", "fatigue", "depression", "anxiety",
    "sleep quality", "cholesterol", "blood glucose", "insulin resistance", "bone mineral density", "fracture",
    "kidney function", "liver enzymes", "hearing loss", "visual acuity", "school attendance", "cost-effectiveness",
    "adherence", "smoking", "alcohol use", "physical activity", "dietary intake", "vaccination", "birth weight",
    "gestational age", "breastfeeding", "tumor response", "recurrence", "overall survival", "hemoglobin", "ferritin",
    "oxygen saturation", "lung function", "gait speed", "cognitive function", "seizures", "stroke", "sample size",
    "satisfaction", "recruitment", "allocation concealment", "inflammation", "cytokine levels", "wound healing",
)  # fmt: skip
"""What papers of medicine report or do not."""


def kinds(engine: BlockingEngine, sentences: Sequence[str]) -> list[str]:
    """The kind of each sentence, checked as a text of its own paragraph."""
    found = engine.check_text("\n\n".join(sentences)).findings
    return [one.kind for one in found]


def exchanged(engine: BlockingEngine, data: Path) -> None:
    """Print what is said of comparisons, and of the same with their arms exchanged."""
    pairs = json.loads((data / "exchanged_arms.json").read_text(encoding="utf-8"))
    for name in ("true", "exchanged"):
        papers = [engine.search(pair["true"], limit=1).hits[0].passage.document_id for pair in pairs]
        asked = [
            f"{pair[name].rstrip('.')} ({paper.replace(':', ': ')})." for pair, paper in zip(pairs, papers, strict=True)
        ]
        print(f"comparisons, {name}: {dict(Counter(kinds(engine, asked)))}")


def absences(engine: BlockingEngine, dice: random.Random) -> None:
    """Print what is said of absences of things that a paper names, and of those of which it has no word."""
    papers = [one for one in Library(engine.settings.home).open(CORPUS).all_documents() if one.id.startswith("PMID:")]
    texts = {one.id: f"{one.title} {one.text}".lower() for one in papers}
    false = [(t, one) for one in papers for t in THINGS if t in one.text.lower()]
    true = [(t, one) for one in papers for t in THINGS if not any(word in texts[one.id] for word in t.split())]
    for name, drawn in (("false", false), ("true", true)):
        some = dice.sample(drawn, min(PLANTED, len(drawn)))
        told = [FORMS[n % len(FORMS)].format(t, one.id.partition(":")[2]) for n, (t, one) in enumerate(some)]
        found = kinds(engine, [text[0].upper() + text[1:] for text in told])
        print(f"planted absences, {name}: {dict(Counter(found))}")


def scored(data: Path, truth: Path, found: list[dict[str, Any]], *, show: bool) -> None:
    """Print the scorer's table, its figures by hand and by script, and the marks that were joined."""
    scorer = runpy.run_path(str(data / "audit_score.py"))
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(found, file)
        file.flush()
        scorer["main"](str(truth), file.name, *map(str, sorted((data / "refs").iterdir())))
    rows = [(row, said or {}) for row, said in scorer["match"](json.loads(truth.read_text(encoding="utf-8")), found)]
    for by in ("hand", "script"):
        own = [(row["kind"], said.get("kind", "none")) for row, said in rows if row["by"] == by]
        faults = [pair for pair in own if pair[0] not in CLEAN]
        told = sum(said not in (*CLEAN, "none") for _, said in faults)
        passed, alarms = (
            sum(said == "supported" for _, said in faults),
            sum(said not in (*CLEAN, "none") for kind, said in own if kind in CLEAN),
        )
        clean = [said == "supported" for kind, said in own if kind == "supported"]
        print(
            f"{by}: {len(faults)} faults, by kind {sum(a == b for a, b in faults)}, told {told}, passed {passed}; ",
            end="",
        )
        print(f"clean ones supported {sum(clean)} of {len(clean)}, false alarms {alarms}")
    marks = [set(row["cited"]) <= set(said.get("cited", ())) for row, said in rows if row["cited"]]
    print(f"marks joined to their paper: {sum(marks)} of {len(marks)}")
    for row, said in rows if show else ():
        if said.get("kind") != row["kind"]:
            print(f"{row['kind']} -> {said.get('kind')}: {row['sentence']}\n    {said.get('reason')}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--texts", type=Path)
    parser.add_argument("--truth", type=Path)
    parser.add_argument("--repeat", type=int, default=0)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    models = Settings.load().home / "models"
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "models").symlink_to(models)
        build(Library(home), CORPUS, find_inputs([given.data / "refs"], None))
        with BlockingEngine({"home": home}, corpora=CORPUS) as engine:
            measured(engine, given)


def measured(engine: BlockingEngine, given: argparse.Namespace) -> None:
    """Print everything, for an engine with the stored papers."""
    texts = sorted((given.texts or given.data / "texts").iterdir())
    begun = time.process_time()
    found = [
        one.model_dump()
        for path in texts
        for one in engine.check_text(path.read_text("utf-8"), file=path.name).findings
    ]
    print(f"{len(found)} sentences, {time.process_time() - begun:.0f} s of CPU with the loading of the critic")
    scored(given.data, given.truth or given.data / "truth.json", found, show=given.show)
    exchanged(engine, given.data)
    absences(engine, random.Random(1))
    begun, count = time.process_time(), 0
    for turn in range(given.repeat):
        for path in texts:
            text = path.read_text("utf-8").replace(" the ", f" the {turn}th ")
            count += len(engine.check_text(text, file=path.name).findings)
    if count:
        print(f"{count} sentences, {time.process_time() - begun:.0f} s of CPU")


if __name__ == "__main__":
    sys.exit(main())
