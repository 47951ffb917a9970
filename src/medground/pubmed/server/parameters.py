"""Parse the parameters of a request from its URL and body."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import parse_qsl

MOST_BYTES = 16_000_000
"""Maximum bytes of a request body, enough for a million IDs."""
_MOST_FIELDS = 200_000


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
            InvalidRequest: there are too many parameters.
        """
        try:
            pairs = [
                pair
                for part in (query, body)
                for pair in parse_qsl(part, keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="replace")
            ]
        except ValueError:
            raise InvalidRequest("Too many parameters", status=400) from None
        return cls(pairs)

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
