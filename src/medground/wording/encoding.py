"""Text for outputs that cannot show every character, such as a latin-1 or ASCII terminal."""

import codecs
import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import quote

from medground.language.clean import HIDDEN
from medground.wording.blocks import Block, Span, mapped

_PLAIN = {
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("‘’‚‛′", "'"),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    **dict(zip("✓◐✗∅○", "+~x-o", strict=True)),
    **dict(
        zip("…•·→←↔≤≥≠≈×±÷", ["...", "*", ".", "->", "<-", "<->", "<=", ">=", "!=", "~", "x", "+/-", "/"], strict=True)
    ),
    **dict(zip("ßæÆøØ⁄µμ", ["ss", "ae", "AE", "o", "O", "/", "u", "u"], strict=True)),
}
"""ASCII forms of characters that an encoding may lack. Letters lose their accents, Greek ones are spelled out, and
anything else becomes `?`."""
_GREEK = re.compile(r"GREEK (?P<case>SMALL|CAPITAL) LETTER (?:FINAL )?(?P<name>[A-Z]+)")
_NEGATED = "\u0338"
"""The stroke of `≮`, without which it would say the opposite."""


def encodable(text: str, encoding: str) -> str:
    """Text that `encoding` can write: typographic characters become their ASCII form.

    `encoding`: a codec's name; an unknown one is taken for ASCII.
    """
    return _replaced(text, encoding, _substitute)


def encodable_json(text: str, encoding: str) -> str:
    """JSON text that `encoding` can write and a terminal can show, with the same meaning.

    Other characters and those that control a terminal become `\\uXXXX`.
    """
    return _replaced(HIDDEN.sub(lambda found: _escape(found[0]), text), encoding, _escape)


def _escape(character: str) -> str:
    return "\\u007f" if character == "\x7f" else json.dumps(character)[1:-1]


def encodable_blocks(blocks: Sequence[Block], encoding: str) -> list[Block]:
    """The blocks with text that `encoding` can write. Done before escaping, so that no replacement escapes it."""
    return [mapped(block, partial(_span, encoding=encoding)) for block in blocks]


def _span(span: Span, encoding: str) -> Span:
    if span.text == span.url:  # an address: percent-encoding keeps it an address
        address = _replaced(span.url, encoding, lambda character: quote(character, safe=""))
        return replace(span, text=address, url=address)
    return replace(span, text=encodable(span.text, encoding))


def _replaced(text: str, encoding: str, substitute: Callable[[str], str]) -> str:
    known = _codec(encoding)
    if _writes(known, text):
        return text
    return "".join(c if _writes(known, c) else substitute(c) for c in text)


def _substitute(character: str) -> str:
    if plain := _PLAIN.get(character):
        return plain
    parts = unicodedata.normalize("NFKD", character)
    if _NEGATED in parts:
        return "?"
    text = "".join(_letter(part) for part in parts)
    if not text or not text.isprintable():
        return "?"
    kind = unicodedata.decomposition(character)
    return {"<super>": "^", "<fraction>": " "}.get(kind.split(" ")[0], "") + text


def _letter(part: str) -> str:
    if part.isascii():
        return part
    if greek := _GREEK.match(unicodedata.name(part, "")):
        return greek["name"].lower() if greek["case"] == "SMALL" else greek["name"].capitalize()
    return _PLAIN.get(part, "")


def _codec(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        return "ascii"


def _writes(encoding: str, text: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
