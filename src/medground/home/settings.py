"""Settings: built-in defaults, then a preset, then `medground.toml`, then `MEDGROUND_*`, then options.

Unknown keys are refused. What all recipes share is declared here; a recipe's or a source's own settings are a section
that it declares itself (`recipes/settings`). `Settings.hash` covers everything that can change an answer of the chosen
recipe: the shared settings, its own section and those of the sources used, but no secret and no path.
"""

from __future__ import annotations

import contextlib
import json
import os
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeGuard, TypeVar, cast, get_args, get_origin

import platformdirs
from pydantic import BaseModel, Field, SerializeAsAny, ValidationError

from medground.errors import ConfigError, UsageError
from medground.home.files import digest
from medground.home.layers import (
    FILE_NAME,
    NOT_A_SETTING,
    Layer,
    environment_layer,
    file_layer,
    first_problem,
    merge,
    options_layer,
    preset_layer,
    problem,
)
from medground.home.registry import RECIPES, SOURCES, Group, find, names, places, trust
from medground.home.secrets import known_secrets, with_secrets_of, without_secrets
from medground.home.settings_groups import (
    BudgetSettings,
    KeySettings,
    ModelSettings,
    OperatorSettings,
    ReadSettings,
    RecipeSettings,
    RetrievalSettings,
    ServerSettings,
    ServeSettings,
    SettingsSection,
    TraceSettings,
    VerifySettings,
)
from medground.values.document import Frozen

S = TypeVar("S", bound=SettingsSection)

COMPATIBLE = ("openai", "openai-chat")
"""Providers of models that are at `model.base_url` where that is set."""


def _default_home() -> Path:
    return Path(os.environ.get("MEDGROUND_HOME") or platformdirs.user_data_path("medground", appauthor=False))


class Settings(Frozen):
    """Every choice of a run. Build it with `Settings.load`."""

    model: ModelSettings = ModelSettings()
    models: Mapping[str, ServerSettings] = Field(default_factory=dict)
    operators: Mapping[str, OperatorSettings] = Field(default_factory=dict)
    budget: BudgetSettings = BudgetSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    read: ReadSettings = ReadSettings()
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
        trust(merged)
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
        return merged if "home" in changed else merged.replace(home=self.home)

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
        return chosen.replace(**stays)

    @classmethod
    def resolved(cls, given: Settings | Mapping[str, Any] | None) -> Settings:
        """The settings that a program gives: as they are, or those that are loaded with some changed.

        Raises UsageError: it is neither; ConfigError: as `load`.
        """
        if isinstance(given, Settings):
            return given
        if given is not None and not isinstance(given, Mapping):
            raise UsageError(f'settings are Settings or changes such as {{"retrieval.keep": 5}}, not {given!r:.80}')
        return cls.load(options=given)

    def section(self, kind: type[S]) -> S:
        """The settings of a section; its defaults where no layer sets any."""
        found = self.sections.get(kind.section)
        return found if isinstance(found, kind) else kind()

    @property
    def served(self) -> ModelSettings:
        """The models, with those that the section of the recipe implies."""
        kind = section_of(self.recipe.name)
        implied = self.section(kind).models if kind else {}
        return self.model.replace(operators={**implied, **self.model.operators})

    def server_of(self, model: str, operator: str = "") -> ServerSettings:
        """How a model is reached and asked: by the settings of an operator, else its own, else those of all models."""
        shared = self.model.model_dump(include=set(ServerSettings.model_fields), exclude_unset=True)
        if model.partition(":")[0] not in COMPATIBLE:
            shared.pop("base_url", None)
        for own in (self.models.get(model), self.operators.get(operator)):
            shared |= own.model_dump(include=set(ServerSettings.model_fields), exclude_unset=True) if own else {}
        return ServerSettings.model_validate(shared)

    def with_section(self, section: SettingsSection) -> Settings:
        """These settings with a section replaced."""
        return self.replace(sections={**self.sections, section.section: section})

    def as_read_by(self, recipe: str) -> dict[str, Any]:
        """What a recipe reads, as JSON values by group: shared settings, its own section, those of the sources used.

        Secrets, those in addresses too, paths and where traces are sent are left out.
        """
        content = self.model_dump(mode="json", exclude={"home", "keys", "trace", "serve", "sections"})
        for path in ("replay", "record"):
            content["retrieval"].pop(path)
        content = {name: group for name, group in content.items() if group or name not in ("models", "operators")}
        own = [kind for kind in (section_of(recipe), *self.source_sections()) if kind]
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
        return [kind for name in self.retrieval.sources if (kind := section_of(name))]

    @property
    def hash(self) -> str:
        """SHA-256 (16 hex digits) of everything here that can change an answer of the chosen recipe."""
        content = self.as_read_by(self.recipe.name)
        content["model"].pop("cache")
        content["model"].pop("concurrency")
        for name, text in self.prompts.items():
            content["operators"][name]["instructions"] = digest(text)
        return digest(content)[:16]

    @property
    def prompts(self) -> dict[str, str]:
        """The user's own prompts by operator, as their files hold them.

        Raises ConfigError: one cannot be read.
        """
        asked = self.operators.items()
        return {name: self._prompt(name, one.instructions) for name, one in asked if one.instructions is not None}

    def _prompt(self, operator: str, path: Path) -> str:
        found = next((one for one in (path.expanduser(), self.home / "prompts" / path) if one.is_file()), None)
        if found is None:
            where = f"neither in this folder nor in {self.home / 'prompts'}"
            how = "write it there, name its path, or make those of a paper with scripts/paper_prompts.py"
            raise ConfigError(f"operators.{operator}.instructions: {path} is {where}; {how}")
        try:
            return found.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"operators.{operator}.instructions: {found} cannot be read: {error}") from None

    @classmethod
    def _checked(cls, merged: Mapping[str, Any], layers: list[Layer]) -> Settings:
        """Settings from one tree of values; `layers` show where a wrong one came from."""
        shared = {name: value for name, value in merged.items() if name in cls.model_fields and name != "sections"}
        sections: dict[str, SettingsSection] = {}
        for name in merged.keys() - shared.keys():
            kind = section_called(name, merged)
            if merged[name] == {} and (kind or name in SOURCES):  # only a heading, as in the file of `medground init`
                continue
            if kind is None:
                raise ConfigError(problem([name], NOT_A_SETTING, layers, setting_names))
            try:
                sections[name] = kind.model_validate(merged[name])
            except ValidationError as error:
                raise ConfigError(first_problem(error, layers, setting_names, within=name)) from None
        try:
            return cls.model_validate({**shared, "sections": sections})
        except ValidationError as error:
            raise ConfigError(first_problem(error, layers, setting_names)) from None


def own_sources(settings: Settings) -> tuple[str, ...]:
    """The sources that the settings name, PubMed's address included."""
    pubmed = ("pubmed",) if settings.retrieval.pubmed else ()
    return tuple(dict.fromkeys([*settings.retrieval.sources, *pubmed]))


def offered_sources(settings: Settings) -> tuple[str, ...]:
    """The sources that a client may name."""
    return tuple(dict.fromkeys([*own_sources(settings), *settings.serve.sources]))


def section_defaults(name: str) -> dict[str, Any]:
    """The default values of a section, as JSON values; none if no recipe or source declares it."""
    kind = section_called(name)
    return kind().model_dump(mode="json") if kind else {}


def section_called(name: str, merged: Any = None) -> type[SettingsSection] | None:
    """The section with this name that a recipe or a source declares; `merged` are settings that may name others."""
    kinds = map(section_of, (name.replace("_", "-"), name, *places(merged)))
    return next((kind for kind in kinds if kind is not None and kind.section == name), None)


def section_of(name: str) -> type[SettingsSection] | None:
    """The section that a recipe or a source declares; None where it has none or is not known."""
    groups: tuple[Group, ...] = ("sources",) if name in SOURCES else ("recipes", "sources")
    declared = next((one for group in groups if (one := find(group, name, object)) is not None), None)
    kind = getattr(declared, "settings", None)
    return kind if isinstance(kind, type) and issubclass(kind, SettingsSection) else None


# A settings file to begin with: every setting with its default, as a comment.

_HEAD = """\
# Settings of Medground, read from the folder where you work; `--settings FILE` names another file.
# Each setting is shown with its default. Remove the `#` before a setting to change it; `medground config show` prints
# what applies."""
_WIDTH = 118


def settings_file() -> str:
    """All settings and sections with their defaults, as comments; read back, it changes nothing."""
    blocks = [_group(name, kind) for name, kind in _groups()]
    blocks[1:1] = [_named('models."openai:NAME"', ServerSettings), _named("operators.NAME", OperatorSettings)]
    home = "# home: the folder of everything that is yours (default: not set; MEDGROUND_HOME sets it too)"
    return "\n\n".join([_HEAD, home, *blocks]) + "\n"


def setting_names(deep: bool) -> list[str]:
    """Dotted names of all settings; those of their groups unless `deep`."""
    return [f"{group}.{name}" if deep else group for group, kind in _groups() for name in kind.model_fields]


def _groups() -> list[tuple[str, type[BaseModel]]]:
    groups = [(name, field.annotation) for name, field in Settings.model_fields.items()]
    shared = [(name, kind) for name, kind in groups if _is_group(kind)]
    within = [
        (f"{name}.{part}", field.annotation) for name, kind in shared for part, field in kind.model_fields.items()
    ]
    return [*shared, *((name, kind) for name, kind in within if _is_group(kind)), *_sections().items()]


def _is_group(kind: Any) -> TypeGuard[type[BaseModel]]:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _sections() -> dict[str, type[SettingsSection]]:
    found: dict[str, type[SettingsSection]] = {}
    for name in (*RECIPES, *SOURCES, *names("recipes"), *names("sources")):
        with contextlib.suppress(ConfigError):  # an extra is missing, or a package is broken: no settings to use
            if kind := section_of(name):
                found.setdefault(kind.section, kind)
    return found


def _group(name: str, kind: type[BaseModel]) -> str:
    about = " ".join((kind.__doc__ or "").split()) if "__doc__" in vars(kind) else ""
    return "\n".join([*_comment(about), f"[{name}]", *_fields(kind)])


def _named(heading: str, kind: type[BaseModel]) -> str:
    """A group of one model or operator, without which there is none of it."""
    lines = [*_comment(" ".join((kind.__doc__ or "").split())), f"# [{heading}]"]
    return "\n".join([*lines, *(f"# {name}: {field.description}" for name, field in kind.model_fields.items())])


def _fields(kind: type[BaseModel]) -> Iterator[str]:
    for name, field in kind.model_fields.items():
        if _is_group(field.annotation):
            continue
        default = field.get_default(call_default_factory=True)
        about = "; ".join(filter(None, [field.description, _choices(field.annotation)]))
        if default is None:  # TOML has no value for it
            yield from _comment(f"{name}: {about} (default: not set)" if about else f"{name}: (default: not set)")
        else:
            yield from _comment(about)
            yield f"#{name} = {_toml(default)}"


def _choices(annotation: Any) -> str:
    values = get_args(annotation) if "Literal" in str(get_origin(annotation)) else ()
    return f"one of {', '.join(values)}" if values and all(isinstance(v, str) for v in values) else ""


def _toml(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{json.dumps(k)} = {_toml(v)}' for k, v in value.items())} }}" if value else "{}"
    return json.dumps(value) if isinstance(value, (str, bool)) else str(value)


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="# ", subsequent_indent="# ")
