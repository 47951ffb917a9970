"""The command line inside this process, for tests of what a user sees."""

from __future__ import annotations

from medground.faces.cli.app import main


def run(*words: str) -> int:
    """The exit status of `medground` with these words; what it prints goes where the process prints."""
    try:
        main([*words])
    except SystemExit as stopped:
        return stopped.code if isinstance(stopped.code, int) else 1
    return 0
