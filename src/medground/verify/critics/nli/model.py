"""An NLI model: pairs of premise and hypothesis in, probabilities of entailment and contradiction out.

Tokens, windows, batches and probabilities are the same whatever runs the network (`Network`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from medground.errors import ConfigError, ModelFailed
from medground.verify.critics.nli.labels import Labels, read_labels

LONGEST = 512
"""Tokens of a pair; NLI models are trained on shorter ones, whatever length they accept."""

_OFFSET = 2
"""Models of RoBERTa's family number their places from 2, so that many of the places they have are of no use."""

_OVERLAP = 4
"""A window shares one part in this many with the next one, which is more than a sentence."""

_BATCH_TOKENS = 2048
"""Padded tokens of one batch. It bounds memory, and how long a model that was told to stop goes on: a large model on
two cores reads so much in half a minute."""

Integers = NDArray[np.int64]


class Network(Protocol):
    """What runs the network: torch or onnxruntime."""

    def logits(self, ids: Integers, mask: Integers, types: Integers) -> NDArray[np.float32]:
        """Arrays of shape (pairs, tokens) in, one of shape (pairs, labels) out. Safe to call from several threads.

        Raises:
            ModelFailed: the network could not run.
        """
        ...


@dataclass(frozen=True)
class Score:
    """Highest probabilities over the windows of a premise; NaN when a window gave a number that is none."""

    entailment: float
    contradiction: float


class NliModel:
    """A tokenizer, a network and its labels.

    Args:
        name: as in the settings.
        config: the model's `config.json`, with `id2label`.
        tokenizer: how it reads text; it is changed to neither cut nor pad.
        network: what runs it.
        longest: tokens that the tokenizer's own config allows for a pair.

    Raises:
        ConfigError: wrong labels, or the network does not give one number per label for a pair.
    """

    def __init__(
        self, name: str, config: Mapping[str, Any], tokenizer: Tokenizer, network: Network, longest: float = LONGEST
    ) -> None:
        self.name = name
        self.labels: Labels = read_labels(name, config.get("id2label"))
        places = config.get("max_position_embeddings") or LONGEST + _OFFSET
        self.longest = int(min(LONGEST, longest, max(places - _OFFSET, 1)))
        self._pad = int(config.get("pad_token_id") or 0)
        self._last_type = max(int(config.get("type_vocab_size") or 2) - 1, 0)
        self._network = network
        self._tokenizer = tokenizer
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tokenizer.encode_special_tokens = True  # a text that writes [SEP] or </s> writes letters, not a border
        self._unknown = _unknown(tokenizer)
        self._try()

    def problem(self, statement: str) -> str | None:
        """Why the model cannot judge a statement, or None. It is never cut: what is not read is not proved."""
        encoding = self._tokenizer.encode(statement, add_special_tokens=False)
        if not encoding.ids:
            return "the statement has nothing that the model reads"
        if len(encoding.ids) > self.longest // 2:
            return f"the statement has {len(encoding.ids)} tokens; the model takes {self.longest // 2}"
        if encoding.ids.count(self._unknown) * 2 > len(encoding.ids):
            return "the statement is in words or letters that the model does not know"
        return None

    def score(self, pairs: Sequence[tuple[str, str]], stopped: Callable[[], bool] = lambda: False) -> list[Score]:
        """One score per pair of premise and hypothesis, in order; it blocks. A long premise is read in windows.

        Args:
            pairs: of hypotheses without `problem`.
            stopped: asked before each batch; the scores of batches that were not read are NaN.

        Raises:
            ModelFailed: the network could not run.
        """
        best = np.full((len(pairs), 2), -np.inf)
        windows = [(i, window) for i, pair in enumerate(pairs) for window in self._windows(*pair)]
        for batch in _batches([len(window.ids) for _, window in windows]):
            if stopped():
                found = np.full((len(batch), 2), np.nan)
            else:
                found = self._probabilities([windows[n][1] for n in batch])
            np.maximum.at(best, [windows[n][0] for n in batch], found)  # a NaN stays a NaN
        return [Score(float(entailment), float(contradiction)) for entailment, contradiction in best]

    def _windows(self, premise: str, hypothesis: str) -> list[Encoding]:
        asked = self._tokenizer.encode(hypothesis, add_special_tokens=False)
        read = self._tokenizer.encode(premise, add_special_tokens=False)
        room = max(self.longest - self._tokenizer.num_special_tokens_to_add(True) - len(asked.ids), 1)
        read.truncate(room, stride=room // _OVERLAP)
        first = self._tokenizer.post_process(read, asked)
        return [first, *first.overflowing]

    def _probabilities(self, windows: Sequence[Encoding]) -> NDArray[np.float64]:
        """Entailment and contradiction, of shape (windows, 2); NaN where any number of a window is none."""
        logits = self._logits(windows).astype(np.float64)
        logits[~np.isfinite(logits).all(axis=1)] = np.nan
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares = weights / weights.sum(axis=1, keepdims=True)
        entailment, place = shares[:, self.labels.entailment], self.labels.contradiction
        # A model of two labels measures no contradiction; what it could not read is still a NaN.
        return np.stack([entailment, entailment * 0 if place is None else shares[:, place]], axis=1)

    def _logits(self, windows: Sequence[Encoding]) -> NDArray[np.float32]:
        ids = np.full((len(windows), max(len(w.ids) for w in windows)), self._pad, np.int64)
        mask, types = np.zeros_like(ids), np.zeros_like(ids)
        for row, window in enumerate(windows):
            length = len(window.ids)
            ids[row, :length], mask[row, :length], types[row, :length] = window.ids, 1, window.type_ids
        return self._network.logits(ids, mask, np.minimum(types, self._last_type))

    def _try(self) -> None:
        """Two pairs of different lengths, so that a wrong model is known before the first question."""
        pairs = [self._windows("one", "one")[0], self._windows("one two three", "two")[0]]
        try:
            shape = self._logits(pairs).shape
        except ModelFailed as error:
            raise ConfigError(f"NLI model {self.name!r} cannot judge a pair: {error.reason}") from None
        if shape != (len(pairs), self.labels.count):
            raise ConfigError(
                f"NLI model {self.name!r} gives an array of shape {shape} for {len(pairs)} pairs and"
                f" {self.labels.count} labels; its config.json is that of another model"
            )


def _unknown(tokenizer: Tokenizer) -> int:
    """The id of what the tokenizer does not know; -1 where it knows every byte."""
    token = getattr(tokenizer.model, "unk_token", None)
    place = tokenizer.token_to_id(token) if token else getattr(tokenizer.model, "unk_id", None)
    return -1 if place is None else int(place)


def one_line(error: Exception) -> str:
    """The first line of what a library says."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)[:200]


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Places of windows grouped by similar length, longest first, so that little is padded."""
    order = sorted(range(len(lengths)), key=lambda n: -lengths[n])
    start = 0
    while start < len(order):
        size = max(1, _BATCH_TOKENS // lengths[order[start]])
        yield order[start : start + size]
        start += size
