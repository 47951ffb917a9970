"""100 more files of retracted papers, made after the rules and kept apart: other papers, places and languages.

    python benchmarks/retraction_held_out.py [--data ../shared/data]

50 name a listed paper and have no word of retraction; 36 say by words alone that a paper that is not listed was
retracted; 14 are about the listed one. They are measured, and no rule of words is made from what they miss.
"""

# ruff: noqa: E501 (a line for each file)

from __future__ import annotations

import json

import retraction_forms as forms
from retraction_forms import TEXT, Form, Write, bib, page, pdf, record, tagged, text, word

TITLE = "Long-term quexadol and the risk of falls among nursing home residents in Norway"
PMID, PMC, DOI, NOTICE = "39999777", "PMC9999777", "10.5555/qx.2019.00451", "10.5555/qx.2022.00009"
ROW = forms.ROW | {"Title": TITLE, "PMCID": PMC, "RetractionDOI": NOTICE, "OriginalPaperPubMedID": PMID}
ROW |= {"OriginalPaperDOI": DOI, "RetractionDate": "7/19/2022 0:00"}
PUBMED, DOI_ORG = f"https://pubmed.ncbi.nlm.nih.gov/{PMID}/", f"https://doi.org/{DOI}"
IN_PMC = f"https://pmc.ncbi.nlm.nih.gov/articles/{PMC}/"
OTHER = "Vitamin K in preterm infants: outcomes of a registry"


def _linked(**said: object) -> Write:
    return page(f'<script type="application/ld+json">{json.dumps({"@type": "Article", **said})}</script>')


def _meta(name: str, value: str) -> Write:
    return page(f'<meta name="{name}" content="{value}">')


def by_identity() -> list[tuple[str, Write]]:
    """50 files without any word of retraction."""
    body = f"<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>{PMID}</PMID><Article><ArticleTitle>A record"
    body += f"</ArticleTitle><Abstract><AbstractText>{TEXT}</AbstractText></Abstract></Article></MedlineCitation>"
    front = f"<front><article-meta><article-id pub-id-type='doi'>{DOI}</article-id><title-group><article-title>A record"
    front += f"</article-title></title-group></article-meta></front><body><p>{TEXT}</p></body>"
    endnote = f"<xml><records><record><titles><title>A record</title></titles><abstract>{TEXT}</abstract>"
    csv = TEXT.replace(",", " ")
    return [
        *((f"text, {line}", text("a.txt", f"Our note on asthma\n{line}\n\n{TEXT}")) for line in (
            DOI_ORG, PUBMED, f"PubMed: {PMID}", f"PubMed ID {PMID}", f"DOI {DOI}", IN_PMC, f"PMC ID: {PMC}", f"pmid:{PMID}")),
        ("text, its title in capitals", text("a.txt", f"{TITLE.upper()}\n\n{TEXT}")),
        ("Markdown, a line in italics", text("a.md", f"# A note\n\n*DOI: {DOI}*\n\n{TEXT}")),
        ("Markdown, a link", text("a.md", f"# A note\n\n<{DOI_ORG}>\n\n{TEXT}")),
        ("Markdown, front matter doi", text("a.md", f"---\ndoi: {DOI_ORG}\n---\n{TEXT}")),
        ("Markdown, front matter title", text("a.md", f"---\ntitle: '{TITLE}.'\n---\n{TEXT}")),
        *((f"page, {name}", _meta(name, value)) for name, value in (
            ("DC.Identifier", f"doi:{DOI}"), ("prism.doi", DOI), ("dc.title", TITLE), ("bepress_citation_doi", DOI))),
        ("page, og:url of PubMed", page(f'<meta property="og:url" content="{PUBMED}">')),
        ("page, canonical in PMC", page(f'<link rel="canonical" href="{IN_PMC}">')),
        ("page, JSON-LD list", _linked(identifier=[f"doi:{DOI}", "x:1"])),
        ("page, JSON-LD id", _linked(**{"@id": DOI_ORG})),
        ("page, JSON-LD headline", _linked(headline=TITLE)),
        ("page, its title", page(title=f"{TITLE} | A Journal")),
        ("Word, a line of PubMed", word(PUBMED)),
        ("Word, title property", word(title="", comments=f"doi: {DOI}")),
        ("Word, category", word(category=f"PMID {PMID}")),
        ("PDF, DOI at the top", pdf(f"DOI {DOI}", "A file about falls")),
        ("PDF, PubMed address", pdf("A file about falls", PUBMED)),
        ("PDF, keywords", pdf("A file about falls", keywords=f"doi:{DOI}")),
        *((f"RIS {line}", tagged("a.ris", line)) for line in (
            f"N1  - PMID: {PMID}", f"UR  - {PUBMED}", f"L2  - {IN_PMC}", f"AN  - {PMID}\nDB  - PubMed", f"DI  - {DOI}")),
        ("RIS, title with a stop", tagged("a.ris", title=f"{TITLE}.")),
        ("NBIB AID", tagged("a.nbib", "PMID- 1", f"AID - {DOI} [doi]")),
        ("NBIB PMC", tagged("a.nbib", "PMID- 1", f"PMC - {PMC}")),
        ("ENW %M", tagged("a.enw", f"%M {PMID}", "%~ PubMed")),
        ("ENW %U", tagged("a.enw", f"%U {DOI_ORG}")),
        ("BibTeX pmid", bib("pmid", PMID)),
        ("BibTeX eprint", bib("eprinttype={pubmed}, eprint", PMID)),
        ("BibTeX url", bib("url", DOI_ORG)),
        ("CSV, PMID", text("a.csv", f"title,abstract,PMID\nA record,{csv},{PMID}\n")),
        ("CSV, link", text("a.csv", f"title,abstract,url\nA record,{csv},{DOI_ORG}\n")),
        ("JSON pubmed_id", record(pubmed_id=int(PMID))),
        ("JSON url", record(url=PUBMED)),
        ("JSON title in italics", record(title=f"<i>{TITLE}</i>")),
        ("PubMed XML", text("a.xml", f"{body}</PubmedArticle></PubmedArticleSet>")),
        ("JATS", text("a.xml", f"<article>{front}</article>")),
        ("EndNote XML", text("a.xml", f"{endnote}<electronic-resource-num>{DOI}</electronic-resource-num></record></records></xml>")),
    ]  # fmt: skip


TITLES = (
    "Retracted: {}", "RETRACTION: {}", "Retraction of “{}”", "{} [RETRACTED]", "{}: RETRACTED", "(Withdrawn) {}",
    "Withdrawal notice: {}", "REMOVED: {}", "Retraction Note to: {}", "Notice of retraction - {}",
    "Statement of concern: {}", "Expression of concern regarding {}", "Partial retraction: {}",
    "Retracción: {}", "Retratação: {}", "Ritrattazione: {}", "Wycofano: {}", "Teruggetrokken: {}", "Geri çekildi: {}",
    "撤稿声明：{}", "論文撤回：{}", "철회: {}", "Ретракция: {}", "Ανάκληση: {}", "Tilbagetrukket: {}",
)  # fmt: skip
BANNERS = (
    "This paper has been retracted at the request of the editors.",
    "*** RETRACTED ***",
    "Retracted 4 May 2021",
    "Retraction in: J Falls. 2022;3:1",
    "Ritirato",
    "Retirado por los autores",
    "이 논문은 철회되었습니다.",
)
FIELDS: tuple[dict[str, object], ...] = (
    {"retracted": True}, {"article_status": "RETRACTED"}, {"crossmark": {"status": "retracted"}}, {"label": "Retraction"},
)  # fmt: skip


def held_out() -> list[Form]:
    """All 100."""
    said = [(head, record(title=head.format(OTHER))) for head in TITLES]
    said += [(f"page, {line}", page(banner=f"<p>{line}</p>", title=OTHER)) for line in BANNERS]
    said += [(f"field {json.dumps(one)}", record(title=OTHER, **one)) for one in FIELDS]
    heads = (
        "Response to: {}",
        "{}: authors' reply",
        "Commentary on {}",
        "Erratum to: {}",
        "Correspondence: “{}”",
        "On “{}”",
    )
    heads += ("A second look at: {}", "{} (comment)", "Commentaire sur : {}", "Kommentar zu: {}", "Retraction of {}")
    about = [(head, record(title=head.format(TITLE))) for head in heads]
    about += [("RIS, DOI of its notice", tagged("a.ris", f"DO  - {NOTICE}"))]
    about += [
        ("BibTeX, DOI of its notice", bib("doi", NOTICE)),
        ("page, DOI of its notice", _meta("citation_doi", NOTICE)),
    ]
    groups = {"identity": by_identity(), "words": said, "about it": about}
    return [Form(group, *one) for group, made in groups.items() for one in made]


if __name__ == "__main__":
    forms.forms, forms.ROW = held_out, ROW  # type: ignore[assignment]
    forms.main()
