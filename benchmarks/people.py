"""Do answers start with what people ask? Questions in people's words on the diseases of MedQuAD.

    python benchmarks/people.py DATA CORPUS [--each 10] [--seed 7] [--wordings people_wordings.json]

DATA holds `medquad/qa.jsonl.gz`; CORPUS is built of it, each answer under its question, with ids `MQ:SET:NUMBER`. The
wordings were written by somebody who had read neither the program nor those that it learned from; MedQuAD's diseases
and answers are learned from. For each kind of question it prints how often the first quote is from an answer on the
same disease to a question of the same kind or one near it, is from another answer on it, is on something else, and how
often the answer is refused.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

from marked import Marked
from marked_people import NEAR, people

from medground import Engine, Settings

OUTCOMES = ("the answer", "same disease", "something else", "refused")


async def outcome(one: Marked, engine: Engine) -> tuple[str, str]:
    """What stands first in the answer to a question: its outcome, and the quote."""
    answer = await engine.ask(one.question)
    if not answer.evidence or answer.decision.status == "unanswerable":
        return "refused", ""
    lead = answer.evidence[0]
    kinds = one.gold.get(lead.document_id)
    if kinds is None:
        return "something else", lead.quote
    right = one.kind in kinds or not NEAR.get(one.kind, set()).isdisjoint(kinds)
    return ("the answer" if right else "same disease"), lead.quote


async def main() -> None:
    """Print the table, and the questions that do not start with their answer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("corpus")
    parser.add_argument("--each", type=int, default=10)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--wordings", type=Path, default=Path(__file__).parent / "people_wordings.json")
    arguments = parser.parse_args()
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    marked = people(arguments.data, "people", seed=arguments.seed, each=arguments.each, wordings=arguments.wordings)
    async with await Engine.open(Settings.load(options={"retrieval.corpora": arguments.corpus})) as engine:
        for one in marked:
            found, quote = await outcome(one, engine)
            counts[one.kind][found] += 1
            counts["all"][found] += 1
            if found != "the answer":
                print(f"{found} | {one.kind} | {one.question} | {' '.join(quote.split())[:160]}")
    print(f"{'':18}", *OUTCOMES, sep=" | ")
    for kind, own in counts.items():
        print(f"{kind:18}", *(f"{own[name]} of {own.total()}" for name in OUTCOMES), sep=" | ")


if __name__ == "__main__":
    asyncio.run(main())
