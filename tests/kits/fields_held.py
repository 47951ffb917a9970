"""Which fields the records of a file hold, read as naively as can be, and what became of each. No reader is used."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from unicodedata import normalize
from xml.etree import ElementTree

from medground.errors import BadDocument
from medground.values.document import Document

Held = tuple[int, str, str]
"""A field of a record: the number of the record or the line on which it begins, what the field is, its value."""

# What a line with a tag looks like, the tag that begins a record, what its tags mean; `record` and the paths of XML.
_FORMS = {
    "ris": (
        r"\s*([A-Z][A-Z0-9])  ?-(?: (.*)|$)",
        "TY",
        "TI T1=title AU A1=author PY=year JF JO=journal DO=doi AB N2=text",
    ),
    "nbib": (r"([A-Z]{2,4}) *- ?(.*)", "PMID", "TI=title AU CN=author DP=year JT=journal PMID=pmid PMC=pmc AB=text"),
    "wos": (r"([A-Z][A-Z0-9])(?: (.*)|$)", "PT", "TI=title AF CA=author PY=year SO=journal DI=doi PM=pmid AB=text"),
    "enw": (r"(%[0-9A-Z@])(?: (.*)|$)", "%0", "%T=title %A=author %D=year %J=journal %R=doi %X=text"),
    "medline": "PubmedArticle title=*/Article/ArticleTitle author=*/Article/AuthorList/Author[@ValidYN='Y']/LastName "
    "author=*/Article/AuthorList/Author/CollectiveName year=.//JournalIssue/PubDate/Year journal=.//Journal/Title "
    "pmid=MedlineCitation/PMID[1] doi=PubmedData/*/ArticleId[@IdType='doi'] text=*/Article/Abstract/AbstractText",
    "jats": "article title=front/article-meta/title-group/article-title text=front/article-meta/abstract//p "
    "author=front//contrib[@contrib-type='author']/name/surname journal=front//journal-title "
    "pmid=front/article-meta/article-id[@pub-id-type='pmid'] doi=front/article-meta/article-id[@pub-id-type='doi']",
}
_NAMES = dict.fromkeys(("author", "authors"), "author") | {"abstract": "text", "container-title": "journal"}
_NAMES |= {name: name for name in ("title", "year", "journal", "doi", "pmid")}
_ENTRY = re.compile(r"^[ \t]*@(?!comment|string|preamble)\w+\s*\{", re.IGNORECASE | re.MULTILINE)
_FIELD = re.compile(r"[,\n{]\s*(\w+)\s*=\s*(?=[{\"\d])")


def fields_held(text: str, form: str) -> Iterator[Held]:
    """The fields of each record of a text in one of these forms."""
    own = {"bibtex": _entries, "csl": _objects, "csv": _rows}
    given = _FORMS.get(form, "")
    found = (
        own[form](text) if form in own else _elements(text, given) if isinstance(given, str) else _tagged(text, *given)
    )
    for record, kind, value in found:
        for one in re.split(r"[;|]|\s+and\s+", value) if kind == "author" and form in own else [value]:
            if kind and (said := " ".join(one.split())) and said not in ("others", "[Not Available]."):
                yield record, kind, said


def _tagged(text: str, line: str, begins: str, names: str) -> Iterator[Held]:
    kinds = {tag: kind for tags, kind in re.findall(r"([^=]+)=(\w+) ?", names) for tag in tags.split()}
    record, held = 0, list[Held]()
    for number, one in enumerate(text.splitlines(), start=1):
        if found := re.match(line, one):
            record = number if found[1] == begins else record
            held.append((record, kinds.get(found[1], ""), found[2] or ""))
        elif held and held[-1][1] == "author":
            held.append((record, "author", one))
        elif held:
            held[-1] = (*held[-1][:2], f"{held[-1][2]} {one}")
    return iter(held)


def _elements(text: str, paths: str) -> Iterator[Held]:
    tag, *fields = paths.split()
    root = ElementTree.fromstring(re.sub(r"<!DOCTYPE.*?>|\sxmlns=\"[^\"]*\"", "", text, flags=re.DOTALL))
    for number, record in enumerate([root] if root.tag == tag else root.iter(tag), start=1):
        for kind, _, path in (field.partition("=") for field in fields):
            yield from ((number, kind, "".join(part.itertext())) for part in record.iterfind(path))


def _objects(text: str) -> Iterator[Held]:
    content = json.loads(text)
    for number, record in enumerate(content if isinstance(content, list) else [content], start=1):
        for name, value in record.items():
            for one in value if isinstance(value, list) else [value]:
                said = one.get("family") or one.get("literal") if isinstance(one, dict) else one
                yield number, _NAMES.get(name.casefold(), ""), str(said or "")


def _rows(text: str) -> Iterator[Held]:
    rows = csv.reader(text.splitlines(keepends=True), csv.Sniffer().sniff(text[:9999], ",;\t"))
    kinds, line = [_NAMES.get(name.strip("\ufeff ").casefold(), "") for name in next(rows)], rows.line_num + 1
    for row in rows:
        yield from ((line, kind, value) for kind, value in zip(kinds, row, strict=False))
        line = rows.line_num + 1


def _entries(text: str) -> Iterator[Held]:
    starts = [found.start() for found in _ENTRY.finditer(text)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=False):
        for found in _FIELD.finditer(text, start, end):
            kind = _NAMES.get(found[1].casefold(), "")
            yield text.count("\n", 0, start) + 1, kind, _closed(text[found.end() : end]) if kind else ""


def _closed(text: str) -> str:
    """A value in braces or quotes, or a number."""
    depth = 0
    for at, letter in enumerate(text):
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if depth == 0 and at and letter == {"{": "}", '"': '"'}.get(text[0]):
            return text[1:at]
    return re.split(r"[,}\n]", text)[0]


def letters(text: str) -> str:
    """Letters and digits without accents: exporters and readers differ in all else."""
    plain = re.sub(r"</?[a-zA-Z][^<>\n]{0,60}>|&#?\w+;|\\href\{[^{}]*\}|\\[a-zA-Z]+|\u0131", "", text)
    return re.sub(r"[\W_]", "", normalize("NFKD", plain).casefold())


def became(held: Iterable[Held], items: Sequence[Any]) -> Iterator[tuple[str, Held]]:
    """What became of each field: `read`, `told` with a record that is not read, `moved` to another field, or `lost`."""
    told = {item.position for item in items if isinstance(item, BadDocument)}
    pools: dict[str, str] = {}
    for document in (item for item in items if isinstance(item, Document)):
        text = document.text
        for part in reversed(document.sections):
            text = f"{text[: part.start]} {part.label} {text[part.start :]}"
        said = {**document.identifiers, "title": document.title or text, "text": f"{text} {document.text}"}
        said |= {"year": str(document.year), "journal": document.journal or "", "author": " ".join(document.authors)}
        for kind, value in {**said, "": repr(document.model_dump())}.items():
            pools[kind] = f"{pools.get(kind, '')}\n{letters(value)}"
    for record, kind, value in held:
        own = _alike(kind, value)
        in_latex = set("\\$&") & set(own)
        words = re.findall(r"(?<!\\)\b[a-zA-Z]{4,}", re.sub(r"\\href\{[^{}]*\}", "", own)) if in_latex else [own]
        if all(letters(word) in pools.get(kind, "") for word in words):
            yield "read", (record, kind, value)
        elif {record, None} & told:
            yield "told", (record, kind, value)
        else:
            yield "moved" if letters(own) in pools.get("", "") else "lost", (record, kind, value)


def _alike(kind: str, value: str) -> str:
    """The part of a value that every exporter writes alike: a year, a family name, a DOI without its address."""
    if kind == "author":
        value = re.sub(r",[^{}]*\}", "}", value)  # {Bell, II}
        return value.split(",")[0] if "," in value else max(re.split(r"[\s.]", value), key=len)
    found = re.search({"year": r"\d{4}", "doi": r"10\..*", "pmc": r"\d+", "pmid": r"\d+"}.get(kind, "(?s).*"), value)
    return found[0] if found else ""
