"""Bearer tokens: who may ask. A token is shown once, when it is made; only its hash is kept.

A token is 256 random bits, so that a plain SHA-256 of it cannot be guessed back.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable
from datetime import UTC, datetime

from medground.document import Frozen
from medground.errors import NotAllowed, UsageError
from medground.service.person import LOCAL, Limits, Person
from medground.service.records import Records

PREFIX = "mg_"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_SECRET = re.compile(PREFIX + r"[A-Za-z0-9_-]{43}")


class Token(Frozen):
    """A token without its secret."""

    id: str
    name: str
    limits: Limits
    created: datetime
    revoked: datetime | None = None
    admin: bool = False

    @property
    def person(self) -> Person:
        """Whoever holds it."""
        return Person(id=self.id, name=self.name, limits=self.limits, admin=self.admin)


class Tokens:
    """The tokens of a home folder. Blocks.

    Args:
        records: where they are kept.
        now: the time.
    """

    def __init__(self, records: Records, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._records = records
        self._now = now

    def create(self, name: str, limits: Limits | None = None, *, admin: bool = False) -> str:
        """A new token; nothing can show it again.

        Args:
            name: whose it is. A name can be used again once its token is revoked; the answers of the former token stay
                its own.
            limits: what its holder may use; nothing is limited by default.
            admin: whether its holder may build, change and remove corpora.

        Raises:
            UsageError: the name is not valid, or a token has it.
            StorageFailed: it cannot be written down, or not that this home has had tokens.
        """
        if not _NAME.fullmatch(name):
            raise UsageError(f"{name[:80]!r} is not a name of a token; use 1 to 64 letters, digits and . _ @ -")
        secret = PREFIX + secrets.token_urlsafe(32)
        row = (secrets.token_hex(8), name, _hash(secret), (limits or Limits()).model_dump_json(), self._at(), admin)
        statement = "INSERT INTO tokens VALUES (?, ?, ?, ?, ?, NULL, ?) ON CONFLICT DO NOTHING"
        if not self._records.change((statement, row)):
            raise UsageError(f"a token {name!r} is there already; revoke it first: medground token revoke {name}")
        self._records.mark()
        return secret

    def list(self) -> list[Token]:
        """All tokens, revoked ones too, the oldest first."""
        rows = self._records.rows("SELECT id, name, limits, created, revoked, admin FROM tokens ORDER BY created, id")
        return [_token(*row) for row in rows]

    def revoke(self, name: str) -> None:
        """Let a token open nothing any more, at once.

        Raises:
            UsageError: no token has this name.
        """
        statement = "UPDATE tokens SET revoked = ? WHERE name = ? AND revoked IS NULL"
        if not self._records.change((statement, (self._at(), name))):
            raise UsageError(f"no token {name[:80]!r}; list them with medground token list")

    def who(self, secret: str) -> Person:
        """Whoever holds a token.

        Raises:
            NotAllowed: it is not a token, or it was revoked.
        """
        found = self._one("hash", _hash(secret)) if _SECRET.fullmatch(secret) else None
        if found is None:
            raise NotAllowed("the token is wrong or was revoked; ask whoever runs this server for one")
        return found.person

    def person(self, person_id: str) -> Person:
        """A person by id, as a session of the page remembers it, with the limits of now.

        Raises:
            NotAllowed: the token was revoked.
        """
        if person_id == LOCAL.id:
            return LOCAL
        if (found := self._one("id", person_id)) is None:
            raise NotAllowed("the token was revoked; ask whoever runs this server for one")
        return found.person

    def _one(self, column: str, value: str) -> Token | None:
        columns = "id, name, limits, created, revoked, admin"
        statement = f"SELECT {columns} FROM tokens WHERE {column} = ? AND revoked IS NULL"  # noqa: S608 (names of ours)
        rows = self._records.rows(statement, value)
        return _token(*rows[0]) if rows else None

    def _at(self) -> str:
        return self._now().isoformat()


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _token(number: object, name: object, limits: object, created: object, revoked: object, admin: object) -> Token:
    return Token(
        id=str(number),
        name=str(name),
        limits=Limits.model_validate_json(str(limits)),
        created=datetime.fromisoformat(str(created)),
        revoked=None if revoked is None else datetime.fromisoformat(str(revoked)),
        admin=bool(admin),
    )
