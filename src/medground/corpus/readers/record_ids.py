"""The ids of a record, in whichever of its fields an exporter has put them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Any

from medground.corpus.readers.values import one_line, pmid_of, year_in
from medground.corpus.retraction import is_retracted
from medground.language.pattern import verbose_pattern
from medground.values.identifiers import (
    KINDS,
    id_kind,
    named_pmid,
    normal_id,
    normal_identifiers,
    papers_named,
    pmid_in_address,
    without_papers,
)

_LABELS_OF_IDS = verbose_pattern(
    r"""
    \[?PubMed\ -\ indexed\ for\ MEDLINE\]?|\b(?:pub|med|line|pmc?id|pmc\d*|id|doi|org|dx|https?|www|epub|number|
    no)\b
    """
)
_CITED_AS = re.compile(r"[A-Z][^;]{1,80}\b\d{4}\b[^;]{0,12};[^;]{0,80}(?=\b(?:doi|PMID)\b)")
"""As databases print a record: `Thorax. 2011 Jan;66(1):1-9. doi: 10.1136/x. PMID: 12345678`."""
_LONGEST = 300
_OF_PUBMED = re.compile(r"(?i)(?:PubMed|MEDLINE)(?: (?:ID|number|no\.?))?\s?[:#]?\s?(?=\d{5,8}$)")
_AROUND = " *_<>[]()|"
"""Markup around a line."""


_OF_ANOTHER = verbose_pattern(
    r"""
    (?:an?\ |this\ |the\ )?(?:comment(?:s|ary)?\ (?:on|to|in)|(?:in\ )?(?:reply|response)\ to|re(?=\s*:)|regarding|
    refers?\ to|original\ (?:article|paper|publication|report)|(?:related|linked|cited|companion|commented|
    discussed)\ (?:article|paper)|(?:erratum|correction|corrigendum|retraction|expression\ of\ concern|update|
    letter)\ (?:for|in|of|on|to)|see\ also|compare\ with)\b\s*(?:the\ )?(?:article|paper|study)?s?
    """
)
_REACH = 3
"""Lines below `Comment on:` that may tell of the other paper."""
_LINK = re.compile(r"\[[^\[\]]{0,200}\]\((\S{1,300})\)")
"""A link of Markdown."""


def tells_of_another(line: str) -> bool:
    """Whether a line begins as one that tells of another paper: `Comment on`, `Erratum for`."""
    return _OF_ANOTHER.match(line.strip(_AROUND)) is not None


def without_others(lines: Iterable[str]) -> Iterator[str]:
    """These lines, each on one line, but for those that tell of another paper: `Comment on:`, and its ids below."""
    left = 0
    for line in (" ".join(given.split()) for given in lines):
        relation = _OF_ANOTHER.match(line.strip(_AROUND))
        rest = line.strip(_AROUND)[relation.end() :] if relation else ""
        if papers_named(line) if relation or left else False:
            left = 0  # they have come
        elif relation and (year_in(rest) or not any(map(str.isalnum, rest))):
            left = _REACH
        elif left and line:
            left -= 1
        else:
            yield line


def own_ids(lines: Iterable[str]) -> dict[str, str]:
    """The PMID, PMC id and DOI of the paper itself, by kind, from lines that hold nothing else; of several, none."""
    found: dict[str, set[str]] = {}
    for line in without_others(lines):
        if len(line) > _LONGEST or not any(letter.isdigit() for letter in line):
            continue
        line = _LINK.sub(r"\1", line).strip(_AROUND)
        line = _OF_PUBMED.sub("PMID: ", _CITED_AS.sub("", line, count=1), count=1)
        named = papers_named(line)
        if named and not re.search(r"[^\W_]", _LABELS_OF_IDS.sub(" ", without_papers(line))) and not line.isdigit():
            for kind, _, name in (one.partition(":") for names in named.values() for one in names):
                found.setdefault(kind, set()).add(name)
    return {kind: next(iter(names)) for kind, names in found.items() if len(names) == 1}


_TITLE = re.compile(r"\s*((?:\S+[ \t]+){3,40}\S*[^\s.:;,])[ \t]*(?:\n[ \t]*(?:\n|\Z)|\Z)")


def title_line(text: str) -> str:
    """The first line of a text if it stands by itself as a title does: some words, and no full stop or all capitals."""
    first, end, rest = text.partition("\n")
    found = _TITLE.match(f"{first.rstrip('. ')}{end}{rest}" if first.isupper() else text)
    return one_line(found[1]) if found and len(found[1]) <= _LONGEST and not own_ids([found[1]]) else ""


_PARTS = re.compile(r"[;,|\n]|\.\s")
_PLACES = re.compile(
    r"extra|(?:research_)?notes?|annote|custom\d|accession.*|ut|unique_id|u[12]|(?:.*_)?urls?(?:_\d)?|links?|"
    r"howpublished|call_number|(?:ris|enw|refworks|wos|cochrane|ovid)_(?!cr|ad|c1|ab|ti|t1|n2).{1,3}"
)
"""Fields in which reference managers keep the ids of a paper."""
_NOTES = re.compile(r".*notes?|extra|annote")
"""Fields that may also tell of other papers."""
_NUMBER = re.compile(r"(?i)(?:accession (?:number|no\.?|#):? )?([1-9]\d{6,7})")
_DATABASE = re.compile(r"database.*|db|dp")
_OF_NLM = re.compile(r"(?i)medline|pubmed|nlm|cmedm")
_MAY_NAME = re.compile(r"\d{7}|10\.\d{4}|PMC\d")


def identified(known: dict[str, Any], metadata: dict[str, Any]) -> dict[str, Any]:
    """The ids of a record by kind; they are taken out of `known`, and what is none of its kind becomes metadata.

    Two PMIDs or DOIs, and a retracted paper that another field names, are reported in its cautions.
    """
    given = known.get("identifiers")
    identifiers = normal_identifiers(given) if isinstance(given, Mapping) else {}
    told = given if isinstance(given := known.get("metadata"), Mapping) else {}
    places = [*metadata.items(), *told.items(), ("url", known.get("url"))]
    for name in KINDS:
        if name in known:
            given = known.pop(name)
            if value := pmid_of(given) if name == "pmid" else normal_id(name, one_line(given)):
                identifiers[name] = value
            else:
                metadata[name] = given
    said = [(place, text) for place, given in places if given and _PLACES.fullmatch(place) for text in _texts(given)]
    cautions: list[str] = []
    for place, text in said:
        for kind, value in _own(place, text):
            if identifiers.setdefault(kind, value) != value and kind != "pmc":
                cautions.append(_CONFLICT.format(kind.upper(), identifiers[kind], value, place))
    databases = " ".join(one_line(given) for place, given in places if given and _DATABASE.fullmatch(place))
    if "pmid" not in identifiers and (not databases or _OF_NLM.search(databases)):
        numbers = (found[1] for place, text in said for part in _PARTS.split(text) if (found := _number(place, part)))
        if number := next(numbers, None):
            identifiers["pmid"] = number
    cautions += _retracted_beside(said, {f"{kind}:{value}" for kind, value in identifiers.items()})
    if cautions:
        known["cautions"] = (*known.get("cautions", ()), *dict.fromkeys(cautions))
    return identifiers


_CONFLICT = "The record has two ids of one kind: {0} {1}, which was taken, and {2} in the field {3}"
_BESIDE = "The field {0} names {1}, which was retracted; check whether that is this paper"


def _texts(given: Any) -> list[str]:
    return [str(one) for one in given] if isinstance(given, list | tuple) else [str(given)]


def _own(place: str, text: str) -> Iterator[tuple[str, str]]:
    """The ids that a field gives as those of its record; addresses of PubMed too, where it holds no notes."""
    if not _MAY_NAME.search(text) and not named_pmid(text):
        return
    for part in takewhile(lambda part: not tells_of_another(part), _PARTS.split(text)):
        yield from ({"pmid": pmid} if (pmid := named_pmid(part)) else own_ids([part])).items()
    if not _NOTES.fullmatch(place):
        addressed = {pmid for word in re.split(r"[\s()\[\]<>\"']+", text) if (pmid := pmid_in_address(word))}
        yield from (("pmid", pmid) for pmid in addressed if len(addressed) == 1)


def _number(place: str, part: str) -> re.Match[str] | None:
    """A number that stands alone in a field of numbers, as Covidence and EBSCO have PMIDs."""
    found = _NUMBER.fullmatch(part.strip())
    is_labelled = found is not None and not part.strip().isdecimal()
    return found if place.startswith("accession") or (is_labelled and _NOTES.fullmatch(place)) else None


def _retracted_beside(said: list[tuple[str, str]], own: set[str]) -> Iterator[str]:
    """Of fields that name a paper which was retracted, and is not told to be that of the record."""
    for place, text in said:
        names = [name for found in papers_named(text).values() for name in found] if _MAY_NAME.search(text) else []
        names += [f"pmid:{number}" for number in re.findall(r"(?<![\w.])[1-9]\d{6,7}(?![\w.])", text)]
        yield from (_BESIDE.format(place, name) for name in names if name not in own and is_retracted(name))


_IDS = {"identifiers", "ids", "externalids", "external_ids", "articleids", "article_ids", "custom", "metadata"}


def ids_in(fields: Mapping[str, Any]) -> dict[str, str]:
    """The ids of the paper in fields that hold several: `{"pmid": 1}`, `[{"type": "pmid", "id": 1}]`, `["pmid:1"]`."""
    found: dict[str, str] = {}
    for value in () if _IDS.isdisjoint(fields) else [value for name, value in fields.items() if name in _IDS]:
        for name, one in _pairs(value):
            only = one[0] if isinstance(one, list) and len(one) == 1 else one
            if (kind := id_kind(name)) in KINDS and isinstance(only, str | int) and str(only).strip():
                found.setdefault(kind, str(only))
    own = fields.get("id")
    if str(fields.get("source")).strip().casefold() == "med" and "pmid" not in fields and isinstance(own, str | int):
        found.setdefault("pmid", str(own))  # Europe PMC's own form of a PubMed record
    return found


def _pairs(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, Mapping):
        return [(str(name), one) for name, one in value.items()]
    listed = value if isinstance(value, list) else []
    pairs: list[tuple[str, Any]] = [
        (one.partition(":")[0], one.partition(":")[2]) for one in listed if isinstance(one, str)
    ]
    for one in (one for one in listed if isinstance(one, Mapping)):
        kind = one.get("type") or one.get("idtype") or one.get("IdType") or one.get("kind")
        pairs.append((str(kind), one.get("id") or one.get("value") or one.get("Value")))
    return pairs
