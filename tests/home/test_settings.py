"""The user's folder: settings in layers, and files that are whole, private and kept."""

import logging
import os
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest
from refusals import refused
from rows import each_row, tables

from medground.answering.trace import Trace
from medground.doctor import examine
from medground.engine.answers import Answers
from medground.engine.unfinished import Batch, UnfinishedResearch
from medground.errors import ConfigError
from medground.home.files import make_folder, remove_unfinished, replacing, write_whole
from medground.home.kept_files import keep_settings
from medground.home.layers import parse_options, preset_names
from medground.home.registry import recipe_names
from medground.home.secrets import passwords_in
from medground.home.settings import Settings
from medground.recipes.settings import SelfMedRagSettings
from medground.values.question import Question

TABLES = tables(__file__)


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


@each_row(("options", "environ", "message"), TABLES["a_wrong_setting_is_refused_with_its_layer"])
def test_a_wrong_setting_is_refused_with_its_layer(options: list[str], environ: dict[str, str], message: str) -> None:
    refused(ConfigError, message, lambda: Settings.load(environ=environ, options=parse_options(options)))


def test_unreadable_files_and_unknown_presets_are_refused(tmp_path: Path) -> None:
    refused(ConfigError, "no settings file", Settings.load, file=tmp_path / "none.toml", environ={})
    broken = tmp_path / "broken.toml"
    broken.write_text("[recipe\n", encoding="utf-8")
    refused(ConfigError, "cannot read", Settings.load, file=broken, environ={})
    for hostile in ("a = " + "[" * 100_000, "a" + ".a" * 100_000 + " = 1", "a = '" + "x" * 1_000_000 + "'"):
        broken.write_text(hostile, encoding="utf-8")
        refused(ConfigError, "cannot read", Settings.load, file=broken, environ={})
    refused(ConfigError, "offline, ", Settings.load, preset="best", environ={})


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


def test_changing_one_key_keeps_the_others(tmp_path: Path) -> None:
    settings = Settings.load(environ={}, options={"keys.openai": "one", "keys.ncbi": "two", "home": tmp_path})
    changed = settings.with_options({"keys.openai": "three", "recipe.rounds": 2})
    assert changed.keys.openai is not None
    assert changed.keys.openai.get_secret_value() == "three"
    assert (changed.keys.ncbi, changed.home) == (settings.keys.ncbi, tmp_path)
    assert settings.with_options({"recipe.rounds": 2}).keys == settings.keys


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The syncs and renames of the test, in order, by the name of what they are about."""
    noted: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def noted_fsync(handle: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(handle).st_mode)
        noted.append("sync folder" if is_folder else "sync file")
        fsync(handle)

    def noted_replace(self: Path, target: Path) -> Path:
        noted.append(f"rename to {target.name}")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(Path, "replace", noted_replace)
    return noted


def test_content_is_flushed_before_it_gets_its_name_and_the_name_after(tmp_path: Path, calls: list[str]) -> None:
    write_whole(tmp_path / "state", "new")
    assert calls == ["sync file", "rename to state", "sync folder"]
    calls.clear()
    make_folder(tmp_path / "one" / "two")
    make_folder(tmp_path / "one" / "two")
    assert calls == ["sync folder", "sync folder"], "names of new folders are flushed too"
    calls.clear()
    write_whole(tmp_path / "deep" / "reply", b"new", synced=False)
    assert calls == ["rename to reply"], "a cache is whole without being flushed"
    assert (tmp_path / "deep" / "reply").read_bytes() == b"new"


def test_a_failure_leaves_the_old_content_and_no_other_file(tmp_path: Path) -> None:
    write_whole(tmp_path / "state", "old")
    (tmp_path / "full" / "folder").mkdir(parents=True)
    with pytest.raises(RuntimeError), replacing(tmp_path / "state") as unfinished:
        unfinished.write_text("half")
        raise RuntimeError
    with pytest.raises(OSError):
        write_whole(tmp_path / "full", "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["full", "state"]
    assert (tmp_path / "state").read_text() == "old"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_a_private_file_is_private_from_its_first_byte_and_others_as_the_user_asked(tmp_path: Path) -> None:
    with replacing(tmp_path / "answers" / "one.json", private=True) as unfinished:
        assert mode(unfinished) == 0o600
    assert mode(tmp_path / "answers" / "one.json") == 0o600
    assert mode(tmp_path / "answers") == 0o700
    before = os.umask(0o022)
    try:
        write_whole(tmp_path / "report.md", "text")
    finally:
        os.umask(before)
    assert mode(tmp_path / "report.md") == 0o644


def test_what_a_killed_process_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    write_whole(tmp_path / "state", "old")
    (tmp_path / ".a.part").write_text("of the user")
    with pytest.raises(RuntimeError), replacing(tmp_path / "state") as unfinished:
        left = (tmp_path / unfinished.name, tmp_path / f"{unfinished.name}-journal")
        raise RuntimeError
    for path in left:
        path.write_text("half")
    remove_unfinished(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".a.part", "state"]


SECRET = "correct-horse"
ADDRESSES = {
    "model.base_url": f"http://user:{SECRET}@127.0.0.1:9/v1?key={SECRET}&region=eu",
    "retrieval.pubmed": f"http://user:{SECRET}@127.0.0.1:9",
    "trace.otlp_endpoint": f"https://u:{SECRET}@127.0.0.1:9/",
}


def test_passwords_in_addresses_are_shown_nowhere(home: Path) -> None:
    settings = Settings.load(options=ADDRESSES)
    assert SECRET not in str(settings.shown()) and "127.0.0.1:9/v1?region=eu" in str(settings.shown())
    assert SECRET not in str(settings.as_read_by("ground"))
    other = Settings.load(options={name: text.replace(SECRET, "another-horse") for name, text in ADDRESSES.items()})
    assert settings.hash == other.hash
    assert set(passwords_in(settings.model_dump(mode="json"))) == {SECRET, f"user:{SECRET}", f"u:{SECRET}"}
    again = settings.with_groups(settings.as_read_by("ground"))
    assert again.model.base_url == ADDRESSES["model.base_url"], "what is kept without a password is used with it"
    elsewhere = Settings.load(options={"model.base_url": "http://127.0.0.1:8/v1"})
    assert elsewhere.with_groups(settings.as_read_by("ground")).model.base_url == "http://127.0.0.1:9/v1?region=eu"


def test_a_trace_and_settings_are_readable_by_their_owner_alone_and_hold_no_password(home: Path) -> None:
    settings = Settings.load(options={name: text for name, text in ADDRESSES.items() if "otlp" not in name})
    path = home / "traces" / "t.jsonl"
    trace = Trace("t", path, settings)
    with trace.span("model call", said=f"the server repeats {SECRET}"):
        pass
    trace.close()
    keep_settings(settings)
    (kept,) = (file for file in home.rglob("*.json") if file.is_file())
    assert mode(path) == mode(kept) == 0o600
    assert mode(path.parent) == mode(kept.parent) == 0o700
    assert SECRET not in path.read_text() + kept.read_text()


def test_what_cannot_be_kept_is_logged_once_and_costs_nothing_else(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    home.mkdir()
    for name in ("traces", "research", "batches"):
        (home / name).write_text("a file where the folder belongs")
    trace = Trace("t", home / "traces" / "t.jsonl")
    for _ in range(3):
        with trace.span("search"):
            pass
    trace.close()
    question = Question(text="Does aspirin help?", task="yes-no")
    with UnfinishedResearch(home).begun("20261124-000000-00000000", question, Settings(), datetime.now(UTC)) as kept:
        assert kept is None
    with Batch(home, (question,), ("a",)).begun() as progress:
        assert progress.answered == {}
    (told,) = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert told.startswith(f"answers and their traces are not saved: cannot write to {home}")
    assert list(Answers(home).history()) == []


@pytest.mark.parametrize(("writable", "free"), [(False, 10**10), (True, 0)])
def test_a_home_that_can_only_be_read_is_not_broken(
    writable: bool, free: int, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.mkdir()
    monkeypatch.setattr("os.access", lambda *_: writable)
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": free}))
    (found,) = [check for check in examine() if check.what == "home folder"]
    assert found.state == "limited"
    assert "saved" in found.note
