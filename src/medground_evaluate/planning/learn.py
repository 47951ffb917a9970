"""Planning learning: supervised fine-tuning of an adapter on plans, then direct preference optimisation on pairs.

The trainers are those of trl, with the options of Omni-RAG, appendix D.4. After Ctrl-C the step is finished, a
checkpoint is written, and the same call resumes from it.
"""

import contextlib
import json
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import Any

from medground.corpus import writing
from medground.errors import Stopped, UsageError
from medground.models import planner
from medground.values import Progress, no_progress
from medground_evaluate.line_file import locked
from medground_evaluate.planning.trainset import TrainingManifest, TrainingOptions, read_examples, read_manifest


@contextlib.contextmanager
def stop_between_steps(trainer: Any, libs: planner.Libraries, told: Callable[[Any], None]) -> Iterator[threading.Event]:
    """Tell each step; a first Ctrl-C ends training after it, with a checkpoint, and a second one interrupts at once."""
    stopping = threading.Event()

    class StopCallback(libs.transformers.TrainerCallback):  # type: ignore[misc, name-defined]
        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> Any:
            told(state)
            if stopping.is_set():
                control.should_save = control.should_training_stop = True
            return control

    trainer.add_callback(StopCallback())
    if threading.current_thread() is not threading.main_thread():  # only there can a signal be handled
        yield stopping
        return
    before = signal.getsignal(signal.SIGINT)

    def ask(number: int, frame: Any) -> None:
        if stopping.is_set():
            raise KeyboardInterrupt
        stopping.set()

    signal.signal(signal.SIGINT, ask)
    try:
        yield stopping
    finally:
        signal.signal(signal.SIGINT, before)


def make_trainer(
    libs: planner.Libraries,
    model: Any,
    tokenizer: Any,
    rows: list[dict[str, Any]],
    checkpoints: Path,
    options: TrainingOptions,
    on: str,
) -> Any:
    """A trainer for rows in trl's form: a new adapter on a base model, or the adapter that is there."""
    at_once = min(options.at_once, options.batch)
    shared = {
        "output_dir": str(checkpoints),
        "use_cpu": on == "cpu",
        "bf16": on == "cuda",
        "per_device_train_batch_size": at_once,
        "gradient_accumulation_steps": max(1, -(-options.batch // at_once)),
        "learning_rate": options.learning_rate,
        "num_train_epochs": options.epochs,
        "lr_scheduler_type": "cosine",
        "warmup_steps": 0.03,
        "max_length": None,
        "logging_steps": 1,
        "save_steps": options.save_every,
        "save_total_limit": 2,
        "activation_checkpointing": on == "cuda",
        "report_to": [],
        "disable_tqdm": True,
        "dataloader_pin_memory": on == "cuda",
        "seed": options.seed,
        "data_seed": options.seed,
    }
    with planner.quiet():
        dataset = libs.datasets.Dataset.from_list(rows)
        given: dict[str, Any] = {"model": model, "train_dataset": dataset, "processing_class": tokenizer}
        lora = {"r": options.rank, "lora_alpha": options.alpha, "lora_dropout": options.dropout}
        fresh = libs.peft.LoraConfig(**lora, target_modules="all-linear", task_type="CAUSAL_LM")
        given["peft_config"] = None if isinstance(model, libs.peft.PeftModel) else fresh
        if options.stage == "sft":
            trainer = libs.trl.SFTTrainer(**given, args=libs.trl.SFTConfig(**shared, completion_only_loss=True))
        else:  # the reference is a frozen copy of the adapter as it was loaded (M_SFT), else the base
            trainer = libs.trl.DPOTrainer(**given, args=libs.trl.DPOConfig(**shared, beta=options.beta))
        trainer.remove_callback(libs.transformers.PrinterCallback)
    return trainer


PLAN = "training.json"
LOG = "log.jsonl"
_CHECKPOINTS = "checkpoints"


@dataclass(frozen=True)
class Trained:
    """A finished stage.

    Attributes:
        first_loss, last_loss: the loss at the first and the last logged step: of SFT per token of the plans, of DPO
            Eq. 3.
        examples, left_out: examples used, and those that were longer than allowed.
    """

    folder: Path
    card: planner.AdapterCard
    first_loss: float
    last_loss: float
    steps: int
    examples: int
    left_out: int
    seconds: float


def train(
    data: Path,
    out: Path,
    options: TrainingOptions,
    *,
    base: str | None = None,
    adapter: Path | None = None,
    tell: Callable[[str], None] = lambda line: None,
    progress: Progress = no_progress,
) -> Trained:
    """Train one stage into a folder; the same call resumes one that was stopped or killed from its last checkpoint.

    Args:
        base: the base model; needed by a first stage, and where it lies elsewhere than before.
        adapter: the planner that the stage builds on: for preferences the one after supervised fine-tuning; without
            one they are learned from the base alone (Table 7).
        tell: given each line worth reading before training starts: the judge's agreement, the device.

    Raises:
        UsageError: the training set lacks what the stage needs, or the folder holds another training.
        ConfigError: the extra is missing, the base cannot be loaded, or the adapter is of another base.
        Stopped: Ctrl-C; a checkpoint was written.
        StorageFailed: the disk is full or cannot be written to.
    """
    if base is None and adapter is None:
        raise UsageError("name the model to train with --base NAME")
    started_from = planner.read_card(adapter) if adapter else None
    manifest, digest = read_manifest(data)
    examples = read_examples(data, options.which, ratio=options.ratio, seed=options.seed)
    libs = planner.libraries()
    tell(manifest.agreement or "the judge was not compared with labels made by hand; see medground train planner label")
    on, told = planner.device(libs.torch)
    tell(told)
    model, tokenizer, before = _opened(base, adapter, on)
    if adapter is not None:
        own = model.peft_config["default"]  # whatever the options say
        options = options.replace(rank=own.r, alpha=own.lora_alpha, dropout=own.lora_dropout)
    plan = {
        "data": digest,
        "options": options.model_dump(mode="json"),
        "base": before.base_fingerprint,
        "adapter": started_from.model_dump(mode="json") if started_from else None,
    }
    with locked(out / PLAN):
        _same_training(out, plan)
        rows, left_out = _short_enough(examples, tokenizer, options, tell)
        trainer = make_trainer(libs, model, tokenizer, rows, out / _CHECKPOINTS, options, on)
        started = monotonic()
        losses = _learn(trainer, libs, out, lambda state: progress(options.stage, state.global_step, state.max_steps))
        taught = f"{len(rows)} of {manifest.dataset}, labelled by {manifest.labelled_by}, set {digest[:16]}"
        card = before.replace(**_learned(manifest, digest, before, options, losses, taught))
        _save(trainer, tokenizer, out, card)
    seconds, steps = monotonic() - started, trainer.state.global_step
    return Trained(out, card, losses[0], losses[-1], steps, examples=len(rows), left_out=left_out, seconds=seconds)


def _learn(trainer: Any, libs: planner.Libraries, out: Path, told: Callable[[Any], None]) -> list[float]:
    """The losses, from the last checkpoint to the end."""
    with planner.quiet(), writing(out), stop_between_steps(trainer, libs, told) as stopping:
        last = libs.transformers.trainer_utils.get_last_checkpoint(str(out / _CHECKPOINTS))
        trainer.train(resume_from_checkpoint=last)
    if stopping.is_set():
        raise Stopped(f"stopped at step {trainer.state.global_step}; run the same command to resume from there")
    return [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]


def _learned(
    manifest: TrainingManifest,
    digest: str,
    before: planner.AdapterCard,
    options: TrainingOptions,
    losses: Sequence[float],
    taught: str,
) -> dict[str, Any]:
    """What a card says after a stage that it did not say before."""
    return {
        "stages": (*before.stages, f"{options.stage} {options.which}"),
        "sources": tuple(dict.fromkeys((*before.sources, *(source.name for source in manifest.sources)))),
        "licences": before.licences | {source.name: source.licence for source in manifest.sources},
        "trained_on": digest,
        "options": before.options | {options.stage: {"data": taught, **options.model_dump(mode="json")}},
        "losses": before.losses | {options.stage: (losses[0], losses[-1])},
        "versions": {name: version(name) for name in ("torch", "transformers", "peft", "trl")},
    }


def _opened(base: str | None, adapter: Path | None, on: str) -> tuple[Any, Any, planner.AdapterCard]:
    """The model to train: a base without an adapter, or with the one that the stage goes on from."""
    if adapter is not None:
        return planner.load_adapter(adapter, base=base, on=on, trainable=True)
    model, tokenizer = planner.load_base(str(base), on=on)
    card = planner.AdapterCard(
        base=str(base), base_fingerprint=planner.fingerprint(model), stages=(), sources=(), trained_on=""
    )
    planner.check_base(card, model, str(base))
    return model, tokenizer, card


def _same_training(out: Path, plan: dict[str, Any]) -> None:
    path = out / PLAN
    with writing(out):
        if path.is_file() and json.loads(path.read_text(encoding="utf-8")) != plan:
            raise UsageError(f"{out} holds a training with other data or options; name another folder with --out")
        path.write_text(json.dumps(plan, indent=1) + "\n", encoding="utf-8")


def _short_enough(
    examples: Sequence[dict[str, Any]], tokenizer: Any, options: TrainingOptions, tell: Callable[[str], None]
) -> tuple[list[dict[str, Any]], int]:
    """The examples that fit, and how many do not."""
    answers = ("completion",) if options.stage == "sft" else ("chosen", "rejected")
    rows = []
    for example in examples:
        texts = [
            tokenizer.apply_chat_template([*example["prompt"], *example[name]], tokenize=False) for name in answers
        ]
        if max(len(tokenizer(text)["input_ids"]) for text in texts) <= options.longest:
            rows.append({name: example[name] for name in ("prompt", *answers)})
    if not rows:
        raise UsageError(f"every example has more than {options.longest} tokens; raise --longest")
    if left_out := len(examples) - len(rows):
        tell(f"{left_out} of {len(examples)} examples have more than {options.longest} tokens and are left out")
    return rows, left_out


def _save(trainer: Any, tokenizer: Any, out: Path, card: planner.AdapterCard) -> None:
    with planner.quiet(), writing(out):
        trainer.model.save_pretrained(str(out), selected_adapters=["default"])
        tokenizer.save_pretrained(str(out))
        (out / planner.CARD).write_text(card.model_dump_json(indent=1) + "\n", encoding="utf-8")
        (out / "README.md").write_text(_in_words(card), encoding="utf-8")  # in place of the library's empty form
        with (out / LOG).open("w", encoding="utf-8") as lines:
            lines.writelines(json.dumps(entry) + "\n" for entry in trainer.state.log_history)


def _in_words(card: planner.AdapterCard) -> str:
    """The card as a hub shows it: base, data, options, seeds, losses, versions and licences."""
    lines = [f"- Base: {card.base} (fingerprint {card.base_fingerprint[:16]})"]
    lines += [f"- Sources: {', '.join(card.sources)}"]
    for stage, options in card.options.items():
        first, last = card.losses[stage]
        said = ", ".join(f"{name} {value}" for name, value in options.items())
        lines.append(f"- {stage}: {said}; loss {first:.4f} at the first logged step, {last:.4f} at the last")
    lines += [f"- Licence of {name}: {licence}" for name, licence in card.licences.items()]
    lines.append(f"- Made with {', '.join(f'{name} {number}' for name, number in card.versions.items())}")
    head = f"---\nbase_model: {json.dumps(card.base)}\nlibrary_name: peft\n---\n# A planner of sources (LoRA)\n\n"
    use = "Use: `medground ask QUESTION --recipe omni-rag --kb BASE --set omni_rag.adapter=FOLDER`"
    return f"{head}{chr(10).join(lines)}\n\n{use}\n"
