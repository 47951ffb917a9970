"""How likely sentences answer a question: MiniLM, whose last layers were trained to read a question and a sentence
together.

The first layers read each text alone, as for embeddings, and are those of the published model (as in DeFormer, Cao et
al. 2020); so only the last two, trained by `scripts/train_pair.py`, ship with the package.
"""

import hashlib
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

import numpy as np
from onnx import ModelProto, TensorProto
from safetensors.numpy import load
from tokenizers import Tokenizer

from medground.models.encoder_graph import BertShape, EncoderGraph, Weights
from medground.models.minilm import graph_over
from medground.models.padding import tokens_and_mask
from medground.models.sessions import open_session
from medground.values.grouping import portions

_QUESTION, _TITLE, _SENTENCE = 80, 20, 64
"""Most tokens of each. Of a longer question its beginning, which names the subject, and its end are read."""
_BATCH = 8
"""Sentences of one call, sorted by length so that little is padded."""

Entitled = tuple[str, str]
"""The title of a document, and a sentence of it."""


class SentenceScorer:
    """The trained network with its tokenizer."""

    def __init__(self, graph: Path, tokenizer: Path, threads: int | None = None) -> None:
        self._session = open_session(graph, threads)
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._tokenizer.encode_special_tokens = True  # a text that writes [SEP] writes letters, not a border
        self._begin, self._end = self._tokenizer.encode("").ids

    def scores(self, question: str, sentences: Sequence[Entitled]) -> list[float]:
        """The log-odds that each sentence answers the question."""
        asked = self._question(question)
        rows = [self._sentence(*sentence) for sentence in sentences]
        found = np.empty(len(rows), np.float32)
        order = sorted(range(len(rows)), key=lambda n: len(rows[n]))
        for batch in portions(order, _BATCH):
            read = tokens_and_mask([asked, *(rows[n] for n in batch)])
            found[batch] = self._session.run(["scores"], read)[0][:, 0]
        return [float(score) for score in found]

    def _question(self, text: str) -> list[int]:
        ids = self._ids(text)
        if len(ids) > _QUESTION:
            ids = ids[: _QUESTION // 4] + ids[-_QUESTION * 3 // 4 :]
        return [self._begin, *ids, self._end]

    def _sentence(self, title: str, text: str) -> list[int]:
        named = [*self._ids(title)[:_TITLE], *self._ids(":")] if title else []
        return [self._begin, *named, *self._ids(text)[:_SENTENCE], self._end]

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)


def open_sentence_scorer(home: Path) -> SentenceScorer:
    """Open the network over MiniLM in `home/models`, making its graph on first use.

    Raises ConfigError: MiniLM has not been fetched, or its files were changed; StorageFailed: there is no space for
    the graph.
    """
    content = (resources.files("medground") / "data" / "models" / "sentence_scorer.safetensors").read_bytes()
    trained = {name: value.astype(np.float32) for name, value in load(content).items()}
    name = f"sentence-scorer-{hashlib.sha256(content).hexdigest()[:16]}"
    folder, graph = graph_over(
        home / "models", name, lambda weights, shape: scorer_graph({**weights, **trained}, shape)
    )
    return SentenceScorer(graph, folder / "tokenizer.json")


def scorer_graph(weights: Weights, shape: BertShape) -> ModelProto:
    """The graph: row 0 of its inputs is the question, the others are sentences; it gives one score for each of these.

    Raises KeyError: a weight is missing.
    """
    graph = _ScorerGraph(weights, shape)
    graph.scored()
    return graph.model("sentence_scorer", "scores", 1)


class _ScorerGraph(EncoderGraph):
    """Layers `joint.layer.N`, as many as the last ones that they replace, read a question and a sentence together."""

    _mask = ""

    def scored(self) -> None:
        """The scores of the sentences."""
        layers = self._shape.num_hidden_layers
        apart = layers - sum(name.startswith("joint.") and name.endswith("query.bias") for name in self._weights)
        early = self._through(self.embeddings(), [f"encoder.layer.{n}" for n in range(apart)])
        whole = self._through(early, [f"encoder.layer.{n}" for n in range(apart, layers)])
        tokens = self.mask(out="tokens")
        units = self._unit(self.summed(whole, tokens))
        cosines = self._product(self._first(units), self._rest(units))
        first, last = self._first(tokens), self._rest(tokens)
        firsts, lasts = self._spread(first, last), last
        hidden = self.node(
            "Concat",
            self.node("Add", self._spread(self._first(early), self._rest(early)), self._weight("place.question")),
            self.node("Add", self._rest(early), self._weight("place.sentence")),
            axis=1,
        )
        both = self.node("Concat", firsts, lasts, axis=1)
        self._mask = self.node("Cast", both, to=TensorProto.INT32, out="joint_mask")
        hidden = self._through(hidden, [f"joint.layer.{n}" for n in range(layers - apart)])
        nothing = self.node("Sub", firsts, firsts)
        asked = self.mean(hidden, self.node("Concat", firsts, nothing, axis=1))
        answer = self.mean(hidden, self.node("Concat", nothing, lasts, axis=1))
        joint = self._product(self._unit(asked), self._unit(answer))
        begin = self.node(
            "Slice", hidden, *(self._integers(f"at {n}", n) for n in (0, 1)), self._integers("tokens axis", 1)
        )
        read = self.node("Concat", self.node("Flatten", begin, axis=1), answer, axis=1)
        head = self.node("Gemm", read, self._weight("head.weight"), self._weight("head.bias"), transB=1)
        scaled = [
            self.node("Mul", value, self._weight(f"scale.{name}"))
            for name, value in (("apart", cosines), ("joint", joint))
        ]
        self.node("Add", self.node("Add", *scaled), head, out="scores")

    def _through(self, hidden: str, layers: Sequence[str]) -> str:
        for layer in layers:
            hidden = self.layer(hidden, layer)
        return hidden

    def _key_mask(self) -> str:
        return self._mask or super()._key_mask()

    def _first(self, rows: str) -> str:
        return self.node("Slice", rows, self._integers("row 0", 0), self._integers("row 1", 1))

    def _rest(self, rows: str) -> str:
        return self.node("Slice", rows, self._integers("row 1", 1), self._integers("last row", np.iinfo(np.int64).max))

    def _spread(self, row: str, rows: str) -> str:
        """The question's row, once for each sentence."""
        return self.node("Expand", row, self.node("Shape", rows))

    def _unit(self, rows: str) -> str:
        return self.node("LpNormalization", rows, axis=-1, p=2)

    def _product(self, one: str, other: str) -> str:
        """The dot products of rows, shape (rows, 1)."""
        return self.node("ReduceSum", self.node("Mul", one, other), self._integers("last axis", -1), keepdims=1)
