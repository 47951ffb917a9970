"""What a site allows robots to read: robots.txt as RFC 9309 says.

There is none (4xx): everything may be read. It cannot be reached (5xx, a broken connection): nothing may. Its first
500 KB count. Protego matches the rules: the standard library's parser takes the first rule that fits and not the
longest, and knows no `*` within a path.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from protego import Protego

NAME = "medground"
"""Our name in rules for robots."""
LARGEST = 500 * 1024
"""Most bytes of a robots.txt that are read."""
_LONGEST_DELAY = 30.0


@dataclass(frozen=True)
class Rules:
    """What a site allows. `parsed` is None where it could not be asked."""

    parsed: Protego | None

    def allows(self, url: str) -> bool:
        """Whether we may read an address."""
        return self.parsed is not None and self.parsed.can_fetch(url, NAME)

    @property
    def delay(self) -> float:
        """Seconds that the site wants between two requests; 0 if it does not say."""
        wanted = self.parsed.crawl_delay(NAME) if self.parsed is not None else None
        return min(max(float(wanted or 0.0), 0.0), _LONGEST_DELAY)


def robots_address(url: str) -> str:
    """Where the rules of a page's site are."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc, "/robots.txt", "", ""))


def rules_of(status: int | None, content: bytes = b"") -> Rules:
    """The rules that a reply to a request for robots.txt gives.

    Args:
        status: its HTTP status; None if there was no reply.
        content: its body.
    """
    if status is not None and 200 <= status < 300:
        return Rules(Protego.parse(content[:LARGEST].decode("utf-8", errors="replace")))
    if status is not None and 400 <= status < 500:
        return Rules(Protego.parse(""))
    return Rules(None)
