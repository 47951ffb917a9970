"""Which fields the records of a file hold, read as naively as can be, and what became of each. No reader is used."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from unicodedata import normalize
from xml.etree import ElementTree

from rows import tables

from medground.errors import BadDocument
from medground.values.document import Document

TABLES = tables(__file__)

Held = tuple[int, str, str]
"""A field of a record: the number of the record or the line on which it begins, what the field is, its value."""

LINES = TABLES["lines"]
"""What a line with a tag looks like."""
FORMS = TABLES["forms"]
"""What begins a record, and which tags or paths are which fields."""


def fields_held(text: str, form: str) -> Iterator[Held]:
    """The fields of each record of a text in one of these forms."""
    begins, *fields = FORMS[form].split()
    kinds = [(tag, kind) for tag, _, kind in (field.rpartition("=") for field in fields)]
    found = _tagged(text, LINES[form], begins, dict(kinds)) if form in LINES else _elements(text, begins, kinds)
    for record, kind, value in found:
        if kind and (said := " ".join(value.split())) and said != "[Not Available].":
            yield record, kind, said


def _tagged(text: str, line: str, begins: str, kinds: dict[str, str]) -> Iterator[Held]:
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


def _elements(text: str, tag: str, kinds: Sequence[tuple[str, str]]) -> Iterator[Held]:
    root = ElementTree.fromstring(re.sub(r"<!DOCTYPE.*?>|\sxmlns=\"[^\"]*\"", "", text, flags=re.DOTALL))
    for number, record in enumerate([root] if root.tag == tag else root.iter(tag), start=1):
        for path, kind in kinds:
            yield from ((number, kind, "".join(part.itertext())) for part in record.iterfind(path))


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
