"""What a file or a record says against itself: that its paper was retracted, and text that nobody can see."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from medground.corpus.readers.values import listed
from medground.corpus.retraction_words import said_alone, said_by
from medground.values.document import Retraction
from medground.values.identifiers import KINDS, id_kind

# What records of databases say in fields of their own: that a paper was retracted, and which ids it has.

_FLAGS = frozenset(["is_retracted", "isretracted", "retracted", "is_withdrawn", "withdrawn"])
_STATUS = frozenset(["status", "pubstate", "publication_status", "article_status", "retraction_status", "retraction"])
_NATURES = frozenset(["retractionnature", "retraction_nature"])
"""As the list of Retraction Watch names what befell a paper."""
_CORRECTIONS = frozenset(["retraction in", "retracted and republished in"])
"""As Europe PMC names the records that retract a paper."""
_SO = frozenset(["true", "yes", "y", "1", "retracted", "withdrawn"])
_UPDATES: Mapping[str, Retraction] = {"updated_by": "retracted", "update_to": "notice"}
_TYPES: Mapping[str, Retraction] = {"retraction": "notice", "retracted-article": "retracted"}
_LABELS = frozenset(["retracted publication", "retracted article"])
"""Publication types that reference managers keep among the keywords."""
_UPDATED = frozenset(["retraction", "withdrawal", "removal"])
_IDS = frozenset(
    ["identifiers", "ids", "externalids", "external_ids", "articleids", "article_ids", "custom", "metadata"]
)
_TELLING = frozenset(["keywords", "type", "relation", "commentcorrectionlist", *_UPDATES, *_FLAGS, *_STATUS, *_NATURES])
"""The fields that may say what befell a paper; most records have none."""


def state_in(fields: Mapping[str, Any]) -> Retraction | None:
    """What these fields say of the paper, by their names in lower case with underscores; None if they say nothing."""
    if _TELLING.isdisjoint(fields):
        return None
    for name, value in fields.items():
        if name in _FLAGS and _word(value) in _SO:
            return "retracted"
        if name in _STATUS and _word(value) in ("retracted", "withdrawn"):
            return "retracted"
        if name == "keywords" and any(_word(word) in _LABELS for word in listed(value)):
            return "retracted"
        if name == "type" and (state := _TYPES.get(_word(value))):
            return state
        if name in _NATURES and _word(value) == "retraction":
            return "retracted"
        if name == "retraction" and isinstance(value, Mapping) and value:
            return "retracted"
        if name == "relation" and isinstance(value, Mapping) and value.get("is-retracted-by"):
            return "retracted"
        if name == "commentcorrectionlist" and isinstance(value, Mapping):  # Europe PMC wraps its lists in objects
            inner = [one for part in value.values() for one in _objects(part)]
            if any(_word(one.get("type")) in _CORRECTIONS for one in inner):
                return "retracted"
        if name in _UPDATES and any(_word(one.get("type")) in _UPDATED for one in _objects(value)):
            return _UPDATES[name]
    return None


def ids_in(fields: Mapping[str, Any]) -> dict[str, str]:
    """The ids of the paper in fields that hold several: `{"pmid": 1}`, `[{"type": "pmid", "id": 1}]`, `["pmid:1"]`."""
    found: dict[str, str] = {}
    for value in () if _IDS.isdisjoint(fields) else [value for name, value in fields.items() if name in _IDS]:
        for name, one in _pairs(value):
            only = one[0] if isinstance(one, list) and len(one) == 1 else one
            if (kind := id_kind(name)) in KINDS and isinstance(only, str | int) and str(only).strip():
                found.setdefault(kind, str(only))
    if (
        "source" in fields
        and _word(fields["source"]) == "med"
        and "pmid" not in fields
        and isinstance(fields.get("id"), str | int)
    ):
        found.setdefault("pmid", str(fields["id"]))  # Europe PMC's own form of a PubMed record
    return found


def _pairs(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, Mapping):
        return [(str(name), one) for name, one in value.items()]
    texts = [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
    pairs: list[tuple[str, Any]] = [(kind, name) for kind, _, name in (text.partition(":") for text in texts)]
    for one in _objects(value):
        kind = one.get("type") or one.get("idtype") or one.get("kind")
        pairs.append((str(kind), one.get("id") or one.get("value")))
    return pairs


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _word(value: Any) -> str:
    return str(value).strip().casefold() if isinstance(value, str | int | bool) else ""


# Marks that a file bears when its paper was retracted: a banner above its text, a running head, a watermark.

_THING = r"(?:article|paper|chapter|manuscript|study|preprint|publication|review|letter)"
_DONE = r"(?:retracted|withdrawn)"
_ALONE = re.compile(rf"(?:(?:this )?{_THING} )?(?:has been )?{_DONE}(?: {_THING})?(?: \d{{4}})?", re.IGNORECASE)
_SENTENCE = re.compile(
    rf"\W*(?:\w+: )?(?:this|the above) {_THING} (?:has been|was|is) {_DONE}"
    r"(?=\W*$|\s*[.:;,!(]| (?:by|at|because|due|following|from|on|in|see|and)\b)"
    rf"|\W*(?:the |a )?retraction (?:note|notice) (?:to|for|of) this {_THING}\b",
    re.IGNORECASE,
)
_OUTSIDE = " \t\n*_#=~|.:!<>[](){}【】（）-–—"
_LONGEST = 600
_SHOWN = 100
_ABOVE = 5


def is_banner(line: str) -> bool:
    """Whether a line that stands by itself says that its paper was retracted.

    `RETRACTED ARTICLE` and `This article has been retracted.` do; a sentence on retracted articles does not.
    """
    words = " ".join(line.split())
    if not words or len(words) > _LONGEST:
        return False
    return bool(_SENTENCE.match(words)) or is_stamp(words)


def is_stamp(words: str) -> bool:
    """Whether the words of a watermark or a banner are no more than that the paper was retracted."""
    plain = " ".join(words.strip(_OUTSIDE).split())
    return bool(_ALONE.fullmatch(plain)) or said_alone(plain) == "retracted"


def above(lines: Iterable[str]) -> Iterator[str]:
    """The first lines of a text, where a banner stands."""
    return islice(filter(None, (line.strip() for line in lines)), _ABOVE)


def marked(lines: Iterable[str]) -> dict[str, Any]:
    """The fields of a document that says of itself in one of these lines that it was retracted; none if no line does.

    A line may also be the title, or a running head with it: `RETRACTED: Aspirin and stroke`.
    """

    def says_so(line: str) -> bool:  # a sentence that ends in a full stop is no title
        return is_banner(line) or (not line.rstrip().endswith(".") and said_by(line) == "retracted")

    found = next(filter(says_so, lines), None)
    if found is None:
        return {}
    words = " ".join(found.split())
    shown = words if len(words) <= _SHOWN else f"{words[:_SHOWN].rpartition(' ')[0]} …"
    return {"retraction": "retracted", "cautions": (f"The file is marked as retracted: “{shown}”",)}


# What is said of text in a file that nobody can see: it is left out of the document, and its reader is warned.

_WORDS = 4
_LONGEST_QUOTED = 100


def caution_on_hidden(pieces: Sequence[str], where: str, why: str = "") -> tuple[str, ...]:
    """One caution on these texts, or none if they are no more than a few characters.

    Args:
        pieces: the hidden texts, in order.
        where: what they are in: `Page 3`, `The file`.
        why: how they are hidden.
    """
    text = " ".join(" ".join(pieces).split())
    if len(text.split()) < _WORDS:
        return ()
    start = text if len(text) <= _LONGEST_QUOTED else f"{text[:_LONGEST_QUOTED].rpartition(' ')[0]} …"
    reason = f" ({why})" if why else ""
    return (f"{where} has text that nobody can see{reason}; it was left out: “{start}”",)
