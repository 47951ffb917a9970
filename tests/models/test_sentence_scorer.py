"""The network that reads a question and a sentence together, against an independent forward pass."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tiny_networks import BERT, HEADS, HIDDEN, LAYERS, WORDS, Weights, base_weights, layered, norm, tokenizer

from medground.models.encoder_graph import BertShape, saved
from medground.models.sentence_scorer import SentenceScorer, scorer_graph

EPSILON = 1e-12
SHAPE = BertShape(num_hidden_layers=LAYERS, num_attention_heads=HEADS, layer_norm_eps=EPSILON)
QUESTION = "the cause of aorta"
SENTENCES = [("lens", "the gene is short"), ("", "long aorta"), ("gene", "is not the cause of the long lens")]


@pytest.fixture(scope="module")
def weights() -> Weights:
    """A small BERT whose last layer is trained to read two texts together."""
    random = np.random.default_rng(3)
    made, last = base_weights(names=BERT), f"encoder.layer.{LAYERS - 1}"
    for name in [name for name in made if name.startswith(last)]:
        change = random.normal(0, 0.1, made[name].shape)
        made[name.replace(last, "joint.layer.0")] = (made[name] + change).astype(np.float32)
    shapes = {"place.question": HIDDEN, "place.sentence": HIDDEN, "scale.apart": 1, "scale.joint": 1, "head.bias": 1}
    made |= {name: random.normal(0, 1, size).astype(np.float32) for name, size in shapes.items()}
    made["head.weight"] = random.normal(0, 1, (1, 2 * HIDDEN)).astype(np.float32)
    return made


@pytest.fixture(scope="module")
def network(weights: Weights, tmp_path_factory: pytest.TempPathFactory) -> SentenceScorer:
    folder = tmp_path_factory.mktemp("scorer")
    tokenizer().save(str(folder / "tokenizer.json"))
    graph = saved(scorer_graph(weights, SHAPE), folder / "scorer.onnx")
    return SentenceScorer(graph, folder / "tokenizer.json", 1)


def test_scores_are_those_of_the_network_whatever_stands_beside_a_sentence(
    network: SentenceScorer, weights: Weights
) -> None:
    expected = [by_hand(weights, QUESTION, *sentence) for sentence in SENTENCES]
    assert network.scores(QUESTION, SENTENCES) == pytest.approx(expected, rel=1e-4)
    assert network.scores(QUESTION, SENTENCES * 5) == pytest.approx(expected * 5, rel=1e-4)
    assert network.scores(QUESTION, SENTENCES[1:2]) == pytest.approx(expected[1:2], rel=1e-4)


def test_of_a_long_question_its_beginning_and_its_end_are_read(
    network: SentenceScorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medground.models.sentence_scorer._QUESTION", 20)
    begin, end = "gene " * 5, " aorta" * 15
    asked = [begin + middle + end for middle in ("short " * 9, "lens " * 7, "")]
    cut, same, whole = (network.scores(text, SENTENCES) for text in asked)
    assert cut == pytest.approx(whole) and same == pytest.approx(whole)
    assert network.scores(begin, SENTENCES) != pytest.approx(whole)


def test_without_sentences_nothing_is_scored(network: SentenceScorer) -> None:
    assert network.scores(QUESTION, []) == []


def by_hand(weights: Weights, question: str, title: str, sentence: str) -> float:
    """The score of one pair, in float64."""
    w: dict[str, Any] = {name: value.astype(np.float64) for name, value in weights.items()}
    early = [embedded(w, tokens(text)) for text in (question, f"{title} : {sentence}" if title else sentence)]
    for n in range(LAYERS - 1):
        early = [layered(w, x, f"encoder.layer.{n}", BERT, EPSILON, [0.0] * HEADS) for x in early]
    apart = [layered(w, x, f"encoder.layer.{LAYERS - 1}", BERT, EPSILON, [0.0] * HEADS).mean(0) for x in early]
    joined = np.vstack([early[0] + w["place.question"], early[1] + w["place.sentence"]])
    read = layered(w, joined, "joint.layer.0", BERT, EPSILON, [0.0] * HEADS)
    asked, answer = read[: len(early[0])].mean(0), read[len(early[0]) :].mean(0)
    head = np.concatenate([read[0], answer]) @ w["head.weight"][0] + w["head.bias"][0]
    return float(w["scale.apart"][0] * cosine(*apart) + w["scale.joint"][0] * cosine(asked, answer) + head)


def embedded(w: dict[str, Any], ids: list[int]) -> NDArray[np.float64]:
    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][: len(ids)]
    return np.asarray(norm(w, x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm", EPSILON))


def tokens(text: str) -> list[int]:
    return [0, *(WORDS.index(word) if word in WORDS else WORDS.index("[UNK]") for word in text.split()), 2]


def cosine(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))
