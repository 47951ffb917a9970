"""The HTTP clients log the address of each request: without its secrets, for programs that show such lines."""

from __future__ import annotations

import logging

from medground.fetching.secrets import shown_address

_CLIENTS = ("httpx", "httpx2")


class _ShownAddresses(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(shown_address(str(arg)) if "://" in str(arg) else arg for arg in record.args)
        return True


_FILTER = _ShownAddresses()


def hide_secrets_in_logs() -> None:
    """Leave user, password and secret parameters out of the addresses in what the clients log from now on."""
    for name in _CLIENTS:
        logging.getLogger(name).addFilter(_FILTER)  # once: a filter that is there is not added again
