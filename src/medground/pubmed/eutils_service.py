"""E-utilities service address, credentials and retry settings."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from urllib.parse import urlsplit, urlunsplit

from medground.errors import ConfigError
from medground.fetching.secrets import shown_address

NCBI = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
_PATH = "/entrez/eutils"


@dataclass(frozen=True)
class EutilsService:
    """The service to use and how to identify ourselves to it.

    Attributes:
        name: name of the service in errors and answers, such as `pubmed:live`.
        address: base URL; `/entrez/eutils` is added if it has no path.
        tool: name of the program, requested by NCBI.
        email: email address of the user, requested by NCBI.
        api_key: NCBI API key; never written to a URL, message or file.
    """

    name: str = "pubmed:live"
    address: str = NCBI
    tool: str = "medground"
    email: str | None = None
    api_key: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            shown = shown_address(self.address)
            raise ConfigError(f"{shown!r} is not an address of a PubMed service; use one like {NCBI}")
        path = parts.path.rstrip("/") or _PATH
        object.__setattr__(self, "address", urlunsplit((parts.scheme, parts.netloc, path, "", "")))

    @property
    def is_local(self) -> bool:
        """Whether the service runs on this machine."""
        host = urlsplit(self.address).hostname or ""
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"

    def identity(self) -> dict[str, str]:
        """Return the parameters that identify the client."""
        values = {"tool": self.tool, "email": self.email, "api_key": self.api_key}
        return {name: value for name, value in values.items() if value}
