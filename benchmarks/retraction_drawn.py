"""100 files of retracted papers, drawn by script: kinds of telling, in the places of twenty formats, of eight papers.

    python benchmarks/retraction_drawn.py [--seed 1] [--data ../shared/data]

Every kind (an id, an address, the title, the title in a foreign notice, a type, a status, a banner, the notice's own
DOI) is written where a format keeps such a thing. Of all that can be made, 100 are drawn; `words` are of a paper that is
in no table. They are measured, and no rule of words is made from what they miss.
"""

# ruff: noqa: E501 (a line for each place)

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import retraction_forms as known_forms
from retraction_forms import TEXT, Form, Write, pdf, text, word

SUBJECTS = ("Pelvic floor training after prostatectomy", "Serum tarvicin in acute pancreatitis", "Night shifts and renal stones in nurses",
            "Oral nivacept for plaque psoriasis in adolescents", "Early mobilisation after hip fracture repair", "Folate and cleft palate in rural cohorts",
            "Low dose morvastat in heart failure with preserved function", "Telephone follow-up of discharged asthma patients")  # fmt: skip
TAILS = (
    "a randomised controlled trial",
    "a cohort study of ten years",
    "results of a national registry",
    "a systematic review",
)
LEADS = (
    "Tilbagetrukket: {}",
    "Wycofano: {}",
    "Ανάκληση: {}",
    "철회: {}",
    "Vedr. {}",
    "Odvolání článku – {}",
    "{} [inndragning]",
    "Kommentti: {}",
    "Carta sobre “{}”",
    "In reply to {}",
)
BODY = TEXT.replace(",", " ")


class Paper:
    """A paper and its notice, with made-up ids."""

    def __init__(self, number: int, *, listed: bool = True) -> None:
        self.title = (
            f"{SUBJECTS[number % 8]}: {TAILS[number % 4]}" if listed else "Maternal selenium and infant growth in Ghana"
        )
        self.pmid, self.pmc = (
            str((39998000 if listed else 39990000) + number),
            f"PMC{(8888000 if listed else 7777000) + number}",
        )
        self.doi = f"10.5555/{'jx' if listed else 'un'}.{2012 + number}.{number}01"
        self.notice = f"10.5555/jx.{2019 + number}.r{number}"

    def row(self) -> dict[str, str]:
        """Its row in Retraction Watch's table."""
        return known_forms.ROW | {
            "Title": self.title,
            "PMCID": self.pmc,
            "RetractionDOI": self.notice,
            "OriginalPaperPubMedID": self.pmid,
            "OriginalPaperDOI": self.doi.upper(),
        }


Fields = Mapping[str, str]
Place = Callable[[Fields], Write]


def jats(said: Fields) -> Write:
    """JATS, with what is said of ids, a type, a subject or a related article."""
    ids = "".join(
        f"<article-id pub-id-type='{kind}'>{said[name]}</article-id>"
        for name, kind in (("pmid", "pmid"), ("doi", "doi"), ("pmc", "pmcid"))
        if name in said
    )
    ids = ids or "<article-id pub-id-type='doi'>10.5555/own.1</article-id>"  # an article without any is refused
    kind = {"Retracted Publication": "retracted-article", "Retraction": "retraction"}.get(
        said.get("type", ""), "research-article"
    )
    subject = (
        f"<article-categories><subj-group><subject>{said['banner']}</subject></subj-group></article-categories>"
        if "banner" in said
        else ""
    )
    title = f"<title-group><article-title>{said.get('title', 'A record')}</article-title></title-group>"
    linked = (
        f"<related-article related-article-type='retraction-forward' ext-link-type='doi' xlink:href='{said['notice_of']}'/>"
        if "notice_of" in said
        else ""
    )
    return text(
        "a.xml",
        f"<article xmlns:xlink='http://www.w3.org/1999/xlink' article-type='{kind}'><front><article-meta>{ids}{subject}{title}{linked}</article-meta></front><body><p>{TEXT}</p></body></article>",
    )


def pubmed(said: Fields) -> Write:
    """PubMed XML."""
    kinds = (
        f"<PublicationTypeList><PublicationType>{said['type']}</PublicationType></PublicationTypeList>"
        if "type" in said
        else ""
    )
    ids = "".join(f"<ArticleId IdType='{kind}'>{said[kind]}</ArticleId>" for kind in ("doi", "pmc") if kind in said)
    return text(
        "a.xml",
        f"<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>{said.get('pmid', '12')}</PMID><Article><ArticleTitle>{said.get('title', 'A record')}</ArticleTitle><Abstract><AbstractText>{TEXT}</AbstractText></Abstract>{kinds}</Article></MedlineCitation><PubmedData><ArticleIdList>{ids}</ArticleIdList></PubmedData></PubmedArticle></PubmedArticleSet>",
    )


def lines(name: str, head: str, tags: Mapping[str, str], end: str = "") -> Place:
    """A tagged form: the line of each field."""

    def write(said: Fields) -> Write:
        told = {"title": "A record", **said}
        return text(
            name,
            "\n".join(
                [
                    head,
                    *(tags[key].format(value) for key, value in told.items()),
                    tags["abstract"].format(TEXT),
                    end,
                    "",
                ]
            ),
        )

    return write


def table(separator: str, names: Mapping[str, str], name: str) -> Place:
    """A table with these columns."""

    def write(said: Fields) -> Write:
        told = {"title": "A record", "abstract": BODY, **said}
        return text(
            name,
            f"{separator.join(names[key] for key in told)}\n{separator.join(json.dumps(value, ensure_ascii=False) for value in told.values())}\n",
        )

    return write


def record(
    names: Mapping[str, Callable[[str], dict[str, object]]],
    name: str = "a.jsonl",
    wrap: Callable[[object], object] = lambda one: one,
) -> Place:
    """A JSON record in the words of a service."""

    def write(said: Fields) -> Write:
        made: dict[str, object] = {}
        for key, value in {"title": "A record", "abstract": TEXT, **said}.items():
            for field, part in names[key](value).items():
                old = made.get(field)
                made[field] = old | part if isinstance(old, dict) and isinstance(part, dict) else part
        return text(name, json.dumps(wrap(made), ensure_ascii=False))

    return write


def linked(said: Fields) -> Write:
    """A page with JSON-LD."""
    made: dict[str, object] = {"@context": "https://schema.org", "@type": "ScholarlyArticle"}
    made |= {
        name: said[key]
        for key, name in (("title", "headline"), ("address", "url"), ("type", "additionalType"))
        if key in said
    }
    if ids := [
        {"@type": "PropertyValue", "propertyID": kind.upper(), "value": said[kind]}
        for kind in ("pmid", "doi", "pmc")
        if kind in said
    ]:
        made["identifier"] = ids
    return known_forms.page(
        f"<script type='application/ld+json'>{json.dumps(made)}</script>",
        banner=f"<div><b>{said['banner']}</b></div>" if "banner" in said else "",
    )


def tagged_page(said: Fields) -> Write:
    """A page with the tags of publishers."""
    names = {
        "title": "citation_title",
        "pmid": "citation_pmid",
        "doi": "article:doi",
        "pmc": "ncbi_pcid",
        "type": "citation_article_type",
    }
    head = "".join(f'<meta name="{name}" content="{said[key]}">' for key, name in names.items() if key in said)
    head += f'<link rel="canonical" href="{said["address"]}">' if "address" in said else ""
    return known_forms.page(head, banner=f"<p class='alert'>{said['banner']}</p>" if "banner" in said else "")


def front(said: Fields) -> Write:
    """Markdown with front matter."""
    names = {
        "pmid": "pmid",
        "doi": "doi",
        "pmc": "pmcid",
        "title": "title",
        "address": "url",
        "status": "status",
        "type": "type",
    }
    banner = f"**{said['banner']}**\n\n" if "banner" in said else ""
    return text(
        "a.md",
        "---\n"
        + "".join(
            f"{names[key]}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in said.items() if key in names
        )
        + f"reviewed: 2024\n---\n{banner}{TEXT}",
    )


def plain(said: Fields) -> Write:
    """A text."""
    labels = {"pmid": "PMID: {}", "doi": "DOI: {}", "pmc": "PMCID: {}", "address": "{}", "banner": "{}"}
    return text(
        "a.txt",
        "\n\n".join(
            [
                said.get("title", "Our note on asthma"),
                *(labels[key].format(value) for key, value in said.items() if key in labels),
                TEXT,
            ]
        ),
    )


def word_file(said: Fields) -> Write:
    """A Word file: ids among its properties, the title in its text."""
    names = {
        "pmid": ("comments", "PMID: {}"),
        "doi": ("identifier", "{}"),
        "pmc": ("keywords", "{}"),
        "address": ("subject", "{}"),
        "status": ("content_status", "{}"),
        "type": ("category", "{}"),
    }
    kept = {names[key][0]: names[key][1].format(value) for key, value in said.items() if key in names}
    return word(said.get("banner", ""), title=said.get("title", "A file"), **kept)


def pdf_file(said: Fields) -> Write:
    """A PDF: ids among what the file says of itself."""
    names = {
        "pmid": ("subject", "PMID: {}"),
        "doi": ("subject", "doi:{}"),
        "pmc": ("keywords", "{}"),
        "address": ("keywords", "{}"),
        "title": ("title", "{}"),
    }
    kept = {names[key][0]: names[key][1].format(value) for key, value in said.items() if key in names}
    return pdf(*filter(None, (said.get("banner"), said.get("title", "A file about asthma in many children"))), **kept)


def _named(**names: str) -> dict[str, Callable[[str], dict[str, object]]]:
    """Where a service keeps a field: dots for objects, `[]` for a list of one."""

    def put(path: str) -> Callable[[str], dict[str, object]]:
        def at(value: str) -> dict[str, object]:
            made: object = [value] if path.endswith("[]") else value
            for part in reversed(path.removesuffix("[]").split(".")):
                made = {part: made}
            assert isinstance(made, dict)
            return made

        return at

    return {key: put(path) for key, path in names.items()}


IDS, TITLE, KIND = ("pmid", "doi", "pmc"), ("title",), ("type",)
PLACES: Mapping[str, tuple[Place, tuple[str, ...]]] = {
    "JATS": (jats, (*IDS, *TITLE, *KIND, "banner", "notice_of")),
    "PubMed XML": (pubmed, (*IDS, *TITLE, *KIND)),
    "NBIB": (lines("a.nbib", "STAT- MEDLINE", {"pmid": "PMID- {}", "doi": "AID - {} [doi]", "pmc": "PMC - {}", "title": "TI  - {}", "abstract": "AB  - {}", "type": "PT  - {}", "notice_in": "RIN - J X. {}"}), (*IDS, *TITLE, *KIND, "notice_in")),
    "RIS": (lines("a.ris", "TY  - JOUR", {"pmid": "AN  - {}", "doi": "DO  - {}", "pmc": "C2  - {}", "address": "UR  - {}", "title": "TI  - {}", "abstract": "AB  - {}", "type": "M3  - {}", "status": "KW  - {} publication"}, "ER  - "), (*IDS, *TITLE, *KIND, "address", "status")),
    "ENW": (lines("a.enw", "%0 Journal Article", {"pmid": "%M {}", "doi": "%R {}", "pmc": "%2 {}", "address": "%U {}", "title": "%T {}", "abstract": "%X {}", "type": "%9 {}"}), (*IDS, *TITLE, *KIND, "address")),
    "BibTeX": (lines("a.bib", "@article{a1,", {"pmid": " pmid = {{{}}},", "doi": " doi = {{{}}},", "pmc": " pmcid = {{{}}},", "address": " url = {{{}}},", "title": " title = {{{}}},", "abstract": " abstract = {{{}}}", "status": " pubstate = {{{}}},"}, "}"), (*IDS, *TITLE, "address", "status")),
    "WoS": (lines("a.txt", "FN Clarivate\nVR 1.0\nPT J", {"pmid": "PM {}", "doi": "DI {}", "title": "TI {}", "abstract": "AB {}", "type": "DT {}"}, "SO J X\nPY 2014\nER\nEF"), ("pmid", "doi", *TITLE, *KIND)),
    "JSON-LD": (linked, (*IDS, *TITLE, "address", "banner")),
    "page": (tagged_page, (*IDS, *TITLE, *KIND, "address", "banner")),
    "front matter": (front, (*IDS, *TITLE, *KIND, "address", "status", "banner")),
    "text": (plain, (*IDS, *TITLE, "address", "banner")),
    "Word": (word_file, (*IDS, *TITLE, *KIND, "address", "status", "banner")),
    "PDF": (pdf_file, (*IDS, *TITLE, "address", "banner")),
    "PubMed CSV": (table(",", {"pmid": "PMID", "doi": "DOI", "pmc": "PMCID", "title": "Title", "abstract": "Abstract", "type": "Publication Type"}, "a.csv"), (*IDS, *TITLE, *KIND)),
    "Zotero CSV": (table(",", {"doi": "DOI", "pmid": "Extra", "title": "Title", "abstract": "Abstract Note", "address": "Url", "status": "Manual Tags"}, "a.csv"), ("doi", *TITLE, "address")),
    "screening TSV": (table("\t", {"pmid": "pubmed_id", "doi": "doi", "title": "title", "abstract": "abstract", "status": "publication_status"}, "a.tsv"), ("pmid", "doi", *TITLE, "status")),
    "Crossref": (record(_named(title="title[]", abstract="abstract", doi="DOI", address="URL", type="subtype", notice_in="updated-by"), "a.json", lambda made: {"status": "ok", "message": {"type": "journal-article", "container-title": ["J X"], "issued": {"date-parts": [[2014]]}, **made}}), ("doi", *TITLE, "address")),  # type: ignore[dict-item]
    "CSL": (record(_named(title="title", abstract="abstract", doi="DOI", pmid="PMID", pmc="PMCID", address="URL", status="status", type="genre"), "a.json", lambda made: [{"id": "x", "type": "article-journal", "issued": {"date-parts": [[2014]]}, **made}]), (*IDS, *TITLE, "address", "status", *KIND)),  # type: ignore[dict-item]
    "OpenAlex": (record(_named(title="display_name", abstract="abstract", doi="ids.doi", pmid="ids.pmid", pmc="ids.pmcid", status="is_retracted")), (*IDS, "status")),
    "Semantic Scholar": (record(_named(title="title", abstract="abstract", doi="externalIds.DOI", pmid="externalIds.PubMed", pmc="externalIds.PubMedCentral", type="publicationTypes[]")), (*IDS, *TITLE, *KIND)),
    "Europe PMC": (record(_named(title="title", abstract="abstractText", doi="doi", pmid="pmid", pmc="pmcid", type="pubTypeList.pubType[]")), (*IDS, *TITLE, *KIND)),
    "own lines": (record(_named(title="title", abstract="abstract", doi="paper.doi", pmid="article_pmid", pmc="pmc_id", address="link", status="crossmark.status", notice_in="retraction_doi")), ("pmid", "pmc", *TITLE, "address", "status", "notice_in")),
}  # fmt: skip


def possible(papers: list[Paper], draw: random.Random) -> Iterator[Form]:
    """All that can be made."""
    for place, (write, fields) in PLACES.items():
        for field in fields:
            paper, other = draw.choice(papers), Paper(draw.randrange(50), listed=False)
            own = {"pmid": paper.pmid, "doi": paper.doi, "pmc": paper.pmc, "title": paper.title}
            if field in own:
                yield Form("identity", f"{place}, its {field}", write({field: own[field]}))
            if field == "title":
                lead = draw.choice(LEADS)
                yield Form("about it", f"{place}, {lead}", write({"title": lead.format(paper.title)}))
                yield Form("identity", f"{place}, its title in capitals", write({"title": f"{paper.title.upper()}."}))
                yield Form(
                    "words",
                    f"{place}, RETRACTED: a title",
                    write(
                        {
                            "title": draw.choice(
                                ("RETRACTED: {}", "{} [Retracted]", "Retraction notice to: {}")
                            ).format(other.title)
                        }
                    ),
                )
            if field == "doi":
                yield Form("about it", f"{place}, DOI of its notice", write({"doi": paper.notice}))
                yield Form(
                    "identity", f"{place}, its DOI as an address", write({"doi": f"https://doi.org/{paper.doi}"})
                )
            if field == "address":
                shown = draw.choice(
                    (
                        f"https://pubmed.ncbi.nlm.nih.gov/{paper.pmid}/",
                        f"https://doi.org/{paper.doi}",
                        f"https://pmc.ncbi.nlm.nih.gov/articles/{paper.pmc}/",
                    )
                )
                yield Form("identity", f"{place}, {shown}", write({"address": shown}))
            said = {
                "type": "Retracted Publication",
                "status": "true" if place == "OpenAlex" else "Retracted",
                "notice_in": "10.5555/un.2020.9",
                "notice_of": "10.5555/un.2020.9",
            }
            said["banner"] = draw.choice(
                ("RETRACTED ARTICLE", "This article has been retracted.", "Retracted 12 June 2020", "*** RETRACTED ***")
            )
            if field in said:
                yield Form("words", f"{place}, {field}", write({"title": other.title, field: said[field]}))


def forms(seed: int = 6) -> list[Form]:
    """A hundred of them."""
    draw = random.Random(seed)
    return draw.sample([*possible([Paper(number) for number in range(8)], draw)], 100)


def table_of_papers() -> str:
    """Retraction Watch's table with the eight papers in it."""
    rows = (",".join(f'"{value}"' for value in Paper(number).row().values()) for number in range(8))
    return "\n".join([",".join(known_forms.ROW), *rows, ""])


def main() -> None:
    """Print a row for each group, and what is not known."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        from medground.corpus.retraction_table import update

        os.environ["MEDGROUND_HOME"] = name
        update(Path(name), table_of_papers(), "the table")
        found = []
        for number, form in enumerate(forms(given.seed)):
            (folder := Path(name) / str(number)).mkdir()
            found.append((form, known_forms.what_is_known(form, folder)))
        known_forms.show(found, given.data)


if __name__ == "__main__":
    sys.exit(main())
