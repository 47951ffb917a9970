"""`medground serve`, `web`, `mcp`, `pubmed serve`: where they listen; and `token`: who may ask, and how much."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from json import dumps
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Context, Option, Typer

from medground.errors import UsageError, needing
from medground.faces.cli import building
from medground.faces.cli.options import (
    Corpora,
    JsonLines,
    KnowledgeBase,
    ModelName,
    Preset,
    Quiet,
    Sets,
    SettingsFile,
    group,
    load_settings,
    searched,
)
from medground.faces.cli.progress import shown_progress
from medground.faces.cli.terminal import given_away, say
from medground.language.clean import some

if TYPE_CHECKING:
    from medground.faces.service.accounts import Spent, Tokens
    from medground.faces.service.values import Limits
    from medground.home.settings import Settings
    from medground.values.steps import Progress

log_of_server = logging.getLogger(__name__)

Host = Annotated[str, Option(help="Address to listen on; the default is this computer only.")]
Port = Annotated[int, Option(help="Port to listen on; 0 picks a free port.", min=0, max=65535)]
Login = Annotated[
    bool | None,
    Option(
        "--login/--open",
        show_default=False,
        help="Whether to require a token on this computer too; by default, only once a token has been created.",
    ),
]

Workers = Annotated[int, Option(help="Processes that answer; all see the same jobs and limits.", min=1, max=256)]

LOOPBACK = "127.0.0.1"
SERVE, WEB, MCP = 8123, 8124, 8126
"""Each server's own default port, so that all of them can run at once."""


def announce(settings: Settings, address: str, what: str = "Medground") -> None:
    """Tell where a server listens, in the log where every line has to be one of it."""
    line = f"{what} at {address} (press Ctrl-C to stop)"
    if settings.serve.log == "json":
        log_of_server.info(line)
    else:
        say(line, err=True)


@contextmanager
def _logging(settings: Settings, *, quiet: bool = True) -> Iterator[Progress]:
    """Meanwhile what a server does is logged as the settings say."""
    with needing("pubmed", "the server"):
        from medground.faces.server_log import logging_as

    with logging_as(settings.serve.log), shown_progress(quiet=quiet or settings.serve.log == "json") as progress:
        yield progress


LAST = 5.0
"""Seconds after which a server that was told to stop ends, whatever a thread of it still reads."""


def _run(work: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner() as runner:
        runner.run(work)
        last = threading.Timer(LAST, os._exit, (0,))
        last.daemon = True
        last.start()
    last.cancel()


serve_app = Typer(invoke_without_command=True)


@serve_app.callback()
def serve(
    context: Context,
    corpus: Corpora = None,
    kb: KnowledgeBase = None,
    model: ModelName = None,
    host: Host = LOOPBACK,
    port: Port = SERVE,
    login: Login = None,
    workers: Workers = 1,
    sets: Sets = None,
    preset: Preset = None,
    settings: SettingsFile = None,
    quiet: Quiet = False,
) -> None:
    """Answer questions over HTTP until Ctrl-C. Other computers need a token: `medground token create NAME`."""
    if context.invoked_subcommand is not None:
        return
    with needing("serve", "the server"):
        from medground.faces.api.server import needs_token, run
        from medground.faces.serving import listener
        from medground.faces.workers import become_worker

    chosen = load_settings(sets, preset, settings, searched(corpus, kb, model))
    told: Callable[[str], None] = partial(announce, chosen)
    on = None
    if workers > 1:
        if chosen.serve.metrics_port is not None:
            raise UsageError("serve.metrics_port is for one process; leave --workers out, and start more containers")
        needs_token(chosen, host, login)
        on = listener(host, port)
        first = become_worker(workers)

        def ready(address: str) -> None:
            if first is not None:
                announce(chosen, address)
                first()

        told = ready

    with _logging(chosen, quiet=quiet) as progress:
        _run(run(chosen, host=host, port=port, announce=told, progress=progress, login=login, on=on))


def web(
    corpus: Corpora = None,
    kb: KnowledgeBase = None,
    model: ModelName = None,
    host: Host = LOOPBACK,
    port: Port = WEB,
    login: Login = None,
    no_browser: Annotated[bool, Option("--no-browser", help="Do not open the page in a browser.")] = False,
    sets: Sets = None,
    preset: Preset = None,
    settings: SettingsFile = None,
    quiet: Quiet = False,
) -> None:
    """Serve the web page, and the HTTP API behind it, until Ctrl-C."""
    import webbrowser

    with needing("serve", "the page"):
        from medground.faces.api.server import run
        from medground.faces.web.app import BuiltPage, add_page

    extend = partial(add_page, page=BuiltPage())
    chosen = load_settings(sets, preset, settings, searched(corpus, kb, model))
    if host == LOOPBACK:  # one who asks for PubMed may have it, and who sits at the page needs no log of it
        own = {"sources": ("pubmed",), "log": "off"}
        left = {f"serve.{name}": own[name] for name in own.keys() - chosen.serve.model_fields_set}
        chosen = chosen.with_options(left)

    def listening(address: str) -> None:
        announce(chosen, address)
        if not no_browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    with _logging(chosen, quiet=quiet) as progress:
        work = run(chosen, host=host, port=port, announce=listening, progress=progress, login=login, extend=extend)
        _run(work)


Http = Annotated[bool, Option("--http", help="Serve over HTTP, for many clients; use with --host, --port and --login.")]


def mcp(
    corpus: Corpora = None,
    kb: KnowledgeBase = None,
    model: ModelName = None,
    http: Http = False,
    host: Host = LOOPBACK,
    port: Port = MCP,
    login: Login = None,
    sets: Sets = None,
    preset: Preset = None,
    settings: SettingsFile = None,
) -> None:
    """Offer search, answers and lookups to an agent through the Model Context Protocol, over standard input and output.

    Agents start this command themselves; docs/mcp.md explains how to add it to a client.
    """
    with needing("mcp", "the MCP server"):
        from medground.faces.mcp.server import over_http, over_stdio
    chosen = load_settings(sets, preset, settings, searched(corpus, kb, model))

    if http:
        listening = partial(announce, chosen, what="Medground for agents")
        with _logging(chosen):
            _run(over_http(chosen, host=host, port=port, announce=listening, login=login))
    else:
        with given_away():
            asyncio.run(over_stdio(chosen))


pubmed_app = group("Run your own PubMed server.")


@pubmed_app.command("serve")
def serve_pubmed(
    corpus: Annotated[str, Option(help="Corpus of PubMed records to serve.", metavar="NAME")],
    port: Port = 8321,
    host: Annotated[str, Option(help="Address to listen on; the default is local only.")] = LOOPBACK,
    name: Annotated[
        list[str] | None,
        Option(help="Host name that clients may use in addition to its address and loopback; repeatable."),
    ] = None,
    limit: Annotated[
        bool, Option("--limit", help="Limit clients as NCBI does: 3 requests a second, 10 with an api_key.")
    ] = False,
    sets: Sets = None,
    quiet: Quiet = False,
) -> None:
    """Serve a corpus over the E-utilities API until Ctrl-C, and a page to search it."""
    from medground.corpus.library import Library
    from medground.faces.eutils import run
    from medground.faces.eutils.current import CurrentCatalogue

    settings = load_settings(sets)
    with _logging(settings, quiet=quiet) as progress:
        catalogue = CurrentCatalogue(Library(settings.home), corpus, settings.home, progress)
        about = catalogue().about

        def listening(port: int) -> None:
            announce(settings, f"http://{host}:{port}/entrez/eutils", f"{about.count:,} records of {about.name}")

        names = (*(name or ()), *settings.serve.hosts)
        run(catalogue, host=host, port=port, names=names, listening=listening, limited=limit)


@pubmed_app.command("update")
def update_pubmed(name: building.Name, paths: building.Paths, quiet: Quiet = False) -> None:
    """Apply PubMed's update files: new, revised and deleted records. Servers go on, and then take the result."""
    from medground.faces.eutils.current import prepare

    building.add(name, paths, quiet=quiet)
    with shown_progress(quiet=quiet) as progress:
        prepare(building.library(), name, load_settings().home, progress)


token_app = group("Manage access tokens for your server.")

Name = Annotated[str, Argument(help="Name of the token's holder.", metavar="NAME")]
_RATE = re.compile(r"([1-9][0-9]{0,6})(?:/min)?")


@token_app.command("create")
def create(
    name: Name,
    rate: Annotated[
        str | None, Option(metavar="N/min", help="Maximum requests to the engine in any 60 seconds.")
    ] = None,
    concurrent: Annotated[int | None, Option(min=1, help="Maximum number of simultaneous requests.")] = None,
    money: Annotated[float | None, Option(min=0, metavar="DOLLARS", help="Maximum US dollars per month.")] = None,
    tokens: Annotated[int | None, Option(min=0, help="Maximum model tokens, in and out, per month.")] = None,
    editor: Annotated[bool, Option("--editor", help="Also allow building, changing and removing corpora.")] = False,
    admin: Annotated[bool, Option("--admin", help="Also allow seeing who uses the server, and how.")] = False,
) -> None:
    """Create a token and print it once; only its hash is stored. Without options, it has no limits."""
    from medground.faces.service.values import Limits

    found = _RATE.fullmatch((rate or "").replace(" ", ""))
    if rate is not None and found is None:
        raise UsageError(f"{rate[:40]!r} is not a rate; write requests per minute, such as 30/min")
    limits = Limits(
        rate=int(found[1]) if found else None,
        concurrent=concurrent,
        money=None if money is None else Decimal(str(money)),
        tokens=tokens,
    )
    with _tokens() as kept:
        secret = kept.create(name, limits, role="admin" if admin else "editor" if editor else "reader")
    say(secret)
    say("keep this token safe: it is not shown again", err=True)


@token_app.command("list")
def show(json: JsonLines = False) -> None:
    """List tokens and people of the identity provider, with their limits, and what each has used this month."""
    with _tokens() as kept:
        used = kept.used()
    for token, month in used:
        if json:
            say(dumps({**token.model_dump(mode="json"), "month": month.model_dump(mode="json")}, ensure_ascii=False))
            continue
        state = f"revoked {token.revoked:%Y-%m-%d}" if token.revoked else f"since {token.created:%Y-%m-%d}"
        say(f"{token.name}  {token.role}  {state}\n    limits: {_limits(token.limits)}\n    this month: {_used(month)}")
    if not used:
        say("there are no tokens yet; create one with medground token create NAME", err=True)


@token_app.command("revoke")
def revoke(
    name: Name, undo: Annotated[bool, Option("--undo", help="Let a person of the identity provider in again.")] = False
) -> None:
    """Revoke a token, or the access of a person of the identity provider, at once. Their answers are kept."""
    with _tokens() as kept:
        kept.revoke(name, undo=undo)
        if undo:
            return
        left = any(token.revoked is None for token in kept.list())
    say(f"revoked {name}" if left else f"revoked {name}; no token is valid now, so servers refuse everyone", err=True)


@serve_app.command()
def log(
    since: Annotated[datetime | None, Option(formats=["%Y-%m-%d"], help="Leave out what was before.")] = None,
    json: JsonLines = True,
) -> None:
    """Print the audit log of the servers of this home folder: who did what, and when, as JSON Lines."""
    with needing("serve", "the audit log"):
        from medground.faces.service.audit import Audit
        from medground.faces.service.records import Records
    with closing(Records.from_settings(load_settings())) as records:
        for entry in Audit(records).since(since.replace(tzinfo=UTC) if since else None):
            say(entry.model_dump_json())


@contextmanager
def _tokens() -> Iterator[Tokens]:
    with needing("serve", "access tokens"):
        from medground.faces.service.accounts import Tokens
        from medground.faces.service.records import Records

    with closing(Records.from_settings(load_settings(), must_keep=True)) as records:
        yield Tokens(records)


def _limits(limits: Limits) -> str:
    parts = {
        f"{limits.rate} requests a minute": limits.rate,
        f"{limits.concurrent} at once": limits.concurrent,
        f"${limits.money} a month": limits.money,
        f"{limits.tokens or 0:,} tokens a month": limits.tokens,
    }
    return ", ".join(words for words, value in parts.items() if value is not None) or "none"


def _used(spent: Spent) -> str:
    unpriced = f" and {spent.unpriced} of unknown price" if spent.unpriced else ""
    tokens = some(spent.tokens, "token")
    return f"{some(spent.requests, 'request')}, {tokens}, ${spent.money:.4f}{unpriced}"
