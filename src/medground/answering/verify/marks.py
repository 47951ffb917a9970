"""Read citations out of a text: an id or a reference mark says where a fact is from, and states none."""

import re

from medground.answering.verify.named import author_years
from medground.answering.verify.references import plain, references
from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.values.evidence import Sentence

SUPERSCRIPT = verbose_pattern(
    r"""
    (?:(?<=[^\W\d_]{4})|(?<=[.,;:)\]”"’%]))[⁰¹²³⁴⁵⁶⁷⁸⁹]+(?:[,\s⁻–-]*[⁰¹²³⁴⁵⁶⁷⁸⁹]+)*|<sup>[\d\s,;–-]+</sup>|
    \^[\d,;–-]+\^
    """,
    0,
)
_KEY = verbose_pattern(
    r"""
    \s*\[\^[^\]\s]{1,40}\]|\s*\[-?@[^\]]{1,200}\]|\s*(?<!\w)-?@[\w:-]{2,60}|
    [\s~]*\\[cC]ite\w*\*?(?:\[[^\]]*\])*\{[^}]*\}
    """,
    0,
)
_NUMBER = verbose_pattern(
    r"""
    (?<![\d\s])\s*\[\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\]|
    (?<=[^\W\d_]{3})\s*\(\d{1,3}(?:\s*,\s*\d{1,3})*\)(?=\s*[.,;]?\s*$)|
    (?<=[^\W\d_]{3}[.,])\d{1,3}(?:[,–-]\d{1,3})*(?=\s|$)
    """,
    0,
)
_BESIDE = verbose_pattern(
    r"""
    \b(?:e\.?g|see|cf|also|and|in|as|an?|for|reviewed|review|from|PMIDs?|PMCIDs?|PMC|DOIs?|PubMed|IDs?|refs?|
    https?|doi\.org)\b
    """
)
_LABEL = lazy_pattern(r"[\s(\[]*\b(?:PMIDs?|PMCIDs?|DOIs?)\b[\s:#]*(?=[)\].,;]|$)[)\]]?", re.IGNORECASE)
_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_LETTER = re.compile(r"[^\W_]")
_SPACE_BEFORE = re.compile(r"\s+(?=[.,;:!?)\]]|$)|[;,]\s*(?=[)\]])")


def without_citations(text: str) -> str:
    """The text without ids, reference marks and authors with years.

    >>> without_citations("It fell by 12% (PMID: 25128022), as before [1,3-5].")
    'It fell by 12%, as before.'
    """
    for mark in (_KEY, SUPERSCRIPT, _NUMBER):
        text = mark.sub("", text)
    text = _BRACKETS.sub(lambda group: "" if _only_cites(group[0]) else group[0], text)
    for reference in _references(text):
        closed = r"\s?\)" if reference.count("(") > reference.count(")") else ""
        text = re.sub(re.escape(reference) + closed, "", text)
    return _SPACE_BEFORE.sub("", " ".join(_LABEL.sub("", text).split()))


def _references(text: str) -> list[str]:
    """The words of a text that refer to works, the longest first."""
    found = [*(reference.text for reference in references(text)), *(year.text for year in author_years(plain(text)))]
    return sorted(found, key=len, reverse=True)


def _only_cites(group: str) -> bool:
    """Whether what is in brackets refers to works and says nothing else."""
    found, rest = _references(group), group
    for reference in found:
        rest = rest.replace(reference, "")
    return bool(found) and not _LETTER.search(_BESIDE.sub("", rest))


def facts_of(sentence: Sentence) -> Sentence:
    """The sentence, or a statement of one, without citations; unchanged if nothing else is left."""
    text, within = without_citations(sentence.text), without_citations(sentence.within)
    if not text or text == sentence.text:
        return sentence
    place = {"within": within, "start": max(within.find(text), 0)} if sentence.within else {}
    return sentence.replace(text=text, **place)
