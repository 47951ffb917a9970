"""Records that are never evidence: retracted papers, and notices about other papers. They are set aside before
reading, but shown.

A retraction notice, an expression of concern and an erratum repeat the claim of a paper in order to withdraw, question
or correct it. A record may say what it is in its publication types, or only in its title. A paper may also have been
retracted since its record was read: `marked` looks it up in the list of `medground/data`, which
`scripts/make_retracted.py` makes. Every document, passage and kept answer passes it when it is read, so that a longer
list holds at once.
"""

from __future__ import annotations

import gzip
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from medground.values.document import Document, Hit, Passage, Retraction

if TYPE_CHECKING:
    from medground.values.answer import SourceDocument

Said = Literal["retracted", "removed", "notice", "concern", "erratum", "in doubt"]
RETRACTED = "retracted"
REMOVED = "removed by its publisher"
NOTICE = "a retraction notice"
CONCERN = "an expression of concern"
ERRATUM = "an erratum"
ON_THE_LIST = "It is on the list of retracted papers, regardless of what the record itself says."

_REASONS: Mapping[Said, str] = {
    "retracted": RETRACTED,
    "removed": REMOVED,
    "notice": NOTICE,
    "concern": CONCERN,
    "erratum": ERRATUM,
}
"""Why a record that is said to be so is not evidence."""
_STATES: Mapping[str | None, Retraction] = {RETRACTED: "retracted", NOTICE: "notice"}


def _forms() -> dict[str, str]:
    """The forms of `retraction_words.txt` by their headings, as patterns."""
    found: dict[str, list[str]] = {}
    forms: list[str] = []
    for line in (files(__package__) / "retraction_words.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            forms = found.setdefault(line[1:].split("]")[0], [])
        elif line and not line.startswith("#"):
            forms.append(line.replace("(", "(?:"))
    return {heading: f"(?:{'|'.join(forms)})" for heading, forms in found.items()}


_FORMS = _forms()
_KINDS: Mapping[Said, re.Pattern[str]] = {
    "retracted": re.compile(f"{_FORMS['kind retracted']}|{_FORMS['retracted']}", re.IGNORECASE),
    "notice": re.compile(f"{_FORMS['kind notice']}|{_FORMS['notice']}", re.IGNORECASE),
    "concern": re.compile(_FORMS["kind concern"], re.IGNORECASE),
    "erratum": re.compile(_FORMS["kind erratum"], re.IGNORECASE),
}


@lru_cache(maxsize=4096)
def said_alone(words: str) -> Said | None:
    """What words by themselves say, without the punctuation around them; None if they are no such form."""
    return next((said for said, kind in _KINDS.items() if kind.fullmatch(words)), None)


# What the title of a record says of it: that its paper was retracted, or that it is a notice about another.

_DONE = r"(?:retracted|withdrawn)"
_TITLES = tomllib.loads((files(__package__) / "retraction_titles.toml").read_text(encoding="utf-8"))
_NAMED = {**_FORMS, "done": _DONE, **_TITLES["parts"]}


def _pattern(forms: Sequence[str]) -> str:
    return re.sub("<([a-z]+)>", lambda found: str(_NAMED[found[1]]), "|".join(forms))


_PATTERNS: Mapping[Said, tuple[re.Pattern[str], re.Pattern[str]]] = {
    said: (
        re.compile(rf"\W*(?:{_pattern(forms)})", re.IGNORECASE),
        re.compile(_pattern(_TITLES["tails"][said]), re.IGNORECASE),
    )
    for said, forms in _TITLES["heads"].items()
}
_WORTH_A_LOOK = re.compile(
    r"retra|r[ée]tra|withdraw|remov|concern|errat|corri|correct|\bvol\b|addend|[^\x00-\x7f]|retir|rit[ir]|ingetr|terugg"
    r"|geri|wycof|tillbaka|trukket|bericht|rectif|widerruf|(?:\b\w ){5}|\bfe de\b",
    re.IGNORECASE,
)
_TAGS = re.compile(r"</?(?:b|i|em|strong|u|sup|sub|p|span)\b[^<>]{0,80}>", re.IGNORECASE)
_SPACED = re.compile(r"\b(?:[A-Z] ){6,}[A-Z]\b")
_LONGEST = 5_000


@lru_cache(maxsize=4096)
def said_by(title: str) -> Said | None:
    """What a title says of its record; None of a paper like any other."""
    if not _WORTH_A_LOOK.search(title):
        return None
    plain = "".join(c for c in unicodedata.normalize("NFKC", title[:_LONGEST]) if unicodedata.category(c) != "Cf")
    plain = _SPACED.sub(lambda found: found[0].replace(" ", ""), _TAGS.sub("", " ".join(plain.split())))
    headed = (said for said, (head, _) in _PATTERNS.items() if head.match(plain))
    return next(headed, None) or next((said for said, (_, tail) in _PATTERNS.items() if tail.search(plain)), None)


_PARTS = re.compile(r"[;|,()\[\]]")
_NOT_IN_A_TYPE = re.compile(r"[^\w'’]+|_+")


R = TypeVar("R", Document, Passage, "SourceDocument")
Record: TypeAlias = "Document | Passage | SourceDocument"


@cache
def listed() -> Mapping[str, Retraction]:
    """What the list says of papers, by their names as `Document.paper` has them. It is read at the first look-up."""
    packed = files("medground.data").joinpath("retracted.txt.gz").read_bytes()
    retracted, concern = gzip.decompress(packed).decode().split("\n\n")
    return {**dict.fromkeys(retracted.split(), "retracted"), **dict.fromkeys(concern.split(), "concern")}


def state_of(record: Record) -> Retraction:
    """What is known of a record today, by its own words and by the list of retracted papers; the gravest counts.

    A notice stays one: it reports a retraction, and some lists name it along with the paper.
    """
    if record.retraction in ("retracted", "notice"):
        return record.retraction
    if said := _STATES.get(why_aside(record)):
        return said
    known = [listed().get(name) for name in record.paper]
    return "retracted" if "retracted" in known else "concern" if "concern" in known else record.retraction


def marked(record: R) -> R:
    """The record with its state today, and with a caution where only the list tells of its retraction."""
    now = state_of(record)
    if now == record.retraction:
        return record
    changes: dict[str, Any] = {"retraction": now}
    if now == "retracted" and not isinstance(record, Passage) and why_aside(record) is None:
        changes["cautions"] = tuple(dict.fromkeys([*record.cautions, ON_THE_LIST]))
    return record.model_copy(update=changes)


def marked_hit(hit: Hit) -> Hit:
    """The hit with its passage as `marked`."""
    passage = marked(hit.passage)
    return hit if passage is hit.passage else hit.model_copy(update={"passage": passage})


def why_aside(record: Record) -> str | None:
    """Why a record is not evidence, such as `retracted` or `a retraction notice`; None if it may be.

    A paper with a published expression of concern may be evidence; readers are warned.
    """
    if record.retraction in ("retracted", "notice"):
        return _REASONS[record.retraction]
    return (_said_of(record.publication_types) or (None,))[0] or _REASONS.get(said_by(record.title) or "in doubt")


def state_of_types(kinds: Iterable[str]) -> Retraction:
    """What publication types alone say of a record: that it is retracted, or a retraction notice."""
    return next(filter(None, map(_STATES.get, _said_of(tuple(kinds)))), "none")


def doubt(record: Record) -> str | None:
    """What a reader must check of a record that may be evidence; None if there is nothing."""
    if record.retraction == "concern":
        return "has a published expression of concern"
    if why_aside(record) is None and said_by(record.title) == "in doubt":
        return "its title suggests a notice about another paper"
    return None


@lru_cache(maxsize=4096)
def _said_of(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Why a record of these publication types is not evidence: `Retracted_Article.` is read as `retracted article`."""
    parts = (_NOT_IN_A_TYPE.sub(" ", part).strip().casefold() for kind in kinds for part in _PARTS.split(kind))
    return tuple(_REASONS[said] for part in parts if (said := said_alone(part)))


def set_aside(hits: Sequence[Hit]) -> tuple[list[Hit], dict[str, str]]:
    """The hits that may be evidence, and why the others may not, by document id in rank order.

    It is enough that one source reports a retraction: an older corpus may not know of it yet.
    """
    reasons: dict[str, str] = {}
    for hit in hits:
        if reason := why_aside(hit.passage):
            reasons.setdefault(hit.passage.document_id, reason)
    return [hit for hit in hits if hit.passage.document_id not in reasons], reasons


# Marks that a file bears when its paper was retracted: a banner above its text, a running head, a watermark.

_PAPER = r"(?:article|paper|chapter|manuscript|study|preprint|publication|review|letter)"
_ALONE = re.compile(rf"(?:(?:this )?{_PAPER} )?(?:has been )?{_DONE}(?: {_PAPER})?(?: \d{{4}})?", re.IGNORECASE)
_SENTENCE = re.compile(
    rf"\W*(?:\w+: )?(?:this|the above) {_PAPER} (?:has been|was|is) {_DONE}"
    r"(?=\W*$|\s*[.:;,!(]| (?:by|at|because|due|following|from|on|in|see|and)\b)"
    rf"|\W*(?:the |a )?retraction (?:note|notice) (?:to|for|of) this {_PAPER}\b",
    re.IGNORECASE,
)
_OUTSIDE = " \t\n*_#=~|.:!<>[](){}【】（）-–—"
_LONGEST_BANNER = 600
_SHOWN = 100
_ABOVE = 5


def is_banner(line: str) -> bool:
    """Whether a line that stands by itself says that its paper was retracted.

    `RETRACTED ARTICLE` and `This article has been retracted.` do; a sentence on retracted articles does not.
    """
    words = " ".join(line.split())
    if not words or len(words) > _LONGEST_BANNER:
        return False
    return bool(_SENTENCE.match(words)) or is_stamp(words)


def is_stamp(words: str) -> bool:
    """Whether the words of a watermark or a banner are no more than that the paper was retracted."""
    plain = " ".join(words.strip(_OUTSIDE).split())
    return bool(_ALONE.fullmatch(plain)) or said_alone(plain) == "retracted"


def above(lines: Iterable[str]) -> Iterator[str]:
    """The first lines of a text, where a banner stands."""
    return islice(filter(None, (line.strip() for line in lines)), _ABOVE)


def banner_fields(lines: Iterable[str]) -> dict[str, Any]:
    """The fields of a document that says of itself in one of these lines that it was retracted; none if no line does.

    A line may also be the title, or a running head with it: `RETRACTED: Aspirin and stroke`.
    """

    def says_so(line: str) -> bool:  # a sentence that ends in a full stop is not a title
        return is_banner(line) or (not line.rstrip().endswith(".") and said_by(line) == "retracted")

    found = next(filter(says_so, lines), None)
    if found is None:
        return {}
    words = " ".join(found.split())
    shown = words if len(words) <= _SHOWN else f"{words[:_SHOWN].rpartition(' ')[0]} …"
    return {"retraction": "retracted", "cautions": (f"The file is marked as retracted: “{shown}”",)}
