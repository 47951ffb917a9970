"""The program, imported once: each `medground` and `python` of a block runs in a fork of this process.

`warm.py FOLDER` writes both commands to FOLDER and listens there until it is ended. A command sends its words, folder,
environment and open files, and exits as its fork does; a command that is killed ends its fork.
"""

import contextlib
import gc
import importlib
import io
import json
import os
import pkgutil
import shlex
import signal
import socket
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import medground
from medground.faces.cli.app import main

COMMAND = """#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as warm:
    warm.connect({place!r})
    socket.send_fds(warm, [b"+"], [0, 1, 2])
    warm.sendall(json.dumps([sys.argv, os.getcwd(), dict(os.environ)]).encode() + b"\\n")
    sys.exit((warm.recv(1) or b"\\x01")[0])
"""
NOT_LOADED = ("__main__", "integrations", "testing", "faces.mcp", "answering.verify.nli_onnx", "models.encoder_graph")
"""Modules below `medground` that few commands need, or that start threads, which no fork has."""


def load() -> None:
    """Import the modules of the program, as far as what they need is installed."""
    for module in pkgutil.walk_packages(medground.__path__, "medground.", onerror=lambda _: None):
        if not module.name.removeprefix("medground.").startswith(NOT_LOADED):
            with contextlib.suppress(Exception):
                importlib.import_module(module.name)


REHEARSED = (
    "medground example papers questions",
    "medground corpus build papers papers -q",
    "medground ask -c papers 'Does yoga reduce back pain?'",
    "medground eval run jsonl --data questions/questions.jsonl -c papers --limit 1 -q",
)


def rehearse() -> None:
    """Answer and evaluate a question, which reads the tables and imports what most commands need."""
    with tempfile.TemporaryDirectory() as home, contextlib.chdir(home), contextlib.redirect_stdout(io.StringIO()):
        os.environ["MEDGROUND_HOME"] = home
        for line in REHEARSED:
            assert run(shlex.split(line)) == 0, line


def run(words: list[str]) -> int:
    """The exit status of a command in this process."""
    sys.argv = [Path(words[0]).name, *words[1:]]
    try:
        if sys.argv[0] == "medground":
            main(sys.argv[1:])
        else:
            code = sys.argv[2] if sys.argv[1] == "-c" else Path(sys.argv[1]).read_text(encoding="utf-8")
            exec(compile(code, sys.argv[1], "exec"), {"__name__": "__main__"})
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001 - a fork ends here
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        return 1
    return 0


def answer(asked: socket.socket) -> None:
    """Run the command that is asked for, in this fork, and reply with its exit status."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _, files, _, _ = socket.recv_fds(asked, 1, 3)
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    words, folder, environment = json.loads(asked.makefile().readline())
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)

    def end_with_it() -> None:
        asked.recv(1)
        os._exit(1)

    threading.Thread(target=end_with_it, daemon=True).start()
    status = run(words)
    with contextlib.suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    asked.sendall(bytes([status & 255]))
    os._exit(status)


def reap() -> None:
    """Take note of forks that have ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def serve(folder: Path) -> None:
    """Listen until this process is ended."""
    sys.path.insert(0, str(Path(__file__).parent))
    stand_ins: Any = importlib.import_module("stand_ins")
    stand_ins.install()
    load()
    rehearse()
    gc.collect()
    gc.freeze()  # forks share what was loaded
    assert threading.active_count() == 1
    signal.signal(signal.SIGCHLD, lambda *_: reap())
    place = folder / "socket"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(place))
        listening.listen()
        for name in ("medground", "python"):
            command = folder / name
            command.write_text(COMMAND.format(python=sys.executable, place=str(place)), encoding="utf-8")
            command.chmod(0o755)
        print("ready", flush=True)
        while True:
            asked, _ = listening.accept()
            if os.fork() == 0:
                listening.close()
                answer(asked)
            asked.close()


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
