"""Sign-in by a real identity provider on loopback, tampered with where an attacker could."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from command_line import run as cli
from rows import each_row, tables

pytest.importorskip("jwt", reason="needs the extra oidc")
from medground.faces.web.oidc import Provider
from medground.faces.web.state import AT_PROVIDER, PROVIDED
from medground.home.settings_groups import OidcSettings
from medground.sources.http.clients import Network

Visit = Callable[..., Any]
FOLDER = Path(__file__).parents[2] / "kits" / "provider"
HOME = "http://localhost/"
RETURN = f"{HOME}session/return"
SECRET = "a-secret-of-the-tests"


def started(**environment: str) -> Iterator[str]:
    if not shutil.which("node") or not (FOLDER / "node_modules").is_dir():
        pytest.skip("needs node, and npm ci in tests/kits/provider")
    command, environment = ["node", "provider.js", RETURN, HOME], {**os.environ, **environment}
    with subprocess.Popen(command, cwd=FOLDER, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    yield from started()


@pytest.fixture(scope="module")
def terse() -> Iterator[str]:
    """One that tells the groups only at its userinfo address, as the standard has it."""
    yield from started(GROUPS_IN_USERINFO="1")


@pytest.fixture(scope="module")
def slow() -> Iterator[str]:
    """One whose clock is five minutes slow."""
    yield from started(SECONDS_SLOW="300")


def chosen(issuer: str, **more: Any) -> dict[str, Any]:
    given = {"issuer": issuer, "client": "medground", "address": HOME, "title": "St Ada's", **more}
    roles = {"readers": "wards", "editors": "library", "admins": "it"}
    return {"keys.oidc": SECRET, **{f"serve.oidc.{name}": value for name, value in {**roles, **given}.items()}}


async def at_provider(place: str, who: str) -> str:
    """The address to which the provider sends a browser in which this person signs in and agrees."""
    async with httpx2.AsyncClient(timeout=60) as browser:
        for _ in range(12):
            if place.startswith(RETURN):
                return place
            reply = await browser.get(place)
            if reply.is_redirect:
                place = str(reply.url.join(reply.headers["location"]))
                continue
            (prompt,) = re.findall(r'name="prompt" value="(\w+)"', reply.text)
            (action,) = re.findall(r'<form[^>]*action="([^"]+)"', reply.text)
            sent = {"prompt": prompt, "login": who, "password": "x"}
            place = str(reply.url.join((await browser.post(action, data=sent)).headers["location"]))
    raise AssertionError(place)


class Between(httpx2.AsyncBaseTransport):
    """Stands between the server and the provider, and may exchange the token that identifies a person."""

    def __init__(self, change: Callable[[str], str] = str) -> None:
        self.change, self.seen, self.network = change, "", Network(trust_env=False)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        reply = await self.network.handle_async_request(request)
        if request.url.path != "/token":
            return reply
        told = json.loads(await reply.aread())
        await reply.aclose()
        self.seen = told.get("id_token", "")
        content = json.dumps({**told, "id_token": self.change(self.seen)}) if self.seen else json.dumps(told)
        return httpx2.Response(reply.status_code, stream=httpx2.ByteStream(content.encode()))

    async def aclose(self) -> None:
        await self.network.aclose()


async def signed_in(site: Any, who: str, change: Callable[[str], str] = str) -> httpx2.Response:
    """The response to a browser that comes back; `change` alters the address that it was sent to."""
    begun = await site.client.get("/session/provider")
    return await site.client.get(change(await at_provider(begun.headers["location"], who)))


async def token_of(issuer: str, who: str, client: str) -> str:
    """A token of the provider for another client, or of another sign-in."""
    wire = Between()
    provider = Provider(OidcSettings(issuer=issuer, client=client, address=HOME, readers=("*",)), SECRET, wire)
    place, cookie = await provider.begin()
    await provider.finish(cookie, httpx2.URL(await at_provider(place, who)).params)
    return wire.seen


@each_row(
    "who, role",
    [("bob+wards", "reader"), ("eve+wards+library", "editor"), ("ada+it", "admin"), ("eva+library", "editor")],
)
async def test_a_person_of_the_provider_has_the_role_of_their_groups_and_signs_out_there_too(
    visit: Visit, issuer: str, terse: str, loopback: None, who: str, role: str
) -> None:
    for one in (issuer, terse):
        async with visit(login=True, **chosen(one)) as site:
            assert (await site.client.get("/session")).json()["provider"] == "St Ada's"
            back = await signed_in(site, who)
            assert (back.status_code, back.headers["location"]) == (303, HOME)
            told = (await site.client.get("/session")).json()
            assert (told["name"].split()[0], told["role"]) == (who.partition("+")[0], role)
            assert (await site.client.get("/v1/tokens")).status_code == (200 if role == "admin" else 403)
            out = await site.client.delete("/session", headers=site.headers())
            there = httpx2.URL(out.json()["next"])
            assert (there.path, there.params["post_logout_redirect_uri"]) == ("/session/end", HOME)
            assert (await site.client.get("/v1/answers")).status_code == 401
            await signed_in(site, who)
            site.clock.now += PROVIDED + 1
            assert (await site.client.get("/session")).json()["name"] is None


def unsigned(token: str) -> str:
    """The same claims with `alg` none."""
    head = base64.urlsafe_b64encode(b'{"alg":"none","typ":"JWT"}').rstrip(b"=").decode()
    return f"{head}.{token.split('.')[1]}."


ON_THE_WAY_BACK: dict[str, Callable[[str], str]] = {
    "state": lambda at: re.sub("state=[^&]+", "state=of-an-attacker", at),
    "nothing_begun": lambda at: f"{RETURN}?code=x",
    "other_issuer": lambda at: re.sub("iss=[^&]+", "iss=https://x.example", at),
    "refused": lambda at: re.sub("code=[^&]+", "error=access_denied", at),
    "guessed_code": lambda at: re.sub("code=[^&]+", "code=guessed", at),
}
IN_THE_TOKEN: dict[str, Callable[[str], str]] = {
    "forged": lambda token: f"{token[:-9]}AAAAAAAAA",
    "unsigned": unsigned,
    "rubbish": lambda token: "rubbish",
}
CLIENTS = {"of_another_sign_in": "medground", "for_another_client": "other"}


@each_row("fault, reason, detail", [(fault, *told) for fault, told in tables(__file__).items()])
async def test_what_is_wrong_signs_nobody_in_and_is_logged(
    visit: Visit, issuer: str, slow: str, loopback: None, fault: str, reason: str, detail: str
) -> None:
    change = IN_THE_TOKEN.get(fault, str)
    if fault in CLIENTS:
        stolen = await token_of(issuer, "ada+it", CLIENTS[fault])
        change = lambda token: stolen  # noqa: E731
    settings = chosen(slow if fault == "expired" else issuer, person="employee" if fault == "no_claim" else "sub")
    async with visit(login=True, wire=Between(change), **settings) as site:
        who = "eve+cleaners" if fault == "no_role" else "bob+wards"
        back = await signed_in(site, who, ON_THE_WAY_BACK.get(fault, str))
        assert (back.status_code, back.headers["location"]) == (303, f"{HOME}?refused={reason}")
        assert site.client.cookies.get("medground_session") is None
        (told, *_) = site.service.audit.read()
    assert (told.act, told.person) == ("refused", "")
    assert detail in told.what


async def test_a_sign_in_counts_once_for_ten_minutes_in_its_own_browser(
    visit: Visit, issuer: str, loopback: None
) -> None:
    async with visit(login=True, **chosen(issuer)) as site:
        site.app.state.page.provider.clock = site.clock
        begun = await site.client.get("/session/provider")
        cookie = begun.headers["set-cookie"]
        assert all(part in cookie for part in ("HttpOnly", "SameSite=lax", f"Max-Age={AT_PROVIDER:.0f}"))
        back = await at_provider(begun.headers["location"], "bob+wards")
        own = site.client.cookies.get("medground_provider")
        site.client.cookies.clear()
        elsewhere = await site.client.get(back)
        first, again = [
            (await site.client.get(back, headers={"Cookie": f"medground_provider={own}"})).headers["location"]
            for _ in range(2)
        ]
        begun = await site.client.get("/session/provider")
        site.clock.now += AT_PROVIDER + 1
        late = await site.client.get(await at_provider(begun.headers["location"], "bob+wards"))
    assert (elsewhere.headers["location"], first) == (f"{HOME}?refused=again", HOME)
    assert (again, late.headers["location"]) == (f"{HOME}?refused=provider", f"{HOME}?refused=again")


async def test_behind_a_proxy_and_a_prefix_cookies_are_secure_and_addresses_are_those_of_the_settings(
    visit: Visit, issuer: str, loopback: None
) -> None:
    public = "https://ask.example.org/med"
    asked = {"Host": "ask.example.org", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "http"}
    named = {"serve.hosts": "ask.example.org"}
    async with visit(login=True, **named, **chosen(issuer, address=public)) as site:
        begun = await site.client.get("/session/provider", headers=asked)
        refused = await site.client.get("/session/return?code=x&state=y", headers=asked)
    assert httpx2.URL(begun.headers["location"]).params["redirect_uri"] == f"{public}/session/return"
    assert "Secure" in begun.headers["set-cookie"]
    assert refused.headers["location"] == f"{public}/?refused=again"


async def test_who_was_revoked_stays_out_until_allowed_and_a_provider_that_is_away_is_told(
    visit: Visit, issuer: str, loopback: None, capsys: pytest.CaptureFixture[str]
) -> None:
    async with visit(login=True, **chosen(issuer)) as site:
        await signed_in(site, "bob+wards")
        assert cli("token", "revoke", "bob") == 0
        assert (await site.client.get("/v1/answers")).status_code == 401
        assert (await signed_in(site, "bob+wards")).headers["location"] == f"{HOME}?refused=unknown"
        assert cli("token", "revoke", "--undo", "bob") == 0
        assert (await signed_in(site, "bob+wards")).headers["location"] == HOME
        assert cli("token", "revoke", "--undo", "bob") == 2
    async with visit(login=True, **chosen(issuer, person="preferred_username")) as site:
        await signed_in(site, "bob+wards")
        assert (await signed_in(site, "bob+cleaners")).headers["location"] == f"{HOME}?refused=unknown"
        assert (await site.client.get("/v1/answers")).status_code == 401  # the role that he had has gone, too
    async with visit(login=True, **chosen("http://127.0.0.1:9")) as site:
        away = await site.client.get("/session/provider")
        assert away.headers["location"] == f"{HOME}?refused=provider"
    capsys.readouterr()
    assert cli("web", "--set", f"serve.oidc.issuer={issuer}") == 2
    assert "sign-in needs client, address" in capsys.readouterr().err.replace("\n", " ")
