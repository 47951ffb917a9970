"""Several processes that serve one socket: started, replaced where one is killed, and ended together."""

import contextlib
import os
import signal
from collections.abc import Callable

from medground.errors import UsageError

_ENDS = (signal.SIGINT, signal.SIGTERM)


def become_worker(count: int) -> Callable[[], object] | None:
    """Fork into so many workers, and return in each. The parent stays until all have ended, and then exits.

    The first worker starts alone, so that what is wrong is said once; it calls what is returned when it is ready.

    Raises UsageError: this system has no fork.
    """
    if not hasattr(os, "fork"):
        raise UsageError("this system cannot share a socket between processes; leave --workers out")
    reading, writing = os.pipe()
    if not (first := os.fork()):
        os.close(reading)
        return lambda: os.write(writing, b"r")
    os.close(writing)
    workers, ending = {first}, False

    def end(*_: object) -> None:
        nonlocal ending
        ending = True
        for worker in workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal.SIGTERM)

    before = {sign: signal.signal(sign, end) for sign in _ENDS}
    is_ready = bool(os.read(reading, 1))
    code = 0 if is_ready else 1
    while workers:
        signal.pthread_sigmask(signal.SIG_BLOCK, _ENDS)  # a signal must not fall between the question and the fork
        while is_ready and not ending and len(workers) < count:
            if not (another := os.fork()):
                for sign in _ENDS:
                    signal.signal(sign, before[sign])
                signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDS)
                return None
            workers.add(another)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDS)
        gone, status = os.wait()
        workers.discard(gone)
        ended = os.waitstatus_to_exitcode(status)
        if ended >= 0 and not ending:  # by itself, as where it cannot start: the others would, too
            code = ended
            end()
    raise SystemExit(code)
