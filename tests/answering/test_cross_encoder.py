"""The cross-encoder adapter with a real, very small model that the test makes."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from reranker_contract import RerankerContract

from medground.answering.rank.rerank import CrossEncoderReranker, Reranker
from medground.errors import ConfigError
from medground.values.document import Passage

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "marfan", "lens", "aorta", "gene", "is", "the"]


def passages(*texts: str) -> list[Passage]:
    return [Passage(document_id=f"X:{n}", start=0, end=len(t), text=t, title="lens") for n, t in enumerate(texts)]


def make_model(folder: Path, labels: int = 1) -> str:
    """A BERT of one layer with random weights, in the layout that hubs use."""
    pytest.importorskip("transformers", reason="needs the extra torch")
    pytest.importorskip("torch", reason="needs the extra torch")
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizer

    torch.manual_seed(7)
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(WORDS))
    BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    config = BertConfig(vocab_size=len(WORDS), max_position_embeddings=64, initializer_range=1.0, **sizes)
    config.num_labels = labels
    BertForSequenceClassification(config).save_pretrained(folder)
    return str(folder)


@pytest.mark.filterwarnings("ignore")
def test_scores_are_a_sigmoid_of_the_models_own_output(tmp_path: Path) -> None:
    name = make_model(tmp_path / "tiny")
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    found = passages("marfan is the gene", "aorta", "the lens " * 400)
    reranker = CrossEncoderReranker(name)
    scores = reranker.score("is the lens", found)
    assert reranker.name == name
    assert reranker.score("is the lens", []) == []
    assert all(type(score) is float and 0 < score < 1 for score in scores)

    tokens = AutoTokenizer.from_pretrained(name)(
        ["is the lens"] * 2, [f"lens\n{p.text}" for p in found[:2]], padding=True, return_tensors="pt"
    )
    with torch.no_grad():
        logits = AutoModelForSequenceClassification.from_pretrained(name).eval()(**tokens).logits[:, 0]
    np.testing.assert_allclose(scores[:2], torch.sigmoid(logits).numpy(), atol=1e-5)
    np.testing.assert_allclose(reranker.score("is the lens", found[::-1]), scores[::-1], atol=1e-5)


@pytest.mark.filterwarnings("ignore")
def test_a_model_of_several_outputs_or_none_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="returns 3 numbers per pair"):
        CrossEncoderReranker(make_model(tmp_path / "three", labels=3))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ConfigError, match="cannot load the reranker") as caught:
        CrossEncoderReranker(str(tmp_path / "absent"))
    assert "\n" not in str(caught.value)


def test_a_missing_extra_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "medground.models.torch_models", raising=False)
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(ConfigError, match=r'pip install "medground\[torch\]"'):
        CrossEncoderReranker("some/reranker")


@pytest.mark.filterwarnings("ignore")
class TestCrossEncoder(RerankerContract):
    @pytest.fixture(autouse=True)
    def _open(self, tmp_path: Path) -> None:
        self._reranker = CrossEncoderReranker(make_model(tmp_path / "tiny"))

    def make(self) -> Reranker:
        return self._reranker
