"""References that a text makes to works, and its quoted passages compared with their sources, letter by letter."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import unescape
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote

from rapidfuzz import fuzz, process

from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.values.identifiers import normal_doi

UNSEEN = lazy_pattern(r"[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


class Reference(NamedTuple):
    """A reference to a work: its kind, its value in one form, and the words of the text that make it.

    Kinds: `pmid`, `pmc`, `doi`, `trial`, `cochrane`, `preprint`, `number` (an id of no named kind), `url`, and
    `printed` (`year;volume:page` or `journal year`).
    """

    kind: str
    value: str
    text: str


def plain(text: str) -> str:
    """Text whose look cannot hide an id: compatible characters are one, unseen ones are gone."""
    return UNSEEN.sub("", unicodedata.normalize("NFKC", text))


def references(text: str) -> list[Reference]:
    """The references in a text, in order, each once. What one pattern read is not read again by another."""
    rest = plain(text)
    found: list[tuple[int, Reference]] = []
    for form, pattern in _FORMS.items():
        for match in pattern.finditer(rest):
            found += [(match.start(), reference) for reference in _read(form, match)]
        rest = pattern.sub(lambda match: " " * len(match[0]), rest)
    return list(dict.fromkeys(reference for _, reference in sorted(found, key=lambda pair: pair[0])))


def cochrane_number(text: str) -> str | None:
    """The number of a Cochrane review, from its DOI or by itself, such as `CD001234`; versions are one review."""
    found = _FORMS["cochrane"].search(text)
    return f"CD{found[1]}" if found else None


def trial_numbers(text: str) -> set[str]:
    """The registration numbers of trials in a text, in one form."""
    return {_alone(match[0]) for match in _FORMS["trial"].finditer(plain(text))}


def address(url: str) -> str:
    """An address without scheme, `www.`, fragment and closing slash."""
    return re.sub(r"^(?:https?://)?(?:www\.)?", "", url.strip().casefold()).partition("#")[0].rstrip("/.,;:)]}'\"")


def _alone(text: str) -> str:
    """The letters and digits of an id, without what may be left out: the name of the EU's register, `number`."""
    return re.sub(r"(?i)EudraCT|EUCTR|EU CT|number|identifier|no\.?|nr\.?|[^A-Za-z0-9]", "", text).upper()


def _of_address(match: re.Match[str]) -> Iterator[Reference]:
    text = match[0].rstrip(".,;:)]}'\"”’")
    whole = unquote(text)
    for kind, pattern in _ADDRESSES.items():
        if found := pattern.search(whole):
            yield Reference(kind, found[1].upper(), text)
            return
    if doi := normal_doi(whole):
        yield _doi(doi, text)
    elif trials := trial_numbers(whole):
        yield Reference("trial", min(trials), text)
    else:
        yield Reference("url", address(whole), text)


def _doi(doi: str, text: str) -> Reference:
    review = cochrane_number(doi)
    return Reference("cochrane", review, text) if review else Reference("doi", doi, text)


def _of_doi(match: re.Match[str]) -> Iterator[Reference]:
    if doi := normal_doi(match[0]):
        yield _doi(doi, match[0].rstrip(".,;:)]}'\"”’"))


_ADDRESSES = {
    "pmid": verbose_pattern(
        r"""
    (?:pubmed\.gov|pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/(?:m/)?pubmed|europepmc\.org/(?:article|
    abstract)/med)/(?:\?term=)?0*(\d{1,9})
    """
    ),
    "pmc": lazy_pattern(r"/(PMC\d{3,9})", re.IGNORECASE),
}
"""Addresses of works by the kind of the id that they hold."""
_FORMS = {
    "address": verbose_pattern(
        r"""
        (?<![\w@])(?:https?://|www\.)[^\s<>\"“”]+|(?<![\w@./-])(?:[a-z0-9-]+\.){1,4}(?:org|com|gov|edu|net|int|info|
        eu|uk|de|io|fr|nl|ca|au|ch)/[^\s<>\"“”]+
        """
    ),
    "doi": verbose_pattern(
        r"""
        \b10\.\d{4,9}\s?/\s?[^\s<>\"“”]+
        """
    ),
    "pmid, named": verbose_pattern(
        r"""
        \b(?:PMIDs?|PubMed[\s-]?(?:IDs?|identifiers?|UIDs?|numbers?|no\.)|MEDLINE[\s-]?(?:IDs?|UIDs?))(?:\s(?:is|
        are|numbers?|no\.))?[\s:=#.–-]{0,4}(?P<numbers>0*\d{1,9}(?:\s?(?:,|;|/|and|&|
        ,\s?and)\s?\d{5,9})*)(?![\d.,]*\d)
        """
    ),
    "pmid, after PubMed": lazy_pattern(r"\bPubMed[\s:=#]{0,3}(?P<numbers>\d{5,9})\b", re.IGNORECASE),
    "pmc": verbose_pattern(
        r"""
        \b(?:PMC|PubMed[\s-]?Central)(?:[\s-]?ID|\snumber)?[\s:=#-]{0,3}(?:PMC[\s-]?)?(?P<numbers>\d{3,9})\b
        """
    ),
    "trial": verbose_pattern(
        r"""
        \b(?:NCT[\s:#-]{0,3}\d{6,9}|ISRCTN[\s:#-]{0,3}\d{5,9}|ChiCTR[\s:#-]{0,3}(?:[A-Z]{2,4}[\s-]?)?\d{6,12}|
        (?:EudraCT|EUCTR|EU\ CT)\s*(?:number|no\.?|nr\.?|identifier)?[\s:#]{0,3}\d{4}-\d{6}-\d{2}(?:-\d{2})?|(?:19|
        20)\d\d-\d{6}-\d{2}(?:-\d{2})?|ACTRN[\s:#-]{0,3}\d{10,15}|CTRI/\d{4}/\d{2,3}/\d{3,8}|
        DRKS[\s:#-]{0,3}\d{6,9}|IRCT[\s:#-]{0,3}\d{6,18}(?:N\d{1,3})?|jRCTs?[\s:#-]{0,3}\d{8,11}|
        (?:JPRN-)?UMIN(?:-CTR)?[\s:#-]{0,3}\d{6,9}|KCT[\s:#-]{0,3}\d{7}|PACTR[\s:#-]{0,3}\d{10,16}|RBR-\w{6,8}|
        SLCTR/\d{4}/\d{3}|TCTR[\s:#-]{0,3}\d{9,11}|NTR[\s:#-]{0,3}\d{3,5}|U1111-\d{4}-\d{4}|
        CRD[\s:#-]{0,3}\d{8,14})\b
        """
    ),
    "cochrane": lazy_pattern(r"(?<![A-Za-z0-9])CD[\s-]?(\d{6})(?:\.pub\d+)?(?!\d)", re.IGNORECASE),
    "preprint": lazy_pattern(r"\barXiv[\s:]{0,2}(\d{4}\.\d{4,5})", re.IGNORECASE),
    "number, of a database": lazy_pattern(
        r"\b(?:WOS|S2CID|CorpusID|ISBN|PPR|SSRN|EMBASE|PII)[\s:#]{0,3}[A-Z]?\d[\d()-]{4,18}[\dX]\b", re.IGNORECASE
    ),
    "number, in brackets": lazy_pattern(r"\[\s*(?P<numbers>\d{6,9}(?:\s?[,;]\s?\d{6,9})*)\s*\]"),
    "number, in parentheses": lazy_pattern(r"\(\s*(?P<numbers>\d{8})\s*\)"),
    "number, named": verbose_pattern(
        r"""
        \b(?:refs?\.?|references?|citations?|article|record|abstract|paper|ID)\s?(?:no\.?|number|
        ID)?[\s:=#]{0,3}(?P<numbers>\d{7,9})\b
        """
    ),
    "printed": verbose_pattern(
        r"""
        \b((?:19|
        20)\d\d)(?:\ [A-Z][a-z]{2}(?:\ \d{1,2})?)?\ ?;\ ?(\d{1,4})\ ?(?:\([^()]{1,15}\)\ ?)?:\ ?([A-Za-z]?\d{1,7})
        """,
        0,
    ),
    "printed, journal and year": verbose_pattern(
        r"""
        \b(NEJM|N\.?\ Engl\.?\ J\.?\ Med\.?|New\ England\ Journal\ of\ Medicine|Lancet(?:\ [A-Z]\w+){0,3}|
        JAMA(?:\ [A-Z]\w+){0,2}|BMJ|British\ Medical\ Journal|Ann(?:\.|als\ of)?\ Intern(?:\.|al)?\ Med(?:\.|
        icine)?|Cochrane\ Database(?:\ of)?\ Syst\w*\.?\ Rev\w*)[,.]?\s*\(?\s*((?:19|20)\d\d)\b
        """,
        0,
    ),
}
_VALUES: Mapping[str, Callable[[re.Match[str]], str]] = {
    "pmc": lambda match: f"PMC{match['numbers'].lstrip('0')}",
    "trial": lambda match: _alone(match[0]),
    "cochrane": lambda match: f"CD{match[1]}",
    "preprint": lambda match: f"ARXIV{match[1]}",
    "number, of a database": lambda match: _alone(match[0]),
    "printed": lambda match: f"{match[1]};{match[2]}:{match[3]}".upper(),
    "printed, journal and year": lambda match: f"{match[1]} {match[2]}",
}
"""The value of a reference, by its form; the other forms are addresses, DOIs and lists of numbers."""


def _read(form: str, match: re.Match[str]) -> Iterator[Reference]:
    kind, text = form.partition(",")[0], match[0].strip()
    if kind == "address":
        yield from _of_address(match)
    elif kind == "doi":
        yield from _of_doi(match)
    elif value := _VALUES.get(form):
        yield Reference(kind, value(match), text)
    else:  # one number or several after one name, as in `PMIDs 21645374 and 21645375`
        numbers = re.findall(r"\d+", match["numbers"])
        for number in numbers:
            yield Reference(kind, number.lstrip("0") or "0", text if len(numbers) == 1 else number)


LEAST_WORDS = 4
"""Words of a passage in quotes that is compared; fewer are a term, such as “number needed” or “gold standard”."""
_LEAST_ALIKE = 75
"""Minimum likeness, 0 to 100, of a passage to the sentence that it was altered from."""
_MOST_ENDS = 12
"""Marks after an opening single quote that are tried as its end; the others are apostrophes."""
_LOOKS = str.maketrans(
    dict.fromkeys("‐‑‒–—―−﹣－", "-")
    | dict.fromkeys("‘’‚‛′`´", "'")
    | dict.fromkeys("“”„‟″«»", '"')
    | {"×": "x", "·": ".", "⋅": "."}
)
_SPACED = lazy_pattern(r"\s*([%<>=≤≥±/()\[\],;:+])\s*|\s*(-)\s+|\s+(-)(?!\d)")
"""Signs around which spaces do not count; a space before a minus does, because `-5` is not `5`."""
_GAP = lazy_pattern(r"\w*\[[^\]]*\]\w*|\(\s*(?:\.\s?){3,}\)|(?:\.\s?){3,}|…")
_DOUBLE = lazy_pattern(r"“([^“”]*)(?:”|$)|„([^„“”]*)(?:[“”]|$)|^([^“”]*)”")
_STRAIGHT = lazy_pattern(r'(?<![\w"])"(?=\S)([^"]*)(?:"|$)')
_OTHER_MARKS = lazy_pattern(r"``|''|(?<!\w)[«‹]\s+|\s+[»›](?!\w)|[«»‹›「」『』《》＂]")
"""Marks of LaTeX and of other languages, which are read as straight ones; French puts spaces inside."""
_SINGLE = lazy_pattern(r"(?<![\w'])[‘'‚‛](?=\w)")
_SINGLE_END = lazy_pattern(r"(?<=[\w.,;:!?%)])[’'‘](?!\w)")


def altered_quotations(sentence: str, sources: Iterable[str]) -> list[str]:
    """The quoted passages of a sentence that none of the sources contains."""
    passages = list(_passages(_OTHER_MARKS.sub('"', sentence)))
    if not passages:
        return []
    texts = [_normal(source) for source in sources]
    return [readings[0] for readings in passages if not any(_is_in(r, text) for r in readings for text in texts)]


def stands_in(passage: str, text: str) -> bool:
    """Whether a passage stands in a text, but for its gaps, as whole words and numbers."""
    return _is_in(passage, _normal(text))


def quotations(sentence: str) -> list[str]:
    """The passages of a sentence in quotation marks that are long enough to be compared."""
    return [readings[0] for readings in _passages(_OTHER_MARKS.sub('"', sentence))]


def nearest(passage: str, sentences: Iterable[str]) -> str:
    """The sentence that a passage was probably altered from; empty if none is like it."""
    wanted = _normal(_GAP.sub(" ", passage))
    found = process.extractOne(wanted, list(sentences), scorer=fuzz.partial_ratio, processor=_normal)
    return found[0] if found and found[1] >= _LEAST_ALIKE and len(_normal(found[0])) >= len(wanted) // 2 else ""


def _passages(sentence: str) -> Iterator[list[str]]:
    """The passages in quotes that are long enough, each with its readings: a single quote may be a possessive."""
    for pattern in (_DOUBLE, _STRAIGHT):
        for match in pattern.finditer(sentence):
            passage = next(group for group in match.groups() if group is not None)
            if _is_long(passage):
                yield [passage.strip()]
    end = 0
    for opening in _SINGLE.finditer(sentence):
        if opening.start() < end:
            continue
        closings = list(islice(_SINGLE_END.finditer(sentence, opening.end()), _MOST_ENDS))
        readings = [sentence[opening.end() : close.start()].strip() for close in closings]
        if readings and _is_long(readings[-1]):
            yield [*(r for r in readings if _is_long(r)), *([] if _is_long(readings[0]) else readings[:1])]
            end = closings[-1].end()


def _is_long(passage: str) -> bool:
    return len(passage.split()) >= LEAST_WORDS


def _is_in(passage: str, text: str) -> bool:
    """Whether the parts of a passage, between its gaps, stand in a normalised text in this order, as whole words."""
    at = 0
    for part in _GAP.split(passage):
        wanted = _normal(part).strip(" .,;:!?'\"")
        if not wanted:
            continue
        place = _whole(wanted, text, at)
        if place is None:
            return False
        at = place + len(wanted)
    return True


def _whole(wanted: str, text: str, at: int) -> int | None:
    """Where a part stands in a text as whole words and whole numbers, from a position on."""
    while (place := text.find(wanted, at)) >= 0:
        before, after = text[max(place - 2, 0) : place], text[place + len(wanted) : place + len(wanted) + 2]
        if not _cuts(before[::-1], wanted[0]) and not _cuts(after, wanted[-1]):
            return place
        at = place + 1
    return None


def _cuts(beside: str, edge: str) -> bool:
    """Whether a part ends within a word or a number: `5 %` of `25 %`, `5` of `0.5`, and 5 of -5 are other figures."""
    if not beside or not edge.isalnum():
        return False
    if beside[0].isalnum():
        return True
    more = beside[1:2].isdigit() or beside[:2] == "- "
    return edge.isdigit() and beside[0] in ".,-" and more


def _normal(text: str) -> str:
    folded = unicodedata.normalize("NFKC", unescape(text).translate(_LOOKS)).translate(_LOOKS)
    return _SPACED.sub(r"\1\2\3", " ".join(UNSEEN.sub("", folded).casefold().split()))
