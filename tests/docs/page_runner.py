"""The lines of one page of the documentation in one process, so that the program is imported once.

Reads a line of JSON, a command line or Python, runs it, and replies with the exit status and what was printed. A
command line that is more than `medground` with words, such as a pipe, runs in bash.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

PLAIN = re.compile(r"""medground (?:"[^"$`\\]*"|'[^'$]*'|\$[A-Z]+|[^|<>&;$`*?~#\\"'\n])*(?:#.*)?""")


def work(kind: str, text: str) -> int:
    """The exit status of a line, or of Python."""
    if kind == "python":
        try:
            exec(compile(text, "<page>", "exec"), {"__name__": "__main__"})
        except Exception:  # noqa: BLE001 - told to the test
            traceback.print_exc()
            return 1
        return 0
    if not PLAIN.fullmatch(text):
        return subprocess.run(["bash", "-o", "pipefail", "-c", text], check=False, timeout=300).returncode
    from command_line import run

    return run(*shlex.split(os.path.expandvars(text), comments=True)[1:])


def main() -> None:
    """Serve until standard input ends."""
    sys.path.insert(0, str(Path(__file__).parent))
    import stand_ins

    stand_ins.install()
    replies = os.fdopen(os.dup(1), "w")
    for asked in os.fdopen(os.dup(0)):
        with tempfile.TemporaryFile() as printed:
            os.dup2(printed.fileno(), 1)
            os.dup2(printed.fileno(), 2)
            values = json.loads(asked)
            os.environ.update(values.get("environment", {}))
            status = work(values["kind"], values["text"])
            sys.stdout.flush()
            sys.stderr.flush()
            printed.seek(0)
            said = printed.read().decode(errors="replace")
        replies.write(json.dumps({"status": status, "said": said}) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
