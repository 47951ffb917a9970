"""Files of PubMed, and MedCPT's vectors of them."""

import asyncio
import gzip
import itertools
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from refusals import refused
from rows import each_row
from small_corpora import contents, make_input

from medground.answering.rank.cross_encoder import CrossEncoderReranker
from medground.answering.rank.rerank import open_reranker
from medground.corpus.build import add, build
from medground.corpus.embedder import embed_passages, embed_queries
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.corpus.readers.folders import release_of
from medground.engine.open_engine import open_sources
from medground.errors import ConfigError
from medground.home.settings import Settings
from medground.models.embedders import ARTICLE, CROSS, QUERY, open_embedder
from medground.sources.corpus import CorpusSource
from medground.values.document import Document
from medground.values.lookup import Lookup, Ranker
from medground.values.query import Filters, Words

Records = Mapping[int, str | None]
"""What a file says of papers by PMID: their text, or None where it deletes them."""

_ticks = itertools.count(1_700_000_000)


def write(folder: Path, number: int, records: Records, *, year: int = 26) -> Path:
    """A file as NLM publishes it, with a new time."""
    folder.mkdir(parents=True, exist_ok=True)
    articles = "".join(
        f'<PubmedArticle><MedlineCitation><PMID Version="1">{pmid}</PMID><Article><ArticleTitle>T{pmid}</ArticleTitle>'
        f"<Abstract><AbstractText>{text}</AbstractText></Abstract></Article></MedlineCitation></PubmedArticle>"
        for pmid, text in records.items()
        if text is not None
    )
    gone = "".join(f'<PMID Version="1">{pmid}</PMID>' for pmid, text in records.items() if text is None)
    deleted = f"<DeleteCitation>{gone}</DeleteCitation>" if gone else ""
    path = folder / f"pubmed{year}n{number:04}.xml.gz"
    path.write_bytes(gzip.compress(f"<PubmedArticleSet>{articles}{deleted}</PubmedArticleSet>".encode()))
    now = next(_ticks)
    os.utime(path, (now, now))
    return path


def stated(files: Sequence[Records]) -> dict[str, str]:
    """What files in their order come to."""
    found: dict[int, str | None] = {}
    for records in files:
        found |= records
    return {f"PMID:{pmid}": text for pmid, text in sorted(found.items()) if text is not None}


def texts(library: Library, name: str = "pubmed") -> dict[str, str]:
    return {document.id: document.text for document in contents(library, name).values()}


def notes(library: Library, name: str = "pubmed") -> dict[str, list[str]]:
    with library.open(name) as snapshot:
        told = snapshot.file_report()
        refused = {entry.reason: [Path(entry.name).name] for entry in told.files if entry.reason is not None}
        return refused | {text: [Path(one).name for one in names] for text, names in told.notes.items()}


BASELINE: Records = {1: "One.", 2: "Two.", 3: "Three."}
UPDATE: Records = {2: "Two, revised.", 3: None, 4: "Four."}
LATER: Records = {1: None, 3: "Three again.", 4: "Four, revised."}


@each_row(
    ("name", "release"),
    [
        ("baseline/pubmed26n0001.xml.gz", (26, 1)),
        ("pubmed09n1274.xml", (9, 1274)),
        ("medline16n0902.xml.gz", (16, 902)),
        ("pubmed26n0001.xml.gz.md5", None),
        ("mypubmed26n0001.xml", None),
    ],
)
def test_names_of_files(name: str, release: tuple[int, int] | None) -> None:
    assert release_of(name) == release


@each_row("order", [(2, 1, 0), (1, 2, 0)])
def test_files_given_or_added_in_any_order_come_to_the_same(
    tmp_path: Path, library: Library, order: Sequence[int]
) -> None:
    """A baseline that is added after its updates revises nothing, and brings back nothing that they delete."""
    said = [BASELINE, UPDATE, LATER]
    paths = [write(tmp_path / str(at), at + 1, records) for at, records in enumerate(said)]
    build(library, "pubmed", find_inputs([paths[at] for at in order]))
    assert texts(library) == stated(said)
    build(library, "added", find_inputs([paths[order[0]]]))
    for at in order[1:]:
        add(library, "added", find_inputs([paths[at]]))
    assert texts(library, "added") == stated(said)
    if order[0] == 2:
        assert any(text.startswith("older than pubmed26n0003, which was") for text in notes(library, "added"))


def test_a_file_given_twice_changes_nothing_and_is_told(tmp_path: Path, library: Library) -> None:
    first = write(tmp_path / "a", 1, BASELINE)
    second = write(tmp_path / "b", 1, BASELINE)
    build(library, "pubmed", find_inputs([first, second]))
    assert texts(library) == stated([BASELINE])
    assert notes(library) == {f"PubMed's pubmed26n0001 was read before, as {first}": [second.name]}


def test_missing_numbers_are_told(tmp_path: Path, library: Library) -> None:
    for number in (1, 2, 5):
        write(tmp_path, number, BASELINE)
    build(library, "pubmed", find_inputs([tmp_path]))
    assert notes(library) == {
        "the files between pubmed26n0002 and pubmed26n0005 are missing; revisions in them are lost": [
            "pubmed26n0005.xml.gz"
        ]
    }


MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = [*MARKS, "marfan", "lens", "aorta", "gene", "rett", "seizure", "of", "the", "is", "in", "heart", "liver"]
TEXTS = ["marfan of the lens", "aorta in the heart " * 40, "gene", "rett is the seizure of the gene", "liver"]


def save_model(folder: Path, *, seed: int, width: int = 16, scores: bool = False) -> None:
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertModel, BertTokenizer

    torch.manual_seed(seed)
    folder.mkdir(parents=True)
    (folder / "vocab.txt").write_text("\n".join(WORDS))
    BertTokenizer(str(folder / "vocab.txt"), model_max_length=64).save_pretrained(folder)
    sizes = {"hidden_size": width, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    config = BertConfig(vocab_size=len(WORDS), max_position_embeddings=64, initializer_range=1.0, **sizes)
    config.num_labels = 1
    model = BertForSequenceClassification(config) if scores else BertModel(config)
    if not scores:  # as trained encoders have it, so that lengths differ
        with torch.no_grad():
            model.encoder.layer[-1].output.LayerNorm.weight.uniform_(0.2, 2.0)
            model.encoder.layer[-1].output.LayerNorm.bias.normal_(0.0, 0.5)
    model.save_pretrained(folder)


@pytest.fixture(scope="module")
def medcpt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three small models, named as on the hub."""
    pytest.importorskip("torch", reason="needs the extra torch")
    pytest.importorskip("transformers", reason="needs the extra torch")
    folder = tmp_path_factory.mktemp("medcpt")
    save_model(folder / QUERY, seed=1)
    save_model(folder / ARTICLE, seed=2)
    save_model(folder / CROSS, seed=3, scores=True)
    return folder


def by_hand(folder: Path, *parts: str, tokens: int) -> np.ndarray:
    """The last layer's vector at [CLS] of one text or pair, without padding."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    read = AutoTokenizer.from_pretrained(folder)(*parts, truncation=True, max_length=tokens, return_tensors="pt")
    with torch.no_grad():
        return AutoModel.from_pretrained(folder).eval()(**read).last_hidden_state[0, 0].numpy()


def test_products_of_unit_vectors_are_medcpts_own_up_to_scale(medcpt: Path, home: Path) -> None:
    embedder = open_embedder(f"medcpt:{medcpt}", home)
    passages = [("lens", text) for text in TEXTS]
    queries, articles = embed_queries(embedder, TEXTS[:4]), embed_passages(embedder, passages)
    assert queries.shape == (4, embedder.dimensions)
    assert articles.shape == (5, embedder.dimensions)
    assert embedder.dimensions % 4 == 0
    for vectors in (queries, articles):
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    asked = np.array([by_hand(medcpt / QUERY, text, tokens=64) for text in TEXTS[:4]])
    read = np.array([by_hand(medcpt / ARTICLE, *pair, tokens=64) for pair in passages])
    ratio = (queries @ articles.T) / ((asked / np.linalg.norm(asked, axis=1, keepdims=True)) @ read.T)
    np.testing.assert_allclose(ratio, ratio[0, 0], rtol=1e-3)
    assert np.ptp(np.linalg.norm(read, axis=1)) > 0.1  # cosine would rank otherwise
    assert embed_queries(embedder, []).shape == embed_passages(embedder, []).shape == (0, embedder.dimensions)
    np.testing.assert_array_equal(embedder.embed(TEXTS[:2]), embed_queries(embedder, TEXTS[:2]))


def test_identity_is_that_of_both_encoders(medcpt: Path, home: Path, tmp_path: Path) -> None:
    embedder = open_embedder(f"medcpt:{medcpt}", home)
    for part in (QUERY, ARTICLE):
        (tmp_path / "moved" / part).parent.mkdir(exist_ok=True)
        (tmp_path / "moved" / part).symlink_to(medcpt / part)
    assert open_embedder(f"medcpt:{tmp_path / 'moved'}", home).identity == embedder.identity
    save_model(tmp_path / "other" / QUERY, seed=9)
    (tmp_path / "other" / ARTICLE).symlink_to(medcpt / ARTICLE)
    assert open_embedder(f"medcpt:{tmp_path / 'other'}", home).identity != embedder.identity
    (home / "models").mkdir(parents=True)
    (home / "models" / "medcpt").symlink_to(medcpt)
    assert open_embedder("medcpt", home).name == "medcpt"
    assert open_reranker("medcpt", home / "models").score("lens", []) == []


def test_a_corpus_is_built_searched_and_reranked(medcpt, home, library) -> None:
    """Articles by one encoder, the question by the other, the hits by the cross-encoder."""
    documents = [Document(id=f"PMID:{n}", title="lens", text=text.strip()) for n, text in enumerate(TEXTS, 1)]
    embedder = open_embedder(f"medcpt:{medcpt}", home)
    manifest = build(library, "small", [make_input(documents)], embedder=embedder)
    assert manifest.embedding is not None
    assert (manifest.embedding.name, manifest.embedding.identity) == (f"medcpt:{medcpt}", embedder.identity)
    question = "is the gene of marfan in the lens"

    async def found():
        source = CorpusSource(library.open("small"), open_embedder(manifest.embedding.name, home))
        lookup = Lookup(asked=Words(text=question), text=question, limit=4, rankers=(Ranker.DENSE,))
        try:
            return (await source.search(lookup, Filters())).rankings[0]
        finally:
            await source.close()

    hits = asyncio.run(found())
    asked = by_hand(medcpt / QUERY, question, tokens=64)
    products = {d.id: asked @ by_hand(medcpt / ARTICLE, d.title, d.text, tokens=64) for d in documents}
    assert [hit.passage.document_id for hit in hits] == sorted(products, key=lambda one: -products[one])[:4]

    reranker = open_reranker(f"medcpt:{medcpt}", home / "models")
    scores = reranker.score(question, [hit.passage for hit in hits])
    assert all(0 < score < 1 for score in scores)
    assert len(set(scores)) == 4

    grown = add(library, "small", [make_input(documents[:1], name="more")], embedder=embedder)
    assert grown.counts.documents == 5


def test_corpora_of_one_model_share_it(home, library, embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two encoders for each of five corpora would fill the memory."""
    for name in ("one", "two"):
        build(library, name, [make_input([Document(id="PMID:1", title="lens", text="the lens")])], embedder=embedder)
    opened = []
    open_embedder = "medground.models.embedders.open_embedder"
    monkeypatch.setattr(open_embedder, lambda name, home: opened.append(name) or embedder)
    settings = Settings.load(options={"retrieval.corpora": "one,two"})
    sources = open_sources(settings)
    assert [source.name for source in sources] == ["corpus:one", "corpus:two"]
    assert opened == ["words"]
    for source in sources:
        asyncio.run(source.close())


@each_row(
    ("parts", "message"),
    [
        (None, "no such folder; name the one that holds MedCPT-Query-Encoder and MedCPT-Article-Encoder"),
        ((), "has no MedCPT-Query-Encoder .it has none of the three.; download ncbi/MedCPT-Query-Encoder into"),
        ((ARTICLE,), "has no MedCPT-Query-Encoder .it has MedCPT-Article-Encoder."),
        ((QUERY,), "has no MedCPT-Article-Encoder"),
    ],
)
def test_missing_folders_are_named(medcpt: Path, home: Path, tmp_path: Path, parts, message: str) -> None:
    folder = tmp_path / "models"
    if parts is not None:
        folder.mkdir()
        for part in parts:
            (folder / part).symlink_to(medcpt / part)
    with pytest.raises(ConfigError, match=message) as caught:
        open_embedder(f"medcpt:{folder}", home)
    assert "\n" not in str(caught.value)


def test_encoders_that_do_not_fit_each_other_and_damaged_weights(medcpt: Path, home: Path, tmp_path: Path) -> None:
    (tmp_path / ARTICLE).symlink_to(medcpt / ARTICLE)
    save_model(tmp_path / QUERY, seed=1, width=8)
    refused(ConfigError, "vectors of length 8 and the article encoder of 16", open_embedder, f"medcpt:{tmp_path}", home)
    (tmp_path / QUERY / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(ConfigError, match="cannot load MedCPT's query encoder") as caught:
        open_embedder(f"medcpt:{tmp_path}", home)
    assert "\n" not in str(caught.value)


@pytest.mark.filterwarnings("ignore")
def test_a_model_of_another_kind_is_not_filled_with_random_numbers(medcpt: Path) -> None:
    """An encoder has no scoring layer, so it is no reranker, though a library would load it as one."""
    refused(ConfigError, "its weights lack", lambda: CrossEncoderReranker(str(medcpt / ARTICLE)))
