"""The server's responses, tested without a network through its ASGI application."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from eutils_app import ask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree
from rows import each_row, tables

from medground.corpus.readers import find_inputs
from medground.corpus.readers.medline import read_medline
from medground.errors import UsageError
from medground.values.document import Document

pytest.importorskip("starlette", reason="needs the extra serve")

from medground.faces.eutils.server import UTILITIES, make_app

TABLES = tables(__file__)

RESULTS = "Wheezing (x < 5 & y > 3) was common in children."
TEXT = f"{RESULTS}\n\nInhaled steroids helped 7 of 10."
RECORDS = tuple(Document.model_validate(one) for one in TABLES["records"])


@pytest.fixture(scope="module")
def app(catalogue_of: Any) -> Iterator[Any]:
    """The application over four records, one of which is not from PubMed."""
    yield make_app(catalogue_of(RECORDS))


def found(app: Any, term: str, **more: Any) -> list[str]:
    result = ask(app, "esearch", term=term, retmode="json", **more).json()["esearchresult"]
    assert int(result["count"]) >= len(result["idlist"])
    return result["idlist"]


SEARCHES: list[tuple[str, *tuple[str, ...]]] = TABLES["searches"]
"""PMIDs, each with queries that find them."""


@each_row(("term", "ids"), [(term, ids.split()) for ids, *terms in SEARCHES for term in terms])
def test_searches(app: Any, term: str, ids: list[str]) -> None:
    assert sorted(found(app, term)) == sorted(ids)


@each_row(
    ("limits", "ids"),
    [
        *(({"sort": sort}, ["300", "100", "200"]) for sort in ("", "pub date", "title", "nonsense")),
        ({"sort": "Author"}, ["100", "200", "300"]),
        ({"mindate": "2010", "maxdate": "2010"}, ["100"]),
        ({"mindate": "2010/03/01", "maxdate": "2010/04", "datetype": "pdat"}, ["100"]),
        ({"mindate": "2000", "maxdate": "2000", "datetype": "edat"}, ["200"]),
        ({"mindate": "2015/01/02", "maxdate": "2015/01/02", "datetype": "mdat"}, ["100"]),
        ({"reldate": "0"}, []),
        ({"retmax": 1, "retstart": 1}, ["100"]),
        ({"retstart": 3}, []),
        ({"retmax": 0}, []),
    ],
)
def test_orders_dates_and_pages(app: Any, limits: dict[str, Any], ids: list[str]) -> None:
    assert found(app, "all[sb]", **limits) == ids


def test_relevance_and_counts(app: Any) -> None:
    assert found(app, "asthma wheezing OR children", sort="relevance")[0] == "100"
    in_json, in_xml = (ask(app, "esearch", term="asthma", rettype="count", retmode=mode) for mode in ("json", "xml"))
    assert in_json.json()["esearchresult"] == {"count": "2"}
    assert b"<eSearchResult><Count>2</Count></eSearchResult>" in in_xml.content


def test_a_search_reports_how_it_was_interpreted(app: Any) -> None:
    tree = etree.fromstring(ask(app, "esearch", term="heart attack OR asthma OR x1y2z3").content)
    assert [t.text for t in tree.findall("TranslationSet/Translation/From")] == ["heart attack", "asthma"]
    assert tree.findtext("QueryTranslation").startswith('"myocardial infarction"[MeSH Terms] OR')
    assert [e.text for e in tree.findall("ErrorList/PhraseNotFound")] == ["heart attack", "x1y2z3"]
    counts = {t.findtext("Term"): t.findtext("Count") for t in tree.findall("TranslationStack/TermSet")}
    assert [counts[f'"asthma"[{field}]'] for field in ("MeSH Terms", "All Fields")] == ["1", "2"]


def test_an_invalid_query_is_repaired_with_a_warning(app: Any) -> None:
    answer = ask(app, "esearch", term="(asthma[mh] AND", retmode="json").json()["esearchresult"]
    assert answer["idlist"] == ["100"]
    assert any("parenthesis" in note for note in answer["warninglist"]["outputmessages"])
    nothing = ask(app, "esearch", term="?!()", retmode="json").json()["esearchresult"]
    assert (nothing["count"], nothing["errorlist"]["phrasesnotfound"]) == ("0", ["?!()"])
    assert not [note for note in nothing["warninglist"]["outputmessages"] if "everything" in note]
    unheld = ask(app, "esearch", term="12[vi]", retmode="json").json()["esearchresult"]
    assert unheld["warninglist"]["outputmessages"] == ["not available in this corpus: field volume", "No items found."]


def test_words_and_phrases_are_read_as_pubmeds_help_says(app: Any) -> None:
    def asked(term: str) -> dict[str, Any]:
        return ask(app, "esearch", term=term, retmode="json").json()["esearchresult"]

    assert '"trials"[All Fields]' not in asked("trial")["querytranslation"]  # no record has it
    assert '"trial"[All Fields]' in asked("trials")["querytranslation"]
    assert asked("dog")["idlist"] == ["200"] and asked("asthma 2010")["idlist"] == ["100"]
    assert '"therapy"[MeSH Subheading]' in asked("treatment")["querytranslation"]
    split = asked('"children asthma"')
    assert split["warninglist"]["quotedphrasesnotfound"] == ['"children asthma"'] and split["idlist"] == ["100"]
    assert asked("plain asthma[ti]")["querytranslation"].endswith('AND "asthma"[Title]')
    assert asked('"plain wheezing"[tiab:~9]')["count"] == "0"
    assert "4 letters are needed" in asked("wh*")["warninglist"]["outputmessages"][0]
    assert asked("therapy/broad[filter]")["idlist"] == ["100"]
    assert asked("100:200[uid]")["idlist"] == ["100", "200"]


def test_ids_are_divided_by_blanks_lines_and_commas(app: Any) -> None:
    posted = ask(app, "epost", id="100\n200 300", WebEnv="None", retmode="json").json()["epostresult"]
    stored = {"WebEnv": posted["webenv"], "query_key": posted["querykey"]}
    assert ask(app, "efetch", rettype="uilist", retmode="text", **stored).text.split() == ["100", "200", "300"]
    checked = ask(app, "elink", id="100 999", cmd="acheck", retmode="json").json()["linksets"][0]["idlinksets"]
    assert [len(one["linkinfos"]) for one in checked] == [1, 0]
    links = ask(app, "elink", id="100", cmd="prlinks", retmode="json").json()["linksets"][0]["idurllist"]
    assert links[0]["objurls"][0]["url"]["value"] == "https://doi.org/10.1000/abc"


def test_queries_can_refer_to_the_history(app: Any) -> None:
    first = ask(app, "esearch", term="asthma", usehistory="y", retmode="json").json()["esearchresult"]
    session = first["webenv"]
    ask(app, "esearch", term="1990:2015[dp]", usehistory="y", WebEnv=session)
    assert etree.fromstring(ask(app, "epost", id="200,300", WebEnv=session).content).findtext("QueryKey") == "3"
    assert ask(app, "esearch", term="zebra", usehistory="y", WebEnv=session).status_code == 200
    for term, more, ids in (
        ("#1", {}, ["300", "100"]),
        ("#1 AND #2", {}, ["100"]),
        ("#4 OR #2", {}, ["100", "200"]),
        ('#1 AND "children"[ti]', {}, ["100"]),
        ("children OR dogs", {"query_key": 3}, ["200"]),
        ("", {"query_key": 1, "datetype": "pdat", "mindate": "2020", "maxdate": "2022"}, ["300"]),
    ):
        assert found(app, term, WebEnv=session, **more) == ids
    again = ask(app, "esearch", term="#1 AND #2", WebEnv=session, usehistory="y", retmode="json").json()
    assert "#" not in again["esearchresult"]["querytranslation"]
    assert found(app, f"#{again['esearchresult']['querykey']}", WebEnv=session) == ["100"]
    for gone in ({"term": "#9", "WebEnv": session}, {"query_key": 1, "WebEnv": "MCID_gone"}):
        assert "Unable to obtain query" in ask(app, "esearch", **gone).text


def test_field_applies_to_words_without_a_tag(app: Any) -> None:
    assert found(app, "wheezing") == ["100"]
    assert found(app, "wheezing", field="title") == []
    assert found(app, "children OR dogs[tiab]", field="TITL") == ["100", "200"]
    assert found(app, "(children OR", field="titl") == ["100"]
    result = ask(app, "esearch", term="wheezing", field="xyz", retmode="json").json()["esearchresult"]
    assert result["idlist"] == ["100"]
    assert any("'xyz'" in note for note in result["warninglist"]["outputmessages"])


def test_a_date_limit_is_part_of_the_translation(app: Any) -> None:
    limits = {"datetype": "edat", "mindate": "2010/04", "maxdate": "2010/05"}
    result = ask(app, "esearch", term="asthma[mh]", retmode="json", **limits).json()["esearchresult"]
    assert result["idlist"] == ["100"]
    assert result["querytranslation"] == '"asthma"[MeSH Terms] AND 2010/04/01:2010/05/31[Date - Entry]'
    assert found(app, result["querytranslation"]) == ["100"]


def test_filters_defined_as_searches_and_greek_letters(catalogue_of: Any) -> None:
    texts = (("A systematic review of TNF-α", "Σ-1 receptors.", ()), ("Old", "TNF-alpha.", ("Systematic Review",)),
             ("A systematic review: protocol", "None.", ()), ("Gum", "None.", ("Preprint",)))  # fmt: skip
    records = [
        Document(id=f"PMID:{n}", title=title, text=text, publication_types=types, year=2021 - n)
        for n, (title, text, types) in enumerate(texts, start=1)
    ]
    app = make_app(catalogue_of(records))
    for name in ("systematic[sb]", "systematic review[filter]", "systematicreview[Filter]"):
        assert found(app, name, sort="pub_date") == ["1", "2"]
    assert found(app, "tnf-alpha[tiab]", sort="pub_date") == found(app, "TNF-α[tiab]", sort="pub_date") == ["1", "2"]
    assert found(app, "sigma[ab]") == ["1"]
    assert found(app, "2017:2018[dp] AND excludepreprints[filter]") == ["3"]


def test_records_survive_a_round_trip(app: Any, tmp_path: Path) -> None:
    answer, text = tmp_path / "answer.xml", tmp_path / "answer.nbib"
    answer.write_bytes(ask(app, "efetch", id=["100,300", "0200", "999"], retmode="xml").content)
    records = [item for item in read_medline(answer) if isinstance(item, Document)]
    text.write_bytes(ask(app, "efetch", id="100", rettype="medline", retmode="text").content)
    (read,) = [item for file in find_inputs([text]) for item in file.read(0)]
    substances = [(one.number, one.name) for one in read.substances]
    assert (substances, read.keywords) == ([("CUT2W21N7U", "Fluticasone"), ("0", "Dyes")], ("wheeze",))
    assert [r.id for r in records] == ["PMID:100", "PMID:300", "PMID:200"]
    assert records[0].model_copy(update={"url": None}) == RECORDS[0]
    assert (records[1].retraction, records[1].keywords) == ("retracted", ("<a href=\"x\"> &amp; 'y'",))
    assert b'<PublicationType UI="D016428">Journal Article</PublicationType>' in answer.read_bytes()


def test_records_as_text(app: Any) -> None:
    medline = ask(app, "efetch", id="100", rettype="medline", retmode="text")
    assert medline.headers["content-type"].startswith("text/plain")
    for line in ("PMID- 100", "DP  - 2010 Mar", "AU  - Smith JA", "MH  - Asthma/*drug therapy", "PMC - PMC77"):
        assert f"\n{line}\n" in medline.text
    unwrapped = re.sub(r"\n {6}", " ", medline.text)
    assert "AB  - RESULTS: Wheezing (x < 5 & y > 3) was common in children. CONCLUSION: Inhaled" in unwrapped
    abstract = ask(app, "efetch", id="100,200", rettype="abstract", retmode="text").text
    assert abstract.startswith(
        "1. The New England journal of medicine. 2010 Mar.\n\nAsthma in children of the plain\n\n"
    )
    assert "\n\n2. 1999 Dec 31." in abstract and "PMID: 100  [Indexed for MEDLINE]" in abstract
    assert ask(app, "efetch", id="999", rettype="medline", retmode="text").text == ""


def test_summaries_in_three_formats(app: Any) -> None:
    assert ask(app, "efetch", id="100,999", rettype="docsum").content == ask(app, "esummary", id="100,999").content
    first = etree.fromstring(ask(app, "esummary", id="100,999").content)
    assert [e.text for e in first.findall("DocSum/Item[@Name='AuthorList']/Item")] == list(RECORDS[0].authors)
    assert first.findtext("ERROR") == "UID=999: cannot get document summary"
    second = etree.fromstring(ask(app, "esummary", id="100,999", version="2.0").content)
    assert second.findtext("DocumentSummarySet/DocumentSummary[@uid='100']/PubDate") == "2010 Mar"
    assert second.findtext("DocumentSummarySet/DocumentSummary[@uid='999']/error")
    third = ask(app, "esummary", id="100,999", retmode="json").json()["result"]
    assert third["uids"] == ["100", "999"]
    assert third["100"]["sortpubdate"] == "2010/03/01 00:00"
    assert {"idtype": "doi", "idtypen": 0, "value": "10.1000/abc"} in third["100"]["articleids"]
    assert third["999"]["error"]


@each_row(
    ("utility", "parameters", "words"),
    [
        ("esearch", {"term": " "}, "Empty term"),
        *((name, {"id": "1", "term": "x", "db": "dna"}, "Invalid db name") for name in UTILITIES.keys() - {"elink"}),
        ("esearch", {"term": "x", "retmax": "many"}, "Invalid value of retmax"),
        ("esearch", {"term": "x", "datetype": "xdat"}, "Invalid value of datetype"),
        ("esearch", {"term": "x", "mindate": "2010/13", "maxdate": "2011"}, "Invalid date"),
        ("esummary", {"query_key": "1", "WebEnv": "MCID_gone"}, "Unable to obtain query #1"),
        ("efetch", {}, "Neither query_key nor id"),
        ("efetch", {"id": "1", "rettype": "gb"}, "Invalid rettype"),
        ("epost", {"id": "abc"}, "Empty ID list"),
        ("espell", {}, "Empty term"),
        ("elink", {"id": "1", "cmd": "links"}, "not supported"),
    ],
)
def test_invalid_requests(app: Any, utility: str, parameters: dict[str, str], words: str) -> None:
    assert words in etree.fromstring(ask(app, utility, **parameters).content).findtext("ERROR")


def test_unknown_utilities_and_oversized_requests(app: Any) -> None:
    assert ask(app, "egquery", term="x").status_code == 404
    assert ask(app, "efetch", id="1" * 16_000_001).status_code == 413


def test_a_corpus_without_pubmed_records_is_rejected(catalogue_of: Any) -> None:
    with pytest.raises(UsageError, match="has no PubMed records"):
        catalogue_of(RECORDS[3:])


PARAMETERS = """term id db retmax retstart sort rettype retmode datetype mindate maxdate reldate usehistory WebEnv
query_key version cmd linkname dbfrom"""
NAMES = PARAMETERS.split()
VALUES = ("json", "xml", "text", "pubmed", "100", "2010", "y", "asthma[mh]", "medline", "(", '"')
RELAXED: dict[str, Any] = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
}
words = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=30)


@given(
    utility=st.sampled_from(sorted(UTILITIES)),
    parameters=st.dictionaries(st.sampled_from(NAMES), words | st.sampled_from(VALUES), max_size=6),
)
@settings(max_examples=120, **RELAXED)
def test_no_request_breaks_the_server(app: Any, utility: str, parameters: dict[str, str]) -> None:
    answer = ask(app, utility, **parameters)
    assert answer.status_code in (200, 400)
    if "json" in answer.headers["content-type"]:
        json.loads(answer.content)
    elif "xml" in answer.headers["content-type"]:
        etree.fromstring(answer.content)
