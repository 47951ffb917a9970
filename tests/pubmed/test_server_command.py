"""`medground pubmed serve`, run as a separate process."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers.base import Input
from medground.errors import UsageError
from medground.testing import DOCUMENTS

pytest.importorskip("uvicorn", reason="needs the extra serve")

COMMAND = "from medground.faces.cli.pubmed import pubmed_app; pubmed_app()"


@contextlib.contextmanager
def ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Kill the process on exit, even if the test fails."""
    with process:
        try:
            yield
        finally:
            process.kill()


def test_it_serves_until_interrupted(home: Path, loopback: None) -> None:
    build(Library(home), "made", [Input("made", "test", "1", lambda skip: iter(DOCUMENTS[skip:]))])
    words = [sys.executable, "-c", COMMAND, "serve", "--corpus", "made", "--port", "0", "--quiet"]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, env=dict(os.environ))
    with ended(process):
        assert process.stderr is not None
        printed = process.stderr.readline().decode()
        assert printed.startswith("4 records of made@")
        address = re.search(r"http://127\.0\.0\.1:[1-9][0-9]*/entrez/eutils", printed)
        assert address is not None, printed
        url = f"{address[0]}/esearch.fcgi?term=losartan&retmode=json"
        with urllib.request.urlopen(url, timeout=120) as answer:
            assert b'"idlist": ["2"]' in answer.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(120) is not None


def test_a_port_in_use_is_a_one_line_error(catalogue_of: Any, loopback: None) -> None:
    from medground.pubmed.server.run import run

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"cannot listen on 127.0.0.1:{port} .*choose another --port"):
            run(catalogue_of(DOCUMENTS), host="127.0.0.1", port=port)
