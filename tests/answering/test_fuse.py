"""Reciprocal rank fusion, near-duplicate passages, the reranker of the settings, and a fair split over sources."""

import asyncio
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein
from reranker_contract import RerankerContract

from medground.answering.rank.cosines import cosines
from medground.answering.rank.cross_encoder import CrossEncoderReranker
from medground.answering.rank.fuse import distinct, fuse, merge_duplicates
from medground.answering.rank.rerank import Reranker, rerank, reranker_problems
from medground.answering.run import Run
from medground.errors import ConfigError, UsageError
from medground.home.settings import Settings
from medground.recipes.omni_rag.fair_split import fair_split
from medground.recipes.settings import BioMedSearchSettings
from medground.values.document import Hit, Passage
from medground.values.source_plan import QueryFound, SourceDescription, SourceFound, SourceQuery


def ranking(ranker, *names, also=()):
    return tuple(
        Hit(
            passage=Passage(document_id=f"X:{name}", start=0, end=1, text="t"),
            ranker=ranker,
            rank=rank,
            score=100.0 - rank,
            also=also,
        )
        for rank, name in enumerate(names, 1)
    )


def names(hits):
    return [hit.passage.document_id.removeprefix("X:") for hit in hits]


def test_the_sum_of_reciprocal_ranks():
    fused = fuse([ranking("bm25", "a", "b", "c"), ranking("dense", "c", "a")])
    assert names(fused) == ["a", "c", "b"]
    assert [hit.score for hit in fused] == pytest.approx([1 / 61 + 1 / 62, 1 / 63 + 1 / 61, 1 / 62])
    assert [hit.rank for hit in fused] == [1, 2, 3]
    assert {hit.ranker for hit in fused} == {"rrf"}
    low = tuple(hit.model_copy(update={"score": hit.score / 1e6}) for hit in ranking("bm25", "a", "b", "c"))
    assert [hit.score for hit in fuse([low, ranking("dense", "c", "a")])] == [hit.score for hit in fused]
    (hit,) = fuse([ranking("a", "x", also=("X:q#0-1",)), ranking("b", "x", also=("X:r#0-1",))])
    assert hit.also == ("X:q#0-1", "X:r#0-1")


def test_invalid_rankings_are_refused():
    with pytest.raises(UsageError, match="ranks 1, 2, 3"):
        fuse([ranking("a", "x", "y")[1:]])
    with pytest.raises(UsageError, match="twice"):
        fuse([ranking("a", "x", "x")])
    for k in (0, -60):
        with pytest.raises(UsageError, match="at least 1"):
            fuse([ranking("a", "x")], k=k)
    for similarity in (0, -1, 1.1):
        with pytest.raises(UsageError):
            merge_duplicates(hits(TEXT), similarity)


lists = st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8), max_size=5)


@given(lists, st.integers(1, 100), st.randoms())
def test_every_passage_once_best_first_whatever_the_order_of_the_rankings(orders, k, random):
    rankings = [ranking(f"r{n}", *order) for n, order in enumerate(orders)]
    fused = fuse(rankings, k)
    assert fused == fuse(random.sample(rankings, len(rankings)), k)
    assert sorted(names(fused)) == sorted({name for order in orders for name in order})
    assert [hit.rank for hit in fused] == list(range(1, len(fused) + 1))
    scores = [hit.score for hit in fused]
    assert scores == sorted(scores, reverse=True)
    for hit in fused:
        parts = [1 / (k + r.index(n) + 1) for r in orders for n in names([hit]) if n in r]
        assert hit.score == pytest.approx(sum(parts))


TEXT = (
    "Ectopia lentis is a common finding in patients with Marfan syndrome and is caused by variants of the gene FBN1 "
    "which weaken the zonular fibres that hold the lens in its place behind the iris of the eye."
)


def hits(*texts, retraction="none"):
    passages = (
        Passage(document_id=f"X:{n}", start=0, end=len(text), text=text, retraction=retraction)
        for n, text in enumerate(texts, 1)
    )
    return tuple(Hit(passage=one, ranker="rrf", rank=n, score=1 / n) for n, one in enumerate(passages, 1))


def test_equal_words_are_one_hit():
    merged = merge_duplicates(hits(TEXT, "something else", TEXT.upper().replace(" ", "  ")))
    assert [hit.passage.document_id for hit in merged] == ["X:1", "X:2"]
    assert [hit.rank for hit in merged] == [1, 2]
    assert merged[0].also == (f"X:3#0-{len(TEXT) + TEXT.count(' ')}",)
    assert len(merge_duplicates(hits(TEXT, TEXT + " Indeed."))) == 1
    longer = f"{TEXT} {TEXT.replace('Marfan', 'Loeys')}"
    for word, other in (("common", "rare"), ("is caused by", "is not caused by"), ("find", "find < 3 find")):
        assert len(merge_duplicates(hits(longer, longer.replace(word, other, 1)))) == 2
    assert len(merge_duplicates(hits("Seizures in 119 of 251 patients.", "Seizures in 12 of 251 patients."))) == 2
    before = [hit.model_copy(update={"also": (f"X:{n}#0-1",)}) for n, hit in enumerate(hits(TEXT, TEXT), start=8)]
    assert merge_duplicates(before)[0].also == ("X:8#0-1", before[1].passage.key, "X:9#0-1")
    retracted = (hits(TEXT)[0], hits("", TEXT, retraction="retracted")[1])
    assert len(merge_duplicates(retracted)) == 2, "it stays visible"


WORDS = st.lists(st.sampled_from(["a", "b", "c."]), max_size=20).map(" ".join)
texts = st.lists(st.text(st.sampled_from("ab .1é"), max_size=40) | WORDS, max_size=10)


@given(texts)
def test_nothing_is_lost_and_merging_again_changes_nothing(given_texts):
    before = hits(*given_texts)
    merged = merge_duplicates(before)
    keys = [key for hit in merged for key in (hit.passage.key, *hit.also)]
    assert sorted(keys) == sorted(hit.passage.key for hit in before)
    assert [hit.rank for hit in merged] == list(range(1, len(merged) + 1))
    assert merge_duplicates(merged) == merged
    assert [(h.passage, h.rank) for h in distinct(before)] == [(h.passage, h.rank) for h in merged]
    given_hits = iter(before)
    next(distinct(given_hits), None)
    assert len(list(given_hits)) == max(len(before) - 1, 0), "no further is read than is asked"


@given(texts, st.floats(0.05, 1.0))
def test_a_part_of_the_shingles_finds_what_all_of_them_find(given_texts, similarity):
    before = hits(*given_texts)
    assert [hit.passage for hit in merge_duplicates(before, similarity)] == by_all_pairs(before, similarity)


def differ_at_the_ends(words, others):
    """Whether one run of words in the middle is all that two texts share, whatever comes before and after it."""
    codes = [code.tag for code in Levenshtein.opcodes(words, others)]
    return codes.count("equal") == 1


def by_all_pairs(before, similarity):
    kept = []
    for hit in before:
        words = re.findall(r"\w+|[<>≤≥]", hit.passage.text.casefold())
        shingles = {tuple(words[n : n + 4]) for n in range(len(words) - 3)} if len(words) >= 8 else set()
        equal = any(words and words == other for _, other, _ in kept)
        alike = any(
            shingles and len(shingles & s) / len(shingles | s) >= similarity and differ_at_the_ends(words, other)
            for _, other, s in kept
        )
        if not equal and not alike:
            kept.append((hit.passage, words, shingles))
    return [passage for passage, _, _ in kept]


class Longest:
    """Prefers long passages."""

    name = "longest"

    def score(self, question: str, passages: Sequence[Passage]) -> list[float]:
        return [len(passage.text) / 100 for passage in passages]


def test_the_best_are_kept_and_ties_stay_in_their_order(
    make_run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = list(hits("one", "two", "the longest"))
    (problem,) = reranker_problems("keyless", tmp_path)
    assert "set `none` instead" in str(problem)
    plain = make_run("q?")
    assert asyncio.run(rerank("none", "q?", found, 2, plain)) == found[:2]
    monkeypatch.setattr("medground.answering.rank.rerank.open_reranker", lambda name, models: Longest())
    best = asyncio.run(rerank("longest", "q?", found, 2, plain))
    assert [(hit.passage.text, hit.ranker, hit.rank) for hit in best] == [
        ("the longest", "longest", 1),
        ("one", "longest", 2),
    ]
    assert asyncio.run(rerank("longest", "q?", [], 2, plain)) == []


def hit(name: str, number: int, length: int = 40) -> Hit:
    text = f"{name} {number * 7919} says {number}".ljust(length, ".")[:length]
    passage = Passage(document_id=f"{name.upper()}:{number}", start=0, end=len(text), text=text)
    return Hit(passage=passage, ranker="bm25", rank=number, score=1.0, source=name)


def source(name: str, *queries: list[Hit]) -> SourceFound:
    description = SourceDescription(name=name, kind="book", about="It.", licence="none", origin="none")
    ranked = [tuple(one.replace(rank=rank) for rank, one in enumerate(hits, 1)) for hits in queries]
    return SourceFound(description, "found", tuple(QueryFound(SourceQuery(text="q"), hits) for hits in ranked))


def ids(found: list[SourceFound], most: int = 20, each: int = 2, characters: int = 10_000) -> list[str]:
    return [one.passage.document_id for one in fair_split(found, most=most, each=each, characters=characters)]


def test_two_of_each_source_by_turns_and_then_the_best() -> None:
    many = source("a", [hit("a", n) for n in range(1, 11)])
    few = source("b", [hit("b", 1), hit("b", 2), hit("b", 3)])
    assert ids([many, few, source("c")], most=6) == ["A:1", "B:1", "A:2", "B:2", "A:3", "B:3"]
    assert ids([many, few], most=3, each=1) == ["A:1", "B:1", "A:2"]
    assert len(ids([many, few])) == 13
    asked = source("a", [hit("a", 1), hit("a", 2), hit("a", 3)], [hit("a", 3), hit("a", 4)])
    assert ids([asked])[0] == "A:3", "what several queries found counts more"
    long = [source("a", [hit("a", 1, 50), hit("a", 2, 90), hit("a", 3, 45)])]
    assert ids(long, characters=100) == ["A:1", "A:3"], "what does not fit makes room for shorter ones"
    one = hit("a", 1)
    other = one.model_copy(update={"passage": one.passage.model_copy(update={"document_id": "B:1"})})
    assert ids([source("a", [one]), source("b", [other])]) == ["A:1"], "the same text counts once"


COUNTS = st.lists(st.lists(st.integers(0, 12), max_size=3), max_size=5)


@given(COUNTS, st.integers(1, 20), st.integers(1, 3), st.integers(40, 900))
def test_no_source_is_crowded_out(counts: list[list[int]], most: int, each: int, characters: int) -> None:
    found = [
        source(chr(97 + place), *([hit(chr(97 + place), n) for n in range(1, count + 1)] for count in own))
        for place, own in enumerate(counts)
    ]
    taken = ids(found, most, each, characters)
    assert len(taken) == len(set(taken)) <= most
    assert 40 * len(taken) <= characters
    having = [one.source.name for one in found if one.passages]
    room = min(most, characters // 40)
    assert set(having[:room]) <= {identity[0].lower() for identity in taken}


ASKED = "Does exercise lower blood pressure?"
OTHERS = [
    "Aerobic training reduced systolic blood pressure in adults with hypertension.",
    "Zebrafish fins regenerate after amputation.",
    "",
]
MakeRun = Callable[..., Run]


def cosines_of(run: Run, text: str = ASKED, others: list[str] = OTHERS) -> list[float]:
    return asyncio.run(cosines(text, others, run, embedder=run.settings.section(BioMedSearchSettings).embedder))


def test_without_a_model_words_count_and_the_answer_says_so_once(make_run: MakeRun) -> None:
    run = make_run("q")
    assert cosines_of(run, others=[]) == []
    assert run.warnings == [], "nothing to compare opens no model"
    near, far, empty = cosines_of(run)
    assert 0 < near <= 1
    assert (far, empty) == (0.0, 0.0)
    assert cosines_of(run, OTHERS[0], [OTHERS[0]]) == [pytest.approx(1.0)]
    (told,) = run.warnings
    assert "minilm" in told.lower()
    assert "medground models fetch" in told or "pip install" in told
    run.settings = run.settings.with_section(BioMedSearchSettings(embedder="no/such-model"))
    assert cosines_of(run)[0] > 0
    assert len(run.warnings) == 2


def test_the_model_orders_by_meaning_and_repeats_give_the_same(make_run: MakeRun, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    given = os.environ.get("MODELS_FOR_TESTS")
    models = Path(given) if given else Settings().home / "models"
    if not models.is_dir():
        pytest.skip("MiniLM was not fetched: medground models fetch minilm, or MODELS_FOR_TESTS=FOLDER")
    (tmp_path / "models").symlink_to(models.resolve())
    run = make_run("q")
    first = cosines_of(run)
    if run.warnings:
        pytest.skip(run.warnings[0])
    assert first[0] > 0.4 > first[1]
    assert first[2] == 0.0
    assert cosines_of(run, others=OTHERS[::-1]) == pytest.approx(first[::-1], abs=2e-4)


TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "marfan", "lens", "aorta", "gene", "is", "the"]


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
    (folder / "vocab.txt").write_text("\n".join(TOKENS))
    BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    config = BertConfig(vocab_size=len(TOKENS), max_position_embeddings=64, initializer_range=1.0, **sizes)
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
