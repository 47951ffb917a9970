"""One record as a search service prints it as text: Web of Science, the Cochrane Library, Ovid.

All write one tag per line; they differ in the marks around the tags and in what the tags mean.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from medground.corpus.readers.entry import described
from medground.corpus.readers.values import joined
from medground.document import Document
from medground.identifiers import named_pmid

_WOS_TAG = re.compile(r"([A-Z][A-Z0-9]) (.*)")
_COCHRANE_TAG = re.compile(r"([A-Z]{2,3}): ?(.*)")
_OVID_TAG = re.compile(r"([A-Z][A-Z0-9])  - ?(.*)")
_NUMBER = re.compile(r"\d{4,9}")
_ONE_EACH = frozenset(["AU", "AF", "KW", "MH", "PT"])
"""Tags of which each line is a value of its own."""
_TOLD = {"VL": "volume", "IS": "issue", "IP": "issue", "NO": "issue", "PG": "pages", "PU": "publisher", "SN": "issn"}
_TOLD |= {"UT": "unique_id", "ID": "unique_id", "CC": "group", "VI": "volume"}

Tags = Mapping[str, list[str]]


def wos_document(record: str) -> Document:
    """The document of a record of Web of Science (`PT J`, `AU Smith, JA`, ... `ER`).

    Raises:
        ValueError: the record has neither title nor abstract.
    """
    tags = _tags(record, _WOS_TAG, continued="   ")
    pages = "-".join(filter(None, (_one(tags, "BP"), _one(tags, "EP")))) or _one(tags, "AR")
    fields = {
        "authors": tags["AF"] or tags["AU"] or tags["CA"],
        "date": f"{_one(tags, 'PD')} {_one(tags, 'PY')}".strip(),
        "doi": _one(tags, "DI"),
        "pmid": _one(tags, "PM") or named_pmid(_one(tags, "UT")),
        "keywords": [word for tag in ("DE", "ID") for word in _one(tags, tag).split(";")],
        "publication_types": _one(tags, "DT").split(";"),
        "kind": "book" if _one(tags, "PT") == "B" else "research",
    }
    told = _told(tags, without="ID") | ({"pages": pages} if pages else {})
    return _document(tags, fields | {"metadata": told})


def cochrane_document(record: str) -> Document:
    """The document of a record of the Cochrane Library (`Record #1 of 9`, `AU: Smith JA`, ...).

    Raises:
        ValueError: the record has neither title nor abstract.
    """
    tags = _tags(record, _COCHRANE_TAG)
    known = _NUMBER.search(_one(tags, "PM"))
    fields = {
        "authors": tags["AU"],
        "date": _one(tags, "YR"),
        "doi": _one(tags, "DOI"),
        "pmid": known[0] if known else None,
        "keywords": _one(tags, "KY").split(";"),
        "publication_types": [kind for line in tags["PT"] for kind in line.split(";")],
        "url": _one(tags, "US"),
    }
    return _document(tags, fields | {"metadata": _told(tags)})


def ovid_document(record: str) -> Document:
    """The document of a record of Ovid's text export (`VN  - Ovid Technologies`, `UI  - 1`, ...).

    Raises:
        ValueError: the record has neither title nor abstract.
    """
    tags = _tags(record, _OVID_TAG)
    medline = re.search(r"medline|pubmed", _one(tags, "DB"), re.IGNORECASE)
    number = _one(tags, "UI") or _one(tags, "AN")
    fields = {
        "authors": tags["AU"],
        "date": _one(tags, "DP") or _one(tags, "YR"),
        "journal": _one(tags, "JN") or _one(tags, "JT") or _one(tags, "SO").partition(". ")[0],
        "doi": _one(tags, "DO"),
        "pmid": number if medline and _NUMBER.fullmatch(number) else None,
        "keywords": [*tags["MH"], *tags["KW"]],
        "publication_types": tags["PT"],
    }
    return _document(tags, fields | {"metadata": _told(tags)})


def _document(tags: Tags, fields: Mapping[str, Any]) -> Document:
    same = {
        "title": _one(tags, "TI"),
        "abstract": _one(tags, "AB"),
        "journal": _one(tags, "SO"),
        "language": _one(tags, "LA") or _one(tags, "LG"),
    }
    return described(same | dict(fields))


def _tags(record: str, tag: re.Pattern[str], continued: str = " ") -> defaultdict[str, list[str]]:
    """The values of each tag; a line that begins with `continued` belongs to the tag before it."""
    lines: defaultdict[str, list[list[str]]] = defaultdict(list)
    last = ""
    for line in record.split("\n"):
        if found := tag.match(line):
            last = found[1]
            lines[last].append([found[2].strip()])
        elif last and line.startswith(continued) and line.strip():
            if last in _ONE_EACH:
                lines[last].append([line.strip()])
            else:
                lines[last][-1].append(line.strip())
    return joined(lines)


def _one(tags: Tags, tag: str) -> str:
    values = tags.get(tag)
    return values[0] if values else ""


def _told(tags: Tags, without: str = "") -> dict[str, str]:
    return {name: tags[tag][0] for tag, name in _TOLD.items() if tag != without and tags.get(tag)}
