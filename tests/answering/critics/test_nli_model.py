"""NLI models: labels in any order, long premises in windows, pairs in batches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from rows import each_row
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from medground.answering.verify.critic import Score
from medground.answering.verify.nli_critic import open_nli
from medground.answering.verify.nli_model import NliModel, read_labels
from medground.errors import ConfigError

Write = Callable[..., str]
LABELS = ("CONTRADICTION", "NEUTRAL", "ENTAILMENT")
PAIRS = [
    ("the lens is long .", "the lens is long ."),
    ("the gene is not the cause of the long aorta , the lens is .", "the gene is the cause ."),
    ("aorta", "the lens is not short"),
    ("the poison is short , not long", "answer the gene"),
]
WORDS = st.sampled_from(
    ["the", "lens", "aorta", "gene", "is", "not", "long", "short", "cause", "of", ".", ",", "zebra"]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=60).map(" ".join)
STATEMENTS = st.lists(WORDS, min_size=1, max_size=20).map(" ".join)


def close(found: list[Score], wanted: list[Score], tolerance: float = 1e-5) -> None:
    np.testing.assert_allclose(
        [(s.entailment, s.contradiction) for s in found],
        [(s.entailment, s.contradiction) for s in wanted],
        atol=tolerance,
    )


@each_row(
    ("labels", "entailment", "contradiction"),
    [
        (("CONTRADICTION", "NEUTRAL", "ENTAILMENT"), 2, 0),
        (("entailment", "neutral", "contradiction"), 0, 2),
        (("Contradiction", "entailment", "Neutral"), 1, 0),
        (("entailment", "not_entailment"), 0, None),
        (("not entailment", "Entailment"), 1, None),
        (("NON-ENTAILMENT", "ENTAILMENT"), 1, None),
    ],
)
def test_labels_in_any_order(labels: tuple[str, ...], entailment: int, contradiction: int | None) -> None:
    found = read_labels("m", {str(place): label for place, label in reversed(list(enumerate(labels)))})
    assert (found.entailment, found.contradiction, found.count) == (entailment, contradiction, len(labels))


@each_row(
    "id2label",
    [
        {0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"},
        {0: "entailment", 1: "contradiction"},
        {0: "entailment", 1: "entails", 2: "neutral"},
        {0: "entailment", 1: "neutral", 2: "contradiction", 3: "other"},
        {"a": "entailment", "b": "neutral", "c": "contradiction"},
        {},
        None,
    ],
)
def test_labels_that_do_not_name_entailment_are_refused(id2label: Any) -> None:
    with pytest.raises(ConfigError, match="must be entailment, neutral and contradiction") as caught:
        read_labels("m", id2label)
    assert "\n" not in str(caught.value)


def test_a_head_in_another_order_gives_the_same_numbers(onnx_model: Write, weights: Any) -> None:
    one = open_nli(onnx_model("one", LABELS, weights))
    order = [2, 0, 1]
    turned = weights | {name: weights[name][order] for name in ("classifier.weight", "classifier.bias")}
    other = open_nli(onnx_model("other", [LABELS[n].lower() for n in order], turned))
    close(one.score(PAIRS), other.score(PAIRS), 1e-6)
    assert len({round(score.entailment, 3) for score in one.score(PAIRS)}) == len(PAIRS)


def test_two_labels_measure_no_contradiction(onnx_model: Write) -> None:
    model = open_nli(onnx_model("two", ("not_entailment", "entailment")))
    scores = model.score(PAIRS)
    assert all(0 < score.entailment < 1 and score.contradiction == 0 for score in scores)


def test_the_graph_is_bert_by_an_independent_forward_pass(onnx_model: Write, torch_model: Write, weights: Any) -> None:
    """Torch with the tokenizer and the softmax of transformers, none of our code."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    folder = torch_model(weights=weights)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    wanted = []
    for premise, hypothesis in PAIRS:
        with torch.no_grad():
            logits = model(**tokenizer(premise, hypothesis, return_tensors="pt")).logits[0]
        shares = torch.softmax(logits, 0).tolist()
        wanted.append(Score(shares[2], shares[0]))
    close(open_nli(onnx_model(weights=weights)).score(PAIRS), wanted, 1e-4)
    close(open_nli(folder).score(PAIRS), wanted, 1e-4)


SIZES = {"vocab_size": 300, "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2, "max_position_embeddings": 60}
ENCODER = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
FAMILIES = {
    "Roberta": ENCODER | {"type_vocab_size": 1},
    "DebertaV2": ENCODER | {"type_vocab_size": 0, "relative_attention": True, "pos_att_type": ["p2c", "c2p"]},
}
"""Architectures of published NLI models: roberta-large-mnli and DeBERTa-v3."""


@pytest.mark.filterwarnings("ignore")
@each_row("family", FAMILIES)
def test_other_architectures(tmp_path: Path, family: str) -> None:
    """With the byte tokenizer of RoBERTa, with padding 1 and positions from 2."""
    transformers = pytest.importorskip("transformers", reason="needs the extra torch")
    torch = pytest.importorskip("torch", reason="needs the extra torch")
    names = dict(enumerate(("contradiction", "neutral", "entailment")))
    config = getattr(transformers, f"{family}Config")(**SIZES, **FAMILIES[family])
    config.id2label, config.label2id = names, {label: place for place, label in names.items()}
    torch.manual_seed(1)
    network = getattr(transformers, f"{family}ForSequenceClassification")(config).eval()
    for weight in network.parameters():
        weight.data.mul_(5)
    network.save_pretrained(tmp_path)
    vocabulary = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
    for letter in sorted(pre_tokenizers.ByteLevel.alphabet()):
        vocabulary[letter] = len(vocabulary)
    bytewise = Tokenizer(models.BPE(vocabulary, [], unk_token="<unk>"))
    bytewise.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytewise.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=bytewise, pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    )
    fast.save_pretrained(tmp_path)

    found = open_nli(str(tmp_path)).score([("the lens", "is long"), ("a", "long"), ("the lens is long " * 30, "aorta")])
    with torch.no_grad():
        ids = torch.tensor([fast("the lens", "is long")["input_ids"]])
        shares = torch.softmax(network(input_ids=ids).logits[0], 0).tolist()
    close(found[:1], [Score(shares[2], shares[0])], 1e-4)
    assert all(0 < score.entailment < 1 for score in found)


@settings(max_examples=10, deadline=None)
@given(st.lists(st.tuples(TEXTS, STATEMENTS), max_size=8))
def test_one_at_a_time_is_all_together(model: NliModel, pairs: list[tuple[str, str]]) -> None:
    together = model.score(pairs)
    close(together, [score for pair in pairs for score in model.score([pair])])
    close(together, model.score(pairs[::-1])[::-1])


@settings(max_examples=10, deadline=None)
@given(st.lists(WORDS, min_size=50, max_size=150), STATEMENTS)
def test_a_long_premise_is_the_best_of_its_windows(model: NliModel, words: list[str], statement: str) -> None:
    """Each word is a token here, so the windows can be checked by hand."""
    room = model.longest - 3 - len(statement.split())
    step = room - room // 4
    starts = range(0, max(len(words) - room, 0) + step, step)
    windows = [" ".join(words[start : start + room]) for start in starts if words[start : start + room]]
    scores = model.score([(window, statement) for window in windows])
    wanted = Score(max(s.entailment for s in scores), max(s.contradiction for s in scores))
    close(model.score([(" ".join(words), statement)]), [wanted])


class Recorder:
    """A network that records its inputs."""

    def __init__(self) -> None:
        self.seen: list[tuple[NDArray[np.int64], ...]] = []

    def logits(self, *arrays: NDArray[np.int64]) -> NDArray[np.float32]:
        self.seen.append(arrays)
        return np.zeros((len(arrays[0]), 3), np.float32)


def recorded(folder: str, **more: Any) -> tuple[NliModel, Recorder]:
    network = Recorder()
    about = {"id2label": dict(enumerate(LABELS)), "max_position_embeddings": 48, "pad_token_id": 7} | more
    model = NliModel("m", about, Tokenizer.from_file(f"{folder}/tokenizer.json"), network)
    network.seen.clear()
    return model, network


def test_what_the_network_sees(onnx_model: Write) -> None:
    model, network = recorded(onnx_model())
    model.score([("lens", "aorta"), ("the lens", "gene is")])
    ids, mask, types = network.seen[0]
    assert ids.tolist() == [[2, 5, 6, 3, 8, 9, 3], [2, 6, 3, 7, 3, 7, 7]]  # the longest first, padded with 7
    assert mask.tolist() == [[1] * 7, [1] * 5 + [0] * 2]
    assert types.tolist() == [[0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 0, 0]]
    model.score([("the lens [SEP] [CLS] gene", "the [SEP] aorta")])
    bordered = network.seen[1][0][0].tolist()
    assert (bordered.count(2), bordered.count(3)) == (1, 2), "a text cannot write a border"
    model, network = recorded(onnx_model(), type_vocab_size=1)
    model.score([("the lens", "gene")])
    assert network.seen[0][2].max() == 0, "a model of one segment gets one"


@each_row(("places", "limit", "longest"), [(514, 512, 512), (8192, 1e30, 512), (130, 512, 128), (None, 64, 64)])
def test_how_long_a_pair_may_be(onnx_model: Write, places: int | None, limit: float, longest: int) -> None:
    about = {"id2label": dict(enumerate(LABELS)), "max_position_embeddings": places}
    model = NliModel("m", about, Tokenizer.from_file(f"{onnx_model()}/tokenizer.json"), Recorder(), limit)
    assert model.longest == longest
    network = Recorder()
    model._network = network
    model.score([("the lens " * 1_000, "the aorta is long")])
    assert network.seen[0][0].shape[1] == longest


@each_row(
    ("statement", "reason"),
    [
        ("the lens " * 12, "the statement has 24 tokens; the model takes at most 23"),
        ("水晶体 длинный", "does not know"),
        ("\u200b", "no tokens that the model can read"),
        ("the lens is zebra", None),
    ],
)
def test_a_statement_that_the_model_cannot_read(model: NliModel, statement: str, reason: str | None) -> None:
    problem = model.problem(statement)
    assert problem is None if reason is None else reason in str(problem)
