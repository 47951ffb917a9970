"""What stands on top for 300 questions of people, from which one threshold was chosen (`_NEAR` in `context.py`).

    python benchmarks/stories.py bioasq=NAME medquad=NAME pubmed=NAME jats=NAME covidqa=NAME [--set b | c] [--show]

Each NAME is a corpus built of the set's texts. A writer who never saw the program read one text at a time and asked for
what one or two of its sentences say, in stories too; 40 questions are on subjects that no set holds. The patterns say
what a first quote or its title must name, and what the answer would match. Weights once learned from
all of them, so the figures do not say how new questions fare. For each corpus it prints how often the first quote is
the answer, is on the subject, is on something else, and how often the answer is refused.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from medground import Engine, Settings
from medground.values.answer import Answer

QUESTIONS = Path(__file__).parent.parent / "scripts" / "people_questions.jsonl"
OUTCOMES = ("the answer", "on the subject", "something else", "refused")


def outcome(row: dict[str, Any], answer: Answer) -> str:
    """What stands first in an answer."""
    if answer.decision.status == "unanswerable" or not answer.evidence:
        return "refused"
    lead = answer.evidence[0]
    title = next(one.title for one in answer.documents if one.id == lead.document_id)
    if row["answer"] and re.search(row["answer"], lead.quote, re.IGNORECASE):
        return "the answer"
    seen = f"{lead.quote} {title}"
    named = all(re.search(part, seen, re.IGNORECASE) for part in row["subject"].split(";") if part)
    return "on the subject" if named else "something else"


async def main() -> None:
    """Print the table; with `--show` each question that does not begin with its answer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", metavar="SET=NAME")
    parser.add_argument("--set", choices=["b", "c"])
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    names = dict(pair.split("=", 1) for pair in arguments.corpora)
    names["none"] = f"{names['medquad']},{names['bioasq']}"
    with QUESTIONS.open(encoding="utf-8") as file:
        rows = [row for row in map(json.loads, file) if row["id"].startswith(arguments.set or "")]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for corpus in dict.fromkeys(row["corpus"] for row in rows):
        async with await Engine.open(Settings.load(options={"retrieval.corpora": names[corpus]})) as engine:
            for row in (one for one in rows if one["corpus"] == corpus):
                found = outcome(row, await engine.ask(row["question"]))
                counts[corpus][found] += 1
                counts["held" if corpus != "none" else "not held"][found] += 1
                if arguments.show and found != ("the answer" if corpus != "none" else "refused"):
                    print(f"{row['id']} | {found} | {row['question']}")
    print(f"{'':9}", *OUTCOMES, sep=" | ")
    for corpus, own in counts.items():
        print(f"{corpus:9}", *(f"{own[name]} of {own.total()}" for name in OUTCOMES), sep=" | ")


if __name__ == "__main__":
    asyncio.run(main())
