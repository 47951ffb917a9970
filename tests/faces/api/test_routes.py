"""Each route, asked as a client would, and what is refused with which problem."""

import json
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from medground.answering.trace import read_trace
from medground.errors import UsageError
from medground.faces import create_app
from medground.faces.service.values import Event
from medground.home.settings import Settings
from medground.values.answer import Answer
from medground.wording.view import view

QUESTION = "Does aspirin reduce the risk of stroke?"


def events_of(text: str) -> list[tuple[str, str, Event]]:
    """Type, id and data of the events of a stream."""
    found = []
    for block in text.split("\n\n"):
        if block and not block.startswith(":"):
            fields = dict(line.split(": ", 1) for line in block.split("\n"))
            found.append((fields["event"], fields["id"], Event.model_validate_json(fields["data"])))
    return found


async def test_a_question_gets_the_same_answer_as_json_as_an_event_and_afterwards(calling: Callable[..., Any]) -> None:
    async with calling() as client:
        response = await client.post("/v1/ask", json={"question": QUESTION})
        assert response.status_code == 200
        answer = Answer.model_validate_json(response.content)
        assert {e.document_id for e in answer.evidence} == {"PMID:1"}
        kept = await client.get(f"/v1/answers/{answer.trace_id}")
        assert kept.content == response.content
        shown = await client.get(f"/v1/answers/{answer.trace_id}/view")
        assert shown.json() == view(answer).model_dump(mode="json")

        response = await client.post("/v1/ask", json={"question": QUESTION}, headers={"Accept": "text/event-stream"})
        assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
        events = events_of(response.text)
        assert [number for _, number, _ in events] == [str(n) for n in range(1, len(events) + 1)]
        assert all(kind == event.type for kind, _, event in events)
        assert (events[0][0], events[-1][0]) == ("queued", "answer")
        last = events[-1][2].answer
        assert last is not None
        assert (last.id, last.evidence, last.statements) == (answer.id, answer.evidence, answer.statements)
        assert (await client.get(f"/v1/answers/{last.trace_id}")).json() == last.model_dump(mode="json")


async def test_a_job_is_followed_left_and_taken_up_again(calling: Callable[..., Any]) -> None:
    async with calling() as client:
        begun = await client.post("/v1/jobs", json={"question": QUESTION})
        assert begun.status_code == 202
        place = begun.headers["location"]
        assert place == f"/v1/jobs/{begun.json()['id']}"
        events = events_of((await client.get(f"{place}/events")).text)
        assert events[-1][0] == "answer"
        rest = events_of((await client.get(f"{place}/events", headers={"Last-Event-ID": "2"})).text)
        assert rest == events[2:]
        assert events_of((await client.get(f"{place}/events", params={"after": 2})).text) == rest
        state = (await client.get(place)).json()
        assert (state["state"], state["trace_id"]) == ("done", events[-1][2].trace_id)
        assert [job["id"] for job in (await client.get("/v1/jobs")).json()["jobs"]] == [state["id"]]
        assert (await client.delete(place)).json()["state"] == "done"


async def test_answers_are_listed_page_by_page_exported_and_deleted(calling: Callable[..., Any]) -> None:
    async with calling() as client:
        names = [(await client.post("/v1/ask", json={"question": QUESTION})).json()["trace_id"] for _ in range(3)]
        first = (await client.get("/v1/answers", params={"limit": 2})).json()
        assert [past["trace_id"] for past in first["answers"]] == names[:0:-1]
        second = (await client.get("/v1/answers", params={"limit": 2, "before": first["next"]})).json()
        assert ([past["trace_id"] for past in second["answers"]], second["next"]) == (names[:1], None)
        exported = await client.get(f"/v1/answers/{names[0]}/export", params={"format": "ris"})
        assert exported.headers["content-disposition"] == f'attachment; filename="medground-{names[0]}.ris"'
        assert b"TI  - Aspirin" in exported.content
        assert (await client.delete(f"/v1/answers/{names[0]}")).status_code == 204
        assert (await client.get(f"/v1/answers/{names[0]}")).status_code == 404
        assert (await client.delete(f"/v1/answers/{names[0]}")).status_code == 404


async def test_the_literature_is_searched_and_read(calling: Callable[..., Any]) -> None:
    async with calling() as client:
        found = (await client.post("/v1/search", json={"query": "zebrafish fins", "limit": 1})).json()
        assert [hit["passage"]["document_id"] for hit in found["hits"]] == ["PMID:2"]
        document = (await client.get("/v1/documents/PMID:2")).json()
        place = document["passages"][0]
        assert document["text"][place["start"] : place["end"]] == "Fins of zebrafish regenerate after amputation."
        assert (await client.get("/v1/documents/PMID:2", params={"corpus": "papers"})).json() == document
        claim = "Aspirin reduced the risk of stroke in adults."
        checked = (await client.post("/v1/verify", json={"claim": claim})).json()
        assert [statement["text"] for statement in checked["statements"]] == [claim]


async def test_the_server_says_what_it_has(calling: Callable[..., Any]) -> None:
    async with calling() as client:
        corpora = (await client.get("/v1/corpora")).json()
        assert [(corpus["name"], corpus["documents"]) for corpus in corpora["corpora"]] == [("papers", 2)]
        recipes = (await client.get("/v1/recipes")).json()
        assert [recipe["name"] for recipe in recipes["recipes"] if recipe["default"]] == ["ground"]
        assert recipes["models"] == ["keyless"]
        assert (await client.get("/healthz")).json()["status"] == "ok"
        document = (await client.get("/openapi.json")).json()
        assert document["openapi"].startswith("3.1")
        assert "HTTPValidationError" not in json.dumps(document)


async def test_a_request_that_is_sent_again_with_its_key_gets_the_same_answer(calling: Callable[..., Any]) -> None:
    async with calling() as client:
        sent = {"json": {"question": QUESTION}, "headers": {"Idempotency-Key": "4f1c"}}
        first, again = [await client.post("/v1/ask", **sent) for _ in range(2)]
        assert (again.status_code, again.content) == (200, first.content)
        jobs = [await client.post("/v1/jobs", **sent | {"headers": {"Idempotency-Key": "b"}}) for _ in range(2)]
        assert jobs[0].headers["location"] == jobs[1].headers["location"]


async def test_figures_name_routes_and_never_what_was_asked(calling: Callable[..., Any]) -> None:
    async with calling() as client:
        answer = (await client.post("/v1/ask", json={"question": QUESTION})).json()
        await client.get(f"/v1/answers/{answer['trace_id']}")
        await client.get("/v1/secret-name")
        await client.request("FORGED", "/healthz")
        figures = (await client.get("/metrics")).text
        assert 'medground_requests_total{method="POST",route="/v1/ask",status="200"} 1' in figures
        assert 'medground_requests_total{method="GET",route="/v1/answers/{trace_id}",status="200"} 1' in figures
        assert 'medground_requests_total{method="GET",route="none",status="404"} 1' in figures
        assert 'medground_requests_total{method="other",route="/healthz",status="405"} 1' in figures
        assert 'medground_jobs{kind="ask",state="done"} 1' in figures
        assert 'medground_response_seconds_bucket{route="/v1/ask",le="+Inf"} 1' in figures
        assert 'medground_response_seconds_count{route="none"} 1' in figures
        for text in ("aspirin", "secret", answer["trace_id"]):
            assert text not in figures.lower()


ASKED = {"question": "Does aspirin reduce the risk of stroke?"}
Calling = Callable[..., Any]


async def asked(client: httpx2.AsyncClient) -> str:
    response = await client.post("/v1/ask", json=ASKED)
    assert response.status_code == 200
    return str(response.json()["trace_id"])


async def test_a_cell_is_the_slice_of_the_document_that_it_says(calling: Calling) -> None:
    async with calling() as client:
        name = await asked(client)
        made = await client.post(f"/v1/answers/{name}/table", json={"columns": ["risk of stroke", "dose"]})
        file = await client.post(f"/v1/answers/{name}/table?format=csv", json={"columns": ["=cmd"]})
        document = (await client.get("/v1/documents/PMID:1")).json()
        table = made.json()
    assert file.headers["content-type"].startswith("text/csv")
    assert file.headers["content-disposition"].startswith('attachment; filename="medground-')
    assert ",'=cmd" in file.text
    (row,) = table["rows"]
    quoted, absent = row["cells"]
    assert row["document_id"] == "PMID:1"
    assert (quoted["state"], absent["state"]) == ("quoted", "not reported")
    assert document["text"][quoted["start"] : quoted["end"]] == quoted["quote"]
    assert table["agreement"] is None
    assert table["usage"]["model_calls"] == 0


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


JSON = {"Content-Type": "application/json"}


def problem(response: httpx2.Response) -> tuple[int, str]:
    """Status and name of a problem, once its shape is checked."""
    assert response.headers["content-type"] == "application/problem+json", response.text
    content = response.json()
    assert content["status"] == response.status_code
    assert {"type", "title", "detail", "next"} <= content.keys()
    assert "\n" not in content["detail"]
    return content["status"], content["type"].removeprefix("urn:medground:problem:")


BAD: list[tuple[str, str, dict[str, Any], tuple[int, str]]] = [
    ("GET", "/v1/nothing", {}, (404, "not-found")),
    ("PUT", "/v1/ask", {"json": ASKED}, (405, "method")),
    ("POST", "/v1/ask", {"json": {}}, (422, "usage")),
    ("POST", "/v1/ask", {"json": ASKED | {"home": "/etc"}}, (422, "usage")),
    ("POST", "/v1/ask", {"json": ASKED | {"settings": {"model.default": "x"}}}, (422, "usage")),
    ("POST", "/v1/ask", {"json": ASKED | {"recipe": "../../etc/passwd"}}, (422, "usage")),
    ("POST", "/v1/ask", {"json": ASKED | {"corpora": ["../../etc"]}}, (422, "usage")),
    ("POST", "/v1/ask", {"json": ASKED | {"kind": "research"}}, (422, "usage")),
    ("POST", "/v1/ask", {"content": b"", "headers": JSON}, (422, "usage")),
    ("POST", "/v1/ask", {"content": b"{", "headers": JSON}, (400, "bad-request")),
    ("POST", "/v1/ask", {"content": b'{"a":' * 100_000, "headers": JSON}, (400, "bad-request")),
    ("POST", "/v1/ask", {"content": b"9" * 500_000, "headers": JSON}, (400, "bad-request")),
    ("POST", "/v1/ask", {"content": b"[" + b"0," * 400_000 + b"0]", "headers": JSON}, (413, "too-large")),
    ("POST", "/v1/ask", {"content": b"\xff\xfe", "headers": JSON}, (400, "bad-request")),
    ("POST", "/v1/ask", {"content": b" " * 1_000_001, "headers": JSON}, (413, "too-large")),
    ("POST", "/v1/ask", {"content": b"{}", "headers": {"Content-Type": "text/plain"}}, (415, "media-type")),
    ("POST", "/v1/ask", {"json": ASKED, "headers": {"Origin": "https://evil.example"}}, (403, "refused")),
    ("POST", "/v1/ask", {"json": ASKED, "headers": {"Origin": "http://localhost:81"}}, (403, "refused")),
    ("POST", "/v1/ask", {"json": ASKED, "headers": {"Sec-Fetch-Site": "cross-site"}}, (403, "refused")),
    ("GET", "/v1/answers", {"headers": {"Host": "evil.example"}}, (421, "host")),
    ("GET", "/v1/answers", {"headers": {"Host": "localhost.evil.example:8123"}}, (421, "host")),
    ("GET", "/v1/answers", {"headers": {"Authorization": "Basic eDp5"}}, (401, "not-allowed")),
    ("GET", "/v1/answers", {"params": {"limit": "9" * 5000}}, (422, "usage")),
    ("GET", "/v1/answers/..%2f..%2fsettings", {}, (404, "not-found")),
    ("GET", "/v1/answers/20261123-000000-00000000/files/..%2f..%2fx", {}, (404, "not-found")),
    ("GET", "/v1/answers/x/export", {"params": {"format": "exe"}}, (422, "usage")),
    ("GET", "/v1/documents/../../etc/passwd", {}, (404, "not-found")),
    ("GET", "/v1/documents/..%2f..%2fetc%2fpasswd", {}, (422, "usage")),
    ("GET", "/v1/documents/PMID:404", {}, (404, "not-found")),
    ("GET", "/v1/jobs/none", {}, (404, "not-found")),
    ("GET", "/v1/jobs/none/events", {}, (404, "not-found")),
    ("GET", "/v1/jobs/none/events", {"headers": {"Last-Event-ID": "one"}}, (422, "usage")),
    ("DELETE", "/v1/jobs/none", {}, (404, "not-found")),
]


async def test_bad_input_gets_a_problem(calling: Callable[..., Any]) -> None:
    async with calling() as client:
        wrong = []
        for method, path, sent, expected in BAD:
            response = await client.request(method, path, **sent)
            if problem(response) != expected:
                wrong.append((method, path, problem(response), expected))
            assert response.headers["x-content-type-options"] == "nosniff"
            assert response.headers["cache-control"] == "no-store"
            assert not [name for name in response.headers if name.startswith("access-control")]
        assert wrong == []


async def test_a_large_body_is_refused_before_it_is_read(calling: Callable[..., Any]) -> None:
    read = 0

    async def body() -> AsyncIterator[bytes]:
        nonlocal read
        for _ in range(100):
            read += 1_000_000
            yield bytes(1_000_000)

    async with calling() as client:
        told = JSON | {"Content-Length": "100000000"}
        assert problem(await client.post("/v1/ask", content=body(), headers=told)) == (413, "too-large")
        assert read == 0
        assert problem(await client.post("/v1/ask", content=body(), headers=JSON)) == (413, "too-large")
        assert read <= 2_000_000


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"question": ""}, "the question is empty; write it in words"),
    (ASKED | {"kind": "poem"}, "kind: unknown value; use 'ask' or 'research'"),
    (ASKED | {"corpora": "papers"}, "corpora: not a list"),
    (ASKED | {"home": "/etc"}, "home: unknown field; leave it out"),
    (ASKED | {"filters": {"year_from": "soon"}}, "filters.year_from: not a whole number"),
    (ASKED | {"context": "x" * 64_001}, "context: too long; shorten it to at most 64,000 characters"),
    (ASKED | {"corpora": ["x"] * 51}, "corpora: too many entries; give at most 50"),
    ({"question": 7, "recipe": ["x"]}, "question: not text; put it in quotes; recipe: not text; put it in quotes"),
]


async def test_wrong_fields_are_told_in_our_words(calling: Callable[..., Any]) -> None:
    async with calling() as client:
        for sent, detail in WRONG:
            response = await client.post("/v1/ask", json=sent)
            assert problem(response) == (422, "usage")
            assert response.json()["detail"] == detail


async def test_below_a_prefix_of_a_program_of_ones_own_and_below_its_span(papers: Settings) -> None:
    app = create_app({"home": str(papers.home), "retrieval.dense": False, "retrieval.corpora": "papers"}, login=False)
    host = Starlette(routes=[Mount("/med", app)])
    under = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"}
    transport = httpx2.ASGITransport(host)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://localhost", headers=under) as client,
    ):
        job = await client.post("/med/v1/jobs", json={"question": QUESTION})
        assert job.headers["location"] == f"/med/v1/jobs/{job.json()['id']}"
        (*_, (_, _, last)) = events_of((await client.get(f"{job.headers['location']}/events")).text)
    assert last.answer is not None
    assert read_trace(papers.home / "traces", last.answer.trace_id)[0]["parent"] == "b7ad6b7169203331"


async def test_the_application_does_not_start_without_a_token(papers: Settings) -> None:
    app = create_app(papers)
    with pytest.raises(UsageError, match="medground token create NAME"):
        async with app.router.lifespan_context(app):
            pass


@pytest.mark.parametrize("kind", ["research", "pubmed"])
@pytest.mark.parametrize("unit", ["a ", "of in ", "-A"])
async def test_a_plan_takes_little_time_whatever_the_question_repeats(
    calling: Callable[..., Any], kind: str, unit: str
) -> None:
    async with calling() as client:
        await client.post("/v1/plan", json={"question": QUESTION, "kind": kind})  # reads what every plan needs
        before = time.process_time()
        response = await client.post("/v1/plan", json={"question": (unit * 2000)[:3990], "kind": kind})
        assert response.status_code in (200, 422)
        assert time.process_time() - before < 2.0
