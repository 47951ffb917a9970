"""Reading what a site sent, in a process of its own where it could take long or break the reader.

A page can be made so that its reading takes hours, and a PDF so that it ends the program that reads it. Such a process
is killed when its time is over; the rest of a research does not notice.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from typing import Any

from medground.document import Document
from medground.fetching.addresses import Refused
from medground.fetching.contents import PDF, document_of
from medground.fetching.sending import Received

_MOST_TAGS = 5000
"""Tags of a page that is read at once: the worst that was made of so many took two seconds."""
_MOST_MEMORY = 4 << 30
"""Bytes of addresses that a reading process may use."""


def read_document(received: Received, url: str, document_id: str, seconds: float) -> Document:
    """As `contents.document_of`, in at most this time.

    Raises:
        Refused: as for `document_of`; or reading takes too long, or fails.
    """
    harmless = received.media_type != PDF and not received.body.startswith(b"%PDF-")
    if harmless and received.body.count(b"<") <= _MOST_TAGS:
        return document_of(received, url, document_id)
    head = {"status": received.status, "headers": dict(received.headers), "url": url, "id": document_id}
    command = [sys.executable, "-P", "-m", __name__, str(int(seconds) + 1)]
    sent = json.dumps(head).encode() + b"\n" + received.body
    try:
        done = subprocess.run(command, input=sent, capture_output=True, timeout=seconds, check=True)  # noqa: S603
        answer = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise Refused(f"reading it takes longer than {seconds:g} s") from None
    except (subprocess.CalledProcessError, ValueError, OSError):
        raise Refused("its reader failed") from None
    if "refused" in answer:
        raise Refused(str(answer["refused"]))
    return Document.model_validate(answer["document"])


def _main() -> None:
    """Read a head and a body from standard input; write the document, or why there is none."""
    _limit(int(sys.argv[1]))
    head = json.loads(sys.stdin.buffer.readline())
    received = Received(head["status"], head["headers"], sys.stdin.buffer.read())
    answer: dict[str, Any]
    try:
        answer = {"document": document_of(received, head["url"], head["id"]).model_dump(mode="json")}
    except Refused as error:
        answer = {"refused": str(error)}
    sys.stdout.write(json.dumps(answer))


def _limit(seconds: int) -> None:
    """Limits of time and memory that hold even if nobody is left to end the process; not on Windows."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))


if __name__ == "__main__":
    _main()
