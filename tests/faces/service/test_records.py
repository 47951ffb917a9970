"""What a service writes down stays, and where the file cannot be written to, memory stands in for it."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from medground.errors import StorageFailed
from medground.faces.service.accounts import Owners, Spending
from medground.faces.service.records import Records
from medground.values.usage import UsageReport

NOW = datetime(2026, 11, 24, tzinfo=UTC)
USED = UsageReport(input_tokens=7)


class Disk:
    """SQLite as it is, or with a disk that has no room for a further page."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.full = False
        self._connect: Callable[..., sqlite3.Connection] = sqlite3.connect
        monkeypatch.setattr(sqlite3, "connect", self.connect)

    def connect(self, place: str, **options: Any) -> sqlite3.Connection:
        connection = self._connect(place, factory=self._kind(), **options)
        connection.disk = self if place != ":memory:" else None  # type: ignore[attr-defined]
        return connection

    def _kind(self) -> type[sqlite3.Connection]:
        class Connection(sqlite3.Connection):
            disk: Disk | None = None

            def execute(self, *given: Any) -> sqlite3.Cursor:
                full = self.disk is not None and self.disk.full
                super().execute(f"PRAGMA max_page_count = {1 if full else 1 << 30}")  # 1: what it has by now
                return super().execute(*given)

        return Connection


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


def use(records: Records, times: int) -> None:
    """Whose answers are, often enough that it takes further pages."""
    owners, spending = Owners(records), Spending(records)
    for number in range(times):
        owners.own(f"{len(list(owners.of('ann'))):06}-{number:06}-{'x' * 200}", "ann", NOW)
        spending.add("ann", USED, NOW)


def test_a_full_disk_costs_neither_answers_nor_limits(home: Path, disk: Disk, caplog: pytest.LogCaptureFixture) -> None:
    time = [0.0]
    records = Records(home, clock=lambda: time[0])
    use(records, 5)
    disk.full = True
    use(records, 50)
    assert Spending(records).month("ann", NOW).tokens == 55 * 7
    assert len(list(Owners(records).of("ann"))) == 55
    time[0] += 60
    use(records, 1)
    disk.full = False
    time[0] += 60
    assert Spending(records).month("ann", NOW).tokens == 56 * 7
    records.close()
    again = Records(home)
    assert Spending(again).month("ann", NOW).tokens == 56 * 7
    assert len(list(Owners(again).of("ann"))) == 56
    again.close()
    disk.full = False
    must = Records(home, must_keep=True)
    disk.full = True
    with pytest.raises(StorageFailed, match="disk is full"):
        use(must, 50)
    must.close()
    (told,) = {record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING}
    assert "memory only" in told and "database or disk is full" in told


def test_a_folder_that_cannot_be_made_is_no_reason_not_to_answer(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    home.mkdir()
    (home / "service").write_text("a file where the folder belongs")
    records = Records(home)
    use(records, 2)
    assert Spending(records).month("ann", NOW).tokens == 14
    records.close()
    assert "memory only" in caplog.text
    with pytest.raises(StorageFailed, match=r"service\.sqlite cannot be used"):
        Records(home, must_keep=True)
