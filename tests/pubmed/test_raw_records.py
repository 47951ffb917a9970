"""What is served of the raw files, counted by element path with lxml alone: no reader of the project is used here."""

import io
import re
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from eutils_app import ask, within
from lxml import etree
from rows import each_row
from typer.testing import CliRunner

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.corpus.retraction import listed as listed_papers
from medground.faces.cli.servers import pubmed_app

pytest.importorskip("starlette", reason="needs the extra serve")

from medground.faces.eutils.current import CurrentCatalogue
from medground.faces.eutils.rates import Rates
from medground.faces.eutils.server import make_app
from medground.faces.serving import Refusal

RAW = Path(__file__).resolve().parents[3] / "shared" / "data" / "pubmed_xml" / "raw"
RECORDS = ("PubmedArticle", "MedlineCitation", "PubmedBookArticle")


def records_in(path: Path) -> Iterator[Any]:
    """The outermost elements of records."""
    tree = etree.parse(str(path), etree.XMLParser(load_dtd=False, no_network=True, remove_comments=True))
    root = tree.getroot()
    yield from [root] if root.tag in RECORDS else (one for one in root if one.tag in RECORDS)


def pmid(record: Any) -> str:
    return str(next(record.iter("PMID")).text)


def by_path(record: Any) -> Counter[str]:
    """How often each element path occurs, from the element of the record."""
    tree = record.getroottree()
    paths = (re.sub(r"\[\d+\]|\{[^}]*\}", "", tree.getelementpath(one)) for one in record.iter() if one is not record)
    start = re.sub(r"\[\d+\]", "", tree.getelementpath(record)).lstrip(".")
    return Counter(record.tag + path.removeprefix(start) for path in paths)


@pytest.fixture(scope="module")
def raw() -> dict[str, list[Any]]:
    """All versions of each record of the raw files."""
    if not RAW.is_dir():
        pytest.skip("needs the real data in ../shared/data, which is missing")
    found = defaultdict(list)
    for path in sorted(RAW.iterdir()):
        for record in records_in(path):
            found[pmid(record)].append(record)
    return found


@pytest.fixture(scope="module")
def app(raw: dict[str, list[Any]], tmp_path_factory: pytest.TempPathFactory) -> Any:
    home = tmp_path_factory.mktemp("home")
    build(Library(home), "raw", find_inputs([RAW]))
    return make_app(CurrentCatalogue(Library(home), "raw", home))


def test_each_record_is_served_as_it_is(app: Any, raw: dict[str, list[Any]]) -> None:
    tree = etree.fromstring(ask(app, "efetch", id=",".join(raw), retmode="xml").content)
    assert tree.tag == "PubmedArticleSet" and len(tree) == len(raw) == 996
    here, there = Counter[str](), Counter[str]()
    for outer in tree:
        (one,) = [one for one in raw[pmid(outer)] if plain(one) == plain(own(outer, one.tag))]
        here.update(by_path(own(outer, one.tag)))
        there.update(by_path(one))
    assert here == there
    print(f"\n{len(here)} element paths, {here.total():,} elements, the same in the files and in efetch's reply")
    print("\n".join(f"{count:7,}  {path}" for path, count in here.most_common()))


def own(served: Any, tag: str) -> Any:
    return served if served.tag == tag else served.find(tag)


def plain(record: Any) -> bytes:
    return b"" if record is None else etree.tostring(record, method="c14n", exclusive=True, with_tail=False)


def wrong(element: Any) -> bool:
    return any(one.get("ValidYN") == "N" for one in (element, element.getparent()))


ISSUE = "Article/Journal/JournalIssue"
LINES = {
    "VI": f"{ISSUE}/Volume", "IP": f"{ISSUE}/Issue", "JID": "MedlineJournalInfo/NlmUniqueID", "LA": "Article/Language",
    "TT": "Article/VernacularTitle", "GR": "Article/GrantList/Grant", "RN": "ChemicalList/Chemical",
    "MH": "MeshHeadingList/MeshHeading", "OT": "KeywordList/Keyword", "COIS": "CoiStatement", "SB": "CitationSubset",
    "SI": "Article/DataBankList/DataBank/AccessionNumberList/AccessionNumber", "OAB": "OtherAbstract",
    "PT": "Article/PublicationTypeList/PublicationType", "IR": "InvestigatorList/Investigator",
    "FAU": "Article/AuthorList/Author/LastName", "CN": "Article/AuthorList/Author/CollectiveName",
    "AB": "Article/Abstract", "NM": "SupplMeshList/SupplMeshName", "PL": "MedlineJournalInfo/Country",
}  # fmt: skip
FACTS = {
    "volume": f"{ISSUE}/Volume", "issue": f"{ISSUE}/Issue", "source": "MedlineJournalInfo/MedlineTA",
    "nlmuniqueid": "MedlineJournalInfo/NlmUniqueID", "vernaculartitle": "Article/VernacularTitle",
    "issn": "Article/Journal/ISSN[@IssnType='Print']", "essn": "Article/Journal/ISSN[@IssnType='Electronic']",
}  # fmt: skip


def test_texts_and_summaries_hold_what_the_files_do(app: Any, raw: dict[str, list[Any]]) -> None:
    every = [key for key, versions in raw.items() if len(versions) == 1 and versions[0].tag != "PubmedBookArticle"]
    texts = ask(app, "efetch", id=",".join(every), rettype="medline", retmode="text").text.split("\n\n")
    summaries: dict[str, Any] = {}
    for first in range(0, len(every), 500):
        some = ",".join(every[first : first + 500])
        summaries |= ask(app, "esummary", id=some, retmode="json").json()["result"]
    for key, text in zip(every, texts, strict=True):
        citation = next(raw[key][0].iter("MedlineCitation"))
        lines = Counter(re.findall(r"^([A-Z]+) *- ", text, re.MULTILINE))
        held = {
            tag: [one for one in citation.iterfind(path) if "".join(one.itertext()).strip() and not wrong(one)]
            for tag, path in LINES.items()
        }
        assert {tag: lines[tag] for tag in LINES} == {tag: len(found) for tag, found in held.items()}, key
        told = {name: " ".join((citation.findtext(path) or "").split()) for name, path in FACTS.items()}
        assert {name: summaries[key][name] for name in FACTS} == told, key
        assert summaries[key]["lang"] == [one.text for one in citation.iterfind("Article/Language")]


def test_a_page_searches_and_shows_a_record_as_text_without_scripts(app: Any) -> None:
    def shown(path: str) -> Any:
        return within(app, lambda client: client.get(f"http://127.0.0.1{path}"))

    found, record = shown("/?term=vaccini+sono+farmaci"), shown("/26407462/")
    assert '<a href="/26407462/">' in found.text and "script-src" not in found.headers["content-security-policy"]
    assert "default-src 'none'" in record.headers["content-security-policy"]
    assert "<h1>[Vaccines are drugs].</h1>" in record.text and "Traversa, Giuseppe" in record.text
    hostile = shown("/?term=%3Cscript%3Ealert(1)%3C%2Fscript%3E").text
    assert "<script" not in hostile and "&lt;script&gt;" in hostile
    assert (shown("/5/").status_code, shown("/dtd/nothing.dtd").status_code) == (404, 404)
    assert shown("/dtd/uilist.dtd").headers["content-type"].startswith("application/xml-dtd")


def test_biopython_validates_every_record_by_our_document_types(
    app: Any, raw: dict[str, list[Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parser = pytest.importorskip("Bio.Entrez.Parser", reason="needs Biopython")
    for name in ("pubmed_250101.dtd", "esummary_pubmed.dtd"):
        address = f"http://127.0.0.1/dtd/{name}"
        (tmp_path / name).write_bytes(within(app, lambda client, url=address: client.get(url)).content)
    monkeypatch.setattr(parser.DataHandler, "local_dtd_dir", str(tmp_path))
    asked = {"efetch": "pubmed_250101.dtd", "esummary": "esummary_pubmed.dtd"}
    for utility, name in asked.items():
        body = ask(app, utility, id=",".join(raw), version="2.0").content
        dtd = etree.DTD(str(tmp_path / name))
        assert dtd.validate(etree.fromstring(body)), dtd.error_log
        read = parser.DataHandler(validate=True, escape=False, ignore_errors=False).read(io.BytesIO(body))
        assert len(read.get("PubmedArticle", ())) in (0, 995)


@each_row(("sent", "most"), [("term=x&", 3), ("term=x&api_key=mine", 10)])
def test_a_client_may_send_as_many_requests_a_second_as_at_ncbi(sent: str, most: int) -> None:
    now = [0.0]
    rates = Rates(clock=lambda: now[0])
    for _ in range(most):
        rates.count("1.2.3.4", sent)
    with pytest.raises(Refusal) as told:
        rates.count("1.2.3.4", sent)
    assert (told.value.status, told.value.retry_after) == (429, 1)
    rates.count("1.2.3.5", sent + "s")
    now[0] = 1.0
    rates.count("1.2.3.4", sent)


ARTICLE = (
    '<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM"><PMID Version="1">{}</PMID><Article PubModel="Print">'
    "<Journal><JournalIssue><Volume>{}</Volume><PubDate><Year>2020</Year></PubDate></JournalIssue></Journal>"
    "<ArticleTitle>Asthma {}</ArticleTitle></Article></MedlineCitation></PubmedArticle>"
)


def test_a_summary_tells_of_a_retraction_that_the_record_does_not_know(home: Path, tmp_path: Path) -> None:
    listed = next(name for name, nature in listed_papers().items() if name[:5] == "pmid:" and nature == "retracted")
    known, other = listed.removeprefix("pmid:"), "99999999"
    records = {number: ARTICLE.format(number, 1, number) for number in (known, other)}
    (tmp_path / "some.xml").write_text(f"<PubmedArticleSet>{''.join(records.values())}</PubmedArticleSet>")
    build(Library(home), "mine", find_inputs([tmp_path / "some.xml"]))
    app = make_app(CurrentCatalogue(Library(home), "mine", home))
    told = ask(app, "esummary", id=f"{known},{other}", retmode="json").json()["result"]
    assert "Retracted" in told[known]["attributes"][0] and not told[other]["attributes"]
    assert records[known] in ask(app, "efetch", id=known).text


def test_update_files_change_what_is_served_in_one_step(home: Path, tmp_path: Path) -> None:
    def file(name: str, volume: int, numbers: range, more: str = "") -> Path:
        body = "".join(ARTICLE.format(number, volume, number) for number in numbers)
        (tmp_path / name).write_text(f"<PubmedArticleSet>{body}{more}</PubmedArticleSet>")
        return tmp_path / name

    library = Library(home)
    build(library, "mine", find_inputs([file("pubmed24n0001.xml", 1, range(1, 21))]))
    now = [0.0]
    app = make_app(CurrentCatalogue(library, "mine", home, clock=lambda: now[0]))
    seen, done = set[tuple[int, str]](), threading.Event()

    def look() -> None:
        tree = etree.fromstring(ask(app, "efetch", id=",".join(map(str, range(1, 23)))).content)
        volumes = "".join(sorted({str(found.text) for found in tree.iter("Volume")}))
        seen.add((len(tree), volumes))

    def keep_looking() -> None:
        while not done.is_set():
            look()

    reader = threading.Thread(target=keep_looking)
    reader.start()
    gone = "<DeleteCitation><PMID>20</PMID></DeleteCitation>"
    update = file("pubmed24n0002.xml", 2, range(1, 23), gone.replace("20", "22"))
    told = CliRunner().invoke(pubmed_app, ["update", "mine", str(update), "--quiet"], catch_exceptions=False)
    now[0] = 2.0
    look()
    look()
    done.set()
    reader.join()
    assert told.exit_code == 0 and seen == {(20, "1"), (21, "2")}
