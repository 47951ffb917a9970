"""Deleting all of one's questions, and what each token has used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Visit = Callable[..., Any]
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


async def test_use_by_token_is_for_those_who_run_the_server(visit: Visit, tokens: dict[str, str]) -> None:
    async with visit(login=True) as site:
        await site.sign_in(tokens["bob"])
        await site.client.post("/v1/ask", json=QUESTION, headers=site.headers())
        refused = await site.client.get("/v1/tokens")
        own = (await site.client.get("/v1/usage")).json()
        await site.sign_in(tokens["ada"])
        told = (await site.client.get("/v1/tokens")).json()["tokens"]
    assert refused.status_code == 403
    assert (own["name"], own["month"]["requests"]) == ("bob", 1)
    assert {(one["name"], one["admin"], one["month"]["requests"]) for one in told} == {
        ("ada", True, 0),
        ("bob", False, 1),
    }
    assert all("hash" not in one for one in told)
