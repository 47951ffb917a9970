"""A contract of `medground.testing` in one test: every check is made, and the message lists those that fail."""

from __future__ import annotations

import asyncio
import inspect
import itertools
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import pytest

C = TypeVar("C", bound=type)


def in_one_test(contract: C) -> C:
    """The class with one test in place of those that it inherits. Each check, and each row of it, opens a source."""
    checks = {name: getattr(contract, name) for name in dir(contract) if name.startswith("test_")}

    def test_contract(self: Any, make: Callable[[], Any], request: pytest.FixtureRequest) -> None:
        wrong, made = [], 0
        for name, check in checks.items():
            for row in _rows(check):
                made += 1
                source = make()
                given = {"source": source, "make": make, **row}
                try:
                    names = list(inspect.signature(check).parameters)[1:]
                    check(self, **{key: given[key] if key in given else request.getfixturevalue(key) for key in names})
                except pytest.skip.Exception:
                    pass
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - the other checks are made too
                    wrong.append(f"{name} {row or ''}: {type(error).__name__}: {error}")
                finally:
                    asyncio.run(source.close())
        if wrong:
            pytest.fail(f"{len(wrong)} of {made} checks fail\n" + "\n".join(wrong), pytrace=False)

    for name in checks:
        setattr(contract, name, None)
    contract.test_contract = test_contract  # type: ignore[attr-defined]
    return contract


def _rows(check: Any) -> Iterator[dict[str, Any]]:
    """The values of the parameters of a check, in all combinations of its marks."""
    tables = []
    for mark in getattr(check, "pytestmark", []):
        if mark.name == "parametrize":
            names = mark.args[0] if isinstance(mark.args[0], tuple | list) else mark.args[0].split(",")
            keys = [name.strip() for name in names]
            rows = (row if len(keys) > 1 else (row,) for row in mark.args[1])
            tables.append([dict(zip(keys, row, strict=True)) for row in rows])
    for combined in itertools.product(*tables):
        yield {key: value for row in combined for key, value in row.items()}
