"""The loader of every set: it reads records strictly, checks them and builds items; a set says what its records are."""

import csv
import io
import json
import string
import tomllib
import unicodedata
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any, TextIO, TypeVar

from pydantic import BaseModel, ValidationError

from medground.corpus import base, compose
from medground.errors import UsageError, UserMistake
from medground.values import CLOSED, Option, Question, Task
from medground_evaluate.items import DataSetInfo, Item, Split

Record = Mapping[str, Any]
Placed = tuple[str, Record]
"""A record with its position, such as `questions.jsonl:12`."""

M = TypeVar("M", bound=BaseModel)

_BLOCK = 1 << 20
_PACKED = ".gz"


@contextmanager
def unpacked_text(path: Path) -> Iterator[TextIO]:
    """The text of a file, decompressed if it is gzipped, with its line endings unchanged."""
    with base.opened(path) as stream, io.TextIOWrapper(stream, encoding="utf-8-sig", newline="") as text:
        try:
            yield text
        except UnicodeDecodeError:
            raise UsageError(f"{path} is not UTF-8 text; copy or download it again") from None


def content_hash(paths: Iterable[Path]) -> str:
    """SHA-256 of the decompressed bytes of a file; for several files, of their hashes in order."""
    hashes = []
    for path in paths:
        digest = sha256()
        with base.opened(path) as stream:
            while block := stream.read(_BLOCK):
                digest.update(block)
        hashes.append(digest.hexdigest())
    return hashes[0] if len(hashes) == 1 else sha256("\n".join(hashes).encode()).hexdigest()


def json_lines(path: Path, *, may_be_cut: bool = False) -> Generator[Placed]:
    """The objects of a JSON Lines file; blank lines are skipped, and so is a last one that `may_be_cut`."""
    with base.opened(path) as stream:
        for number, line in enumerate(stream, start=1):
            if not line.strip():
                continue
            where = f"{path.name}:{number}"
            try:
                record = json.loads(line.decode("utf-8-sig"))
            except (ValueError, RecursionError) as error:
                cut = "" if line.endswith(b"\n") else "the last line is truncated: "
                if cut and may_be_cut:
                    return
                raise UsageError(f"{where}: {cut}not JSON ({error}); copy or download the file again") from None
            yield where, an_object(record, where)


def is_json_lines(path: Path) -> bool:
    """Whether a file is named as JSON Lines, compressed or not."""
    return path.name.removesuffix(_PACKED).endswith(".jsonl")


def json_file(path: Path) -> Any:
    """The value of a JSON file."""
    with base.opened(path) as stream:
        try:
            return json.loads(stream.read().decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{path} is not JSON ({error}); copy or download it again") from None


def or_json_lines(read: Callable[[Path], Generator[Placed]]) -> Callable[[Path], Generator[Placed]]:
    """The reader of an owner's format, or of JSON Lines with the same records, whichever a file is named as."""
    return lambda path: json_lines(path) if is_json_lines(path) else read(path)


def an_object(record: Any, where: str) -> dict[str, Any]:
    """The record, which must be a JSON object."""
    if not isinstance(record, dict):
        raise UsageError(f"{where}: not a JSON object")
    return record


def checked(kind: type[M], record: Record, where: str) -> M:
    """The record as one of this kind. Raises UsageError: it is none."""
    try:
        return compose.validated(kind, record)
    except ValueError as error:
        raise UsageError(f"{where}: {error}") from None


def csv_rows(path: Path) -> Iterator[list[str]]:
    """The rows of a CSV file."""
    with unpacked_text(path) as text:
        try:
            yield from csv.reader(text, strict=True)
        except csv.Error as error:
            raise UsageError(f"{path} is not a CSV file ({error}); copy or download it again") from None


LETTERS = string.ascii_uppercase + string.ascii_lowercase
"""Letters of options: A to Z, then a to z."""

CLOSED_TASKS: Mapping[frozenset[str], Task] = {frozenset(values): task for task, values in CLOSED.items()}


def asked(text: object, task: Task, options: Mapping[str, str] | Sequence[str] = ()) -> Question:
    """A question of a data set, with white space collapsed.

    Raises ValueError: the text or an option is missing or empty, or a choice question has fewer than two options.
    """
    choices = dict(options) if isinstance(options, Mapping) else dict(zip(LETTERS, options, strict=False))
    if len(choices) != len(options):
        raise ValueError(f"{len(options)} options are too many; at most {len(LETTERS)} can be lettered")
    if task in ("single-choice", "multiple-choice") and len(choices) < 2:
        raise ValueError(f"a {task} question needs at least two options, not {len(choices)}")
    return Question(
        text=_clean(text, "question"),
        task=task,
        options=tuple(Option(letter=letter, text=_clean(o, f"option {letter}")) for letter, o in choices.items()),
    )


def closed(text: object, options: Mapping[str, str], letter: object) -> tuple[Question, tuple[str, ...]]:
    """A question with one correct option, and its gold value; options yes, no (and maybe) make it a yes/no question.

    Raises ValueError: as for `asked`; or the gold answer is not one of the options.
    """
    if not isinstance(options, Mapping):
        raise ValueError("the options are not an object with a letter for each option")
    if not isinstance(letter, str) or letter not in options:
        raise ValueError(f"the gold answer is {letter!r}, not one of the options {', '.join(options)}")
    values = {key: str(value).strip().lower() for key, value in options.items()}
    task = CLOSED_TASKS.get(frozenset(values.values()))
    if task is not None and len(values) == len(set(values.values())):
        return asked(text, task), (values[letter],)
    return asked(text, "single-choice", options), (letter,)


def _clean(text: object, what: str) -> str:
    if not isinstance(text, str):
        raise ValueError(f"the {what} is {type(text).__name__}, not text")
    cleaned = " ".join(unicodedata.normalize("NFC", compose.printable(text)).split())
    if not cleaned:
        raise ValueError(f"the {what} is empty")
    return cleaned


FIELD = "dataset_hash"


def release_problem(info: DataSetInfo, path: Path, digest: str) -> str:
    """What is wrong with the file's hash; empty if it is a known release, or none is known for that file name."""
    name = path.name.removesuffix(".gz")
    known = info.hashes.get(name, ())
    if not known or digest in known:
        return ""
    return f"{name} has the hash {digest[:12]}, but the known release of {info.name} has {known[0][:12]}"


def check_release(info: DataSetInfo, path: Path, digest: str, accept: Collection[str]) -> str:
    """The problem that the user accepts; empty if there is none."""
    problem = release_problem(info, path, digest)
    if problem and FIELD not in accept:
        raise UsageError(f"{problem}; get it from its owner again, or use it as it is with --accept {FIELD}")
    return problem


ALL = "all"
_TRIED = 3


_DESCRIPTIONS = tomllib.loads((files(__package__) / "sets.toml").read_text(encoding="utf-8"))


def _description(name: str) -> dict[str, Any]:
    own = _DESCRIPTIONS[name]
    return {**_description(own["like"]), **own} if "like" in own else own


@dataclass(frozen=True)
class Loader:
    """A data set made of records.

    Attributes:
        files: names to look for in a folder, also compressed (`.gz`).
        records: reads the records of a file as a stream.
        known: whether a record has this set's format.
        ours: whether a record in this format is a question of this set; others in the file are skipped.
        key: the id of a record, unique in the set.
        split: the split of a record; by default what it says itself, else `test`.
        item: builds the item of a record and its id; raises ValueError, with a one-line message, if it cannot.
        parts: the file and the files next to it that belong to it.
        folder: whether a folder is the set itself, in several files.
        unlike: explains why a record is not known, if the set can tell.
        prefix, only_gold: of a subset of the set: how the ids begin, and the only possible answers.
    """

    info: DataSetInfo
    files: tuple[str, ...]
    known: Callable[[Record], bool]
    item: Callable[[Record, str], Item]
    records: Callable[[Path], Generator[Placed]] = json_lines
    key: Callable[[Record], str] = lambda record: str(record["id"])
    split: Callable[[Record], Split] = lambda record: record.get("split", "test")
    parts: Callable[[Path], tuple[Path, ...]] = lambda path: (path,)
    folder: Callable[[Path], bool] = lambda path: False
    ours: Callable[[Record], bool] = lambda record: True
    unlike: Callable[[Record], str] = lambda record: ""
    prefix: str = ""
    only_gold: frozenset[str] = frozenset()

    def find(self, path: Path) -> Path:
        """The file of the set: `path` itself or, if `path` is a folder, the file in it; the folder if it is the set.

        Raises UsageError: the file does not exist.
        """
        if not path.exists():
            raise UsageError(f"{path} does not exist; give the file of {self.info.name} ({self.info.obtain})")
        if not path.is_dir() or self.folder(path):
            return path
        named = [path / f"{name}{end}" for name in self.files for end in ("", _PACKED)]
        there = [file for file in named if file.is_file()]
        if not there:
            names = f" ({' or '.join(self.files)})" if self.files else ""
            raise UsageError(f"{path} contains no file of {self.info.name}{names}; give the file itself")
        return next(filter(self.fits, there), there[0])

    def fits(self, path: Path) -> bool:
        """Whether the start of a file looks like this set, and the file has a question of it."""
        try:
            with closing(self.records(path)) as records:
                first = [record for _, record in islice(records, _TRIED)]
                known = all(self.known(record) for record in first)
                return known and (any(map(self.ours, first)) or any(self.ours(record) for _, record in records))
        except UserMistake:
            return False

    def recognises(self, path: Path) -> bool:
        """Whether a file, or a file in a folder, looks like this set."""
        try:
            return self.fits(self.find(path))
        except UserMistake:
            return False

    def hash(self, path: Path) -> str:
        """SHA-256 of the decompressed file and of the files next to it that belong to it."""
        return content_hash(self.parts(path))

    def ids(self, path: Path, split: str) -> Iterator[str]:
        """Ids of the items of a split, without building the items; checks the records as `read` does."""
        if self.only_gold:
            return (item.id for item in self.read(path, split))
        return (i for _, i, _ in self._of(path, split))

    def read(self, path: Path, split: str, wanted: Callable[[str], bool] | None = None) -> Iterator[Item]:
        """Items of a split (`all` for every split), in file order; with `wanted`, only those whose id it accepts.

        Raises UsageError: the file is not of this set, an item has no gold answer, or an id occurs twice; the message
        is one line with file and position.
        """
        for where, i, record in self._of(path, split):
            if wanted is None or wanted(i):
                try:
                    item = self.item(record, i).replace(split=self.split(record))
                except (ValueError, KeyError, TypeError, AttributeError) as error:
                    raise UsageError(f"{where}: {i}: {_reason(error)}") from None
                if not self.only_gold:
                    yield item
                elif self.only_gold.issuperset(item.gold):
                    task = CLOSED_TASKS.get(self.only_gold)
                    yield item.asked_as(task) if task and item.question.task in CLOSED else item

    def _of(self, path: Path, split: str) -> Iterator[tuple[str, str, Record]]:
        seen = set[str]()
        with closing(self.records(path)) as records:
            for where, record in records:
                if not self.known(record):
                    why = self.unlike(record) or "find its set with `medground data check`"
                    raise UsageError(f"{where}: not a record of {self.info.name}; {why}")
                if not self.ours(record) or not (i := self.key(record)).startswith(self.prefix):
                    continue
                if i in seen:
                    raise UsageError(f"{where}: the id {i!r} occurs twice; remove one of the two")
                seen.add(i)
                if split in (ALL, self.split(record)):
                    yield where, i, record


def for_set(name: str, item: Callable[[Record, str], Item], **more: Any) -> Loader:
    """The loader of a set as `sets.toml` describes it, with what else its records need.

    There, `files` are the names of its files, `fields` those that each record has, and `key` a template of its id.
    """
    told = _description(name)
    fields = frozenset(told.get("fields", ()))
    info = DataSetInfo(name=name, **{field: told[field] for field in DataSetInfo.model_fields if field in told})
    known = {"files": tuple(told.get("files", ())), "key": told.get("key", "{id}").format_map}
    return Loader(info=info, item=item, **{**known, "known": lambda record: fields <= record.keys(), **more})


def _reason(error: Exception) -> str:
    """What is wrong with a record, in one line."""
    if isinstance(error, ValidationError):
        return str(error.errors(include_url=False)[0]["msg"].removeprefix("Value error, "))
    if isinstance(error, KeyError):
        return f"the field {error} is missing"
    return str(error) if type(error) is ValueError else f"a field has an unexpected form ({error})"
