"""Training really runs, with a tiny model made here: losses, adapters, resumption, and the planner that comes of it."""

import asyncio
import json
import math
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from refusals import refused
from rows import each_row

from medground.answering.declaration import Declaration
from medground.answering.run import Run
from medground.answering.trace import Trace
from medground.errors import ConfigError, ModelFailed, Stopped, UsageError
from medground.faces.cli.app import main
from medground.home.settings import Settings
from medground.models.base import CallLimits
from medground.models.planner import load_adapter, load_base, merge, open_planner_model, read_card, written
from medground.models.registry import Models
from medground.recipes.omni_rag.operators import plan_sources_tagged
from medground.recipes.omni_rag.planners import planning_input, trained
from medground.recipes.omni_rag.read_plan import read_plan
from medground.recipes.pubmed_reasoner.answering import RecallInput, recall
from medground.values.question import Question
from medground_evaluate.planning.learn import train
from medground_evaluate.planning.trainset import DPO, SFT, export, read_examples, read_manifest

torch = pytest.importorskip("torch", reason="the extra train is not installed")
pytest.importorskip("trl", reason="the extra train is not installed")
pytest.importorskip("peft", reason="the extra train is not installed")

Write = Callable[..., Path]
FAST = {"batch": 3, "at_once": 3, "rank": 8, "alpha": 16, "dropout": 0.0}
SHORT_SFT = SFT.model_copy(update={**FAST, "learning_rate": 1e-2, "epochs": 4, "save_every": 2})
LONGER_SFT = SHORT_SFT.model_copy(update={"epochs": 12, "rank": 16, "alpha": 32, "save_every": 100})
SHORT_DPO = DPO.model_copy(update={**FAST, "learning_rate": 3e-4, "epochs": 2})


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture
def training_set(judged_file: Write, tmp_path: Path) -> Path:
    export([judged_file()], tmp_path / "set")
    return tmp_path / "set"


@pytest.fixture
def tiny(training_set: Path, tmp_path: Path) -> Path:
    return tiny_model(training_set, tmp_path / "tiny")


def tiny_model(training_set: Path, folder: Path, seed: int = 0) -> Path:
    from tiny_model import make_tiny_model

    texts = [
        message["content"]
        for one in read_examples(training_set, "pairs")
        for message in [*one["prompt"], *one["chosen"], *one["rejected"]]
    ]
    return make_tiny_model(folder, texts, vocabulary=600, hidden=32, seed=seed)


def test_a_planner_is_trained_on_plans_and_then_on_pairs(
    training_set: Path, tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    told: list[str] = []
    sft = train(training_set, tmp_path / "sft", LONGER_SFT, base=str(tiny), tell=told.append)
    assert any("not compared with labels made by hand" in line for line in told)
    assert torch.cuda.is_available() or any("no GPU was found" in line for line in told)
    assert sft.last_loss < sft.first_loss - 2 and sft.steps == 24 and sft.left_out == 0
    dpo = train(training_set, tmp_path / "dpo", SHORT_DPO, adapter=tmp_path / "sft")
    assert dpo.first_loss == pytest.approx(0.693147, abs=1e-4), (
        "planner and reference are the same before the first step"
    )
    assert dpo.last_loss < dpo.first_loss
    assert dpo.card.stages == ("sft positive", "dpo pairs") and dpo.card.sources == ("book", "graph")
    assert dpo.card.options["dpo"]["rank"] == LONGER_SFT.rank != SHORT_DPO.rank  # that of the adapter it goes on from
    alone = train(training_set, tmp_path / "alone", SHORT_DPO, base=str(tiny))  # Table 7, DPO without SFT
    assert alone.first_loss == pytest.approx(0.693147, abs=1e-4) and alone.last_loss < alone.first_loss
    assert alone.card.stages == ("dpo pairs",) and alone.card.options["dpo"]["rank"] == SHORT_DPO.rank
    check_planner(training_set, tmp_path)
    check_refusals(training_set, tiny, tmp_path, capsys)


def check_planner(training_set: Path, tmp_path: Path) -> None:
    """The adapter loads, writes plans that parse, and merges into a model that writes the same."""
    sources = read_manifest(training_set)[0].sources
    prompt = read_examples(training_set, "positive")[0]["prompt"]
    model, tokenizer, _ = load_adapter(tmp_path / "dpo")
    said = written(model, tokenizer, prompt, tokens=40)
    assert not read_plan(said[0], sources).unread, said
    merge(tmp_path / "dpo", tmp_path / "merged")
    refused(UsageError, "is not empty", merge, tmp_path / "dpo", tmp_path / "merged")
    assert written(*load_base(str(tmp_path / "merged")), prompt, tokens=40) == said
    served = open_planner_model(f"planner:{tmp_path / 'dpo'}")
    value = planning_input(Question.ask("Does zinc prevent gout?"), sources, 3)
    reply = asyncio.run(served.answer(plan_sources_tagged, value, CallLimits(tokens=40)))
    assert reply.output.text == said[0] and reply.usage.output_tokens == said[2]
    with pytest.raises(ConfigError, match="only writes plans of sources"):
        asked = RecallInput(question="Does zinc prevent gout?", task="yes-no")
        asyncio.run(served.answer(recall, asked, CallLimits()))
    declared = Declaration(name="test", operators=(plan_sources_tagged,))
    models = Models("planner", {}, {"planner": served})
    question = Question.ask("Does zinc prevent gout?")
    settings = Settings.load(environ={})
    read = asyncio.run(
        trained(question, sources, Run(question, settings, declared, (), models, trace=Trace("t", None)))
    )
    assert not read.unread and set(read.plan.queries) <= {"book", "graph"}
    try:  # a plan of one token may name no source
        asyncio.run(served.answer(plan_sources_tagged, value, CallLimits(tokens=1)))
    except ModelFailed as error:
        assert error.unreadable and error.usage is not None and error.usage.output_tokens == 1


def check_refusals(training_set: Path, tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tiny_model(training_set, tmp_path / "other", seed=1)
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(["train", "planner", "merge", str(tmp_path / "dpo"), "--out", str(tmp_path / "x"), "--base", str(other)])
    said = capsys.readouterr().err.strip()
    assert said == f"medground: this planner was trained on {tiny}, not on {other}; give --base {tiny}"
    with pytest.raises(UsageError, match="holds a training with other data or options"):
        train(training_set, tmp_path / "sft", SHORT_SFT, base=str(tiny))
    refused(ConfigError, "cannot be loaded", lambda: load_base(str(tmp_path / "nothing")))


def losses(folder: Path) -> list[float]:
    lines = (folder / "log.jsonl").read_text().splitlines()
    return [entry["loss"] for entry in map(json.loads, lines) if "loss" in entry]


class Killed(Exception):
    """Stands for a process that ends in the middle of a step."""


def test_a_training_that_was_killed_or_stopped_resumes_and_ends_as_if_it_had_not_been(
    training_set: Path, tiny: Path, tmp_path: Path
):
    train(training_set, tmp_path / "whole", SHORT_SFT, base=str(tiny))

    def killed(step: str, done: int, total: int | None) -> None:
        if done == 3:
            raise Killed

    steps: list[int] = []

    def interrupted(step: str, done: int, total: int | None) -> None:
        steps.append(done)
        if done == 5:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(Killed):
        train(training_set, tmp_path / "cut", SHORT_SFT, base=str(tiny), progress=killed)
    with pytest.raises(Stopped, match=r"stopped at step [56]; run the same command"):
        train(training_set, tmp_path / "cut", SHORT_SFT, base=str(tiny), progress=interrupted)
    assert steps[0] == 3, "it goes on from the checkpoint of step 2"
    made = train(training_set, tmp_path / "cut", SHORT_SFT, base=str(tiny))
    assert made.steps == 8
    assert losses(tmp_path / "cut") == pytest.approx(losses(tmp_path / "whole"), abs=1e-3)
    preferences = SHORT_DPO.model_copy(update={"epochs": 1.5, "save_every": 2})
    train(training_set, tmp_path / "dpo", preferences, adapter=tmp_path / "whole")
    with pytest.raises(Killed):
        train(training_set, tmp_path / "dpo-cut", preferences, adapter=tmp_path / "whole", progress=killed)
    train(training_set, tmp_path / "dpo-cut", preferences, adapter=tmp_path / "whole")
    assert losses(tmp_path / "dpo-cut") == pytest.approx(losses(tmp_path / "dpo"), abs=1e-4), (
        "the reference is still the planner after supervised fine-tuning"
    )


def summed(model: Any, tokenizer: Any, prompt: Sequence[dict[str, str]], answer: Sequence[dict[str, str]]) -> float:
    """log M(P | x), from the logits: the tokens of the answer, each given all before it."""
    before = tokenizer.apply_chat_template(list(prompt), tokenize=False, add_generation_prompt=True)
    whole = tokenizer.apply_chat_template([*prompt, *answer], tokenize=False)
    given, ids = tokenizer(before)["input_ids"], torch.tensor([tokenizer(whole)["input_ids"]])
    with torch.no_grad():
        scores = torch.log_softmax(model(ids).logits[0, :-1], dim=-1)
    each = scores.gather(1, ids[0, 1:, None])[:, 0]
    return float(each[len(given) - 1 :].sum())


def dpo_loss(chosen: float, rejected: float, chosen_before: float, rejected_before: float, *, beta: float) -> float:
    """Omni-RAG, Eq. 3, 4: `-log sigmoid(r(x, P+) - r(x, P-))`, `r(x, P) = beta * log(M(P | x) / M_SFT(P | x))`."""
    return math.log1p(math.exp(-beta * ((chosen - chosen_before) - (rejected - rejected_before))))


@each_row("beta", [0.1, 0.5])
def test_the_loss_of_a_pair_is_that_of_the_equations(training_set: Path, tiny: Path, tmp_path: Path, beta: float):
    from datasets import Dataset
    from trl import DPOConfig, DPOTrainer

    from medground.models.planner import libraries, quiet

    assert dpo_loss(-2, -5, -3, -4, beta=0.1) == pytest.approx(0.598138869, abs=1e-9)  # -log(1 / (1 + e^-0.2))
    libraries()
    policy, tokenizer = load_base(str(tiny))
    reference, _ = load_base(str(tiny_model(training_set, tmp_path / "reference", seed=1)))
    pair = read_examples(training_set, "pairs")[0]
    scores = [
        summed(model, tokenizer, pair["prompt"], pair[plan])
        for model in (policy, reference)
        for plan in ("chosen", "rejected")
    ]
    ours = dpo_loss(*scores, beta=beta)
    assert abs(ours - 0.6931) > 1e-3, "planner and reference differ"
    with quiet():
        trainer = DPOTrainer(
            model=policy,
            ref_model=reference,
            args=DPOConfig(
                output_dir=str(tmp_path / "dpo"),
                beta=beta,
                use_cpu=True,
                bf16=False,
                max_length=None,
                report_to=[],
                activation_checkpointing=False,
                dataloader_pin_memory=False,
                disable_tqdm=True,
            ),
            train_dataset=Dataset.from_list([{name: pair[name] for name in ("prompt", "chosen", "rejected")}]),
            processing_class=tokenizer,
        )
        trainer.model.eval()
        with torch.no_grad():
            theirs = float(trainer.compute_loss(trainer.model, next(iter(trainer.get_train_dataloader()))))
    assert theirs == pytest.approx(ours, abs=1e-5)


def test_the_card_names_what_was_trained_and_what_cannot_be_learned_is_refused(
    training_set: Path, tiny: Path, tmp_path: Path
):
    half = SHORT_SFT.model_copy(update={"epochs": 0.5, "which": "negative", "ratio": 0.5})
    made = train(training_set, tmp_path / "sft", half, base=str(tiny))
    card = read_card(tmp_path / "sft")
    assert card == made.card and card.stages == ("sft negative",) and made.examples == 3
    assert card.licences == {"book": "CC BY 4.0", "graph": "CC0"}
    told = (tmp_path / "sft" / "README.md").read_text(encoding="utf-8")
    for part in (
        str(tiny),
        "- sft: data 3 of made, labelled by judge keyless",
        "seed 0",
        f"loss {made.first_loss:.4f}",
        "Licence of graph: CC0",
    ):
        assert part in told, told
    assert "More Information Needed" not in told
    with pytest.raises(UsageError, match="every example has more than 16 tokens"):
        train(training_set, tmp_path / "x", SHORT_SFT.model_copy(update={"longest": 16}), base=str(tiny))
    (tiny / "chat_template.jinja").unlink()
    refused(ConfigError, "no chat template", lambda: train(training_set, tmp_path / "y", SHORT_SFT, base=str(tiny)))
