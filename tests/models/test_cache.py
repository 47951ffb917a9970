"""The call cache: what it returns, what it rejects, and what it never stores."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from medground.models.operators.base import OperatorOutput
from medground.models.registry import CallCache


class Output(OperatorOutput):
    text: str
    scores: tuple[float, ...] = ()


class Stricter(OperatorOutput):
    text: str
    scores: tuple[float, ...]
    reason: str


ABOUT = {"model": "openai:stub", "operator": "write"}
KEY = hashlib.sha256(b"call").hexdigest()


def only_file(folder: Path) -> Path:
    (path,) = [p for p in folder.rglob("*") if p.is_file()]
    return path


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=15, deadline=None
)
@given(
    text=st.text(st.characters(exclude_categories=["Cs"])),
    scores=st.lists(st.floats(allow_nan=False, allow_infinity=False)),
    key=st.binary(),
)
def test_what_goes_in_comes_out(tmp_path: Path, text: str, scores: list[float], key: bytes) -> None:
    cache, output = CallCache(tmp_path), Output(text=text, scores=tuple(scores))
    name = hashlib.sha256(key).hexdigest()
    cache.put(name, output, ABOUT)
    assert cache.get(name, Output) == output
    assert CallCache(tmp_path).get(name, Output) == output


def test_every_damaged_byte_is_a_miss_and_is_rewritten(tmp_path: Path) -> None:
    cache, output = CallCache(tmp_path), Output(text="supported", scores=(0.25,))
    cache.put(KEY, output, ABOUT)
    path = only_file(tmp_path)
    good = path.read_bytes()
    assert path.relative_to(tmp_path) == Path(KEY[:2]) / f"{KEY[2:]}.json"
    stored = json.loads(good)
    assert stored.keys() == {"format", "sha256", "about", "output"}
    assert (stored["about"], stored["output"]) == (ABOUT, {"text": "supported", "scores": [0.25]})
    for place in range(0, len(good), 3):
        damaged = bytearray(good)
        damaged[place] ^= 0x01
        path.write_bytes(damaged)
        found = cache.get(KEY, Output)
        assert found is None or found == output  # never a different answer
    for length in range(0, len(good), 7):
        path.write_bytes(good[:length])
        assert cache.get(KEY, Output) is None
    cache.put(KEY, output, {})
    assert cache.get(KEY, Output) == output


OTHER = [b"", b"null", b"[]", b"{}", b'{"format": 1}', b"\xff\xfe", b"[" * 100_000, b'{"format": 9, "output": 1}']


def test_what_is_not_the_stored_output_of_this_call_is_a_miss(tmp_path: Path) -> None:
    cache, other = CallCache(tmp_path), hashlib.sha256(b"other call").hexdigest()
    assert CallCache(tmp_path / "none").get(KEY, Output) is None
    assert not (tmp_path / "none").exists()
    cache.put(KEY, Output(text="x"), {})
    assert cache.get(KEY, Stricter) is None
    file = only_file(tmp_path)
    (tmp_path / other[:2]).mkdir(exist_ok=True)
    shutil.copyfile(file, tmp_path / other[:2] / f"{other[2:]}.json")
    assert cache.get(other, Output) is None
    for content in OTHER:
        file.write_bytes(content)
        assert cache.get(KEY, Output) is None


def test_what_cannot_be_written_warns_once_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    cache = CallCache(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", full)
        for _ in range(3):
            cache.put(KEY, Output(text="x"), {})
    assert len(caplog.records) == 1
    assert "cannot store model replies" in caplog.text and "No space left on device" in caplog.text
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []
    cache.put(KEY, Output(text="x"), {})
    assert cache.get(KEY, Output) is not None
    (tmp_path / "file").write_text("in the way")
    CallCache(tmp_path / "file" / "calls").put(KEY, Output(text="x"), {})
    assert len(caplog.records) == 2
