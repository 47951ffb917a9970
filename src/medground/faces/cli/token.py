"""`medground token create | list | revoke`: who may ask a server, and how much."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli.options import home_folder
from medground.faces.cli.terminal import say

if TYPE_CHECKING:
    from medground.faces.service.accounts import Spent
    from medground.faces.service.records import Records
    from medground.faces.service.values import Limits

token_app = typer.Typer(help="Let people ask a server of yours: a token for each.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="Whose the token is.", metavar="NAME")]
_RATE = re.compile(r"([1-9][0-9]{0,6})(?:/min)?")


@token_app.command("create")
def create(
    name: Name,
    rate: Annotated[
        str | None, typer.Option(metavar="N/min", help="Most requests to the engine in any 60 seconds.")
    ] = None,
    concurrent: Annotated[int | None, typer.Option(min=1, help="Most requests at work at once.")] = None,
    money: Annotated[float | None, typer.Option(min=0, metavar="DOLLARS", help="Most US dollars in a month.")] = None,
    tokens: Annotated[int | None, typer.Option(min=0, help="Most model tokens, in and out, in a month.")] = None,
    admin: Annotated[bool, typer.Option("--admin", help="Also allow building, changing and removing corpora.")] = False,
) -> None:
    """Create a token and print it, once: only its hash is kept. Without an option, nothing is limited."""
    from decimal import Decimal

    from medground.faces.service.accounts import Tokens
    from medground.faces.service.values import Limits

    limits = Limits(
        rate=_rate(rate),
        concurrent=concurrent,
        money=None if money is None else Decimal(str(money)),
        tokens=tokens,
    )
    with _records() as records:
        secret = Tokens(records).create(name, limits, admin=admin)
    say(secret)
    say("keep this token safe: it is not shown again", err=True)


@token_app.command("list")
def show(json: Annotated[bool, typer.Option("--json", help="Print JSON Lines.")] = False) -> None:
    """List the tokens, their limits, and what each has used this month."""
    from datetime import UTC, datetime
    from json import dumps

    from medground.faces.service.accounts import Spending, Tokens

    with _records() as records:
        tokens, spending, now = Tokens(records).list(), Spending(records), datetime.now(UTC)
        used = {token.id: spending.month(token.id, now) for token in tokens}
    for token in tokens:
        if json:
            content = {**token.model_dump(mode="json"), "month": used[token.id].model_dump(mode="json")}
            say(dumps(content, ensure_ascii=False))
            continue
        state = f"revoked {token.revoked:%Y-%m-%d}" if token.revoked else f"since {token.created:%Y-%m-%d}"
        right = "  may change corpora" if token.admin else ""
        month = _used(used[token.id])
        say(f"{token.name}  {state}{right}\n    limits: {_limits(token.limits)}\n    this month: {month}")
    if not tokens:
        say("there are no tokens yet; create one with medground token create NAME", err=True)


@token_app.command("revoke")
def revoke(name: Name) -> None:
    """Revoke a token: it opens nothing any more, at once. The answers of its holder are kept."""
    from medground.faces.service.accounts import Tokens

    with _records() as records:
        tokens = Tokens(records)
        tokens.revoke(name)
        left = any(token.revoked is None for token in tokens.list())
    say(f"revoked {name}" if left else f"revoked {name}; no token is valid now, so servers refuse everybody", err=True)


def _rate(written: str | None) -> int | None:
    """`30/min` or `30`.

    Raises:
        UsageError: it is neither.
    """
    from medground.errors import UsageError

    if written is None:
        return None
    if (found := _RATE.fullmatch(written.replace(" ", ""))) is None:
        raise UsageError(f"{written[:40]!r} is not a rate; write requests per minute, such as 30/min")
    return int(found[1])


@contextmanager
def _records() -> Iterator[Records]:
    from medground.faces.service.records import Records

    with closing(Records(home_folder(), must_keep=True)) as records:
        yield records


def _limits(limits: Limits) -> str:
    parts = [
        f"{limits.rate} requests a minute" if limits.rate is not None else "",
        f"{limits.concurrent} at once" if limits.concurrent is not None else "",
        f"${limits.money} a month" if limits.money is not None else "",
        f"{limits.tokens:,} tokens a month" if limits.tokens is not None else "",
    ]
    return ", ".join(filter(None, parts)) or "none"


def _used(spent: Spent) -> str:
    from medground.language.clean import some

    unpriced = f" and {spent.unpriced} of unknown price" if spent.unpriced else ""
    tokens = some(spent.tokens, "token")
    return f"{some(spent.requests, 'request')}, {tokens}, ${spent.money:.4f}{unpriced}"
