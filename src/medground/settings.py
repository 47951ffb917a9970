"""Settings: built-in defaults, then a preset, then `medground.toml`, then `MEDGROUND_*`, then options.

Unknown keys are refused. What all recipes share is declared here; a recipe's or a source's own settings are a section
that it declares itself (`recipes/settings`). `Settings.hash` covers everything that can change an answer of the chosen
recipe: the shared settings, its own section and those of the sources used, but no secret and no path.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar, cast

import platformdirs
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    SerializeAsAny,
    ValidationError,
    model_validator,
)

from medground.errors import ConfigError
from medground.fetching.secrets import with_secrets_of, without_secrets
from medground.known_secrets import known_secrets
from medground.layers import (
    FILE_NAME,
    Layer,
    environment_layer,
    file_layer,
    first_problem,
    merge,
    options_layer,
    preset_layer,
    problem,
)
from medground.recipes.registry import RECIPES
from medground.sources.registry import SOURCES


def _listed(value: Any) -> Any:
    """`a,b` from the environment or the command line means a list."""
    return tuple(v.strip() for v in value.split(",") if v.strip()) if isinstance(value, str) else value


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SettingsSection(_Part):
    """Base of the settings that only one source, one recipe, or a few related ones read. Every field has a default."""

    section: ClassVar[str]
    """Its name in settings files, such as `self_medrag`."""

    @property
    def models(self) -> Mapping[str, str]:
        """Models of operators that these settings imply, such as a trained one; those in `model.operators` win."""
        return {}


S = TypeVar("S", bound=SettingsSection)


class ModelSettings(_Part):
    """Who answers operators. Names: `keyless`, `local[:PATH]`, or a pydantic-ai name such as `openai:gpt-5`."""

    default: str = Field(default="keyless", description="the model that answers, where `operators` names no other")
    operators: dict[str, str] = Field(default_factory=dict, description="operator name to model name")
    base_url: str | None = Field(default=None, description="an OpenAI-compatible address for `openai:` names")
    timeout: float = Field(default=60.0, gt=0, description="seconds for one model call")
    retries: int = Field(default=2, ge=0, description="most further attempts after invalid output")
    temperature: float = Field(default=0.0, ge=0, description="0: the likeliest answer")
    concurrency: int = Field(default=8, ge=1, description="model calls at the same time")
    cache: bool = Field(default=True, description="reuse stored model calls")


class BudgetSettings(_Part):
    """Limits of one question; without a value there is none."""

    tokens: int | None = Field(default=None, ge=0, description="most tokens in and out")
    calls: int | None = Field(default=None, ge=0, description="most model calls")
    seconds: float | None = Field(default=None, gt=0, description="most seconds")
    money: Decimal | None = Field(default=None, ge=0, description="highest price in US dollars")


class RetrievalSettings(_Part):
    """What is searched, and how much of it is kept."""

    corpora: Annotated[tuple[str, ...], BeforeValidator(_listed)] = Field(
        default=("starter",), description="names of the corpora to search"
    )
    knowledge_base: str | None = Field(
        default=None, description="a knowledge base; its sources are searched, and `corpora` only if they are named too"
    )
    sources: Annotated[tuple[str, ...], BeforeValidator(_listed)] = Field(
        default=(), description="further sources by name, such as `pubmed`"
    )
    pubmed: str | None = Field(default=None, description="`live`, or the address of an E-utilities service")
    email: str | None = Field(default=None, description="sent to PubMed with each request, as NCBI asks")
    replay: Path | None = Field(default=None, description="a folder of recorded replies that stands for the network")
    record: Path | None = Field(default=None, description="a folder in which the replies of services are recorded")
    depth: int = Field(default=100, ge=1, le=10_000, description="hits per ranker before fusion")
    fusion_k: int = Field(default=60, ge=1, description="constant of reciprocal rank fusion (K)")
    keep: int = Field(default=20, ge=1, description="hits left after reranking (M_max)")
    dense: bool = Field(default=True, description="use vectors where a snapshot has them")
    reranker: str = Field(
        default="none",
        description="`none`, `medcpt`, or the name or folder of a cross-encoder",
    )

    @model_validator(mode="before")
    @classmethod
    def _knowledge_base_for_starter(cls, data: Any) -> Any:
        """A knowledge base stands in place of the starter corpus, which is searched where nothing else is named."""
        if isinstance(data, dict) and data.get("knowledge_base") and "corpora" not in data:
            return data | {"corpora": ()}
        return data


class RecipeSettings(_Part):
    """How questions are answered. What only one recipe reads is in the group of its name."""

    name: str = Field(default="ground", description="the recipe")
    batch: int = Field(default=5, ge=1, description="documents read together (m)")
    rounds: int = Field(default=3, ge=1, description="most rounds of searching and writing")
    sentences: int = Field(default=3, ge=1, description="most sentences of a rationale without a model")


class VerifySettings(_Part):
    """How written sentences are checked."""

    critic: str = Field(
        default="entail",
        description="`entail`: the model that answers that operator; `critic` (fetched); `nli:` and an NLI model's "
        "folder or hub name; or `label`: none, so that statements only get their labels",
    )
    entailment: float = Field(default=0.5, gt=0, le=1, description="least probability of entailment (tau)")
    support: float = Field(default=0.7, ge=0, le=1, description="least share of supported statements (theta)")
    contradiction: bool = Field(
        default=True,
        description="of an NLI model: contradiction above the highest entailment overrules it; off: as in Self-MedRAG",
    )
    context: int | None = Field(default=None, ge=1, description="only the first j passages are evidence (CONTEXT-j)")
    taxonomy: bool = Field(default=True, description="give each statement one of the eight labels")
    unsupported: Literal["flag", "drop"] = "flag"
    own_knowledge: Literal["drop", "mark"] = Field(
        default="drop", description="a model's sentence that cites no evidence: leave it out, or show it marked as such"
    )
    gate: bool = Field(
        default=True,
        description="hold back what the evidence does not support; off: verification is shown and decides nothing",
    )
    trusted_judges: Annotated[tuple[str, ...], BeforeValidator(_listed)] = Field(
        default=(), description="models whose verdicts count without a measurement of ours"
    )
    measured_judges: Annotated[tuple[str, ...], BeforeValidator(_listed)] = Field(
        default=(), description="models that `medground judge measure` proved on this machine; found by itself"
    )
    unproven_judges: Annotated[tuple[str, ...], BeforeValidator(_listed)] = Field(
        default=(), description="models that it measured and did not prove: word filters overrule them; found by itself"
    )


class TraceSettings(_Part):
    """Where traces are sent, beside the home folder."""

    otlp_endpoint: str | None = Field(default=None, description="address of an OpenTelemetry collector")
    send_text: bool = Field(default=False, description="send document and prompt text to the collector too")


class KeySettings(_Part):
    """Keys of hosted models, of NCBI and of search services.

    A model without one here reads its provider's variable (OPENAI_API_KEY).
    """

    openai: SecretStr | None = None
    anthropic: SecretStr | None = None
    google: SecretStr | None = None
    ncbi: SecretStr | None = None
    sciencedirect: SecretStr | None = None
    google_search: SecretStr | None = None
    brave: SecretStr | None = None


class ServeSettings(_Part):
    """What a server allows the people who ask it; nothing here changes an answer."""

    hosts: Annotated[tuple[str, ...], BeforeValidator(_listed)] = Field(
        default=(), description="host names by which it may be called, beside those of loopback"
    )
    models: Annotated[tuple[str, ...], BeforeValidator(_listed)] = Field(
        default=(), description="models that a question may name, beside `model.default`"
    )
    sources: Annotated[tuple[str, ...], BeforeValidator(_listed)] = Field(
        default=(), description="sources that a question may name, beside `retrieval.sources`"
    )
    concurrency: int = Field(default=8, ge=1, description="questions and claims at work at once; others wait in line")
    research: int = Field(default=2, ge=1, description="research and builds at work at once; others wait in line")
    waiting: int = Field(default=1000, ge=1, description="most questions and tasks in line; further ones are refused")
    seconds: float = Field(default=120.0, gt=0, description="most seconds for a question or a claim")
    research_seconds: float = Field(default=3600.0, gt=0, description="most seconds for research")
    keep_days: int | None = Field(
        default=None, ge=1, description="days after which answers and their traces are deleted; without a value, never"
    )
    body: int = Field(default=1_000_000, ge=1000, description="most bytes of a request that uploads no file")
    upload: int = Field(default=500_000_000, ge=1000, description="most bytes of an upload")
    upload_file: int = Field(default=200_000_000, ge=1000, description="most bytes of one uploaded file")
    runs: Path | None = Field(
        default=None,
        description="the folder of the evaluation runs to list; `runs` of the home folder by default",
    )


def _default_home() -> Path:
    return Path(os.environ.get("MEDGROUND_HOME") or platformdirs.user_data_path("medground", appauthor=False))


class Settings(_Part):
    """Every choice of a run. Build it with `Settings.load`."""

    model: ModelSettings = ModelSettings()
    budget: BudgetSettings = BudgetSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    recipe: RecipeSettings = RecipeSettings()
    verify: VerifySettings = VerifySettings()
    trace: TraceSettings = TraceSettings()
    keys: KeySettings = KeySettings()
    serve: ServeSettings = ServeSettings()
    home: Path = Field(default_factory=_default_home)
    sections: Mapping[str, SerializeAsAny[SettingsSection]] = Field(default_factory=dict)
    """Sections that some layer sets, by name; read them with `section`."""

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
        layers: list[Layer] = []
        if preset is not None:
            layers.append((f"preset {preset}", preset_layer(preset)))
        path = file or Path(FILE_NAME)
        if file is not None or path.is_file():
            layers.append((str(path), file_layer(path)))
        layers.append(("the environment", environment_layer(os.environ if environ is None else environ)))
        layers.append(("the options", options_layer(options or {})))
        merged: dict[str, Any] = {}
        for _, layer in layers:
            merge(merged, layer)
        loaded = cls._checked(merged, layers)
        known_secrets(loaded)  # before anything can log one
        return loaded

    def with_options(self, options: Mapping[str, Any]) -> Settings:
        """These settings with some of them changed: `{"recipe.rounds": 2}`.

        Raises:
            ConfigError: an unknown key, or a wrong value.
        """
        content = self.model_dump(exclude_unset=True, exclude={"home", "sections"})
        content |= {name: section.model_dump(exclude_unset=True) for name, section in self.sections.items()}
        changed = options_layer(options)
        merge(content, changed)
        merged = self._checked(content, [("the settings", content), ("the options", changed)])
        return merged if "home" in changed else merged.model_copy(update={"home": self.home})

    def with_groups(self, groups: Mapping[str, Any]) -> Settings:
        """Settings with these groups and sections, as `as_read_by` gives them; home, keys, collector and server stay.

        Raises:
            ConfigError: an unknown key, or a wrong value.
        """
        # No judge counts but those that counted then, whatever was measured since.
        then = {**groups, "verify": {"measured_judges": (), "unproven_judges": (), **groups.get("verify", {})}}
        then = with_secrets_of(then, self.model_dump(mode="json", include=set(then)))
        chosen = self._checked(then, [("the kept settings", then)])
        stays = {"home": self.home, "keys": self.keys, "trace": self.trace, "serve": self.serve}
        return chosen.model_copy(update=stays)

    def section(self, kind: type[S]) -> S:
        """The settings of a section; its defaults where no layer sets any."""
        found = self.sections.get(kind.section)
        return found if isinstance(found, kind) else kind()

    @property
    def served(self) -> ModelSettings:
        """The models, with those that the section of the recipe implies."""
        kind = _declared(self.recipe.name, RECIPES)
        implied = self.section(kind).models if kind else {}
        return (
            self.model.model_copy(update={"operators": {**implied, **self.model.operators}}) if implied else self.model
        )

    def with_section(self, section: SettingsSection) -> Settings:
        """These settings with a section replaced."""
        return self.model_copy(update={"sections": {**self.sections, section.section: section}})

    def as_read_by(self, recipe: str) -> dict[str, Any]:
        """What a recipe reads, as JSON values by group: shared settings, its own section, those of the sources used.

        Secrets, those in addresses too, paths and where traces are sent are left out.
        """
        content = self.model_dump(mode="json", exclude={"home", "keys", "trace", "serve", "sections"})
        if not self.retrieval.sources:  # results from before there was such a setting keep their hash
            content["retrieval"].pop("sources")
        if not self.retrieval.knowledge_base:
            content["retrieval"].pop("knowledge_base")
        for path in ("replay", "record"):
            content["retrieval"].pop(path)
        if self.verify.own_knowledge == "drop":
            content["verify"].pop("own_knowledge")
        if self.verify.gate:
            content["verify"].pop("gate")
        for found in ("measured_judges", "unproven_judges"):
            if not getattr(self.verify, found):
                content["verify"].pop(found)
        if self.verify.contradiction:
            content["verify"].pop("contradiction")
        own = [kind for kind in (_declared(recipe, RECIPES), *self.source_sections()) if kind]
        content |= {kind.section: self.section(kind).model_dump(mode="json") for kind in own}
        return cast("dict[str, Any]", without_secrets(content))

    def shown(self) -> dict[str, Any]:
        """All settings as JSON values by group, as a settings file names them, with secrets hidden.

        Of the sections, those that the recipe and the sources read, and those that a layer sets.
        """
        shared = self.model_dump(mode="json", exclude={"sections"})
        sections = {name: section.model_dump(mode="json") for name, section in sorted(self.sections.items())}
        read = self.as_read_by(self.recipe.name)
        shown = shared | {name: value for name, value in read.items() if name not in shared} | sections
        return cast("dict[str, Any]", without_secrets(shown))

    def source_sections(self) -> list[type[SettingsSection]]:
        """The sections of the sources that these settings name."""
        return [kind for name in self.retrieval.sources if (kind := _declared(name, SOURCES))]

    @property
    def hash(self) -> str:
        """SHA-256 (16 hex digits) of everything here that can change an answer of the chosen recipe."""
        content = self.as_read_by(self.recipe.name)
        content["model"].pop("cache")
        content["model"].pop("concurrency")
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]

    @classmethod
    def _checked(cls, merged: Mapping[str, Any], layers: list[Layer]) -> Settings:
        """Settings from one tree of values; `layers` show where a wrong one came from."""
        shared = {name: value for name, value in merged.items() if name in cls.model_fields and name != "sections"}
        sections: dict[str, SettingsSection] = {}
        for name in merged.keys() - shared.keys():
            kind = _section_called(name)
            if kind is None:
                raise ConfigError(problem([name], "is not a setting", layers))
            if merged[name] == {}:  # a heading without settings, as in the file of `medground init`
                continue
            try:
                sections[name] = kind.model_validate(merged[name])
            except ValidationError as error:
                raise ConfigError(first_problem(error, layers, within=name)) from None
        try:
            return cls.model_validate({**shared, "sections": sections})
        except ValidationError as error:
            raise ConfigError(first_problem(error, layers)) from None


def section_name(recipe: str) -> str | None:
    """Name of the section that a recipe declares; None where it has none or is not known."""
    kind = _declared(recipe, RECIPES)
    return kind.section if kind else None


def section_of(recipe: str) -> type[SettingsSection] | None:
    """The section that a recipe declares; None where it has none or is not known."""
    return _declared(recipe, RECIPES)


def section_defaults(name: str) -> dict[str, Any]:
    """The default values of a section, as JSON values; none if no recipe or source declares it."""
    kind = _section_called(name)
    return kind().model_dump(mode="json") if kind else {}


def _section_called(name: str) -> type[SettingsSection] | None:
    """The section of that name, which the recipe or the source of that name declares."""
    found = (_declared(name.replace("_", "-"), places) for places in (RECIPES, SOURCES))
    return next((kind for kind in found if kind is not None and kind.section == name), None)


def _declared(name: str, places: Mapping[str, str]) -> type[SettingsSection] | None:
    """The section that a recipe or a source declares; None where it has none or is not known."""
    if name not in places:
        return None
    module, _, constant = places[name].partition(":")
    kind: type[SettingsSection] | None = getattr(import_module(module), constant).settings
    return kind
