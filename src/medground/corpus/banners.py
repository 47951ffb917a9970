"""What a banner says: a title, the words before or after one, a line, a stamp or a publication type that holds nothing
but words of `retraction_words.txt`, such as `RETRACTED ARTICLE`, `Letter of retraction` or `撤稿声明`.
"""

import re
import unicodedata
from calendar import month_abbr, month_name
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import islice, takewhile
from textwrap import shorten
from typing import Any, Literal

from medground.language.pattern import lazy_pattern

Said = Literal["retracted", "withdrawn", "removed", "notice", "concern", "erratum", "in doubt"]
_TOLD: tuple[Said, ...] = ("retracted", "withdrawn", "removed", "notice", "concern", "erratum")
GONE = ("retracted", "withdrawn")
"""What a file says of itself that takes its paper out of the evidence."""
_NOUNS = ("removal", "correction", "corrections")
"""Words that also have other uses, as all nouns of `notice` do."""
_WEAK = ("retrait", "retiro", "ritiro", "rückzug", "rücknahme", "widerruf", "отзыв", "سحب", "removal")
"""Nouns that alone seldom describe a paper."""


def _words() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Any one word of the lists, in groups named after them, by letters and by signs; and what is worth a look."""
    lists: dict[str, str] = {}
    heading = ""
    for line in (files(__package__) / "retraction_words.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            heading = line.strip("[]").replace(" ", "_")
        elif line and not line.startswith("#"):
            lists[heading] = f"{lists.get(heading, '')} {line}".strip()
    lists["plain"] += " ".join(["", *month_name, *month_abbr]).casefold()
    named = {name: "|".join(words.split()) for name, words in lists.items()}
    # a word of letters stands alone; signs follow each other without a space
    one = "|".join(f"(?P<{name}>{words})" for name, words in named.items())
    worth = "|".join(named[name] for name in ("notice_sign", *_TOLD))
    return lazy_pattern(rf"(?:{one})(?=\Z|[\u2e80-\ud7ff])"), lazy_pattern(rf"{worth}|\bvol\b")


_WORD, _WORTH_A_LOOK = _words()
_TOKEN = lazy_pattern(r"[^\W_]+")
_CUT = lazy_pattern(r"[:;|=*~/()\[\]{}<>«»“”„\"'‘’…【】（），。]|[.,!?](?=\s|$)|\s[-–—]+(?=\s)|[–—]")
_TAGS = lazy_pattern(r"(?i)</?(?:b|i|em|strong|u|sup|sub|p|span)\b[^<>]{0,80}>")
_SPACED = lazy_pattern(r"\b(?:[A-Z] ){6,}[A-Z]\b")
_BRACKET = lazy_pattern(r"[\[({<*【（]([^\[\](){}【】]{2,120})[\])}>*】）]\W*$")
_VOLUME = lazy_pattern(r"(?i)(?:correction of )?vol\.? \d+,.{0,60}\d{4}")
_IN = lazy_pattern(r"(?i)retraction (?:of publication |published )?in\b")
_EXPRESSED = lazy_pattern(r"(?i)expres|editorial|notice|note|statement")
_LONGEST = 5_000
_LONGEST_BANNER = 600


def _kinds(text: str) -> list[str] | None:
    """The lists of the words of a text, in its order; None if one is in no list."""
    found: list[str] = []
    for token in _TOKEN.findall(text.casefold()):
        at = 0
        while at < len(token) and not token.isdigit():
            if (one := _WORD.match(token, at)) is None or (at and token[at] < "\u2e80"):
                return None
            found.append(str(one.lastgroup))
            at = one.end()
    return found


def _said(text: str) -> Said | None:
    """What a text says that holds nothing but words of banners; None of any other."""
    kinds = _kinds(text)
    if not kinds:
        return None
    if _IN.search(text):
        return "retracted"
    if "concern" in kinds:
        return "concern" if _EXPRESSED.search(text) else None
    if "temporar" in text.casefold() and not set(kinds).isdisjoint(_TOLD):
        return "removed"
    if "notice_sign" in kinds and "retracted" in kinds:
        return "notice"
    return next((kind for kind in kinds if kind in _TOLD), None)


def _first(text: str) -> tuple[Said | None, str]:
    """What the words before a title say, and the title after them."""
    ends = [cut.start() for cut in _CUT.finditer(text)] + [len(text)]
    starts = [0, *(cut.end() for cut in _CUT.finditer(text))]
    pieces = [*zip(starts, ends, strict=True)]
    held = [*takewhile(lambda piece: _kinds(text[slice(*piece)]) is not None, pieces)]
    said = _said(text[: held[-1][1]]) if held else None
    first = _kinds(text[slice(*held[0])]) if held else None
    if first and "thing" in first and set(first).isdisjoint((*_TOLD, "this")):  # `Study protocol: withdrawal`
        return None, text
    return said, text[held[-1][1] :] if held else text


def _noun(text: str) -> bool:
    """Whether a text is one word that also has other uses, such as `Retraction`."""
    kinds = _kinds(text)
    return kinds == ["notice"] or (bool(kinds) and len(kinds or ()) == 1 and text.strip(" .:").casefold() in _NOUNS)


def _letter(text: str) -> Said | None:
    """What `Retraction of the article Aspirin`, or `Retraction of Smith et al`, says at its start."""
    if re.match(r"\W*retraction (?:of|for)\b.{1,80}\bet al\b", text, re.IGNORECASE):
        return "notice"
    words = [*takewhile(lambda one: _kinds(one[0]), _TOKEN.finditer(text))]
    run = _kinds(text[: words[-1].end()]) if words else None
    ends = run is not None and len(run) > 2 and run[-1] == "thing"
    return "notice" if ends and "notice" in (run or ()) and "retracted" not in (run or ()) else None


@lru_cache(maxsize=4096)
def said_by(title: str) -> Said | None:
    """What a title says of its record; None of a paper like any other."""
    if not _WORTH_A_LOOK.search(title.casefold()) and not _SPACED.search(title) and title.isascii():
        return None
    plain = "".join(c for c in unicodedata.normalize("NFKC", title[:_LONGEST]) if unicodedata.category(c) != "Cf")
    plain = _SPACED.sub(lambda found: found[0].replace(" ", ""), _TAGS.sub("", " ".join(plain.split())))
    if not _WORTH_A_LOOK.search(plain.casefold()):
        return None
    said, rest = _first(plain)
    if said is not None:
        head, follows = plain[: len(plain) - len(rest)], next(iter(_TOKEN.findall(rest)), "")
        weak = (follows.islower() and follows.isascii()) or head.strip(" .:").casefold() in _WEAK
        return "in doubt" if weak and _noun(head) else said
    return _letter(plain) or _last(plain)


def _last(plain: str) -> Said | None:
    """What the words after a title say, in brackets or after a mark."""
    if (bracket := _BRACKET.search(plain)) is not None:
        if _VOLUME.fullmatch(bracket[1]):
            return "erratum"
        if (said := _first(bracket[1])[0]) is not None:
            return "in doubt" if said == "notice" and _noun(bracket[1]) and bracket[0][0] == "(" else said
    cuts = [cut for cut in _CUT.finditer(plain) if cut.end() < len(plain.rstrip(" .])}>*"))]
    last = plain[cuts[-1].end() :].strip() if cuts else ""
    said = _said(last) if last[:1].isupper() or _noun(last) else None
    return None if said == "erratum" else "in doubt" if said and _noun(last) else said


@lru_cache(maxsize=4096)
def said_alone(words: str) -> Said | None:
    """What words by themselves say, such as a publication type; None if they are no banner."""
    return _said(words)


_OUTSIDE = " \t\n*_#=~|.:!<>[](){}【】（）-–—/"
_SHOWN = 100
_ABOVE = 5
_STAMP = 6
_MOST_PARTS = 8


def is_banner(line: str) -> bool:
    """Whether a line that stands by itself says that its paper was retracted.

    `RETRACTED ARTICLE` and `This article has been retracted by its authors.` do; a sentence on such articles does not.
    """
    words = " ".join(line.split())
    if not words or len(words) > _LONGEST_BANNER or not _WORTH_A_LOOK.search(words.casefold()):
        return False
    if _IN.match(words):  # `Retraction in: J Falls. 2022;3:1`, as PubMed prints it
        return True
    sentence = words[: cut.start()] if (cut := _CUT.search(words)) else words
    kinds = {kind for one in takewhile(bool, map(_kinds, _TOKEN.findall(sentence))) for kind in one or ()}
    return ({"this", "thing"} <= kinds and not kinds.isdisjoint(("retracted", "notice"))) or _said(words) in GONE


def is_stamp(words: str) -> bool:
    """Whether the words of a watermark or a banner are no more than that the paper was retracted."""
    return len(words.split()) <= _STAMP and _said(words) in GONE


def above(lines: Iterable[str]) -> Iterator[str]:
    """The first lines of a text, where a banner stands."""
    return islice(filter(None, (line.strip() for line in lines)), _ABOVE)


def banner_fields(lines: Iterable[str]) -> dict[str, Any]:
    """The fields of a document that says of itself in one of these lines that it was retracted; none if no line does.

    A line may also be the title, or a running head with it: `RETRACTED: Aspirin and stroke`.
    """

    def says_so(line: str) -> bool:  # a sentence that ends in a full stop is not a title
        return is_banner(line) or (not line.rstrip().endswith(".") and said_by(line) in GONE)

    found = next(filter(says_so, lines), None)
    if found is None:
        return {}
    shown = shorten(found, _SHOWN, placeholder=" …")
    return {"retraction": "retracted", "cautions": (f"The file is marked as retracted: “{shown}”",)}


def parts_of(title: str) -> Sequence[str]:
    """A title in the pieces between its marks, and what follows each of them: one may be the title of another paper."""
    cuts = [*_CUT.finditer(title)][:_MOST_PARTS]
    starts, ends = [0, *(cut.end() for cut in cuts)], [*(cut.start() for cut in cuts), len(title)]
    return [title[start:end] for start in starts for end in ends if start < end]
