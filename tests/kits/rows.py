"""One test for a whole table: every row is tried, and the message lists the rows that are wrong."""

import asyncio
import contextlib
import functools
import inspect
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

Test = Callable[..., Any]


def tables(test: str) -> dict[str, Any]:
    """The tables of a test, which stand beside its file under the same name: `tables(__file__)`."""
    return tomllib.loads(Path(test).with_suffix(".toml").read_text(encoding="utf-8"))


def each_row(names: str | Sequence[str], rows: Iterable[Any]) -> Callable[[Test], Test]:
    """As `pytest.mark.parametrize`, in one test. Each row has a `tmp_path` and a `monkeypatch` of its own.

    Other fixtures are shared by all rows. A row is a value, a tuple of values or a `pytest.param`.
    """
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    table = [_values(row, len(keys)) for row in rows]
    assert table, "a table without rows tests nothing"

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)

        @functools.wraps(test)
        def whole(*args: Any, **fixtures: Any) -> None:
            wrong = []
            for number, row in enumerate(table):
                try:
                    with _own(fixtures, number) as given:
                        done = test(*args, **given, **dict(zip(keys, row, strict=True)))
                        if inspect.iscoroutine(done):
                            asyncio.run(done)
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - the other rows are tried too
                    wrong.append(f"{', '.join(map(repr, row))}: {type(error).__name__}: {error}")
            if wrong:
                pytest.fail(f"{len(wrong)} of {len(table)} rows are wrong\n" + "\n".join(wrong), pytrace=False)

        kept = [one for name, one in signature.parameters.items() if name not in keys]
        whole.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return whole

    return decorate


def _values(row: Any, number: int) -> tuple[Any, ...]:
    if hasattr(row, "values") and hasattr(row, "marks"):  # pytest.param
        assert not row.marks, "a row cannot be marked"
        return tuple(row.values)
    return tuple(row) if number > 1 else (row,)


@contextlib.contextmanager
def _own(fixtures: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
    given = dict(fixtures)
    with contextlib.ExitStack() as stack:
        if isinstance(folder := given.get("tmp_path"), Path):
            given["tmp_path"] = folder / f"row-{number}"
            given["tmp_path"].mkdir()
        if "monkeypatch" in given:
            given["monkeypatch"] = stack.enter_context(given["monkeypatch"].context())
        yield given
