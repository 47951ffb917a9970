"""Files as texts that can be checked: what a reader sees of them, at the places that it has in the file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

from medground.checking.entries import Entry, entries_beside
from medground.checking.printed import pdf_text, word_text
from medground.errors import BadDocument, UsageError, needing
from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.values.document import Document
from medground.values.identifiers import papers_named

if TYPE_CHECKING:
    from yaml.nodes import Node

_HTML = (".html", ".htm", ".xhtml")
_LATEX = (".tex", ".latex")
_UNSEEN = verbose_pattern(
    r"""
    <!--(?:(?!<!--|-->).)*-->|<(script|style|head|template|noscript)\b(?:(?!<\1\b).)*?</\1\s*>
    """,
    re.IGNORECASE | re.DOTALL,
)
_TAG = lazy_pattern(r"<(/?)([A-Za-z][A-Za-z0-9]*)\b[^<>]*>")
_INLINE = frozenset(
    "a abbr b bdi bdo cite code em font i kbd mark q s small span strong sub u var".split()  # noqa: SIM905
)
_ENTITY = lazy_pattern(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,30});")
_ESCAPE = lazy_pattern(r'\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])')
_PAIR = lazy_pattern(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_MACROS = verbose_pattern(
    r"""
    (?<!\\)%[^\n]*|\\begin\{(?P<env>equation|align|table|figure|tabular)\*?\}.*?\\end\{(?P=env)\*?\}|
    \A.*?\\begin\{document\}|\\(?P<list>begin|end)\{thebibliography\}(?:\{[^{}]*\})?|
    \\(?:label|ref|includegraphics|bibliography(?:style)?|usepackage|input|nocite)\b(?:\[[^\]]*\])?\{[^{}]*\}|
    \\(?:begin|end)\{[^{}]*\}|\\(?:newblock|item|em|it|bf|noindent|maketitle)\b|
    \\(?![A-Za-z]*[cC]ite|bibitem)[A-Za-z]+\*?(?:\[[^\]]*\])?(?=\{)|\\(?=[%&$\#_])|\\[,;! ]
    """,
    re.DOTALL,
)
_BRACES = lazy_pattern(r"(\\(?:[A-Za-z]*[cC]ite[A-Za-z]*\*?|bibitem)(?:\[[^\]]{0,400}\])*\{[^{}]{1,400}\})|(?<!\\)[{}]")
"""Braces of LaTeX; those of a citation or an entry are in a group with it."""
_LISTS = {"begin": "\n\nReferences", "end": "\n\n# "}
"""What stands for the ends of a list of references of LaTeX: headings."""

_DEEPEST = 100
"""Mappings and lists of YAML or JSON, one in another."""


def text_of(path: Path) -> str:
    """The text of a file: of Word and PDF what they print, of all others the file itself.

    Raises UsageError: it cannot be read, is binary, or is not in UTF-8.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}; name a file that is there") from None
    return text_in(content, str(path))


def text_in(content: bytes, name: str) -> str:
    """The text of the content of a file. Raises UsageError: it is binary, or not in UTF-8; `name` is in the message."""
    try:
        if content.startswith(b"PK\x03\x04"):
            return word_text(content)
        if content.startswith(b"%PDF"):
            return pdf_text(content)
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is not text in UTF-8 (byte {error.start:,}); save it as UTF-8, DOCX or PDF") from None
    except ImportError:
        with needing("files", f"reading {name}"):
            raise
    except Exception as error:  # noqa: BLE001 the libraries raise whatever a damaged file makes them meet
        raise UsageError(f"{name} cannot be read ({type(error).__name__}); save it again or as text") from None
    if "\x00" in text:
        raise UsageError(f"{name} is a binary file; check text, Markdown, LaTeX, HTML, YAML, JSON, DOCX or PDF")
    return text


def shown(text: str, file: str) -> str:
    """What a reader sees of a file, of the same length: markup, and what is not shown, is blank."""
    suffix = Path(file).suffix.lower()
    if suffix in _HTML:
        text = _TAG.sub(_tag, _UNSEEN.sub(lambda hidden: " " * len(hidden[0]), text))
        return _ENTITY.sub(lambda entity: _padded(unescape(entity[0]), len(entity[0])), text)
    if suffix in _LATEX:
        text = _MACROS.sub(_macro, text)
        return _BRACES.sub(lambda brace: brace[1] or " ", text)
    return text


def _macro(match: re.Match[str]) -> str:
    if match["list"]:
        return _padded(_LISTS[match["list"]], len(match[0]))
    return re.sub(r"[^\n]", " ", match[0])


def _padded(text: str, length: int) -> str:
    return text[:length].ljust(length)


def _tag(match: re.Match[str]) -> str:
    name = match[2].lower()
    if name == "sup":
        return f"<{match[1]}sup>".ljust(len(match[0]))
    block = "" if name in _INLINE else "\n\n- " if name == "li" and not match[1] else "\n\n"
    return _padded(block, len(match[0]))


def fields_of(text: str, paths: Sequence[str], file: str) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """The texts at some dotted paths of YAML or JSON: where each stands, what it says, and the papers named beside it.

    A list on the way is gone through. The papers are those of ids in other fields of the same mapping.

    Raises UsageError: the file is not YAML or JSON, or has no text at a path.
    """
    import yaml

    text = _PAIR.sub(lambda pair: _padded(_unescaped(pair[0]), len(pair[0])), text)
    depth = 0
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):  # it reads any depth; `compose_all` overruns the stack
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST or isinstance(event, yaml.AliasEvent):
                raise UsageError(f"{file} has aliases or is deeper than {_DEEPEST} levels; write its texts out")
        roots = [*yaml.compose_all(text, Loader=yaml.CSafeLoader)]
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark else ""
        raise UsageError(f"{file} is not YAML or JSON{where}; correct it, or check it as text") from None
    for path in paths:
        found = [value for root in roots for value in _values(root, path.split("."), ())]
        if not found:
            raise UsageError(f"{file} has no text at {path}; name a field such as `evidence.explanation`")
        for node, papers in found:
            start, end = node.start_mark.index, node.end_mark.index
            said = _ESCAPE.sub(lambda escape: _padded(_unescaped(escape[0]), len(escape[0])), text[start:end])
            yield start, re.sub(r"^[\"'>|][-+]?|[\"']$", lambda mark: " " * len(mark[0]), said), papers


def _unescaped(escape: str) -> str:
    return str(json.loads(f'"{escape}"'))


def _values(node: Node | None, path: Sequence[str], papers: tuple[str, ...]) -> Iterator[tuple[Node, tuple[str, ...]]]:
    import yaml

    if isinstance(node, yaml.SequenceNode):
        for one in node.value:
            yield from _values(one, path, papers)
    elif isinstance(node, yaml.MappingNode) and path:
        own = [name for _, value in node.value if isinstance(value, yaml.ScalarNode) for name in _named(value.value)]
        for key, value in node.value:
            if key.value == path[0]:
                yield from _values(value, path[1:], tuple(dict.fromkeys(own)) or papers)
    elif isinstance(node, yaml.ScalarNode) and not path and node.value.strip():
        yield node, papers


def _named(value: str) -> list[str]:
    """The papers of a field that holds an id and nothing else."""
    found = papers_named(value)
    rest = "".join(letter for n, letter in enumerate(value) if not any(a <= n < b for a, b in found))
    return [name for names in found.values() for name in names] if not re.search(r"[A-Za-z]{6}", rest) else []


def entries_in(path: Path) -> list[Entry]:
    """The entries of a file of references: BibTeX, RIS, CSL JSON, PubMed's format.

    Raises UsageError: it cannot be read.
    """
    from medground.corpus.readers.every import open_file

    try:
        if not path.is_file():
            raise UsageError(f"{path}: no such file of references")
        return entries_beside(item for item in open_file(path).read(0) if isinstance(item, Document))
    except BadDocument as error:
        raise UsageError(f"the references could not be read: {error}") from None
