"""Settings: the order of the layers, refusals, and the hash."""

from __future__ import annotations

from pathlib import Path

import pytest
from rows import each_row

from medground.errors import ConfigError
from medground.home.layers import parse_options, preset_names
from medground.home.registry import recipe_names
from medground.home.settings import Settings
from medground.recipes.settings import SelfMedRagSettings


def test_a_later_layer_wins_and_the_file_in_the_working_folder_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "medground.toml"
    file.write_text('[recipe]\nrounds = 5\nbatch = 4\n[verify]\nunsupported = "flag"\n', encoding="utf-8")
    settings = Settings.load(
        preset="strict",
        file=file,
        environ={"MEDGROUND_RECIPE__ROUNDS": "6", "MEDGROUND_HOME": str(tmp_path), "OTHER": "x"},
        options=parse_options(["recipe.rounds=7", "retrieval.corpora=a,b", "budget.money=0.5"]),
    )
    assert (settings.recipe.rounds, settings.recipe.batch, settings.verify.unsupported) == (7, 4, "flag")
    assert (settings.retrieval.corpora, settings.home) == (("a", "b"), tmp_path)
    assert str(settings.budget.money) == "0.5"
    (tmp_path / "medground.toml").write_text("[recipe]\nbatch = 9\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert Settings.load(environ={}).recipe.batch == 9


@each_row(
    ("options", "environ", "message"),
    [
        (["recipe.runds=2"], {}, r"recipe\.runds \(from the options\): is not a setting"),
        (["recipe.rounds"], {}, "is not KEY=VALUE"),
        (["model=x", "model.default=keyless"], {}, "given twice"),
        (["self_medrag.roonds=2"], {}, r"self_medrag\.roonds \(from the options\): is not a setting"),
        ([], {"MEDGROUND_SELF_MEDRAG__ROUNDS": "0"}, r"self_medrag\.rounds \(from the environment\)"),
        (["self_medrag=3"], {}, r"self_medrag \(from the options\): is a group of settings, not a value"),
        (["ground.rounds=2"], {}, r"ground \(from the options\): is not a setting"),
        (["self_medrag.retractions=false"], {}, r"is a setting of all recipes now: recipe\.retractions"),
        (["brave.results=9"], {}, r"brave\.results \(from the options\): is no longer a setting; remove it"),
        (["pdb.address=x"], {}, r"pdb\.address \(from the options\): is no longer a setting; remove it"),
    ],
)
def test_a_wrong_setting_is_refused_with_its_layer(options: list[str], environ: dict[str, str], message: str) -> None:
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


def test_every_preset_loads_and_those_of_papers_end_at_the_papers_answer() -> None:
    loaded = {name: Settings.load(preset=name, environ={}) for name in preset_names()}
    assert {settings.recipe.name for settings in loaded.values()} <= set(recipe_names())
    gated = {name for name, settings in loaded.items() if settings.verify.gate}
    assert gated == {"biomedsearch", "offline", "strict"}  # ours: `medground research` holds back what is not supported


def test_a_recipes_own_section_takes_part_only_where_the_recipe_reads_it() -> None:
    options = {"self_medrag.rounds": 5, "recipe.name": "self-medrag"}
    chosen = Settings.load(environ={"MEDGROUND_SELF_MEDRAG__PASSAGES": "7"}, options=options)
    section = chosen.section(SelfMedRagSettings)
    assert (section.rounds, section.passages, section.retrieval) == (5, 7, "auto")
    assert chosen.with_section(section.model_copy(update={"rounds": 4})).section(SelfMedRagSettings).rounds == 4
    assert chosen.with_options({"self_medrag.passages": 9}).section(SelfMedRagSettings).rounds == 5
    assert chosen.with_options({"self_medrag.passages": 9}).hash != chosen.hash
    other = chosen.with_options({"recipe.name": "ground"})
    assert other.hash == other.with_options({"self_medrag.passages": 9}).hash


def test_the_hash_covers_what_changes_an_answer_but_no_secret(tmp_path: Path) -> None:
    base = Settings.load(environ={})
    key = {"MEDGROUND_KEYS__OPENAI": "sk-very-secret-123", "MEDGROUND_HOME": str(tmp_path)}
    same = Settings.load(environ=key)
    assert same.hash == base.hash
    assert "very-secret" not in same.model_dump_json() + repr(same)
    assert Settings.load(environ={}, options={"recipe.batch": 6}).hash != base.hash


def test_kept_settings_of_a_recipe_are_read_where_all_recipes_share_them_now() -> None:
    now = Settings.load(environ={})
    then = now.with_groups({"recipe": {"name": "rag"}, "pubmed_reasoner": {"retractions": False, "signals": 7}})
    assert (then.recipe.name, then.recipe.retractions, then.recipe.own_knowledge) == ("rag", False, False)
    assert then.as_read_by("rag")["pubmed_reasoner"]["signals"] == 7
    assert "retractions" not in now.as_read_by("ground")["recipe"]
    pdb = {"address": "https://www.ebi.ac.uk/pdbe"}
    groups = {"retrieval": {"sources": ["brave"]}, "brave": {"results": 100, "per_second": 2.0}, "pdb": pdb}
    kept = now.with_groups(groups)  # it had the value that is the only one now, and counts in the hash as it did
    assert kept.hash == "17438dcc97ce5d72"
    with pytest.raises(ConfigError, match="no longer a setting"):
        now.with_groups(groups | {"brave": {"results": 50}})


def test_changing_one_key_keeps_the_others(tmp_path: Path) -> None:
    settings = Settings.load(environ={}, options={"keys.openai": "one", "keys.ncbi": "two", "home": tmp_path})
    changed = settings.with_options({"keys.openai": "three", "recipe.rounds": 2})
    assert changed.keys.openai is not None
    assert changed.keys.openai.get_secret_value() == "three"
    assert (changed.keys.ncbi, changed.home) == (settings.keys.ncbi, tmp_path)
    assert settings.with_options({"recipe.rounds": 2}).keys == settings.keys
