"""Run a network that `make` made. Each pair is computed alone, so its result never depends on its company."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from onnxruntime.capi import onnxruntime_pybind11_state as onnxruntime_errors
from tokenizers import Encoding, Tokenizer

from medground.errors import ConfigError, ModelFailed
from medground.models.catalogue import CONFIG, GRAPH, MADE, TOKENIZER, sha256_of
from medground.models.pair_graph import About

_FAILURES = tuple(
    getattr(onnxruntime_errors, name)
    for name in (
        *("Fail", "InvalidArgument", "InvalidGraph", "InvalidProtobuf"),
        *("NoSuchFile", "NotImplemented", "RuntimeException"),
    )
)

Pair = tuple[str, str]
"""A premise (a passage) and a hypothesis (a statement)."""


class PairNetwork:
    """A network with its tokenizer. Thread-safe.

    Attributes:
        name: as in the settings.
        about: labels, lengths, thresholds.
        identity: hash of the graph.
    """

    def __init__(self, name: str, about: About, identity: str, session: Any, tokenizer: Tokenizer) -> None:
        self.name, self.about, self.identity = name, about, identity
        self._session = session
        self._tokenizer = tokenizer
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tokenizer.encode_special_tokens = True  # a text that writes [SEP] or </s> writes letters, not a border
        unknown = tokenizer.token_to_id(getattr(tokenizer.model, "unk_token", None) or "")
        self._unknown = -1 if unknown is None else unknown
        self._special = tokenizer.num_special_tokens_to_add(is_pair=True)

    @classmethod
    def open(cls, name: str, folder: Path) -> Self:
        """Load a network from its folder, and check that it is still the graph that was made.

        Raises:
            ConfigError: a file is missing or damaged.
        """
        remedy = f"run: medground models remove {name} && medground models fetch {name}"
        try:
            about = json.loads((folder / CONFIG).read_text(encoding="utf-8"))["about"]
            made = json.loads((folder / MADE).read_text(encoding="utf-8"))
            digest = sha256_of(folder / GRAPH)
            tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
            if digest != made["graph"]:
                raise ConfigError(f"{folder / GRAPH} was changed since it was made; {remedy}")
            session = onnxruntime.InferenceSession(str(folder / GRAPH), _options(), providers=["CPUExecutionProvider"])
            return cls(name, About.model_validate(about), digest, session, tokenizer)
        except ConfigError:
            raise
        except Exception as error:  # noqa: BLE001  # tokenizers and onnxruntime raise nothing narrower
            reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
            raise ConfigError(f"cannot load {name} from {folder} ({reason[:200]}); {remedy}") from None

    def problem(self, hypothesis: str) -> str | None:
        """Why a hypothesis cannot be read, or None. Hypotheses are never truncated."""
        ids = self._tokenizer.encode(hypothesis, add_special_tokens=False).ids
        most = self.about.max_length // 2
        if not ids:
            return "the statement has no tokens that the model can read"
        if len(ids) > most:
            return f"the statement has {len(ids)} tokens; the model takes at most {most}"
        if ids.count(self._unknown) * 2 > len(ids):
            return "most of the statement is in words or letters that the model does not know"
        return None

    def probabilities(self, pairs: Sequence[Pair], stopped: Callable[[], bool] = lambda: False) -> NDArray[np.float64]:
        """Calibrated probabilities, shape (pairs, labels).

        A premise that is too long is cut at the end; callers choose the sentences that matter. Rows are NaN where the
        network gave numbers that are not finite, or once `stopped` is true, which is asked before each pair.

        Raises:
            ModelFailed: the network could not run.
        """
        rows = np.full((len(pairs), len(self.about.labels)), np.nan)
        for row, pair in enumerate(pairs):
            if stopped():
                break
            rows[row] = self._logits(pair)
        rows[~np.isfinite(rows).all(axis=1)] = np.nan
        powers = np.exp(rows - rows.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))

    def _logits(self, pair: Pair) -> NDArray[np.float64]:
        encoding = self._encoded(*pair)
        rows = {"input_ids": encoding.ids, "attention_mask": encoding.attention_mask}
        try:
            found = self._session.run(["logits"], {name: np.array([row], np.int64) for name, row in rows.items()})[0][0]
        except _FAILURES as error:
            reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
            raise ModelFailed(f"onnxruntime: {reason[:200]}", model=self.name) from None
        return np.asarray(found, np.float64)

    def _encoded(self, premise: str, hypothesis: str) -> Encoding:
        said, read = self._tokenizer.encode_batch([hypothesis, premise], add_special_tokens=False)
        said.truncate(max(self.about.max_length - self._special - 1, 1))
        read.truncate(max(self.about.max_length - self._special - len(said.ids), 1))
        return self._tokenizer.post_process(read, said)


@lru_cache(maxsize=4)
def open_network(name: str, folder: Path) -> PairNetwork:
    """`PairNetwork.open`, once for each folder."""
    return PairNetwork.open(name, folder)


def _options() -> Any:
    options = onnxruntime.SessionOptions()
    # Threads that spin while waiting take the cores from other processes.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return options
