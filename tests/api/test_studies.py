"""The evidence table, the timeline and the plan of an answer over HTTP."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any

import httpx

QUESTION = {"question": "Does aspirin reduce the risk of stroke?"}
Calling = Callable[..., Any]


async def asked(client: httpx.AsyncClient) -> str:
    response = await client.post("/v1/ask", json=QUESTION)
    assert response.status_code == 200
    return str(response.json()["trace_id"])


async def test_a_cell_is_the_slice_of_the_document_that_it_says(calling: Calling) -> None:
    async with calling() as client:
        name = await asked(client)
        made = await client.post(f"/v1/answers/{name}/table", json={"columns": ["risk of stroke", "dose"]})
        document = await client.get("/v1/documents/PMID:1")
        table, document = made.json(), document.json()
    (row,) = table["rows"]
    quoted, absent = row["cells"]
    assert row["document_id"] == "PMID:1"
    assert (quoted["state"], absent["state"]) == ("quoted", "not reported")
    assert document["text"][quoted["start"] : quoted["end"]] == quoted["quote"]
    assert table["agreement"] is None
    assert table["usage"]["model_calls"] == 0


async def test_the_same_table_as_a_file(calling: Calling) -> None:
    async with calling() as client:
        name = await asked(client)
        response = await client.post(
            f"/v1/answers/{name}/table?format=csv", json={"columns": ["=cmd", "risk of stroke"]}
        )
    assert response.headers["content-type"].startswith("text/csv")
    assert response.headers["content-disposition"].startswith('attachment; filename="medground-')
    (row,) = csv.DictReader(io.StringIO(response.content.decode("utf-8-sig"), newline=""))
    assert row["'=cmd"] == "not reported"
    assert row["risk of stroke"].startswith("Aspirin reduced")
    assert row["risk of stroke (place)"] == "PMID:1#0-45"


COLUMNS: list[Any] = [["x"] * 2, [f"c{n}" for n in range(11)], [""], ["x" * 201], "n", [{"a": 1}], ["\u202e"]]


async def test_what_cannot_be_a_table_is_a_problem(calling: Calling) -> None:
    gone = "/v1/answers/20200101-000000-00000000"

    async with calling() as client:
        table = f"/v1/answers/{await asked(client)}/table"
        refused = [await client.post(table, json={"columns": columns}) for columns in COLUMNS]
        missing = [await client.get(f"{gone}/trace"), await client.get(f"{gone}/plan.svg")]
        missing.append(await client.post(f"{gone}/table", json={"columns": ["n"]}))
        not_offered = await client.post(table, json={"columns": ["n"], "model": "openai:gpt-5"})
    assert all(response.status_code in (400, 422) for response in refused)
    assert all(response.status_code == 404 for response in missing)
    assert {one.headers["content-type"] for one in (*refused, *missing)} == {"application/problem+json"}
    assert "not offered" in not_offered.json()["detail"]


async def test_the_timeline_tells_each_part_and_no_text(calling: Calling) -> None:
    async with calling() as client:
        response = await client.get(f"/v1/answers/{await asked(client)}/trace")
    made = response.json()
    assert made["spans"][0]["name"] == "recipe ground"
    assert made["spans"][0]["depth"] == 0
    assert {"search corpus:papers"} <= {span["name"] for span in made["spans"]}
    assert all(span["start"] + span["seconds"] <= made["seconds"] + 1e-3 for span in made["spans"])
    assert "aspirin" not in response.text.lower()


async def test_a_report_has_a_plan_and_another_answer_has_none(calling: Calling) -> None:
    async with calling() as client:
        plain = await client.get(f"/v1/answers/{await asked(client)}/plan.svg")
        report = await client.post("/v1/ask", json={**QUESTION, "recipe": "biomedsearch"})
        drawn = await client.get(f"/v1/answers/{report.json()['trace_id']}/plan.svg")
    assert plain.status_code == 404
    assert drawn.headers["content-type"] == "image/svg+xml"
    assert drawn.headers["content-security-policy"].startswith("default-src 'none'")
    assert drawn.text.startswith("<svg")
