"""Corpora over HTTP: built from uploads as jobs, told about, verified, removed; who may do so."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from medground.corpus.library import Library
from medground.faces.service import building
from medground.home.settings import Settings

Visit = Callable[..., Any]
STATINS = {"id": "PMID:9", "title": "Statins", "text": "Statins lowered cholesterol."}
GOOD = ("trial.jsonl", json.dumps(STATINS).encode())


def form(*files: tuple[str, bytes]) -> list[tuple[str, tuple[str, bytes]]]:
    return [("files", file) for file in files]


async def build(site: Any, *files: tuple[str, bytes], **query: str) -> Any:
    return await site.client.post("/v1/corpora", params=query, files=form(*files), headers=site.headers())


async def test_an_upload_becomes_a_corpus_and_bad_files_are_named(visit: Visit, papers: Settings) -> None:
    files = [
        GOOD,
        ("notes.txt", b"Metformin lowered glucose in adults with diabetes."),
        ("../../evil.txt", b"x"),
        ("empty.txt", b""),
        ("scan.bin", b"\x00\x01\x02" * 100),
        ("large.txt", b"a" * 20_001),
    ]

    async with visit(**{"serve.upload_file": 20_000}) as site:
        await site.client.get("/session")
        begun = await build(site, *files, name="mine")
        job = await site.ended(begun.json()["job"]["id"])
        events = await site.client.get(f"/v1/jobs/{job['id']}/events")
        told = (await site.client.get("/v1/corpora/mine")).json()
        over = (await site.client.get("/v1/corpora/mine/files", params={"passed_over": True})).json()
        listed = {one["name"]: one for one in (await site.client.get("/v1/corpora")).json()["corpora"]}
    assert begun.status_code == 202
    assert begun.headers["location"] == f"/v1/jobs/{job['id']}"
    assert begun.json()["files"] == 3
    assert begun.json()["passed_over"] == [
        {"name": "../../evil.txt", "reason": "its name contains a path; send the file by its name alone"},
        {"name": "empty.txt", "reason": "the file is empty"},
        {"name": "large.txt", "reason": "larger than 0.02 MB, the limit of this server for one file"},
    ]
    assert (job["state"], job["kind"], job["title"]) == ("done", "build", "mine")
    assert job["words"] == "mine: 2 documents, 2 passages; 1 file skipped: scan.bin"
    said = [json.loads(line[5:]) for line in events.text.splitlines() if line.startswith("data:")]
    assert [event["id"] for event in said] == list(range(1, len(said) + 1))
    assert "reading documents" in {event["words"] for event in said}
    assert said[-1]["type"] == "done"
    assert (told["read"], told["passed_over"]) == (2, 1)
    [scan] = over["files"]
    assert scan["name"] == "scan.bin"
    assert scan["reason"]
    assert listed["mine"]["documents"] == 2
    assert str(papers.home) not in begun.text + events.text + json.dumps([told, over])
    assert list((papers.home / "service" / "uploads").iterdir()) == []
    assert not list(papers.home.rglob("evil.txt"))


async def test_a_name_that_is_taken_is_refused_before_the_upload_and_can_be_added_to_or_replaced(visit: Visit) -> None:
    async with visit() as site:
        await site.client.get("/session")
        taken = await build(site, GOOD, name="papers")
        added = await site.ended((await build(site, GOOD, name="papers", mode="add")).json()["job"]["id"])
        both = (await site.client.get("/v1/corpora")).json()["corpora"][0]["documents"]
        replaced = await site.ended(
            (await build(site, GOOD, name="papers", mode="replace", title="Dr Ada's  folder")).json()["job"]["id"]
        )
        listed = (await site.client.get("/v1/corpora")).json()["corpora"][0]
        answer = (await site.client.post("/v1/search", json={"text": "statins"}, headers=site.headers())).json()
    assert taken.status_code == 422
    assert "exists already; add to it, replace it" in taken.json()["detail"]
    assert (added["state"], both, replaced["state"], listed["documents"]) == ("done", 3, "done", 1)
    assert listed["title"] == "Dr Ada's folder"
    assert [hit["passage"]["document_id"] for hit in answer["hits"]] == ["PMID:9"]


async def test_a_wrong_request_builds_nothing(visit: Visit, papers: Settings) -> None:
    wrong: list[dict[str, str]] = [
        *({"name": name} for name in ("../x", "A B", "", "x" * 65, "starter")),
        {"name": "gone", "mode": "add"},
        {"name": "mine", "mode": "other"},
        {"name": "mine", "embed": "/etc"},
        {},
    ]
    async with visit(**{"serve.upload": 20_000}) as site:
        await site.client.get("/session")
        assert [(await build(site, GOOD, **query)).status_code for query in wrong] == [422] * len(wrong)
        assert (await build(site, ("a.txt", b"a" * 30_000), name="mine")).status_code == 413
        sent = site.client.post("/v1/corpora?name=mine", json={"files": []}, headers=site.headers())
        assert (await sent).status_code == 422
        empty = (await build(site, ("empty.txt", b""), name="mine")).json()["detail"]
        assert empty == "none of the files can be used: empty.txt: the file is empty"
        unread = await site.ended((await build(site, ("scan.bin", b"\x00" * 50), name="mine")).json()["job"]["id"])
        assert unread["problem"]["detail"].startswith("scan.bin: ")
        assert (await site.client.get("/v1/corpora/mine")).status_code == 404
    assert Library(papers.home).list() == ("papers",)


async def test_a_stopped_build_leaves_the_corpus_as_it_was(visit: Visit, papers: Settings) -> None:
    many = "\n".join(json.dumps({"id": f"D:{n}", "title": "t", "text": f"word {n}."}) for n in range(5_000)).encode()

    async with visit(**{"serve.upload": 50_000_000}) as site:
        await site.client.get("/session")
        before = Library(papers.home).info("papers").hash
        begun = (await build(site, ("many.jsonl", many), name="papers", mode="replace")).json()["job"]["id"]
        for _ in range(500):
            job = (await site.client.get(f"/v1/jobs/{begun}")).json()
            if job["words"] not in ("", "waiting"):
                break
            await asyncio.sleep(0.01)
        stopped = await site.client.delete(f"/v1/jobs/{begun}", headers=site.headers())
        job = await site.ended(begun)
    assert stopped.status_code == 200
    assert job["state"] == "stopped"
    assert Library(papers.home).verify("papers").hash == before
    assert not list((papers.home / "corpora" / "papers" / "uploaded").glob("*"))


async def test_a_corpus_is_removed_with_its_uploads(visit: Visit, papers: Settings) -> None:
    async with visit() as site:
        await site.client.get("/session")
        change, headers = site.client.request, site.headers()
        await site.ended((await build(site, GOOD, name="mine")).json()["job"]["id"])
        removed = [(await change("DELETE", "/v1/corpora/mine", headers=headers)).status_code for _ in range(2)]
    assert removed == [204, 404]
    assert not (papers.home / "corpora" / "mine").exists()


async def test_saved_work_is_of_one_person_and_has_an_end(visit: Visit, tokens: dict[str, str]) -> None:
    none: dict[str, object] = {"watched": []}
    work = {"projects": [{"name": "Club", "items": [], "note": "Zinc"}]}
    async with visit(login=True) as site:
        nobody = await site.client.get("/v1/saved")
        await site.sign_in(tokens["bob"])
        for content in ({}, work):
            kept = await site.client.put("/v1/saved", json=content, headers=site.headers())
        long = await site.client.put("/v1/saved", json={"notes": "x" * 1_100_000}, headers=site.headers())
        own = await site.client.get("/v1/saved")
        await site.sign_in(tokens["ada"])
        other = await site.client.get("/v1/saved")
    assert (nobody.status_code, kept.status_code, own.json(), other.json()) == (401, 204, work | none, none)
    assert long.status_code == 413


def test_abandoned_uploads_are_deleted_after_a_day(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "file").write_text("x")
    building.forget_abandoned(tmp_path, lambda: (tmp_path / "old").stat().st_mtime + 3600)
    assert (tmp_path / "old").exists()
    building.forget_abandoned(tmp_path, lambda: (tmp_path / "old").stat().st_mtime + 25 * 3600)
    assert not (tmp_path / "old").exists()
