"""Word and PDF files as the texts that they print, with their marks of citation."""

import json
import re
from collections.abc import Iterator, Mapping
from io import BytesIO
from threading import Lock
from typing import Any
from zipfile import ZipFile

from medground.checking.entries import entries_of
from medground.checking.marks import expanded
from medground.corpus.readers.pdf.lines import CLOSES, OPENS
from medground.corpus.readers.word_styles import Styles, W
from medground.corpus.readers.word_text import Printed, within
from medground.corpus.readers.xml import Element, name_of

_MOST_UNPACKED = 200_000_000
_ONE_PDF = Lock()
"""The library of PDF is for one thread at a time."""
_NUMBERS = re.compile(r"[\d\s,;–-]+")
_HYPHEN = re.compile(r"(?<=[a-z])-\n(?=[a-z])")


def word_text(content: bytes) -> str:
    """The paragraphs of a Word file, also in tables, links and content controls, and its notes behind them.

    Raised numbers stand in `<sup>`, notes are `[^footnote1]`. Without a list of references, there is one of the works
    that Zotero, Mendeley and EndNote keep in the fields of their citations.
    """
    import docx

    from medground.corpus.readers.docx import notes_of

    if sum(part.file_size for part in ZipFile(BytesIO(content)).infolist()) > _MOST_UNPACKED:
        raise ValueError("it unpacks to more than a Word document has")
    opened = docx.Document(BytesIO(content))
    printed = _Marked(Styles(opened.styles.element), notes_of(opened))
    texts = [printed.paragraph(one) for one in within(opened.element.body, "p")]
    notes = [f"[^{name}]: {text}" for name, text in printed.referred.items() if text]
    text = "\n\n".join([*texts, *notes]).replace("</sup><sup>", "")  # Word cuts `1,2` into two runs
    works = {} if entries_of(text)[0] else _works(opened.element.body)
    listed = [f"[{mark}] {work}" if mark else f"- {work}" for work, mark in works.items()]
    return "\n".join([text, "\n## References\n", *listed]) if listed else text


class _Marked(Printed):
    """What a Word file prints, with raised numbers and with the places of its notes."""

    def __init__(self, styles: Styles, notes: Mapping[tuple[str, str], Element]) -> None:
        super().__init__(styles, notes)
        self.referred: dict[str, str] = {}

    def _raised(self, text: str, before: str) -> str:
        return f"<sup>{text}</sup>" if _NUMBERS.fullmatch(text) else text

    def _note(self, kind: str, number: str) -> str:
        note, name = self._notes.get((kind, number)), f"{kind.removesuffix('Reference')}{number}"
        self.referred[name] = "" if note is None else self._flat(note)
        return f"[^{name}]" if self.referred[name] else ""


def _works(body: Element) -> dict[str, str]:
    """The works in the fields of reference managers, each with the number that the text gives it, or none."""
    found: dict[str, str] = {}
    for code, shown in _fields(body):
        works = filter(None, [*_of_csl(code), *_of_endnote(code)])
        numbers = expanded(re.sub(r"[\[\]()]", "", shown).strip()) if _NUMBERS.fullmatch(shown.strip("[]() ")) else ()
        free = [number for number in numbers if number not in found.values()]
        for work in (one for one in works if one not in found):
            found[work] = free.pop(0) if free else ""
    return found


def _fields(body: Element) -> Iterator[tuple[str, str]]:
    """The code of each field with what it shows; a field within another one shows in that too."""
    opened: list[list[str]] = []
    for node in body.iter():
        name, kind = name_of(node), node.get(f"{W}fldCharType", "")
        if name == "fldChar" and kind == "begin":
            opened.append(["", ""])
        elif name == "fldChar" and kind == "end" and opened:
            code, shown = opened.pop()
            yield code, shown
        for one in opened if name in ("instrText", "t") else ():
            one[name == "t"] += node.text or ""


def _of_csl(code: str) -> Iterator[str]:
    """The works of a citation of Zotero or Mendeley, as they stand in lists of references."""
    if "CSL_CITATION" not in code or "{" not in code:
        return
    try:
        cited = json.JSONDecoder().raw_decode(code[code.index("{") :])[0]
    except (ValueError, RecursionError):
        return
    for data in (item.get("itemData") for item in _all(cited, "citationItems")):
        if isinstance(data, dict):
            match data.get("issued"):
                case {"date-parts": [[int() | str() as year, *_], *_]}:
                    pass
                case _:
                    year = ""
            held = {name: data.get(name) for name in ("DOI", "PMID")}
            ids = [f"{name}: {value}" for name, value in held.items() if value and isinstance(value, int | str)]
            parts = [", ".join(filter(None, map(_author, _all(data, "author")))), data.get("title"), str(year), *ids]
            yield ". ".join(part for part in parts if part and isinstance(part, str))


def _all(held: object, name: str) -> list[dict[str, object]]:
    """The mappings in a list of a mapping; none where either is something else."""
    found = held.get(name) if isinstance(held, dict) else None
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _author(one: Mapping[str, object]) -> str:
    match one:
        case {"literal": str(name)}:
            return name
        case {"family": str(family), "given": str(given)}:
            return f"{family} {given[:1]}".strip()
        case {"family": str(family)}:
            return family
    return ""


def _of_endnote(code: str) -> Iterator[str]:
    """The works of a citation of EndNote."""
    from lxml import etree

    if "<EndNote>" not in code:
        return
    try:
        parser = etree.XMLParser(resolve_entities=False, recover=True)
        records = etree.fromstring(code[code.index("<EndNote>") :].encode(), parser).iter("record")
    except etree.LxmlError:
        return
    for record in records:
        parts = [", ".join("".join(one.itertext()).replace(",", "") for one in record.iter("author"))]
        parts += ["".join(one.itertext()) for tag in ("title", "year") for one in [*record.iter(tag)][:1]]
        dois = [f"DOI: {''.join(one.itertext())}" for one in record.iter("electronic-resource-num")]
        yield ". ".join(filter(None, [*parts, *dois]))


def pdf_text(content: bytes) -> str:
    """The lines of a PDF, column by column without running heads; raised numbers that may cite stand in `<sup>`."""
    import pypdfium2

    from medground.corpus.readers.pdf import Pages, in_blocks, read_pages

    with _ONE_PDF, pypdfium2.PdfDocument(content) as opened:
        pages: Any = [page for page in read_pages(opened) if isinstance(page, Pages)][-1]
    text = "\n\n".join("\n".join(line.text for line in block.lines) for block in in_blocks(pages)[2])
    return _HYPHEN.sub("", text).replace(OPENS, "<sup>").replace(CLOSES, "</sup>")
