"""Markdown without what its reader does not see: comments, struck-out text, marks of citations."""

import re

from medground.corpus.readers.compose import written
from medground.corpus.readers.latex import formula

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_STRUCK = re.compile(r" ?\(~~[^~\n]{1,500}~~\)|~~(?=\S)[^~\n]{1,500}?(?<=\S)~~ ?")
_RAISED = re.compile(r"(?<=[\w)])\^([-+\u2212]?[\w+-]{1,12})\^")
_LOWERED = re.compile(r"(?<=\w)~(\w{1,8})~")
_FORMULA = re.compile(r"(?<![\w$\\])\$(?=\S)([^$\n]{1,300}?)(?<=[^\s\\])\$(?![\d$])|\$\$(.+?)\$\$", re.DOTALL)
_CITES = re.compile(r" ?\[(?:[^\[\]@]{0,40}-?@[^\[\]]{1,300})\]")
_ATTRIBUTES = re.compile(r"(?<![ \t])[ \t]*\{[#.][^{}\n]{1,100}\}[ \t]*$", re.MULTILINE)
_WORTH = ("<!--", "~", "^", "$", "[", "{")


def shown_markdown(text: str) -> str:
    """The text with raised digits as `10^3` and formulas as text; headings, lists and tables stay as they are."""
    if not any(sign in text for sign in _WORTH):
        return text
    for form in (_COMMENT, _STRUCK, _CITES, _ATTRIBUTES):
        text = form.sub("", text)
    text = _RAISED.sub(lambda found: written(found[1], text[max(0, found.start() - 8) : found.start()]), text)
    text = _LOWERED.sub(r"\1", text)
    return _FORMULA.sub(lambda found: formula(found[1] or found[2]), text)
