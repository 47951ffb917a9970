"""A request and its reply: parameters, what is stored for a client under `WebEnv` and `query_key`, XML and JSON."""

from __future__ import annotations

import json
import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from medground.faces.eutils.catalogue import Check, SnapshotCatalogue
from medground.pubmed.parser import MAX_CHARACTERS
from medground.pubmed.syntax import tokens
from medground.values.document import Document
from medground.values.grouping import portions
from medground.wording.templates import template

MOST_IDS = 50_000
"""Maximum IDs of a request."""
MOST_TERM = 30_000
"""Maximum bytes of a query. The longest published search strategies have about half of that."""
_MOST_FIELDS = MOST_IDS + 100


class InvalidRequest(Exception):
    """The request is not valid, or asks for too much. The reason is sent in the response of any utility."""

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
                self.id_groups.append(value.replace(",", " ").split())
            elif value != "None":  # what Python clients send for nothing
                self._values[name.lower()] = value

    @classmethod
    def read(cls, query: str, body: str = "") -> Parameters:
        """Parse the URL query, then the body."""
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
        """Return a number from 0 to `maximum`. Larger numbers are capped, as at NCBI."""
        value = self.text(name)
        if not value:
            return default
        if not (value.isascii() and value.isdigit()):
            raise InvalidRequest(f"Invalid value of {name}: {value[:40]}")
        return min(int(value[:12]), maximum)


_MOST_SESSIONS = 1000
_MOST_KEYS = 100
_MOST_BYTES = 64_000_000
"""Characters of IDs and queries that are kept in all; most take a byte."""
_OVERHEAD = 300
"""Bytes that an entry takes besides."""


@dataclass(frozen=True)
class _Stored:
    """IDs, joined by commas because a list of them takes six times the memory, and the query that found them."""

    joined: str
    query: str

    @property
    def size(self) -> int:
        """Bytes that it takes, about."""
        return len(self.joined) + len(self.query) + _OVERHEAD

    def as_query(self) -> str:
        """Return a query for the same records. With no IDs, it is a query without results."""
        return self.query if self.query and self.joined else f"{self.joined or 0}[UID]"


class History:
    """The most recent sessions of all clients, in memory. A restart deletes them, as NCBI does after some hours.

    `most`: bytes that all of them may take, about; beyond it, the oldest are forgotten.
    """

    def __init__(self, most: int = _MOST_BYTES) -> None:
        self._most = most
        self._size = 0
        self._sessions = OrderedDict[str, list[_Stored]]()
        self._lock = threading.Lock()

    def store(self, ids: Sequence[str], session: str = "", query: str = "") -> tuple[int, str]:
        """Store IDs in a session, or in a new one if the named one is unknown. Returns the key and the session.

        `query` is the full query that found them; posted IDs have none.
        """
        with self._lock:
            name = session if session in self._sessions else f"MCID_{secrets.token_hex(12)}"
            added = _Stored(",".join(ids), query)
            stored = self._sessions.get(name, [])
            if len(stored) >= _MOST_KEYS:
                raise InvalidRequest(f"WebEnv is full ({_MOST_KEYS} searches); start a new one")
            if _size(stored) + added.size > self._most:
                raise InvalidRequest("WebEnv is full (too many IDs); start a new one", status=413)
            self._sessions[name] = stored
            stored.append(added)
            self._size += added.size
            self._sessions.move_to_end(name)
            while len(self._sessions) > _MOST_SESSIONS or self._size > self._most:
                self._size -= _size(self._sessions.popitem(last=False)[1])
            return len(stored), name

    def expanded_query(self, parameters: Parameters) -> str:
        """Return the query of a request, with references such as `#1` expanded and `query_key` added with AND."""
        term, session = parameters.text("term"), parameters.text("WebEnv")
        if not session:
            return term
        if key := parameters.text("query_key"):
            term = f"#{key} AND ({term})" if term else f"#{key}"
        for token in reversed(tokens(term)):
            if token.kind == "history":
                start, end = token.column - 1, token.column - 1 + len(token.text)
                term = f"{term[:start]}({self._find(session, token.text[1:]).as_query()}){term[end:]}"
            if len(term) > MAX_CHARACTERS:
                raise InvalidRequest(f"Query too long: with its history it exceeds {MAX_CHARACTERS} characters")
        return term

    def _find(self, session: str, key: str) -> _Stored:
        with self._lock:
            stored = self._sessions.get(session, [])
            number = int(key[:6]) if key.isascii() and key.isdigit() else 0
            if not 1 <= number <= len(stored):
                raise InvalidRequest(f"Unable to obtain query #{key[:20]}")
            return stored[number - 1]

    def requested_ids(self, parameters: Parameters) -> list[str]:
        """Return the IDs of a request, from its session or its parameters."""
        if parameters.has("WebEnv") and parameters.has("query_key"):
            stored = self._find(parameters.text("WebEnv"), parameters.text("query_key"))
            return stored.joined.split(",") if stored.joined else []
        if not parameters.ids:
            raise InvalidRequest("Neither query_key nor id specified")
        return parameters.ids


def _size(stored: Sequence[_Stored]) -> int:
    return sum(one.size for one in stored)


_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
MOST_BYTES = 100_000_000
"""Maximum bytes of a response: 10,000 records have about half of that."""
_BATCH = 200
_JSON = re.compile(r"(?i)(?:^|&)retmode=json(?:&|$)")


@dataclass(frozen=True)
class Reply:
    """A response body with its content type and status."""

    body: bytes
    type: str
    status: int = 200


@dataclass(frozen=True)
class Context:
    """What every utility gets: the server's state, and a function to call between two steps of long work."""

    catalogue: SnapshotCatalogue
    history: History
    check: Check


def fetched(context: Context, ids: Sequence[str]) -> Iterator[tuple[str, Document]]:
    """Yield the IDs and records that exist, a batch in memory at a time."""
    for batch in portions(ids, _BATCH):
        context.check()
        found = context.catalogue.fetch(batch)
        yield from ((each, found[each]) for each in batch if each in found)


def xml_stream(parts: Iterable[bytes]) -> Reply:
    """Build an XML response from its parts in UTF-8."""
    out = bytearray()
    for part in parts:
        out += part
        if len(out) > MOST_BYTES:
            raise InvalidRequest(f"The response has more than {MOST_BYTES:,} bytes; ask for less", status=413)
    return Reply(bytes(out), "text/xml; charset=UTF-8")


def xml_reply(kind: str, content: Mapping[str, Any], status: int = 200, **only_in_xml: Any) -> Reply:
    """Build the XML response of a utility from its JSON content, and what JSON lacks, by `replies.xml`."""
    text = template(__package__, "replies.xml").render(kind=kind, **content, **only_in_xml)
    return Reply(_NOT_XML.sub(" ", text).encode(), "text/xml; charset=UTF-8", status)


def json_reply(kind: str, content: dict[str, Any], status: int = 200) -> Reply:
    """Build a JSON response with NCBI's header."""
    whole = json.dumps({"header": {"type": kind, "version": "0.3"}, **content}, ensure_ascii=False)
    return Reply(whole.encode("utf-8", "replace"), "application/json; charset=UTF-8", status)


def text_reply(text: str) -> Reply:
    """Build a plain-text response."""
    return Reply(text.encode("utf-8", "replace"), "text/plain; charset=UTF-8")


def reply(parameters: Parameters, kind: str, content: dict[str, Any], **only_in_xml: Any) -> Reply:
    """Build a response in the form that the request asks for."""
    return json_reply(kind, content) if wants_json(parameters) else xml_reply(kind, content, **only_in_xml)


def error_reply(name: str, reason: str, status: int, *, as_json: bool) -> Reply:
    """Build the response of a utility to a request that failed."""
    if not as_json:
        return xml_reply(name, {"error": reason}, status)
    # Only esearch reports errors inside its result.
    return json_reply(name, {"esearchresult": {"ERROR": reason}} if name == "esearch" else {"error": reason}, status)


def wants_json(parameters: Parameters) -> bool:
    """Whether the request asks for JSON."""
    return parameters.text("retmode").lower() == "json"


def asks_json(sent: str) -> bool:
    """Whether a request asks for JSON, by its encoded parameters, which may be too many to be read."""
    return _JSON.search(sent) is not None
