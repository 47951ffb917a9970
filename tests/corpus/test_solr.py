"""A corpus in a SolrCloud cluster of three real nodes."""

from __future__ import annotations

import random
import tempfile
from datetime import date
from pathlib import Path

import pytest
from contracts import in_one_test
from filelock import FileLock
from object_store import Pushed
from small_corpora import WordEmbedder, corpus_of_documents
from solr_cluster import Cluster
from solr_ranking import bioasq, by_words, compare
from store_contract import StoreContract

from medground.corpus.library import Library
from medground.corpus.solr import client
from medground.errors import NotFound, SnapshotCorrupt, SourceUnavailable, UsageError
from medground.testing import DOCUMENTS
from medground.values.document import Document, MeshHeading
from medground.values.query import (
    And,
    DateRange,
    Everything,
    Filters,
    Mesh,
    Near,
    Not,
    Or,
    Phrase,
    PublicationType,
    Range,
    Term,
    Words,
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def started():
    clusters = []
    with FileLock(Path(tempfile.gettempdir()) / "medground-solr.lock"):  # one cluster at a time: it takes a gigabyte
        yield clusters
        for one in clusters:
            one.stop()


@pytest.fixture
def cluster(loopback, started, tmp_path_factory):
    if not started:
        started.append(Cluster(tmp_path_factory.mktemp("solr")))
    return started[0]


@in_one_test
class TestContract(StoreContract):
    embedder = WordEmbedder()
    nothing = None  # vectors always have a nearest neighbour

    @pytest.fixture
    def reference(self, tmp_path):
        with corpus_of_documents(tmp_path, DOCUMENTS, embedder=self.embedder).open("papers") as store:
            yield store

    @pytest.fixture
    def opened(self, loopback, cluster, reference, tmp_path):
        Library(tmp_path).at(f"{cluster.address}?shards=2").push(reference)
        return lambda: Library(tmp_path).at(f"{cluster.address}/papers").open()


def test_real_questions_find_the_same_on_one_shard_and_on_four(cluster, shared, tmp_path):
    reference, questions = bioasq(shared / "bioasq", tmp_path)
    with reference:
        for shards in (1, 4):
            Library(tmp_path).at(f"{cluster.address}/bioasq-{shards}?shards={shards}").push(reference)
            store = Library(tmp_path).at(f"{cluster.address}/bioasq-{shards}").open()
            found = compare(reference, store, questions[::25])
            assert found.overlap >= 0.99
            assert found.same_first >= 0.99
    with pytest.raises(UsageError, match=r"name the corpus.*bioasq-1, bioasq-4"):
        Library(tmp_path).at(cluster.address).state()


TREES = (
    Mesh(heading="Neoplasms"),
    Mesh(heading="Neoplasms", explode=False, major=True),
    And(parts=(Words(text="heart trial"), PublicationType(name="Clinical Trial"))),
    And(parts=(Term(value="gene"), Not(part=DateRange(low=date(2004, 1, 1), high=date(2006, 1, 1))))),
    Or(parts=(Phrase(text="heart gene"), Phrase(text="liver", field="title"), Range(low=2010)), best=True),
    Or(parts=(Term(value="tri", prefix=True), Words(text="lens", field="title_abstract"))),
    Term(value="heart li", prefix=True, field="text"),
    Term(value="heart gene li", prefix=True, field="text"),
    And(parts=(Everything(), Words(text='"heart" AND {!lucene} *:* \\ (liver~ <a>&'))),
    Phrase(text="gene trial", slop=1),
    *(
        Near(text=text, distance=distance)
        for text in ("heart liver", "heart heart", "heart liver gene", "lens gene lens", "heart liver gene trial lens")
        for distance in (0, 1, 2, 5, 30)
    ),
    Words(text="the"),
    Words(text="!"),
)
LIMITS = (
    Filters(),
    Filters(where={"ward": ["ICU"], "design": ["trial"]}),
    Filters(date_from="2000", date_to="2009-12", kinds=("book", "research")),
    Filters(where={"author": "Lee A", "journal": "Cytokine"}),
    Filters(ids=("X:1", "X:2", "X:3", "X:60")),
)


def made_documents():
    chance, words = random.Random(5), ["heart", "liver", "gene", "trial", "lens", "the"]
    headings = ((), (MeshHeading(descriptor="Lung Neoplasms"),), (MeshHeading(descriptor="Neoplasms", major=True),))
    return [
        Document(
            id=f"X:{number}",
            title=" ".join(chance.choices(words, k=2)),
            text=" ".join(chance.choices(words, k=chance.randint(3, 50))),
            year=chance.choice([None, 1999, 2005, 2010]),
            kind=chance.choice(["book", "research"]),
            authors=chance.choice([(), ("Lee A", "Kim B")]),
            journal="Cytokine Heart",
            publication_types=chance.choice([("Review",), ("Randomized Controlled Trial",)]),
            mesh=chance.choice(headings),
            metadata=chance.choice([{}, {"ward": ("ICU",)}, {"ward": ("ED", "ICU")}]),
        )
        for number in range(200)
    ]


def ranked(hits):
    return [(round(hit.score, 3), hit.passage.key) for hit in hits]


def test_trees_and_limits_find_and_score_the_same_and_what_cannot_be_asked_is_named(cluster, tmp_path):
    reference = corpus_of_documents(tmp_path, made_documents()).open("papers")
    Library(tmp_path).at(f"{cluster.address}/trees?shards=3").push(reference)
    store = Library(tmp_path).at(f"{cluster.address}/trees").open()
    with reference:
        for tree in TREES:
            for limits in LIMITS:
                assert sorted(ranked(store.bm25(tree, 400, limits))) == sorted(
                    ranked(reference.bm25(tree, 400, limits))
                )
        assert store.fields == reference.fields == {"ward"}
        assert store.values("ward") == tuple(sorted(reference.values("ward"))) == ("ed", "icu")
        for tree, told in ((Term(value="x", field="affiliation"), "'affiliation'"), (Range(field="id"), "PMIDs")):
            with pytest.raises(UsageError, match=told):
                store.bm25(tree, 10)
        with pytest.raises(UsageError, match="so many words"):
            store.bm25(Words(text=" ".join(f"word{number}" for number in range(3000))), 10)


def test_a_push_goes_on_switches_in_one_step_and_a_question_keeps_its_snapshot(cluster, tmp_path, monkeypatch):
    address, documents = f"{cluster.address}/pushed?shards=2", made_documents()
    place, library = Library(tmp_path).at(address), corpus_of_documents(tmp_path, documents[:150])

    def stopped(step, done, total):
        if step == "documents":
            raise KeyboardInterrupt

    with library.open("papers") as first:
        with pytest.raises(KeyboardInterrupt):
            place.push(first, stopped)
        with pytest.raises(UsageError, match="no corpus 'pushed'"):
            place.open()
        assert place.push(first) == place.info() == place.verify() == first.manifest
        opened, state, tree = place.open(), place.state(), Words(text="heart gene")
        before = ranked(first.bm25(tree, 20))
        assert ranked(opened.bm25(tree, 20)) == before  # nothing counts twice
    for count in (180, 200):
        corpus_of_documents(tmp_path, documents[:count])
        with library.open("papers") as later:
            place.push(later)
            assert place.open().reference == later.reference
        assert place.state() != state
    place.remove(old=True)
    assert ranked(opened.bm25(tree, 20)) == before
    monkeypatch.setattr("medground.corpus.solr.place._READ", -1.0)
    place.remove(old=True)
    with pytest.raises(NotFound, match="ask again"):  # an hour later it is gone
        opened.bm25(tree, 20)
    rows = place.open()._rows
    rows.cluster.ask(f"{rows.name}/update?commit=true", json={"delete": ["7"]})
    for asked in (place.verify, lambda: [place.open() for _ in range(100)]):
        with pytest.raises(SnapshotCorrupt, match=r"corpus:pushed.*push"):
            asked()
    with library.open("papers") as later:
        with pytest.raises(SnapshotCorrupt, match="push the corpus again"):
            place.push(later)
        assert place.push(later) == place.verify()
    place.remove()
    with library.open("papers") as later, pytest.raises(KeyboardInterrupt):
        place.push(later, stopped)
    place.remove()  # also what is not whole
    with pytest.raises(UsageError, match="no corpus 'pushed'"):
        place.remove()


class TestPushed(Pushed):
    takes = 1.0

    @pytest.fixture
    def address(self, cluster, request, monkeypatch):
        monkeypatch.setattr("medground.corpus.solr.filling.AT_ONCE", 20)  # as in what is killed
        return f"{cluster.address}/{request.node.name}?shards=2"


def test_addresses_that_lead_nowhere_are_refused_in_one_line(cluster, tmp_path, monkeypatch):
    port = cluster.address.rpartition(":")[2]
    for address, told in {
        "solr+http:///solr": "solr\\+http://HOST",
        "solr+http://me:secret@host/solr": "SOLR_USER",
        "solr+http://host/solr?shards=0": "shards=N",
        "solr+http://host/solr/Papers!": "'Papers!'",
        f"{cluster.address}/unknown": "no corpus 'unknown'",
    }.items():
        with pytest.raises(UsageError, match=told) as refused:
            Library(tmp_path).at(address).state()
        assert "secret" not in str(refused.value)
    monkeypatch.setattr(client, "_ROUNDS", 1)
    with pytest.raises(SourceUnavailable, match="corpus:papers: the Solr cluster does not answer"):
        Library(tmp_path).at("solr+http://127.0.0.1:1/solr/papers").state()
    with pytest.raises(NotFound, match="the address is wrong"):
        Library(tmp_path).at(f"solr+http://127.0.0.1:{port.partition('/')[0]}/other/papers").state()


def above_the_last(row):
    """The scores, and what has them; of those that share the last place either may be there."""
    return sorted((score, name if score > row[-1][0] else "") for score, name in row)


def test_one_node_of_three_may_die_and_where_two_have_died_no_part_is_an_answer(cluster, started, shared, tmp_path):
    reference, questions = bioasq(shared / "bioasq", tmp_path)
    with reference:
        place = Library(tmp_path).at(f"{cluster.address}/nodes?shards=3&replicas=2")
        place.push(reference)
        before = [ranked(by_words(reference, question)) for question in questions[:50]]
    store, after = place.open(), []
    started.clear()  # the cluster is not whole afterwards
    try:
        for number, question in enumerate(questions[:50]):
            if number == 10:
                cluster.kill(1)
            after.append(ranked(by_words(store, question)))
        assert [above_the_last(row) for row in after] == [above_the_last(row) for row in before]
        cluster.kill(2)
        with pytest.raises(SourceUnavailable, match="corpus:nodes: the Solr cluster does not answer"):
            for question in questions[:50]:
                by_words(store, question)
    finally:
        cluster.stop()
