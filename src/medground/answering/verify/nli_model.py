"""An NLI model: takes pairs of premise and hypothesis, returns probabilities of entailment and contradiction."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from medground.answering.verify.critic import Score
from medground.errors import ConfigError, ModelFailed
from medground.models.pair_reader import PairReader, batches

_RELATIONS = {
    **dict.fromkeys(("entailment", "entail", "entails"), "entailment"),
    **dict.fromkeys(("contradiction", "contradict", "contradicts"), "contradiction"),
    **dict.fromkeys(("not_entailment", "non_entailment"), "not entailment"),
    "neutral": "neutral",
}
_SETS = (["contradiction", "entailment", "neutral"], ["entailment", "not entailment"])


@dataclass(frozen=True)
class Labels:
    """Positions of the relations in a model's `count` outputs; a model of two labels has no `contradiction`."""

    entailment: int
    contradiction: int | None
    count: int


def read_labels(name: str, id2label: Mapping[Any, Any] | None) -> Labels:
    """Read the positions from `id2label` of a transformers config, which maps an index (number or text) to a label.

    Raises ConfigError: the labels do not name entailment, or belong to another task.
    """
    try:
        ordered = [str(label) for _, label in sorted((int(place), label) for place, label in (id2label or {}).items())]
    except (TypeError, ValueError):
        ordered = []
    relations = [_RELATIONS.get("_".join(label.lower().replace("-", " ").split())) for label in ordered]
    if sorted(filter(None, relations)) not in _SETS or None in relations:
        raise ConfigError(
            f"NLI model {name!r} has the labels {', '.join(ordered)[:100] or '(none)'}; they must be entailment,"
            " neutral and contradiction, or entailment and not_entailment: name them so in id2label of its config.json"
        )
    return Labels(
        entailment=relations.index("entailment"),
        contradiction=relations.index("contradiction") if "contradiction" in relations else None,
        count=len(relations),
    )


LONGEST = 512
"""Most tokens of a pair. NLI models may accept more, but are trained on shorter pairs."""

_OFFSET = 2
"""Models of the RoBERTa family number positions from 2, so two of their positions cannot be used."""

_OVERLAP = 4
"""Consecutive windows share one part in this many, which is more than a sentence."""

_BATCH_TOKENS = 2048
"""Padded tokens of one batch. This limits memory, and the time until a cancelled model stops: a large model on two
cores needs half a minute for one batch."""

Integers = NDArray[np.int64]


Network = Callable[[Integers, Integers, Integers], NDArray[np.float32]]
"""Takes ids, mask and types of shape (pairs, tokens), returns logits of shape (pairs, labels), by torch or onnxruntime.
It is thread-safe, and raises ModelFailed where it could not run."""


class NliModel(PairReader):
    """A tokenizer, a network and its labels.

    Args:
        config: the model's `config.json`, with `id2label`.
        tokenizer: its tokenizer; truncation and padding are switched off.
        longest: most tokens of a pair according to the tokenizer's config.

    Raises ConfigError: the labels are wrong, or the network does not return one number per label for a pair.
    """

    def __init__(
        self, name: str, config: Mapping[str, Any], tokenizer: Tokenizer, network: Network, longest: float = LONGEST
    ) -> None:
        self.labels: Labels = read_labels(name, config.get("id2label"))
        places = config.get("max_position_embeddings") or LONGEST + _OFFSET
        super().__init__(name, tokenizer, int(min(LONGEST, longest, max(places - _OFFSET, 1))))
        self._pad = int(config.get("pad_token_id") or 0)
        self._last_type = max(int(config.get("type_vocab_size") or 2) - 1, 0)
        self._network = network
        self._try()

    def score(self, pairs: Sequence[tuple[str, str]], stopped: Callable[[], bool] = lambda: False) -> list[Score]:
        """Score pairs of premise and hypothesis; results are in order. This blocks. Long premises are read in windows.

        `stopped` is called before each batch; once it is true, the remaining scores are NaN.

        Raises ModelFailed: the network could not run.
        """
        best = np.full((len(pairs), 2), -np.inf)
        windows = [(i, window) for i, pair in enumerate(pairs) for window in self._windows(*pair)]
        for batch in batches([len(window.ids) for _, window in windows], _BATCH_TOKENS):
            if stopped():
                found = np.full((len(batch), 2), np.nan)
            else:
                found = self._probabilities([windows[n][1] for n in batch])
            np.maximum.at(best, [windows[n][0] for n in batch], found)  # NaN stays NaN
        return [Score(float(entailment), float(contradiction)) for entailment, contradiction in best]

    def _windows(self, premise: str, hypothesis: str) -> list[Encoding]:
        asked = self._tokenizer.encode(hypothesis, add_special_tokens=False)
        read = self._tokenizer.encode(premise, add_special_tokens=False)
        room = max(self.longest - self._tokenizer.num_special_tokens_to_add(True) - len(asked.ids), 1)
        read.truncate(room, stride=room // _OVERLAP)
        first = self._tokenizer.post_process(read, asked)
        return [first, *first.overflowing]

    def _probabilities(self, windows: Sequence[Encoding]) -> NDArray[np.float64]:
        """Entailment and contradiction, of shape (windows, 2); NaN for windows with a value that is not finite."""
        logits = self._logits(windows).astype(np.float64)
        logits[~np.isfinite(logits).all(axis=1)] = np.nan
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares = weights / weights.sum(axis=1, keepdims=True)
        entailment, place = shares[:, self.labels.entailment], self.labels.contradiction
        # A model with two labels does not measure contradiction; windows that it could not read stay NaN.
        return np.stack([entailment, entailment * 0 if place is None else shares[:, place]], axis=1)

    def _logits(self, windows: Sequence[Encoding]) -> NDArray[np.float32]:
        ids = np.full((len(windows), max(len(w.ids) for w in windows)), self._pad, np.int64)
        mask, types = np.zeros_like(ids), np.zeros_like(ids)
        for row, window in enumerate(windows):
            length = len(window.ids)
            ids[row, :length], mask[row, :length], types[row, :length] = window.ids, 1, window.type_ids
        return self._network(ids, mask, np.minimum(types, self._last_type))

    def _try(self) -> None:
        """Run two pairs of different lengths, to detect a wrong model before the first question."""
        pairs = [self._windows("one", "one")[0], self._windows("one two three", "two")[0]]
        try:
            shape = self._logits(pairs).shape
        except ModelFailed as error:
            raise ConfigError(f"NLI model {self.name!r} cannot judge a pair: {error.reason}") from None
        if shape != (len(pairs), self.labels.count):
            raise ConfigError(
                f"NLI model {self.name!r} returns an array of shape {shape} for {len(pairs)} pairs and"
                f" {self.labels.count} labels; its config.json belongs to another model"
            )
