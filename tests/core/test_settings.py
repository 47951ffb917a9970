"""Settings: the order of the layers, refusals, and the hash."""

from __future__ import annotations

from pathlib import Path

import pytest

from medground.errors import ConfigError
from medground.layers import parse_options, preset_names
from medground.recipes import recipe_names
from medground.settings import Settings


def test_a_later_layer_wins(tmp_path: Path) -> None:
    file = tmp_path / "medground.toml"
    file.write_text('[recipe]\nrounds = 5\nbatch = 4\n[verify]\nunsupported = "flag"\n', encoding="utf-8")
    settings = Settings.load(
        preset="strict",
        file=file,
        environ={"MEDGROUND_RECIPE__ROUNDS": "6", "MEDGROUND_HOME": str(tmp_path), "OTHER": "x"},
        options=parse_options(["recipe.rounds=7", "retrieval.corpora=a,b", "budget.money=0.5"]),
    )
    assert settings.recipe.rounds == 7
    assert settings.recipe.batch == 4
    assert settings.verify.unsupported == "flag"
    assert settings.retrieval.corpora == ("a", "b")
    assert settings.home == tmp_path
    assert str(settings.budget.money) == "0.5"


def test_the_file_in_the_working_folder_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "medground.toml").write_text("[recipe]\nbatch = 9\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert Settings.load(environ={}).recipe.batch == 9


@pytest.mark.parametrize(
    ("options", "environ", "message"),
    [
        (["recipe.runds=2"], {}, r"recipe\.runds \(from the options\): is not a setting"),
        ([], {"MEDGROUND_RECIPE__RUNDS": "2"}, r"recipe\.runds \(from the environment\): is not a setting"),
        (["recipe.rounds=many"], {}, r"recipe\.rounds \(from the options\)"),
        (["recipe.rounds"], {}, "is not KEY=VALUE"),
        (["model=x", "model.default=keyless"], {}, "given twice"),
    ],
)
def test_what_is_no_setting_is_refused(options: list[str], environ: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Settings.load(environ=environ, options=parse_options(options))


def test_unreadable_files_and_unknown_presets_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no settings file"):
        Settings.load(file=tmp_path / "none.toml", environ={})
    broken = tmp_path / "broken.toml"
    broken.write_text("[recipe\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="cannot read"):
        Settings.load(file=broken, environ={})
    with pytest.raises(ConfigError, match="offline, "):
        Settings.load(preset="best", environ={})


def test_every_preset_loads() -> None:
    assert {Settings.load(preset=name, environ={}).recipe.name for name in preset_names()} <= set(recipe_names())


def test_the_hash_names_what_changes_an_answer_and_no_secret(tmp_path: Path) -> None:
    base = Settings.load(environ={})
    key = {"MEDGROUND_KEYS__OPENAI": "sk-very-secret-123", "MEDGROUND_HOME": str(tmp_path)}
    same = Settings.load(environ=key)
    assert same.hash == base.hash
    assert "very-secret" not in same.model_dump_json() + repr(same)
    assert Settings.load(environ={}, options={"recipe.batch": 6}).hash != base.hash
