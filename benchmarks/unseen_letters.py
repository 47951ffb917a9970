"""What stands first in the answer to a letter that nothing was learned from.

    python benchmarks/unseen_letters.py medquad=NAME bioasq=NAME covidqa=NAME [--show]

Each NAME is a corpus built of the set's texts. 152 letters are answered by a sentence of their collection; no training
letter is about its disease or its paper (`scripts/letters.py`). 50 ask for what no text of it says. They were written
from the texts, without a look at what the program answers. The patterns say what a first quote, with its title, must
name and what it must say. Verdicts are strict:

- answers: the first quote says what is asked, of the subject that is asked about;
- on the subject: it only names the subject;
- true nothing: nothing is shown as an answer, and the collection has none;
- else: another subject, an answer where there is none, or nothing where there is one.

They are for the last measurement of a change: whoever looks at single letters to mend something needs new ones.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from medground import Engine, Settings
from medground.values.answer import Answer
from medground_evaluate.statistics import wilson

LETTERS = Path(__file__).with_name("unseen_letters.jsonl")
VERDICTS = ("answers", "on the subject", "true nothing", "else")


def verdict(letter: Mapping[str, Any], answer: Answer) -> str:
    """What the first line of an answer is worth: one of `VERDICTS`."""
    if answer.decision.status == "unanswerable" or not answer.evidence:
        return "else" if letter["answer"] else "true nothing"
    lead = answer.evidence[0]
    title = next(document.title for document in answer.documents if document.id == lead.document_id)
    if not letter["answer"] or not re.search(letter["subject"], f"{title} {lead.quote}", re.IGNORECASE):
        return "else"
    return "answers" if re.search(letter["answer"], lead.quote, re.IGNORECASE) else "on the subject"


async def main() -> None:
    """Print how many letters got which verdict; with `--show` each that got no answer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", metavar="SET=NAME")
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    names = dict(pair.split("=", 1) for pair in arguments.corpora)
    with LETTERS.open(encoding="utf-8") as file:
        letters = [json.loads(line) for line in file]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for name, corpus in names.items():
        async with await Engine.open(Settings.load(options={"retrieval.corpora": corpus})) as engine:
            for letter in (letter for letter in letters if letter["corpus"] == name):
                answer = await engine.ask(letter["question"])
                found = verdict(letter, answer)
                counts["with an answer" if letter["answer"] else "with none"][found] += 1
                if arguments.show and found not in ("answers", "true nothing"):
                    print(f"{letter['id']} {found} | {letter['question']} | {letter['reason']}")
    print(f"{'':16}", *VERDICTS, sep=" | ")
    for kind, own in counts.items():
        shares = (f"{own[one]} of {own.total()} ({_interval(own[one], own.total())})" for one in VERDICTS)
        print(f"{kind:16}", *shares, sep=" | ")


def _interval(number: int, total: int) -> str:
    low, high = wilson(number, total)
    return f"{100 * low:.0f} to {100 * high:.0f} %"


if __name__ == "__main__":
    asyncio.run(main())
