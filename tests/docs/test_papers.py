"""What the documentation names of the papers is there, and each paper's block of commands runs from an empty home."""

import json
import re
from pathlib import Path
from typing import Any

import knowledge_base
import pytest
from chat_peer import Sent, chat, prompt_of
from command_line import run
from oracle_peer import OraclePeer
from small_corpora import WordEmbedder

from medground.home.layers import preset_names
from medground.home.registry import recipe_names

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
KNOWN = {*preset_names(), *recipe_names()}
PLACEHOLDERS = {"NAME"}
EXPERIMENTS = (ROOT / "docs" / "reference" / "tables.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (00\d), [^\n]*\n(.*?)(?=^## |\Z)", EXPERIMENTS, re.MULTILINE | re.DOTALL))
_LIKE_A_PRESET = re.compile(
    r"`((?:pubmed-reasoner|reason-and-verify|omni-rag|self-medrag|biomedsearch|vanilla|rationale|dynamic)[a-z0-9-]*)`"
)
_PRESETS = re.compile(r"presets? ((?:`[\w-]+`(?:, | and | or )?)+)")


def unknown_presets(text: str) -> set[str]:
    """Names in a text that read as presets or recipes, and are none."""
    named = set(re.findall(r"--preset ([\w-]+)", text)) | set(_LIKE_A_PRESET.findall(text))
    named |= {name for several in _PRESETS.findall(text) for name in re.findall(r"`([\w-]+)`", several)}
    return named - KNOWN - PLACEHOLDERS


def test_every_preset_and_recipe_that_is_named_exists() -> None:
    found = {page.name: names for page in PAGES if (names := unknown_presets(page.read_text(encoding="utf-8")))}
    assert found == {}
    wrong = "the preset `self-medrag-nli`, `--preset papers` and `omni-rag-best`"
    assert unknown_presets(wrong) == {"self-medrag-nli", "papers", "omni-rag-best"}


def test_every_table_that_is_named_exists() -> None:
    files = ROOT / "src" / "medground_evaluate" / "experiments" / "papers"
    named = {name for page in PAGES for name in re.findall(r"\b00\d/[a-z]+-[\dijvx]+\b", page.read_text("utf-8"))}
    assert "000/table-1" in named
    assert [name for name in sorted(named) if not (files / f"{name}.toml").is_file()] == []


def test_no_kept_figure_searched_the_starter() -> None:
    for path in (ROOT / "experiments" / "results").rglob("*.json"):
        for made in json.loads(path.read_text(encoding="utf-8"))["models"].values():
            assert [one["row"] for one in made["runs"] if "starter" in one["snapshots"]] == [], path


def lines_of(paper: str) -> list[str]:
    """The commands of a paper's block, without loops; what only a lab has is left to it (`UNDONE`)."""
    block = re.search(r"(?:^    .*\n)+", SECTIONS[paper], re.MULTILINE)
    assert block is not None
    return [line.split("  #")[0].strip() for line in block[0].splitlines() if line.strip().startswith("medground ")]


UNDONE = re.compile(r"BASELINE|TEXTBOOKS|medcpt|planner (?:sft|dpo|merge)")
"""PubMed's yearly files, the textbooks of MedQA, MedCPT and a graphics card."""


class Lab(OraclePeer):
    """The scripted model, which also writes different queries for each source that it is shown."""

    def _reply(self, asked: dict[str, Any]) -> Sent:
        form, shown = asked.get("response_format") or {}, prompt_of(asked)
        name = form.get("json_schema", {}).get("name")
        if name == "JudgeOutput":
            return chat('{"reason": "they do", "answer": "yes"}')
        if name != "ExploreOutput":
            return super()._reply(asked)
        number = int(re.findall(r"<queries_for_each>\n(\d+)", shown)[0])
        words = [{"term": f"zinc {n}", "text": f"zinc {n}"} for n in range(number)]
        names = re.findall(r"<name>([\w.]+)</name>", shown)
        return chat(json.dumps({"plan": [{"source": name, "queries": words} for name in names]}))


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.parametrize("paper", sorted(SECTIONS))
def test_a_papers_commands_run_on_the_scripted_server_from_an_empty_home(
    paper: str,
    shared: Path,
    loopback: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    import medground.models.wheels as wheels
    import medground.recipes.reason_and_verify.demonstrations as shots

    monkeypatch.setenv("MEDGROUND_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setattr(shots, "open_embedder", lambda name, home: WordEmbedder("minilm", 384, stems=True))
    monkeypatch.setattr(wheels, "fetch", lambda model, folder, **_: folder / model.name)
    monkeypatch.chdir(tmp_path)
    done = 0
    with Lab() as peer:
        peer.answer, peer.says = [], "zinc"
        monkeypatch.setenv("MEDGROUND_MODEL__BASE_URL", peer.url)
        for line in lines_of(paper):
            if UNDONE.search(line):
                continue
            status = run(*words_of(line, shared, tmp_path))
            told = capsys.readouterr()
            built = re.findall(r"no row could be run: (.*)", told.err)
            assert status == 0 or (built and live(built[0])), f"{line}\n{told.err[-800:]}"
            done += 1
    assert done


def live(reason: str) -> bool:
    """Whether a row waits for a service or a model of the network, and for nothing that a line should have made."""
    return (
        re.search(r"could not be searched|not configured|searched|needs the extra|needs vectors of", reason) is not None
    )


def words_of(line: str, data: Path, place: Path) -> list[str]:
    """A line as it is typed here: its models are the scripted one, few questions, no live service."""
    line = re.sub(r"\b(?:openai|google|deepseek):[\w.-]+", "openai:stub", line)
    line = line.replace("--judge openai:stub", "--judge openai:judge")
    if "kb.toml" in line:
        line = line.replace(
            "kb.toml", str(knowledge_base.written(knowledge_base.filled(place / "kb"), *knowledge_base.ALL))
        )
    line = line.replace("$s", "pubmedqa")
    line = line.replace("train_short.json --dataset omni-pubmedqa", f"{data}/pubmedqa/pqa_l.jsonl.gz --limit 2")
    line = line.replace("judged-*.jsonl", "judged-pubmedqa.jsonl")
    line = re.sub(r" --corpus \S+= --corpus \S+= --set retrieval\.sources=pubmed| --embed \S+", "", line)
    line = line.replace("DATA", str(data)).replace("--model MODEL", "--model openai:stub")
    if " experiment run " in line:
        line += f" --limit 1 -q --out {place / 'runs'} --accept dataset_hash"
    line = line.replace("--repeat 5", "--repeat 1")
    if " planner explore " in line:
        line += " --set retrieval.reranker=none"  # MedCPT is not here
    if " demonstrations build " in line:
        line += " --limit 2 -q"
    if re.search(" (?:corpus|kb) build | planner (?:explore|judge) ", line):
        line += " -q"
    return [*filter(None, line.split()[1:])]
