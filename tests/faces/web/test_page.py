"""The built page, its runs of evaluations, and uploads: only its own files are found, and each is stored safely."""

import asyncio
import tracemalloc
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_talk import library
from refusals import refused
from rows import each_row
from runs import line, write_run

from medground.corpus.library import GRAPH_FILE, Library
from medground.errors import ConfigError, StorageFailed, UsageError
from medground.faces.web.app import BuiltPage
from medground.faces.web.upload import LONGEST, Received, UploadLimits, received, safe_name
from medground.home.settings import Settings

Visit = Callable[..., Any]
CSP = {"default-src 'self'", "script-src 'self'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"}


async def test_the_page_is_served_with_its_headers_and_nothing_else_is(visit: Visit) -> None:
    hidden = ["/secret.key", "/assets/", "/assets/../secret.key", "/..%2f..%2fetc/passwd", "/assets/%2e%2e/x", "/x"]

    async with visit(login=True) as site:
        index = await site.client.get("/")
        script = await site.client.get("/assets/index-a1.js")
        again = await site.client.get("/", headers={"If-None-Match": index.headers["etag"]})
        plain = await site.client.get("/assets/index-a1.js", headers={"Accept-Encoding": "identity"})
        missing = [await site.client.get(path) for path in hidden]
    for response in (index, script):
        assert response.status_code == 200
        assert set(response.headers["content-security-policy"].split("; ")) > CSP
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert response.headers["x-frame-options"] == "DENY"
    assert index.headers["content-type"] == "text/html; charset=utf-8"
    assert script.headers["content-type"] == "text/javascript; charset=utf-8"
    assert index.headers["cache-control"] == "no-cache"
    assert script.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert script.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert script.content == plain.content
    assert (again.status_code, again.content) == (304, b"")
    assert {response.status_code for response in missing} == {404}


def test_a_page_that_was_not_built_says_how_to_build_it(tmp_path: Path) -> None:
    refused(ConfigError, "not built; build it with: cd page && npm ci && npm run build", BuiltPage, tmp_path)


@pytest.fixture
def graph(papers: Settings) -> Settings:
    """A corpus with a graph beside the papers."""
    library(papers.home)
    return papers


async def test_the_last_words_are_completed_for_those_who_are_signed_in(visit: Visit, graph: Settings) -> None:
    typed = ("Has long f", "spid", "zz")
    wrong = ({}, {"q": "x" * 4001}, {"q": "a", "limit": 0}, {"q": "a", "limit": 21})
    async with visit() as site:
        ask = site.client.get
        long, spider, nothing = [(await ask("/v1/suggest", params={"q": q})).json() for q in typed]
        refused = {(await ask("/v1/suggest", params=query)).status_code for query in wrong}
    assert [(one["text"], one["id"], one["start"]) for one in long] == [("Long fingers", "HP:1", 4)]
    assert [(one["text"], one["about"].partition(", ")[2]) for one in spider] == [
        ("Spider fingers", "for Long fingers")
    ]
    assert nothing == []
    assert refused == {422}
    async with visit(login=True) as site:
        assert (await site.client.get("/v1/suggest", params={"q": "long"})).status_code == 401
    (Library(graph.home).current("terms") / GRAPH_FILE).write_bytes(b"broken")
    async with visit() as site:
        response = await site.client.get("/v1/suggest", params={"q": "long"})
    assert (response.status_code, response.json()) == (200, [])


@pytest.fixture
def run_file(papers: Settings) -> Path:
    """A run of ten items: five right, one wrong, two failed, two unfinished."""
    folder = papers.home / "runs"
    folder.mkdir()
    answers = ["yes"] * 5 + ["no", "", ""]
    lines = [
        line(f"q{n}", "yes", answer, question=f"Question <b>{n}</b>?")
        if answer
        else line(f"q{n}", "yes", status="failed", error="the model did not answer")
        for n, answer in enumerate(answers)
    ]
    path = write_run(folder / "pubmedqa_test.jsonl", lines, recipe="ground", items=10)
    (folder / "notes.jsonl").write_text('{"not": "a run"}\n')
    (papers.home / "outside.jsonl").write_text(path.read_text())
    (folder / "linked.jsonl").symlink_to(papers.home / "outside.jsonl")
    return path


async def test_runs_are_listed_and_every_item_counts(visit: Visit, run_file: Path) -> None:
    async with visit() as site:
        by_id = {run["id"]: run for run in (await site.client.get("/v1/runs")).json()["runs"]}
    assert set(by_id) == {"pubmedqa_test", "notes"}
    run = by_id["pubmedqa_test"]
    assert (run["dataset"], run["recipe"], run["items"], run["unfinished"]) == ("pubmedqa", "ground", 10, 2)
    assert run["statuses"] == {"answered": 6, "failed": 2}
    accuracy = run["accuracy"]
    assert (accuracy["right"], accuracy["of"], accuracy["value"]) == (5, 10, 0.5)
    assert accuracy["low"] == pytest.approx(0.2366, abs=1e-4)
    assert accuracy["high"] == pytest.approx(0.7634, abs=1e-4)
    assert by_id["notes"]["problem"].startswith("notes.jsonl is not a Medground run")


async def test_a_run_is_opened_with_intervals_outcomes_classes_questions_and_a_report(
    visit: Visit, run_file: Path
) -> None:
    queries = ({"limit": 3, "offset": 2}, {"which": "wrong"}, {"which": "failed", "limit": 1})
    async with visit() as site:
        ask, place = site.client.get, "/v1/runs/pubmedqa_test"
        opened = (await ask(place)).json()
        page, wrong, failed = [(await ask(f"{place}/questions", params=query)).json() for query in queries]
        report = await ask(f"{place}/report")
    metrics = {one["name"]: (one["right"], one["of"]) for one in opened["metrics"]}
    assert metrics == {
        "accuracy": (5, 10),
        "answered": (6, 10),
        "correct when it answered": (5, 6),
        "cites evidence": (0, 10),
    }
    assert all(one["low"] <= (one["value"] or 0) <= one["high"] for one in opened["metrics"])
    assert {one["name"]: one["right"] for one in opened["outcomes"]} == {"answered": 6, "failed": 2, "unfinished": 2}
    assert {one["of"] for one in opened["outcomes"]} == {10}
    assert [one["label"] for one in opened["classes"]] == ["no", "yes"]
    assert "2 of 10 questions are unfinished and count as wrong" in opened["warnings"]
    assert ([q["id"] for q in page["questions"]], page["total"]) == (["q2", "q3", "q4"], 8)
    assert ([q["id"] for q in wrong["questions"]], wrong["total"]) == (["q5", "q6", "q7"], 3)
    assert ([q["error"] for q in failed["questions"]], failed["total"]) == (["the model did not answer"], 2)
    assert report.headers["content-disposition"] == 'attachment; filename="pubmedqa_test.html"'
    assert report.headers["content-security-policy"].startswith("default-src 'none'")
    assert "<b>1</b>" not in report.text
    assert "50.0" in report.text


async def test_only_runs_of_the_folder_are_found(visit: Visit, run_file: Path) -> None:
    names = ["gone", "notes", "linked", "..%2Foutside", "%2e%2e%2foutside", "outside", "x" * 300, "%00"]
    async with visit() as site:
        for name in names:
            for end in ("", "/questions", "/report"):
                assert (await site.client.get(f"/v1/runs/{name}{end}")).status_code == 404, name


KIND = "multipart/form-data; boundary=edge"
LIMITS = UploadLimits(file=1_000, files=5)


def part(content: bytes, name: str, filename: str | None = None) -> bytes:
    file = "" if filename is None else f'; filename="{filename}"'
    head = f'--edge\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'
    return head.encode() + content + b"\r\n"


async def pieces(body: bytes | Iterable[bytes], size: int = 50) -> AsyncIterator[bytes]:
    if isinstance(body, bytes):
        body = [body[at : at + size] for at in range(0, len(body), size)]
    for piece in body:
        yield piece


def receive(
    folder: Path, body: bytes | Iterable[bytes], limits: UploadLimits = LIMITS, **more: object
) -> tuple[Received, dict[str, bytes]]:
    async def within() -> tuple[Received, dict[str, bytes]]:
        async with received(pieces(body), str(more.get("kind", KIND)), folder, limits) as found:
            return found, {path.name: path.read_bytes() for path in found.folder.iterdir()}

    found, stored = asyncio.run(within())
    assert list(folder.iterdir()) == []
    return found, stored


def test_files_arrive_whole_however_they_are_cut(tmp_path: Path) -> None:
    content = bytes(range(256)) * 3 + b"\r\n--edg"
    body = part(b"papers", "name") + part(content, "files", "a.txt") + part(b"b", "files", "b.txt") + b"--edge--\r\n"
    for size in (1, 7, len(body)):
        cut = [body[at : at + size] for at in range(0, len(body), size)]
        found, stored = receive(tmp_path / str(size), cut)
        assert stored == {"a.txt": content, "b.txt": b"b"}
        assert found.files == {"a.txt": len(content), "b.txt": 1}
        assert found.passed_over == []


@each_row(
    ("name", "reason"),
    [
        ("../../etc/passwd", "its name contains a path; send the file by its name alone"),
        (".bashrc", "a hidden file; rename it without the leading dot"),
        ("\x01\x02", "it has no name; name it"),
        ("large.txt", "larger than 0.001 MB, the limit of this server for one file"),
        ("empty.txt", "the file is empty"),
    ],
)
def test_a_bad_file_is_passed_over_and_named_and_the_others_are_kept(tmp_path: Path, name: str, reason: str) -> None:
    content = {"large.txt": b"x" * 1_001, "empty.txt": b""}.get(name, b"text")
    body = part(content, "files", name) + part(b"kept", "files", "good.txt") + b"--edge--\r\n"
    found, stored = receive(tmp_path, body)
    assert stored == {"good.txt": b"kept"}
    [passed_over] = found.passed_over
    assert passed_over.reason == reason
    assert passed_over.name


def test_names_that_clash_and_a_form_without_a_chosen_file(tmp_path: Path) -> None:
    body = part(b"1", "files", "a.xml.gz") + part(b"2", "files", "A.XML.gz") + b"--edge--\r\n"
    _, stored = receive(tmp_path, body)
    assert stored == {"a.xml.gz": b"1", "A (2).XML.gz": b"2"}
    found, stored = receive(tmp_path, part(b"", "files", "") + b"--edge--\r\n")
    assert (found.passed_over, stored) == ([], {})


def test_a_large_upload_is_never_in_memory_and_one_without_room_is_refused_before_a_byte_is_read(
    tmp_path: Path,
) -> None:
    blocks = [part(b"", "files", "big.txt")[:-2], *[b"x" * 65_536] * 200, b"\r\n--edge--\r\n"]
    tracemalloc.start()
    found = receive(tmp_path, blocks, UploadLimits(file=1_000_000))[0]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [one.name for one in found.passed_over] == ["big.txt"]
    assert peak < 5_000_000

    async def never() -> AsyncIterator[bytes]:
        raise AssertionError
        yield b""

    async def within() -> None:
        async with received(never(), KIND, tmp_path, LIMITS, length=10**18):
            raise AssertionError

    refused(StorageFailed, "not enough disk space", lambda: asyncio.run(within()))


@each_row(
    ("body", "kind", "says"),
    [
        (b"hello", KIND, "cannot be read"),
        (part(b"text", "files", "a.txt"), KIND, "was interrupted"),
        (part(b"text", "files", "a.txt")[:-20], KIND, "was interrupted|cannot be read"),
        (b"".join(part(b"x", "files", f"{n}.txt") for n in range(6)) + b"--edge--\r\n", KIND, "number of files is 5"),
        (b"".join(part(b"x", f"f{n}") for n in range(21)) + b"--edge--\r\n", KIND, "number of fields is 20"),
        (part(b"x" * 2_049, "f") + b"--edge--\r\n", KIND, "maximum size of 2KB"),
        (b"--edge\r\nX: " + b"y" * 9_000, KIND, "cannot be read"),
        (b"x", "application/json", "multipart/form-data"),
        (b"x", "multipart/form-data; boundary=" + "b" * 300, "multipart/form-data"),
    ],
)
def test_a_broken_form_is_refused_in_one_line_and_leaves_nothing(
    tmp_path: Path, body: bytes, kind: str, says: str
) -> None:
    refused(UsageError, says, lambda: receive(tmp_path, body, kind=kind))
    assert list(tmp_path.iterdir()) == []


@given(st.text(max_size=300), st.lists(st.text(max_size=5), max_size=3))
def test_a_stored_name_is_one_safe_part_of_a_path(sent: str, taken: list[str]) -> None:
    try:
        name = safe_name(sent, taken)
    except ValueError:
        return
    assert "/" not in name
    assert "\\" not in name
    assert not name.startswith(".")
    assert 0 < len(name.encode()) <= LONGEST + 10
    assert name.isprintable()
    assert name.casefold() not in {one.casefold() for one in taken}
