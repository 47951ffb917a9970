"""Whom the E-utilities client asks, and how long it bears with them."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from urllib.parse import urlsplit, urlunsplit

from medground.errors import ConfigError

NCBI = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
_PATH = "/entrez/eutils"


@dataclass(frozen=True)
class Patience:
    """How long to bear with a busy, broken or unreachable service.

    Attributes:
        tries: most requests that are sent for one answer.
        first_wait: seconds before the second try; each further wait is twice as long, with chance added.
        longest_wait: seconds; a service that asks for more (Retry-After) is given up at once.
        seconds: most time for one request, from sending to the last byte.
    """

    tries: int = 5
    first_wait: float = 0.5
    longest_wait: float = 60.0
    seconds: float = 60.0


@dataclass(frozen=True)
class EutilsService:
    """Whom to ask, and who asks.

    Attributes:
        name: how errors and answers name the service, such as `pubmed:live`.
        address: base address; `/entrez/eutils` is added to one without a path.
        tool: name of the program, as NCBI asks.
        email: address of its user, as NCBI asks.
        api_key: a key of NCBI; never in an address, a message or a file.
    """

    name: str = "pubmed:live"
    address: str = NCBI
    tool: str = "medground"
    email: str | None = None
    api_key: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(f"{self.address!r} is not an address of a PubMed service; give one like {NCBI}")
        path = parts.path.rstrip("/") or _PATH
        object.__setattr__(self, "address", urlunsplit((parts.scheme, parts.netloc, path, "", "")))

    @property
    def is_local(self) -> bool:
        """Whether it is this machine."""
        host = urlsplit(self.address).hostname or ""
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"

    def identity(self) -> dict[str, str]:
        """The parameters that say who asks."""
        asked = {"tool": self.tool, "email": self.email, "api_key": self.api_key}
        return {name: value for name, value in asked.items() if value}
