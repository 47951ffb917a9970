"""BibTeX, and the LaTeX in its fields as plain text."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db

from medground.corpus.readers.base import Item
from medground.corpus.readers.compose import text_of
from medground.corpus.readers.entry import described
from medground.errors import BadDocument
from medground.values.document import Document

if TYPE_CHECKING:
    from bibtexparser.library import Library
    from bibtexparser.model import Block


# LaTeX in the fields of BibTeX, by pylatexenc: accents, symbols and formulas as text.

_LATEX = re.compile(r"[\\${}~%&#]|--|``|''|[?!]`|\n\s*\n")
_LONGEST = 200_000
_BARE = re.compile(r"(?<!\\)[%&#]")
_FORMULA = re.compile(r"(?<!\\)\$(?=\S)([^$]*?)(?<=[^\s\\])\$(?!\d)")
_DOLLAR = re.compile(r"(?<!\\)\$")
_LOWERED = re.compile(r"_\{([^{}]*)\}|_(\w)")
_SIGNS = {"textless": "<", "textgreater": ">", "textasciitilde": "~", "url": "%s", "textsuperscript": "%s"}


class _Decoder(LatexNodes2Text):  # type: ignore[misc]
    """Reads signs that LaTeX reserves, where they cannot mean what they mean there."""

    def latex_to_text(self, latex: str, **options: object) -> str:
        """The text of some LaTeX.

        Raises:
            ValueError: it is too long to be decoded.
        """
        if not _LATEX.search(latex):
            return latex  # decoding takes about 25 s for each MB
        if len(latex) > _LONGEST:
            raise ValueError(f"a field with LaTeX has {len(latex):,} characters; at most {_LONGEST:,} are decoded")
        return str(super().latex_to_text(_escaped(latex), **options))


@cache
def decoder() -> LatexNodes2Text:
    """The decoder: groups in braces stay, which tell names of institutions; formulas become text."""
    known = get_default_latex_context_db()
    macros = [MacroTextSpec(name, simplify_repl=sign) for name, sign in _SIGNS.items()]
    known.add_context_category("signs", prepend=True, macros=macros)
    return _Decoder(latex_context=known, keep_braced_groups=True, math_mode="text")


def _escaped(latex: str) -> str:
    parts: list[str] = []
    end = 0
    for found in _FORMULA.finditer(latex):  # as in Markdown: no space inside the signs, no digit after them
        formula = _LOWERED.sub(r"\1\2", found[1])
        parts += [_plain(latex[end : found.start()]), f"${formula}$"]
        end = found.end()
    return "".join([*parts, _plain(latex[end:])])


def _plain(latex: str) -> str:
    return _DOLLAR.sub(r"\\$", _BARE.sub(lambda found: f"\\{found[0]}", latex))


# BibTeX, by bibtexparser: macros (`@string`), LaTeX accents, months by name. A broken entry is named with its line.

BIBTEX = re.compile(r"^\s*@(?:string|comment|preamble|\w+\s*\{\s*[^\s{},\"]*\s*,)", re.IGNORECASE | re.MULTILINE)

_BOOKS = frozenset(["book", "inbook", "incollection", "booklet", "manual", "collection", "reference"])
_PIECE = re.compile(r'"(?P<quoted>(?:[^"\\]|\\.)*)"|\{(?P<braced>[^{}]*)\}|(?P<name>[^\s#"{}]+)')
_KEY = re.compile(r"(\s*@\w+\s*\{\s*)([^\s,{}]+)")
_BRACES = re.compile(r"[{}]")
_AND = re.compile(r"\s+and\s+|[{}]")
_TYPES = {"article": "Journal Article", "review": "Review"}
_RENAMED = {"number": "issue", "booktitle": "book_title", "journaltitle": "journal", "fjournal": "journal"}
_LEFT_OUT = ("month", "day", "archiveprefix", "eprinttype", "file", "owner", "timestamp", "bdsk-file-1", "langid")


def read_bibtex(path: Path) -> Iterator[Item]:
    """The entries of a file in order; the position of a broken one is its line.

    Raises:
        BadDocument: the file is not text.
    """
    from bibtexparser.model import Entry, ParsingFailedBlock

    library = _parsed(text_of(path))
    macros = {string.key.casefold(): str(string.value) for string in library.strings}
    for block in sorted(_unique(library), key=lambda block: block.start_line or 0):
        line = (block.start_line or 0) + 1
        if isinstance(block, Entry):
            fields = {field.key.casefold(): _joined(str(field.value), macros) for field in block.fields}
            try:
                yield entry_document(block.entry_type.casefold(), block.key, fields)
            except ValueError as error:
                yield BadDocument(f"{block.key}: {error}", file=str(path), position=line)
        elif isinstance(block, ParsingFailedBlock):
            reason = f"a broken entry ({' '.join((block.raw or '').split())[:60]}); close its braces and quotes"
            yield BadDocument(reason, file=str(path), position=line)


def _parsed(text: str) -> Library:
    from bibtexparser.entrypoint import parse_string
    from bibtexparser.middlewares import LatexDecodingMiddleware

    logging.getLogger("bibtexparser").setLevel(logging.ERROR)  # what it warns of is told by the items
    return parse_string(text, append_middleware=[LatexDecodingMiddleware(decoder=decoder())])


def _unique(library: Library) -> Iterator[Block]:
    """The blocks. bibtexparser leaves an entry with a key that was used before unread: these are parsed once more, all
    together, with keys of their own.
    """
    from bibtexparser.model import DuplicateBlockKeyBlock, Entry

    again = {f"again-{n}": block for n, block in enumerate(library.blocks) if isinstance(block, DuplicateBlockKeyBlock)}
    macros = [string.raw or "" for string in library.strings]
    entries = [_KEY.sub(rf"\g<1>{key}", block.raw or "", count=1) for key, block in again.items()]
    for entry in _parsed("\n".join([*macros, *entries])).entries if again else ():
        block = again[entry.key]
        yield Entry(entry.entry_type, block.key, entry.fields, block.start_line, block.raw)
    yield from (block for block in library.blocks if not isinstance(block, DuplicateBlockKeyBlock))


def entry_document(kind: str, key: str, fields: Mapping[str, str]) -> Document:
    """The document of an entry, its fields by their BibTeX names in lower case.

    Raises:
        ValueError: there is neither title nor abstract.
    """
    known: dict[str, Any] = {}
    for name, value in fields.items():
        if name not in _LEFT_OUT:
            plain = " ".join(_BRACES.sub("", value).split())
            known.setdefault(_RENAMED.get(name, name), plain)
    if "book_title" in known and "journal" not in known:
        known["journal"] = known.pop("book_title")
    date = known.get("date") or " ".join(part for part in (fields.get("month"), fields.get("year")) if part)
    eprint = known.get("eprint", "")
    if "pubmed" in fields.get("eprinttype", "").casefold() or "pubmed" in fields.get("archiveprefix", "").casefold():
        known["pmid"] = eprint
    known |= {"date": date, "citation_key": key, "kind": "book" if kind in _BOOKS else known.get("kind", "research")}
    if "note" in known and (found := re.search(r"PMID:?\s*(\d+)", known["note"])):
        known.setdefault("pmid", found[1])
    if kind in _TYPES and "publication_types" not in known:
        known["publication_types"] = [_TYPES[kind]]
    known["entry_type"] = kind
    known["authors"] = _authors(fields.get("author", ""))
    known.pop("author", None)
    return described(known)


def _authors(value: str) -> list[str]:
    """`Family Given` of each; a group in braces stays as it is, and `First von Last` is turned around."""
    names = []
    for name in _parted(" ".join(value.split())):
        plain = _BRACES.sub("", name).strip()
        if not plain or plain == "others":
            continue
        if "," not in plain and not name.startswith("{") and " " in plain:
            words = plain.split()
            at = len(words) - 1
            while at > 1 and words[at - 1].islower():  # Ludwig van Beethoven
                at -= 1
            plain = f"{' '.join(words[at:])}, {' '.join(words[:at])}"
        names.append(plain)
    return names


def _parted(value: str) -> Iterator[str]:
    """The names between each `and` that is not inside braces."""
    depth = start = 0
    for found in _AND.finditer(value):
        if found[0] in "{}":
            depth += 1 if found[0] == "{" else -1
        elif depth == 0:
            yield value[start : found.start()]
            start = found.end()
    yield value[start:]


def _joined(value: str, macros: Mapping[str, str]) -> str:
    """The parts of `"Part " # name`, joined; bibtexparser leaves them as they are written."""
    if "#" not in value:
        return macros.get(value.casefold(), value)
    pieces = list(_PIECE.finditer(value))
    if _PIECE.sub("", value).replace("#", "").strip() or len(pieces) != value.count("#") + 1:
        return value  # a number sign in the text itself
    return "".join(
        macros.get(name.casefold(), name) if (name := found["name"]) else found["quoted"] or found["braced"] or ""
        for found in pieces
    )
