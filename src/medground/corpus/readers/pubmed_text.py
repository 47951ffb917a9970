"""PubMed's own text files, record by record: "Abstract" and "Summary"; and PubTator's. A list of ids holds no text.

The parts of a record are given the tags that PubMed's format `.nbib` has for them, and read as such a record.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from medground.corpus.readers.base import Item
from medground.corpus.readers.compose import plain_lines_of
from medground.corpus.readers.lines import made, tried
from medground.corpus.readers.tagged import tagged_document
from medground.corpus.readers.tagged_forms import FORMS, Tags
from medground.errors import BadDocument
from medground.values.document import Document

Pair = tuple[str, list[str]]
_BEGINS = re.compile(r"^(\d+)([.:]) (?=\S)", re.MULTILINE)
_ENDS = re.compile(r"\bPMID: ?\d{1,8}(?:; PMCID: ?PMC\d+)?(?:; [^;]{1,40})?\.?\s*\Z")
"""How a record of "Summary" ends; they may stand without numbers."""
_BLANK = re.compile(r"\n\s*\n")
_PMID = re.compile(r"\bPMID:\s?\d{1,8}\b")
_PLACE = re.compile(
    r"(?P<TA>[^\W\d_][^.;]{0,150}(?:\. ?\([^)]{0,80}\))?)\. (?P<DP>(?:1[89]|20)\d\d\b[^;:.]{0,30})"
    r"(?:;(?P<VI>[^(:.;\s]*)(?: ?\((?P<IP>[^)]*)\))?(?::(?P<PG>[^.;]*))?)?\."
)
"""`Inv Sleep. 2020 Mar;3(2):12-20.`: the journal, the date, and where in it."""
_IDS = {
    "PMID": re.compile(r"\bPMID: ?(\d{1,8})\b"),
    "PMC": re.compile(r"\bPMCID: ?(PMC\d+)"),
    "LID": re.compile(r"(?i)\bdoi: ?(10\.\S+?)[.;,]?(?=\s|$)"),
}
_OWN_IDS = re.compile(r"(?i)(?:doi|pmcid|pmid): ?\S")
"""How the ids of a record begin, below its abstract; above it stand those of papers that comment on it."""
_LINKS = {
    "comment on": "CON", "comment in": "CIN", "erratum in": "EIN", "erratum for": "EFR", "update in": "UIN",
    "update of": "UOF", "retraction in": "RIN", "retraction of": "ROF", "expression of concern in": "ECI",
}  # fmt: skip
_LINK = re.compile(rf"(?i)({'|'.join(_LINKS)})\s*:?\s")
_BESIDE = re.compile(
    r"author information:|conflict of interest|(?:copyright|©)|publication types?:|mesh terms?:|substances:|"
    r"(?:doi|pmcid|pmid): ?\S|grants?(?: support)?:|collaborators?:|\[article in|supplementary|\(c\)",
    re.IGNORECASE,
)
_OF_NAME = re.compile(r"\(\d+\)")
_NAME = re.compile(r"[^\W\d_][\w'’ -]* [A-Z]{1,4}(?: (?:Jr|Sr|\dr?[dnt][dh]?))?|\[No authors listed\]")
_LONGEST_NAME = 12
_LISTED = re.compile(
    r"\s*(?:#[^\n]*\n)*(?:\"?(?:pmids?|pmcids?|dois?)\"?\s+)?"
    r"(?:\"?(?:(?:pmid|doi):? ?|https?://[\w.]+/(?:articles/)?)?"
    r"(?:[1-9]\d{3,7}|PMC\d+|10\.\d{4,9}/[^\s,;\"]+)/?\"?(?:[\s,;]+|\Z))+",
    re.IGNORECASE,
)
_IDS_ALONE = (
    "a list of ids (PMIDs, PMC ids or DOIs), which holds no text; export the records from PubMed as .nbib, "
    "or look the papers up by their ids"
)
_PUBTATOR = re.compile(r"^(\d{1,8})\|t\|(.*)(?:\n\1\|a\|(.*))?", re.MULTILINE)
"""A record of PubTator; its annotations follow line by line."""
_SAMPLE = 20_000


def pubmed_text_format(start: str) -> str | None:
    """`pubmed-abstract`, `pubmed-summary` or `pubtator` where the start of a file is in one of them; None otherwise.

    Raises ValueError: it is a list of ids.
    """
    if _LISTED.fullmatch(start[:_SAMPLE]) and len(start.split()) > 1:
        raise ValueError(_IDS_ALONE)
    start = start.strip("\ufeff\r\n ")
    if _PUBTATOR.match(start):
        return "pubtator"
    first = _BEGINS.match(start)
    if first is None:
        blocks = _BLANK.split(start)
        are_records = (_ENDS.search(block) and _PLACE.search(block) for block in blocks[:-1] or blocks)
        return "pubmed-summary" if all(are_records) else None
    if first[1] != "1" or not _PMID.search(start):
        return None
    return "pubmed-abstract" if first[2] == "." else "pubmed-summary"


def read_pubmed_text(path: Path, summary: bool) -> Iterator[Item]:
    """The records of a file in one of the two formats; the position of a bad one is its line."""
    text = plain_lines_of(path)
    if summary and not _BEGINS.match(text.lstrip()) and _PMID.search(text):
        text = "\n\n".join(f"{number}: {block}" for number, block in enumerate(_BLANK.split(text.strip()), start=1))
    if not _BEGINS.search(text):
        raise BadDocument("no record of PubMed is in the file", file=path)
    yield from tried((_document(record, line, path, summary) for line, record in _records(text)), path, "records")


def read_pubtator(path: Path) -> Iterator[Item]:
    """The titles and abstracts of PubTator's own form (`PMID|t|...`), without its annotations."""
    text = plain_lines_of(path)
    for found in _PUBTATOR.finditer(text):
        pairs = [(tag, [said]) for tag, said in zip(("PMID", "TI", "AB"), found.groups(""), strict=True) if said]
        line = text.count("\n", 0, found.start()) + 1
        yield made(partial(tagged_document, Tags(pairs, FORMS["nbib"]), "nbib"), path, line)


def _records(text: str) -> Iterator[tuple[int, str]]:
    """The line on which each record begins, and the record: they are numbered from 1."""
    starts: list[re.Match[str]] = []
    for found in _BEGINS.finditer(text):
        if int(found[1]) == len(starts) + 1 and (not starts or _PMID.search(text, starts[-1].end(), found.start())):
            starts.append(found)
    ends = [*(found.start() for found in starts[1:]), len(text)][: len(starts)]
    for found, end in zip(starts, ends, strict=True):
        yield text.count("\n", 0, found.start()) + 1, text[found.end() : end]


def _document(record: str, line: int, path: Path, summary: bool) -> Document | BadDocument:
    blocks = [" ".join(block.split()) for block in _BLANK.split(record) if block.strip()]
    pairs = _summary(" ".join(blocks)) if summary else _abstract(blocks)
    told = next((block for block in reversed(blocks) if _OWN_IDS.match(block)), " ".join(blocks))
    found = {tag: pattern.search(told) for tag, pattern in _IDS.items()}
    pairs += [(tag, [match[1] + " [doi]" * (tag == "LID")]) for tag, match in found.items() if match]
    return made(partial(tagged_document, Tags(pairs, FORMS["nbib"]), "nbib"), path, line)


def _abstract(blocks: Sequence[str]) -> list[Pair]:
    """Where it is printed, the title, the authors; then the paragraphs of the abstract, and what stands beside it."""
    place, title, *rest = [*blocks, "", ""][: max(2, len(blocks))]
    pairs = [*_printed(place), ("TI", [title])]
    if rest and (authors := _names(rest[0])):
        pairs += authors
        rest = rest[1:]
    abstract: list[str] = []
    for block in rest:
        if link := _LINK.match(block):
            pairs.append((_LINKS[link[1].casefold()], [block[link.end() :]]))
        elif not _BESIDE.match(block):
            abstract.append(block)
    return [*pairs, ("AB", abstract)] if abstract else pairs


def _printed(place: str) -> list[Pair]:
    found = _PLACE.match(place)
    return [(tag, [value]) for tag, value in found.groupdict().items() if value] if found else []


def _names(block: str) -> list[Pair]:
    """The authors of a block that holds nothing but their names."""
    names = [name.strip(" .") for name in re.split(r"[,;]", _OF_NAME.sub("", block)) if name.strip(" .")]
    are_names = bool(names) and _NAME.fullmatch(names[0]) and all(len(name.split()) <= _LONGEST_NAME for name in names)
    return [("AU" if _NAME.fullmatch(name) else "CN", [name]) for name in names if name[0] != "["] if are_names else []


def _summary(record: str) -> list[Pair]:
    """Authors, title and place, in one sentence each."""
    authors, _, rest = record.partition(". ")
    pairs = _names(authors)
    rest = rest if pairs or authors.startswith("[") else record
    places = [*_PLACE.finditer(rest)]
    title = rest[: places[-1].start()] if places else rest
    return [*pairs, ("TI", [title.strip()]), *(_printed(rest[places[-1].start() :]) if places else [])]
