"""What no sentence boundary may cut: addresses, names of files and species, decimal numbers.

Texts taken from PDF often have a space inside them: "https://www.ncbi. nlm.nih.gov/geo", "p = 0. 003".
"""

from __future__ import annotations

import re

_SUFFIX = (
    r"(?:com|org|net|edu|gov|int|info|io|eu|uk|de|fr|ch|nl|it|es|se|jp|cn|kr|in|au|ca|br|html?|php|cgi|py|aspx?|jsp|"
    r"pdf|txt|csv|tsv|xlsx?|docx?|zip|gz|tar|fasta|fa|fastq|bam|vcf|xml|json|png|jpe?g|tiff?|mp4|exe)"
)

_ADDRESS = re.compile(r"(?:https?:/|ftp:/|www\.|doi\b|10\.\d{4,9}/|\S+@)", re.IGNORECASE)
"""How a token begins that is an address."""
_OPEN_ADDRESS = re.compile(r"(?:(?:https?://|ftp://|www\.)\S*|\S+@\S*|(?:doi:)?10\.\d{4,9}/\S*)[.?]$", re.IGNORECASE)
"""How an address ends that may go on after a space."""
_GOES_ON = re.compile(rf"(?!www\.|https?:)(?:[\w-]+\.\w{{2,}}|[\w.-]+/|\w+=|{_SUFFIX}(?![\w-]))")
_DOI_BEGINS, _DOI_GOES_ON = re.compile(r"(?:doi:)?10\.", re.IGNORECASE), re.compile(r"\d{4,9}/")
_FILE_ENDS = re.compile(r"(?:pdf|txt|csv|tsv|xlsx?|docx?|zip|fastq?|html?)(?![\w-])")
_INSIDE = re.compile(r"\S*[./@=&?_#][\w(#]")
"""The rest of a token that has not come to its end."""
_MAIL_REST = re.compile(r"[\w.+-]+@\w")
_FILE_REST = re.compile(rf"\w+\.{_SUFFIX}(?![\w-])")

_GENUS = re.compile(r"[A-Z][a-z]{0,2}\.")
_EPITHET = re.compile(r"[a-z]{3,}(?!\w)")
_NUMBER_BEGINS = re.compile(r"(?:0|[(=<>≤≥±]\d+)\.")

_LONGEST = 300
"""Characters: addresses are not longer."""


def unbroken(text: str, before: tuple[int, int], after: tuple[int, int]) -> bool:
    """Whether the boundary between two sentences of a text cuts something that belongs together."""
    glued = before[1] == after[0]
    first = text[after[0]]
    if not glued and not (first.islower() or first.isdigit()):
        return False
    *_, tail = text[max(before[0], before[1] - _LONGEST) : before[1]].split()
    return _in_token(text, tail, after) if glued else _across_space(text, tail, after)


def _in_token(text: str, tail: str, after: tuple[int, int]) -> bool:
    """A boundary without a space: "www.It-works.org", "data.The.csv"; but not "(www.x.org).The cells"."""
    opened = tail.lstrip("([{<\"'")
    if _FILE_REST.match(text, *after) or _MAIL_REST.match(text, *after):
        return True
    closed = any(opened.count(right) > opened.count(left) for left, right in ("()", "[]"))
    return not closed and _ADDRESS.match(opened) is not None and _INSIDE.match(text, after[0]) is not None


def _across_space(text: str, tail: str, after: tuple[int, int]) -> bool:
    tail = tail.lstrip("[{") if tail.startswith(("[", "{")) else tail
    if _GENUS.fullmatch(tail.lstrip("(")):
        return _EPITHET.match(text, *after) is not None
    if _NUMBER_BEGINS.fullmatch(tail):
        return text[after[0]].isdigit()
    if tail.endswith(".") and _FILE_ENDS.match(text, *after):
        return True
    if _DOI_BEGINS.fullmatch(tail.lstrip("(")):
        return _DOI_GOES_ON.match(text, *after) is not None
    return _OPEN_ADDRESS.match(tail.lstrip("(<")) is not None and _GOES_ON.match(text, *after) is not None
