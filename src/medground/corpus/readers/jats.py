"""Full text in JATS, NLM's XML for articles: one article per file, or an article set of PMC."""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from textwrap import shorten

from lxml import etree

from medground.corpus.banners import is_stamp, said_by
from medground.corpus.readers.base import Item, Retracts
from medground.corpus.readers.compose import Composition, make_document
from medground.corpus.readers.table_rows import Cell, lines_of
from medground.corpus.readers.values import flattened, imprint_of, initials_of, iso_date, pubmed_ids
from medground.corpus.readers.xml import Element, flat_text, name_of, parts, record_items, told
from medground.values.identifiers import normal_identifiers, normal_pmc


def authors_of(meta: Element) -> tuple[str, ...]:
    """`Family Initials Jr`, as in MEDLINE, or the name of a group."""
    authors = (one for one in meta.iterfind("contrib-group/contrib") if one.get("contrib-type", "author") == "author")
    return tuple(filter(None, map(_author, authors)))


def _author(author: Element) -> str:
    """The name of one author; of several forms the one in Latin letters, which indexes have too."""
    forms = [*author.iterfind("name"), *author.iterfind("name-alternatives/*"), *author.iterfind("string-name")]
    if not forms:
        groups = [*author.iterfind("collab"), *author.iterfind("collab-alternatives/collab")]
        return next((flat_text(group, leave_out=("contrib-group",)) for group in groups), "")
    name = next((form for form in forms if _LATIN.match(flat_text(form))), forms[0])
    family, given, suffix = (flat_text(name, part) for part in ("surname", "given-names", "suffix"))
    if not family:
        return given or flat_text(name)
    return " ".join(filter(None, (family, initials_of(given) or given, suffix)))


def license_of(meta: Element) -> str | None:
    """The URL of the licence, or else its first words."""
    for found in meta.iterfind(".//license"):
        links = [found.get(_HREF), flat_text(found, "license_ref")]
        links += [link.get(_HREF) for link in found.iterfind(".//ext-link") if "licen" in (link.get(_HREF) or "")]
        return next(filter(None, links), None) or shorten(flat_text(found), 200) or None
    return None


# Blocks that may occur inside a paragraph, and are read after it.
_BLOCKS = frozenset(
    ["list", "def-list", "fig", "fig-group", "table-wrap", "table-wrap-group", "boxed-text", "disp-quote", "fn"]
)
_LEFT_OUT = {"ref-list", "title", "label", "sec-meta", "kwd-group", "book-part", "supplementary-material"}
_LEFT_OUT |= {"object-id", "graphic", "media", "permissions"}
_GROUPS = ("app-group", "fn-group", "author-notes")
_LATIN = re.compile(r"\W*[A-Za-z\u00c0-\u024f]")
_NO_ABSTRACT = frozenset(["graphical", "toc", "teaser"])
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


def add_abstract(composition: Composition, abstract: Element) -> None:
    """Add an abstract. Sections keep their labels; other text gets the abstract's title, or `Abstract`."""
    kind = abstract.get("abstract-type") or ""
    if kind not in _NO_ABSTRACT:
        heading = flat_text(abstract, "title") or kind.replace("-", " ").capitalize() or "Abstract"
        if name_of(abstract) == "trans-abstract":
            heading = f"{heading} [{abstract.get(LANGUAGE) or 'translated'}]"
        _add_content(composition, abstract, heading)


def add_body(composition: Composition, article: Element) -> None:
    """Add the body, figures and tables that are placed outside it, and what stands after it, by its kind."""
    for name in ("body", "floats-group"):
        part = article.find(name)
        if part is not None:
            _add_content(composition, part, None)
    for part in (*article.iterfind("front/article-meta/author-notes"), *article.iterfind("back/*")):
        for one in part if name_of(part) in _GROUPS else (part,):
            kind = (one.get("fn-type") or one.get("notes-type") or one.get("sec-type") or name_of(one)).lower()
            heading = flat_text(one, "title") or _BACK.get(kind) or _BACK.get(name_of(one), "Notes")
            if name_of(one) == "sec":
                _add_block(composition, one, None)
            elif name_of(one) not in (*_LEFT_OUT, "bio") and (kind in _BACK or name_of(part) != "author-notes"):
                _add_content(composition, one, heading)


def _add_content(composition: Composition, parent: Element, label: str | None) -> None:
    for element in parent:
        _add_block(composition, element, label)


def _below(label: str | None, heading: str) -> str | None:
    return " > ".join(dict.fromkeys(filter(None, (label, heading)))) or None


def _add_block(composition: Composition, element: Element, label: str | None) -> None:
    name = name_of(element)
    if name == "sec":
        heading = flat_text(element, "title")
        _add_content(composition, element, _below(label, heading))
    elif name == "p":
        composition.add(flat_text(element, leave_out=_BLOCKS), label)
        for block in element:
            if name_of(block) in _BLOCKS:
                _add_block(composition, block, label)
    elif name in ("list-item", "def-item"):  # one paragraph, `- text`; a definition is `term: text`
        term = flat_text(element, "term")
        parts = [flat_text(part, leave_out=_BLOCKS) for part in element if name_of(part) in ("p", "def")]
        text = " ".join(filter(None, parts))
        composition.add(f"{term}: {text}" if term else f"- {text}" if text else "", label)
        for nested in (*element.iterfind("p/list"), *element.iterfind("list")):
            _add_content(composition, nested, label)
    elif name in ("fig", "table-wrap"):
        number = flat_text(element, "label")
        caption = [flat_text(part, leave_out=_BLOCKS) for part in element.iterfind("caption/*")]
        legend = " ".join(filter(None, (number and f"{number.rstrip('.')}.", *caption)))
        if name == "table-wrap":
            label = _below(label, shorten(legend, _LONGEST_LEGEND, placeholder=" …") or "Table")
        composition.add(legend, label)
        if name == "table-wrap":
            for line in table_lines(element):
                composition.add(line, label)
    elif name in ("boxed-text", "statement", "def-list"):
        heading = flat_text(element, "caption/title") or flat_text(element, "title")
        _add_content(composition, element, _below(label, heading))
    elif name == "disp-formula":
        composition.add(flat_text(element, leave_out=("label",)), label)
    elif name and name not in _LEFT_OUT:
        label = _below(label, "Footnote") if name == "fn" and label not in _BACK.values() else label
        if not len(element):  # such as the lines of a form or of a poem
            composition.add(flat_text(element), label)
        _add_content(composition, element, label)


_LONGEST_LEGEND = 150
_BACK = {
    **dict.fromkeys(("conflict", "coi-statement", "conflict-of-interest"), "Conflicts of interest"),
    **dict.fromkeys(("financial-disclosure", "supported-by", "funding-information"), "Funding"),
    "con": "Author contributions",
    "ack": "Acknowledgements",
    "glossary": "Abbreviations",
    "app": "Appendix",
    "data-availability": "Data availability",
    "ethics-statement": "Ethics statement",
}
"""What stands after the body, by the names that JATS gives its kinds."""

JATS_ROOTS = frozenset(["article", "pmc-articleset", "articles", "article-set"])

_IN_CONTRIB = ("name", "name-alternatives", "string-name", "collab", "collab-alternatives", "xref", "anonymous")
_READ = frozenset(
    [
        *("journal-title", "journal-title-group/journal-title", "title-group/article-title", "abstract"),
        *("trans-abstract", "article-id", "pub-date", "history/date", "volume", "issue", "fpage", "lpage"),
        *("elocation-id", "kwd-group/kwd", "permissions/license", "funding-group/funding-statement"),
        *(f"contrib-group/contrib/{name}" for name in _IN_CONTRIB),
    ]
)
"""The front matter that is in fields or in the text; all else is metadata by its name."""
_IDS = ("pmc", "pmcid", "pmcaid", "pmid", "doi")
_HISTORY = ("received", "accepted")
_LATER = ("pmc-release", "nihms-submitted", "retracted", "corrected", "retraction", "correction")
"""What happened to a paper after its publication."""
_HREF = "{http://www.w3.org/1999/xlink}href"


def read_jats(path: Path) -> Iterator[Item]:
    """The articles of a file; the position of a bad one is its number, counting from 1."""
    yield from record_items(path, ["article"], JATS_ROOTS, _items, "article")


def _items(article: Element) -> Iterator[Item]:
    meta = article.find("front/article-meta")
    if meta is None:
        raise ValueError("the article has no front matter")
    found = normal_identifiers({part.get("pub-id-type", ""): flat_text(part) for part in meta.iterfind("article-id")})
    pmc = normal_pmc(found.get("pmc") or found.get("pmcid") or found.get("pmcaid") or "")
    ids = {"pmc": pmc, "pmid": found.get("pmid"), "doi": found.get("doi")}
    identifiers = {kind: value for kind, value in ids.items() if value}
    if not identifiers:
        raise ValueError("the article has no PMC id, PMID or DOI")
    url = f"https://doi.org/{ids['doi']}" if ids["doi"] else None
    title = flat_text(meta, "title-group/article-title", leave_out=("xref", "fn"))
    composition = Composition()
    for abstract in (*meta.iterfind("abstract"), *meta.iterfind("trans-abstract")):
        add_abstract(composition, abstract)
    add_body(composition, article)
    for funding in meta.iterfind("funding-group/funding-statement"):
        if (said := flat_text(funding)) not in composition.text:
            composition.add(said, "Funding")
    dates = _dates(meta)
    metadata = defaultdict[str, list[str]](list)
    for outer in (*article.iterfind("front/journal-meta"), meta):
        for path, part in parts(outer, _READ):
            if path not in _READ and (text := told(part)) and text not in composition.text:
                metadata[name_of(part)].append(text)
    metadata |= {name.replace("-", "_"): [value] for name, value in found.items() if name not in _IDS}
    for part in meta.iterfind("contrib-group/contrib"):
        if part.get("contrib-type", "author") != "author":
            metadata[part.get("contrib-type", "")].append(_author(part))
        metadata["group_members"] += map(_author, part.iterfind("collab//contrib"))
    cited = (flat_text(part) for part in article.iterfind("back//ref//pub-id[@pub-id-type='pmid']"))
    kind = article.get("article-type")
    links = _related(meta, "retracted-article") if kind == "retraction" else ()
    pmids = [link.get(_HREF) or "" for link in links if link.get("ext-link-type") == "pubmed"]
    retracts = pubmed_ids(pmids)
    yield make_document(
        {
            "id": ":".join(next((kind.upper(), value) for kind, value in identifiers.items())),
            "title": title,
            "text": composition.text or title,
            "sections": composition.sections,
            "year": int(dates["published"][:4]) if "published" in dates else None,
            "dates": dates,
            "journal": flat_text(article, "front/journal-meta//journal-title") or None,
            "authors": authors_of(meta),
            "imprint": _imprint(meta),
            "language": article.get(LANGUAGE),
            "keywords": tuple(filter(None, (flat_text(word) for word in meta.iterfind("kwd-group/kwd")))),
            "publication_types": (kind,) if kind else (),
            "identifiers": identifiers,
            "references": pubmed_ids(cited),
            "url": f"https://pmc.ncbi.nlm.nih.gov/articles/{ids['pmc']}/" if ids["pmc"] else url,
            "license": license_of(meta),
            "retraction": _retraction(kind, title, meta),
            "metadata": flattened(metadata),
        }
    )
    if retracts:
        yield Retracts(retracts)


def _dates(meta: Element) -> dict[str, str]:
    """The first date of publication, in print or online, as precise as any of its year; and those of the history."""
    found: dict[str, list[str]] = {"published": [], "later": []}
    for date in (*meta.iterfind("pub-date"), *meta.iterfind("history/date")):
        kind = date.get("date-type") or date.get("pub-type") or ""
        name = kind if kind in _HISTORY else "later" if kind in _LATER or date.getparent() is not meta else "published"
        parts = [flat_text(date, part) for part in ("year", "month", "day")]
        said = date.get("iso-8601-date") or ("-" if parts[1].isdecimal() else " ").join(filter(None, parts))
        if iso := iso_date(said) or iso_date(flat_text(date)):
            found.setdefault(name, []).append(iso)
    later = found.pop("later")
    found["published"] = found["published"] or later
    first = min(found["published"], default="")[:4]
    found["published"] = sorted((d for d in found["published"] if d[:4] == first), key=lambda d: (-len(d), d))
    return {name: dates[0] for name, dates in found.items() if dates}


def _imprint(meta: Element) -> dict[str, str]:
    ends = dict.fromkeys(filter(None, (flat_text(meta, name) for name in ("fpage", "lpage"))))
    pages = "-".join(ends) or flat_text(meta, "elocation-id")
    return imprint_of(flat_text(meta, "volume"), flat_text(meta, "issue"), pages)


def _related(meta: Element, kind: str) -> list[Element]:
    return [part for part in meta.iterfind("related-article") if part.get("related-article-type") == kind]


def _retraction(kind: str | None, title: str, meta: Element) -> str:
    subjects = (flat_text(part) for part in meta.iterfind("article-categories//subject"))
    if any(is_stamp(subject) for subject in subjects) or said_by(title) == "retracted":
        return "retracted"
    if _related(meta, "retraction-forward") or kind == "retracted-article":
        return "retracted"
    return "notice" if kind == "retraction" else "none"


# Its tables, in the markup of HTML or of OASIS: cells with what they span, and footnotes by their marks.

_MARK = re.compile(r"[a-z*†‡§¶‖#, ]{1,5}|\d")
_INDENTED = re.compile(r"[\u00a0\u2000-\u200a\u3000]|  ")
_LONGEST_NOTE = 200
_CELLS = ("td", "th", "entry")
_GONE = "mark"


def table_lines(wrap: Element) -> Iterator[str]:
    """The rows of the tables of a `table-wrap` as sentences, then its footnotes."""
    notes: dict[str, str] = {}
    for note in wrap.iterfind("table-wrap-foot//fn"):
        mark, text = flat_text(note, "label"), flat_text(note, leave_out=("label",))
        notes.update((key, text) for key in (note.get("id"), mark) if key)
    for note in wrap.iterfind("table-wrap-foot//p"):
        if not (note.text or "").strip() and len(note) and name_of(note[0]) == "sup":
            mark = flat_text(note[0])
            notes.setdefault(mark, flat_text(note).removeprefix(mark).strip())
    for table in wrap.iter("table", "tgroup"):
        _take_marks(table, notes)
        heads = len([*table.iterfind("thead/tr"), *table.iterfind("thead/row")])
        rows = [[_cell(cell) for cell in row if name_of(cell) in _CELLS] for row in table.iter("tr", "row")]
        yield from lines_of([row for row in rows if row], heads or None)
    foot = wrap.find("table-wrap-foot")
    for part in foot if foot is not None else ():
        if text := flat_text(part):
            yield text


def _take_marks(table: Element, notes: dict[str, str]) -> None:
    """Take the marks of footnotes out of the cells, which keep what the footnotes say: `20.1a` is no value."""
    for mark in [*table.iter("xref", "sup")]:
        said = flat_text(mark)
        refers = name_of(mark) == "xref" and mark.get("ref-type") in ("table-fn", "fn", "table")
        if (refers or (name_of(mark) == "sup" and said in notes)) and _MARK.fullmatch(said):
            cell = next((outer for outer in mark.iterancestors() if name_of(outer) in _CELLS), None)
            note = notes.get(mark.get("rid") or "") or notes.get(said)
            if cell is not None and note and len(note) <= _LONGEST_NOTE:
                cell.set("note", "\n".join(filter(None, (cell.get("note"), note))))
            mark.tag = _GONE
    etree.strip_elements(table, _GONE, with_tail=False)


def _cell(cell: Element) -> Cell:
    start, style = next(cell.itertext(), ""), cell.get("style") or ""
    return Cell(
        flat_text(cell),
        is_head=cell.tag == "th",
        is_indented=bool(_INDENTED.match(start.lstrip("\n"))) or "indent" in style or "padding-left" in style,
        rows=_span(cell.get("rowspan")) if not cell.get("morerows") else _span(cell.get("morerows")) + 1,
        columns=_span(cell.get("colspan")),
        notes=tuple(filter(None, (cell.get("note") or "").split("\n"))),
    )


def _span(value: str | None) -> int:
    return int(value) if value and value.isdecimal() and len(value) < 5 else 1
