"""Character variants: typographic quotation marks, full-width letters and Greek letters."""

from __future__ import annotations

from importlib.resources import files

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
_ZERO_WIDTH = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060"))


def plain(text: str) -> str:
    """Replace typographic quotation marks, brackets, dashes and spaces with ASCII ones. The length does not change."""
    return text if text.isascii() else text.translate(_PLAIN)


def without_zero_width(text: str) -> str:
    """Remove zero-width characters."""
    return text if text.isascii() else text.translate(_ZERO_WIDTH)


_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu "
    "nu xi omicron pi rho sigma sigma tau upsilon phi chi psi omega"
)
GREEK = {chr(ord("α") + index): name for index, name in enumerate(_GREEK_NAMES.split())}
"""Lower-case Greek letters and their names, including both forms of sigma."""
_GREEK = str.maketrans(GREEK | {letter.upper(): name for letter, name in GREEK.items()} | {"µ": "mu", "ϵ": "epsilon"})


def spell_out_greek(text: str) -> str:
    """Spell out Greek letters, as PubMed does: `TNF-α` becomes `TNF-alpha`."""
    return text if text.isascii() else text.translate(_GREEK)


def table(name: str) -> list[list[str]]:
    """The rows of one of this package's tables."""
    text = (files("medground.pubmed") / name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()]
