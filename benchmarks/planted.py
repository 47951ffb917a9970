"""Measures how many errors planted in real sentences a critic catches, and its false alarms.

    python benchmarks/planted.py DATA_FOLDER [--critic keyless] [--split "held out"] [--per-kind 500] [--seed 0]

`scripts/planted_errors.py` makes the errors from abstracts that were not used to write the rules: those that SciFact's
development claims cite, PubMedQA's test split, and Evidence Inference's validation and test articles. The premise is
the sentence's own abstract. An error is caught if the critic says that there is no evidence, or a contradiction, or
raises a flag (for a judge: anything but `entails`). It is caught `by name` if a flag matches the kind of error, such as
`number` for a changed number. `unchanged` is the original sentence, which a critic of words cannot get wrong, so there
is a harder test: SciFact's SUPPORT claims against their rationale, which says the same in other words, with and without
planted errors. Sentences in which a kind of error cannot be planted are not counted. Intervals are Wilson's, 95 %.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from judging import KEYLESS, alarmed, judge
from verification import as_claim, claim_pairs, share

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

from planted_errors import KINDS, collected, plant, planted

FOLDERS = ("scifact", "pubmedqa", "evidence_inference")
BY_NAME: Mapping[str, frozenset[str]] = {
    "negation": frozenset(("negation",)),
    "number": frozenset(("number",)),
    "direction": frozenset(("direction",)),
    "subject": frozenset(("subject", "population", "comparison order")),
    "strengthened": frozenset(("certainty", "cause")),
}
"""The flags that match each kind of error."""

Case = tuple[str, str, str]
"""The kind of change, the statement, the premise."""


def sentence_cases(data: Path, split: str, per_kind: int, seed: int) -> list[Case]:
    """A random sample of planted errors and unchanged sentences, with their own abstracts."""
    texts = collected([data / folder for folder in FOLDERS], "train" if split == "train" else "held out")
    by_kind: dict[str, list[Case]] = defaultdict(list)
    for line in planted(texts, seed):
        by_kind[line.kind].append((line.kind, line.statement, line.premise))
    dice = random.Random(seed)
    return [case for cases in by_kind.values() for case in dice.sample(cases, min(per_kind, len(cases)))]


def claim_cases(data: Path, split: str, seed: int) -> list[Case]:
    """SUPPORT claims against their rationale, unchanged and with planted errors, and the REFUTE claims."""
    pairs = list(claim_pairs(data / "scifact", "train" if split == "train" else "dev"))
    supported = [pair for pair in pairs if pair.label == "SUPPORT"]
    cases = [("unchanged claim", pair.claim, pair.rationale) for pair in supported]
    dice = random.Random(seed)
    for kind in KINDS:
        for pair in supported:
            others = (
                [p.claim for p in supported if p.document != pair.document] if kind == "foreign" else [pair.abstract]
            )
            if changed := plant(kind, pair.claim, dice, others=others):
                cases.append((f"claim, {kind}", changed, pair.rationale))
    return [*cases, *(("REFUTE claim", pair.claim, pair.rationale) for pair in pairs if pair.label == "REFUTE")]


def table(critic: str, cases: Sequence[Case]) -> Iterable[str]:
    """The lines of one table."""
    started = time.perf_counter()
    judgements = judge(critic, [as_claim(statement, premise) for _, statement, premise in cases])
    seconds = time.perf_counter() - started
    by_kind = defaultdict(list)
    for (kind, *_), judgement in zip(cases, judgements, strict=True):
        by_kind[kind].append(judgement)
    yield "| statement | n | caught, or false alarm | by name | no evidence |"
    yield "| --- | --- | --- | --- | --- |"
    for kind, found in by_kind.items():
        names = BY_NAME.get(kind.removeprefix("claim, "), frozenset())
        named = (
            f"{sum(bool(names & set(j.flags)) for j in found) / len(found):.1%}" if names and critic == KEYLESS else ""
        )
        neutral = sum(j.relation == "neutral" for j in found) / len(found)
        yield f"| {kind} | {len(found):,} | {share(sum(map(alarmed, found)), len(found))} | {named} | {neutral:.1%} |"
    failed = sum(j.relation == "failed" for j in judgements)
    yield f"\n{critic}: {len(cases):,} pairs, {len(cases) / seconds:,.0f} pairs/s, failed {failed}"


def main() -> None:
    """Print two tables per critic."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--critic", action="append")
    parser.add_argument("--split", choices=("train", "held out"), default="held out")
    parser.add_argument("--per-kind", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    parts = {
        "sentences against their own abstracts": sentence_cases(
            arguments.data, arguments.split, arguments.per_kind, arguments.seed
        ),
        "SciFact's claims against their rationale": claim_cases(arguments.data, arguments.split, arguments.seed),
    }
    for critic in arguments.critic or [KEYLESS]:
        for title, cases in parts.items():
            print(f"\n{critic}, {arguments.split}: {title}\n")
            print("\n".join(table(critic, cases)), flush=True)


if __name__ == "__main__":
    main()
