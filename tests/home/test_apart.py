"""Reading what others wrote in a process that can be ended: within its limits, and the next reading after it."""

import os
import signal
from functools import partial
from itertools import count
from typing import Any

from refusals import refused
from rows import each_row

from medground.errors import BadDocument
from medground.home.apart import Limits, read_apart

LIMITS = Limits(1, 200)


def read(what: Any) -> list[Any]:
    return list(read_apart(what, "a.pdf", LIMITS))


@each_row(
    ("what", "why"),
    [
        (partial(bytearray, 1 << 30), "a.pdf: there is not enough memory to read it"),
        (partial(sum, count()), "a.pdf: reading it takes longer than 1 s"),
        (partial(os._exit, 3), "breaks its reader"),
        (partial(int, "x"), r"a.pdf: its reader failed \(ValueError: invalid literal"),
        (partial(os.listdir, "/nowhere"), "No such file"),
    ],
)
def test_what_costs_too_much_is_refused_and_the_next_is_read(what: Any, why: str) -> None:
    refused((BadDocument, OSError), why, read, what)
    assert read(partial(range, 200)) == list(range(200))


def test_what_cannot_be_sent_is_read_here_and_a_reading_can_be_left() -> None:
    assert read(lambda: [1]) == [1]
    endless = read_apart(count, "a.pdf", LIMITS)
    assert [next(endless), next(endless)] == [0, 1]
    endless.close()
    assert read(partial(range, 2)) == [0, 1]


def test_a_process_that_was_ended_while_it_waited_is_not_asked() -> None:
    identity = partial(map, eval, ["__import__('os').getpid()"])
    (first,) = read(identity)
    os.kill(first, signal.SIGKILL)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    assert read(identity) != [first]
