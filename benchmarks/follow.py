"""Follow-up questions as people type them: is the question that is asked in the end the one that was meant?

    python benchmarks/follow.py [--half first|held-out] [--show]
    python benchmarks/follow.py --alone ../shared/data
    python benchmarks/follow.py --conversations FILE [--show]

Each line of `follow.jsonl` has a former question, the follow-up, and what it means, keyed by hand before it was read:

- `reads`: wordings of the question that is meant. `!refuse`: the former question does not tell, which should be said.
- `needs`, `without`: what any other wording of it contains, and what none does.
- `half`: `first` is learned from (`scripts/train_choosing.py`); `held-out` was drawn at random within each kind and is
  measured, never looked at. All pairs were written by one person who had read the rule of then, so they are no sample
  of users.

A reading is `right` if it is one of `reads`, or holds all of `needs` and nothing of `without`. Otherwise it is `told`
if it was said that it cannot be decided, `as typed` if the follow-up was left alone, and `wrong` if it was changed
into something else. Baselines: the follow-up as it was typed, and a pronoun replaced by the words after the first
auxiliary.

`--conversations` reads conversations, of which the first turn stands by itself. Of every other turn it is known what
the question that is asked has to name (`needs`, with `|` between names of one thing), what it must not name
(`without`), or which `paper` it is about; `quotes` are the papers that its answer quotes, `back` the two things about
which it may be asked back. A turn is `carried` if that holds, `asked back` if two readings are given or none, `bare`
if it lacks something, and `another` if it names what it must not, or is about another paper. All conversations of the
project (`scripts/conversations.jsonl`) are learned from: measure on others, and show none of their turns.

`--alone` asks each question of PubMedQA's test split after an unrelated one: it should stay as it was typed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from medground.errors import UsageError
from medground.language.follow_up import follow_up, read_follow_up
from medground.values.answer import Answer, SourceDocument
from medground.values.question import Question
from medground_evaluate.statistics import wilson

PAIRS = Path(__file__).with_name("follow.jsonl")
LEARNED = Path(__file__).parent.parent / "scripts" / "follow_pairs.jsonl"
TURNS = ("carried", "asked back", "bare", "another")
OUTCOMES = ("right", "told", "as typed", "wrong")
REFUSED = "!refuse"


def by_rule(asked: str, former: str) -> str:
    """The reading of Medground, or `!refuse`."""
    try:
        return read_follow_up(asked, former).text
    except UsageError:
        return REFUSED


def as_typed(asked: str, former: str) -> str:
    """The follow-up alone."""
    return asked


def first_words(asked: str, former: str) -> str:
    """A pronoun replaced by the two words after the first word of the former question."""
    subject = " ".join(former.split()[1:3])
    return re.sub(r"\b(?:it|its|they|them|their)\b", subject, asked, flags=re.IGNORECASE)


def outcome(pair: dict[str, Any], read: str) -> str:
    """What a reading is worth: one of `OUTCOMES`."""
    if _plain(read) in map(_plain, pair["reads"]):
        return "right"
    if read == REFUSED:
        return "told"
    lower = read.lower()
    fits = all(part.lower() in lower for part in pair["needs"]) and not any(
        part.lower() in lower for part in pair["without"]
    )
    if fits and pair["needs"] and pair["kind"] != "whole":
        return "right"
    return "as typed" if _plain(read) == _plain(pair["asked"]) else "wrong"


def _plain(text: str) -> str:
    if text == REFUSED:
        return text
    words = re.findall(r"[\w'-]+", text.lower().replace("’", "'"))
    return " ".join(word for word in words if word not in ("a", "an", "the"))


def _row(name: str, found: list[str]) -> str:
    counts = Counter(found)
    low, high = wilson(counts["right"], len(found))
    shares = " | ".join(f"{100 * counts[kind] / len(found):.0f}" for kind in OUTCOMES)
    return f"| {name} | {len(found)} | {shares} | {100 * low:.0f} to {100 * high:.0f} |"


def stay_alone(data: Path) -> None:
    """Print how many of PubMedQA's test questions stay as typed, each after the question before it."""
    with gzip.open(data / "pubmedqa" / "pqa_l.jsonl.gz", "rt", encoding="utf-8") as lines:
        questions = [row["question"] for row in map(json.loads, lines) if row["split"] == "test"]
    found = [_plain(by_rule(asked, former)) == _plain(asked) for former, asked in pairwise(questions)]
    low, high = wilson(sum(found), len(found))
    print(f"as typed: {sum(found)} of {len(found)} ({sum(found) / len(found):.1%}; {low:.1%} to {high:.1%})")


class _Quote:
    """A quote, of which a conversation needs only the paper."""

    def __init__(self, document_id: str) -> None:
        self.document_id = document_id


def _answered(question: Question, quotes: list[dict[str, Any]]) -> Answer:
    """An answer that quotes these papers, as far as the next question needs it."""
    documents = tuple(
        SourceDocument(id=paper["id"], title=paper["title"], kind="research", publication_types=tuple(paper["types"]))
        for paper in quotes
    )
    evidence = tuple(_Quote(paper["id"]) for paper in quotes)
    return Answer.model_construct(question=question, trace_id="former", documents=documents, evidence=evidence)


def turns(conversation: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Of each turn but the first: one of `TURNS`, what was typed, and how it was read."""
    first, *others = conversation["turns"]
    question, found = Question.ask(first["asked"]), []
    quotes = first.get("quotes", [])
    for turn in others:
        read = follow_up(turn["asked"], _answered(question, quotes), 2026)
        follows = read.follows
        assert follows is not None
        if follows.unclear:
            found.append(("asked back", turn["asked"], follows.unclear))
            continue
        told = f"{read.text} [{follows.paper}]" if follows.paper else " / ".join(follows.choices) or read.text
        found.append((_turn(turn, read), turn["asked"], told))
        question, quotes = read, turn.get("quotes", [])
    return found


def _turn(turn: dict[str, Any], read: Question) -> str:
    lower, follows = read.text.lower(), read.follows
    if follows is not None and follows.choices:
        return "asked back"
    paper = follows.paper if follows else None
    if paper != turn.get("paper"):
        return "another" if paper else "bare"
    if any(name.lower() in lower for name in turn.get("without", ())):
        return "another"
    needs = (names.lower().split("|") for names in turn.get("needs", ()))
    return "carried" if all(any(name in lower for name in names) for names in needs) else "bare"


def show_conversations(file: Path, *, show: bool) -> None:
    """Print how the turns of the conversations of a file were read."""
    told = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    read = [list(zip(turns(one), one["turns"][1:], strict=True)) for one in told]
    found = [turn for conversation in read for turn in conversation]
    counts = Counter(outcome for (outcome, _, _), _ in found)
    back = Counter(outcome for (outcome, _, _), turn in found if turn.get("back"))
    low, high = wilson(counts["carried"], len(found))
    print(f"{len(read)} conversations, {len(found)} turns: " + ", ".join(f"{n} {counts[n]}" for n in TURNS))
    print(f"of these, where two things may be meant: {dict(back)}")
    print(f"carried: {counts['carried'] / len(found):.0%} ({low:.0%} to {high:.0%})")
    if show:
        for (outcome, asked, text), _ in found:
            print(f"{outcome:11}{asked} -> {text}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("first", "held-out"), default="first")
    parser.add_argument("--show", action="store_true", help="print every reading that is not right")
    parser.add_argument("--alone", type=Path, metavar="DATA", help="ask questions that need no other one")
    parser.add_argument("--conversations", type=Path, metavar="FILE", help="read conversations of several turns")
    chosen = parser.parse_args()
    if chosen.alone:
        stay_alone(chosen.alone)
        return
    if chosen.conversations:
        show_conversations(chosen.conversations, show=chosen.show)
        return
    if chosen.show and chosen.half == "held-out":
        parser.error("readings of the held-out half are not shown, so that nothing is mended with them")
    file = LEARNED if chosen.half == "first" else PAIRS
    pairs = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    pairs = [pair for pair in pairs if pair["half"] == chosen.half]
    print(f"| {chosen.half} half, % | n | {' | '.join(OUTCOMES)} | right, 95 % |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | --- |")
    readers: dict[str, Callable[[str, str], str]] = {
        "as typed": as_typed,
        "words after the auxiliary": first_words,
        "Medground": by_rule,
    }
    for name, read in readers.items():
        print(_row(name, [outcome(pair, read(pair["asked"], pair["former"])) for pair in pairs]))
    for kind in dict.fromkeys(pair["kind"] for pair in pairs):
        of_kind = [pair for pair in pairs if pair["kind"] == kind]
        print(_row(f"- {kind}", [outcome(pair, by_rule(pair["asked"], pair["former"])) for pair in of_kind]))
    if chosen.show:
        for pair in pairs:
            read = by_rule(pair["asked"], pair["former"])
            if (result := outcome(pair, read)) != "right":
                print(f"{result:9}{pair['kind']:12}{pair['former']} / {pair['asked']} -> {read}")


if __name__ == "__main__":
    main()
