"""After a fork, the new process has none of the threads that an open engine relies on."""

from __future__ import annotations

import os

from medground.errors import UsageError


def check_not_forked(opened_in: int) -> None:
    """Check that this is the process, by its id, in which something was opened.

    Raises:
        UsageError: it is a fork of that process; what waits there for a thread would wait for ever.
    """
    if os.getpid() != opened_in:
        raise UsageError("this engine was opened before the process forked; open another one in the new process")
