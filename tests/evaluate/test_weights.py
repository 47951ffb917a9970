"""Learned files are those that the code makes: what `scripts/weights.py` notices, and what it lets pass."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from rows import each_row

SCRIPT = Path(__file__).parents[2] / "scripts" / "weights.py"
FILES = {
    "scripts/weights.toml": """
[first]
file = "src/medground/data/first.json"
script = "scripts/train_first.py"
options = ["{data}", "{work}"]
data = ["set/rows.txt"]

[second]
file = "src/medground/data/second.json"
script = "scripts/train_second.py"
options = ["{data}"]
data = []
""",
    "scripts/train_first.py": """
from medground.language import words
open("src/medground/data/first.json", "w").write(str(words.COUNT))
""",
    "scripts/train_second.py": """
from pathlib import Path
from medground.language.words import COUNT
text = (Path("src/medground/data") / "first.json").read_text()
Path("src/medground/data/second.json").write_text(text * COUNT)
print("second made")
""",
    "src/medground/__init__.py": "",
    "src/medground/language/__init__.py": "",
    "src/medground/language/words.py": '"""Words."""\nLIST = "stop_words"\nCOUNT = 2  # of them\n',
    "src/medground/language/stop_words.txt": "the of",
    "src/medground/language/other.py": "OTHER = 1\n",
    "src/medground/data/first.json": "",
    "src/medground/data/second.json": "",
}


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The script over a small project in which two files are learned, the second from the first."""
    for name, text in FILES.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    rows = tmp_path / "data" / "set" / "rows.txt"
    rows.parent.mkdir(parents=True)
    rows.write_text("a row", encoding="utf-8")
    return loaded(tmp_path, monkeypatch)


def loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("weights_under_test", SCRIPT)
    assert spec and spec.loader
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    root = tmp_path / "project"
    for name, path in (
        ("ROOT", root),
        ("DATA", tmp_path / "data"),
        ("RECIPES", root / "scripts" / "weights.toml"),
        ("RECORDS", root / "scripts" / "weights.json"),
    ):
        monkeypatch.setattr(found, name, path)
    monkeypatch.setattr("sys.argv", ["weights.py"])
    return found


def ran(weights: ModuleType, monkeypatch: pytest.MonkeyPatch, *options: str) -> int:
    for remembered in (weights.recipes, weights._imported, weights._read):
        remembered.cache_clear()
    monkeypatch.setattr("sys.argv", ["weights.py", *options])
    return int(weights.main())


def test_what_is_made_passes_until_something_that_made_it_changes(
    weights: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    work = ("--work", str(weights.ROOT / "work"))
    assert ran(weights, monkeypatch, "--check") == 1
    assert ran(weights, monkeypatch, "--make", *work) == 0
    assert (weights.ROOT / "src/medground/data/second.json").read_text() == "22"
    assert json.loads(weights.RECORDS.read_text())["second"]["printed"] == ["second made"]
    words = weights.ROOT / "src/medground/language/words.py"
    words.write_text('"""Other words."""\nLIST = "stop_words"\nCOUNT = (2)\n'.replace("(2)", "2"), encoding="utf-8")
    (weights.ROOT / "src/medground/language/other.py").write_text("OTHER = 2\n", encoding="utf-8")
    assert ran(weights, monkeypatch, "--check") == 0  # a docstring, a comment, a module that nothing reaches
    words.write_text(words.read_text().replace("2", "3"), encoding="utf-8")
    capsys.readouterr()
    assert ran(weights, monkeypatch, "--check") == 1
    assert "BAD first: stale" in (shown := capsys.readouterr().out) and "language/words.py changed" in shown
    assert ran(weights, monkeypatch, "--keep", "first", "second", "--reason", "it takes hours") == 0
    assert "kept, because it takes hours" in capsys.readouterr().out
    words.write_text(words.read_text().replace("3", "4"), encoding="utf-8")
    assert ran(weights, monkeypatch, "--check") == 1  # what was kept is not what is there now
    assert ran(weights, monkeypatch, "--make", *work) == 0
    assert (weights.ROOT / "src/medground/data/second.json").read_text() == "4444"


@each_row("name", ["src/medground/language/stop_words.txt", "src/medground/data/first.json", "../data/set/rows.txt"])
def test_a_list_the_data_or_a_file_that_was_changed_by_hand_is_noticed(
    weights: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    assert ran(weights, monkeypatch, "--make", "--work", str(weights.ROOT / "work")) == 0
    path = weights.ROOT / name
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert ran(weights, monkeypatch, "--check") == 1


def test_without_the_data_the_rest_is_checked(weights: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert ran(weights, monkeypatch, "--make", "--work", str(weights.ROOT / "work")) == 0
    monkeypatch.setattr(weights, "DATA", tmp_path / "nowhere")
    assert ran(weights, monkeypatch, "--check") == 0
    with pytest.raises(SystemExit):
        ran(weights, monkeypatch, "--make")
