"""Records of tagged lines: PubMed's `.nbib`, RIS, EndNote's `.enw`, RefWorks, and what search services print as text.

One reader for all of them: a row of `tagged_forms.FORMS` says what a form's tags look like, which of them begin or end
a record, and what they mean. A file is recognised by its tags, wherever they stand. Latin-1 files are read as well as
UTF-8; text outside the records, such as an exporter's name, is reported in a note.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from textwrap import shorten
from typing import Any

from medground.corpus.readers.base import Item, Note, Retracts
from medground.corpus.readers.compose import plain_lines_of
from medground.corpus.readers.entry import described
from medground.corpus.readers.lines import made
from medground.corpus.readers.tagged_forms import FORMS, Form, Tags
from medground.errors import BadDocument
from medground.values.document import Document

_NUMBERED = re.compile(
    r"(?i)\s*(?:<\s*(?:Record\s*)?\d+\.?\s*>|(?:Record|Reference|Citation)\s*#?\d+(?:\s*(?:of|/)\s*\d+)?[:.]?)\s*"
)
"""What Ovid and the Cochrane Library print above each record."""
_LEAST_TAGS = 3
_ANY_TAG = re.compile(r"(?:--)?(%?[A-Z][A-Z0-9]{0,3})(?: {0,3}[-:=~]{1,2} ?| +)\S")
_SIGNS = frozenset(["TI", "T1", "AU", "A1", "AB", "%T", "%A"])
_LEAST_LINES = 6
_PMID_IN_NOTICE = re.compile(r"PMID: *(\d+)")
_SHOWN = 80
_SURE = 9
"""Characters of a value that is in another by no chance."""


@dataclass
class _Part:
    """A record, or a part of one that blank lines separate from the rest."""

    line: int
    pairs: list[tuple[str, list[str]]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    ended: bool = False


def tagged_format(start: str) -> str | None:
    """Which form the start of a file is in: the one that knows most of its tagged lines; None if none does.

    Raises ValueError: the lines are tagged as those of a record, in a form that is not known.
    """
    lines = start.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    counts: dict[str, int] = {}
    for name, form in FORMS.items():
        found = [match[1] for line in lines if (match := form.tag.match(line))]
        if len({*found} & form.known if form.known else {*found}) >= _LEAST_TAGS and not form.needs.isdisjoint(found):
            counts[name] = sum(tag in form.needs for tag in found)
    if counts:
        return max(counts, key=lambda name: counts[name])
    said = [line for line in lines if line.strip()]
    tags = [match[1] for line in said if (match := _ANY_TAG.match(line))]
    if len(tags) >= max(_LEAST_LINES, len(said) / 2) and len(_SIGNS & {*tags}) > 1:
        named = ", ".join(list(dict.fromkeys(tags))[:_LEAST_LINES])
        raise ValueError(f"tagged records in a form that is not known ({named}); export them as RIS")
    if said and _NUMBERED.fullmatch(said[0]):
        raise ValueError("numbered records in a form that is not known; export them as RIS")
    return None


def records_of(text: str, form: Form, outside: list[str] | None = None) -> Iterator[tuple[int, Tags]]:
    """The line on which each record begins, from 1, and its tags; lines outside of all records go to `outside`.

    A record ends with its last tag, before a line that numbers the next, where a tag that begins one comes again, or at
    a blank line if what follows has again what a record has once. A line without a tag continues the value before it.
    """
    record: _Part | None = None
    for part in _parts(text, form, [] if outside is None else outside):
        if record is None or record.ended or form.once & record.names & part.names:
            if record is not None:
                yield record.line, Tags(record.pairs, form)
            record = part
        else:
            record.pairs += part.pairs
            record.names |= part.names
            record.ended = part.ended
    if record is not None:
        yield record.line, Tags(record.pairs, form)


def _parts(text: str, form: Form, outside: list[str]) -> Iterator[_Part]:
    """The records, in as many parts as blank lines make of each."""
    part: _Part | None = None
    is_apart = True
    for number, line in enumerate(text.split("\n"), start=1):
        if not line or line.isspace():
            is_apart = True
            continue
        found = form.tag.match(line)
        tag = found[1] if found else ""
        if found and form.known:  # a line of text that begins with such letters, or with those of a tag that was here
            was_here = part is not None and not is_apart and not part.ended and tag in part.names
            if tag not in form.known or (was_here and tag in form.once and tag not in form.begins | form.by_line):
                found = None
        if found is None and part is not None and not part.ended and not _NUMBERED.fullmatch(line):
            part.pairs[-1][1].append(line.strip())
        elif found is None or tag in form.ends:
            if part is not None:
                part.ended = True
            if found is None:
                outside.append(line)
        elif tag not in form.preface:
            if part is None or part.ended or is_apart or (tag in form.begins and tag in part.names):
                if part is not None:
                    yield part
                part = _Part(number)
            is_apart = False
            part.pairs.append((tag, [(found[2] or "").strip()]))
            part.names.add(tag)
    if part is not None:
        yield part


def tagged_document(tags: Tags, form: str, others: Iterable[tuple[str, str]] = ()) -> Document:
    """The document of a record by its tags; `others` are fields that have no tag, by name."""
    if form == "nbib" and tags["PMID"] and not (pmid := tags["PMID"][0]).isdecimal():
        raise ValueError(f"{pmid[:40]!r} is not a PMID")
    fields: dict[str, Any] = {name: value(tags) for name, value in FORMS[form].fields.items()}
    fields = {**fields.pop("", {}), **fields}
    said = [value for value in fields.values() if isinstance(value, str)]
    told, dated = "\n".join(said), str(fields.get("date"))
    unread = (
        (f"{form}_{tag.strip('%').casefold()}", value) for tag, value in tags.pairs if tag not in FORMS[form].read
    )
    for name, value in (*unread, *others):
        if value and value not in said and value not in dated and (len(value) < _SURE or value not in told):
            fields["metadata"].setdefault(name, []).append(value)
    return described(fields)


def read_tagged(path: Path, form: str) -> Iterator[Item]:
    """The records of a file in one of `FORMS`; the position of a bad one is the line on which it begins."""
    text = plain_lines_of(path)
    outside: list[str] = []
    found = False
    for line, tags in records_of(text, FORMS[form], outside):
        found = True
        yield (item := made(partial(tagged_document, tags, form), path, line))
        is_notice = form == "nbib" and isinstance(item, Document)
        retracted = (_PMID_IN_NOTICE.search(value) for value in tags["ROF"]) if is_notice else ()
        if ids := tuple(f"PMID:{one[1]}" for one in retracted if one):
            yield Retracts(ids)
    if not found:
        raise BadDocument(f"no record of {form} is in the file", file=path)
    if outside:
        said = shorten(outside[0], _SHOWN, placeholder=" …")
        yield Note(f"lines outside of the records ({len(outside):,}) were left out, such as “{said}”")
