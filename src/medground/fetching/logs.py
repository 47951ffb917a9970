"""What this process logs holds no secret that it knows, whichever library logs it: HTTP clients log what they send."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any

from medground.fetching.secrets import masked

_FORMATTER = logging.Formatter()


def hide_in_logs(forms: Iterable[str]) -> None:
    """Put asterisks in place of these forms of secrets in all lines that are logged from now on."""
    current = logging.getLogRecordFactory()
    if not isinstance(current, _Hiding):
        current = _Hiding(current)
        logging.setLogRecordFactory(current)
    current.hide(forms)


class _Hiding:
    """Makes records of log lines. One with a secret becomes plain text; any other stays as it is.

    The secrets of a process are few, so they are never forgotten.

    Args:
        make: makes records of log lines as they are.
    """

    def __init__(self, make: Callable[..., logging.LogRecord]) -> None:
        self._make = make
        self._forms: tuple[str, ...] = ()

    def hide(self, forms: Iterable[str]) -> None:
        known = frozenset(self._forms)
        if new := [form for form in forms if form not in known]:
            self._forms = tuple(sorted((*known, *new), key=len, reverse=True))

    def __call__(self, *given: Any, **named: Any) -> logging.LogRecord:
        record = self._make(*given, **named)
        try:
            said = record.getMessage()
        except (TypeError, ValueError):  # arguments that do not fit; logging says so itself
            return record
        if (shown := masked(said, self._forms)) != said:
            record.msg, record.args = shown, ()
        if record.exc_info:
            trace = _FORMATTER.formatException(record.exc_info)
            if (shown := masked(trace, self._forms)) != trace:
                record.exc_info, record.exc_text = None, shown
        return record
