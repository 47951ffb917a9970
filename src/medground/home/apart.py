"""Read what others wrote in a process that can be ended: so much time of a processor, and so much memory, for its size.

A library that reads a PDF or a page cannot be stopped from within, so the process is ended, and the next reading starts
another. The limits are the system's own: Linux holds both, macOS that of time, Windows neither. There, and everywhere
as a last resort, the process is killed after a time by the clock.
"""

from __future__ import annotations

import atexit
import logging
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from subprocess import DEVNULL, PIPE, Popen
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from medground.errors import BadDocument, MedgroundError

T = TypeVar("T")
log = logging.getLogger(__name__)

_BATCH = 64
_PATIENCE = 0.5
"""Seconds after which fewer items are sent."""
_MEGABYTE = 1 << 20
_BY_CLOCK = 10
"""Seconds by the clock for each of the processor's: a reader may have to wait for a writer."""


class Limits(NamedTuple):
    """What reading something may take: seconds of a processor, and MB beyond what the process had."""

    seconds: float
    megabytes: int
    by_clock: bool = False
    """Whether the seconds are the clock's."""
    own: bool = False
    """Whether our own code reads it, record by record, and no library that may take all memory at once."""

    @classmethod
    def for_size(cls, size: int, *, own: bool) -> Limits:
        """For so many bytes, unpacked."""
        return cls(30 + size // 100_000, min(200 + 16 * size // _MEGABYTE, 1200), own=own)


def read_apart(read: Callable[[], Iterable[T]], name: str, limits: Limits) -> Iterator[T]:
    """What `read` gives, read in another process; what cannot be sent there is read in this one.

    Raises BadDocument: it takes more than its limits, or ends its reader; and what `read` raises.
    """
    try:
        asked = pickle.dumps((read, name, limits))
    except (pickle.PicklingError, AttributeError, TypeError):
        yield from told(read, name)
        return
    process = _taken(limits.own)
    assert process.stdin is not None and process.stdout is not None
    late = threading.Timer(limits.seconds * (1 if limits.by_clock else _BY_CLOCK), process.kill)
    late.start()
    end: BaseException | None = None
    is_whole = False
    try:
        process.stdin.write(asked)
        process.stdin.flush()
        while isinstance(found := pickle.load(process.stdout), list):  # noqa: S301 our own process
            yield from found
        is_whole, end = True, found
    except (EOFError, pickle.UnpicklingError, BrokenPipeError):
        raise BadDocument(_why(process.wait(), late.finished.is_set(), limits), file=name) from None
    finally:
        late.cancel()
        _put_back(process, is_whole, limits.own)
    if end is not None:
        raise end


_idle: dict[bool, list[Popen[bytes]]] = {False: [], True: []}
"""Processes that wait for what is read next, for `Limits.own` or not; they end when this one does."""
_MOST_IDLE = os.cpu_count() or 1


def _taken(own: bool) -> Popen[bytes]:
    while _idle[own]:
        if (waiting := _idle[own].pop()).poll() is None:  # the system may have ended it meanwhile
            return waiting
        _put_back(waiting, False, own)
    return Popen(  # noqa: S603 our own interpreter
        [sys.executable, "-P", "-c", f"from {__name__} import serve; serve()"],
        # Python's own allocator, a fifth faster, tries again and again at the limit; that of the system says no
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONMALLOC": "pymalloc" if own else "malloc"},
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,  # one that runs out of memory says so at length
    )


def _put_back(process: Popen[bytes], is_whole: bool, own: bool) -> None:
    if is_whole and len(_idle[own]) < _MOST_IDLE and process.poll() is None:
        _idle[own].append(process)
        return
    process.kill()
    process.wait()
    for pipe in filter(None, (process.stdin, process.stdout)):
        with suppress(OSError):
            pipe.close()


@atexit.register
def end_idle() -> None:
    """End the processes that wait."""
    for own, waiting in _idle.items():
        while waiting:
            _put_back(waiting.pop(), False, own)


def told(read: Callable[[], Iterable[T]], name: str) -> Iterator[T]:
    """What `read` gives. Raises BadDocument: it is nested too deeply; memory or an extra is missing for it."""
    try:
        yield from read()
    except RecursionError:
        raise BadDocument("nested too deeply; flatten it", file=name) from None
    except MemoryError:
        raise BadDocument("there is not enough memory to read it; split it", file=name) from None
    except ImportError as error:
        extra = f'needs the extra "files" ({error.name} is missing); run: pip install "medground[files]"'
        raise BadDocument(f"reading it {extra}", file=name, passing=True) from None


def _why(code: int, late: bool, limits: Limits) -> str:
    """Why a process ended while it read; SIGXCPU is 24 wherever there is one."""
    if late or code == -24:
        return f"reading it takes longer than {limits.seconds:g} s; split it or leave it out"
    return f"reading it takes more than {limits.megabytes:,} MB of memory, or breaks its reader; split or omit it"


# In the other process.


def serve() -> None:
    """Read what is asked for on standard input until that ends, also while something is read."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints
    asked = SimpleQueue[Any]()
    threading.Thread(target=_listen, args=(asked,), daemon=True).start()
    while True:
        read, name, limits = asked.get()
        end: BaseException | None = None
        batch: list[Any] = []
        due = monotonic() + _PATIENCE
        try:
            _limit(limits)
            for item in told(read, name):
                batch.append(item)
                if len(batch) >= _BATCH or monotonic() > due:
                    pickle.dump(batch, out)
                    out.flush()
                    batch, due = [], monotonic() + _PATIENCE
        except (MedgroundError, OSError) as error:
            end = error
        except MemoryError:
            end = BadDocument(_why(0, False, limits), file=name)
        except Exception as error:  # a library may raise anything over a file that was made for it
            log.debug("the reader of %s failed", name, exc_info=True)
            why = f"its reader failed ({type(error).__name__}: {error})"[:200].replace("\n", " ")
            end = BadDocument(why, file=name)
        if batch:
            pickle.dump(batch, out)
        pickle.dump(end, out)
        out.flush()


def _listen(asked: SimpleQueue[Any]) -> None:
    try:
        while True:
            asked.put(pickle.load(sys.stdin.buffer))  # noqa: S301 sent by our own process
    finally:
        os._exit(0)  # the caller has gone, or asks for an unknown function


def _limit(limits: Limits) -> None:
    with suppress(ImportError, ValueError, OSError):  # Windows has none
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        most = int(used.ru_utime + used.ru_stime) + int(limits.seconds) + 1
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        data = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5]) * resource.getpagesize()
        room = data + limits.megabytes * _MEGABYTE
        resource.setrlimit(resource.RLIMIT_DATA, (room, resource.getrlimit(resource.RLIMIT_DATA)[1]))
