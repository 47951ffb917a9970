"""The ids that a text gives as its own, and not as those of a paper which it cites or comments on."""

import re
from collections.abc import Iterable, Iterator

from medground.corpus.readers.values import one_line, year_in
from medground.language.pattern import verbose_pattern
from medground.values.identifiers import papers_named, without_papers

_LABELS_OF_IDS = verbose_pattern(
    r"""
    \[?PubMed\ -\ indexed\ for\ MEDLINE\]?|\b(?:pub|med|line|pmc?id|pmc\d*|id|doi|org|dx|https?|www|epub|number|
    no)\b
    """
)
_CITED_AS = re.compile(r"[A-Z][^;]{1,80}\b\d{4}\b[^;]{0,12};[^;]{0,80}(?=\b(?:doi|PMID)\b)")
"""As databases print a record: `Thorax. 2011 Jan;66(1):1-9. doi: 10.1136/x. PMID: 12345678`."""
_LONGEST = 300
_OF_PUBMED = re.compile(r"(?:PubMed|MEDLINE)(?: (?:ID|number|no\.?))?\s?[:#]?\s?(?=\d{5,8}$)", re.IGNORECASE)
_AROUND = " *_<>[]()|"
"""Markup around a line."""


_OF_ANOTHER = verbose_pattern(
    r"""
    (?:an?\ |this\ |the\ )?(?:comment(?:s|ary)?\ (?:on|to)|(?:in\ )?(?:reply|response)\ to|re(?=\s*:)|regarding|
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
