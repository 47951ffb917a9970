"""Who may do what: every address of the server has its role in one table; and who did what is in the audit log."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from command_line import run as cli
from small_service import tokens_of

from medground.faces.api.caller import NEEDED
from medground.faces.service.values import ROLES
from medground.home.files import tables
from medground.home.settings import Settings

Visit = Callable[..., Any]
QUESTION = "Does aspirin reduce the risk of stroke?"


def addresses(routes: Any) -> Iterator[str]:
    for route in routes:
        if inner := getattr(getattr(route, "original_router", route), "routes", None):
            yield from addresses(inner)
        else:
            yield from (f"{method} {route.path}" for method in route.methods - {"HEAD"})


async def test_every_address_has_its_role_and_refuses_a_lower_one(visit: Visit, papers: Settings) -> None:
    with tokens_of(papers.home) as made:
        tokens = {role: {"Authorization": f"Bearer {made.create(role, role=role)}"} for role in ROLES}
    public = set(tables("faces/api", "roles")["open"])
    async with visit(login=True) as site:
        found = {one for one in addresses(site.app.routes) if "." not in one or one.endswith((".svg", ".json"))}
        files = {"GET /icon.svg"}
        assert found - files == public | NEEDED.keys()
        for address in NEEDED:
            method, path = address.split()
            path = path.replace("{document_id:path}", "PMID:9").replace("{", "").replace("}", "")
            assert (await site.client.request(method, path)).status_code == 401, address
            for role, headers in tokens.items():
                refused = ROLES.index(role) < ROLES.index(NEEDED[address])
                response = await site.client.request(method, path, headers=headers)
                assert (response.status_code == 403) == refused, (address, role)
                if refused:
                    assert f"the role {NEEDED[address]}, and yours is {role}" in response.json()["detail"]
        refusals = [one for one in site.service.audit.read() if one.act == "refused"]
    above = [one for one in NEEDED if NEEDED[one] == "admin"], [one for one in NEEDED if NEEDED[one] == "editor"]
    assert len(refusals) == 2 * len(above[0]) + len(above[1])
    assert {(one.name, one.what) for one in refusals} >= {("reader", "DELETE /v1/corpora/{name}")}


@pytest.mark.parametrize("words", [True, False])
async def test_the_audit_log_says_who_did_what_and_words_only_if_it_is_to(
    visit: Visit, tokens: dict[str, str], capsys: pytest.CaptureFixture[str], words: bool
) -> None:
    async with visit(login=True, **{"serve.audit_words": words}) as site:
        await site.sign_in("mg_wrong")
        await site.sign_in(tokens["bob"])
        answer = (await site.client.post("/v1/ask", json={"question": QUESTION}, headers=site.headers())).json()
        where = f"/v1/answers/{answer['trace_id']}"
        await site.client.get(f"{where}/export?format=ris")
        await site.client.post(f"{where}/table", json={"columns": ["dose"]}, headers=site.headers())
        await site.client.post("/v1/search", json={"text": "fins"}, headers=site.headers())
        await site.client.delete(where, headers=site.headers())
        await site.client.delete("/session", headers=site.headers())
        await site.sign_in(tokens["ada"])
        used = (await site.client.get("/v1/tokens")).json()["tokens"]
        assert [(one["name"], one["role"], one["month"]["requests"]) for one in used] == [
            ("ada", "admin", 0),
            ("bob", "reader", 2),
        ]
        told = (await site.client.get("/v1/audit?limit=9")).json()
        rest = (await site.client.get(f"/v1/audit?before={told['next']}")).json()
        page = [*told["entries"], *rest["entries"]]
        assert cli("token", "revoke", "bob") == 0
        assert cli("serve", "log", "--since", f"{datetime.now(UTC):%Y-%m-%d}") == 0
        printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert printed[:-1] == page[::-1]
    acts = [(one["act"], one["name"], one["what"]) for one in printed]
    assert acts == [
        ("token", "this computer", "ada (admin)"),
        ("token", "this computer", "bob (reader)"),
        ("start", "", site.service.settings.hash),
        ("refused", "", "sign-in: the token is wrong or was revoked"),
        ("sign-in", "bob", "token"),
        ("ask", "bob", acts[5][2]),
        ("answer", "bob", answer["trace_id"]),
        ("export", "bob", f"{answer['trace_id']} ris"),
        ("table", "bob", answer["trace_id"]),
        ("search", "bob", ""),
        ("delete", "bob", answer["trace_id"]),
        ("sign-out", "bob", ""),
        ("sign-in", "ada", "token"),
        ("revoke", "this computer", "bob"),
    ]
    asked = [one["words"] for one in printed if one["words"]]
    assert asked == ([QUESTION, "dose", "fins"] if words else [])
