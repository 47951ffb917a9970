"""Sign in, the cookie, CSRF, foreign origins and hosts, the end of a session, and what is kept of people."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import httpx2
from rows import each_row
from small_service import Clock

from medground.faces.service.records import Records
from medground.faces.web.state import EACH, IDLE, LONGEST, MOST_FAILED, PREFIX_LENGTH, WINDOW, Sessions

Visit = Callable[..., Any]
LOCALHOST = {"Origin": "http://localhost"}


def cookies(response: httpx2.Response) -> SimpleCookie:
    found = SimpleCookie()
    for header in response.headers.get_list("set-cookie"):
        found.load(header)
    return found


async def test_a_token_becomes_a_cookie_that_scripts_cannot_read(visit: Visit, tokens: dict[str, str]) -> None:
    by_https = {"Origin": "https://medground.example", "Host": "medground.example"}
    async with visit(login=True, **{"serve.hosts": ("medground.example",)}) as site:
        encrypted = await site.client.post("/session", json={"token": tokens["bob"]}, headers=by_https)
        site.client.cookies.clear()
        before = await site.client.get("/v1/answers")
        signed_in = await site.sign_in(tokens["ada"])
        after = await site.client.get("/v1/answers")
    assert before.status_code == 401
    assert signed_in.json() == {"login": True, "name": "ada", "role": "admin", "keep_days": None, "provider": None}
    assert tokens["ada"] not in signed_in.text
    assert signed_in.headers["cache-control"] == "no-store"
    found = cookies(signed_in)
    session, csrf = found["medground_session"], found["medground_csrf"]
    assert (session["httponly"], session["samesite"], session["path"], session["secure"]) == (True, "strict", "/", "")
    assert (csrf["httponly"], csrf["samesite"]) == ("", "strict")
    assert tokens["ada"] not in session.value
    assert session.value != csrf.value
    assert len(session.value) >= 43
    assert after.status_code == 200
    assert [cookies(encrypted)[f"medground_{name}"]["secure"] for name in ("session", "csrf")] == [True, True]


async def test_a_change_without_the_csrf_token_of_the_session_is_refused(visit: Visit, tokens: dict[str, str]) -> None:
    async with visit(login=True) as site:
        await site.sign_in(tokens["bob"])
        refused = []
        for sent in (None, "", "wrong", "of another"):
            headers = LOCALHOST if sent is None else {**LOCALHOST, "X-CSRF-Token": sent}
            refused.append(await site.client.post("/v1/search", json={"text": "aspirin"}, headers=headers))
            refused.append(await site.client.delete("/session", headers=headers))
        read = await site.client.get("/v1/answers")
        right = await site.client.post("/v1/search", json={"text": "aspirin"}, headers=site.headers())
    for response in refused:
        assert response.status_code == 403
        assert response.headers["content-type"] == "application/problem+json"
        assert response.json()["detail"] == "the request lacks the CSRF token of its session; reload the page"
    assert (read.status_code, right.status_code) == (200, 200)


async def test_without_a_login_the_same_rule_holds_for_browsers_and_programs_need_nothing(visit: Visit) -> None:
    async with visit() as site:
        body = {"text": "aspirin"}
        program = await site.client.post("/v1/search", json=body)
        page = await site.client.post("/v1/search", json=body, headers=LOCALHOST)
        fetched = await site.client.post("/v1/search", json=body, headers={"Sec-Fetch-Site": "same-origin"})
        told = await site.client.get("/session")
        with_csrf = await site.client.post("/v1/search", json=body, headers=site.headers())
    assert program.status_code == 200
    assert (page.status_code, fetched.status_code) == (403, 403)
    assert told.json() == {
        "login": False,
        "name": "this computer",
        "role": "admin",
        "keep_days": None,
        "provider": None,
    }
    assert with_csrf.status_code == 200


async def test_a_session_ends_by_signing_out_by_a_new_one_when_idle_and_when_its_token_is_revoked(
    visit: Visit, tokens: dict[str, str]
) -> None:
    async with visit(login=True) as site:

        async def opens(secret: str | None) -> int:
            site.client.cookies.clear()
            found = await site.client.get("/v1/answers", headers={"Cookie": f"medground_session={secret}"})
            return int(found.status_code)

        def secret() -> str | None:
            found: str | None = site.client.cookies.get("medground_session")
            return found

        await site.sign_in(tokens["ada"])
        signed_out = secret()
        out = await site.client.delete("/session", headers=site.headers())
        assert (out.status_code, out.json()) == (200, {"next": None})
        assert all(one["max-age"] == "0" for one in cookies(out).values())
        assert await opens(signed_out) == 401
        assert (await site.client.delete("/session", headers=LOCALHOST)).status_code == 200

        await site.sign_in(tokens["ada"])
        first = secret()
        await site.sign_in(tokens["bob"])
        assert first != (second := secret())
        assert (await opens(first), await opens(second)) == (401, 200)

        await site.sign_in(tokens["ada"])
        site.clock.now += IDLE - 1
        assert (await site.client.get("/v1/answers")).status_code == 200
        site.clock.now += IDLE + 1
        assert (await site.client.get("/v1/answers")).status_code == 401
        assert (await site.client.get("/session")).json()["name"] is None

        await site.sign_in(tokens["bob"])
        site.service._tokens.revoke("bob")
        assert (await site.client.get("/v1/answers")).status_code == 401
        assert (await site.client.get("/session")).json()["name"] is None
        local, _ = site.app.state.page.signed_in.sessions.begin("local")
        assert await opens(local) == 401  # a session of this computer opens nothing where a token is needed


@each_row(("proxies", "proxied"), [((), 429), (("127.0.0.0/8",), 200)])
async def test_a_malformed_sign_in_is_refused_and_failed_attempts_have_to_wait(
    visit: Visit, tokens: dict[str, str], proxies: tuple[str, ...], proxied: int
) -> None:
    async with visit(login=True, **{"serve.proxies": proxies}) as site:
        for body in ({}, {"token": ""}, {"token": "x" * 201}, {"token": 5}, {"token": "x", "more": 1}):
            assert (await site.client.post("/session", json=body, headers=LOCALHOST)).status_code == 422, body
        near = tokens["ada"][:PREFIX_LENGTH] + "x" * (46 - PREFIX_LENGTH)
        assert {(await site.sign_in(near)).status_code for _ in range(MOST_FAILED)} == {401}
        assert (await site.sign_in(tokens["bob"])).status_code == 200  # from the same address, which may be a proxy's
        throttled = await site.sign_in(tokens["ada"])
        assert (throttled.status_code, throttled.headers["retry-after"]) == (429, str(int(WINDOW)))
        elsewhere = {**LOCALHOST, "X-Forwarded-For": "192.0.2.7"}
        sent = {"json": {"token": tokens["ada"]}, "headers": elsewhere}
        assert (await site.client.post("/session", **sent)).status_code == proxied
        site.clock.now += WINDOW
        assert (await site.sign_in(tokens["ada"])).status_code == 200
    async with visit() as site:
        response = await site.sign_in(tokens["ada"])
    assert (response.status_code, "does not require a token" in response.json()["detail"]) == (422, True)


def test_a_session_is_found_on_every_server_until_it_ends_is_idle_too_old_or_one_too_many(home: Path) -> None:
    clock = Clock()
    with closing(Records(home)) as one, closing(Records(home)) as other:
        sessions, elsewhere = Sessions(one, clock), Sessions(other, clock)
        secret, session = sessions.begin("ada")
        assert sessions.find(secret) == elsewhere.find(secret) == session
        assert secret not in str(one.rows("SELECT * FROM sessions"))
        elsewhere.end_of("ada")
        assert sessions.find(secret) is None
        secret, _ = sessions.begin("ada")
        while clock.now < LONGEST - IDLE / 2:
            clock.now += IDLE / 2
            assert elsewhere.find(secret) is not None
        clock.now += IDLE / 2 + 1
        assert sessions.find(secret) is None
        few = Sessions(one, clock, most=2)
        first, second = few.begin("a")[0], few.begin("b")[0]
        clock.now += IDLE / 2
        few.find(first)
        third, _ = few.begin("c")
        assert [few.find(secret) is not None for secret in (first, second, third)] == [True, False, True]


async def test_who_signs_in_often_ends_sessions_of_their_own_alone(visit: Visit, tokens: dict[str, str]) -> None:
    async def signed_in(name: str) -> dict[str, str]:
        site.client.cookies.clear()
        site.clock.now += 1
        assert (await site.sign_in(tokens[name])).status_code == 200
        return dict(site.client.cookies)

    async with visit(login=True) as site:
        ada, *bobs = [await signed_in(name) for name in ("ada", *["bob"] * (EACH + 1))]
        found = []
        for cookies in (ada, bobs[0], bobs[-1]):
            site.client.cookies.clear()
            site.client.cookies.update(cookies)
            found.append((await site.client.get("/v1/answers")).status_code)
    assert found == [200, 401, 200]


QUESTION = {"question": "Does aspirin reduce the risk of stroke?"}


async def test_all_of_ones_questions_are_deleted_and_nobody_elses(visit: Visit, tokens: dict[str, str]) -> None:
    async with visit(login=True) as site:
        found = {}
        for name in ("ada", "bob"):
            await site.sign_in(tokens[name])
            for _ in range(2):
                assert (await site.client.post("/v1/ask", json=QUESTION, headers=site.headers())).status_code == 200
        deleted = await site.client.delete("/v1/answers", headers=site.headers())
        found["bob"] = (await site.client.get("/v1/answers")).json()["answers"]
        await site.sign_in(tokens["ada"])
        found["ada"] = (await site.client.get("/v1/answers")).json()["answers"]
        deleted = deleted.json()
    assert deleted == {"deleted": 2}
    assert {name: len(answers) for name, answers in found.items()} == {"ada": 2, "bob": 0}
