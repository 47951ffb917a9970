"""LaTeX in the fields of BibTeX, by pylatexenc: accents, symbols and formulas as text.

BibTeX knows no comments, and exporters write `50% of 12 & 13` or `$5` as they are: such signs stay what they are.
"""

from __future__ import annotations

import re
from functools import cache

from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db

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
