"""The header of a run, with everything that could change its results, and how two headers differ."""

import contextlib
import json
import platform
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from medground import __version__
from medground.answering import Declaration
from medground.engine import Engine
from medground.errors import UsageError
from medground.home import digest, section_defaults
from medground.models import Operator
from medground_evaluate.items import RunHeader, RunLine, Tally
from medground_evaluate.line_file import LineFile, Numbered, whole_lines

_LIBRARIES = (
    *("faiss-cpu", "numpy", "onnxruntime", "pydantic-ai-slim", "scikit-learn", "sentence-transformers", "tantivy"),
    *("torch", "transformers", "xllamacpp"),
)
_RECORDED_ONLY = frozenset({"format", "started", "versions", "accepted", "settings_hash", "items"})
ACCEPTABLE = ("dataset_hash", "prompts_hash", "snapshots", "medground")
"""Differences that a user may accept: the same run over changed material or with a changed program."""

_NOT_COMPARED = {"model": ("cache", "concurrency", "default"), "recipe": ("name",)}
"""Settings that affect when a call is made but not its output, and those that the header holds under another name."""

_LONGEST = 60


def make_header(engine: Engine, **chosen: Any) -> RunHeader:
    """The header of a run with this engine; `chosen` are the fields that say what is run (`dataset`, `split`, ...)."""
    settings = engine.settings
    return RunHeader(
        recipe=engine.recipe.name,
        model=settings.model.default,
        settings=settings.as_read_by(engine.recipe.name),
        settings_hash=settings.hash,
        prompts_hash=prompts_hash(engine.recipe, settings.prompts),
        snapshots={s.state.name: s.state.hash for s in engine.sources if s.state is not None},
        versions={**versions(), "model": engine.models.for_operator("").identity},
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        **chosen,
    )


def prompts_hash(recipe: Declaration, own: Mapping[str, str]) -> str:
    """SHA-256 (16 hex digits) over instructions and schemas of all operators that a recipe may ask, and the user's own
    prompts."""
    content: list[Any] = [_content(one) for one in sorted(recipe.operators, key=lambda operator: operator.name)]
    return digest([*content, dict(own)] if own else content)[:16]


@cache
def _content(one: Operator[Any, Any]) -> list[Any]:
    return [one.name, *one.taught_by, one.input.model_json_schema(), one.output.model_json_schema()]


def differences(old: RunHeader, new: RunHeader) -> dict[str, str]:
    """Name of each field that differs, and the difference in words, such as `limit was 60, is 100`.

    When a run began, and the versions of libraries, are recorded and not compared; Medground's own version is. Between
    two recipes prompts are not compared, and a section that only one of them reads is compared with its defaults.
    """
    first, second = _compared(old), _compared(new)
    if old.recipe != new.recipe:
        del first["prompts_hash"], second["prompts_hash"]
        _fill(first["settings"], second["settings"])
        _fill(second["settings"], first["settings"])
    one, other = (
        {name.removeprefix("settings."): value for name, value in flattened(content).items()}
        for content in (first, second)
    )
    return {
        name: f"{name} was {_shown(one.get(name))}, is {_shown(other.get(name))}"
        for name in sorted(one.keys() | other.keys())
        if one.get(name) != other.get(name)
    }


def _fill(settings: dict[str, Any], other: Mapping[str, Any]) -> None:
    """Give settings the defaults of the sections that only the other ones have."""
    for name in other.keys() - settings.keys():
        defaults = section_defaults(name)
        settings[name] = {key: defaults.get(key) for key in other[name]}


def acceptable(name: str) -> bool:
    """Whether a run may resume with this difference if the user accepts it."""
    return name.partition(".")[0] in ACCEPTABLE


def _compared(header: RunHeader) -> dict[str, Any]:
    content = header.model_dump(mode="json", exclude=set(_RECORDED_ONLY))
    for group, names in _NOT_COMPARED.items():
        for name in names:
            content["settings"].get(group, {}).pop(name, None)
    content["medground"] = header.versions.get("medground")
    return content


def flattened(content: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """The values of nested groups, by dotted name."""
    flat: dict[str, Any] = {}
    for name, value in content.items():
        flat |= flattened(value, f"{prefix}{name}.") if isinstance(value, Mapping) else {prefix + name: value}
    return flat


def _shown(value: Any) -> str:
    text = "none" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


@cache
def versions() -> Mapping[str, str]:
    """The versions of Medground, of Python and of the libraries that answers depend on."""
    found = {"medground": __version__, "python": platform.python_version()}
    for name in _LIBRARIES:
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


# A run's file: a header, then one JSON line per item, appended as items finish.

_HEADER = b'{"format":'


class RunFile(LineFile[RunLine]):
    """A run that is being written. Use it as a context manager."""

    what = "a Medground run"
    terse = False

    def __init__(
        self, path: Path, header: RunHeader, accept: Collection[str] = (), count: Callable[[], int] | None = None
    ) -> None:
        """Start a run, or resume the existing one.

        Args:
            accept: names of header fields that may differ from those of the existing run.
            count: counts the items of a new run; a resumed run already has the number. If it raises, no file is left.
        """
        super().__init__(path)
        self.header = header
        self.tally = Tally(items=header.items)
        self.done = set[str]()
        with self.closing_on_error():
            if (stored := self._stored()) is not None:
                self._continue_from(stored, accept)
            else:
                self.header = header if count is None else header.replace(items=count())
                self.tally.items = self.header.items
                self.write(self.header)

    def append(self, line: RunLine) -> None:
        """Add a finished item, which is counted and not kept in memory."""
        self.write(line)
        self.done.add(line.id)
        self.tally.add(line)

    def _stored(self) -> RunHeader | None:
        """Count the finished lines, and give the last header. Questions that failed are asked again."""
        stored: RunHeader | None = None
        for number, value in _values(self.whole_lines(), self.path, "name another file with --out"):
            if isinstance(value, RunHeader):
                stored = value
                continue
            if value.status == "failed":
                continue
            if value.id in self.done:
                raise UsageError(f"{self.path}:{number}: {value.id!r} already has a line; remove one of the two")
            self.done.add(value.id)
            self.tally.add(value)
        return stored

    def _continue_from(self, stored: RunHeader, accept: Collection[str]) -> None:
        self.tally.items = stored.items
        found = differences(stored, self.header)
        if refused := {name: shown for name, shown in found.items() if name not in accept or not acceptable(name)}:
            advice = "use the same, or name another file with --out"
            if all(map(acceptable, refused)):
                advice += f"; to resume anyway, add --accept {' --accept '.join(refused)}"
            raise UsageError(f"{self.path} was made with other settings: {'; '.join(refused.values())}; {advice}")
        if found:
            accepted = (*stored.accepted, *found.values())
            self.header = self.header.replace(accepted=accepted, items=stored.items)
            self.write(self.header)
        else:
            self.header = stored


def read_run(path: Path) -> tuple[RunHeader, Iterator[RunLine]]:
    """Read a run: its last header, with all differences that were accepted, and an iterator over its lines.

    A truncated last line is left out; a run that is still being written can be read. Of a question that was asked again
    because it had failed, the last line counts.

    Raises UsageError: the file is missing or is not a run, or a line is invalid.
    """
    create = "create one with `medground eval run`"
    values = [value for _, value in _values(whole_lines(path, "give the file of a run"), path, create)]
    headers = [value for value in values if isinstance(value, RunHeader)]
    if not headers:
        raise UsageError(f"{path} is not a Medground run; {create}")
    lines = [value for value in values if isinstance(value, RunLine)]
    last = {line.id: place for place, line in enumerate(lines)}
    return headers[-1], (line for place, line in enumerate(lines) if line.status != "failed" or last[line.id] == place)


def _values(lines: Iterable[Numbered], path: Path, advice: str) -> Iterator[tuple[int, RunHeader | RunLine]]:
    """Headers and lines, with their numbers; the first is a header."""
    for number, raw in lines:
        kind = RunHeader if raw.startswith(_HEADER) else RunLine
        if number == 1 and kind is RunLine:
            raise UsageError(f"{path} is not a Medground run; {advice}")
        try:
            yield number, kind.model_validate_json(raw)
        except ValidationError:
            raise UsageError(f"{path}:{number}: {_WRONG[kind]}") from None


_WRONG: dict[type[RunHeader | RunLine], str] = {
    RunHeader: "this header is from another version of Medground; use another file",
    RunLine: "this line is invalid; remove it, and its item will be asked again",
}
