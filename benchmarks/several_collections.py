"""Does a first line change because other collections are searched too? Letters, with their own collection and with all.

    python benchmarks/several_collections.py medquad=NAME bioasq=NAME --all NAME,NAME,... [--most 115]

Asks the letters of `scripts/letters_choosing.jsonl` that have an answer, first in the collection that holds it, then in
all. A first quote *answers* by a pattern, is on the *subject* by another, or is something *else*; or the letter is
*refused*. These letters chose between models, so the figures compare changes and promise nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections import Counter
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path

from medground import Engine, Settings
from medground.values.answer import Answer

LETTERS = Path(__file__).parent.parent / "scripts" / "letters_choosing.jsonl"


def outcome(letter: Mapping[str, str], answer: Answer) -> tuple[str, str]:
    """What the first quote of an answer is, and the quote; empty where the letter is refused."""
    if not answer.evidence or answer.decision.status == "unanswerable":
        return "refused", ""
    lead = answer.evidence[0]
    said = f"{ {one.id: one.title for one in answer.documents}.get(lead.document_id, '') } {lead.quote}"
    if not re.search(letter["subject"], said, re.IGNORECASE):
        return "else", lead.quote
    return ("answers" if re.search(letter["answer"], lead.quote, re.IGNORECASE) else "subject"), lead.quote


async def main() -> None:
    """Print a line for each letter whose first quote changes, then both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", help="name of a set = name of its collection")
    parser.add_argument("--all", required=True)
    parser.add_argument("--most", type=int, default=115)
    arguments = parser.parse_args()
    own = dict(pair.split("=") for pair in arguments.corpora)
    letters = [json.loads(line) for line in LETTERS.read_text(encoding="utf-8").splitlines()]
    letters = [one for one in letters if one.get("answer") and one["corpus"] in own][: arguments.most]
    alone, together, same = Counter[str](), Counter[str](), 0
    async with AsyncExitStack() as stack:
        names = {arguments.all, *own.values()}
        engines = {
            name: await stack.enter_async_context(await Engine.open(Settings.load(options={"retrieval.corpora": name})))
            for name in names
        }
        for letter in letters:
            answers = [await engines[name].ask(letter["question"]) for name in (own[letter["corpus"]], arguments.all)]
            one, other = (outcome(letter, answer) for answer in answers)
            alone[one[0]] += 1
            together[other[0]] += 1
            same += one == other
            if one != other:
                print(" | ".join([letter["id"], letter["question"][:80], *(part[:100] for part in (*one, *other))]))
    print(f"own: {dict(alone)}\nall: {dict(together)}\nthe same first quote: {same} of {len(letters)}")


if __name__ == "__main__":
    asyncio.run(main())
