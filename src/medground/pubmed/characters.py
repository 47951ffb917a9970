"""Characters in other clothes: quotation marks of word processors, full-width letters, Greek letters."""

from __future__ import annotations

_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_PLAIN = (
    str.maketrans(
        {
            **dict.fromkeys("“”„‟«»″〝〞", '"'),
            **dict.fromkeys("‘’‚‛′", "'"),
            **dict(zip("【】", "[]", strict=True)),
            **dict.fromkeys("‐‑‒–—―−", "-"),
            **dict.fromkeys("\u00a0\u2000\u2001\u2002\u2003\u2009\u202f\u3000\ufeff", " "),
        }
    )
    | _FULL_WIDTH
)
_UNSEEN = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060"))


def plain(text: str) -> str:
    """The text with the query language's own quotation marks, brackets, dashes and spaces. Its length stays."""
    return text if text.isascii() else text.translate(_PLAIN)


def without_unseen(text: str) -> str:
    """The text without characters that have no width."""
    return text if text.isascii() else text.translate(_UNSEEN)


_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu "
    "nu xi omicron pi rho sigma sigma tau upsilon phi chi psi omega"
)
GREEK = {chr(ord("α") + place): name for place, name in enumerate(_GREEK_NAMES.split())}
"""Small Greek letters by their names, both forms of sigma among them."""
_SPELT = str.maketrans(GREEK | {letter.upper(): name for letter, name in GREEK.items()} | {"µ": "mu", "ϵ": "epsilon"})


def spelt_out(text: str) -> str:
    """The text with Greek letters by their names, as PubMed searches them: `TNF-α` is `TNF-alpha`."""
    return text if text.isascii() else text.translate(_SPELT)
