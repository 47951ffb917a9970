"""Europe PMC, PubMed Central and ScienceDirect as sources: services on loopback, and query trees in their syntaxes."""

import json
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from closing import then_closed
from contracts import in_one_test
from hypothesis import given, settings
from hypothesis import strategies as st
from literature_peers import europepmc, europepmc_record, eutils_pmc, sciencedirect
from rows import each_row

from medground.corpus.retraction import listed, marked
from medground.errors import NotConfigured, SourceUnavailable, UsageError
from medground.home.settings import Settings
from medground.sources.base import Source, find_source
from medground.sources.literature.europepmc import PMC_SYNTAX as PMC
from medground.sources.literature.europepmc import SYNTAX as EUROPE_PMC
from medground.sources.literature.sciencedirect import SYNTAX as SCIENCE_DIRECT
from medground.sources.literature.source import at_most
from medground.testing import DOCUMENTS, SourceContract
from medground.values.document import Document
from medground.values.lookup import Found, Lookup
from medground.values.query import (
    And,
    DateRange,
    Everything,
    Filters,
    Mesh,
    Metadata,
    Near,
    Not,
    Or,
    Phrase,
    Query,
    Range,
    Term,
    Words,
)

KEY = "elsevier-key-123"
LISTED = max(name.removeprefix("pmid:") for name in listed() if name.startswith("pmid:"))


@pytest.fixture
def opened(tmp_path: Path, make_peer: Any) -> Callable[..., Source]:
    """Opens a source by its name, with its service at a peer that sends these replies."""

    def open_source(name: str, *replies: Any, key: str = KEY) -> Source:
        peer = make_peer(*replies) if replies else None
        options: dict[str, Any] = {"keys.sciencedirect": key} if key else {}
        placed = {f"{name}.address": peer.url} if peer else {}
        settings = Settings.load(environ={"MEDGROUND_HOME": str(tmp_path)}, options=placed | options)
        source = find_source(name).open(settings)
        source.peer = peer  # type: ignore[attr-defined]
        return source

    return open_source


def searched(source: Source, text: str = "marfan", filters: Filters | None = None, limit: int = 100) -> Found:
    asked = Lookup(asked=Words(text=text), text=text, limit=limit)
    return then_closed(source, source.search(asked, filters or Filters()))


def documents(source: Source, text: str = "marfan") -> list[Document]:
    async def run() -> list[Document]:
        found = await source.search(Lookup(asked=Words(text=text), text=text, limit=100), Filters())
        return list((await source.fetch([hit.passage.document_id for hit in found.rankings[0]])).values())

    return then_closed(source, run())


SERVICES = {"europepmc": europepmc(DOCUMENTS), "pmc": eutils_pmc(DOCUMENTS)}
SERVICES |= {"sciencedirect": sciencedirect(DOCUMENTS, KEY)}


@in_one_test
class TestDatabases(SourceContract):
    @pytest.fixture(params=SERVICES)
    def make(self, opened: Any, request: pytest.FixtureRequest) -> Any:
        return lambda: opened(request.param, SERVICES[request.param])


def test_a_record_of_europe_pmc_is_read_whole(opened: Any) -> None:
    (found,) = documents(opened("europepmc", europepmc(DOCUMENTS[:1], pmcid="PMC77", doi="10.1000/LENS.1")))
    assert (found.id, found.title) == ("PMID:1", "Ectopia lentis in Marfan syndrome.")
    assert found.text == DOCUMENTS[0].text
    assert [section.label for section in found.sections] == ["Background"]
    assert found.identifiers == {"pmid": "1", "pmc": "PMC77", "doi": "10.1000/lens.1"}
    assert (found.year, found.journal, found.license) == (1999, "Heart & Eye", "cc by")
    assert found.authors == ("Dietz H", "GenTAC Group")
    assert found.mesh[0].descriptor == "Marfan Syndrome"
    assert [(one.name, one.number) for one in found.substances] == [("Losartan", "JMS50MPO89")]
    assert found.keywords == ("aorta",)
    assert found.url == "https://europepmc.org/article/MED/1"
    assert found.imprint == {"volume": "7", "issue": "3", "pages": "1-9"}
    marked_up = "<p>Risk was &lt; 5% (H<sub>2</sub>O).</p><script>alert(1)</script> <b>Done"
    (found,) = documents(opened("europepmc", europepmc(DOCUMENTS[:1], abstractText=marked_up)))
    assert found.text == "Risk was < 5% (H2O). Done"


CONCERN = "Expression of concern in"


@each_row(
    ("more", "state"),
    [
        ({"pubTypeList": {"pubType": ["Retracted Publication"]}}, "retracted"),
        ({"commentCorrectionList": {"commentCorrection": [{"type": "Retraction in", "id": "9"}]}}, "retracted"),
        ({"pubTypeList": {"pubType": ["Retraction of Publication"]}}, "notice"),
        ({"commentCorrectionList": {"commentCorrection": [{"type": CONCERN, "id": "9"}]}}, "concern"),
        ({"commentCorrectionList": None, "pubTypeList": "odd"}, "none"),
        ({"pmid": LISTED}, "retracted"),
    ],
)
def test_europe_pmc_says_what_was_retracted(more: Any, state: str, opened: Any) -> None:
    assert marked(documents(opened("europepmc", europepmc(DOCUMENTS[:1], **more)))[0]).retraction == state


def test_records_that_cannot_be_read_are_counted(opened: Any, reply: Any) -> None:
    bad: list[Any] = [{"title": "No id"}, {"id": "5", "source": "MED", "pmid": "5"}, 7]
    content = {"resultList": {"result": [*bad, europepmc_record(DOCUMENTS[0])]}}
    found = searched(opened("europepmc", reply(json.dumps(content).encode(), type="application/json")))
    assert [hit.passage.document_id for hit in found.rankings[0]] == ["PMID:1"]
    assert found.notes == ("2 records found could not be read",)
    for body, said in (
        (b"<html>down</html>", "the reply is not JSON"),
        (b'{"errCode": 404, "errMsg": "Invalid query"}', "the service reported an error: Invalid query"),
        (b'{"resultList": []}', "the reply has no list of results"),
        (b"[]", "the reply has no list of results"),
    ):
        with pytest.raises(SourceUnavailable, match=said):
            searched(opened("europepmc", reply(body, type="application/json")))
    for name in ("europepmc", "sciencedirect"):
        with pytest.raises(SourceUnavailable, match=name):
            searched(opened(name, reply(status=400)))


def test_pages_are_followed_until_there_are_enough(opened: Any) -> None:
    many = [Document(id=f"PMID:{n}", title=f"Marfan paper {n}", text="Aorta.") for n in range(1, 251)]
    source = opened("europepmc", europepmc(many))
    assert len(searched(source, limit=220).rankings[0]) == 220
    assert [asked.parameters["pageSize"] for asked in source.peer.asked] == ["100", "100", "20"]


def test_pmc_reads_full_texts_and_real_records(opened: Any, shared: Path, reply: Any) -> None:
    source = opened("pmc", eutils_pmc(DOCUMENTS))
    (found,) = [one for one in documents(source) if one.id == "PMC:PMC1"]
    assert [section.label for section in found.sections] == ["Abstract", "Methods"]
    assert found.paper == ("pmid:1", "pmc:PMC1")
    assert {asked.parameters["db"] for asked in source.peer.asked} == {"pmc"}
    ids = b"<eSearchResult><Count>1</Count><RetMax>1</RetMax><RetStart>0</RetStart><IdList><Id>8435807</Id></IdList></eSearchResult>"  # noqa: E501
    (correction,) = documents(opened("pmc", reply(ids), reply((shared / "jats" / "efetch_pmc.xml").read_bytes())))
    assert (correction.id, correction.identifiers["pmid"]) == ("PMC:PMC8435807", "34527728")
    assert correction.license == "https://creativecommons.org/licenses/by-nc/4.0/"


def test_a_refused_key_is_not_configured_and_never_shown(opened: Any) -> None:
    with pytest.raises(NotConfigured, match="key was rejected") as caught:
        searched(opened("sciencedirect", sciencedirect(DOCUMENTS, "another")))
    assert KEY not in str(caught.value)
    with pytest.raises(NotConfigured, match=r"^sciencedirect: not configured: .*MEDGROUND_KEYS__SCIENCEDIRECT"):
        searched(opened("sciencedirect", key=""))


def test_an_article_of_sciencedirect_is_read_whole(opened: Any) -> None:
    found = documents(opened("sciencedirect", sciencedirect(DOCUMENTS, KEY)), "lentis")[0]
    assert (found.id, found.title, found.text) == ("DOI:10.1016/j.test.1", DOCUMENTS[0].title, DOCUMENTS[0].text)
    assert (found.authors, found.year, found.journal) == (("Dietz, Harry", "Pyeritz, Reed"), 1999, "Heart")
    assert found.keywords == ("Aorta",)
    assert found.url == "https://www.sciencedirect.com/science/article/pii/S0000000000010001"
    assert found.license == "http://creativecommons.org/licenses/by/4.0/"
    # articles that the key does not cover keep their titles
    found = documents(opened("sciencedirect", sciencedirect(DOCUMENTS, KEY, covered=False)), "lentis")[0]
    assert (found.text, found.authors) == (DOCUMENTS[0].title, ("Harry Dietz", "Reed Pyeritz"))
    source = opened("sciencedirect", sciencedirect(DOCUMENTS, KEY))
    (hit,) = searched(source, "syndrome", Filters(year_from=2005)).rankings[0]
    assert hit.passage.year == 2008


SYNTAXES = (EUROPE_PMC, PMC, SCIENCE_DIRECT)
_FIELDS = re.compile(r"(?:TITLE_ABS|KW|EXT_ID|SRC|PMCID|DOI|PUB_TYPE):|SRC:MED|\[(?:Title|Abstract|uid|MeSH Terms)\]")

HOSTILE = (
    '" OR 1=1 OR "|x") AND (SRC:PPR|a\\|a*|heart[Title] OR|NOT (|“smart” quotes|cat AND dog|{x}'  # what could be syntax
)
TEXT = st.text(max_size=30) | st.sampled_from(HOSTILE.split("|"))
LEAVES = st.one_of(
    TEXT.map(lambda t: Words(text=t)),
    TEXT.map(lambda t: Phrase(text=t)),
    TEXT.map(lambda t: Near(text=t)),
    TEXT.map(lambda t: Term(value=t)),
    TEXT.map(lambda t: Term(value=f"PMC:{t}", field="id")),
    TEXT.map(lambda t: Mesh(heading=t)),
)
TREES: st.SearchStrategy[Query] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: And(parts=tuple(parts))),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: Or(parts=tuple(parts))),
        inner.map(lambda part: Not(part=part)),
    ),
    max_leaves=6,
)


@settings(max_examples=40)
@given(TREES)
def test_no_text_breaks_out_of_its_quotes(query: Query) -> None:
    for syntax in SYNTAXES:
        text = syntax.compiled(query)
        assert text.count('"') % 2 == 0
        inside = re.findall(r'"([^"]*)"', text)
        assert not any(re.search(r"[\\*?{}\[\]()“”]", words) for words in inside)
        assert all(any(letter.isalnum() for letter in words) for words in inside)
        rest = _FIELDS.sub(" ", re.sub(r'"[^"]*"', " ", text))
        rest = re.sub(r"\d+", " ", rest) if syntax is PMC else rest
        assert set(re.findall(r"[^\s()]+", rest)) <= {"AND", "OR", "NOT"}
        assert rest.count("(") == rest.count(")")
        text.encode()
    outside = re.sub(r'"[^"]*"', " ", SCIENCE_DIRECT.compiled(at_most(3, query)))
    # the words of a Near are one condition
    assert len(re.findall(r"AND|OR", outside)) <= 3 + 10 * str(query).count("Near")


@each_row(
    ("query", "compiled"),
    [
        (
            And(parts=(Or(parts=(Phrase(text="cyp17a1"), Phrase(text="P450c17"))), Phrase(text="zebra fish"))),
            '((TITLE_ABS:"cyp17a1" OR TITLE_ABS:"P450c17") AND TITLE_ABS:"zebra fish")',
        ),
        (Words(text="the cat and dog?"), '(TITLE_ABS:"cat" OR TITLE_ABS:"dog")'),
        (And(parts=(Phrase(text="a b"), Not(part=Phrase(text="mice")))), '(TITLE_ABS:"a b" NOT TITLE_ABS:"mice")'),
        (Not(part=Phrase(text="mice")), ""),
        (And(parts=(Everything(), Phrase(text="x1"))), 'TITLE_ABS:"x1"'),
        (Or(parts=(Everything(), Phrase(text="x1"))), ""),
        (Mesh(heading="Marfan Syndrome"), 'KW:"Marfan Syndrome"'),
        (Range(low=2010), "(FIRST_PDATE:[2010-01-01 TO 3000-12-31])"),
        (Term(value="PMID:21", field="id"), '(EXT_ID:"21" AND SRC:MED)'),
    ],
)
def test_trees_for_europe_pmc(query: Query, compiled: str) -> None:
    assert EUROPE_PMC.compiled(query) == compiled


def test_trees_for_the_others_and_the_fields_that_they_lack() -> None:
    query = And(parts=(Phrase(text="aortic root"), Not(part=Phrase(text="mice"))))
    assert PMC.compiled(query) == (
        '(("aortic root"[Title] OR "aortic root"[Abstract]) NOT ("mice"[Title] OR "mice"[Abstract]))'
    )
    days = DateRange(low=date(2010, 5, 1), high=date(2011, 1, 2))
    assert PMC.compiled(days) == '("2010/05/01"[Publication Date] : "2011/01/02"[Publication Date])'
    assert SCIENCE_DIRECT.compiled(query) == '("aortic root" AND NOT "mice")'
    with pytest.raises(UsageError, match=r"^PMC has no field for affiliation; remove this part of the query$"):
        PMC.compiled(Term(value="Ulm", field="affiliation"))
    with pytest.raises(UsageError, match="ScienceDirect has no field 'ward'"):
        SCIENCE_DIRECT.compiled(Metadata(name="ward", value="ICU"))
    # synonyms are left out before keywords
    keywords = [Or(parts=tuple(Phrase(text=f"{name}{n}") for n in range(4))) for name in ("a", "b", "c")]
    text = SCIENCE_DIRECT.compiled(at_most(5, And(parts=tuple(keywords))))
    assert text == '(("a0" OR "a1") AND ("b0" OR "b1") AND ("c0" OR "c1"))'
