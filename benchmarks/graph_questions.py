"""Questions to the starter corpus as people ask them: right, refused although it is stored, or wrong.

    python benchmarks/graph_questions.py [--show]

Each line of `graph_questions.jsonl` has the question, the answer that the release supports, and ids alone:

- `answer`: `yes`, `no`, `undecided` (facts that do not settle it), `facts` (an open question), `not recorded` or
  `not understood`. It was decided from the data files of the release, not from what the reader made of it.
- `must`: pairs of a subject (`*` for any) and an object that have to be among the facts shown.
- `about`: the only subjects that facts may have; `objects`: the only objects, or more specific ones.
- `half`: 1 for the questions written before the code, 2 for those written after it, 3 and 4 for two later batches, each
  written before the code was mended with it. docs/measurements/answers.md has what each batch found when it was new.

An answer is wrong if its decision differs, if a fact is about anything else, or if a fact that it must have is missing.
A question that is not understood is refused, also where nothing is recorded: that refusal is true. The opposite is
wrong.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from medground.corpus.library import GRAPH_FILE, Library
from medground.engine.blocking import BlockingEngine
from medground.graph.relation import Relation, StatedAt
from medground.graph.store import GraphStore
from medground.home.settings import Settings
from medground.values.answer import Answer
from medground_evaluate.statistics import wilson

QUESTIONS = Path(__file__).with_name("graph_questions.jsonl")
_BATCHES = {
    "written before the code": (1,),
    "written after it": (2,),
    "third batch": (3,),
    "fourth batch": (4,),
    "all": (1, 2, 3, 4),
}


def outcome(asked: dict[str, Any], answer: Answer, store: GraphStore) -> str:
    """`right`, `refused` or `wrong`."""
    expected, decision = asked["answer"], answer.decision
    if decision.status == "unanswerable":
        unread = "did not understand" in decision.reason
        if expected == "not understood" and not unread:
            return "wrong"
        return "right" if expected == ("not understood" if unread else "not recorded") else "refused"
    if expected in ("not recorded", "not understood"):
        return "wrong"
    facts = [store.stated_at(StatedAt(e.document_id, e.start, e.end)) for e in answer.evidence]
    relations = [fact for fact in facts if fact is not None]
    if len(relations) < len(facts) or not _fits(asked, relations, store):
        return "wrong"
    if answer.question.task == "free":
        absent = [relation for relation in relations if relation.excluded]
        return "wrong" if absent and expected == "yes" else "right"
    said = decision.shown() if decision.status == "decided" else "undecided"
    if expected == "facts":
        return "right" if said == "undecided" or asked.get("closed") else "wrong"
    return "right" if said == expected else "wrong"


def _fits(asked: dict[str, Any], relations: list[Relation], store: GraphStore) -> bool:
    shown = {(relation.subject.id, relation.object.id) for relation in relations}
    anywhere = {("*", thing) for _, thing in shown}
    if not {tuple(pair.split()) for pair in asked.get("must", [])} <= shown | anywhere:
        return False
    if "about" in asked and not {subject for subject, _ in shown} <= {*asked["about"]}:
        return False
    wanted = {kind for one in asked.get("objects", []) for kind in (one, *store.descendants(one))}
    return not wanted or {thing for _, thing in shown} <= wanted


def main() -> None:
    """Ask every question and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--show", action="store_true", help="Print the questions that were refused or wrong.")
    show = parser.parse_args().show
    asked = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    counts: Counter[tuple[int, str]] = Counter()
    settings = Settings.load(options={"retrieval.corpora": ("starter",)})
    with BlockingEngine(settings) as engine, Library(settings.home).open("starter") as snapshot:
        path = snapshot.attachment(GRAPH_FILE)
        if path is None:
            raise SystemExit("the corpus starter has no graph; build it with medground corpus starter")
        with GraphStore.open(path) as store:
            for one in asked:
                answer = engine.ask(one["question"])
                result = outcome(one, answer, store)
                counts[one["half"], result] += 1
                if show and result != "right":
                    print(f"{result}: {one['question']} | expected {one['answer']} | {answer.decision.reason[:150]}")
    print("| questions | right | refused | wrong | right, with 95% interval |")
    print("| --- | --- | --- | --- | --- |")
    for name, halves in _BATCHES.items():
        right, refused, wrong = (
            sum(counts[half, result] for half in halves) for result in ("right", "refused", "wrong")
        )
        total = right + refused + wrong
        if not total:
            continue
        low, high = wilson(right, total)
        print(f"| {name} | {right} | {refused} | {wrong} | {right / total:.1%} ({low:.1%} to {high:.1%}) |")


if __name__ == "__main__":
    main()
