"""Experiments: every file is complete, matches the paper, runs, and is printed next to our figures."""

import asyncio
import itertools
import json
import re
import shutil
import tomllib
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from importlib import resources
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import knowledge_base
import pytest
from chat_peer import ChatPeer, Sent, chat
from command_line import run
from echo_peer import filled
from refusals import refused
from rows import each_row
from runs import write_lines
from small_corpora import WordEmbedder

from medground.answering.verify.critic import Score
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.errors import UsageError
from medground.home.layers import preset_layer, preset_names
from medground.home.registry import recipe_names
from medground.home.settings import Settings
from medground.models import registry as models_open
from medground.models.planner import CARD, AdapterCard, PlannerModel
from medground.recipes.pubmed_reasoner.answering import recall
from medground.sources.http.retries import Patience
from medground.values.document import Document
from medground_evaluate.compare import read_result
from medground_evaluate.datasets.registry import Source, open_dataset
from medground_evaluate.experiments import figures
from medground_evaluate.experiments.figures import DEVIATION, UNCERTAINTY, is_planned
from medground_evaluate.experiments.form import PAPERS, Experiment, find_experiments, part_of, read_experiment
from medground_evaluate.experiments.judging import is_marked
from medground_evaluate.experiments.run import UNVERIFIED, Made, Options, make
from medground_evaluate.experiments.table import as_markdown, notes, save, table
from medground_evaluate.metrics.measures import measure
from medground_evaluate.pools import build_pool
from medground_evaluate.run_file import flattened

FILES = PAPERS
KEPT = Path(__file__).resolve().parents[2] / "experiments" / "results"
ALL = find_experiments(FILES)
RUNNABLE = [pytest.param(path, id=experiment.name) for path, experiment in ALL if experiment.runnable]
_TEXTS = tomllib.loads((resources.files("medground") / "data" / "prompts.toml").read_text(encoding="utf-8"))
_PROMPTS = {name: text.replace("{form}", _TEXTS["form"]) for name, text in _TEXTS.items()}
SPREAD = {"000/appendix-j", "000/figure-3", "000/table-6", "001/table-3", "001/table-4", "003/figure-3"}
"""Their figures are in running text or in columns, not in one line of a table."""

MEDCPT, CONTRIEVER = "ncbi/MedCPT-Article-Encoder", "facebook/contriever-msmarco"
VECTORS = {"pubmedqa-medcpt": MEDCPT, "medqa-medcpt": MEDCPT, "tiny-contriever": CONTRIEVER}
NAMED = {"paper": "004", "title": "t", "table": "Table 1", "shows": "s", "of": "o"}
PUBMEDQA = {
    "11": ("Does aspirin reduce the risk of stroke in adults?", "Aspirin reduced the risk of stroke.", "yes"),
    "12": ("Do statins raise the risk of diabetes in adults?", "Statins did not raise the risk of diabetes.", "no"),
    "13": ("Is exercise useful after knee surgery?", "Exercise after knee surgery shortened recovery.", "yes"),
    "14": ("Does vitamin D prevent asthma in children?", "Vitamin D was not clearly tied to asthma.", "maybe"),
    "15": ("Does zinc shorten colds in adults?", "Zinc shortened colds in adults.", "yes"),
}
TESTED = ("11", "12", "13", "14")
OPTIONS = {"A": "aspirin", "B": "statins", "C": "exercise", "D": "vitamin D"}
MIRAGE = {
    "medqa": {"0000": {"question": "Which drug lowers the risk of stroke?", "options": OPTIONS, "answer": "A"}},
    "mmlu": {
        "clinical_knowledge-000": {"question": "What lowers cholesterol?", "options": OPTIONS, "answer": "B"},
        "anatomy-000": {"question": "Which bone is in the arm?", "options": OPTIONS, "answer": "C"},
    },
    "bioasq": {"b1": {"question": "Is aspirin a drug?", "options": {"A": "yes", "B": "no"}, "answer": "A"}},
}

ASKED = {"question": "How is asthma treated?", "gold": "With rest.", "long": True}
SHORT = {"question": "Which drug helps?\nA. yes\nB. no", "gold": "A", "long": False, "split": "test"}
CLINICAL = [SHORT | {"id": f"{name}-1", "name": name} for name in ("seer",)]
LONG = [ASKED | {"id": f"{name}-000001", "name": name} for name in ("liveqa", "medicationqa", "expertqa")]
GOLDEN = {"id": "b9", "type": "yesno", "body": "Is aspirin a drug?", "exact_answer": "yes", "ideal_answer": ["Yes."]}


@pytest.fixture(scope="module")
def made_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a corpus, and data sets in their owners' formats."""
    folder = tmp_path_factory.mktemp("experiments")
    records = {
        pmid: {
            "QUESTION": q,
            "CONTEXTS": [text],
            "LABELS": ["RESULTS"],
            "MESHES": ["Adult"],
            "YEAR": "2001",
            "final_decision": gold,
        }
        for pmid, (q, text, gold) in PUBMEDQA.items()
    }
    sets = {
        "pubmedqa/ori_pqal.json": records,
        "pubmedqa/test_ground_truth.json": {pmid: PUBMEDQA[pmid][2] for pmid in TESTED},
        "mirage/benchmark.json": MIRAGE,
        "bioasq/task9b.json": {"questions": [GOLDEN]},
        "omni_long/test_long.json": LONG,
        "omni_short/test_short.json": CLINICAL,
    }
    for name, content in sets.items():
        path = folder / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content), encoding="utf-8")
    choices = folder / "data" / "biomedmcqs"
    choices.mkdir()
    asked = "Q1: What does aspirin do?\nOptions:\nA: It lowers the risk of stroke\nB: It sings\nC: It helps hearts\n"
    for level in (1, 2, 3):
        (choices / f"questions_level{level}_x.txt").write_text(asked, encoding="utf-8")
        (choices / f"answers_level{level}_x.txt").write_text("Q1 Answer: A, C\n", encoding="utf-8")
    papers = [{"id": f"PMID:{p}", "title": q, "text": text, "year": 2001} for p, (q, text, _) in PUBMEDQA.items()]
    inputs = find_inputs([write_lines(folder / "papers.jsonl", papers)])
    build(Library(folder / "home"), "tiny", inputs)
    for name, embedder in VECTORS.items():
        build(Library(folder / "home"), name, inputs, embedder=WordEmbedder(embedder))
    knowledge_base.made(
        knowledge_base.written(knowledge_base.filled(folder / "kb"), *knowledge_base.ALL), folder / "home"
    )
    return folder


def options(folder: Path, **more: object) -> Options:
    chosen = {"data": folder / "data", "out": folder / "runs", "smoke": True, "corpora": ("tiny",), **more}
    return Options(**chosen)  # type: ignore[arg-type]


@pytest.fixture
def ready(made_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEDGROUND_HOME", str(made_home / "home"))
    return made_home


def cells(made: Made) -> dict[str, list[str]]:
    return {row[0]: row[2:] for row in table(made)[1:]}


def test_every_requested_table_has_a_file_and_what_it_names_exists() -> None:
    wanted = (
        [f"000/table-{n}" for n in range(1, 10)]
        + ["000/figure-3", "000/appendix-j"]
        + [f"001/table-{n}" for n in (2, 3, 4)]
    )
    wanted += [f"002/table-{n}" for n in range(4, 15)] + [f"002/figure-{n}" for n in range(3, 8)]
    wanted += ["003/table-1", "003/figure-3", "004/table-i", "004/table-ii"]
    assert {experiment.name for _, experiment in ALL} == set(wanted)
    assert all(path.relative_to(FILES).with_suffix("").as_posix() == e.name for path, e in ALL)

    for _, experiment in ALL:
        if experiment.runnable:
            assert {row.recipe for row in experiment.rows} <= set(recipe_names())
            assert {row.preset for row in experiment.rows} <= {None, *preset_names()}
            assert all(is_known(metric) for _, _, metric in experiment.cells()), experiment.name
            assert all(open_dataset(data.name) for data in experiment.data.values())
        else:
            assert experiment.status.startswith("is printed by `medground train planner ")
            assert len(experiment.status) < 200

    # A row's recipe wins over its preset's: "no retrieval" would retrieve.
    rows = [row for _, experiment in ALL for row in experiment.rows if (row.preset or "").startswith("omni-rag")]
    assert rows and all(Settings.load(preset=row.preset).recipe.name == row.recipe for row in rows)
    papers = {name for name in preset_names() if name not in ("biomedsearch", "offline", "strict")}
    assert not any(Settings.load(preset=name).verify.gate for name in papers)  # they end at the paper's answer


def is_known(metric: str) -> bool:
    """Whether a run or a judge can provide the metric."""
    named = {
        "change",
        "retrieval",
        "inference",
        "precision",
        "recall",
        "f1",
        UNCERTAINTY,
        DEVIATION,
        *figures._SIMPLE,
        *figures._COSTS,
        *figures._RATIOS,
        *figures.JUDGED,
    }
    numbered = re.fullmatch(r"(question|(accuracy|macro-f1)-round|within)-\d+", metric) is not None
    return metric in named or numbered or is_planned(metric) or is_marked(metric)


@each_row("path", [pytest.param(path, id=e.name) for path, e in ALL])
def test_published_figures_are_those_of_the_paper(path: Path, shared: Path) -> None:
    experiment = read_experiment(path)
    texts = sorted((shared.parent / "seeds").glob(f"{experiment.paper}_*.txt"))
    if not texts:
        pytest.skip("needs the papers in ../shared/seeds")
    lines = [
        [float(n.replace(",", "")) for n in re.findall(r"-?\d+(?:\.\d+)?", re.sub(r"\[\d+\]", "", line))]
        for line in texts[0].read_text(encoding="utf-8").splitlines()
    ]
    everything = {number for line in lines for number in line}
    for published in experiment.published:
        values = [v for v in map(published.value, range(len(experiment.columns))) if v is not None]
        assert values, published.name
        if experiment.name in SPREAD:
            assert set(values) <= everything
        else:
            assert any(in_order(values, line) for line in lines), f"{published.name} {published.model}: {values}"


def in_order(values: Sequence[float], line: Sequence[float]) -> bool:
    """Whether the figures are consecutive in the line."""
    places = range(len(line) - len(values) + 1)
    return any(list(line[place : place + len(values)]) == list(values) for place in places)


class Logged(ChatPeer):
    """A server of models that fills the form of each reply, and logs which model was asked which operator."""

    def __init__(self) -> None:
        super().__init__(self._reply)
        self.log: list[tuple[str, str]] = []

    def _reply(self, asked: dict[str, Any]) -> Sent:
        said = asked["messages"][0]["content"]
        name = next(name for name, words in _PROMPTS.items() if said.startswith(words))
        self.log.append((name.removesuffix("_tagged"), f"openai:{asked['model']}"))
        if "response_format" not in asked:
            return chat("<book>zinc</book> <research>zinc ; heart</research>")
        schema = asked["response_format"]["json_schema"]["schema"]
        return chat(json.dumps(filled(schema, schema.get("$defs", {}), "zinc helped")))


PLANNING = ("plan_sources", "name_terms", "write_passage", "improve_plan", "rate_plan")
PLANNED = {"no retrieval": set(), "original question": {"name_terms"}, "query2doc": {"name_terms", "write_passage"},
           "prompting": {"plan_sources"}, "frozen": {"plan_sources"}, "without training": {"plan_sources"},
           "reflexion": {"improve_plan", "rate_plan"}, "serts": {"improve_plan", "rate_plan"}}  # fmt: skip
MARKS = re.compile(r" \((changed|incomplete|changed, incomplete)\)$")
MISSING = "adapters/spo-sft"
ADAPTERS = {row.settings.get("omni_rag.adapter", MISSING) for _, one in ALL for row in one.rows} - {MISSING}
CORPUS = {"000": "tiny", "001": "tiny", "003": "tiny-contriever"}


@pytest.mark.slow
@pytest.mark.parametrize("path", RUNNABLE)
def test_no_row_is_filled_by_something_else_than_it_names(
    path: Path, ready: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory_source: Any, loopback: None
) -> None:
    """Every table on a server that logs: who answered which operator, and from which settings and sources."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    for name in ADAPTERS:
        (folder := tmp_path / name).mkdir(parents=True)
        card = AdapterCard(base="b", base_fingerprint="", stages=("sft",), sources=("book",), trained_on=name)
        (folder / CARD).write_text(card.model_dump_json(), encoding="utf-8")
        (folder / "adapter_model.safetensors").write_bytes(b"0")
    monkeypatch.setattr(PlannerModel, "_write", lambda *asked: ("<book>heart</book> <research>zinc</research>", 9, 9))
    documents = [Document(id="PMID:7", title="Zinc", text="Zinc helped in 10 trials of aspirin and stroke.")]
    stub = SimpleNamespace(open=lambda settings: memory_source(documents, name="stub"))
    monkeypatch.setattr("medground.engine.open_engine.find_source", lambda name: stub)
    for place in ("models.embedders", "recipes.reason_and_verify.demonstrations"):
        monkeypatch.setattr(f"medground.{place}.open_embedder", lambda name, home: WordEmbedder(name))
    half = SimpleNamespace(name="half", score=lambda question, passages: [0.5 for _ in passages])
    monkeypatch.setattr("medground.answering.rank.rerank._opened", lambda name: None if name == "none" else half)
    nli = SimpleNamespace(name="n", problem=lambda _: None, score=lambda pairs, *_: [Score(0.1, 0.1)] * len(pairs))
    monkeypatch.setattr("medground.answering.verify.critics.open_nli", lambda name: nli)
    for pool in ("pubmedqa", "bioasq"):
        settings = Settings.load(options={"retrieval.corpora": ("tiny",), "recipe.name": "reason-and-verify"})
        asyncio.run(build_pool(pool, Source(ready / "data" / "pubmedqa", "pubmedqa"), settings))
    experiment = read_experiment(path)
    with Logged() as peer:
        sets = {"model.base_url": peer.url, "model.cache": False, "model.retries": 0}
        sets |= {f"model.operators.{name}": "openai:planner" for name in PLANNING if experiment.paper == "002"}
        corpora = tuple(f"{name}={CORPUS[experiment.paper]}" for name in experiment.data if experiment.paper in CORPUS)
        chosen = options(ready, out=tmp_path, smoke=False, model="openai:reader", limit=1, sets=sets, corpora=corpora)
        begun: dict[str, int] = {}

        def shown(name: str) -> Any:
            begun[name] = len(peer.log)
            return nullcontext(lambda tally: None)

        made = asyncio.run(make(experiment, chosen, shown))
    ends = dict(zip(begun, [*list(begun.values())[1:], len(peer.log)], strict=True))
    for (row_name, data), ran in made.runs.items():
        row = next(one for one in made.experiment.rows if one.name == row_name)
        asked = set(peer.log[begun[f"{data}, {row_name}"] : ends[f"{data}, {row_name}"]])
        traced = {(o, m) for one in ran.traced.values() for o, m in one.models.items() if m.startswith("openai:")}
        assert asked == traced, (row_name, asked ^ traced)  # what the table says is what was asked
        own = {**flattened(preset_layer(row.preset) if row.preset else {}), "recipe.name": row.recipe}
        own |= experiment.data[data].settings | row.settings
        used = {**flattened(ran.header.settings), "recipe.name": ran.header.recipe}
        for key, value in own.items():
            if key not in ("retrieval.corpora", "retrieval.knowledge_base", *row.stand_in) and key in used:
                assert used[key] == value or list(used[key]) == list(value), (row_name, key)
        if row.settings.items() >= UNVERIFIED.items():  # no column reads what these would say
            assert {"check", "label", "assess"}.isdisjoint(operator for operator, _ in asked), row_name
        planned = {operator for operator, model in asked if model == "openai:planner"}
        adapter = row.settings.get("omni_rag.adapter")
        assert planned <= (set() if adapter or "keyless" in row_name else PLANNED.get(row_name, set())), row_name
        if not any(published.axis for published in experiment.published):  # their rows are the judge's
            by = next(cells[1] for cells in table(made) if MARKS.sub("", cells[0]) == f"ours: {row_name}")
            assert (f"plan_sources: planner:{adapter}" in by) == (adapter is not None)
            assert (f"preset {row.preset}" in by) == bool(row.preset)
    for row in experiment.rows:
        ran = any(row_name == row.name for row_name, _ in made.runs)
        assert ran is (row.settings.get("omni_rag.adapter") != MISSING), row.name
    assert as_markdown(table(made)).count("\n") == len(table(made))
    assert all("\n" not in note for note in notes(made))


def test_list_and_run_as_commands_and_an_experiment_that_waits_is_refused_in_one_line(
    ready: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["--smoke", "-q", "-c", "tiny", "--data", str(ready / "data"), "--out", str(ready / "runs")]
    assert run("experiment", "run", "001/table-4", *words) == 0
    assert "| LLM Verifier" in capsys.readouterr().out
    assert run("experiment", "run", "001/table-4", *words, "--model", "openai:gpt-5") == 2
    path = tmp_path / "004" / "table-9.toml"
    path.parent.mkdir()
    names = {**NAMED, "table": "Table 9", "status": "is printed by `medground x`"}
    path.write_text("".join(f'{name} = "{value}"\n' for name, value in names.items()), encoding="utf-8")
    assert run("experiment", "list", "--folder", str(tmp_path)) == 0
    assert "(is printed by `medground x`)" in capsys.readouterr().out
    assert run("experiment", "run", str(path), "--data", str(ready / "data"), "--smoke") == 2
    said = capsys.readouterr().err
    assert said.startswith("medground: 004/table-9 is printed by `medground x`; ") and said.count("\n") == 1


def test_paper_and_ours_are_printed_together_with_the_blind_baseline_first(ready: Path) -> None:
    made = asyncio.run(make(read_experiment(FILES / "000" / "table-1.toml"), options(ready)))
    rows = table(made)
    assert rows[1][0] == "best blind baseline" and rows[1][2].startswith("66.67 [")  # yes, no, yes
    assert [row[0] for row in rows[2:5]] == ["Without retrieval", "Without retrieval (leaderboard)", "ours: model only"]
    assert rows[2][1:] == ["paper, Gemini-2.5 Pro", "75.64", "60.52"]
    assert rows[4][1] == "keyless; searched nothing; no gate"
    assert cells(made)["ours: model only"][0].startswith("0 [0, 56.15]")  # no answers, so none is correct
    assert "pubmedqa, split test, the first 3 questions" in " ".join(notes(made))


def test_a_row_whose_searches_found_nothing_says_so(ready: Path, tmp_path: Path) -> None:
    nonsense = write_lines(tmp_path / "bare.jsonl", [{"id": "a1", "title": "Zzyx", "text": "Qwyrt blorfen."}])
    build(Library(ready / "home"), "bare", find_inputs([nonsense]))
    made = asyncio.run(make(read_experiment(FILES / "003" / "table-1.toml"), options(ready, corpora=("bare",))))
    assert "base, BM25 on pubmedqa: 3 of 3 questions found no document" in notes(made)
    assert "ours: base, BM25 (incomplete)" in cells(made)


def test_what_cannot_run_is_explained_and_does_not_stop_the_others(ready: Path, tmp_path: Path) -> None:
    made = asyncio.run(make(read_experiment(FILES / "003" / "table-1.toml"), options(ready)))
    for row in ("base, Contriever", "base, hybrid", "loop, NLI critic"):
        assert (
            "needs vectors of contriever-msmarco, but those of corpus tiny are of none" in made.missing[row, "pubmedqa"]
        )
        assert cells(made)[f"ours: {row}"] == ["–"] * 4
    assert ("base, BM25", "pubmedqa") in made.runs
    said = " ".join(notes(made))
    assert "not run, base, hybrid on pubmedqa" in said and "without a model, so verify.critic = check" in said

    experiment = read_experiment(FILES / "000" / "table-1.toml")
    (tmp_path / "pubmedqa").symlink_to(ready / "data" / "pubmedqa")
    made = asyncio.run(make(experiment, options(ready, data=tmp_path)))
    assert "MIRAGE" in made.missing["", "mmlu-ck"]
    with pytest.raises(UsageError, match="no row could be run: no file of pubmedqa"):
        asyncio.run(make(experiment, options(ready, data=tmp_path / "nowhere")))


def test_a_subset_has_its_own_name_and_its_own_question(ready: Path) -> None:
    whole = open_dataset("pubmedqa")
    place = whole.find(ready / "data" / "pubmedqa")
    part = part_of(whole, gold=("yes", "no"))
    items = list(part.read(place, "test"))
    assert [item.id for item in items] == list(part.ids(place, "test")) == ["11", "12", "13"]
    assert {item.question.task for item in items} == {"yes-no"}
    assert part.info.name == "pubmedqa (yes or no)"
    named = part_of(open_dataset("mirage-mmlu"), prefix="mmlu:clinical_knowledge-")
    assert list(named.ids(ready / "data" / "mirage" / "benchmark.json", "test")) == ["mmlu:clinical_knowledge-000"]


def test_a_run_is_made_once_and_resumed_and_results_keep_every_model_but_no_text(ready: Path, tmp_path: Path) -> None:
    experiment = read_experiment(FILES / "000" / "table-5.toml")
    chosen = options(ready, out=tmp_path)
    made = asyncio.run(make(experiment, chosen))
    files = sorted(tmp_path.glob("*.jsonl"))
    before = [file.read_bytes() for file in files]
    assert len(files) == 3
    files[0].write_bytes(before[0][:-20])
    asyncio.run(make(experiment, chosen))
    assert [file.read_bytes() == old for file, old in zip(files, before, strict=True)] == [False, True, True]
    asyncio.run(make(read_experiment(FILES / "000" / "table-4.toml"), chosen))
    assert len(list(tmp_path.glob("*.jsonl"))) == 6  # ours is in both tables; as published it is verified in one alone

    path = tmp_path / "000" / "table-5.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"experiment": "000/table-5", "models": {"other": {"runs": []}}}), encoding="utf-8")
    assert save(made, tmp_path) == [path]
    kept = json.loads(path.read_text(encoding="utf-8"))["models"]
    assert set(kept) == {"other", "keyless"}
    without = next(run for run in kept["keyless"]["runs"] if run["row"].endswith("without self-critic"))
    assert without["settings"]["pubmed_reasoner.critic"] is False
    assert set(without["figures"]) == {"accuracy", "grounded", "grounded-checked"}
    assert "aspirin" not in path.read_text(encoding="utf-8").lower()
    path.write_text("[]", encoding="utf-8")
    refused(UsageError, "does not contain experiment results", save, made, tmp_path)


@each_row(
    ("change", "said"),
    [
        ("values = [1.0]", "1 values for 2 columns"),
        ('row = "nobody"\nvalues = [1.0, 2.0]', "no row is called 'nobody'"),
        ("typo = 1", "Extra inputs are not permitted"),
        ("values = [", "is not a valid experiment"),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(tmp_path: Path, change: str, said: str) -> None:
    text = (FILES / "000" / "table-1.toml").read_text(encoding="utf-8")
    key = change.partition(" ")[0]
    begun = text.rindex("\n", 0, text.rindex(f"{key} =")) + 1 if f"{key} =" in text else len(text)
    shutil.copy(FILES / "000" / "shared.toml", tmp_path)
    (tmp_path / "x.toml").write_text(text[:begun] + change + "\n", encoding="utf-8")
    refused(UsageError, re.escape(said), read_experiment, tmp_path / "x.toml")
    refused(UsageError, "no experiment 000/table-77; give a file", lambda: read_experiment(Path("000/table-77")))
    refused(UsageError, "no experiments in", find_experiments, tmp_path / "empty")


def test_kept_runs_and_the_example_in_the_documentation_can_be_read(tmp_path: Path) -> None:
    text = (KEPT.parents[1] / "docs" / "reference" / "tables.md").read_text(encoding="utf-8")
    (tmp_path / "example.toml").write_text(text.partition("```toml\n")[2].partition("```")[0], encoding="utf-8")
    assert read_experiment(tmp_path / "example.toml").name == "000/table-5"
    kept = sorted((KEPT / "local").glob("*.jsonl"))
    assert len(kept) == 6
    for path in kept:
        run = read_result(path)
        assert len(run.lines) == run.header.items
        assert run.header.settings["verify"]["critic"] == "entail"  # keyless in all runs, so nothing was judged
        assert {(line.support, line.faithfulness) for line in run.lines.values()} == {(None, None)}

    for path in sorted(KEPT.rglob("*.json*")):
        assert not re.search(r"(?<![\w./])/\w+/\w+", path.read_text(encoding="utf-8")), path


def test_removed_traces_leave_no_figure_and_failures_stay_in_the_denominator(ready: Path, tmp_path: Path) -> None:
    made = asyncio.run(make(read_experiment(FILES / "000" / "figure-3.toml"), options(ready)))
    run = made.runs["pubmed-reasoner", "pubmedqa"]
    found = measure(run.header, run.lines, ready / "home")
    assert found.depths and found.depths.never + sum(found.depths.distribution.values()) == 3
    assert found.queries["corpus:tiny"].queries >= 1
    failed = run.lines[0].model_copy(update={"trace": "", "status": "failed", "answer": ()})
    one_failed = replace(run, lines=(failed, *run.lines[1:]))
    assert figures.figure("within-5", one_failed, None).of == 3  # type: ignore[union-attr]
    assert figures.figure("within-5", replace(run, traces=tmp_path), None) is None
    assert figures.figure("accuracy-round-1", replace(run, traces=tmp_path), None) is None
    ours = asyncio.run(make(read_experiment(FILES / "003" / "figure-3.toml"), options(ready))).runs["ours", "pubmedqa"]
    second = figures.figure("accuracy-round-2", ours, None)
    assert second and second.of == ours.items  # a round keeps its answer


def test_a_row_is_repeated_for_the_mean_and_standard_deviation_of_its_accuracy(
    ready: Path, tmp_path: Path, scripted_model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = itertools.cycle(["yes", "no", "yes", "yes"])
    guess = scripted_model(
        {"recall": lambda value: recall.output(sentences=(), answer=(next(answers),))}, name="scripted:guess"
    )
    real = models_open._open
    monkeypatch.setattr(models_open, "_open", lambda name, *rest: guess if name == guess.name else real(name, *rest))
    rows = [{"name": "baseline", "recipe": "model-only"}]
    data = {"p": {"set": "pubmedqa", "limit": 3}}
    experiment = Experiment.model_validate({**NAMED, "columns": ["p.accuracy", "p.sd"], "data": data, "rows": rows})
    made = asyncio.run(make(experiment, options(ready, smoke=False, model="scripted:guess", repeat=3, out=tmp_path)))
    assert len(made.every("baseline", "p")) == 3
    assert cells(made)["ours: baseline"] == ["66.67 [20.77, 93.85]", "33.33"]  # 100, 33.3 and 66.7 %
    assert any("means of 3 runs" in note for note in notes(made))
    keyless = asyncio.run(make(experiment, options(ready, smoke=False, repeat=3, out=tmp_path)))
    assert len(keyless.every("baseline", "p")) == 1
    assert any("standard deviations need" in note for note in notes(keyless))


NO_SERVICE = "http://127.0.0.1:9/"
ROWS: dict[str, dict[str, Any]] = {
    "reasoner": {"recipe": "pubmed-reasoner", "preset": "pubmed-reasoner-paper"},
    "trained": {"recipe": "omni-rag", "preset": "omni-rag-trained", "settings": {"omni_rag.adapter": "adapters/none"}},
    "hybrid": {"recipe": "self-medrag", "preset": "self-medrag-hybrid"},
    "with PubMed": {"recipe": "rag", "settings": {"retrieval.sources": ["pubmed"], "retrieval.pubmed": NO_SERVICE}},
}
RunSmall = Callable[..., str]


@pytest.fixture
def small(
    ready: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], loopback: None
) -> RunSmall:
    """Runs an experiment of some of `ROWS` as a command in a folder of its own, and gives what it prints."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("medground.sources.eutils.client.Patience", lambda: Patience(tries=2, first_wait=0.001))

    def run_small(*names: str, words: Sequence[str] = (), corpora: Sequence[str] = ("tiny",)) -> str:
        lines = [f'{name} = "{value}"' for name, value in NAMED.items()]
        lines += ['columns = ["p.accuracy"]', "[data.p]", 'set = "pubmedqa"']
        lines += [f"corpora = {json.dumps(corpora)}"] if corpora else []
        for name in names:
            lines += ["[[rows]]", f'name = "{name}"']
            lines += [f'{key} = "{value}"' for key, value in ROWS[name].items() if key != "settings"]
            lines += [f'settings."{key}" = {json.dumps(v)}' for key, v in ROWS[name].get("settings", {}).items()]
        (tmp_path / "small.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
        run("experiment", "run", "small.toml", "--smoke", "-q", "--data", str(ready / "data"), *words)
        said = capsys.readouterr()
        return said.out + said.err

    return run_small


@pytest.mark.slow
def test_environment_and_settings_file_cannot_change_a_row_under_its_name(
    small: RunSmall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "| ours: reasoner " in small("reasoner", words=["--out", "as-declared"])
    for key, value in {
        "MEDGROUND_RETRIEVAL__KEEP": "3",  # the preset's
        "MEDGROUND_RETRIEVAL__SOURCES": "pubmed",
        "MEDGROUND_RETRIEVAL__REPLAY": "recorded",
        "MEDGROUND_MODEL__OPERATORS": '{plan_sources = "keyless"}',
        "MEDGROUND_PUBMED_REASONER__CRITIC": "false",
    }.items():
        with monkeypatch.context() as changed:
            changed.setenv(key, value)
            said = small("reasoner", words=["--out", key])
        assert "in the environment would change this row: " in said, key
        assert "remove it there, or change the row openly with --set" in said
        assert not Path(key).exists()  # nothing was asked
    (tmp_path / "medground.toml").write_text("[retrieval]\nkeep = 3\n", encoding="utf-8")
    assert "would change this row: retrieval.keep = 3;" in small("reasoner", words=["--out", "file"])
    monkeypatch.setenv("MEDGROUND_RETRIEVAL__EMAIL", "me@example.org")  # how a service is reached changes no figure
    (tmp_path / "medground.toml").write_text("[model]\ntimeout = 5\n", encoding="utf-8")
    assert "| ours: reasoner " in small("reasoner", words=["--out", "reached"])


def test_what_set_changes_is_in_the_row_and_in_the_saved_results(small: RunSmall, ready: Path, tmp_path: Path) -> None:
    said = small("reasoner", words=["--set", "retrieval.depth=50", "--out", "runs"])
    assert "| ours: reasoner (changed) " in said
    assert "- reasoner, changed by --set: retrieval.depth = 50\n" in said
    said = small("reasoner", words=["--set", "retrieval.keep=3", "--out", "runs"])  # its preset's
    assert "--set would replace what this row names: retrieval.keep = 3; change it in a copy of the file" in said
    assert "no data is called q; it has p" in small("reasoner", words=["--corpus", "q=tiny"])
    experiment = read_experiment(tmp_path / "small.toml")
    made = asyncio.run(make(experiment, options(ready, sets={"retrieval.depth": 50})))
    (path,) = save(made, tmp_path / "saved")
    (kept,) = json.loads(path.read_text(encoding="utf-8"))["models"]["keyless"]["runs"]
    assert kept["changed"] == ["retrieval.depth = 50"]


@pytest.mark.slow
def test_a_row_is_what_its_name_says_or_no_row(small: RunSmall, ready: Path) -> None:
    assert "adapters/none holds no trained planner" in small("trained")
    for replaced in ("model.operators.plan_sources=keyless", "model.operators.plan_sources=openai:gpt-5"):
        assert "adapters/none holds no trained planner" in small("trained", words=["--set", replaced])  # it is its own
    said = small("trained", "reasoner", words=["--set", "omni_rag.planner=original", "--out", "replaced"])
    assert 'not run, trained on p: --set would replace what this row names: omni_rag.planner = "original";' in said

    said = small("with PubMed", "reasoner")
    assert "not run, with PubMed on p: pubmed:http://127.0.0.1:9 could not be searched for 3 of 3 questions: " in said
    said = small("with PubMed", words=["--set", "retrieval.corpora=", "--out", "alone"])
    assert "no row could be run: 3 of 3 questions failed: " in said

    assert "self_medrag.retrieval is hybrid, but no source has vectors; build a corpus with vectors" in small("hybrid")
    assert "no corpus is named for these questions; add --corpus NAME" in small("reasoner", corpora=())
    assert "| ours: reasoner " in small("reasoner", words=["--corpus", "tiny"], corpora=())
    assert not (ready / "home" / "corpora" / "starter").exists()
