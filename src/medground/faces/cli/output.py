"""A stream that cleans what is written to it, writes only what its encoding has, and knows when it cannot write."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable
from typing import Any, TextIO

from medground.text.clean import clean


class CannotWrite(Exception):
    """Standard output cannot be written. No `MedgroundError`: no command may take it for a failure of its own work.

    Attributes:
        is_closed: whether whoever read the output went away, as `head` does.
    """

    def __init__(self, error: OSError) -> None:
        super().__init__(f"cannot write the output: {error.strerror or error}")
        self.is_closed = isinstance(error, BrokenPipeError)


class Output(io.TextIOBase):
    """Standard output or standard error in place of `stream`.

    Once a write has failed, the rest is dropped: on standard output after `CannotWrite` was raised, on standard error
    without a word, because there is no other place to say it. Whatever writes or flushes raises it.

    It has no `buffer`, so that nobody writes past it.

    Args:
        stream: where clean text is written.
        is_error: whether it is standard error.

    Attributes:
        stream: where clean text is written.
        failure: what went wrong, once something did.
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
