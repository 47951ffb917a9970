"""The XML of MEDLINE and PubMed, JATS and NCBI Bookshelf: the formats of all years, and hostile files."""

import gzip
import itertools
import json
from pathlib import Path

import pytest
from read_files import document_of, items_of, pieces, sample, written
from rows import each_row

from medground.corpus.readers import find_inputs
from medground.corpus.readers.base import Deleted, Item, RawRecord, Retracts
from medground.corpus.readers.table_rows import Cell, lines_of
from medground.errors import BadDocument
from medground.language.question_reading import reading_of
from medground.language.quoting.leading import cell_named
from medground.values.document import Document

ARTICLE = """<PubmedArticle><MedlineCitation><PMID Version="1">{pmid}</PMID><Article>
<Journal><JournalIssue><PubDate>{date}</PubDate></JournalIssue><Title>Journal of Tests</Title></Journal>
<ArticleTitle>{title}</ArticleTitle>{abstract}{types}</Article>{more}</MedlineCitation>{data}</PubmedArticle>"""


def article(pmid: object = 7, date: str = "<Year>2001</Year>", title: str = "A title.", **parts: str) -> str:
    parts = {"abstract": "", "types": "", "more": "", "data": "", **parts}
    return ARTICLE.format(pmid=pmid, date=date, title=title, **parts)


def abstract(*parts: str) -> str:
    return f"<Abstract>{''.join(parts)}</Abstract>"


def read(
    folder: Path, body: str, *, root: str = "PubmedArticleSet", head: str = "", encoding: str = "utf-8"
) -> list[Item]:
    file = folder / "some.xml"
    text = f'<?xml version="1.0" encoding="{encoding}"?>{head}<{root}>{body}</{root}>'
    file.write_bytes(text.encode(encoding))
    (found,) = find_inputs([file])
    assert found.reader == "medline"
    return [item for item in found.read(0) if not isinstance(item, RawRecord)]


def one(folder: Path, body: str, **options: str) -> Document:
    (item,) = read(folder, body, **options)
    assert isinstance(item, Document), item
    return item


def test_a_structured_abstract_has_a_section_per_label(tmp_path: Path) -> None:
    parts = (
        '<AbstractText Label="AIM" NlmCategory="OBJECTIVE">To test.</AbstractText>',
        "<AbstractText>No label.</AbstractText>",
        '<AbstractText NlmCategory="RESULTS">It works.</AbstractText>',
        '<AbstractText Label="UNLABELLED">Rest.</AbstractText><AbstractText Label="EMPTY"/>',
    )
    document = one(tmp_path, article(abstract=abstract(*parts)))
    assert document.text == "To test.\n\nNo label.\n\nIt works.\n\nRest."
    assert pieces(document) == [("AIM", "To test."), ("RESULTS", "It works.")]


def test_inline_markup_becomes_text(tmp_path: Path) -> None:
    text = (
        "<AbstractText><i>E. coli</i> and CO<sub>2</sub>, Ca<sup>2+</sup>, 10<sup>6</sup> cells &lt; 10<sup>-3</sup>\n"
        '  &#946;-<b>cell <i>x</i></b> <mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML"><mml:mi>r</mml:mi>'
        "<mml:mo>=</mml:mo><mml:mfrac><mml:mn>1</mml:mn><mml:mn>2</mml:mn></mml:mfrac><mml:mo>,</mml:mo><mml:msup>"
        "<mml:mn>10</mml:mn><mml:mrow><mml:mo>-</mml:mo><mml:mn>6</mml:mn></mml:mrow></mml:msup></mml:math>"
        "</AbstractText>"
    )
    document = one(tmp_path, article(title="Of <i>E. coli</i>.", abstract=abstract(text)))
    assert document.title == "Of E. coli."
    assert document.text == "E. coli and CO2, Ca2+, 10^6 cells < 10^-3 β-cell x r=1/2,10^-6"


@each_row(
    ("date", "year", "iso"),
    [
        ("<Year>1998</Year><Month>Dec</Month><Day>31</Day>", 1998, "1998-12-31"),
        ("<Year>1998</Year><Month>2</Month>", 1998, "1998-02"),
        ("<Year>1998</Year><Season>Spring</Season>", 1998, "1998"),
        ("<MedlineDate>1998 Dec-1999 Jan</MedlineDate>", 1998, "1998"),
        ("<MedlineDate>Winter 1976-1977</MedlineDate>", 1976, "1976"),
        ("<MedlineDate>not known</MedlineDate>", None, None),
        ("", None, None),
    ],
)
def test_every_date_format_gives_a_year(tmp_path: Path, date: str, year: int | None, iso: str | None) -> None:
    document = one(tmp_path, article(date=date))
    assert (document.year, document.dates.get("published")) == (year, iso)


@each_row(
    ("pages", "shown"),
    [
        ("<Pagination><MedlinePgn>10-2</MedlinePgn></Pagination>", "10-2"),
        ("<Pagination><StartPage>10</StartPage><EndPage>12</EndPage></Pagination>", "10-12"),
        ('<ELocationID EIdType="pii">e77</ELocationID>', "e77"),
    ],
)
def test_the_imprint_is_volume_issue_and_pages(tmp_path: Path, pages: str, shown: str) -> None:
    record = article(types=pages).replace("<PubDate>", "<Volume>5</Volume><Issue>2</Issue><PubDate>")
    assert one(tmp_path, record).imprint == {"volume": "5", "issue": "2", "pages": shown}
    assert one(tmp_path, article()).imprint == {}


def test_headings_keep_their_qualifiers_and_substances_are_not_keywords(tmp_path: Path) -> None:
    mesh = (
        '<MeshHeadingList><MeshHeading><DescriptorName UI="D1" MajorTopicYN="N">Asthma</DescriptorName>'
        '<QualifierName MajorTopicYN="Y">drug therapy</QualifierName>'
        '<QualifierName MajorTopicYN="N">blood</QualifierName></MeshHeading>'
        '<MeshHeading><DescriptorName MajorTopicYN="N">Humans</DescriptorName></MeshHeading></MeshHeadingList>'
    )
    chemical = "<Chemical><RegistryNumber>{}</RegistryNumber><NameOfSubstance{}>{}</NameOfSubstance></Chemical>"
    aspirin = chemical.format("R16CO5Y76E", ' UI="D001241"', "Aspirin") + chemical.format(0, "", "Inhibitors")
    keywords = "<KeywordList><Keyword>stroke</Keyword></KeywordList>"
    document = one(tmp_path, article(more=f"{mesh}<ChemicalList>{aspirin}</ChemicalList>{keywords}"))
    found = [(substance.name, substance.number, substance.ui) for substance in document.substances]
    assert found == [("Aspirin", "R16CO5Y76E", "D001241"), ("Inhibitors", "0", None)]
    assert document.keywords == ("stroke",)
    asthma, humans = document.mesh
    assert (asthma.descriptor, asthma.ui, asthma.major) == ("Asthma", "D1", True)
    assert (asthma.qualifiers, asthma.major_qualifiers) == (("drug therapy", "blood"), ("drug therapy",))
    assert (humans.ui, humans.major) == (None, False)


def test_without_an_abstract_the_text_is_the_other_abstract_or_the_title(tmp_path: Path) -> None:
    assert one(tmp_path, article(title="Only this.")).text == "Only this."
    other = '<OtherAbstract Type="Publisher" Language="fre"><AbstractText>Autre.</AbstractText></OtherAbstract>'
    assert one(tmp_path, article(more=other)).text == "Autre."
    own = abstract("<AbstractText>Own.</AbstractText>")
    assert one(tmp_path, article(abstract=own, more=other)).text == "Own."


@each_row(
    "links",
    [
        '<CommentsCorrectionsList><CommentsCorrections RefType="{kind}"><PMID>9</PMID></CommentsCorrections>'
        "</CommentsCorrectionsList>",
        "<CommentsCorrections><{kind}><RefSource>J</RefSource><PMID>9</PMID></{kind}></CommentsCorrections>",
    ],
)
@each_row(
    ("kind", "status"),
    [
        ("RetractionIn", "retracted"),
        ("RetractionOf", "notice"),
        ("ExpressionOfConcernIn", "concern"),
        ("PartialRetractionIn", "concern"),
        ("RetractedandRepublishedIn", "retracted"),
        ("RetractedandRepublishedFrom", "none"),
        ("ErratumIn", "none"),
    ],
)
def test_links_between_records_give_the_retraction_status(tmp_path: Path, links: str, kind: str, status: str) -> None:
    document, *rest = read(tmp_path, article(more=links.format(kind=kind)))
    assert document.retraction == status
    assert rest == ([Retracts(("PMID:9",))] if kind == "RetractionOf" else [])


def test_corrections_and_notices_are_told(tmp_path: Path) -> None:
    link = '<CommentsCorrections RefType="{}"><RefSource>{}</RefSource>{}</CommentsCorrections>'
    links = (
        link.format("ErratumIn", "Lancet. 2001;3:4", ""),
        link.format("RetractionIn", "Lancet. 2002;3:4", "<PMID>9</PMID>"),
        link.format("ErratumIn", "", ""),
        link.format("CommentIn", "Lancet. 2001;3:5", "<PMID>8</PMID>"),
    )
    more = f"<CommentsCorrectionsList>{''.join(links)}</CommentsCorrectionsList>"
    assert one(tmp_path, article(more=more)).cautions == (
        "A correction was published: Lancet. 2001;3:4",
        "The retraction notice: PMID:9",
        "A correction was published.",
    )


def test_ids_in_the_reference_list_are_not_those_of_the_record(tmp_path: Path) -> None:
    data = (
        '<PubmedData><ReferenceList><Reference><ArticleIdList><ArticleId IdType="pubmed">5</ArticleId>'
        '<ArticleId IdType="doi">10.1/other</ArticleId></ArticleIdList></Reference></ReferenceList>'
        '<ArticleIdList><ArticleId IdType="pubmed">7</ArticleId><ArticleId IdType="doi">10.1/own</ArticleId>'
        '<ArticleId IdType="pmc">PMC3</ArticleId></ArticleIdList></PubmedData>'
    )
    document = one(tmp_path, article(data=data))
    assert document.identifiers == {"pmid": "7", "doi": "10.1/own", "pmc": "PMC3"}
    assert document.references == ("PMID:5",)


def test_deleted_citations_and_bare_citations(tmp_path: Path) -> None:
    body = article(1) + "<DeleteCitation><PMID>5</PMID><PMID>6</PMID></DeleteCitation>" + article(1, title="Newer.")
    first, gone, newer = read(tmp_path, body)
    assert gone == Deleted(("PMID:5", "PMID:6"))
    assert (first.id, newer.id, newer.title) == ("PMID:1", "PMID:1", "Newer.")
    bare = article(3).removeprefix("<PubmedArticle>").removesuffix("</PubmedArticle>")
    assert one(tmp_path, bare, root="MedlineCitationSet").id == "PMID:3"
    assert one(tmp_path, bare, root="PubmedArticle").id == "PMID:3"


def test_bad_records_are_skipped_with_their_number(tmp_path: Path) -> None:
    body = article("x") + article(2) + "<PubmedArticle/>" + article(4, title="") + article(5)
    items = read(tmp_path, body)
    assert [getattr(item, "id", None) or getattr(item, "position", None) for item in items] == [
        *(1, "PMID:2", 3, 4, "PMID:5")
    ]
    assert "'x' is not a PMID" in str(items[0])
    assert "neither text nor title" in str(items[3])


BOMB = '<!DOCTYPE PubmedArticleSet [<!ENTITY a "aaaaaaaaaa">{levels}]>'.format(
    levels="".join(f'<!ENTITY {n} "{f"&{o};" * 10}">' for o, n in itertools.pairwise("abcdefghij"))
)


HOSTILE = [
    BOMB,
    '<!DOCTYPE PubmedArticleSet [<!ENTITY j SYSTEM "file:///etc/hostname">]>',
    '<!DOCTYPE PubmedArticleSet [<!ENTITY % p SYSTEM "http://localhost/x.dtd"> %p; <!ENTITY j "x">]>',
]


@each_row("head", HOSTILE)
@each_row("encoding", ["utf-8", "utf-16"])
def test_entities_are_rejected(tmp_path: Path, head: str, encoding: str) -> None:
    with pytest.raises(BadDocument, match="declares entities") as refused:
        read(tmp_path, article(title="&j;"), head=head, encoding=encoding)
    assert "\n" not in str(refused.value)


def test_a_document_type_and_an_inclusion_are_not_followed_and_a_nul_byte_is_rejected(tmp_path: Path) -> None:
    head = '<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle//EN" "http://localhost:1/none.dtd">'
    assert one(tmp_path, article(title="A &alpha; &unknownname; b."), head=head).title == "A α &unknownname; b."
    include = '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="/etc/hostname" parse="text"/>'
    assert one(tmp_path, article(title=f"A{include}.")).title == "A."
    with pytest.raises(BadDocument, match="not well-formed XML"):
        read(tmp_path, article(title="a\x00b"))


def test_nested_markup_is_read_and_extreme_nesting_rejected(tmp_path: Path) -> None:
    deep = "<b>" * 10 + "core" + "</b>" * 10
    assert one(tmp_path, article(title=f"The {deep}.")).title == "The core."
    with pytest.raises(BadDocument, match="not well-formed XML"):
        read(tmp_path, article(title="<b>" * 5000 + "</b>" * 5000))


def test_broken_xml_names_the_line_after_the_good_records(tmp_path: Path) -> None:
    file = tmp_path / "some.xml"
    file.write_text(f"<PubmedArticleSet>{article(1)}<PubmedArticle>\n<oops></PubmedArticle>")
    (found,) = find_inputs([file])
    items = found.read(0)
    assert [type(next(items)) for _ in range(2)] == [Document, RawRecord]
    with pytest.raises(BadDocument, match="not well-formed XML") as broken:
        next(items)
    assert broken.value.position == 4


def test_a_text_over_the_limit_and_entities_in_an_attribute_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(BadDocument, match="not well-formed XML"):
        read(tmp_path, article(title="a" * 12_000_000))
    file = tmp_path / "some.xml"
    file.write_text(BOMB + '<PubmedArticleSet some="&j;"/>')
    with pytest.raises(BadDocument, match=r"not well-formed XML|declares entities"):
        find_inputs([file])


def test_all_real_files_are_read(shared: Path) -> None:
    items = [item for found in find_inputs([shared / "pubmed_xml" / "raw"]) for item in found.read(0)]
    documents = {item.id: item for item in items if isinstance(item, Document)}
    assert not [item for item in items if isinstance(item, BadDocument)]
    assert sum(isinstance(item, Document) for item in items) == 997
    assert Deleted(("PMID:26432306",)) in items
    assert Retracts(("PMID:8393056",)) in items
    assert sum(d.retraction == "retracted" for d in documents.values()) == 2
    assert all(d.year and d.text and d.url for d in documents.values())
    book = documents["PMID:20301295"]
    assert (book.kind, book.year, book.identifiers["bookaccession"]) == ("book", 1993, "NBK1116")
    methods = {s.label: documents["PMID:27797938"].text[s.start : s.end] for s in documents["PMID:27797938"].sections}
    assert "Leucocyte" in documents["PMID:27797938"].title
    assert all(methods.values())


IDS = '<article-id pub-id-type="pmc">12</article-id><article-id pub-id-type="pmid">34</article-id>'
DATE = "<pub-date><year>2011</year></pub-date><pub-date pub-type='epub'><year>2010</year></pub-date>"


def paper(body: str = "", *, ids: str = IDS, meta: str = "", kind: str = "research-article", title: str = "T.") -> str:
    return (
        f'<article xmlns:xlink="http://www.w3.org/1999/xlink" article-type="{kind}"><front><journal-meta>'
        f"<journal-title>J</journal-title></journal-meta><article-meta>{ids}<title-group><article-title>{title}"
        f"</article-title></title-group>{DATE}{meta}</article-meta></front><body>{body}</body>"
        "<back><ref-list><title>References</title><ref><mixed-citation>Never <pub-id pub-id-type='pmid'>9</pub-id>"
        "</mixed-citation></ref></ref-list></back></article>"
    )


def jats_items(folder: Path, text: str) -> list[Item]:
    return items_of(written(folder / "a.nxml", text), "jats")


def jats(folder: Path, text: str) -> Document:
    return document_of(written(folder / "a.nxml", text), "jats")


def test_sections_are_labelled_with_all_headings_above(tmp_path: Path) -> None:
    abstract = "<abstract><sec><title>Aim</title><p>We test.</p></sec></abstract><abstract><p>Short.</p></abstract>"
    body = (
        "<p>First.</p><sec><title>Methods</title><p>We did.</p><sec><title>Patients <italic>x</italic></title>"
        "<p>Ten.</p><p>Men.</p></sec></sec>"
    )
    document = jats(tmp_path, paper(body, meta=abstract))
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
    paragraphs = (
        "See 10^5:|An aside.|- one|- two|Figure 1. Survival. By arm.|Table 2. Doses|cell|foot|ALI: lung injury|a"
    )
    document = jats(tmp_path, paper(sample("blocks.nxml")))
    assert (document.text.split("\n\n"), pieces(document)[1]) == (paragraphs.split("|"), ("R > Footnote", "An aside."))


SPANS = (
    "<table-wrap><label>Table 1</label><caption><p>Outcomes</p></caption><table><thead><tr><th rowspan='2'>Outcome</th>"
    "<th colspan='2'>Events</th><th rowspan='2'>p<sup>a</sup></th></tr><tr><th>Drug</th><th>Placebo</th></tr></thead>"
    "<tbody><tr><td colspan='4'>At week 12</td></tr><tr><td>Gout flare</td><td>41 (20.1%)</td><td rowspan='2'>77</td>"
    "<td>0.01</td></tr><tr><td>Pain, mm</td><td>9<xref ref-type='table-fn' rid='f'>b</xref></td><td>0.4</td></tr>"
    "</tbody></table><table-wrap-foot><p><sup>a</sup>By t-test.</p><fn id='f'><label>b</label><p>One lost.</p></fn>"
    "</table-wrap-foot></table-wrap>"
)


def test_each_row_of_a_table_names_its_columns(tmp_path: Path) -> None:
    document = jats(tmp_path, paper(f"<sec><title>Results</title>{SPANS}</sec>"))
    (piece,) = pieces(document)
    assert piece[0] == "Results > Table 1. Outcomes"
    assert piece[1].split("\n\n")[1:3] == [
        "At week 12, Gout flare | Events, Drug: 41 (20.1%) | Events, Placebo: 77 | p (By t-test.): 0.01",
        "At week 12, Pain, mm | Events, Drug: 9 | Events, Placebo: 77 | p (By t-test.): 0.4 (One lost.)",
    ]
    asked = reading_of("How many had a gout flare with the drug?")
    assert [cell_named(asked, line, "A trial") > 0 for line in piece[1].split("\n\n")[1:3]] == [True, False]


def test_the_name_of_a_row_is_in_all_cells_below_the_name_of_its_first_column_and_may_begin_with_a_number() -> None:
    cells = [["Bandage", "", "Cost"], ["System", "6 cm + 8 cm", "28.50"], ["9", "10", "11"]]
    rows = [[Cell(text) for text in row] for row in cells]
    rows[0] = [Cell("Bandage", columns=2), Cell("Cost")]
    assert [*lines_of(rows, 1)] == ["System, 6 cm + 8 cm | Cost: 28.50", "Bandage: 9 | Bandage: 10 | Cost: 11"]


def test_a_fraction_of_sums_has_brackets_and_the_funding_of_the_front_is_told_once(tmp_path: Path) -> None:
    tex = r"<disp-formula><tex-math>\frac{a}{a+b}</tex-math></disp-formula>"
    math = "<p><math><mfrac><mi>a</mi><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow></mfrac></math></p>"
    front = "<funding-group><funding-statement>Funded by X.</funding-statement></funding-group>"
    whole = paper(f"<sec><title>Methods</title>{tex}{math}</sec>").replace("</article-meta>", f"{front}</article-meta>")
    assert pieces(jats(tmp_path, whole)) == [("Methods", "a/(a+b)\n\na/(a+b)"), ("Funding", "Funded by X.")]


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
    document = jats(tmp_path, paper("<p>Text.</p>", meta=meta))
    assert (document.id, document.identifiers) == ("PMC:PMC12", {"pmc": "PMC12", "pmid": "34"})
    assert (document.year, document.journal, document.license) == (2010, "J", "http://l/by")
    assert (document.authors, document.keywords) == (("Kirov MY", "The Group"), ("lung",))
    assert document.metadata["editor"] == ("No",)
    assert document.publication_types == ("research-article",)
    assert document.imprint == {"volume": "5", "issue": "2", "pages": "10-12"}


@each_row(
    ("given", "initials"), [("John A.", "JA"), ("M.Y.", "MY"), ("JP", "JP"), ("Jean-Pierre", "JP"), ("Élodie", "É")]
)
def test_given_names_become_initials_as_in_medline(tmp_path: Path, given: str, initials: str) -> None:
    name = f"<name><surname>de la Cruz</surname><given-names>{given}</given-names></name>"
    document = jats(tmp_path, paper("<p>Text.</p>", meta=f"<contrib-group><contrib>{name}</contrib></contrib-group>"))
    assert document.authors == (f"de la Cruz {initials}",)


def test_retractions(tmp_path: Path) -> None:
    link = "<related-article related-article-type='{}' ext-link-type='pubmed' xlink:href='77'/>"
    notice, item = jats_items(tmp_path, paper("<p>x</p>", kind="retraction", meta=link.format("retracted-article")))
    assert (notice.retraction, item) == ("notice", Retracts(("PMID:77",)))
    assert jats(tmp_path, paper("<p>x</p>", meta=link.format("retraction-forward"))).retraction == "retracted"
    assert jats(tmp_path, paper("<p>x</p>", title="RETRACTED ARTICLE: On x")).retraction == "retracted"
    assert jats(tmp_path, paper("<p>x</p>", title="Retracted studies: a review")).retraction == "none"


def test_a_set_of_articles_a_namespace_and_an_article_without_text(tmp_path: Path) -> None:
    doi = '<article-id pub-id-type="doi">10.1/x</article-id>'
    articles = paper("<p>a</p>") + paper("<p>b</p>", ids="") + paper("<p>c</p>", ids=doi)
    first, bad, last = jats_items(tmp_path, f"<pmc-articleset>{articles}</pmc-articleset>")
    assert (first.id, last.id, bad.position) == ("PMC:PMC12", "DOI:10.1/x", 2)
    assert "no PMC id, PMID or DOI" in str(bad)
    spaced = paper("<p>a</p>").replace("<article ", '<article xmlns="https://jats.nlm.nih.gov/ns/archiving/1.3/" ', 1)
    assert jats(tmp_path, spaced).text == "a"
    assert jats(tmp_path, paper(title="Only.")).text == "Only."
    with pytest.raises(BadDocument, match="declares entities"):
        jats_items(tmp_path, f'<!DOCTYPE article [<!ENTITY x SYSTEM "file:///etc/hostname">]>{paper("<p>&x;</p>")}')


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


CHAPTER = sample("statpearls.nxml")


def test_a_chapter_of_statpearls(tmp_path: Path) -> None:
    (chapter,) = items_of(written(tmp_path / "article-99.nxml", CHAPTER), "bookshelf")
    assert chapter.id == "BOOKSHELF:statpearls/article-99"
    assert (chapter.title, chapter.journal, chapter.kind) == ("Ectopia Lentis", "StatPearls", "book")
    assert (chapter.year, chapter.language, chapter.license) == (2024, "en", "CC BY-NC-ND 4.0")
    assert chapter.authors == ("Gil AB",)
    assert chapter.identifiers == {"pmid": "30000001"}
    assert chapter.text == (
        "The lens is out of place.\n\nTrauma is the most common cause.[1] It occurs in 1 of 10^4.\n\n"
        "- Marfan syndrome\n\n- Homocystinuria\n\nCauses by age.\n\n42"
    )
    assert [section.label for section in chapter.sections] == [
        "Continuing Education Activity",
        "Etiology",
        "Etiology > Inherited",
        "Etiology > Inherited > Causes by age.",
    ]


def test_a_whole_book_gives_a_document_for_each_part_with_its_own_text(tmp_path: Path) -> None:
    fever, empty, pain, headache = items_of(written(tmp_path / "book.xml", sample("handbook.xml")), "bookshelf")
    assert (fever.id, fever.title, fever.year) == ("NBK:NBK77", "Fever: For clinicians", 2002)
    assert fever.url == "https://www.ncbi.nlm.nih.gov/books/NBK77/"
    assert (empty.position, empty.reason) == (3, "part 3: it has no text")
    assert (pain.id, pain.text) == ("BOOKSHELF:hb/p2", "Pain hurts.")
    assert (headache.id, headache.text) == ("BOOKSHELF:hb/c3", "The head hurts.")


def test_a_packed_chapter_and_one_without_any_id(tmp_path: Path) -> None:
    (chapter,) = items_of(written(tmp_path / "a.nxml.gz", CHAPTER), "bookshelf")
    assert isinstance(chapter, Document)
    bare = "<book-part-wrapper><book-part><body><p>Some text.</p></body></book-part></book-part-wrapper>"
    (nameless,) = items_of(written(tmp_path / "b.xml", bare.replace("<body>", "<book-part-meta/><body>")), "bookshelf")
    assert nameless.reason == "part 1: it has no title"
    titled = "<book-part-meta><title-group><title>T</title></title-group></book-part-meta><body>"
    (found,) = items_of(written(tmp_path / "c.xml", bare.replace("<body>", titled)), "bookshelf")
    assert found.id.startswith("REF:")
