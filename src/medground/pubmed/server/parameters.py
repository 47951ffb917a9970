"""The parameters of a request, from its address and its body."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import parse_qsl

MOST_BYTES = 16_000_000
"""Of a request's body: a million ids."""
_MOST_FIELDS = 200_000


class Refused(Exception):
    """The request cannot be answered; its text goes into the answer."""

    def __init__(self, reason: str, *, status: int = 200) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status


class Parameters:
    """What was asked for. Of a parameter that is given twice, the last one counts, except for ids."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._values: dict[str, str] = {}
        self.id_groups: list[list[str]] = []
        """One group of ids per `id` parameter, as elink tells them apart."""
        for name, value in pairs:
            if name.lower() == "id":
                self.id_groups.append([each for part in value.split(",") if (each := part.strip())])
            else:
                self._values[name.lower()] = value

    @classmethod
    def read(cls, query: str, body: str = "") -> Parameters:
        """Read both, the body after the address.

        Raises:
            Refused: there are too many.
        """
        try:
            pairs = [
                pair
                for part in (query, body)
                for pair in parse_qsl(part, keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="replace")
            ]
        except ValueError:
            raise Refused("Too many parameters", status=400) from None
        return cls(pairs)

    @property
    def ids(self) -> list[str]:
        """All ids, each once."""
        return list(dict.fromkeys(each for group in self.id_groups for each in group))

    def text(self, name: str, default: str = "") -> str:
        """A value without outer white space."""
        return self._values.get(name.lower(), default).strip()

    def has(self, name: str) -> bool:
        """Whether a parameter is there and not empty."""
        return bool(self.text(name))

    def number(self, name: str, default: int, greatest: int) -> int:
        """A number from 0 to `greatest`; a larger one is cut, as NCBI does.

        Raises:
            Refused: it is no number.
        """
        value = self.text(name)
        if not value:
            return default
        if not (value.isascii() and value.isdigit()):
            raise Refused(f"Invalid value of {name}: {value[:40]}")
        return min(int(value[:12]), greatest)
