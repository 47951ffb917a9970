"""How the word index understands the query tree; the source contract covers the general cases."""

import re
from collections import Counter
from contextlib import ExitStack

import pytest
import tantivy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter
from rows import each_row, tables
from small_corpora import corpus_of_documents

from medground.answering.rank.fuse import as_one
from medground.corpus.lexical import Lexical
from medground.corpus.snapshot import rank_together
from medground.errors import ConfigError, UsageError
from medground.values.document import Document, MeshHeading
from medground.values.query import And, DateRange, Everything, Filters, Near, Not, Or, Phrase, Query, Range, Term, Words

TABLES = tables(__file__)
TREE = TypeAdapter(Query)
VOCABULARY = ["heart", "liver", "gene", "trial", "lens", "x1"]


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory, request):
    import random

    chance = random.Random(5)
    documents = [
        Document(
            id=f"X:{n}",
            title=" ".join(chance.choices(VOCABULARY, k=2)),
            text=" ".join(chance.choices(VOCABULARY, k=6)),
            year=chance.choice([None, 1999, 2005, 2010]),
            kind=chance.choice(["book", "research"]),
        )
        for n in range(60)
    ]
    documents.append(
        Document(
            id="Y:IL-6",
            title="The role of inflammation in COVID-19",
            text="Interleukin-6 (IL-6) levels were inflammatory markers. Größe.",
            dates={"published": "2020-05", "revised": "2021-02-28"},
            authors=("Lee A", "Kim B"),
            journal="Cytokine",
            publication_types=("Randomized Controlled Trial",),
            mesh=(
                MeshHeading(
                    descriptor="Interleukin-6", ui="D015850", qualifiers=("blood",), major_qualifiers=("blood",)
                ),
            ),
        )
    )
    with corpus_of_documents(tmp_path_factory.mktemp("home"), documents).open("papers") as opened:
        yield opened


def ids(snapshot, query, filters=None):
    return {hit.passage.document_id for hit in snapshot.bm25(query, 1000, filters or Filters())}


@each_row("query", TABLES["found"])
def test_found(snapshot, query):
    assert ids(snapshot, TREE.validate_python(query)) == {"Y:IL-6"}


@each_row("query", TABLES["not_found"])
def test_not_found(snapshot, query):
    assert ids(snapshot, TREE.validate_python(query)) == set()


def test_fields_that_a_corpus_does_not_have_are_rejected(snapshot):
    for query in (Term(value="x", field="grant"), Words(text="x", field="affiliation"), DateRange(field="indexed")):
        with pytest.raises(UsageError, match=r"a corpus (cannot be searched by|has no)"):
            ids(snapshot, Or(parts=(query, Everything())))


def test_ties_are_in_the_order_of_the_passages(snapshot):
    hits = snapshot.bm25(Everything(), 100)
    assert len({hit.score for hit in hits}) == 1
    numbers = [int(hit.passage.document_id[2:]) for hit in hits[:-1]]
    assert numbers == sorted(numbers)


leaf = st.one_of(
    st.sampled_from(VOCABULARY).map(lambda w: Term(value=w)),
    st.sampled_from(VOCABULARY).map(lambda w: Term(value=w, field="title")),
    st.tuples(st.sampled_from(VOCABULARY), st.sampled_from(VOCABULARY)).map(
        lambda p: Phrase(text=" ".join(p), field="text")
    ),
    st.builds(
        lambda words, distance: Near(text=" ".join(words), field="text", distance=distance),
        st.lists(st.sampled_from(VOCABULARY), min_size=2, max_size=4),
        st.integers(0, 3),
    ),
    st.sampled_from(VOCABULARY).map(lambda w: Term(value=w[:2], prefix=True, field="text")),
    st.tuples(st.integers(1990, 2015), st.integers(1990, 2015)).map(lambda p: Range(low=p[0], high=p[1])),
    st.sampled_from(["book", "research"]).map(lambda k: Term(value=k, field="kind")),
    st.just(Everything()),
)
trees = st.recursive(
    leaf,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda p: And(parts=tuple(p))),
        st.lists(inner, min_size=1, max_size=3).map(lambda p: Or(parts=tuple(p))),
        inner.map(lambda p: Not(part=p)),
    ),
    max_leaves=8,
)


def matches(query, document):
    """The meaning of a tree, implemented again in the simplest way."""
    match query:
        case And():
            return all(matches(part, document) for part in query.parts)
        case Or():
            return any(matches(part, document) for part in query.parts)
        case Not():
            return not matches(query.part, document)
        case Range():
            return document.year is not None and query.low <= document.year <= query.high
        case Phrase():
            return re.search(rf"\b{query.text}\b", document.text) is not None
        case Near():
            wanted, words = Counter(query.text.split()), document.text.split()
            width = wanted.total() + query.distance
            return any(wanted <= Counter(words[start : start + width]) for start in range(len(words)))
        case Term(field="kind"):
            return document.kind == query.value
        case Term(prefix=True):
            return re.search(rf"\b{query.value}", document.text.lower()) is not None
        case Term():
            place = document.title if query.field else f"{document.title} {document.text}"
            return re.search(rf"\b{query.value}\b", place) is not None
    return True


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(query=trees)
def test_any_tree_means_what_it_says(snapshot, query):
    expected = {d.id for d in snapshot.all_documents() if matches(query, d)}
    assert ids(snapshot, query) == expected
    everything = {d.id for d in snapshot.all_documents()}
    assert ids(snapshot, Not(part=query)) == everything - expected
    year = Filters(year_from=2000)
    late = {d.id for d in snapshot.all_documents() if d.year and d.year >= 2000}
    assert ids(snapshot, query, year) == expected & late


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    text=st.text(max_size=60), slop=st.integers(0, 3), prefix=st.booleans(), field=st.sampled_from([None, "mesh", "id"])
)
def test_no_text_breaks_the_search(snapshot, text, slop, prefix, field):
    for query in (
        Words(text=text, field=field),
        Phrase(text=text, slop=slop, field=field),
        Term(value=text, prefix=prefix, field=field),
    ):
        snapshot.bm25(query, 5)


@pytest.mark.parametrize(
    "query",
    [Words(text="x1 lens"), Phrase(text="heart trial"), Or(parts=(Words(text="gene"), Phrase(text="liver lens")))],
    ids=str,
)
def test_corpora_that_rank_together_order_passages_as_one_corpus(tmp_path, query):
    rare = [Document(id=f"X:{n}", title="", text=f"heart trial {'lens' if n % 9 == 0 else 'gene'}") for n in range(40)]
    common = [Document(id=f"Y:{n}", title="", text=f"liver lens {'x1' if n == 3 else 'gene'}") for n in range(30)]
    with ExitStack() as opened:
        corpora = [
            opened.enter_context(corpus_of_documents(tmp_path / name, some).open("papers"))
            for name, some in (("one", [*rare, *common]), ("rare", rare), ("common", common))
        ]
        apart = [corpus.bm25(query, 100) for corpus in corpora[1:]]
        rank_together(corpora[1:])
        (merged,) = as_one([corpus.bm25(query, 100) for corpus in corpora[1:]])
        whole = corpora[0].bm25(query, 100)
    expected = {hit.passage.document_id: pytest.approx(hit.score, rel=1e-5) for hit in whole}
    assert {hit.passage.document_id: hit.score for hit in merged} == expected
    assert [hit.score for hit in as_one(apart)[0]] != [hit.score for hit in merged]
    assert [hit.rank for hit in merged] == list(range(1, len(merged) + 1))


def test_an_index_with_other_fields_is_rejected(tmp_path):
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("body")
    tantivy.Index(builder.build(), str(tmp_path)).writer().commit()
    with pytest.raises(ConfigError, match="another version of Medground"):
        Lexical(tmp_path)
