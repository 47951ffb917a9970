"""A question in plain words, a query and an id, as PubMed gets them from every recipe, and ids from local corpora."""

import asyncio
import gzip
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from closing import then_closed
from rows import each_row, tables
from small_corpora import corpus_of_documents

from medground import Engine
from medground.home.settings import Settings
from medground.pubmed.characters import STOPWORDS
from medground.sources.pubmed.source import PubMedSource
from medground.values.answer import Answer
from medground.values.document import Document
from medground.values.lookup import Lookup
from medground.values.query import Filters

TABLES = tables(__file__)

PAPERS = tuple(Document.model_validate(one) for one in TABLES["papers"])
IDS = TABLES["ids"]
EMPTY = b"<eSearchResult><Count>0</Count><RetMax>0</RetMax><RetStart>0</RetStart><IdList/></eSearchResult>"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with the papers as a corpus."""
    corpus_of_documents(tmp_path, PAPERS)
    return tmp_path


@pytest.fixture(scope="module")
def server(catalogue_of: Any, serve: Any) -> Iterator[str]:
    """Our own PubMed with the papers."""
    with serve(catalogue_of(PAPERS)) as address:
        yield address


@pytest.fixture
def ask(tmp_path: Path, loopback: None) -> Callable[..., Answer]:
    """Ask PubMed at an address."""

    def asked(question: str, address: str, **options: Any) -> Answer:
        named = {"retrieval.corpora": (), "retrieval.pubmed": address, **options}
        settings = Settings.load(environ={"MEDGROUND_HOME": str(tmp_path)}, options=named)

        async def run() -> Answer:
            async with Engine.open(settings) as engine:
                return await engine.ask(question)

        return asyncio.run(run())

    return asked


@pytest.fixture
def terms(ask: Any, make_peer: Any, reply: Any) -> Callable[..., list[str]]:
    """The queries that reach a PubMed that holds nothing."""

    def sent(question: str, **options: Any) -> list[str]:
        peer = make_peer(reply(EMPTY))
        ask(question, peer.url, **options)
        return [one.parameters["term"] for one in peer.asked]

    return sent


@each_row("recipe", ["ground", "self-medrag", "rag"])
def test_the_concepts_of_a_question_are_sent(recipe: str, terms: Any) -> None:
    first = terms("Does Tylenol help headache since 2020?", **{"recipe.name": recipe})[0].casefold()
    assert '"acetaminophen"[mesh terms]' in first
    assert '"tylenol"[title/abstract]) and ("headache"[mesh terms] or ' in first
    assert re.search(r" and \(?2020:3000\[date - publication\]\)?$", first)


def test_no_stop_word_and_no_sign_is_sent(
    terms: Any, shared: Path, make_client: Any, make_peer: Any, reply: Any
) -> None:
    with gzip.open(shared / "bioasq" / "task8b.json.gz", "rt", encoding="utf-8") as file:
        questions = [one["body"] for one in json.load(file)["questions"]][:25]
    peer = make_peer(reply(EMPTY))

    for number, question in enumerate(questions):
        source = PubMedSource(make_client(peer))
        then_closed(source, source.search(Lookup.words(question).model_copy(update={"limit": 20}), Filters()))
        assert len(peer.asked) > number, question
    for term in (one.parameters["term"] for one in peer.asked):
        tags = "MeSH Terms|MeSH Subheading|Publication Type|Title/Abstract"
        texts = re.findall(rf'"([^"]*)"\[({tags})\]', term)
        assert texts, term
        assert all(set(text.split()) - STOPWORDS for text, _ in texts), term
        rest = re.sub(rf'"[^"]*"\[(?:{tags})\]|\d{{4}}:\d{{4}}\[Date - Publication\]', "", term)
        assert set(re.findall(r"[^\s()]+", rest)) <= {"AND", "OR"}, term
        assert not any(sign in text for text, _ in texts for sign in "?!;"), term


def test_each_search_names_a_subject_the_rarest_first_and_the_answer_says_so(
    ask: Any, make_peer: Any, reply: Any
) -> None:
    peer = make_peer(reply(EMPTY))
    answer = ask("Does baxdrostat lower hypertension in zebrafish?", peer.url)
    terms = [one.parameters["term"] for one in peer.asked]
    assert terms[1].startswith('"baxdrostat"[Title/Abstract] AND (')
    assert terms[2].startswith('("baxdrostat"[Title/Abstract] OR ("zebrafish"[MeSH Terms]')
    (said,) = [one for one in answer.warnings if "no record matches all of: baxdrostat; zebrafish; hypertension" in one]
    assert said.endswith("; the rest are on some of them, the rarest first")
    assert answer.searches[0].query == terms[2]


def test_records_without_the_rare_name_come_behind_those_that_have_it(ask: Any, server: str) -> None:
    answer = ask("Does baxdrostat lower blood pressure in hypertension?", server)
    assert answer.evidence[0].document_id == "PMID:29444159"
    assert any("only 1 record matches all of: baxdrostat; " in one for one in answer.warnings)
    assert answer.searches[0].hits == 2
    assert any(f"found 2 records: {server}/?term=%28%22baxdrostat%22" in one for one in answer.warnings)


def test_years_limit_and_latest_orders(ask: Any, make_peer: Any, reply: Any) -> None:
    peer = make_peer(reply(EMPTY))
    answer = ask("What are the latest drugs for hypertension after 2019?", peer.url)
    assert peer.asked[0].parameters["sort"] == "pub_date"
    assert peer.asked[0].parameters["term"].endswith("AND (2020:3000[Date - Publication])")
    assert "latest" not in peer.asked[0].parameters["term"]
    assert any("only publications from 2020 on were searched" in one for one in answer.warnings)
    assert any("the latest publications come first" in one for one in answer.warnings)


@each_row("recipe", ["ground", "self-medrag", "rag", "pubmed-reasoner"])
def test_a_query_in_pubmed_syntax_is_sent_as_it_is(recipe: str, terms: Any) -> None:
    typed = 'Tylenol AND (headache*[tiab] OR "HER2"[tiab]) NOT review[pt]'
    assert set(terms(typed, **{"recipe.name": recipe})) == {typed}


def test_a_question_that_names_nothing_is_not_sent(ask: Any, make_peer: Any, reply: Any) -> None:
    peer = make_peer(reply(EMPTY))
    answer = ask("What is it?", peer.url)
    assert not peer.asked
    assert any("names nothing that PubMed could be searched for" in one for one in answer.warnings)


@each_row("local", [True, False])
def test_a_paper_is_fetched_by_its_id(local: bool, home: Path, server: str, loopback: None) -> None:
    options = {"retrieval.corpora": ("papers",)} if local else {"retrieval.corpora": (), "retrieval.pubmed": server}
    settings = Settings.load(environ={"MEDGROUND_HOME": str(home)}, options=options)

    async def run() -> None:
        async with Engine.open(settings) as engine:
            for typed in IDS:
                answer, found = await engine.ask(typed), await engine.search(typed)
                assert {one.document_id for one in answer.evidence} == {"PMID:29444159"}, typed
                assert not answer.decision.unmentioned
                assert any("Baxdrostat lowered systolic blood pressure" in one.quote for one in answer.evidence)
                assert {hit.passage.document_id for hit in found.hits} == {"PMID:29444159"}

    asyncio.run(run())


def test_an_id_that_nothing_holds_is_told(ask: Any, server: str) -> None:
    answer = ask("What does PMID 7654321 say about hypertension?", server)
    assert not answer.evidence
    assert any("no source searched contains pmid:7654321" in one for one in answer.warnings)
