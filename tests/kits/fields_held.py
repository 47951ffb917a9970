"""Which fields the records of a file hold, read as naively as can be: nothing of it is shared with the readers."""

from __future__ import annotations

import csv
import json
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree


class Held(NamedTuple):
    """A field of a record, which has this number."""

    record: int
    kind: str
    value: str
    tag: str = ""


TAGS = {  # what a line looks like, the tag that begins a record, what the tags mean
    "ris": (r"\s*([A-Z][A-Z0-9]) ? ?-(?: (.*)|$)", "TY", "TI T1:title AU A1:author PY Y1:year JF JO:journal DO:doi AB N2:abstract"),
    "nbib": (r"([A-Z]{2,4}) *- ?(.*)", "PMID", "TI:title AU CN:author DP:year JT:journal PMID:pmid PMC:pmc AB:abstract"),
    "wos": (r"([A-Z][A-Z0-9])(?: (.*)|$)", "PT", "TI:title AF CA:author PY:year SO:journal DI:doi PM:pmid AB:abstract"),
    "enw": (r"(%[0-9A-Z@]) (.*)", "%0", "%T:title %A:author %D:year %J:journal %R:doi %X:abstract"),
}
XML = {
    "medline": "{PubmedArticle} title:.//ArticleTitle author:.//Article/AuthorList/Author/LastName pmid:MedlineCitation/PMID "
    "author:.//Article/AuthorList/Author/CollectiveName year:.//JournalIssue/PubDate/Year journal:.//Journal/Title "
    "doi:PubmedData/ArticleIdList/ArticleId[@IdType='doi'] pmc:PubmedData/ArticleIdList/ArticleId[@IdType='pmc'] "
    "abstract:.//Article/Abstract/AbstractText",
    "jats": "{article} title:front/article-meta/title-group/article-title journal:front//journal-title "
    "author:front/article-meta/contrib-group/contrib[@contrib-type='author']/name/surname year:front/article-meta/pub-date/year "
    "pmid:front/article-meta/article-id[@pub-id-type='pmid'] doi:front/article-meta/article-id[@pub-id-type='doi'] "
    "abstract:front/article-meta/abstract//p",
    "endnote": "{record} title:titles/title author:contributors/authors/author year:dates/year doi:electronic-resource-num "
    "journal:periodical/full-title abstract:abstract",
}
NAMED = "title:title abstract:abstract doi:doi pmid:pmid container-title:journal journal:journal year:year author:author authors:author"
ENTRY = re.compile(r"^\s*@(?!comment|string|preamble)\w+\s*\{", re.IGNORECASE | re.MULTILINE)
FIELD = re.compile(r"[,\n]\s*(\w+)\s*=\s*(?=[{\"\w])")


def letters(text: str) -> str:
    """Letters and digits alone: exporters differ in all else."""
    plain = re.sub(r"</?[a-zA-Z][^<>\n]{0,60}>|&\w+;|\\[a-zA-Z]{3,}|[ı\\]", "", text)
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKD", plain).casefold().replace("\u0142", "l").replace("\u00f8", "o"))


def fields_held(text: str, form: str) -> Iterator[Held]:
    """The fields of the records of a text in one of these forms, in order."""
    found = {"bibtex": _entries, "csl": _objects, "csv": _rows}.get(form) or (_elements if form in XML else _tagged)
    yield from (one._replace(value=" ".join(one.value.split())) for one in found(text, form) if one.value.strip())


def _tagged(text: str, form: str) -> Iterator[Held]:
    line, begins, names = TAGS[form]
    kinds = {tag: kind for word in re.findall(r"[^:]+:\w+", names) for tags, _, kind in [word.partition(":")] for tag in tags.split()}
    number, held = 0, None
    for one in text.splitlines():
        if found := re.match(line, one):
            if held:
                yield held
            number += found[1] == begins
            held = Held(number, kinds.get(found[1], ""), found[2] or "", found[1])
        elif held and one.strip():
            if form == "wos" and held.kind == "author":
                yield held
                held = held._replace(value=one)
            held = held._replace(value=f"{held.value} {one.strip()}")
    if held:
        yield held


def _elements(text: str, form: str) -> Iterator[Held]:
    tag, *paths = XML[form].split()
    root = ElementTree.fromstring(re.sub(r"<!DOCTYPE.*?>|\sxmlns=\"[^\"]*\"", "", text))
    for number, record in enumerate([root] if root.tag == tag[1:-1] else root.iter(tag[1:-1]), start=1):
        for kind, _, path in (one.partition(":") for one in paths):
            yield from (Held(number, kind, "".join(part.itertext())) for part in record.iterfind(path))


def _objects(text: str, form: str) -> Iterator[Held]:
    content = json.loads(text)
    for number, record in enumerate(content if isinstance(content, list) else [content], start=1):
        for name, value in record.items():
            kind = dict(one.split(":") for one in NAMED.split()).get(name.casefold(), "")
            for one in value if isinstance(value, list) else [value]:
                said = one.get("family") or one.get("literal") or "" if isinstance(one, dict) else one
                yield Held(number, kind, str(said))
            if name == "issued" and isinstance(value, dict):
                yield Held(number, "year", str((value.get("date-parts") or [[""]])[0][0]))


def _rows(text: str, form: str) -> Iterator[Held]:
    for number, row in enumerate(csv.DictReader(text.splitlines(keepends=True)), start=1):
        for name, value in row.items():
            kind = dict(one.split(":") for one in NAMED.split()).get((name or "").strip().casefold(), "")
            for one in re.split("[;|]", value) if kind == "author" and value else [value or ""]:
                yield Held(number, kind, one)


def _entries(text: str, form: str) -> Iterator[Held]:
    kinds = dict(one.split(":") for one in NAMED.split()) | {"journaltitle": "journal"}
    starts = [found.start() for found in ENTRY.finditer(text)]
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(text)], strict=True), start=1):
        for found in FIELD.finditer(text, start, end):
            value = _braced(text, found.end(), end)
            kind = kinds.get(found[1].casefold(), "")
            for one in re.split(r"\s+and\s+", value) if kind == "author" else [value]:
                yield Held(number, kind, one)


def _braced(text: str, start: int, end: int) -> str:
    """A value up to the brace or the quote that closes it, or one without any up to its comma."""
    if text[start] not in '{"':
        return re.split(r"[,}\n]", text[start:end])[0]
    depth = 0
    for at in range(start, end):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if at > start and depth == 0 and text[at] == ('"' if text[start] == '"' else "}"):
            return text[start + 1 : at]
    return text[start:end]
