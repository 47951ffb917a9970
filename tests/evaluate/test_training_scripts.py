"""The scripts that train the small models: errors that are planted, pairs that rules make, what may be trained on."""

import gzip
import importlib
import json
import random
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.models.operators.base import EvidenceView
from medground.models.operators.compare import compare

TABLES = tomllib.loads(Path(__file__).with_name("tables.toml").read_text(encoding="utf-8"))

pytest.importorskip("sklearn")

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture(autouse=True, scope="module")
def _scripts() -> Iterator[None]:
    sys.path.insert(0, str(SCRIPTS))
    yield
    sys.path.remove(str(SCRIPTS))


def module(name: str) -> ModuleType:
    return importlib.import_module(name)


def packed(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(content.encode()))
    return path


# Planted errors: the same seed plants the same, and the keyless critic catches them


@each_row(("kind", "sentence", "planted"), TABLES["planted"])
def test_each_kind_makes_a_plain_sentence(kind: str, sentence: str, planted: list[str]) -> None:
    assert {module("planted_errors").plant(kind, sentence, random.Random(seed)) for seed in range(8)} == {*planted}


def test_the_command_writes_one_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = (
        "Aspirin was associated with fewer strokes in 12 trials.",
        "Warfarin may increase bleeding in 40 old patients.",
    )
    records = [
        {"pmid": str(n), "split": split, "contexts": [text], "long_answer": f"It is clear. {text}"}
        for n, (split, text) in enumerate(zip(("train", "test"), texts, strict=True), start=1)
    ]
    folder = packed(tmp_path / "pubmedqa" / "pqa_l.jsonl.gz", "\n".join(map(json.dumps, records))).parent
    for split, document in (("train", "PMID:1"), ("held out", "PMID:2")):
        path = tmp_path / split
        monkeypatch.setattr(sys, "argv", ["planted_errors.py", str(path), str(folder), "--split", split])
        module("planted_errors").main()
        written = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        assert {line["document"] for line in written} == {document}
        assert {"unchanged", "number", "negation"} <= {line["kind"] for line in written}
        for line in written:
            assert line["original"] in line["premise"]
            assert (line["statement"] == line["original"]) == (line["kind"] == "unchanged")


def test_planted_errors_in_real_abstracts_are_caught(shared: Path) -> None:
    texts = list(module("planted_errors").abstracts(shared / "pubmedqa", "held out"))[:12]
    tally: dict[str, list[bool]] = {}
    for line in module("planted_errors").planted(texts):
        found = compare(line.statement, [EvidenceView(id="E1", quote=line.premise)])
        tally.setdefault(line.kind, []).append(not found.related or bool(found.flags))
    rates = {kind: sum(caught) / len(caught) for kind, caught in tally.items()}
    assert rates["unchanged"] == 0
    assert min(rates["negation"], rates["number"]) >= 0.9
    assert min(len(tally["negation"]), len(tally["number"])) >= 20


# Pairs that rules make of texts: each label must follow from the texts themselves

ANSWER = "Metformin lowers fasting glucose in adults with type 2 diabetes."
SNIPPET = "In adults with type 2 diabetes, metformin significantly lowers fasting glucose compared with placebo."


def question(i: str, kind: str = "summary", pmid: int = 1, snippet: str = SNIPPET, **other: Any) -> dict[str, Any]:
    snippets = [{"document": f"http://www.ncbi.nlm.nih.gov/pubmed/{pmid}", "text": snippet}]
    known = {"id": i, "type": kind, "body": "What does metformin do?", "ideal_answer": [ANSWER], "snippets": snippets}
    return known | other


def pairs_of(folder: Path, questions: Sequence[dict[str, Any]]) -> list[Any]:
    packed(folder / "task9b.json.gz", json.dumps({"questions": questions}))
    weights = module("pairing.pair").Weights([SNIPPET, "Zinc is a metal that cells need."])
    return list(module("pairing.experts").from_bioasq(folder, weights, random.Random(0)))


def test_an_ideal_answer_under_its_snippet_is_entailed_and_its_reversal_is_not(tmp_path: Path) -> None:
    for run in range(6):  # either side is reversed, at random
        other = question("b", pmid=2, snippet="Zinc is a metal that cells need.")
        found = [one for one in pairs_of(tmp_path / str(run), [question(str(run)), other]) if one.source == "bioasq"]
        labels = {(pair.premise == SNIPPET, "not" in pair.statement): pair.label for pair in found}
        assert labels.get((True, False), "entails") == "entails"
        assert labels.get((True, True), "contradicts") == "contradicts"


def test_questions_kept_for_measuring_and_their_documents_are_left_out(tmp_path: Path) -> None:
    held = next(name for name in map(str, range(99)) if module("pairing.experts").held_question(name))
    kept = question(held, "yesno", pmid=1, exact_answer="yes", body="Does metformin lower glucose?")
    other = question("x", pmid=1)  # cites the same document
    assert pairs_of(tmp_path, [kept, other]) == []


def test_pubmedqa_gives_its_training_questions_only(tmp_path: Path) -> None:
    rows = [
        {"split": split, "question": "Does metformin lower fasting glucose?", "final_decision": decision,
         "long_answer": "Metformin lowers fasting glucose.", "contexts": [SNIPPET]}
        for split, decision in (("test", "yes"), ("train_dev", "yes"), ("train_dev", "maybe"))
    ]  # fmt: skip
    path = packed(tmp_path / "pqa_l.jsonl.gz", "\n".join(map(json.dumps, rows)))
    weights = module("pairing.pair").Weights([SNIPPET])
    found = list(module("pairing.experts").from_pubmedqa(path, weights, random.Random(0)))
    kept = {(pair.premise.split()[0], pair.label) for pair in found if "not" not in pair.statement}
    assert kept == {("Metformin", "entails"), ("In", "compatible")}


# What may be trained on

_WORDS = ("aspirin", "lowers", "raises", "risk", "stroke", "mice", "adults", "trial", "dose", "effect")
WORDS = st.lists(st.sampled_from(_WORDS), min_size=10)


@given(WORDS, WORDS, WORDS)
def test_guard_refuses_ten_shared_words(held: list[str], before: list[str], after: list[str]) -> None:
    guard = module("pairing.guard").Guard([" ".join(held), "Aspirin does not prevent stroke."])
    assert not guard.allows("aspirin does not prevent stroke")
    assert guard.allows("Aspirin does prevent stroke.", "Aspirin does not prevent stroke in young adults.")
    assert not guard.allows("unrelated", " ".join([*before, *held[:10], *after]).upper())


def test_rows_to_measure_are_never_trained_on(shared: Path) -> None:
    people = module("pairing.people")
    names = {one.name for one in (*people.GENERAL, *people.MEDICAL)}
    assert not names & set(people.MEASURE_ONLY)
    for name, splits in people.HELD_OUT.items():
        held = [row for row in people.rows(shared, name) if people.held_out(name, row)]
        assert held and {row["split"] for row in held} == set(splits)
    for number in range(200):  # folds follow the trial through both of its sets
        same = {people.kept(s, {"group": f"{s.name}:{number}"}) for s in people.MEDICAL[:2]}
        assert len(same) == 1


# The network and its file, with torch


@pytest.fixture(scope="module")
def tiny() -> Mapping[str, Any]:
    """A base of six layers and size 24, with MiniLM's names."""
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    base = module("small.bases").BASES["all-minilm-l6-v2"]
    shapes = {"word_embeddings.weight": (50, 24), "position_embeddings.weight": (32, 24),
              "token_type_embeddings.weight": (2, 24), "LayerNorm.weight": (24,), "LayerNorm.bias": (24,)}  # fmt: skip
    weights = {f"embeddings.{name}": torch.randn(shape) * 0.5 for name, shape in shapes.items()}
    for number in range(base.layers):
        sizes = [(24, 24)] * 4 + [(48, 24), (24, 48)]
        for name, shape in zip(base.layer(number), sizes, strict=True):
            weights |= {f"{name}.weight": torch.randn(shape) * 0.2, f"{name}.bias": torch.zeros(shape[0])}
        for norm in base.norms:
            weights |= {f"encoder.layer.{number}.{norm}.weight": torch.ones(24),
                        f"encoder.layer.{number}.{norm}.bias": torch.zeros(24)}  # fmt: skip
    return {"base": base, "weights": weights}


def examples(number: int, outputs: int = 3) -> list[Any]:
    rng, made = random.Random(0), module("small.feeding").Example
    lengths = [rng.randint(4, 20) for _ in range(number)]
    target = [1.0] + [0.0] * (outputs - 1)
    return [made([rng.randrange(2, 50) for _ in range(n)], [0] * n, target, i // 4) for i, n in enumerate(lengths)]


def trainer(tiny: Mapping[str, Any], work: Path, minutes: float = 1e9) -> Any:
    import torch

    torch.manual_seed(1)
    network = module("small.network").CrossEncoder(tiny["base"], tiny["weights"], 3, rank=4, first=2, hidden=8)
    plan = module("small.feeding").batches([[e] for e in examples(96)], 0)
    training, loss = module("small.training"), module("train_critic").allowed
    schedule = training.Schedule(3e-3, minutes=minutes)
    return training.Trainer(network, plan, loss, lambda _: {}, work, schedule)


def test_the_file_gives_the_same_logits(tiny: Mapping[str, Any], tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from safetensors.torch import save_file

    shipping, run = module("small.shipping"), trainer(tiny, tmp_path)
    run.run()
    save_file(tiny["weights"], tmp_path / "model.safetensors")
    shipping.write(tmp_path / "critic.safetensors", run.network, {"kind": "critic"})
    back = shipping.read(tmp_path / "critic.safetensors", tmp_path)
    batch = module("small.feeding").stacked(examples(8), 0)
    with torch.no_grad():
        one, two = (n.cpu()(batch.ids, batch.segments, batch.mask) for n in (run.network, back))
    assert torch.allclose(one, two, atol=0.15) and one.std() > 0
    assert shipping.metadata(tmp_path / "critic.safetensors") == {"base": "all-minilm-l6-v2", "kind": "critic"}


def test_a_run_that_is_cut_goes_on_where_it_was(tiny: Mapping[str, Any], tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    whole = trainer(tiny, tmp_path / "whole")
    whole.run()
    part = trainer(tiny, tmp_path / "part")
    part.judge_every, steps = 1e9, part._step

    def cut() -> None:
        if part.state.batch == 3:
            raise KeyboardInterrupt
        steps()

    part._step = cut
    with pytest.raises(SystemExit):
        part.run()
    rest = trainer(tiny, tmp_path / "part")
    rest.run()
    assert rest.state.pairs == whole.state.pairs == 96
    for a, b in zip(whole.live, rest.live, strict=True):
        assert torch.equal(a, b)
