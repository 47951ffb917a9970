"""Uploads: streamed to a folder, each file stored under a safe name or skipped and named with its reason."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.errors import StorageFailed, UsageError
from medground.faces.web.upload import LONGEST, Received, UploadLimits, received, safe_name

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

    with pytest.raises(StorageFailed, match="not enough disk space"):
        asyncio.run(within())


@each_row(
    ("body", "kind", "says"),
    [
        (b"hello", KIND, "cannot be read"),
        (part(b"text", "files", "a.txt"), KIND, "was interrupted"),
        (part(b"text", "files", "a.txt")[:-20], KIND, "was interrupted|cannot be read"),
        (b"".join(part(b"x", "files", f"{n}.txt") for n in range(6)) + b"--edge--\r\n", KIND, "more than 5 files"),
        (b"".join(part(b"x", f"f{n}") for n in range(21)) + b"--edge--\r\n", KIND, "more than 20 fields"),
        (part(b"x" * 2_001, "f") + b"--edge--\r\n", KIND, "longer than 2,000 bytes"),
        (b"--edge\r\nX: " + b"y" * 9_000, KIND, "cannot be read"),
        (b"x", "application/json", "multipart/form-data"),
        (b"x", "multipart/form-data; boundary=" + "b" * 300, "multipart/form-data"),
    ],
)
def test_a_broken_form_is_refused_in_one_line_and_leaves_nothing(
    tmp_path: Path, body: bytes, kind: str, says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        receive(tmp_path, body, kind=kind)
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
