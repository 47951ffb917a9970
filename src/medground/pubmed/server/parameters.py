"""Parse the parameters of a request from its URL and body."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import parse_qsl

MOST_IDS = 50_000
"""Maximum IDs of a request."""
MOST_TERM = 30_000
"""Maximum bytes of a query. The longest published search strategies have about half of that."""
_MOST_FIELDS = MOST_IDS + 100


class InvalidRequest(Exception):
    """The request is not valid. The reason is sent in the response."""

    def __init__(self, reason: str, *, status: int = 200) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status


class Parameters:
    """Request parameters. Duplicates: the last value wins, except for IDs, which are combined."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._values: dict[str, str] = {}
        self.id_groups: list[list[str]] = []
        """One group of IDs per `id` parameter, because elink treats them separately."""
        for name, value in pairs:
            if name.lower() == "id":
                self.id_groups.append([each for part in value.split(",") if (each := part.strip())])
            else:
                self._values[name.lower()] = value

    @classmethod
    def read(cls, query: str, body: str = "") -> Parameters:
        """Parse the URL query, then the body.

        Raises:
            InvalidRequest: there are too many parameters or IDs, or the query is too long (413).
        """
        try:
            pairs = [
                pair
                for part in (query, body)
                for pair in parse_qsl(part, keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="replace")
            ]
        except ValueError:
            raise InvalidRequest("Too many parameters", status=413) from None
        read = cls(pairs)
        if sum(map(len, read.id_groups)) > MOST_IDS:
            raise InvalidRequest(f"More than {MOST_IDS:,} IDs; send them in parts", status=413)
        if len(read.text("term").encode("utf-8", "replace")) > MOST_TERM:
            raise InvalidRequest(f"The query has more than {MOST_TERM:,} bytes; shorten it", status=413)
        return read

    @property
    def ids(self) -> list[str]:
        """All IDs, without duplicates."""
        return list(dict.fromkeys(each for group in self.id_groups for each in group))

    def text(self, name: str, default: str = "") -> str:
        """Return a value, stripped of whitespace."""
        return self._values.get(name.lower(), default).strip()

    def has(self, name: str) -> bool:
        """Whether a parameter is present and not empty."""
        return bool(self.text(name))

    def number(self, name: str, default: int, maximum: int) -> int:
        """Return a number from 0 to `maximum`. Larger numbers are capped, as at NCBI.

        Raises:
            InvalidRequest: the value is not a number.
        """
        value = self.text(name)
        if not value:
            return default
        if not (value.isascii() and value.isdigit()):
            raise InvalidRequest(f"Invalid value of {name}: {value[:40]}")
        return min(int(value[:12]), maximum)
