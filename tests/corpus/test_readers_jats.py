"""JATS full text: sections, captions, what is left out, and the real articles."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from read_files import document_of, items_of, written
from rows import each_row

from medground.corpus.readers import find_inputs
from medground.corpus.readers.base import Item, Retracts
from medground.errors import BadDocument
from medground.values.document import Document

IDS = '<article-id pub-id-type="pmc">12</article-id><article-id pub-id-type="pmid">34</article-id>'
DATE = "<pub-date><year>2011</year></pub-date><pub-date pub-type='epub'><year>2010</year></pub-date>"


def article(
    body: str = "", *, ids: str = IDS, meta: str = "", kind: str = "research-article", title: str = "T."
) -> str:
    return (
        f'<article xmlns:xlink="http://www.w3.org/1999/xlink" article-type="{kind}"><front><journal-meta>'
        f"<journal-title>J</journal-title></journal-meta><article-meta>{ids}<title-group><article-title>{title}"
        f"</article-title></title-group>{DATE}{meta}</article-meta></front><body>{body}</body>"
        "<back><ref-list><title>References</title><ref><mixed-citation>Never <pub-id pub-id-type='pmid'>9</pub-id>"
        "</mixed-citation></ref></ref-list></back></article>"
    )


def read(folder: Path, text: str) -> list[Item]:
    return items_of(written(folder / "a.nxml", text), "jats")


def one(folder: Path, text: str) -> Document:
    return document_of(written(folder / "a.nxml", text), "jats")


def pieces(document: Document) -> list[tuple[str, str]]:
    return [(s.label, document.text[s.start : s.end]) for s in document.sections]


def test_sections_are_labelled_with_all_headings_above(tmp_path: Path) -> None:
    abstract = "<abstract><sec><title>Aim</title><p>We test.</p></sec></abstract><abstract><p>Short.</p></abstract>"
    body = (
        "<p>First.</p><sec><title>Methods</title><p>We did.</p><sec><title>Patients <italic>x</italic></title>"
        "<p>Ten.</p><p>Men.</p></sec></sec>"
    )
    document = one(tmp_path, article(body, meta=abstract))
    assert pieces(document) == [
        ("Abstract > Aim", "We test."),
        ("Abstract", "Short."),
        ("Methods", "We did."),
        ("Methods > Patients x", "Ten.\n\nMen."),
    ]
    assert "\n\nFirst.\n\n" in document.text
    assert "Never" not in document.text
    assert document.references == ("PMID:9",)


def test_lists_captions_and_blocks_inside_paragraphs(tmp_path: Path) -> None:
    body = (
        "<sec><title>R</title><p>See<sup><xref ref-type='bibr'>3</xref></sup> 10<sup>5</sup>:"
        "<list><list-item><p>one</p></list-item><list-item><p>two</p></list-item></list></p>"
        "<fig><label>Figure 1</label><caption><title>Survival.</title><p>By arm.</p></caption></fig>"
        "<table-wrap><label>Table 2.</label><caption><p>Doses</p></caption><table><tr><td>cell</td></tr></table>"
        "<table-wrap-foot><p>foot</p></table-wrap-foot></table-wrap>"
        "<def-list><def-item><term>ALI</term><def><p>lung injury</p></def></def-item></def-list>"
        "<disp-formula><alternatives><tex-math>\\begin{document}</tex-math><mml:math"
        " xmlns:mml='http://www.w3.org/1998/Math/MathML'><mml:mi>a</mml:mi></mml:math></alternatives></disp-formula></sec>"
    )
    assert one(tmp_path, article(body)).text.split("\n\n") == [
        "See 10^5:",
        "- one",
        "- two",
        "Figure 1. Survival. By arm.",
        "Table 2. Doses",
        "ALI: lung injury",
        "a",
    ]


def test_metadata_of_an_article(tmp_path: Path) -> None:
    meta = (
        "<contrib-group><contrib contrib-type='author'><name><surname>Kirov</surname>"
        "<given-names>M Y</given-names></name></contrib>"
        "<contrib contrib-type='editor'><name><surname>No</surname></name></contrib>"
        "<contrib contrib-type='author'><collab>The Group</collab></contrib></contrib-group>"
        "<volume>5</volume><issue>2</issue><fpage>10</fpage><lpage>12</lpage><elocation-id>e1</elocation-id>"
        "<permissions><license xlink:href='http://l/by'><p>Free.</p></license></permissions>"
        "<kwd-group><kwd>lung</kwd></kwd-group>"
    )
    document = one(tmp_path, article("<p>Text.</p>", meta=meta))
    assert (document.id, document.identifiers) == ("PMC:PMC12", {"pmc": "PMC12", "pmid": "34"})
    assert (document.year, document.journal, document.license) == (2010, "J", "http://l/by")
    assert (document.authors, document.keywords) == (("Kirov MY", "The Group"), ("lung",))
    assert document.publication_types == ("research-article",)
    assert document.imprint == {"volume": "5", "issue": "2", "pages": "10-12"}


@each_row(
    ("given", "initials"), [("John A.", "JA"), ("M.Y.", "MY"), ("JP", "JP"), ("Jean-Pierre", "JP"), ("Élodie", "É")]
)
def test_given_names_become_initials_as_in_medline(tmp_path: Path, given: str, initials: str) -> None:
    name = f"<name><surname>de la Cruz</surname><given-names>{given}</given-names></name>"
    document = one(tmp_path, article("<p>Text.</p>", meta=f"<contrib-group><contrib>{name}</contrib></contrib-group>"))
    assert document.authors == (f"de la Cruz {initials}",)


def test_retractions(tmp_path: Path) -> None:
    link = "<related-article related-article-type='{}' ext-link-type='pubmed' xlink:href='77'/>"
    notice, item = read(tmp_path, article("<p>x</p>", kind="retraction", meta=link.format("retracted-article")))
    assert (notice.retraction, item) == ("notice", Retracts(("PMID:77",)))
    assert one(tmp_path, article("<p>x</p>", meta=link.format("retraction-forward"))).retraction == "retracted"
    assert one(tmp_path, article("<p>x</p>", title="RETRACTED ARTICLE: On x")).retraction == "retracted"
    assert one(tmp_path, article("<p>x</p>", title="Retracted studies: a review")).retraction == "none"


def test_a_set_of_articles_a_namespace_and_an_article_without_text(tmp_path: Path) -> None:
    doi = '<article-id pub-id-type="doi">10.1/x</article-id>'
    articles = article("<p>a</p>") + article("<p>b</p>", ids="") + article("<p>c</p>", ids=doi)
    first, bad, last = read(tmp_path, f"<pmc-articleset>{articles}</pmc-articleset>")
    assert (first.id, last.id, bad.position) == ("PMC:PMC12", "DOI:10.1/x", 2)
    assert "no PMC id, PMID or DOI" in str(bad)
    spaced = article("<p>a</p>").replace("<article ", '<article xmlns="https://jats.nlm.nih.gov/ns/archiving/1.3/" ', 1)
    assert one(tmp_path, spaced).text == "a"
    assert one(tmp_path, article(title="Only.")).text == "Only."
    with pytest.raises(BadDocument, match="declares entities"):
        read(tmp_path, f'<!DOCTYPE article [<!ENTITY x SYSTEM "file:///etc/hostname">]>{article("<p>&x;</p>")}')


def test_real_articles_agree_with_their_index(shared: Path) -> None:
    rows = [json.loads(line) for line in (shared / "jats" / "index.jsonl").read_text().splitlines()]
    for row in rows[:15] + rows[-15:]:
        (found,) = find_inputs([shared / "jats" / row["file"]])
        (document,) = found.read(0)
        assert document.title == " ".join(row["title"].split())
        assert (str(document.year), document.journal) == (row["year"], row["journal"])
        assert document.identifiers.get("pmid", "") == (row["pmid"] or "")
        assert not row["license_url"] or document.license == row["license_url"]
        raw = gzip.decompress((shared / "jats" / row["file"]).read_bytes())
        assert len(document.text) > 0.1 * len(raw) or b"<body" not in raw
