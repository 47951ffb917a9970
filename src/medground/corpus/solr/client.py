"""Requests to a cluster: whichever node answers, and one clear error where none does."""

import atexit
import json
import os
import time
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from medground.errors import ConfigError, NotFound, SourceUnavailable, UsageError, needing

with needing("services", "a corpus in Solr"):
    import httpx2

_USER, _PASSWORD = "SOLR_USER", "SOLR_PASSWORD"
_ROUNDS = 4
"""How often every node is asked before a request fails; between the rounds, the others see that a node has gone."""
_CONNECTING, _READING = 5.0, 120.0
"""Seconds."""
Parameters = Mapping[str, str | list[str]]


@cache
def _client(user: str, password: str) -> httpx2.Client:
    """The connections that this process has to all clusters."""
    timeout = httpx2.Timeout(_READING, connect=_CONNECTING)
    client = httpx2.Client(auth=(user, password) if user else None, timeout=timeout)
    atexit.register(client.close)
    return client


class Cluster:
    """The nodes of one cluster. Safe to use from several threads. `source` is how errors name it.

    A name and a password are taken from SOLR_USER and SOLR_PASSWORD, and sent to these nodes only.

    Raises UsageError: the address is not valid.
    """

    def __init__(self, address: str, source: str) -> None:
        parts = urlsplit(address)
        hosts = [host for host in parts.netloc.split(",") if host]
        if not hosts or "@" in parts.netloc or parts.fragment:
            raise UsageError(
                "this is not the address of a Solr cluster; write solr+http://HOST:8983/solr, with further hosts after "
                f"commas, and set {_USER} and {_PASSWORD} where it asks for them"
            )
        scheme = parts.scheme.removeprefix("solr+")
        self._nodes: Sequence[str] = [f"{scheme}://{host}{parts.path.rstrip('/') or '/solr'}" for host in hosts]
        self._client = _client(os.environ.get(_USER, ""), os.environ.get(_PASSWORD, ""))
        self.source = source

    def ask(self, path: str, parameters: Parameters | None = None, **sent: Any) -> dict[str, Any]:
        """The reply to a form, or to what else is sent as httpx2 takes it.

        Raises SourceUnavailable: no node answers; ConfigError: the cluster refuses us; NotFound: there is no such
        collection; UsageError: what was asked is too much for it.
        """
        told: dict[str, Any] | str = ""
        for round_ in range(_ROUNDS):
            time.sleep(2.0 ** (round_ - 1) if round_ else 0.0)
            for node in self._nodes:
                try:
                    reply = self._client.post(f"{node}/{path}", data=dict(parameters or {}) or None, **sent)
                except httpx2.HTTPError as error:
                    told = told or f"{type(error).__name__} at {urlsplit(node).netloc}"
                    self._nodes = [*(other for other in self._nodes if other != node), node]  # it is asked last now
                    continue
                told = self._told(reply.status_code, reply.content)
                if isinstance(told, dict):
                    return told
        reason = f"the Solr cluster does not answer ({told}); check the address, and that its nodes run"
        raise SourceUnavailable(reason, source=self.source, attempts=_ROUNDS * len(self._nodes))

    def _told(self, status: int, content: bytes) -> dict[str, Any] | str:
        """The reply, or why another node is to be asked."""
        try:
            reply = dict(json.loads(content))
            said = str((reply.get("error") or reply.get("exception") or {}).get("msg", "")).split("\n")[0][:300]
        except (ValueError, TypeError, AttributeError):
            reply, said = {}, ""
        if status in (401, 403):
            raise ConfigError(f"{self.source}: the Solr cluster refuses us ({status}); set {_USER} and {_PASSWORD}")
        if status == 404:
            raise NotFound(f"{self.source}: nothing is there any more, or the address is wrong; check it and ask again")
        if "maxClauseCount" in said:
            raise UsageError(f"{self.source}: Solr cannot search so many words at once; ask for less")
        if status == 400:
            raise SourceUnavailable(f"Solr refuses the request ({said})", source=self.source, last_status="400")
        if status != 200 or not reply:
            return f"{status} {said}".strip()
        return "a part of the index is missing" if reply.get("responseHeader", {}).get("partialResults") else reply
