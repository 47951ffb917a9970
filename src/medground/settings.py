"""Settings: built-in defaults, then a preset, then `medground.toml`, then `MEDGROUND_*`, then options.

Unknown keys are refused. `Settings.hash` names everything that can change an answer; secrets and places are not in it.
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Mapping, Sequence
from decimal import Decimal
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

import platformdirs
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError

from medground.errors import ConfigError

PREFIX = "MEDGROUND_"
FILE_NAME = "medground.toml"


def _listed(value: Any) -> Any:
    """`a,b` from the environment or the command line means a list."""
    return tuple(v.strip() for v in value.split(",") if v.strip()) if isinstance(value, str) else value


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ModelSettings(_Part):
    """Who answers operators. Names: `keyless`, `local[:PATH]`, or a pydantic-ai name such as `openai:gpt-5`."""

    default: str = "keyless"
    operators: dict[str, str] = Field(default_factory=dict, description="operator name to model name")
    base_url: str | None = Field(default=None, description="an OpenAI-compatible address for `openai:` names")
    timeout: float = Field(default=60.0, gt=0, description="seconds for one model call")
    retries: int = Field(default=2, ge=0, description="how often invalid output is asked for again")
    temperature: float = Field(default=0.0, ge=0)
    concurrency: int = Field(default=8, ge=1, description="model calls under way at once")
    cache: bool = True


class BudgetSettings(_Part):
    """Limits of one question; None is no limit."""

    tokens: int | None = Field(default=None, ge=0)
    calls: int | None = Field(default=None, ge=0)
    seconds: float | None = Field(default=None, gt=0)
    money: Decimal | None = Field(default=None, ge=0)


class RetrievalSettings(_Part):
    corpora: Annotated[tuple[str, ...], BeforeValidator(_listed)] = ("starter",)
    pubmed: str | None = Field(default=None, description="`live`, or the address of an E-utilities service")
    email: str | None = Field(default=None, description="sent to PubMed with each request, as NCBI asks")
    depth: int = Field(default=100, ge=1, le=10_000, description="hits per ranker before fusion")
    fusion_k: int = Field(default=60, ge=1)
    keep: int = Field(default=20, ge=1, description="hits left after reranking (M_max)")
    dense: bool = Field(default=True, description="use vectors where a snapshot has them")
    reranker: str = Field(
        default="none", description="`none`, `keyless` (measured: no gain), or a cross-encoder's name or folder"
    )


class RecipeSettings(_Part):
    name: str = "ground"
    batch: int = Field(default=5, ge=1, description="documents read together (m)")
    rounds: int = Field(default=3, ge=1)
    sentences: int = Field(default=3, ge=1, description="most sentences of a rationale without a model")


class PubMedReasonerSettings(_Part):
    """Parts of the recipe `pubmed-reasoner`. The switches turn off what we added to the paper, for ablations."""

    terms: int = Field(default=8, ge=1, description="most MeSH headings that are searched with and criticised")
    signals: int = Field(default=10, ge=1, description="records whose title and abstract the critic sees (S_t)")
    signal_length: int = Field(default=1_500, ge=100, description="characters of an abstract that the critic sees")
    critic: bool = Field(default=True, description="refine the query (Algorithm 1); off: the first query stays")
    batching: bool = Field(default=True, description="stop reading early (Algorithm 2); off: all 20 are read")
    tokens: int | None = Field(default=None, ge=0, description="tokens after which reading stops (T); none is no limit")
    relax: bool = Field(default=True, description="(a) widen a query that finds too little")
    enough: int = Field(default=5, ge=1, description="documents that are enough for (a)")
    concepts: bool = Field(default=True, description="(b) every concept of the question is in the query")
    step_back: bool = Field(default=True, description="(d) search again when the evidence does not suffice")
    retractions: bool = Field(default=True, description="(e) retracted papers are not read, and shown")
    designs: bool = Field(default=True, description="(f) stronger designs are cited first")


class VerifySettings(_Part):
    critic: str = Field(
        default="entail",
        description="`entail`: whoever answers that operator; or `nli:` and the folder or hub name of an NLI model",
    )
    entailment: float = Field(default=0.5, gt=0, le=1, description="least probability of entailment (tau)")
    support: float = Field(default=0.7, ge=0, le=1, description="least share of supported statements (theta)")
    context: int | None = Field(default=None, ge=1, description="only the first j passages are evidence (CONTEXT-j)")
    taxonomy: bool = Field(default=True, description="give each statement one of the eight labels")
    unsupported: Literal["flag", "drop"] = "flag"
    trusted_judges: Annotated[tuple[str, ...], BeforeValidator(_listed)] = Field(
        default=(), description="models whose verdicts count although no measurement of ours proves them"
    )


class ReasonAndVerifySettings(_Part):
    """Parts of the recipe `reason-and-verify` (Reason and Verify, section 3.1 and 4.1)."""

    candidates: int = Field(default=20, ge=1, description="passages from BM25 (k)")
    passages: int = Field(default=5, ge=1, description="passages of evidence after reranking (m)")
    rerank: bool = Field(default=True, description="off: the first passages of BM25 are the evidence")
    reranker: str = Field(default="keyless", description="`keyless`, or a cross-encoder's name or folder")
    rationale: bool = Field(default=True, description="off: vanilla RAG, which answers without reasoning first")
    rewrite: bool = Field(default=True, description="rewrite the question when overlap or evidence score is low")
    overlap: float = Field(default=0.3, ge=0, le=1, description="least overlap before rewriting (tau_ovlp)")
    evidence: float = Field(default=0.5, ge=0, le=1, description="least mean score before rewriting (tau_evid)")
    pool: str | None = Field(default=None, description="name of a demonstration pool, or the path of its file")
    shots: int = Field(default=0, ge=0, le=8, description="demonstrations shown (k)")
    selection: Literal["static", "dynamic"] = "dynamic"
    balanced: bool = Field(default=False, description="one class after the other, instead of nearest only")
    diversity: float = Field(default=0.95, ge=0, le=1, description="cosine above which two demonstrations are alike")
    least: int = Field(
        default=0, ge=0, description="least number of unique demonstrations; the rest are drawn at random"
    )
    seed: int = 0


class SelfMedRagSettings(_Part):
    """Parts of the recipe `self-medrag` (its section 3); theta is `verify.support`, tau `verify.entailment`."""

    retrieval: Literal["hybrid", "bm25", "dense"] = "hybrid"
    passages: int = Field(default=5, ge=1, description="passages of a round's context (C_i)")
    critic: bool = Field(default=True, description="off: the base without critic and loop")
    rounds: int = Field(default=3, ge=1, description="most rounds; the best one is returned")
    drift: float = Field(default=0.3, ge=0, le=1, description="least cosine of a new query and the question")


class TraceSettings(_Part):
    otlp_endpoint: str | None = None
    send_text: bool = Field(default=False, description="send document and prompt text to the collector too")


class KeySettings(_Part):
    """Keys of hosted models and of NCBI. A model without one here reads its provider's variable (OPENAI_API_KEY)."""

    openai: SecretStr | None = None
    anthropic: SecretStr | None = None
    google: SecretStr | None = None
    ncbi: SecretStr | None = None


def _default_home() -> Path:
    return Path(os.environ.get("MEDGROUND_HOME") or platformdirs.user_data_path("medground", appauthor=False))


class Settings(_Part):
    """Every choice of a run. Build it with `Settings.load`."""

    model: ModelSettings = ModelSettings()
    budget: BudgetSettings = BudgetSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    recipe: RecipeSettings = RecipeSettings()
    pubmed_reasoner: PubMedReasonerSettings = PubMedReasonerSettings()
    reason_and_verify: ReasonAndVerifySettings = ReasonAndVerifySettings()
    self_medrag: SelfMedRagSettings = SelfMedRagSettings()
    verify: VerifySettings = VerifySettings()
    trace: TraceSettings = TraceSettings()
    keys: KeySettings = KeySettings()
    home: Path = Field(default_factory=_default_home)

    @classmethod
    def load(
        cls,
        *,
        preset: str | None = None,
        file: Path | None = None,
        environ: Mapping[str, str] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Settings:
        """Read all layers; a later one wins.

        Args:
            preset: name of a built-in preset.
            file: a settings file; without one, `medground.toml` in the working folder is read if it is there.
            environ: variables; `os.environ` by default. `MEDGROUND_RECIPE__ROUNDS=2` sets `recipe.rounds`.
            options: `{"recipe.rounds": 2}`; `parse_options` makes it from `KEY=VALUE` words.

        Raises:
            ConfigError: an unknown preset or key, a wrong value, an unreadable file.
        """
        layers: list[tuple[str, dict[str, Any]]] = []
        if preset is not None:
            layers.append((f"preset {preset}", _read_preset(preset)))
        path = file or Path(FILE_NAME)
        if file is not None or path.is_file():
            layers.append((str(path), _read_toml(path)))
        layers.append(("the environment", _from_environment(os.environ if environ is None else environ)))
        layers.append(("the options", _from_options(options or {})))
        merged: dict[str, Any] = {}
        for _, layer in layers:
            _merge(merged, layer)
        try:
            return cls.model_validate(merged)
        except ValidationError as error:
            raise ConfigError(_first_problem(error, layers)) from None

    @property
    def hash(self) -> str:
        """SHA-256 (16 hex digits) of everything here that can change an answer."""
        content = self.model_dump(mode="json", exclude={"home", "keys", "trace"})
        content["model"].pop("cache")
        content["model"].pop("concurrency")
        if self.pubmed_reasoner.tokens is None:  # results from before there was such a limit keep their hash
            content["pubmed_reasoner"].pop("tokens")
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def preset_names() -> list[str]:
    """Names of the built-in presets."""
    folder = resources.files("medground") / "presets"
    return sorted(p.name.removesuffix(".toml") for p in folder.iterdir() if p.name.endswith(".toml"))


def _read_preset(name: str) -> dict[str, Any]:
    if name not in preset_names():
        raise ConfigError(f"unknown preset {name!r}; there are: {', '.join(preset_names())}")
    return tomllib.loads((resources.files("medground") / "presets" / f"{name}.toml").read_text(encoding="utf-8"))


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"no settings file {path}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"cannot read {path}: {error}") from None


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in environ.items():
        if name.startswith(PREFIX) and value:
            _put(found, name.removeprefix(PREFIX).lower().split("__"), _parsed(value))
    return found


def parse_options(options: Sequence[str]) -> dict[str, Any]:
    """`["recipe.rounds=2"]` as `{"recipe.rounds": 2}`.

    Raises:
        ConfigError: an option has no `=`.
    """
    pairs: dict[str, Any] = {}
    for option in options:
        key, sign, value = option.partition("=")
        if not sign:
            raise ConfigError(f"{option!r} is not KEY=VALUE, such as recipe.rounds=2")
        pairs[key.strip()] = _parsed(value.strip())
    return pairs


def _from_options(options: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in options.items():
        _put(found, key.split("."), value)
    return found


def _parsed(value: str) -> Any:
    """A TOML value when it is one (`2`, `true`, `["a"]`), else the text itself."""
    try:
        return tomllib.loads(f"v = {value}")["v"]
    except tomllib.TOMLDecodeError:
        return value


def _put(target: dict[str, Any], path: list[str], value: Any) -> None:
    for name in path[:-1]:
        target = target.setdefault(name, {})
        if not isinstance(target, dict):
            raise ConfigError(f"setting {'.'.join(path)} is given twice, as a value and as a group")
    target[path[-1]] = value


def _merge(base: dict[str, Any], over: Mapping[str, Any]) -> None:
    for key, value in over.items():
        if isinstance(value, Mapping) and isinstance(base.get(key), dict):
            _merge(base[key], value)
        else:
            base[key] = dict(value) if isinstance(value, Mapping) else value


def _first_problem(error: ValidationError, layers: list[tuple[str, dict[str, Any]]]) -> str:
    problem = error.errors(include_input=False, include_url=False)[0]
    path = [str(p) for p in problem["loc"]]
    origin = next((name for name, layer in reversed(layers) if _has(layer, path)), "the settings")
    what = "is not a setting" if problem["type"] == "extra_forbidden" else problem["msg"]
    return f"{'.'.join(path)} (from {origin}): {what}; see medground config show"


def _has(layer: Mapping[str, Any], path: list[str]) -> bool:
    here: Any = layer
    for name in path:
        if not isinstance(here, Mapping) or name not in here:
            return False
        here = here[name]
    return True
