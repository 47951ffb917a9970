"""Unmodified third-party clients against our server with real PubMed records."""

import gzip
import io
import signal
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from rows import tables

TABLES = tables(__file__)

Entrez = pytest.importorskip("Bio.Entrez", reason="needs Biopython")

NCBI = "https://eutils.ncbi.nlm.nih.gov"
RECORDS = "pubmed_250101.dtd"
pytestmark = pytest.mark.shared


@pytest.fixture
def base(real_server: str, loopback: None) -> str:
    """The server's address, with loopback connections allowed."""
    return real_server


@pytest.fixture
def entrez(base: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Biopython, redirected to our server and without pauses, with its document type of records of all years."""

    def here(url: str, *rest: Any, **more: Any) -> urllib.request.Request:
        return urllib.request.Request(url.replace(NCBI, base), *rest, **more)

    monkeypatch.setattr(Entrez, "Request", here)
    (tmp_path / RECORDS).write_bytes(urllib.request.urlopen(f"{base}/dtd/{RECORDS}").read())
    monkeypatch.setattr("Bio.Entrez.Parser.DataHandler.local_dtd_dir", str(tmp_path))
    monkeypatch.setattr(Entrez, "email", "reader@example.org")
    monkeypatch.setattr(Entrez, "sleep_between_tries", 0)
    monkeypatch.setattr(Entrez, "api_key", "no-key")
    return Entrez


def test_biopython_searches(entrez: Any) -> None:
    found = entrez.read(entrez.esearch(db="pubmed", term="heart attack AND 1990:2020[dp]", retmax=2))
    assert (found["Count"], len(found["IdList"]), found["RetMax"]) == ("3", 2, "2")
    assert found["TranslationSet"][0]["From"] == "heart attack"
    assert '"myocardial infarction"[MeSH Terms]' in found["QueryTranslation"]
    assert found["TranslationStack"][-1].tag == "OP"
    found = entrez.read(entrez.esearch(db="pubmed", term="asthma AND abcXYZ"))
    assert found["Count"] == "0"
    assert found["ErrorList"]["PhraseNotFound"] == ["abcxyz"]
    assert found["WarningList"]["OutputMessage"] == ["No items found."]


def test_biopython_uses_the_history(entrez: Any) -> None:
    posted = entrez.read(entrez.epost("pubmed", id="12091962,9997"))
    kept = {"webenv": posted["WebEnv"], "query_key": posted["QueryKey"]}
    assert len(entrez.read(entrez.efetch(db="pubmed", retmode="xml", **kept))["PubmedArticle"]) == 2
    assert len(entrez.read(entrez.esummary(db="pubmed", retmax=1, retstart=1, **kept))) == 1
    more = {"usehistory": "y", "WebEnv": posted["WebEnv"], "retmax": 0}
    found = entrez.read(entrez.esearch(db="pubmed", term="humans[mh]", **more))
    assert (found["QueryKey"], found["WebEnv"], found["IdList"]) == ("2", posted["WebEnv"], [])
    kept = {"webenv": found["WebEnv"], "query_key": found["QueryKey"], "retmode": "xml", "retmax": 100}
    pages = [
        entrez.read(entrez.efetch(db="pubmed", retstart=start, **kept))["PubmedArticle"]
        for start in range(0, int(found["Count"]), 100)
    ]
    assert sum(map(len, pages)) == int(found["Count"])


def test_biopython_reads_the_other_utilities(entrez: Any) -> None:
    assert entrez.read(entrez.einfo())["DbList"] == ["pubmed"]
    about = entrez.read(entrez.einfo(db="pubmed"))["DbInfo"][0]
    assert about["Count"] == "392"
    assert {"Name", "FullName", "IsDate"} <= about["FieldList"][0].keys()
    assert entrez.read(entrez.espell(db="pubmed", term="asthmma treatmnt"))["CorrectedQuery"] == "asthma treatment"
    linked = entrez.read(entrez.elink(dbfrom="pubmed", db="pubmed", id=["29768149", "9997"], cmd="neighbor_score"))
    assert [group["IdList"] for group in linked] == [["29768149"], ["9997"]]
    first = linked[0]["LinkSetDb"][0]
    assert first["LinkName"] == "pubmed_pubmed"
    assert first["Link"][0]["Id"] == "29768149"
    assert int(first["Link"][0]["Score"]) >= int(first["Link"][1]["Score"]) > 0


def test_pymed(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    api = pytest.importorskip("pymed.api")
    monkeypatch.setattr(api, "BASE_URL", base)
    client = api.PubMed(tool="test", email="reader@example.org")
    assert client.getTotalResultsCount("heart") == 15
    articles = list(client.query("heart", max_results=5))
    assert len(articles) == 5
    assert all(
        one.pubmed_id.split()[0].isdigit() and one.title is not None and one.publication_date for one in articles
    )
    assert any(article.abstract and len(article.abstract) > 200 for article in articles)


def test_easy_entrez(base: str) -> None:
    api = pytest.importorskip("easy_entrez").EntrezAPI("test", "reader@example.org", server=f"{base}/entrez/eutils/")
    api.minimal_interval = 0
    found = api.search("heart", max_results=3).data["esearchresult"]
    assert (found["count"], len(found["idlist"])) == ("15", 3)
    assert api.summarize(found["idlist"], max_results=3).data["result"]["uids"] == found["idlist"]
    tree = api.fetch(found["idlist"], max_results=3).data
    assert [e.text for e in tree.findall("PubmedArticle/MedlineCitation/PMID")] == found["idlist"]
    links = api.link(found["idlist"][:1], database="pubmed", database_from="pubmed").data["linksets"][0]
    assert links["linksetdbs"][0]["links"][0] == found["idlist"][0]
    assert api.get_info("pubmed").data["einforesult"]["dbinfo"][0]["count"] == "392"


def test_metapub(base: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("METAPUB_CACHE_DIR", str(tmp_path))
    client_module = pytest.importorskip("metapub.ncbi_client")
    client = client_module.NCBIClient(requests_per_second=1000)
    monkeypatch.setattr(client, "BASE_URL", f"{base}/entrez/eutils")
    xml = client.esearch("pubmed", "heart", retmax=3)
    from metapub.pubmedarticle import PubMedArticle

    ids = [part.partition("<")[0] for part in str(xml).split("<Id>")[1:]]
    assert len(ids) == 3
    article = PubMedArticle(client.efetch("pubmed", ids[0]))
    assert article.pmid == ids[0] and article.title and article.authors


@pytest.fixture
def keeps_interrupts() -> Iterator[None]:
    """What Ctrl-C does is as before after a client that exits by itself."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


def test_entrezpy(base: str, monkeypatch: pytest.MonkeyPatch, keeps_interrupts: None) -> None:
    """A pipeline: searched with the history, whose records are summarised in parts."""
    conduit_module = pytest.importorskip("entrezpy.conduit")
    from entrezpy.base.query import EutilsQuery

    monkeypatch.setattr(EutilsQuery, "base_url", f"{base}/entrez/eutils")
    conduit = conduit_module.Conduit("reader@example.org")
    pipeline = conduit.new_pipeline()
    found = pipeline.add_search({"db": "pubmed", "term": "humans[mh]", "rettype": "count"})
    pipeline.add_summary({}, dependency=found)
    assert len(conduit.run(pipeline).result.summaries) > 100


def test_eutils_of_biocommons(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    client = pytest.importorskip("eutils").Client(api_key="none")
    monkeypatch.setattr("eutils._internal.queryservice.url_base", f"{base}/entrez/eutils")
    found = client.esearch(db="pubmed", term="asthma")
    (paper,) = client.efetch(db="pubmed", id=29768149)
    assert (found.count, paper.pmid, paper.jrnl, paper.volume) == (3, "29768149", "N Engl J Med", "378")
    assert paper.authors[0] == "O'Byrne PM" and paper.doi == "10.1056/NEJMoa1715274" and paper.mesh_headings


def test_parsers_read_what_is_fetched(base: str, tmp_path: Path) -> None:
    """pubmed_mapper and pubmed_parser."""
    mapper, parser = pytest.importorskip("pubmed_mapper"), pytest.importorskip("pubmed_parser")
    body = urllib.request.urlopen(f"{base}/entrez/eutils/efetch.fcgi?db=pubmed&id=29768149,9997&retmode=xml").read()
    first, second = map(mapper.Article.parse_element, etree.fromstring(body).iterfind("PubmedArticle"))
    assert (first.pmid, first.volume, first.issue, len(first.authors)) == ("29768149", "378", "20", 10)
    assert second.journal.title == "Biochimica et biophysica acta"
    (tmp_path / "fetched.xml.gz").write_bytes(gzip.compress(body))
    read = list(parser.parse_medline_xml(str(tmp_path / "fetched.xml.gz")))
    assert [(one["pmid"], one["pages"], one["issue"]) for one in read] == [
        ("29768149", "1865-1876", "378(20)"),
        ("9997", "179-91", "446(1)"),
    ]


def test_responses_are_valid_against_ncbis_dtds(base: str) -> None:
    """Stricter than Biopython's parser: also checks order and number. Ours are as strict or stricter. (libxml rejects
    NCBI's ambiguous DTD of elink.)"""
    from Bio.Entrez.Parser import DataHandler

    commands = TABLES["commands"]
    asked = {
        "elink.dtd": [f"elink.fcgi?id=29768149,9997,5&cmd={command}" for command in commands],
        "esearch.dtd": [f"esearch.fcgi?term={term}" for term in ("asthma&usehistory=y", "x1y2+OR+(asthma", "")],
        "esummary-v1.dtd": ["esummary.fcgi?id=12091962,9997,5", "esummary.fcgi"],
        "epost.dtd": ["epost.fcgi?id=1,2,x", "epost.fcgi"],
        "einfo.dtd": ["einfo.fcgi", "einfo.fcgi?db=pubmed", "einfo.fcgi?db=x"],
        "eSpell.dtd": ["espell.fcgi?term=asthmma", "espell.fcgi?term=asthma"],
    }
    for name, addresses in asked.items():
        served = [] if name == "esummary-v1.dtd" else [io.BytesIO(urllib.request.urlopen(f"{base}/dtd/{name}").read())]
        theirs = [] if name == "elink.dtd" else [str(Path(DataHandler.global_dtd_dir) / name)]
        dtds = [etree.DTD(file) for file in (*theirs, *served)]
        for address in addresses:
            path, _, query = f"{base}/entrez/eutils/{address}".partition("?")
            body = urllib.request.urlopen(path, data=query.encode()).read()
            tree = etree.parse(io.BytesIO(body), etree.XMLParser(load_dtd=False, no_network=True))
            for dtd in dtds:
                assert dtd.validate(tree), (address, dtd.error_log.filter_from_errors()[:3])
