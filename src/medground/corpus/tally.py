"""How many rows the large tables of a snapshot have, and the sum of their digests, kept while they change.

Counting or hashing all rows of a corpus would take as long as reading it, for a change of one record.
"""

import sqlite3

_DIGESTS = {"documents": True, "raw": True, "passages": False}
"""The tables, and whether their rows have digests."""
_WRAP = 1 << 256


class Tally:
    """Counts and sums of digests (SHA-256, added modulo 2^256), which do not depend on the order of rows."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        execute = connection.execute
        kept = execute("SELECT name, count, total FROM tally").fetchall()
        self._counts = {name: int(count) for name, count, _ in kept}
        self._totals = {name: int.from_bytes(total) for name, _, total in kept}
        connection.create_function("tell", 3, self._changed)
        execute("PRAGMA recursive_triggers=ON")  # a row that is replaced counts as deleted
        for table, digests in _DIGESTS.items():
            if table not in self._counts:  # a snapshot of before
                self._counts[table] = self._totals[table] = 0
                for (digest,) in execute(f"SELECT {'digest' if digests else 'NULL'} FROM {table}"):  # noqa: S608 fixed names
                    self._changed(table, 1, digest)
            for event, row, count in (("INSERT", "new", 1), ("DELETE", "old", -1), *_UPDATED * digests):
                digest = f"{row}.digest" if digests else "NULL"
                execute(
                    f"CREATE TEMP TRIGGER {table}_{event.split()[0]}_{row} AFTER {event} ON {table} "
                    f"BEGIN SELECT tell('{table}', {count}, {digest}); END"
                )

    def count(self, table: str) -> int:
        """Number of rows."""
        return self._counts[table]

    def total(self, table: str) -> bytes:
        """The sum of the digests of all rows, 32 bytes."""
        return self._totals[table].to_bytes(32)

    def save(self) -> None:
        """Store them, before a commit of the rows."""
        rows = [(name, count, self.total(name)) for name, count in self._counts.items()]
        self._connection.executemany("INSERT OR REPLACE INTO tally VALUES (?, ?, ?)", rows)

    def _changed(self, table: str, count: int, digest: bytes | None) -> None:
        self._counts[table] += count
        if digest is not None:
            self._totals[table] = (self._totals[table] + count * int.from_bytes(digest)) % _WRAP


_UPDATED = (("UPDATE OF digest", "old", -1), ("UPDATE OF digest", "new", 1))
