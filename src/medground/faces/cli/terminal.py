"""The one way to print for the command line.

Every line to standard output or error passes here, and text that a terminal would obey is cleaned: documents, file
names, settings, replies of models and servers are untrusted. Inside `guarded`, so does what others print (help,
warnings, logs, tracebacks), because `Output` then stands in place of both streams.

- `say` prints lines; a line break inside one becomes a space, so that no value can look like a line of Medground.
- `page` prints text whose line breaks are ours, such as Markdown.
- `say_json` and `put` print data for programs.
- `console`, `bars` and `begin` draw in colours.

Standard output that cannot be written ends the command: all of these raise `CannotWrite`. Standard error that cannot
be written is left out.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import IO, TYPE_CHECKING, Any, TextIO, cast

import typer

from medground.language.clean import clean, one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn
    from rich.status import Status


class CannotWrite(Exception):
    """Standard output cannot be written. No `MedgroundError`: no command may take it for a failure of its own work.

    `is_closed`: whether the reader of the output went away, as `head` does.
    """

    def __init__(self, error: OSError) -> None:
        super().__init__(f"cannot write the output: {error.strerror or error}")
        self.is_closed = isinstance(error, BrokenPipeError)


class Output(io.TextIOBase):
    """Standard output or standard error in place of `stream`.

    Once a write has failed, the rest is dropped: on standard output after `CannotWrite` was raised, on standard error
    without a word, because there is no other place to say it. Whatever writes or flushes raises it.

    It has no `buffer`, so that nothing is written past it.

    `failure`: what went wrong, once something did.
    """

    def __init__(self, stream: TextIO, *, is_error: bool = False) -> None:
        self.failure: CannotWrite | None = None
        self.stream = stream
        self._is_error = is_error

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the stream."""
        return self.stream.encoding or "utf-8"

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        """What the stream does with characters that it lacks; it is given none."""
        return self.stream.errors

    def write(self, text: str) -> int:
        """Write clean text."""
        self.write_styled(clean(text))
        return len(text)

    def write_styled(self, text: str) -> None:
        """Write text that was cleaned before it was coloured."""
        if not text.isascii():
            from medground.wording.encoding import encodable

            text = encodable(text, self.encoding)
        self._try(lambda: self.stream.write(text))

    def write_bytes(self, content: bytes) -> None:
        """Write bytes as they are."""
        self.flush()
        self._try(lambda: self.stream.buffer.write(content))
        self._try(self.stream.buffer.flush)

    def flush(self) -> None:
        """Write what is held back."""
        self._try(self.stream.flush)

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return self.stream.isatty()

    def fileno(self) -> int:
        """The number of the file beneath."""
        return self.stream.fileno()

    def writable(self) -> bool:
        """Yes."""
        return True

    def close(self) -> None:
        """Nothing: the stream belongs to the interpreter."""

    def _try(self, write: Callable[[], object]) -> None:
        if self.failure is not None:
            return
        try:
            write()
        except OSError as error:
            self.failure = CannotWrite(error)
            self._drop()
            if not self._is_error:
                raise self.failure from error

    def _drop(self) -> None:
        """Send what is still held back to nowhere; the interpreter would try to write it again when it ends."""
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.stream.fileno())
            os.close(nowhere)
            self.stream.flush()


class Styled(Output):
    """The way past the cleaning of an `Output`, for the colours and movements of rich, over text that is clean."""

    def __init__(self, output: Output) -> None:
        super().__init__(output.stream)
        self._output = output

    def write(self, text: str) -> int:
        """Write text with its colours."""
        self._output.write_styled(text)
        return len(text)

    def flush(self) -> None:
        """Write what is held back."""
        self._output.flush()


def fill_closed() -> None:
    """Give the process the standard streams that it was started without (`>&-`): they lead nowhere.

    Otherwise the next file that is opened, such as a database, would have the number of standard output.
    """
    streams: dict[str, Any] = {name: getattr(sys, name) for name in ("stdin", "stdout", "stderr")}
    if None not in streams.values():
        return
    while (number := os.open(os.devnull, os.O_RDWR)) < len(streams):
        continue  # it took the number of one that was closed, and stays open
    os.close(number)
    for name, stream in streams.items():
        if stream is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w", encoding="utf-8"))  # noqa: SIM115, PTH123


@contextlib.contextmanager
def guarded(*, to_the_end: bool) -> Iterator[tuple[Output, Output]]:
    """Standard output and error that clean whatever is printed to them.

    `to_the_end`: also after this, for what is printed while the interpreter ends.
    """
    fill_closed()
    before = sys.stdout, sys.stderr
    out, err = _output(err=False), _output(err=True)
    sys.stdout, sys.stderr = out, err
    try:
        yield out, err
    finally:
        if not to_the_end:
            sys.stdout, sys.stderr = before


@contextlib.contextmanager
def given_away() -> Iterator[None]:
    """Standard output as it is, for a protocol that has it to itself."""
    with contextlib.redirect_stdout(_output(err=False).stream):
        yield


def say(*lines: str, err: bool = False) -> None:
    """Print lines, on standard output or on standard error."""
    if lines:
        page("\n".join(map(one_line, lines)), err=err)


def page(text: str, *, err: bool = False) -> None:
    """Print text with its line breaks, and one at its end."""
    stream = _output(err=err)
    stream.write(f"{text}\n")
    stream.flush()


def count(text: str, *, ended: bool) -> None:
    """Print one line on standard error over the one before, until it has ended."""
    stream = _output(err=True)
    stream.write_styled("\r")
    stream.write(one_line(text) + "\n" * ended)
    stream.flush()


def say_json(text: str) -> None:
    """Print JSON: data as it is, in characters that every terminal can show."""
    from medground.wording.encoding import encodable_json

    page(encodable_json(text, encoding()))


def say_data(content: object) -> None:
    """Print values as JSON: what JSON has, models and dataclasses."""
    from pydantic_core import to_jsonable_python

    plain = to_jsonable_python(content, by_alias=False)
    say_json(json.dumps(plain, indent=2, ensure_ascii=False))


def say_either(content: object, lines: Iterable[str], *, json: bool) -> None:
    """Print values as JSON for programs, or as lines for people."""
    if json:
        say_data(content)
    else:
        say(*lines)


def put(content: bytes) -> None:
    """Print a file: its bytes to a program or a file, clean text to a terminal."""
    stream = _output(err=False)
    if stream.isatty():
        stream.write(content.decode(errors="replace"))
        stream.flush()
    else:
        stream.write_bytes(content)


def is_terminal(*, err: bool = False) -> bool:
    """Whether standard output, or standard error, is a terminal."""
    return _output(err=err).isatty()


def encoding() -> str:
    """The encoding of standard output."""
    return _output(err=False).encoding


def confirm(question: str) -> None:
    """Ask on standard error for a yes. Raises typer.Abort: anything else was typed."""
    typer.confirm(one_line(question), abort=True, err=True)


def console(*, err: bool = False) -> Console:
    """A console of rich for text that is clean; it interprets no markup in it."""
    from rich.console import Console

    return Console(file=cast("IO[str]", Styled(_output(err=err))), highlight=False, markup=False, emoji=False)


def bars(*columns: ProgressColumn, speed_estimate_period: float = 30.0, refresh_per_second: float = 10) -> Progress:
    """Progress bars on standard error, begun with `begin`."""
    from rich.progress import Progress

    return Progress(
        *columns,
        console=console(err=True),
        speed_estimate_period=speed_estimate_period,
        refresh_per_second=refresh_per_second,
    )


def begin(live: Progress | Status) -> None:
    """Start drawing on standard error.

    Rich then takes both streams, to keep what is printed apart from what is drawn, and would obey it; so it is cleaned
    first. Rich gives them back itself.
    """
    live.start()
    sys.stdout, sys.stderr = _output(err=False), _output(err=True)


def _output(*, err: bool) -> Output:
    stream = sys.stderr if err else sys.stdout
    return stream if isinstance(stream, Output) else Output(stream, is_error=err)
