"""LaTeX as text, by pylatexenc: accents, symbols and formulas, in the fields of BibTeX and in formulas of JATS."""

import contextlib
import re
from functools import cache
from typing import Any

from pylatexenc import latexwalker
from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db

_LATEX = re.compile(r"[\\${}~]|``|''|[?!]`|\n\s*\n")
_SIGN = re.compile(r"\\([%&#_])")
_LONGEST = 200_000
_BARE = re.compile(r"(?<!\\)[%&#]")
_FORMULA = re.compile(r"(?<!\\)\$(?=\S)([^$]*?)(?<=[^\s\\])\$(?!\d)")
_DOLLAR = re.compile(r"(?<!\\)\$")
_LOWERED = re.compile(r"_\{([^{}]*)\}|_(\w)")
_AS_IT_IS = re.compile(r"\\(?:mbox|texttt|href\s*\{[^{}]*\})\s*(?=\{)")
"""Macros of which pylatexenc leaves out the text."""
_EXPONENT = re.compile(r"(?<=\d)\\textsuperscript\s*\{\s*([-+\u2212\u2013]?\d+)\s*\}")
_SIGNS = {"textless": "<", "textgreater": ">", "textasciitilde": "~", "url": "%s", "LaTeX": "LaTeX", "TeX": "TeX"}


class _Decoder(LatexNodes2Text):  # type: ignore[misc]
    """Reads signs that LaTeX reserves, where they cannot mean what they mean there."""

    def latex_to_text(self, latex: str, **options: object) -> str:
        """The text of some LaTeX."""
        plain = _SIGN.sub(r"\1", latex)
        if not _LATEX.search(plain):  # decoding takes about 25 s for each MB
            return plain.replace("---", "\u2014").replace("--", "\u2013")
        if len(latex) > _LONGEST:
            raise ValueError(f"a field with LaTeX has {len(latex):,} characters; at most {_LONGEST:,} are decoded")
        with contextlib.suppress(IndexError, AttributeError, TypeError):  # macros without what they need
            return str(super().latex_to_text(_escaped(latex), **{"latex_context": _of_latex(), **options}))
        return latex


@cache
def decoder() -> LatexNodes2Text:
    """The decoder: groups in braces stay, which tell names of institutions; formulas become text."""
    known = get_default_latex_context_db()
    macros = [MacroTextSpec(name, simplify_repl=sign) for name, sign in _SIGNS.items()]
    known.add_context_category("signs", prepend=True, macros=macros)
    return _Decoder(latex_context=known, keep_braced_groups=True, math_mode="text")


_of_latex = cache(latexwalker.get_default_latex_context_db)
"""What the parser knows of LaTeX; by itself it makes that anew for each field."""


def _escaped(latex: str) -> str:
    latex = _EXPONENT.sub(r"^\1", _AS_IT_IS.sub("", latex))
    pieces = _FORMULA.split(latex)  # texts and formulas in turn; as in Markdown: no space inside the signs
    for at, piece in enumerate(pieces):
        if at % 2:
            pieces[at] = "$" + _LOWERED.sub(r"\1\2", piece) + "$"
        else:
            pieces[at] = _DOLLAR.sub(r"\\$", _BARE.sub(lambda found: f"\\{found[0]}", piece))
    return "".join(pieces)


_SEVERAL = re.compile(r".[-+\u2212\u00b1\u00d7\u00b7*/ ]")
_WITHIN = re.compile(r"\\begin\{document\}(.*?)\\end\{document\}", re.DOTALL)


def formula(tex: str) -> str:
    """A formula without the document around it: `$$ 133 \\times C^{-0.5} $$` is `133 × C^-0.5`."""
    inner = found[1] if (found := _WITHIN.search(tex)) else tex
    plain = inner.replace("$", " ").replace(r"\dfrac", r"\frac").replace(r"\tfrac", r"\frac")
    if len(plain) < _LONGEST:
        with contextlib.suppress(ValueError, RecursionError):
            plain = str(_of_formulas().latex_to_text(plain))
    return " ".join(plain.split())


@cache
def _of_formulas() -> LatexNodes2Text:
    known = get_default_latex_context_db()
    known.add_context_category("fractions", prepend=True, macros=[MacroTextSpec("frac", simplify_repl=_fraction)])
    return LatexNodes2Text(latex_context=known, math_mode="text")


def _fraction(node: Any, l2tobj: LatexNodes2Text) -> str:
    return "/".join(fenced(l2tobj.nodelist_to_text([part])) for part in node.nodeargd.argnlist)


_FENCED = re.compile(r"\([^()]*\)")


def fenced(part: str) -> str:
    """A part of a fraction, in brackets if it is a sum or the like."""
    return f"({part})" if _SEVERAL.search(part.strip()) and not _FENCED.fullmatch(part) else part
