"""Measures a shipped critic as it is used, and writes the measurements into its card.

    python benchmarks/shipped.py DATA HOME FOLDER [--name critic] [--domain TEXT]
        [--search CORPUS] [--questions CORPUS ...] [--write]

FOLDER holds NAME.safetensors; it is made in HOME first. Each statement is judged against the window of the text that
the critic would read by itself (`verify.critics.trained`), on sets that it was not trained on:

- SciFact dev: claims with each abstract they cite;
- Check-COVID dev, Evidence Inference validation, and what may only be measured on (HealthVer, NLI4CT).

SUPPORT against REFUTE: the more probable of the two, on pairs that have one. At the critic's own threshold: how often
"supported" and "contradicted" are right among all pairs, with those that are neither, and how many pairs get a verdict.

`--search` verifies SciFact's development claims against what a search of that corpus in HOME finds: a verdict is right
if the experts gave it for some abstract that they cite, so one on a claim without evidence is wrong. `--questions` asks
PubMedQA's test questions of such a corpus, or BioASQ's yes-or-no questions of one named `bioasq...`, and compares what
the critic decides with the experts: `maybe` counts as wrong. In both the critic is trusted, as it would be with proofs.
`--write` writes the card. Intervals are Wilson's, 95 %.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import hashlib
import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from verification import claim_pairs

import medground.models.pairs.shipped as shipping
from lean import bioasq
from medground import Engine, Settings
from medground.evaluate.intervals import wilson
from medground.models.pairs.differences import read
from medground.models.pairs.make import make
from medground.models.pairs.network import PairNetwork
from medground.models.pairs.shipped import Card, Probe, Proof, shipped
from medground.operators.views import EvidenceView
from medground.question import Question
from medground.verify.context import premise_spans
from medground.verify.critics.trained import PairScorer, closest

PEOPLE = {
    "Check-COVID dev": ("check_covid", "dev"),
    "Evidence Inference validation": ("evidence_inference_v2_templates", "validation"),
    "HealthVer dev": ("healthver_abs", None),
    "NLI4CT evidence": ("nli4ct2023_evidence", None),
}
"""File of `nli` and its split, if it has one."""
LABELS = {"support": "SUPPORT", "refute": "REFUTE", "neutral": "NEI"}
PROBES = 12


@dataclass(frozen=True)
class Pair:
    """A statement, a text and the truth: SUPPORT, REFUTE or NEI."""

    statement: str
    text: str
    label: str


def sets(data: Path) -> Iterator[tuple[str, list[Pair]]]:
    """The sets by name."""
    yield "SciFact dev", [Pair(p.claim, p.abstract, p.label) for p in claim_pairs(data / "scifact", "dev")]
    for name, (file, split) in PEOPLE.items():
        with gzip.open(data / "nli" / f"{file}.jsonl.gz", "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        kept = [row for row in rows if split is None or row.get("split", "").startswith(split[:3])]
        yield name, [Pair(row["hypothesis"], row["premise"], LABELS[row["label"]]) for row in kept]


def window(pair: Pair) -> str:
    """What the critic reads of the text."""
    spans = premise_spans(pair.text, "windows") or [(0, len(pair.text))]
    views = [EvidenceView(id=f"P1.S{n}", quote=pair.text[start:end]) for n, (start, end) in enumerate(spans)]
    return closest(pair.statement, views)[0].quote


def share(right: int, of: int) -> str:
    """A share with its interval."""
    if not of:
        return "-"
    low, high = wilson(right, of)
    return f"{right / of:.1%} ({low:.1%} to {high:.1%}) of {of}"


def measured(name: str, pairs: Sequence[Pair], scorer: PairScorer) -> tuple[Proof, list[tuple[str, str]]]:
    """Print a row for one set; returns its proof and the pairs as they were read."""
    asked = [(window(pair), pair.statement) for pair in pairs]
    clock, cpu = time.perf_counter(), time.process_time()
    scores = scorer.score(asked)
    clock, cpu = time.perf_counter() - clock, time.process_time() - cpu
    two = [(pair, s) for pair, s in zip(pairs, scores, strict=True) if pair.label != "NEI"]
    right = sum((s.entailment > s.contradiction) == (pair.label == "SUPPORT") for pair, s in two)
    majority = max(Counter(pair.label for pair, _ in two).values()) / len(two)
    low, high = wilson(right, len(two))
    said = [said_of(s, scorer.least) for s in scores]
    rows = [name, share(right, len(two)), f"{majority:.1%}"]
    for word in ("SUPPORT", "REFUTE"):
        given = [pair.label for pair, verdict in zip(pairs, said, strict=True) if verdict == word]
        rows.append(share(sum(label == word for label in given), len(given)))
    covered = sum(verdict is not None for verdict in said) / len(said)
    rows += [f"{covered:.1%}", f"{len(pairs) / clock:.1f}, {len(pairs) / cpu:.1f}"]
    print(f"| {' | '.join(rows)} |", flush=True)
    proof = Proof(
        dataset=name, pairs=len(two), accuracy=right / len(two), low=low, high=high, majority=round(majority, 6)
    )
    return proof, asked


def said_of(score: Any, least: float) -> str | None:
    """The verdict that the critic gives, or None."""
    if max(score.entailment, score.contradiction) < max(least, 0.5):
        return None
    return "SUPPORT" if score.entailment > score.contradiction else "REFUTE"


async def searched(data: Path, home: Path, corpus: str, name: str, limit: int | None) -> Proof | None:
    """Verify SciFact's claims as a user does."""
    truth: dict[str, set[str]] = {}
    for pair in claim_pairs(data / "scifact", "dev"):
        truth.setdefault(pair.claim, set()).add(pair.label)
    given: list[tuple[str, set[str]]] = []
    words = {"supported": "SUPPORT", "contradicted": "REFUTE"}
    async with Engine.open(trusting(home, corpus, name)) as engine:
        for claim, labels in list(truth.items())[:limit]:
            checked = await engine.verify(claim)
            said = [words[s.verdict.label] for s in checked.statements if s.verdict.label in words]
            given += [(said[0], labels)] if len(set(said)) == 1 else []
    right = sum(said in labels for said, labels in given)
    counts = Counter(label for _, labels in given for label in labels)
    return of_verdicts(f"SciFact dev, search of {corpus}", "search", right, len(given), len(truth), counts)


def trusting(home: Path, corpus: str, name: str) -> Settings:
    """Settings with the critic trusted, as it would be with proofs."""
    options = {
        "retrieval.corpora": (corpus,),
        "verify.critic": name,
        "verify.trusted_judges": (name,),
        "retrieval.reranker": "none",
    }
    return Settings.load(environ={"MEDGROUND_HOME": str(home)}, options=options)


def of_verdicts(name: str, of: Any, right: int, given: int, asked: int, truth: Counter[str]) -> Proof | None:
    """Print how often verdicts were right, and the proof of it."""
    if not given:
        print(f"{name}: no verdict was given")
        return None
    majority = max(truth.values()) / given
    print(f"{name}: {given} of {asked}, right {share(right, given)}, majority {majority:.1%}", flush=True)
    low, high = wilson(right, given)
    found = {"pairs": given, "accuracy": right / given, "low": low, "high": high, "majority": round(majority, 6)}
    return Proof(dataset=name, of=of, **found)


async def questions(data: Path, home: Path, corpus: str, name: str, limit: int | None) -> Proof | None:
    """Ask yes-or-no questions, and compare what the critic decides: BioASQ's of a corpus of it, else PubMedQA's."""
    if corpus.startswith("bioasq"):
        of, asked = "BioASQ 7b to 9b", bioasq(data / "bioasq")[:limit]
    else:
        of, asked = "PubMedQA test", pubmedqa(data)[:limit]
    decided: list[tuple[str, str]] = []
    async with Engine.open(trusting(home, corpus, name)) as engine:
        for question, truth in asked:
            answer = await engine.ask(Question.ask(question, task="yes-no-maybe"))
            if answer.decision.basis == "critic":
                decided.append((str(answer.decision.shown()), truth))
    right = sum(said == truth for said, truth in decided)
    print(f"    said and true: {dict(Counter(decided))}")
    return of_verdicts(
        f"{of}, search of {corpus}", "questions", right, len(decided), len(asked), Counter(t for _, t in decided)
    )


def pubmedqa(data: Path) -> list[tuple[str, str]]:
    """The questions of the test split, which is not trained on, with the experts' decisions."""
    with gzip.open(data / "pubmedqa" / "pqa_l.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [(row["question"], row["final_decision"]) for row in rows if row["split"] == "test"]


def made(folder: Path, name: str, home: Path, about: str, domain: str) -> tuple[Card, Path]:
    """A card without proofs for FOLDER/NAME.safetensors, written beside it, and the folder of the network in HOME."""
    content = (folder / f"{name}.safetensors").read_bytes()
    it = read(content, name).about
    digest = hashlib.sha256(content).hexdigest()
    card = Card(kind=it.kind, about=f"{about}; base {it.base}", domain=domain, base=it.base, sha256=digest)
    (folder / f"{name}.json").write_text(card.model_dump_json(indent=1) + "\n", encoding="utf-8")
    shipping.FOLDER = folder
    return card, make(shipped()[name], home / "models")


def write_card(
    folder: Path, name: str, card: Card, proofs: Sequence[Proof], asked: Sequence[tuple[str, str]], network: PairNetwork
) -> None:
    """Write the card with its proofs, and with pairs spread over a set beside the results of this machine."""
    chosen = [asked[n] for n in np.linspace(0, len(asked) - 1, PROBES).astype(int)]
    rows = network.probabilities(chosen).round(4).tolist()
    probes = [Probe(premise=p, hypothesis=h, probabilities=row) for (p, h), row in zip(chosen, rows, strict=True)]
    card = card.model_copy(update={"proofs": tuple(proofs), "probes": tuple(probes)})
    path = folder / f"{name}.json"
    path.write_text(card.model_dump_json(indent=1) + "\n", encoding="utf-8")
    print(f"\nwritten: {path}")


def main() -> None:
    """Print the measurements and write the card."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("home", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--name", default="critic")
    parser.add_argument("--domain", default="claims about English abstracts")
    parser.add_argument("--licence", default="Apache-2.0")
    parser.add_argument("--search", default="")
    parser.add_argument("--questions", nargs="*", default=[], metavar="CORPUS")
    parser.add_argument("--limit", type=int, help="only the first pairs of each set, for a trial; writes no card")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    about = f"judges statements against sentences of abstracts ({arguments.licence})"
    card, folder = made(arguments.folder, arguments.name, arguments.home, about, arguments.domain)
    network = PairNetwork.open(arguments.name, folder)
    scorer = PairScorer(network)
    print(f"{arguments.name}: {asdict(network.about)}\n")
    print("| set | SUPPORT against REFUTE | majority | supported right | contradicted right | judged | pairs/s, CPU |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    found = [(measured(name, pairs[: arguments.limit], scorer)) for name, pairs in sets(arguments.data)]
    proofs = [proof for proof, _ in found]
    for ask, corpus in ((searched, arguments.search), *((questions, corpus) for corpus in arguments.questions)):
        if corpus:
            proof = asyncio.run(ask(arguments.data, arguments.home, corpus, arguments.name, arguments.limit))
            proofs += [proof] if proof is not None else []
    if arguments.write and arguments.limit is None:
        write_card(arguments.folder, arguments.name, card, proofs, found[0][1], network)


if __name__ == "__main__":
    main()
