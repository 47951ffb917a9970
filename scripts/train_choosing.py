"""Learn which reading of a follow-up question is meant: `python scripts/train_choosing.py --data ../shared/data`.

`conversations.jsonl` has conversations in people's words. Of each turn but the first it says what its written text has
to name (`needs`, with `|` between names of one thing) and must not name (`without`), or which `paper` it is about;
`from` tells who wrote it when. `follow_pairs.jsonl` has pairs of questions. A
candidate is right if its text holds that; of several right ones, what takes up fewer plain words counts more. What
stands alone stays as it was typed: the first turn of another conversation, and questions of PubMedQA's training split,
BioASQ 7b and MedQuAD, each after a conversation on something else.

The weights are those of a softmax over the candidates of a turn. What it loses is the logarithm of the share of the
right ones, and the share of those that name what they must not. The conversation before a turn is the one that the
weights of the round before read. `--folds 5` prints what of each fold is carried by weights of the others instead.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from pairing.lines import lines
from scipy import sparse
from scipy.optimize import minimize

from medground.language.choosing import NEAR, Turn
from medground.language.conversation import Conversation, papers_meant
from medground.language.readings import Candidate
from medground.values.answer import SourceDocument

ROOT = Path(__file__).parent.parent
OUT = ROOT / "src" / "medground" / "data" / "choosing.tsv.gz"
CONVERSATIONS = Path(__file__).with_name("conversations.jsonl")
PAIRS = ROOT / "scripts" / "follow_pairs.jsonl"
_ROUNDS, _PENALTY, _ANOTHER, _LEAST, _SMALLEST = 2, 1.0, 1.0, 5, 0.03
_OF_PAIRS, _OF_BEGINNINGS, _PLAIN = 3.0, 0.7, 0.6
"""The weight of a pair, of what stands alone, and of a right candidate for each plain thing that it has more."""
_QUESTIONS = 200
"""How many of each set."""
_SEED = 0

Weights = Mapping[str, float]


@dataclass(frozen=True)
class Example:
    """A turn after a conversation, how much each candidate is right, which name what they must not, and its weight."""

    turn: Turn
    right: list[float]
    another: list[bool]
    weight: float


def conversations() -> list[dict[str, Any]]:
    """All conversations, those of two turns from the pairs among them, in a random order."""
    found = list(lines(CONVERSATIONS))
    for pair in lines(PAIRS):
        if pair["half"] == "first" and pair["kind"] != "refuse":
            asked = {name: [part.lower() for part in pair[name]] for name in ("needs", "without", "reads")}
            found.append({"from": "pair", "turns": [{"asked": pair["former"]}, {"asked": pair["asked"], **asked}]})
    random.Random(_SEED).shuffle(found)
    return found


def holds(turn: Mapping[str, Any], text: str) -> bool:
    """Whether a text names all that a turn needs, and nothing that it must not."""
    lower = text.lower()
    return not names_another(turn, text) and all(
        any(name.lower() in lower for name in names.split("|")) for names in turn.get("needs", ())
    )


def names_another(turn: Mapping[str, Any], text: str) -> bool:
    """Whether a text names what it must not."""
    return any(name.lower() in text.lower() for name in turn.get("without", ()))


def cost(candidate: Candidate) -> float:
    """What a candidate takes up beyond one thing with a name."""
    plain, more = sum(topic.role == "other" for topic in candidate.things), len(candidate.things) == 2
    return plain + 0.5 * more + candidate.form.endswith("both")


def example(read: Turn, turn: Mapping[str, Any], weight: float) -> Example:
    """A turn as an example to learn from."""
    texts = [candidate.reading.text for candidate in read.candidates]
    fits = [holds(turn, text) for text in texts]
    if turn.get("reads"):
        exact = [
            fit and text.lower().rstrip(" ?.") in _bare(turn["reads"]) for fit, text in zip(fits, texts, strict=True)
        ]
        fits = exact if any(exact) else fits
    costs = [cost(candidate) for candidate in read.candidates]
    least = min((c for c, fit in zip(costs, fits, strict=True) if fit), default=0)
    right = [fit * _PLAIN ** max(c - least, 0) for c, fit in zip(costs, fits, strict=True)]
    return Example(read, right, [names_another(turn, text) for text in texts], weight)


def _bare(texts: Sequence[str]) -> list[str]:
    return [text.lower().rstrip(" ?.") for text in texts]


def alone(read: Turn) -> Example:
    """A turn that stays as it was typed."""
    others = len(read.candidates) - 1
    return Example(read, [1.0, *[0.0] * others], [False, *[True] * others], _OF_BEGINNINGS)


def papers(turn: Mapping[str, Any]) -> tuple[SourceDocument, ...]:
    """The papers that the answer to a turn quotes."""
    return tuple(
        SourceDocument(id=paper["id"], title=paper["title"], kind="research", publication_types=tuple(paper["types"]))
        for paper in turn.get("quotes", ())
    )


class Talk:
    """A conversation as it is read with some weights."""

    def __init__(self, turns: Sequence[Mapping[str, Any]], weights: Weights) -> None:
        self.turns = turns
        self.weights = weights
        self.before = Conversation(turns[0]["asked"], quoted=papers(turns[0]))

    def read(self) -> Iterator[tuple[Mapping[str, Any], Turn | None, int, list[float]]]:
        """Each turn, how it may be read, the candidate that is chosen, and the shares; no candidates of a paper."""
        for turn in self.turns[1:]:
            before = self.before
            if (meant := papers_meant(turn["asked"], before)) is not None:
                right = [paper.id for paper in meant] == [turn.get("paper")]
                paper = meant[0] if len(meant) == 1 else None
                self.before = Conversation(
                    before.question, earlier=before.earlier, quoted=papers(turn), paper=paper, began=before.began
                )
                yield turn, None, int(right), []
                continue
            read = Turn(turn["asked"], before)
            shares = read.shares(self.weights)
            best = shares.index(max(shares))
            yield turn, read, best, shares
            if not self.weights:  # the first round knows what is right
                best = next((n for n, c in enumerate(read.candidates) if holds(turn, c.reading.text)), 0)
            reading = read.candidates[best].reading
            self.before = Conversation(
                reading.text,
                reading.carried,
                before.things_after(reading.text),
                papers(turn),
                referent=reading.stands_for,
                typed=turn["asked"],
                began=before.began_after(turn["asked"], reading.text),
            )


def examples(talks: Sequence[Mapping[str, Any]], weights: Weights) -> list[Example]:
    """The turns of conversations, and the first turn of each as it follows the one before."""
    found, before = list[Example](), None
    for told in talks:
        is_pair = told["from"] == "pair"
        if before is not None and not is_pair:
            found.append(alone(Turn(told["turns"][0]["asked"], before)))
        talk = Talk(told["turns"], weights)
        for turn, read, _, _ in talk.read():
            if read is not None and not turn.get("paper"):
                found.append(example(read, turn, _OF_PAIRS if is_pair else 1.0))
        before = before if is_pair else talk.before
    return [one for one in found if any(one.right) and len(one.right) > 1]


def questions(data: Path) -> list[str]:
    """Questions that stand alone."""
    asked = [row["question"] for row in lines(data / "pubmedqa" / "pqa_l.jsonl.gz") if row["split"] == "train_dev"]
    bioasq = json.loads(gzip.decompress((data / "bioasq" / "task7b.json.gz").read_bytes()))["questions"]
    medquad = list(lines(data / "medquad" / "qa.jsonl.gz"))
    lot = random.Random(_SEED)
    chosen = [*lot.sample(asked, _QUESTIONS), *(row["body"] for row in lot.sample(bioasq, _QUESTIONS))]
    return [*chosen, *(row["question"].replace(" (are)", "") for row in lot.sample(medquad, _QUESTIONS))]


def after_conversations(asked: Sequence[str], talks: Sequence[Mapping[str, Any]]) -> list[Example]:
    """Questions that stand alone, some after a turn of a conversation, and some after each other."""
    lot, found = random.Random(_SEED), list[Example]()
    for former, text in pairwise(asked):
        talk = Talk(lot.choice(talks)["turns"], {})
        talk.turns = talk.turns[: lot.randrange(1, len(talk.turns) + 1)]
        for _ in talk.read():
            pass
        found.append(alone(Turn(text, lot.choice((talk.before, Conversation(former))))))
    return [one for one in found if len(one.right) > 1]


def learned(found: Sequence[Example]) -> dict[str, float]:
    """The weights of features that enough turns have."""
    index, rows, columns, values = dict[str, int](), list[int](), list[int](), list[float]()
    row = 0
    for one in found:
        for candidate in one.turn.candidates:
            for name, value in one.turn.vector(candidate).items():
                rows.append(row)
                columns.append(index.setdefault(name, len(index)))
                values.append(value)
            row += 1
    x = sparse.csc_matrix((values, (rows, columns)), shape=(row, len(index)), dtype=np.float32)
    kept = np.flatnonzero(np.diff(x.indptr) >= _LEAST)
    x = x[:, kept].tocsr()
    turned = x.T.tocsr()
    of = np.repeat(np.arange(len(found)), [len(one.right) for one in found])
    starts = np.searchsorted(of, np.arange(len(found)))
    right, another = (
        np.concatenate([getattr(one, name) for one in found]).astype(float) for name in ("right", "another")
    )
    weight = np.array([one.weight for one in found])

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        scores = (x @ w.astype(np.float32)).astype(float)
        raised = np.exp(scores - np.maximum.reduceat(scores, starts)[of])
        share = raised / np.add.reduceat(raised, starts)[of]
        fits = np.add.reduceat(share * right, starts) + 1e-9
        wrong = np.add.reduceat(share * another, starts)
        slope = share - share * right / fits[of] + _ANOTHER * share * (another - wrong[of])
        lost = (weight * (_ANOTHER * wrong - np.log(fits))).sum() + _PENALTY * (w @ w)
        return float(lost), turned @ (slope * weight[of]).astype(np.float32) + 2 * _PENALTY * w

    w = minimize(loss, np.zeros(len(kept)), jac=True, method="L-BFGS-B", options={"maxiter": 70}).x
    names = np.array(list(index), dtype=object)[kept]
    return {name: round(float(value), 2) for name, value in zip(names, w, strict=True) if abs(value) >= _SMALLEST}


def taught(talks: Sequence[Mapping[str, Any]], more: Sequence[Example]) -> dict[str, float]:
    """The weights that conversations teach."""
    weights = dict[str, float]()
    for _ in range(_ROUNDS):
        weights = learned([*examples(talks, weights), *more])
    return weights


def outcomes(talks: Sequence[Mapping[str, Any]], weights: Weights) -> Counter[tuple[str, str]]:
    """What becomes of the turns, by the kind of their conversation."""
    found = Counter[tuple[str, str]]()
    for told in talks:
        kind = told["from"] if told["from"] in ("learn", "pair") else "earlier"
        for turn, read, best, shares in Talk(told["turns"], weights).read():
            if read is None:
                found[kind, "carried" if best else "another paper"] += 1
                continue
            text = read.candidates[best].reading.text
            wrong = "another" if names_another(turn, text) else "bare"
            is_carried = holds(turn, text) and not turn.get("paper")
            found[kind, "carried" if is_carried else wrong] += 1
            near = read.rival(shares) is not None
            found[kind, f"asked back, {'carried' if is_carried else wrong}"] += near
    return found


def main() -> None:
    """Write `choosing.tsv.gz`, or print what is carried of each fold by weights of the others."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--folds", type=int, default=0)
    arguments = parser.parse_args()
    talks = conversations()
    more = after_conversations(questions(arguments.data), talks)
    found = Counter[tuple[str, str]]()
    for fold in range(arguments.folds):
        weights = taught([talk for n, talk in enumerate(talks) if n % arguments.folds != fold], more)
        found += outcomes(talks[fold :: arguments.folds], weights)
        print(fold, dict(found), flush=True)
    if arguments.folds:
        return
    weights = taught(talks, more)
    told = "".join(f"{name}\t{value:g}\n" for name, value in sorted(weights.items()))
    OUT.write_bytes(gzip.compress(told.encode(), mtime=0))
    print(len(weights), "weights,", OUT.stat().st_size, "bytes;", dict(outcomes(talks, weights)), NEAR)


if __name__ == "__main__":
    main()
