"""The command line: parse, call the engine, render.

An error is one line. The exit status is 2 for a user's mistake, 1 for a failure (also of writing the output), 130 after
Ctrl-C and 141 when the output is no longer read. Tracebacks are shown only with `--debug`. Heavy imports happen
inside commands, so that `--help` is fast.
"""

import atexit
import contextlib
import gc
import logging
import os
import signal
import sys
import traceback
from collections.abc import Container
from importlib.metadata import EntryPoint
from typing import Annotated, Any, cast

import typer

from medground.errors import OUT_OF_MEMORY, MedgroundError, Stopped, UserMistake, is_of_memory
from medground.faces.cli import installation
from medground.faces.cli.answers import export, history, show, table
from medground.faces.cli.ask import ask, verify
from medground.faces.cli.check import check
from medground.faces.cli.corpus import corpus_app
from medground.faces.cli.example import example
from medground.faces.cli.explain import explain
from medground.faces.cli.kb import kb_app
from medground.faces.cli.options import WRITTEN, Commands
from medground.faces.cli.papers import paper, search
from medground.faces.cli.plugin import plugin_app
from medground.faces.cli.research import plan, research
from medground.faces.cli.servers import mcp, pubmed_app, serve_app, token_app, web
from medground.faces.cli.terminal import CannotWrite, Output, guarded, page, say
from medground.home.registry import joining
from medground.language.clean import joined

_INTERRUPTED = 130
_CLOSED = 141
"""As a program that the system ends because its output is no longer read (SIGPIPE)."""
_ALLOCATIONS = 200_000
"""New objects between two searches for garbage: an answer from the graph makes 135,000 that stay. With 700, Python's
default, it takes 60 ms more, and with 50,000 still 30."""
_CommandLineError = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[2])
"""`ClickException`, which each version of Typer keeps in another module."""
_STOPPED = "medground: stopped; finished work is kept, run the same command to resume"


def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=installation.show_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Answer biomedical questions from the literature, with quotes that support each sentence."""


def _named(*commands: Any) -> dict[str, Any]:
    return {command.__name__: command for command in commands}


_SECTIONS: dict[str, dict[str, Any]] = {
    "Ask and check": _named(ask, research, plan, explain, verify, check),
    "Search": _named(search, paper, installation.mesh),
    "Saved answers": {**_named(history, show, table, export), "trace": installation.trace_app},
    "Collections and models": {"corpus": corpus_app, "kb": kb_app, "models": installation.models_app},
    "Servers": {**_named(web, mcp), "serve": serve_app, "token": token_app, "pubmed": pubmed_app},
    "Installation": {
        **_named(installation.init, installation.doctor, installation.version),
        "config": installation.config_app,
        "update": installation.update_app,
        "schema": installation.schema_app,
        "plugin": plugin_app,
        "example": example,
    },
    "Evaluation and training": {**joining("medground.commands")},
}
"""The commands by name, as the help groups them; the last are those of the other package."""
_COMMANDS = {name: command for commands in _SECTIONS.values() for name, command in commands.items()}


class _Sections(Commands):
    titles = tuple(_SECTIONS)


def command_line(names: Container[str] = _COMMANDS) -> typer.Typer:
    """The command line, of these commands or of all: to read the parameters of all takes 40 ms."""
    made = typer.Typer(
        name="medground",
        cls=_Sections,
        context_settings=WRITTEN,
        help="Answer biomedical questions from the literature, with quotes that support each sentence.",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    made.callback()(_options)
    for title, commands in _SECTIONS.items():
        for name, command in commands.items():
            if name not in names:
                continue
            if isinstance(command, EntryPoint):
                command = command.load()
            if isinstance(command, typer.Typer):
                made.add_typer(command, name=name, rich_help_panel=title)
            else:
                made.command(name, rich_help_panel=title)(command)
    return made


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit."""
    words = sys.argv[1:] if arguments is None else arguments
    if os.getpid() == 1:  # of a container; the first process ignores what it does not handle
        signal.signal(signal.SIGTERM, lambda *_: os._exit(128 + signal.SIGTERM))
    if arguments is None:
        gc.set_threshold(_ALLOCATIONS)
    with guarded(to_the_end=arguments is None) as streams:
        status = _outcome(words)
        status = _written(status, *streams)
    if arguments is None:  # otherwise a caller in this process continues
        gc.freeze()  # the process ends: to search all that was loaded for garbage takes a quarter of a short answer
        if status == _INTERRUPTED:
            _exit_on_next_interrupt()
    sys.exit(status)


def _outcome(words: list[str]) -> int:
    debug = "--debug" in words
    if not debug:
        logging.getLogger("stamina").setLevel(logging.ERROR)  # it logs every retry; the final error says how many
    try:
        return _run([word for word in words if word != "--debug"], debug=debug)
    except KeyboardInterrupt:  # a second Ctrl-C, while the first was being reported
        return _say(_STOPPED, _INTERRUPTED)


def _written(status: int, out: Output, err: Output) -> int:
    """The exit status once all is written: another if standard output could not be, whatever became of the work."""
    with contextlib.suppress(CannotWrite):
        out.flush()
    if (failure := out.failure) is not None:
        status = _CLOSED if failure.is_closed else _say(f"medground: {failure}", status or 1)
    err.flush()
    return status


def _exit_on_next_interrupt() -> None:
    """Finished work is kept, so another Ctrl-C exits without waiting for threads or showing tracebacks."""
    signal.signal(signal.SIGINT, lambda *_: os._exit(_INTERRUPTED))
    # Once threads have ended, the interpreter restores the default handler, and the signal would kill the process.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)


def _run(words: list[str], *, debug: bool) -> int:
    try:
        known = words[:1] if words and words[0] in _COMMANDS else _COMMANDS
        status = int(command_line(known)(words, prog_name="medground", standalone_mode=False) or 0)
        # Typer turns Ctrl-C inside a command into this status and says nothing.
        return _say(_STOPPED, status) if status == _INTERRUPTED else status
    except CannotWrite:
        return 0  # `_written` says it
    except _CommandLineError as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # its message is the whole help; Typer does not export it
            page(error.format_message(), err=True)
            return error.exit_code
        return _say(f"medground: {error.format_message()} (see medground --help)", error.exit_code)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  # the edge of the process
        if debug:
            page("".join(traceback.format_exception(error)).removesuffix("\n"), err=True)
        return _explained(error)


def _explained(error: BaseException) -> int:
    """The exit status after an error, which is reported in one line."""
    if isinstance(error, MedgroundError):
        if error.notice is not None and getattr(error, "answer", None) is None:
            say(error.notice.sentence, err=True)
        status = _INTERRUPTED if isinstance(error, Stopped) else 2 if isinstance(error, UserMistake) else 1
        return _say(f"medground: {error.told('terminal')}", status)
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        return _say(_STOPPED, _INTERRUPTED)
    if is_of_memory(error):
        return _say(f"medground: {OUT_OF_MEMORY}", 1)
    return _say(f"medground: internal error, {type(error).__name__}: {error}; use --debug for the traceback", 1)


def _say(line: str, status: int) -> int:
    say(joined(line), err=True)
    return status
