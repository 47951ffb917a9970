"""A shipped network in a benchmark: how it is made and opened, its card, and a critic's verdicts as a user gets them.

`searched` verifies SciFact's development claims against what a search of a corpus in HOME finds: a verdict is right if
the experts gave it for some abstract that they cite, so one on a claim without evidence is wrong. The critic is
trusted, as it would be with proofs. Read by `critic.py` and `deciding.py`. Intervals are Wilson's, 95 %.
"""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from verification import claim_pairs

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

from critic_cases import SETS

import medground.models.catalogue as shipping
from medground import Engine, Settings
from medground.models.available import make
from medground.models.catalogue import Card, Probe, Proof, shipped
from medground.models.pair_network import PairNetwork, read
from medground_evaluate.statistics import wilson

SHOWN = {"entails": "SUPPORT", "contradicts": "REFUTE", "neutral": "NEI"}
PROBES = (
    ("The drug lowered the risk of stroke by a fifth compared with placebo.", "The drug prevents strokes."),
    ("The drug lowered the risk of stroke by a fifth compared with placebo.", "The drug raises the risk of stroke."),
    ("Bleeding was as common in both groups (P = 0.71).", "The drug causes bleeding."),
    (
        "We enrolled 310 adults with asthma at nine hospitals, for two years.",
        "Vitamin D helps asthma.",
    ),
    (
        "Mice without the gene had shorter bones. Their hearts were normal.",
        "The gene is needed for bones to grow.",
    ),
    ("Whether the test finds early cancer is not known.", "The test finds early cancer."),
)
"""Pairs of our own: a card ships no text of a data set."""


def share(right: int, of: int) -> str:
    """A share with its interval."""
    if not of:
        return "-"
    low, high = wilson(right, of)
    return f"{right / of:.1%} ({low:.1%} to {high:.1%}) of {of}"


class Said(NamedTuple):
    """A verdict on a claim, its probability, and what the experts said of the abstracts that the claim cites."""

    verdict: str
    probability: float
    truth: set[str]


async def searched(data: Path, home: Path, corpus: str, name: str, limit: int | None) -> Proof | None:
    """Verify SciFact's development claims as a user does."""
    truth: dict[str, set[str]] = {}
    for pair in claim_pairs(data / "scifact", "dev"):
        truth.setdefault(pair.claim, set()).add(pair.label)
    given = await _verified(home, corpus, name, dict(list(truth.items())[:limit]))
    counts = Counter(label for one in given for label in one.truth)
    right = sum(one.verdict in one.truth for one in given)
    return of_verdicts(f"SciFact dev, search of {corpus}", "search", right, len(given), len(truth), counts)


async def searched_kept(data: Path, home: Path, corpus: str, name: str, limit: int | None) -> None:
    """The same with claims that were kept out of training to choose on: how often verdicts are right from where on."""
    truth: dict[str, set[str]] = {}
    for case in SETS["claims kept"](data, 0):
        truth.setdefault(case.statement, set()).add(SHOWN[case.truth])
    given = await _verified(home, corpus, name, dict(list(truth.items())[:limit]))
    print(f"\nclaims kept, search of {corpus}: {len(truth)} claims")
    for least in (0.0, 0.8, 0.85, 0.88, 0.9, 0.92, 0.94):
        some = [one for one in given if one.probability >= least]
        with_evidence = [one for one in some if one.truth != {"NEI"}]
        print(
            f"    from {least:.2f}: right {share(sum(one.verdict in one.truth for one in some), len(some))}; of claims "
            f"with evidence {share(sum(one.verdict in one.truth for one in with_evidence), len(with_evidence))}",
            flush=True,
        )


async def _verified(home: Path, corpus: str, name: str, truth: Mapping[str, set[str]]) -> list[Said]:
    """The claims on which the critic says one thing."""
    given: list[Said] = []
    words = {"supported": "SUPPORT", "contradicted": "REFUTE"}
    async with Engine.open(trusting(home, corpus, name)) as engine:
        for claim, labels in truth.items():
            checked = await engine.verify(claim)
            verdicts = [s.verdict for s in checked.statements if s.verdict.label in words]
            if len({verdict.label for verdict in verdicts}) == 1:
                given.append(Said(words[verdicts[0].label], verdicts[0].probability or 0.0, labels))
    return given


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


def made(folder: Path, name: str, home: Path, about: str, domain: str, judges_from: float = 0.0) -> tuple[Card, Path]:
    """A card without proofs for FOLDER/NAME.safetensors, written beside it, and the folder of the network in HOME."""
    content = (folder / f"{name}.safetensors").read_bytes()
    it = read(content).about
    digest = hashlib.sha256(content).hexdigest()
    given = {"about": f"{about}; base {it.base}", "domain": domain, "base": it.base}
    card = Card.model_validate({**given, "sha256": digest, "judges_from": judges_from})
    (folder / f"{name}.json").write_text(card.model_dump_json(indent=1) + "\n", encoding="utf-8")
    shipping.FOLDER = folder
    return card, make(shipped()[name], home / "models")


def write_card(folder: Path, name: str, card: Card, proofs: Sequence[Proof], network: PairNetwork) -> None:
    """Write the card with its proofs, and with pairs beside the results of this machine."""
    rows = network.probabilities(PROBES).round(4).tolist()
    probes = [Probe(premise=p, hypothesis=h, probabilities=row) for (p, h), row in zip(PROBES, rows, strict=True)]
    card = card.model_copy(update={"proofs": tuple(proofs), "probes": tuple(probes)})
    path = folder / f"{name}.json"
    path.write_text(card.model_dump_json(indent=1) + "\n", encoding="utf-8")
    print(f"\nwritten: {path}")
