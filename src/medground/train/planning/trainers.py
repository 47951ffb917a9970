"""The trainers of trl for the two stages, with the paper's options (Omni-RAG, appendix D.4)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from medground.progress import Progress
from medground.train.planning.libraries import Libraries, quiet
from medground.train.planning.options import TrainingOptions


def make_trainer(
    libs: Libraries,
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
    with quiet():
        dataset = libs.datasets.Dataset.from_list(rows)
        given = {"model": model, "train_dataset": dataset, "processing_class": tokenizer}
        if options.stage == "sft":
            config = libs.trl.SFTConfig(**shared, completion_only_loss=True)
            fresh = None if isinstance(model, libs.peft.PeftModel) else _lora(libs, options)
            trainer = libs.trl.SFTTrainer(**given, args=config, peft_config=fresh)
        else:  # the reference M_SFT is a frozen copy of the adapter as it was loaded
            trainer = libs.trl.DPOTrainer(**given, args=libs.trl.DPOConfig(**shared, beta=options.beta))
        trainer.remove_callback(libs.transformers.PrinterCallback)
    return trainer


def _lora(libs: Libraries, options: TrainingOptions) -> Any:
    return libs.peft.LoraConfig(
        r=options.rank,
        lora_alpha=options.alpha,
        lora_dropout=options.dropout,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )


def reporting(libs: Libraries, progress: Progress, stage: str) -> Any:
    """A callback that reports each step."""

    class Reporting(libs.transformers.TrainerCallback):  # type: ignore[misc, name-defined]
        """Reports each step."""

        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            progress(stage, state.global_step, state.max_steps)

    return Reporting()
