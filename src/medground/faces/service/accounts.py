"""What is recorded of each person: their token, answers and use, and what they saved."""

from __future__ import annotations

import builtins
import json
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from pydantic import NonNegativeInt

from medground.errors import NotAllowed, StorageFailed, UsageError
from medground.faces.service.audit import Audit
from medground.faces.service.records import Records
from medground.faces.service.transaction import Transaction
from medground.faces.service.values import LOCAL, Limits, Person, Role, hashed
from medground.values.document import Described, Frozen
from medground.values.usage import UsageReport
from medground.wording.view_types import taken

PREFIX = "mg_"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_TOKEN = ("id", "name", "limits", "created", "revoked", "admin")
_STORED: tuple[Role, ...] = ("reader", "admin", "editor")
"""The roles by their number in the column `admin`, which was only 0 or 1 before there were editors."""
_SECRET = re.compile(PREFIX + r"[A-Za-z0-9_-]{43}")


class Token(Frozen):
    """A token without its secret, or a person who signed in by the identity provider."""

    id: str
    name: str
    limits: Limits
    created: datetime
    revoked: datetime | None = None
    role: Role = "reader"


@dataclass
class Tokens:
    """The tokens of a home folder. Blocks."""

    _records: Records
    _now: Callable[[], datetime] = lambda: datetime.now(UTC)

    def create(self, name: str, limits: Limits | None = None, *, role: Role = "reader") -> str:
        """A new token; nothing can show it again.

        Args:
            name: whose it is. A name can be used again once its token is revoked; the answers of the former token
                stay its own.
            limits: what its holder may use; nothing is limited by default.
            role: what its holder may do.

        Raises UsageError: the name is not valid, or a token has it; StorageFailed: it cannot be written down, or not
        that this home has had tokens.
        """
        if not _NAME.fullmatch(name):
            raise UsageError(f"{name[:80]!r} is not a name of a token; use 1 to 64 letters, digits and . _ @ -")
        secret = PREFIX + secrets.token_urlsafe(32)
        at, kept = self._now().isoformat(), (limits or Limits()).model_dump_json()
        row = (secrets.token_hex(8), name, hashed(secret), kept, at, _STORED.index(role))
        statement = "INSERT INTO tokens VALUES (?, ?, ?, ?, ?, NULL, ?) ON CONFLICT DO NOTHING"
        if not self._records.change((statement, row), lasting=True):
            raise UsageError(f"a token {name!r} already exists; revoke it first: medground token revoke {name}")
        self._records.mark()
        Audit(self._records, self._now).add(LOCAL, "token", f"{name} ({role})")
        return secret

    def admit(self, person_id: str, name: str, limits: Limits, role: Role) -> Person:
        """A person whom the identity provider names, with the current role and limits, stored as tokens are.

        Raises NotAllowed: an administrator revoked their access.
        """
        taken = "name = ? AND id <> ? AND (revoked IS NULL OR hash = id)"  # who was revoked may be let in again
        if self._where(taken, name, person_id):
            name = f"{name} ({person_id[-8:]})"
        statement = (
            "INSERT INTO tokens VALUES (?, ?, ?, ?, ?, NULL, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name, "
            "limits = excluded.limits, admin = excluded.admin WHERE tokens.revoked IS NULL"
        )
        row = (person_id, name, person_id, limits.model_dump_json(), self._now().isoformat(), _STORED.index(role))
        self._records.change((statement, row), lasting=True)
        self._records.mark()
        return self.person(person_id)

    def list(self) -> list[Token]:
        """All tokens, revoked ones too, the oldest first."""
        return self._where("TRUE ORDER BY created, id")

    def used(self) -> builtins.list[tuple[Token, Spent]]:
        """All tokens as in `list`, each with what its holder has used this month."""
        spending, now = Spending(self._records), self._now()
        return [(token, spending.month(token.id, now)) for token in self.list()]

    def revoke(self, name: str, *, undo: bool = False) -> None:
        """Let a token open nothing any more, at once; or let in a person again who signs in by the identity provider.

        Raises UsageError: no token has this name.
        """
        free = "NOT EXISTS (SELECT 1 FROM tokens AS other WHERE other.name = tokens.name AND other.revoked IS NULL)"
        which = f"hash = id AND revoked IS NOT NULL AND {free}" if undo else "revoked IS NULL"
        statement = f"UPDATE tokens SET revoked = ? WHERE name = ? AND {which}"  # noqa: S608 (ours)
        at = None if undo else self._now().isoformat()
        if not self._records.change((statement, (at, name)), lasting=True):
            what = "nobody who is revoked, and whose name is free, is called" if undo else "no token"
            raise UsageError(f"{what} {name[:80]!r}; list them with medground token list")
        Audit(self._records, self._now).add(LOCAL, "allow" if undo else "revoke", name)

    def who(self, secret: str) -> Person:
        """The person who holds a token. Raises NotAllowed: it is not a token, or it was revoked."""
        found = self._where("hash = ? AND revoked IS NULL", hashed(secret)) if _SECRET.fullmatch(secret) else []
        if not found:
            raise NotAllowed("the token is wrong or was revoked; ask the server's administrator for a new one")
        return _person(found[0])

    def person(self, person_id: str) -> Person:
        """A person by id, as a session of the page stores it, with the current limits and role.

        Raises NotAllowed: the token was revoked.
        """
        if person_id == LOCAL.id:
            return LOCAL
        if not (found := self._where("id = ? AND revoked IS NULL", person_id)):
            raise NotAllowed("the token was revoked; ask the server's administrator for a new one")
        return _person(found[0])

    def _where(self, which: str, *values: str) -> builtins.list[Token]:
        rows = self._records.rows(f"SELECT {', '.join(_TOKEN)} FROM tokens WHERE {which}", *values)  # noqa: S608 (ours)
        found = [dict(zip(_TOKEN, row, strict=True)) for row in rows]
        try:
            for one in found:
                one |= {"limits": json.loads(str(one["limits"])), "role": _STORED[int(str(one.pop("admin")))]}
            return [Token.model_validate(one) for one in found]
        except (ValueError, IndexError):
            raise StorageFailed(
                f"{self._records.path} has a damaged token; move the file away and create new ones: answers are kept"
            ) from None


def _person(token: Token) -> Person:
    return taken(Person, token)


@dataclass
class Owners:
    """The owners of answers, by trace id. Blocks."""

    _records: Records

    def own(self, trace_id: str, owner: str, created: datetime) -> None:
        """Write down whose an answer is; the first owner counts."""
        statement = "INSERT INTO answers VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        self._records.change((statement, (trace_id, owner, created.isoformat())), lasting=True)

    def owns(self, owner: str, trace_id: str) -> bool:
        """Whether an answer is a person's."""
        rows = self._records.rows("SELECT owner FROM answers WHERE trace_id = ?", trace_id)
        return (rows[0][0] if rows else LOCAL.id) == owner

    def answers_of(self, owner: str, before: str | None = None) -> Iterator[str]:
        """The trace ids of a person's answers, the latest first; those `before` one of them."""
        statement = "SELECT trace_id FROM answers WHERE owner = ? AND trace_id < ? ORDER BY trace_id DESC"
        for (trace_id,) in self._records.rows(statement, owner, before or "~"):
            yield str(trace_id)

    def not_of(self, owner: str) -> frozenset[str]:
        """The trace ids of everybody else's answers."""
        rows = self._records.rows("SELECT trace_id FROM answers WHERE owner <> ?", owner)
        return frozenset(str(trace_id) for (trace_id,) in rows)

    def count(self) -> int:
        """How many answers are known."""
        return int(self._records.rows("SELECT count(*) FROM answers")[0][0])

    def older_than(self, time: datetime, most: int) -> list[str]:
        """The trace ids of the oldest answers, of those that are older than a time."""
        statement = "SELECT trace_id FROM answers WHERE created < ? ORDER BY created LIMIT ?"
        return [str(trace_id) for (trace_id,) in self._records.rows(statement, time.isoformat(), most)]

    def forget(self, trace_id: str) -> None:
        """An answer is gone."""
        self._records.change(("DELETE FROM answers WHERE trace_id = ?", (trace_id,)))


class Spent(Described):
    """What was used in some time. Money is in US dollars; of `unpriced` requests the price is not known."""

    requests: int = 0
    """questions, research and claims"""
    input_tokens: int = 0
    output_tokens: int = 0
    model_calls: int = 0
    searches: int = 0
    seconds: float = 0.0
    money: Decimal = Decimal(0)
    """without that of requests whose price is not known"""
    unpriced: int = 0
    """requests whose price is not known"""

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.input_tokens + self.output_tokens


_NANO = Decimal(10**9)
_COLUMNS = tuple("nanodollars" if name == "money" else name for name in Spent.model_fields)
_SUMS = ", ".join(f"COALESCE(SUM({name}), 0)" for name in _COLUMNS)
_ADD = f"""
INSERT INTO used (owner, day, {", ".join(_COLUMNS)}) VALUES (?, ?{", ?" * len(_COLUMNS)})
ON CONFLICT (owner, day) DO UPDATE SET {", ".join(f"{name} = used.{name} + excluded.{name}" for name in _COLUMNS)}
"""  # noqa: S608 (our own names)


@dataclass
class Spending:
    """The use of a service, by person and day (UTC). Blocks."""

    _records: Records

    def add(self, owner: str, usage: UsageReport, at: datetime) -> None:
        """Count a request that has ended, also one that failed."""
        price = 0 if usage.price is None else int((usage.price * _NANO).to_integral_value())
        figures = (usage.input_tokens, usage.output_tokens, usage.model_calls, usage.searches, usage.seconds, price)
        day = at.astimezone(UTC).date().isoformat()
        self._records.change((_ADD, (owner, day, 1, *figures, int(usage.price is None))))

    def month(self, owner: str, at: datetime) -> Spent:
        """What a person has used since the first day of this month."""
        first = at.astimezone(UTC).date().replace(day=1).isoformat()
        statement = f"SELECT {_SUMS} FROM used WHERE owner = ? AND day >= ?"  # noqa: S608 (our own names)
        row = dict(zip(Spent.model_fields, self._records.rows(statement, owner, first)[0], strict=True))
        return Spent.model_validate(row | {"money": Decimal(str(row["money"])) / _NANO})


def next_month(at: datetime) -> float:
    """Seconds until the next month begins (UTC)."""
    now = at.astimezone(UTC)
    first = (now.replace(day=1) + timedelta(days=32)).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return (first - now).total_seconds()


_FIRST_PAUSE, _LONGEST_PAUSE = 60.0, 6 * 3600.0
"""Seconds between two tries to answer a watched question."""


class Watched(Described, extra="allow"):
    """A watched question: its answer, and the hash of each corpus when it was last answered."""

    answer: str
    states: dict[str, str]
    failures: NonNegativeInt = 0
    """how often it could not be answered since"""
    tried: datetime | None = None
    """when that was last"""

    def is_due(self, now: datetime) -> bool:
        """Whether it may be asked now: after a failure there is a pause, longer after each."""
        if self.tried is None:
            return True
        pause = min(_FIRST_PAUSE * 2 ** min(self.failures - 1, 10), _LONGEST_PAUSE)
        return not 0 <= (now - self.tried).total_seconds() < pause  # a clock that was set back counts for nothing


class Work(Frozen, extra="allow"):
    """What the page saves for a person; most of it is the page's own."""

    watched: tuple[Watched, ...] = ()


@dataclass
class Saved:
    """What each person saved on the page: projects, notes, and questions to ask again. Blocks."""

    _records: Records

    def watched(self) -> list[tuple[str, Watched]]:
        """The questions that anybody watches, each with the id of its owner."""
        rows = self._records.rows("SELECT owner, content FROM saved")
        return [(str(owner), one) for owner, saved in rows for one in Work.model_validate_json(str(saved)).watched]

    def read(self, owner: str) -> Work:
        """What a person saved; empty where that is nothing."""
        return self._records.run(lambda at: _work(at, owner), writes=False)

    def write(self, owner: str, content: Work) -> None:
        """Put this in the place of what a person saved before."""
        self._records.run(lambda at: _save(at, owner, content), lasting=True)

    def tell(self, owner: str, answer: str, told: Mapping[str, object]) -> None:
        """Add to what is saved of a watched question, if it still is."""

        def add(at: Transaction) -> None:
            at.lock(owner)  # what the page saves meanwhile waits
            work = _work(at, owner)
            told_of = (one.model_copy(update=told if one.answer == answer else {}) for one in work.watched)
            _save(at, owner, work.replace(watched=tuple(told_of)))

        self._records.run(add, lasting=True)


def _work(at: Transaction, owner: str) -> Work:
    rows = at.rows("SELECT content FROM saved WHERE owner = ?", owner)
    return Work.model_validate_json(str(rows[0][0])) if rows else Work()


def _save(at: Transaction, owner: str, content: Work) -> None:
    at.lock(owner)
    statement = "INSERT INTO saved VALUES (?, ?) ON CONFLICT (owner) DO UPDATE SET content = excluded.content"
    at.change(statement, owner, content.model_dump_json())
