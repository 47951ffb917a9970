"""Make the pairs for training the small critic: `python scripts/critic_pairs.py ../shared/data OUT`.

Writes `train.jsonl`, `second.jsonl` (a subset for the second half of training) and `valid.jsonl`, with premise,
statement, label and source per line. It only uses training material: SciFact's corpus without the abstracts that
development claims cite, and the training claims on the remaining abstracts; PubMedQA's training split; and Evidence
Inference's training articles. An article held out by one of them is not used for any.

There are three kinds of validation pairs: SciFact training claims on abstracts that development claims also cite (the
model is not trained on those abstracts, so they reveal nothing about the development claims), prompts from Evidence
Inference's validation split, and planted errors in one in forty abstracts, which training does not read.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any
from zlib import crc32

from pairing.changed import from_own_passage, from_summary
from pairing.claims import augmented, plain
from pairing.lines import lines
from pairing.near import from_near
from pairing.pair import Pair, Weights
from pairing.trials import from_trials
from planted_errors import collected
from real_sentences import Abstract

SECOND = {"own": 0.2, "near": 0.15, "trial": 0.35, "title": 1.0, "conclusion": 0.8, "claim": 1.0}
"""Share of each source's pairs, by the first word of its name, that the second half of training uses."""
FOLDERS = ("scifact", "pubmedqa", "evidence_inference")
_STATES = re.compile(
    r"\b(?:is|are|was|were|has|have|does|do|can|may|not|no|[a-z]{3,}(?:ates|izes|ises|uces|otes|bits|ases|oves|uses|"
    r"icts|ances|ents|ects|rols|ences|ires|esses|utes|eads|ults|ays|inds|ives|airs|gers|ports|ocks|itates|ines|ends|"
    r"odes|eals|ores|ains|acts|gets|inks|ers|ides|ows))\b"
)
_ABOUT = re.compile(
    r"^(?:effects?|role|impact|comparison|association|evaluation|a |the effect|study|use )", re.IGNORECASE
)


def spread(abstract: Abstract) -> bool:
    """Whether an abstract is one of the one in forty used for validation."""
    return crc32(abstract.document.encode()) % 40 == 0


def titles(data: Path, train: Sequence[Abstract]) -> Iterator[tuple[str, Abstract]]:
    """Titles that state something, with their abstracts."""
    known = {a.document: a for a in train}
    records = [("DOC:", "doc_id", r) for r in lines(data / "scifact" / "corpus.jsonl.gz")]
    for path in sorted((data / "evidence_inference").glob("rct_abstracts_*.jsonl.gz")):
        records += [("PMID:", "pmid", r) for r in lines(path)]
    for prefix, key, record in records:
        abstract = known.get(f"{prefix}{record[key]}")
        title = " ".join(record["title"].split()).split(": a ")[0].split(": A ")[0].rstrip(".")
        stated = 5 <= len(title.split()) <= 25 and "?" not in title and _STATES.search(title)
        if abstract and stated and not _ABOUT.search(title):
            yield f"{title}.", abstract


def conclusions(train: Sequence[Abstract]) -> Iterator[tuple[str, list[str]]]:
    """The last sentence of an abstract, and the sentences before it."""
    for abstract in train:
        *before, last = abstract.sentences
        if len(before) > 3 and last in abstract.usable:
            yield last, before


def drawn(pairs: Iterable[Pair], number: int, rng: random.Random) -> list[Pair]:
    """A random sample of at most `number` pairs."""
    found = list(pairs)
    return rng.sample(found, min(number, len(found)))


def claim_sets(data: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """SciFact's training claims without and with an abstract that development claims cite."""
    folder = data / "scifact"
    dev = {d for claim in lines(folder / "claims_dev.jsonl") for d in claim["cited_doc_ids"]}
    free, shared = [], []
    for claim in lines(folder / "claims_train.jsonl"):
        (shared if dev & set(claim["cited_doc_ids"]) else free).append(claim)
    return free, shared


def made(data: Path, number: int, seed: int) -> tuple[list[Pair], list[Pair]]:
    """Pairs for training, shuffled, and for validation. `number` is the number of pairs with planted errors."""
    rng = random.Random(seed)
    everything = collected([data / f for f in FOLDERS], "train")
    train, kept = [a for a in everything if not spread(a)], [a for a in everything if spread(a)]
    weights = Weights(s for a in train for s in a.sentences)
    corpus = {str(r["doc_id"]): r["abstract"] for r in lines(data / "scifact" / "corpus.jsonl.gz")}
    free, shared = claim_sets(data)
    prompts: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for prompt in lines(data / "evidence_inference" / "prompts_labelled.jsonl.gz"):
        prompts[prompt["split"]].append(prompt)
    pairs = [p for a in rng.sample(train, len(train)) for p in from_own_passage(a, rng, 1)][:number]
    for title, abstract in titles(data, train):
        pairs += from_summary(title, abstract.sentences, weights, rng, source="title")
    for last, before in conclusions(train):
        pairs += from_summary(last, before, weights, rng, source="conclusion")
    pairs += from_trials(prompts["train"], rng)
    pairs += from_near(train, weights, rng, number // 4)
    pairs += augmented(free, corpus, weights, rng, rounds=4)
    rng.shuffle(pairs)
    valid = [*plain(shared, corpus, weights), *drawn(from_trials(prompts["validation"], rng), 300, rng)]
    valid += drawn((p for a in kept for p in from_own_passage(a, rng, 1)), 400, rng)
    return pairs, valid


def second(pairs: Sequence[Pair], seed: int) -> list[Pair]:
    """Fewer of the pairs that are learned quickly, and all of those that rephrase."""
    rng = random.Random(seed)
    return [pair for pair in pairs if rng.random() < SECOND[pair.source.split()[0]]]


def main() -> None:
    """Write the files and print the number of pairs for each source and label."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--planted", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    train, valid = made(arguments.data, arguments.planted, arguments.seed)
    for name, pairs in (("train", train), ("second", second(train, arguments.seed)), ("valid", valid)):
        with (arguments.out / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(asdict(p), ensure_ascii=False) + "\n" for p in pairs)
        print(f"{name}: {len(pairs):,} pairs, {dict(Counter(p.label for p in pairs))}")
        for (source, label), count in sorted(Counter((p.source, p.label) for p in pairs).items()):
            print(f"  {source:20}{label:12}{count:7,}")


if __name__ == "__main__":
    main()
