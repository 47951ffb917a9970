"""Learn what questions ask and what sentences tell: `python scripts/train_kinds.py --data ../shared/data`.

Questions: the wordings of `wordings.json`, and questions of BioASQ (7b and 8b) on something else. Sentences: the
answers of MedQuAD (CC BY 4.0), each of the kind of the question over it. Both are softmax regressions.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from pairing.lines import lines
from scipy import sparse
from scipy.optimize import minimize

from medground.language import words
from medground.language.kinds import KINDS, THING, meaning, pieces
from medground.language.question_reading import reading_of
from medground.language.sentences import sentence_spans

OUT = Path(__file__).parent.parent / "src" / "medground" / "data" / "kinds.npz"
WORDINGS = Path(__file__).parent / "wordings.json"
_EACH, _OTHERS, _SENTENCES, _LEAST = 1500, 300, 12, 15
_ASKS, _TELLS = 1e-4, 3e-6
"""Penalties."""


def softmax(
    x: np.ndarray | sparse.csr_matrix, kinds: Sequence[int], weights: np.ndarray, penalty: float, size: int
) -> np.ndarray:
    """The weights of a softmax regression; the last column of `x` is the bias, if it is all ones."""
    y, of = np.asarray(kinds), np.arange(len(kinds))
    target = np.eye(size)[y]

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        w = flat.reshape(-1, size)
        scores = x @ w
        scores -= scores.max(axis=1, keepdims=True)
        shares = np.exp(scores)
        shares /= shares.sum(axis=1, keepdims=True)
        lost = -(weights * np.log(shares[of, y] + 1e-12)).sum() + penalty * (w**2).sum()
        return float(lost), np.asarray(x.T @ ((shares - target) * weights[:, None]) + 2 * penalty * w).ravel()

    found = minimize(loss, np.zeros(x.shape[1] * size), jac=True, method="L-BFGS-B", options={"maxiter": 300})
    return found.x.reshape(-1, size)


def others(data: Path) -> list[str]:
    """Questions of BioASQ that ask for none of the kinds, as far as the table of aspects tells.

    They are taken by their checksums, so that another reading of a few questions changes few of them.
    """
    found = []
    for task in "78":
        content = json.loads(gzip.decompress((data / "bioasq" / f"task{task}b.json.gz").read_bytes()))
        for question in content["questions"]:
            reading, text = reading_of(question["body"]), question["body"]
            for thing in sorted((one for one in reading.subjects if one.decides), key=lambda one: -len(one.said)):
                text = text.replace(thing.said, "{}")
            if "{}" in text and not reading.aspects:
                found.append(text)
    return sorted(found, key=lambda text: zlib.crc32(text.encode()))[:_OTHERS]


def asking(wordings: Iterable[tuple[str, int]], size: int) -> dict[str, np.ndarray]:
    """What pieces of questions and their meanings say of the kind."""
    read = [(text.replace("{}", THING), kind) for text, kind in wordings]
    often = Counter(piece for text, _ in read for piece in pieces(text))
    said = {piece: n for n, piece in enumerate(sorted(p for p, n in often.items() if n > 1))}
    x = np.zeros((len(read), len(said)))
    for row, (text, _) in enumerate(read):
        found = pieces(text)
        x[row, [said[p] for p in found if p in said]] = 1 / len(found) ** 0.5
    means = [meaning(s for s in words.stems(text) if s != THING) for text, _ in read]
    weights = np.array([0.5 if kind == size - 1 else 1.0 for _, kind in read])
    # the pieces count 0.7 times as much, so that what words mean decides where it can
    w = softmax(np.hstack([0.7 * x, np.array(means)]), [kind for _, kind in read], weights / weights.sum(), _ASKS, size)
    return {"said": np.array("\n".join(said)), "asks": 0.7 * w[: len(said)], "means": w[len(said) :]}


def telling(records: Sequence[Mapping], kinds: Sequence[str]) -> dict[str, np.ndarray]:
    """What stems of sentences say of the kind."""
    read = list(sentences(records, kinds))
    often = Counter(stem for found, _ in read for stem in found)
    told = {stem: n for n, stem in enumerate(sorted(s for s, n in often.items() if n >= _LEAST))}
    x = matrix([found for found, _ in read], told)
    y = np.array([kind for _, kind in read])
    weights = 1 / np.sqrt(np.bincount(y, minlength=len(kinds))[y])
    w = softmax(sparse.hstack([x, np.ones((len(y), 1))]).tocsr(), y, weights / weights.sum(), _TELLS, len(kinds))
    return {"told": np.array("\n".join(told)), "tells": w}


def sentences(records: Sequence[Mapping], kinds: Sequence[str]) -> Iterable[tuple[frozenset[str], int]]:
    """The stems of the first sentences of answers, without those of the disease, and the kind of each."""
    taken: Counter[str] = Counter()
    for record in random.Random(0).sample(records, len(records)):
        if record["qtype"] not in kinds or taken[record["qtype"]] >= _EACH:
            continue
        taken[record["qtype"]] += 1
        own = frozenset(words.terms(record["focus"]))
        for start, end in sentence_spans(record["answer"])[:_SENTENCES]:
            found = frozenset(words.stems(record["answer"][start:end])) - own
            found = frozenset(stem for stem in found if not stem[0].isdigit())
            if 3 <= len(found) <= 80:
                yield found, kinds.index(record["qtype"])


def matrix(texts: Sequence[Iterable[str]], columns: Mapping[str, int]) -> sparse.csr_matrix:
    """Each text as a row of unit length."""
    rows = [[columns[s] for s in text if s in columns] for text in texts]
    values = np.concatenate([np.full(len(row), 1 / max(len(row), 1) ** 0.5) for row in rows])
    starts = np.cumsum([0, *map(len, rows)])
    return sparse.csr_matrix((values, [n for row in rows for n in row], starts), shape=(len(rows), len(columns)))


def main() -> None:
    """Write `kinds.npz`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    arguments = parser.parse_args()
    told = json.loads(WORDINGS.read_text(encoding="utf-8"))
    kinds = list(KINDS)
    wordings = [(text, kinds.index(kind)) for kind, texts in told.items() for text in texts]
    wordings += [(re.sub(r"\{\}(?:.{0,5}\{\})*", "{}", text), len(kinds) - 1) for text in others(arguments.data)]
    records = list(lines(arguments.data / "medquad" / "qa.jsonl.gz"))
    found = asking(wordings, len(kinds)) | telling(records, kinds)
    small = {n: v.astype(np.float16) if v.dtype == np.float64 else v for n, v in found.items()}
    np.savez_compressed(OUT, **small)
    print({name: value.shape for name, value in found.items()}, OUT.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
