"""Find sentences in biomedical text, with the library nupunkt and corrections for this field."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.language.word_lists import word_lists

_ADDRESS = lazy_pattern(r"(?:https?:/|ftp:/|www\.|doi\b|10\.\d{4,9}/|\S+@)", re.IGNORECASE)
"""How a token begins that is an address."""
_OPEN_ADDRESS = lazy_pattern(r"(?:(?:https?://|ftp://|www\.)\S*|\S+@\S*|(?:doi:)?10\.\d{4,9}/\S*)[.?]$", re.IGNORECASE)
"""How an address ends that may go on after a space."""
_SUFFIX = r"""
    (?:com|org|net|edu|gov|int|info|io|eu|uk|de|fr|ch|nl|it|es|se|jp|cn|kr|in|au|ca|br|html?|php|cgi|py|aspx?|
    jsp|pdf|txt|csv|tsv|xlsx?|docx?|zip|gz|tar|fasta|fa|fastq|bam|vcf|xml|json|png|jpe?g|tiff?|mp4|exe)
"""
_OPENERS = r"""
    The|This|These|Those|There|They|We|Our|It|Its|In|However|Thus|Therefore|Although|Moreover|Furthermore|After|
    Background|Objectives?|Aims?|Methods?|Patients|Results?|Conclusions?|Discussion
"""
_GOES_ON = verbose_pattern(
    rf"""
    (?!www\.|https?:)(?:[\w-]+\.\w{{2,}}|[\w.-]+/|\w+=|{_SUFFIX}(?![\w-]))
    """,
    0,
)
_DOI_BEGINS, _DOI_GOES_ON = lazy_pattern(r"(?:doi:)?10\.", re.IGNORECASE), lazy_pattern(r"\d{4,9}/")
_FILE_ENDS = lazy_pattern(r"(?:pdf|txt|csv|tsv|xlsx?|docx?|zip|fastq?|html?)(?![\w-])")
_INSIDE = lazy_pattern(r"\S*[./@=&?_#][\w(#]")
"""The rest of a token that has not come to its end."""
_MAIL_REST = lazy_pattern(r"[\w.+-]+@\w")
_FILE_REST = verbose_pattern(
    rf"""
    \w+\.{_SUFFIX}(?![\w-])
    """,
    0,
)

_GENUS = lazy_pattern(r"[A-Z][a-z]{0,2}\.")
_EPITHET = lazy_pattern(r"[a-z]{3,}(?!\w)")
_NUMBER_BEGINS = lazy_pattern(r"(?:0|[(=<>≤≥±]\d+)\.")

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


Span = tuple[int, int]

_SPECIAL = word_lists("special_words")

# A capital letter before the full stop looks like the initial of a name ("vitamin C. The cells"), but its `_openers`
# start a sentence and are never a surname.
# This and the next begin with the full stop and then look back: searching for a single character is five times faster.
_AFTER_LETTER = verbose_pattern(
    rf"""
    \.(?<=[\s\-(][A-Z]\.)(?P<space>\s+)(?=(?:{_OPENERS})[\s,:])
    """,
    0,
)
# Abstracts often lack the space between two sections: "(P<.001).Conclusion", "was seen.The".
_GLUED = verbose_pattern(
    rf"""
    \.(?<=[a-z0-9)\]%]\.)(?P<space>)(?:(?=(?:{_OPENERS})\b(?!\.))|(?<=[)\]%]\.)(?=[A-Z][a-z]))
    """,
    0,
)

# A heading that stands alone in its line: "RESULTS" over "We propose ...".
_HEADING = lazy_pattern(r"(?<![^\n])[A-Z][A-Z &/]{2,40}:?(?P<space>[^\S\n]*\n\s*)(?=[A-Z][a-z\s])")

# A heading before a sentence of its line: "Weighing Treatment Options You and your doctor will".
_HEADED = verbose_pattern(
    rf"""
    (?<![^.?!\n]\s)(?<!\S)[A-Z][\w'’-]+(?:\s(?:(?:of|and|for|the|an?|in|to|with|or|on|from|your)\s)?[A-Z\d][\w'’-]*){{1,9}}
    (?P<space>\s)(?=(?:{_OPENERS}|You|Your|If|When|People|Many|Some|Most|Women|Men|Doctors)\s[a-z])
    """,
    0,
)
# A mark of a list behind a full stop or a colon: "may help: - less salt", "in men. - Women".
_ITEM = lazy_pattern(r"[.:;?!](?P<space>\s+)(?=[-•▪]\s+\S)")

ROW = " | "
"""Between the cells of a row of a table; a paragraph with it is one sentence."""
_BLANK_LINE = lazy_pattern(r"\n[^\S\n]*\n\s*")
# Dotted leaders and other long runs of marks do not end a sentence, and cost the library quadratic time.
_MARKS = lazy_pattern(r"[^\w\s][^\w\s]{19,}")  # in one piece it is half as fast

# An abbreviation that always belongs to what follows it: a vitamin's letter, a number, a rank of a taxon's name.
_OPEN_END = lazy_pattern(
    r"(?:^|[\s(\[])(?:vit|subsp|ssp|bv|pv|cv|chr|chrom)\.$|(?:^|[\s(\[])(?:tab|fig|figs|suppl|ref|refs)\.$", re.I
)
_CLOSED_START = lazy_pattern(r"[A-K]\d{0,2}\b|S?\d|[a-z]")


_REFERS = lazy_pattern(r"\b(?:cf|suppl?|ext(?:d|ended)?|add(?:it)?)\.$", re.IGNORECASE)
_PLACE = lazy_pattern(r"(?:tab|fig|box|appendi|file|note|eq|ref|material|method|data|info|sect|chapter)", re.IGNORECASE)
"""What refers to another place, and where that is: "Suppl. | Table 3"."""
_BRACKET = 120
"""Characters: in longer brackets there may be sentences."""


def sentence_spans(text: str) -> list[Span]:
    """Spans `(start, end)` of the sentences of `text`, in code points.

    Spans are ordered, do not overlap, have no white space at their ends, and cover every other character of
    the text. A blank line always ends a sentence. A sentence can be of any length.
    """
    spans: list[Span] = []
    masked = _MARKS.sub(lambda run: "-" * len(run[0]), text)
    for start, end in _paragraphs(masked):
        if ROW in masked[start:end] and "\n" not in masked[start:end].strip():
            spans.append((start, end))
            continue
        for span in _sentences(masked, start, end):
            if spans and spans[-1][0] >= start and _belongs_together(masked, spans[-1], span):
                spans[-1] = (spans[-1][0], span[1])
            else:
                spans.append(span)
    return spans


def _paragraphs(text: str) -> Iterator[Span]:
    """Split at blank lines: the library sees them only after a letter, and many of them make it slow."""
    start = 0
    for blank in _BLANK_LINE.finditer(text):
        yield start, blank.start()
        start = blank.end()
    yield start, len(text)


def _sentences(text: str, start: int, end: int) -> Iterator[Span]:
    """The library's sentences of one paragraph, split where it missed a boundary."""
    forms = (
        (_AFTER_LETTER, _GLUED, _HEADED, _ITEM, _HEADING)
        if "\n" in text[start:end]
        else (_AFTER_LETTER, _GLUED, _HEADED, _ITEM)
    )
    missed = sorted(one.span("space") for form in forms for one in form.finditer(text, start, end))
    for first, last in _tokenizer().spans(text[start:end]):
        first, last = start + first, start + last
        for before, after in missed:
            if first < before and after < last:
                yield first, before
                first = after
        yield first, last


def _belongs_together(text: str, before: Span, after: Span) -> bool:
    """Whether a boundary is wrong: it cuts an abbreviation ("vit. | C", "Tab. | 3"), an address or a name."""
    if "\n" in text[before[1] : after[0]]:
        return False
    abbreviated = _OPEN_END.search(text, max(before[0], before[1] - 8), before[1])
    if abbreviated and _CLOSED_START.match(text, after[0], after[1]):
        return True
    refers = _REFERS.search(text, max(before[0], before[1] - 12), before[1])
    if (refers and _PLACE.match(text, after[0])) or _in_brackets(text, before, after):
        return True
    return unbroken(text, before, after)


def _in_brackets(text: str, before: Span, after: Span) -> bool:
    """Whether a boundary stands in brackets that are short: "none (cf. | Table 3)."."""
    tail, follows = text[max(before[0], before[1] - _BRACKET) : before[1]], text[after[0] : after[0] + _BRACKET]
    opened = tail.rfind("(")
    closed = follows.find(")")
    return opened > tail.rfind(")") and closed >= 0 and "(" not in follows[:closed] and "\n" not in follows[:closed]


@cache
def _tokenizer() -> Any:
    """A separate instance of the library's model, so that our abbreviations affect no other user of it."""
    import nupunkt  # imported late: a stored fact is in no text

    tokenizer = nupunkt.load_default_model()
    tokenizer.add_abbreviations(sorted(_SPECIAL["abbreviations"]))
    for word in _SPECIAL["whole"]:
        tokenizer.remove_abbreviation(word)
    tokenizer.paragraph_breaks = False
    tokenizer.line_breaks = True
    return tokenizer
