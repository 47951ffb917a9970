"""The table of retractions: which papers were retracted, questioned or corrected, by PMID, DOI, PMC id and title.

Parts with blank lines between them: the month of the newest row; then for each nature its name, the names of the papers
as `Document.paper` has them, or `title:` with a hash, and as many notices, each a `doi:` or `-`. One table ships
(`scripts/make_retracted.py`); `medground update retractions` adds Retraction Watch's CSV to it, in the home folder.
"""

import csv
import gzip
import json
import re
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from typing import Literal, NamedTuple

from medground.errors import StorageFailed, UsageError
from medground.home.files import write_whole
from medground.values.identifiers import normal_id

Nature = Literal["retracted", "replaced", "concern", "corrected", "notice"]
"""`replaced`: withdrawn, and published again. `notice`: the record that retracts another."""
GRAVE: tuple[Nature, ...] = ("retracted", "replaced")
FILE_NAME = "retractions.tsv.gz"
_NATURES: Mapping[str, Nature] = {
    **dict.fromkeys(("retraction", "withdrawal", "removal"), "retracted"),
    "expression of concern": "concern",
}
_REPLACED = re.compile(r"(?i)retract and replace|retraction and replacement|republish")
_COLUMNS = {"pmid": "originalpaperpubmedid", "doi": "originalpaperdoi", "pmc": "pmcid"}
_SHORTEST, _FEWEST = 30, 4
"""A title of fewer letters, or of fewer words, is that of several papers."""
_LONGEST_LINE = 1_000_000
_OLD = 12
"""Months."""


class Row(NamedTuple):
    """One paper: its names, what happened (None: it was reinstated), the notice as `doi:10.1/x`, and the day."""

    names: tuple[str, ...]
    nature: Nature | None
    notice: str = ""
    day: str = ""


@dataclass(frozen=True)
class Table:
    """The notices on papers, by their names; `month` is that of the newest row, such as `2026-08`."""

    month: str
    natures: Mapping[str, Nature]
    parts: tuple[tuple[str, str], ...]
    """For each nature, its names and its notices, a line each."""

    @cached_property
    def notices(self) -> dict[str, str]:
        """The notices of papers, by name: `doi:10.1/x`, or `-` where none is known."""
        return {one: notice for names, given in self.parts for one, notice in zip(names.split(), given.split())}  # noqa: B905

    def old_at(self, now: date) -> str:
        """What to do about a table whose newest row is more than a year old; empty of a newer one."""
        year, month = map(int, self.month.split("-"))
        is_old = (now.year - year) * 12 + now.month - month > _OLD
        return f"retractions after {self.month} are not known; run: medground update retractions FILE" if is_old else ""


@lru_cache(maxsize=4096)
def title_name(title: str) -> str:
    """`title:` and a hash of its letters; empty of a title that is too short to name one paper."""
    letters = re.sub(r"[\W_]+", "", title.casefold())
    if len(letters) < _SHORTEST or len(title.split()) < _FEWEST:
        return ""
    return f"title:{blake2b(letters.encode('utf-8', 'surrogatepass'), digest_size=6).hexdigest()}"


_place: Path | None = None
_held: tuple[float, Table] | None = None
"""The table, and the time until which its file is not looked at."""
_SECONDS = 1.0


def use(home: Path) -> None:
    """From now on look up in the table of this home folder, if it has one."""
    global _place, _held
    if _place != home / FILE_NAME:
        _place, _held = home / FILE_NAME, None


def home() -> Path | None:
    """The folder in whose table is looked up; None where it is the one that ships."""
    return _place and _place.parent


def table() -> Table:
    """The table of the home folder, or the one that ships. It is read at the first look-up, and once it has changed.

    Raises StorageFailed: it is damaged.
    """
    global _held
    if _held is None or time.monotonic() > _held[0]:
        _held = time.monotonic() + _SECONDS, _found()
    return _held[1]


def _found() -> Table:
    try:
        return _read(_place, _place.stat().st_mtime_ns if _place else 0)
    except (FileNotFoundError, NotADirectoryError):
        return _read(None, 0)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise StorageFailed(f"{_place} cannot be read ({error}); delete it, then run medground update") from None


@lru_cache(maxsize=2)
def _read(path: Path | None, changed: int) -> Table:
    place = path or files("medground.data").joinpath("retracted.tsv.gz")
    month, *told = gzip.decompress(place.read_bytes()).decode().split("\n\n")
    parts = list(zip(told[::3], told[1::3], told[2::3], strict=True))
    found: dict[str, Nature] = {}
    for nature, _, notices in parts:
        found |= dict.fromkeys(notices.split(), "notice") if nature in GRAVE else {}
    found.pop("-", None)
    for nature, names, _ in parts:
        found |= dict.fromkeys(names.split(), nature)  # type: ignore[arg-type]
    return Table(month, found, tuple((names, notices) for _, names, notices in parts))


def packed(rows: Iterable[Row], month: str) -> bytes:
    """A table of these rows as bytes, the same for the same rows.

    Of several rows of one paper the gravest counts, unless it was reinstated later.
    """
    found: dict[str, Row] = {}
    for row in sorted(rows, key=lambda one: one.day):
        for name in row.names:
            if row.nature in (*GRAVE, None) or name not in found or found[name].nature not in GRAVE:
                found[name] = row
    told = [month]
    for nature in ("retracted", "replaced", "concern", "corrected"):
        if names := sorted(name for name, row in found.items() if row.nature == nature):
            told += [nature, "\n".join(names), "\n".join(found[name].notice or "-" for name in names)]
    return gzip.compress("\n\n".join(told).encode(), compresslevel=9, mtime=0)


def update(home: Path, content: str, place: str) -> Table:
    """Add what a CSV or JSON says to the table of a home folder, and return that; `place` is its name in messages.

    Raises UsageError: it names no paper in the columns of Retraction Watch, or in Crossref's `update-to`; OSError: the
    table cannot be written.
    """
    global _held
    rows = _of_crossref if content.lstrip("\ufeff \t\r\n").startswith(("{", "[")) else _of_csv
    try:
        new = [row for row in rows(content) if row.names]
    except (csv.Error, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(f"{place} cannot be read: {error}") from None
    if not new:
        raise UsageError(f"{place} names no retracted paper; give Retraction Watch's CSV or works of Crossref as JSON")
    use(home)
    old = table()
    kept = [Row((name,), old.natures[name], notice.strip("-")) for name, notice in old.notices.items()]
    write_whole(home / FILE_NAME, packed([*kept, *new], max([old.month, *(row.day[:7] for row in new)])))
    _held = None
    return table()


def _of_crossref(content: str) -> Iterator[Row]:
    """Works of Crossref: one reply, a list, or a work on each line. A notice names its papers in `update-to`."""
    try:
        found = json.loads(content.lstrip("\ufeff"))
    except json.JSONDecodeError:
        found = [json.loads(line) for line in content.lstrip("\ufeff").splitlines() if line.strip()]
    found = found.get("message", found) if isinstance(found, dict) else found
    for work in found.get("items", [found]) if isinstance(found, dict) else found:
        for said in work.get("update-to") or () if isinstance(work, dict) else ():
            kind = str(said.get("type", "")).replace("_", " ").casefold() if isinstance(said, dict) else ""
            replaced = _REPLACED.search(kind)
            if not (doi := normal_id("doi", str(said.get("DOI", "")))) or not kind:
                continue
            day = ((said.get("updated") or {}).get("date-parts") or [[]])[0]
            yield Row(
                (f"doi:{doi}",),
                "replaced" if replaced else _NATURES.get(kind, "corrected"),
                f"doi:{notice}" if (notice := normal_id("doi", str(work.get("DOI", "")))) else "",
                "-".join(str(part).zfill(2) for part in day),
            )


def _of_csv(content: str) -> Iterator[Row]:
    lines = content.splitlines(keepends=True)
    if max(map(len, lines)) > _LONGEST_LINE:
        raise csv.Error(f"a line has more than {_LONGEST_LINE:,} characters")
    csv.field_size_limit(_LONGEST_LINE)
    for line in csv.DictReader(lines):
        said = {name.strip().casefold(): value.strip() for name, value in line.items() if isinstance(value, str)}
        kind = said.get("retractionnature", "").casefold()
        nature = _NATURES.get(kind, "corrected")
        if nature == "retracted" and _REPLACED.search(said.get("reason", "")):
            nature = "replaced"
        ids = {kind: normal_id(kind, said.get(column, "")) for kind, column in _COLUMNS.items()}
        names = [f"{kind}:{name}" for kind, name in ids.items() if name and name != "0"]
        notice = normal_id("doi", said.get("retractiondoi", ""))
        day = re.match(r"(\d{1,2})/(\d{1,2})/(\d{4})", said.get("retractiondate", ""))
        yield Row(
            tuple(filter(None, [*names, title_name(said.get("title", ""))])),
            None if kind == "reinstatement" else nature,
            f"doi:{notice}" if notice else "",
            f"{day[3]}-{int(day[1]):02}-{int(day[2]):02}" if day else "",
        )
