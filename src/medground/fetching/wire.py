"""What carries requests: the network, a folder of recorded replies, or the network while replies are recorded."""

from __future__ import annotations

import httpx

from medground.settings import Settings


def open_wire(settings: Settings) -> httpx.AsyncBaseTransport | None:
    """What `retrieval.replay` or `retrieval.record` asks for; None for httpx's own transport.

    Raises:
        ConfigError: the folder to replay is not there, or both are set.
    """
    del settings
    return None
