"""A planner of sources that was trained here, run in this process: `planner:FOLDER` (extra `train`).

It answers the one operator that asks for a plan as plain text, with the messages that it was trained on.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import importlib
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field, ValidationError

from medground.corpus.faults import writing
from medground.errors import BadDocument, BudgetExhausted, ConfigError, ModelFailed, UsageError, first_line, needing
from medground.models.base import CallLimits, Reply
from medground.models.operators.base import I, InvalidOutput, O, Operator, PlainOutput
from medground.values.document import Frozen
from medground.values.usage import Usage

MOST_TOKENS = 512
"""Longest plan in tokens."""


def open_planner_model(name: str) -> PlannerModel:
    """Open `planner:FOLDER`. The weights are loaded by the first call.

    Raises ConfigError: the folder holds no trained planner.
    """
    folder = Path(name.partition(":")[2]).expanduser()
    card = read_card(folder)
    return PlannerModel(name, folder, hashlib.sha256(card.model_dump_json().encode()).hexdigest())


class PlannerModel:
    """A base model with a trained adapter, through transformers. It writes the likeliest plan, without sampling.

    `digest` is that of the adapter's card, which names the base's weights and the training.
    """

    cacheable = True

    def __init__(self, name: str, folder: Path, digest: str) -> None:
        self.name = name
        self._folder = folder
        self._digest = digest
        self._loaded: tuple[Any, Any] | None = None
        self._turn = asyncio.Lock()

    @property
    def identity(self) -> str:
        """The card's hash and the size of the weights."""
        size = (self._folder / "adapter_model.safetensors").stat().st_size
        return f"planner-{self._digest}-{size}"

    async def answer(self, operator: Operator[I, O], value: I, limits: CallLimits) -> Reply[O]:
        """Write a plan.

        Raises ConfigError: the operator wants more than plain text, the base cannot be loaded, or is another model;
        ModelFailed: the plan fails the operator's check; BudgetExhausted: nothing may be spent any more.
        """
        if not issubclass(operator.output, PlainOutput):
            raise ConfigError(
                f"{self.name} only writes plans of sources and cannot answer {operator.name}; give it that operator "
                f"alone, with a recipe whose `planner` is `trained`: set model.operators.plan_sources to {self.name}"
            )
        if limits.tokens == 0 or limits.calls == 0:
            raise BudgetExhausted("tokens" if limits.tokens == 0 else "calls", spent="all", allowed="0", usage=Usage())
        async with self._turn:  # one model, one sequence at a time
            text, given, new = await asyncio.to_thread(self._write, operator, value, limits)
        usage = Usage(input_tokens=given, output_tokens=new, model_calls=1)
        output = operator.output.model_validate({"text": text})
        try:
            operator.check(value, output)
        except InvalidOutput as error:
            raise ModelFailed(str(error), model=self.name, usage=usage, unreadable=True) from None
        return Reply(output=output, usage=usage)

    def _write(self, operator: Operator[I, O], value: I, limits: CallLimits) -> tuple[str, int, int]:
        if self._loaded is None:
            model, tokenizer, _ = load_adapter(self._folder, on=device(libraries().torch)[0])
            self._loaded = (model.eval(), tokenizer)
        most = MOST_TOKENS if limits.tokens is None else min(MOST_TOKENS, limits.tokens)
        return written(*self._loaded, messages(operator, value), tokens=most)

    async def close(self) -> None:
        """Let go of the weights."""
        self._loaded = None


# The libraries of the extra `train`, imported late, and their warnings about each other.

_OURS_TO_THEM = r"(transformers|peft|trl|accelerate|datasets|torch)\b"


class Libraries(NamedTuple):
    """The modules by name."""

    torch: Any
    transformers: Any
    peft: Any
    trl: Any
    datasets: Any


def libraries() -> Libraries:
    """Import the libraries of the extra `train`. Nothing is sent anywhere by importing or using them.

    Raises ConfigError: one of them is missing.
    """
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    with quiet():
        with needing("train", "training a planner"):
            found = Libraries(*map(importlib.import_module, Libraries._fields))
            importlib.import_module("accelerate")
        found.transformers.utils.logging.set_verbosity_error()
        found.transformers.utils.logging.disable_progress_bar()
        found.datasets.disable_progress_bars()
    return found


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Ignore what these libraries say of one another's deprecated names: a user can do nothing about it.

    Warnings that our own calls cause are not ignored, and nothing else is.
    """
    with warnings.catch_warnings():
        for category in (FutureWarning, DeprecationWarning, PendingDeprecationWarning):
            warnings.filterwarnings("ignore", category=category, module=_OURS_TO_THEM)
        yield


def device(torch: Any) -> tuple[str, str]:
    """Where training runs, `cuda` or `cpu`, and a line that says so."""
    if torch.cuda.is_available():
        name, number = torch.cuda.get_device_name(0), torch.cuda.device_count()
        return "cuda", f"device: {number} x {name}, bfloat16" if number > 1 else f"device: {name}, bfloat16"
    return "cpu", f"device: CPU, {torch.get_num_threads()} threads, float32; no GPU was found, so this is slow"


# A trained adapter (LoRA) of a planner: its card, whether a base model is its own, and merging the two.

CARD = "medground-planner.json"
_WEIGHTS = "adapter_model.safetensors"
_SAMPLE = 16

Messages = list[dict[str, str]]


class AdapterCard(Frozen):
    """What an adapter is, and how it was made.

    Attributes:
        base: the name or path of the base model, as it was given.
        base_fingerprint: of its weights, see `fingerprint`.
        stages: how it was trained, in order, such as `sft`, `dpo`.
        sources: names of the sources in its plans.
        trained_on: SHA-256 of the training set's manifest.
        losses: the loss at the first and the last logged step of each stage.
    """

    form: Literal["medground-planner-adapter-1"] = "medground-planner-adapter-1"
    base: str
    base_fingerprint: str
    stages: tuple[str, ...]
    sources: tuple[str, ...]
    trained_on: str
    options: dict[str, Any] = Field(default_factory=dict)
    losses: dict[str, tuple[float, float]] = Field(default_factory=dict)
    versions: dict[str, str] = Field(default_factory=dict)
    licences: dict[str, str] = Field(default_factory=dict)


def fingerprint(model: Any) -> str:
    """SHA-256 of a model's parameter names and shapes, and of a few values of each at the precision of bfloat16."""
    torch = libraries().torch
    digest = hashlib.sha256()
    for name, value in sorted(model.state_dict().items()):
        digest.update(f"{name} {tuple(value.shape)}\n".encode())
        flat = value.detach().reshape(-1)
        sample = torch.cat([flat[:_SAMPLE], flat[-_SAMPLE:]]).to(torch.bfloat16).float().cpu()
        digest.update(sample.numpy().tobytes())
    return digest.hexdigest()


def load_base(name: str, *, on: str = "cpu") -> tuple[Any, Any]:
    """A base model and its tokenizer, from a folder or, where there is one, the hub or its cache.

    Raises ConfigError: the extra is missing, or it cannot be loaded or has no chat template.
    """
    libs = libraries()
    dtype = libs.torch.bfloat16 if on == "cuda" else libs.torch.float32
    try:
        with quiet():
            tokenizer = libs.transformers.AutoTokenizer.from_pretrained(name)
            model = libs.transformers.AutoModelForCausalLM.from_pretrained(name, dtype=dtype)
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        raise not_loaded(name, error) from None
    if not tokenizer.chat_template:
        raise ConfigError(f"the base model {name!r} has no chat template; use an instruction-tuned model")
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return model.to(on), tokenizer


def not_loaded(name: str, error: Exception) -> ConfigError:
    """The error for a base model that cannot be read."""
    return ConfigError(
        f"the base model {name!r} cannot be loaded ({first_line(error)[:160]}); name a folder with its files, or a "
        "model of a hub that this machine can reach"
    )


def read_card(folder: Path) -> AdapterCard:
    """The card of an adapter.

    Raises UsageError: the folder holds no adapter of Medground; BadDocument: the card cannot be read.
    """
    if not (folder / _WEIGHTS).is_file() or not (folder / CARD).is_file():
        raise UsageError(f"{folder} holds no trained planner; make one with medground train planner sft")
    try:
        return AdapterCard.model_validate_json((folder / CARD).read_bytes())
    except ValidationError:
        raise BadDocument("not the card of a trained planner", file=folder / CARD) from None


def check_base(card: AdapterCard, model: Any, name: str) -> None:
    """Check that a model is the base of an adapter. Raises ConfigError: it is another model."""
    if fingerprint(model) != card.base_fingerprint:
        raise ConfigError(
            f"this planner was trained on {card.base}, not on {name}; "
            f"[[give --base {card.base}|give that base|use that model]]"
        )


def load_adapter(
    folder: Path, *, base: str | None = None, on: str = "cpu", trainable: bool = False
) -> tuple[Any, Any, AdapterCard]:
    """The model with its adapter, the tokenizer, and the card; `base` if it is no longer where it was in training.

    Raises UsageError: the folder holds no adapter; ConfigError: the base cannot be loaded, or is another model.
    """
    card = read_card(folder)
    model, tokenizer = load_base(base or card.base, on=on)
    check_base(card, model, base or card.base)
    with quiet():
        return libraries().peft.PeftModel.from_pretrained(model, str(folder), is_trainable=trainable), tokenizer, card


def merge(folder: Path, out: Path, *, base: str | None = None) -> AdapterCard:
    """Write base and adapter as one ordinary model, which needs no adapter to be served or converted.

    Raises UsageError: there is no adapter, or `out` is not empty; ConfigError: the base cannot be loaded, or is another
    model; StorageFailed: it cannot be written.
    """
    if out.exists() and any(out.iterdir()):
        raise UsageError(f"{out} is not empty; name another folder")
    model, tokenizer, card = load_adapter(folder, base=base)
    with quiet(), writing(out.parent):
        merged = model.merge_and_unload()
        merged.save_pretrained(out)
        tokenizer.save_pretrained(out)
        (out / CARD).write_text(card.model_dump_json(indent=1) + "\n", encoding="utf-8")
    return card


def written(model: Any, tokenizer: Any, given: Messages, *, tokens: int = 512) -> tuple[str, int, int]:
    """What a model writes after messages, without sampling; and the number of tokens read and written."""
    torch = libraries().torch
    with quiet(), torch.inference_mode():
        read = tokenizer.apply_chat_template(
            given, add_generation_prompt=True, return_tensors="pt", return_dict=True
        ).to(model.device)
        length = read["input_ids"].shape[1]
        made = model.generate(**read, max_new_tokens=tokens, do_sample=False, pad_token_id=tokenizer.pad_token_id)
    new = made[0][length:]
    return tokenizer.decode(new, skip_special_tokens=True), length, len(new)


def messages(operator: Operator[I, O], value: I) -> Messages:
    """An operator's call as chat messages."""
    return [{"role": "system", "content": operator.instructions}, {"role": "user", "content": operator.prompt(value)}]
