"""Make the pairs for training the critic: `python scripts/critic_pairs.py ../shared/data OUT`.

Writes `general.jsonl`, `medical.jsonl`, `further.jsonl` and `valid.jsonl`, with premise, statement, label and source on
each line.

- General: sets of `nli` about everyday texts.
- Medical: sets of `nli` about trials, COVID-19 and web pages; SciFact's training claims; Evidence Inference's prompts
  in templates; errors planted in sentences of abstracts; titles and conclusions under the sentences they summarise;
  statements under similar passages that prove nothing; and a replay of the general pairs.
- Further, for a critic that has read those: what experts wrote (`pairing/experts.py`), statements under plans
  (`pairing/aims.py`), what a loss shows (`pairing/needs.py`), new planted errors and summaries, and a replay.
- Validation, to choose and calibrate: SciFact's training claims on abstracts that development claims also cite (which
  may not be trained on anyway); one in twenty trials and one in eight documents of Check-COVID; CliniFact's development
  split; and planted errors in one in forty abstracts.

Left out: rows marked measure only, development and test splits, and every text that shares ten words in a row with
what is measured (`pairing/guard.py`).
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any
from zlib import crc32

from pairing.aims import from_aims
from pairing.changed import from_hedges, from_own_passage, from_summary
from pairing.claims import augmented, plain
from pairing.experts import from_bioasq, from_pubmedqa
from pairing.guard import Guard, measured
from pairing.lines import lines
from pairing.near import from_near
from pairing.needs import from_needs
from pairing.pair import Pair, Weights
from pairing.people import GENERAL, MEDICAL, Set, cut, held_out, kept, pairs, rows
from pairing.trials import from_trials
from planted_errors import collected
from real_sentences import Abstract

FOLDERS = ("scifact", "pubmedqa", "evidence_inference")
MOST: Mapping[str, int] = {
    "own": 4500, "strong": 1800, "title": 1000, "conclusion": 1000, "near": 1000, "trial": 1000, "claim": 5000,
    "ei_distant_conclusions": 1200, "factcheck_gpt": 400, "wice": 700, "replay": 5000,
}  # fmt: skip
"""Most pairs of a source, by the first word of its name."""
MOST_FURTHER: Mapping[str, int] = {
    "own": 3500, "strong": 900, "title": 1500, "conclusion": 1800, "near": 1200, "trial": 800, "claim": 1500,
    "evidence_inference_v2_templates": 1200, "ei_distant_conclusions": 500, "clinifact": 250, "factcheck_gpt": 200,
    "wice": 300, "summedits_scitldr": 150, "replay": 3500,
}  # fmt: skip
"""The same for the further pairs."""
MOST_CHECKED: Mapping[str, int] = {"claim": 999, "check_covid": 999, "evidence_inference_v2_templates": 96}
"""Most validation pairs of a source; of every other, `CHECKED`."""
CHECKED = 24
AGAIN = ("check_covid",)
"""Small sets of careful work, seen twice."""
_STATES = re.compile(
    r"\b(?:is|are|was|were|has|have|does|do|can|may|not|no|[a-z]{3,}(?:ates|izes|ises|uces|otes|bits|ases|oves|uses|"
    r"icts|ances|ents|ects|rols|ences|ires|esses|utes|eads|ults|ays|inds|ives|airs|gers|ports|ocks|itates|ines|ends|"
    r"odes|eals|ores|ains|acts|gets|inks|ers|ides|ows))\b"
)
_ABOUT = re.compile(
    r"^(?:effects?|role|impact|comparison|association|evaluation|a |the effect|study|use )", re.IGNORECASE
)


class Material:
    """What the pairs are made of, without anything that is measured."""

    def __init__(self, data: Path) -> None:
        self.data, self.guard = data, Guard(measured(data))
        everything = [a for a in collected([data / f for f in FOLDERS], "train") if self.guard.allows(a.text)]
        self.train = [a for a in everything if crc32(a.document.encode()) % 40]
        self.kept = [a for a in everything if not crc32(a.document.encode()) % 40]
        self.weights = Weights(s for a in self.train for s in a.sentences)
        self.corpus = {str(r["doc_id"]): r["abstract"] for r in lines(data / "scifact" / "corpus.jsonl.gz")}
        self.prompts = list(lines(data / "evidence_inference" / "prompts_labelled.jsonl.gz"))
        self._held_trials = {_number(p["pmcid"]) for p in self.prompts if p["split"] != "train"}
        trials = "evidence_inference_v2_templates"
        self._held_trials |= {_number(r["group"]) for r in rows(data, trials) if held_out(trials, r)}

    def fair(self, row: Mapping[str, Any]) -> bool:
        """Whether a row of `nli` shares neither a trial nor words with what is measured."""
        trial = row["source"].startswith(("evidence_inference", "ei_"))
        ids = {_number(row["group"]), str(row.get("other", ""))} if trial else set()
        return not ids & self._held_trials and self.guard.allows(row["premise"], row["hypothesis"])

    def people(self, sets: Iterable[Set]) -> tuple[list[Pair], list[Pair]]:
        """Labelled pairs for training and for validation."""
        found: tuple[list[Pair], list[Pair]] = [], []
        for one in sets:
            for pair, aside in pairs(self.data, one, self.weights, self.fair):
                found[aside].append(pair)
        return found

    def trials(self) -> list[dict[str, Any]]:
        """The prompts to train on: not those of trials kept for validation."""
        return [
            p for p in self.prompts
            if p["split"] == "train" and not kept(MEDICAL[0], {"group": _number(p["pmcid"])})
            and _number(p["pmcid"]) not in self._held_trials
        ]  # fmt: skip

    def titles(self) -> Iterator[tuple[str, Abstract]]:
        """Titles that state something, with their abstracts."""
        known = {a.document: a for a in self.train}
        records = [("DOC:", "doc_id", r) for r in lines(self.data / "scifact" / "corpus.jsonl.gz")]
        for path in sorted((self.data / "evidence_inference").glob("rct_abstracts_*.jsonl.gz")):
            records += [("PMID:", "pmid", r) for r in lines(path)]
        for prefix, key, record in records:
            abstract = known.get(f"{prefix}{record[key]}")
            title = " ".join(record["title"].split()).split(": a ")[0].split(": A ")[0].rstrip(".")
            stated = 5 <= len(title.split()) <= 25 and "?" not in title and _STATES.search(title)
            if abstract and stated and not _ABOUT.search(title):
                yield f"{title}.", abstract


def _number(name: object) -> str:
    return str(name).split(":")[-1].removeprefix("PMC")


def conclusions(train: Sequence[Abstract]) -> Iterator[tuple[str, list[str]]]:
    """The last sentence of an abstract, and the sentences before it."""
    for abstract in train:
        *before, last = abstract.sentences
        if len(before) > 3 and last in abstract.usable:
            yield last, before


def claim_sets(data: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """SciFact's training claims without and with an abstract that development claims cite."""
    folder = data / "scifact"
    dev = {d for claim in lines(folder / "claims_dev.jsonl") for d in claim["cited_doc_ids"]}
    free, shared = [], []
    for claim in lines(folder / "claims_train.jsonl"):
        (shared if dev & set(claim["cited_doc_ids"]) else free).append(claim)
    return free, shared


def made(material: Material, rng: random.Random) -> list[Pair]:
    """Pairs that rules make of abstracts, claims and trials."""
    weights, train = material.weights, material.train
    found = [p for a in train for p in (*from_own_passage(a, rng, 2), *from_hedges(a, rng))]
    for title, abstract in material.titles():
        found += from_summary(title, abstract.sentences, weights, rng, source="title")
    for last, before in conclusions(train):
        found += from_summary(last, before, weights, rng, source="conclusion")
    found += from_trials(material.trials(), rng)
    found += from_near(train, weights, rng, 2500)
    free = [c for c in claim_sets(material.data)[0] if material.guard.allows(c["claim"])]
    found += augmented(free, material.corpus, weights, rng, rounds=5)
    return [p for p in found if material.guard.allows(p.premise, p.statement)]


def further(material: Material, rng: random.Random) -> list[Pair]:
    """Pairs of kinds that the first ones lack."""
    weights, data = material.weights, material.data
    found = [*from_bioasq(data / "bioasq", weights, rng)]
    found += from_pubmedqa(data / "pubmedqa" / "pqa_l.jsonl.gz", weights, rng)
    found += [p for a in material.train for _ in range(2) for p in from_needs(a.sentences, rng)]
    for title, abstract in material.titles():
        found += from_aims(title, abstract.sentences, weights, rng, "aim of title")
    for last, before in conclusions(material.train):
        found += from_aims(last, before, weights, rng, "aim of conclusion")
    for claim in claim_sets(data)[0]:
        for document in map(str, claim["cited_doc_ids"]):
            found += from_aims(claim["claim"], material.corpus[document], weights, rng, "aim of claim")
    return [p for p in found if material.guard.allows(p.premise, p.statement)]


def limited(found: Sequence[Pair], rng: random.Random, most: Mapping[str, int] = MOST) -> list[Pair]:
    """At most `most` random pairs of each source, and those of `AGAIN` twice where these are first read, shuffled."""
    by_source: dict[str, list[Pair]] = defaultdict(list)
    for pair in found:
        by_source[pair.source.split()[0]].append(pair)
    drawn = [p for name, some in by_source.items() for p in rng.sample(some, min(most.get(name, len(some)), len(some)))]
    drawn += [p for p in drawn if p.source in AGAIN and most is MOST]
    return rng.sample(drawn, len(drawn))


def validation(material: Material, aside: Sequence[Pair], rng: random.Random) -> list[Pair]:
    """Pairs that choose between models."""
    _, shared = claim_sets(material.data)
    found = [*plain(shared, material.corpus, material.weights), *aside]
    found += [
        Pair(cut(r["premise"], r["hypothesis"], material.weights), r["hypothesis"], MEDICAL[3].label(r), "clinifact")
        for r in rows(material.data, "clinifact")
        if held_out("clinifact", r)
    ]
    found += [p for a in material.kept for p in (*from_own_passage(a, rng, 2), *from_hedges(a, rng))]
    counts: Counter[str] = Counter()
    drawn = []
    for pair in rng.sample(found, len(found)):
        counts[pair.source] += 1
        if counts[pair.source] <= MOST_CHECKED.get(pair.source, CHECKED):
            drawn.append(pair)
    return drawn


def main() -> None:
    """Write the files and print the number of pairs for each source and label."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    rng, material = random.Random(arguments.seed), Material(arguments.data)
    general, _ = material.people(GENERAL)
    medical, aside = material.people(MEDICAL)
    replay = [Pair(p.premise, p.statement, p.label, f"replay {p.source}") for p in general]
    sets = {
        "general": rng.sample(general, len(general)),
        "medical": limited([*medical, *made(material, rng), *replay], rng),
        "valid": validation(material, aside, rng),
        "further": limited([*medical, *made(material, rng), *replay, *further(material, rng)], rng, MOST_FURTHER),
    }
    for name, found in sets.items():
        with (arguments.out / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(asdict(p), ensure_ascii=False) + "\n" for p in found)
        print(f"{name}: {len(found):,} pairs, {dict(Counter(p.label for p in found))}")
        for (source, label), count in sorted(Counter((p.source, p.label) for p in found).items()):
            print(f"  {source:40}{label:12}{count:7,}")


if __name__ == "__main__":
    main()
