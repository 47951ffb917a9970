"""Tokens and what their holders use, kept in a file, or in memory where it cannot be written."""

import contextlib
import hashlib
import json
import re
import sqlite3
import threading
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from refusals import refused

from medground.errors import NotAllowed, StorageFailed, UsageError
from medground.faces.service.accounts import Owners, Saved, Spending, Tokens, Watched, Work, next_month
from medground.faces.service.records import FILE_NAME, Records
from medground.faces.service.values import LOCAL, Limits
from medground.values.usage import UsageReport


def test_a_token_opens_what_is_its_holders_until_it_is_revoked(records: Records) -> None:
    tokens = Tokens(records)
    secret = tokens.create("ada", Limits(rate=30, money=Decimal("2.5")))
    assert re.fullmatch(r"mg_[A-Za-z0-9_-]{43}", secret)
    [(kept,)] = records.rows("SELECT hash FROM tokens")
    assert kept == hashlib.sha256(secret.encode()).hexdigest()
    assert all(secret.encode() not in file.read_bytes() for file in records.path.parent.iterdir())
    person = tokens.who(secret)
    assert (person.name, person.limits.rate, person.limits.money) == ("ada", 30, Decimal("2.5"))
    assert tokens.person(person.id) == person
    other = tokens.create("bob")
    assert tokens.who(other).id != person.id
    tokens.revoke("ada")
    for look, what in ((tokens.who, secret), (tokens.person, person.id)):
        refused(NotAllowed, "revoked", look, what)
    again = tokens.create("ada")
    assert tokens.who(again).id != person.id  # whoever has the name now is somebody else
    assert tokens.who(other).name == "bob"
    assert tokens.person("local") == LOCAL


def test_people_of_a_provider_who_share_a_name_are_revoked_and_let_in_one_by_one(records: Records) -> None:
    tokens, ids = Tokens(records), [f"oidc-{letter * 24}" for letter in "ab"]
    tokens.admit(ids[0], "Ann", Limits(), "reader")
    tokens.revoke("Ann")
    assert tokens.admit(ids[1], "Ann", Limits(), "reader").name == "Ann (bbbbbbbb)"
    token = tokens.who(tokens.create("Ann"))
    refused(UsageError, "nobody who is revoked, and whose name is free", tokens.revoke, "Ann", undo=True)
    tokens.revoke(token.name)
    tokens.revoke("Ann", undo=True)
    assert [tokens.person(one).id for one in ids] == ids


def test_what_is_told_of_a_watched_question_overwrites_nothing_that_is_saved_meanwhile(records: Records) -> None:
    saved = Saved(records)
    saving = threading.Thread(target=saved.write, args=("ann", Work.model_validate({"notes": "new"})))

    class Told(dict[str, object]):
        def items(self) -> Any:
            saving.start()
            saving.join(0.2)  # it waits for its turn
            return super().items()

    saved.write("ann", Work(watched=(Watched(answer="one", states={}),)))
    saved.tell("ann", "one", Told(again="two"))
    saving.join()
    assert saved.read("ann").model_dump() == {"watched": (), "notes": "new"}


def test_tokens_are_long_names_are_plain_and_have_one_token(records: Records) -> None:
    tokens = Tokens(records)
    tokens.create("ada")
    for wrong in ("", "mg_", "mg_" + "A" * 43, "' OR 1=1 --", "mg_" + "é" * 43, "x" * 100_000, "local"):
        refused(NotAllowed, "wrong or was revoked", tokens.who, wrong)
    for name in ("", "a b", "../x", "a\nb", "-a", "x" * 65, "é"):
        refused(UsageError, "is not a name of a token", tokens.create, name)
    refused(UsageError, "a token 'ada' already exists; revoke it first", tokens.create, "ada")
    refused(UsageError, "no token 'bob'", tokens.revoke, "bob")


def test_the_command_line_creates_lists_and_revokes(records: Records, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*words: str, code: int = 0) -> str:
        capsys.readouterr()
        assert run("token", *words) == code
        return "".join(capsys.readouterr())

    assert "there are no tokens yet" in said("list")
    limits = ("--rate", "30/min", "--money", "2.5", "--tokens", "90000", "--concurrent", "2")
    secret = said("create", "ada", *limits).split()[0]
    person = Tokens(records).who(secret)
    assert person.limits == Limits(rate=30, money=Decimal("2.5"), tokens=90_000, concurrent=2)
    used = UsageReport(input_tokens=1000, output_tokens=200, model_calls=2, price=Decimal("0.0123"))
    Spending(records).add(person.id, used, datetime.now(UTC))
    shown = said("list")
    assert "limits: 30 requests a minute, 2 at once, $2.5 a month, 90,000 tokens a month" in shown
    assert "this month: 1 request, 1,200 tokens, $0.0123" in shown
    assert secret not in shown
    assert json.loads(said("list", "--json"))["month"]["input_tokens"] == 1000
    said("revoke", "ada")
    assert "revoked 20" in said("list")
    said("revoke", "ada", code=2)
    assert "write requests per minute, such as 30/min" in said("create", "bob", "--rate", "fast", code=2)


def test_use_is_counted_by_month_and_an_unknown_price_is_not_nothing(records: Records) -> None:
    spending = Spending(records)
    november = datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC)
    december = datetime(2026, 12, 1, 0, 0, 1, tzinfo=UTC)
    spending.add("ada", UsageReport(input_tokens=10, price=Decimal("0.1")), november)
    spending.add("ada", UsageReport(input_tokens=20, price=Decimal("0.2")), december)
    spending.add("ada", UsageReport(output_tokens=5, price=None, seconds=1.5), december)
    spending.add("bob", UsageReport(input_tokens=99), december)
    spent = spending.month("ada", december)
    assert (spent.requests, spent.tokens, spent.money, spent.unpriced, spent.seconds) == (2, 25, Decimal("0.2"), 1, 1.5)
    assert spending.month("ada", november).requests == 3
    assert next_month(november) == 1
    assert next_month(datetime(2026, 12, 31, 12, tzinfo=UTC)) == 12 * 3600


def test_the_file_of_another_version_is_named_and_left_as_it_is(home: Path) -> None:
    Records(home).close()
    path = home / "service" / FILE_NAME
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA user_version = 99")
    refused(StorageFailed, "is of another version of Medground; use that version, or move the file", Records, home)
    with contextlib.closing(sqlite3.connect(path)) as other:
        assert other.execute("PRAGMA user_version").fetchone() == (99,)


NOW = datetime(2026, 11, 24, tzinfo=UTC)
USED = UsageReport(input_tokens=7)


def use(records: Records, times: int) -> None:
    """Whose answers are, often enough that it takes further pages."""
    owners, spending = Owners(records), Spending(records)
    for number in range(times):
        owners.own(f"{len(list(owners.answers_of('ann'))):06}-{number:06}-{'x' * 200}", "ann", NOW)
        spending.add("ann", USED, NOW)


def test_a_full_disk_is_named_and_costs_nothing_that_was_written(records: Records) -> None:
    use(records, 5)
    records.rows("PRAGMA max_page_count = 1")  # what it has by now
    refused(StorageFailed, "disk is full.*free some space", use, records, 50)
    written = Spending(records).month("ann", NOW).tokens
    records.rows("PRAGMA max_page_count = 1000000")
    use(records, 1)
    assert Spending(records).month("ann", NOW).tokens == written + 7


def test_a_folder_that_cannot_be_made_is_no_reason_not_to_answer(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    home.mkdir()
    (home / "service").write_text("a file where the folder belongs")
    records = Records(home)
    use(records, 2)
    assert Spending(records).month("ann", NOW).tokens == 14
    records.close()
    assert "memory only" in caplog.text
    refused(StorageFailed, r"service\.sqlite cannot be used", Records, home, must_keep=True)
