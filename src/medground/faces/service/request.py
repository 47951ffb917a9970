"""What a client may send for one question, and what of it the server goes along with."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, Field

from medground.corpus.library import Library
from medground.engine.open_engine import corpora_of, usual_corpora
from medground.errors import ConfigError, MedgroundError, UsageError
from medground.home.files import tables
from medground.home.kept_files import settings_of
from medground.home.layers import ALSO
from medground.home.registry import RESEARCH, recipe_names, unknown
from medground.home.settings import Settings, offered_sources, own_sources, section_of
from medground.home.settings_groups import RecipeSettings, VerifySettings
from medground.values.answer import Answer
from medground.values.document import Described
from medground.values.query import Filters
from medground.values.question import Question, Task
from medground.values.research_plan import ResearchPlan
from medground.values.usage import KEYLESS

Value = bool | int | float | str | tuple[str, ...] | None
MOST = 10_000
"""The highest number of a setting that is not a budget: a million rounds are an attack."""

_RETRIEVAL = ("depth", "keep", "fusion_k", "dense")
_BUDGET = ("tokens", "calls", "seconds", "money")
_NAMES_OF_SOURCES = frozenset(tables("home", "registry")["research"]["names_of_sources"])
"""Lists that are only compared with the names of sources that are open."""
_CRITICS = ("check", "critic", "label")
"""The critics that no path and no hub is behind."""


def allowed_keys(recipe: str) -> tuple[str, ...]:
    """The settings that a question with this recipe may change, in order."""
    own = section_of(recipe)
    shared: tuple[tuple[str, type[BaseModel]], ...] = (("recipe", RecipeSettings), ("verify", VerifySettings))
    groups = (*shared, (own.section, own)) if own else shared
    keys = [f"{group}.{name}" for group, kind in groups for name in kind.model_fields if _may(group, name, kind)]
    retrieval = [f"retrieval.{name}" for name in _RETRIEVAL]
    return (*keys, *retrieval, *(f"budget.{name}" for name in _BUDGET))


def allowed_changes(asked: Mapping[str, Value], recipe: str, settings: Settings) -> dict[str, Any]:
    """The settings that a question changes, each checked; a budget only becomes lower than that of `settings`.

    Raises UsageError: a setting is not for clients to change, or its value is wrong.
    """
    known = allowed_keys(recipe)
    changes: dict[str, Any] = {}
    for given, value in asked.items():
        group, _, last = given.rpartition(".")
        key = f"{group}.{ALSO.get(last, last)}"
        if key not in known:
            raise UsageError(f"{key[:80]!r} is not a setting that a question can change; use one of {', '.join(known)}")
        if key == "verify.critic" and value not in _CRITICS:
            raise UsageError(f"{key} takes one of {', '.join(_CRITICS)}")
        if not key.startswith("budget.") and isinstance(value, int | float) and abs(value) > MOST:
            raise UsageError(f"{key} takes at most {MOST:,}")
        changes[key] = value
    try:
        with_them = settings.with_options({"recipe.name": recipe, **changes})
    except ConfigError as error:
        raise UsageError(error.told("server").replace(" (from the options)", "")) from None
    for name in _BUDGET:
        if (wanted := getattr(with_them.budget, name)) is not None and f"budget.{name}" in changes:
            own = getattr(settings.budget, name)
            changes[f"budget.{name}"] = wanted if own is None else min(own, wanted)
    return {key: value for key, value in changes.items() if not key.startswith("budget.") or value is not None}


def _may(group: str, name: str, kind: type[BaseModel]) -> bool:
    key = f"{group}.{name}"
    if key == "recipe.name":  # a field of its own
        return False
    return key in _NAMES_OF_SOURCES or key == "verify.critic" or _closed(kind.model_fields[name].annotation)


def _closed(annotation: Any) -> bool:
    """Whether a field holds nothing but numbers, switches and named choices."""
    if annotation in (bool, int, float, Decimal, type(None), Ellipsis):
        return True
    origin = get_origin(annotation)
    if origin is Literal:
        return True
    if origin in (Union, types.UnionType, tuple):
        return all(_closed(part) for part in get_args(annotation))
    return False


_CORPUS = "corpus:"
"""How the names of sources that are corpora begin."""

Name = Annotated[str, Field(min_length=1, max_length=100)]


class Where(Described):
    """What is searched; where it names anything, that stands in place of all that the server searches by default."""

    corpora: tuple[Name, ...] | None = Field(default=None, max_length=50)
    sources: tuple[Name, ...] | None = Field(default=None, max_length=50)
    knowledge_base: Name | None = None

    def named(self) -> dict[str, Any]:
        """As arguments of the methods of `Service`."""
        return {"corpora": self.corpora, "sources": self.sources, "knowledge_base": self.knowledge_base}


class Given(Where):
    """What a question can be given with its text, as for `Engine.ask`.

    One that follows an answer and names nothing to search is asked of what that answer was asked of.
    """

    task: Task | None = None
    """the kind of answer; inferred from the question when absent"""
    options: tuple[Annotated[str, Field(max_length=4_000)], ...] | dict[Name, str] = Field(default=(), max_length=26)
    """the choices of a choice question"""
    context: str = Field(default="", max_length=64_000)
    """a case or a passage that the question is about"""
    filters: Filters = Filters()
    follow: Name | None = None
    """the trace id of your answer that this question follows"""
    plan: ResearchPlan | None = None
    """a plan of research to follow"""
    settings: dict[Name, Value] = Field(default_factory=dict, max_length=100)
    """such as `{"recipe.rounds": 2}`; budgets only become lower"""


class AskBody(Given):
    """One question of a client."""

    kind: Literal["ask", "research"] = "ask"
    question: str = Field(min_length=1, max_length=20_000)
    recipe: Name | None = None
    model: Name | None = None
    """one of the models that the server offers"""

    @property
    def asked_recipe(self) -> str | None:
        """The recipe that it names, or that research has by default."""
        return self.recipe or (RESEARCH if self.kind == "research" else None)


@dataclass(frozen=True)
class Searched:
    """What an engine has open: corpora, sources and a knowledge base, by name."""

    corpora: tuple[str, ...]
    sources: tuple[str, ...]
    knowledge_base: str = ""

    @classmethod
    def named(cls, settings: Settings) -> Searched:
        """What the settings name."""
        wanted = settings.retrieval
        return cls(wanted.corpora, own_sources(settings), wanted.knowledge_base or "")

    @classmethod
    def by_default(cls, settings: Settings) -> Searched:
        """What is searched for who names nothing. It reads the home folder, and then blocks."""
        return replace(cls.named(settings), corpora=usual_corpora(settings))

    def options(self) -> dict[str, Any]:
        """As options of settings."""
        changes: dict[str, Any] = {"retrieval.corpora": self.corpora, "retrieval.sources": self.sources}
        if "pubmed" not in self.sources:
            changes["retrieval.pubmed"] = None
        return changes | {"retrieval.knowledge_base": self.knowledge_base}


@dataclass(frozen=True)
class Terms:
    """A question that the server goes along with: what is asked, of what, and with which settings changed.

    `free`: no model is called that could cost tokens or money.
    """

    question: Question
    searched: Searched
    recipe: str | None
    model: str | None
    settings: Mapping[str, Any]
    free: bool


def is_free(settings: Settings) -> bool:
    """Whether nothing but word statistics answers."""
    return {settings.served.default, *settings.served.operators.values()} == {KEYLESS}


def with_seconds(settings: Settings, kind: Literal["ask", "research"]) -> Settings:
    """Settings in which a question has no more seconds than the server gives to its kind."""
    most = settings.serve.research_seconds if kind == "research" else settings.serve.seconds
    own = settings.budget.seconds
    return settings.with_options({"budget.seconds": most if own is None else min(own, most)})


def offered_models(settings: Settings) -> tuple[str, ...]:
    """The models that a client may name, the default first."""
    return tuple(dict.fromkeys([settings.model.default, *settings.serve.models]))


def searched_by(
    settings: Settings,
    corpora: tuple[str, ...] | None = None,
    sources: tuple[str, ...] | None = None,
    knowledge_base: str | None = None,
) -> Searched:
    """What is searched for a client who names these; None names nothing. It may read the home folder, and then blocks.

    Raises UsageError: the server does not offer a source.
    """
    if corpora is None and sources is None and knowledge_base is None:
        return Searched.by_default(settings)
    offered = offered_sources(settings)
    if unknown := [name for name in sources or () if name not in offered]:
        names = ", ".join(offered) or "none"
        raise UsageError(f"the source {unknown[0]!r} is not offered here; sources: {names}")
    if outside := [name for name in corpora or () if "/" in name and name not in settings.retrieval.corpora]:
        raise UsageError(f"{outside[0]!r} is not a corpus of this server; name one that it lists")
    used = own_sources(settings) if sources is None else sources
    found = Searched(tuple(dict.fromkeys(corpora or ())), tuple(dict.fromkeys(used)), knowledge_base or "")
    if not (found.corpora or found.sources or found.knowledge_base):
        raise UsageError("there is nothing to search; name a corpus, a source or a knowledge base")
    return found


def searched_for(answer: Answer, settings: Settings) -> Searched:
    """What holds the documents of an answer: the corpora that it quotes and that are still there, and the server's own
    sources. It reads the home folder, and then blocks."""
    used = Searched.by_default(settings)
    quoted = {evidence.document_id for evidence in answer.evidence}
    sources = dict.fromkeys(document.source for document in answer.documents if document.id in quoted)
    names = [source.removeprefix(_CORPUS) for source in sources if source.startswith(_CORPUS)]
    corpora = tuple(name for name in names if Library(settings.home).has(name))
    return Searched(corpora, used.sources) if corpora else used


def chosen_for(answer: Answer, settings: Settings) -> Searched | None:
    """What was chosen to be searched for an answer, as far as it is still here. It reads the home folder, and blocks.

    None where it is not known, or was all that was there by default: then what was built since is searched, too.
    """
    try:
        then = settings_of(answer, settings)
        corpora = corpora_of(then)
    except (UsageError, ConfigError):
        return None
    library, default = Library(settings.home), Searched.by_default(settings)
    offered = offered_sources(settings)
    sources = tuple(name for name in own_sources(then) if name in offered)
    corpora = tuple(name for name in corpora if name in default.corpora or library.has(name))
    usual = corpora_of(settings.with_options(default.options()))
    left_out = [name for name in usual if name not in corpora and _was_there(library, name, answer)]
    if not (corpora or sources) or (sources == default.sources and not left_out and set(corpora) <= set(usual)):
        return None
    return Searched(corpora, sources)


def _was_there(library: Library, name: str, answer: Answer) -> bool:
    try:
        return library.info(name).created < answer.created
    except MedgroundError:  # it is not built, or damaged
        return False


def terms_of(asked: AskBody, settings: Settings, followed: Answer | None = None) -> Terms:
    """What the server goes along with; `followed` is the answer that it follows. It reads files, and then blocks.

    Raises UsageError: the question cannot be asked; a recipe is unknown; a model, a source or a setting is not for
    clients to choose; a value is wrong.
    """
    recipe = asked.asked_recipe
    if recipe is not None and recipe not in recipe_names():
        raise unknown("recipes", recipe)
    models = offered_models(settings)
    if asked.model is not None and asked.model not in models:
        raise UsageError(f"the model {asked.model!r} is not offered here; models: {', '.join(models)}")
    limited = with_seconds(settings, asked.kind)
    changes = allowed_changes(asked.settings, recipe or settings.recipe.name, limited)
    if asked.kind == "research":
        changes.setdefault("budget.seconds", limited.budget.seconds)
    question = Question.ask(
        asked.question, task=asked.task, options=asked.options, context=asked.context, filters=asked.filters
    )
    wanted = (asked.corpora, asked.sources, asked.knowledge_base)
    former = chosen_for(followed, settings) if followed is not None and wanted == (None, None, None) else None
    searched = former or searched_by(settings, *wanted)
    named = {"recipe.name": recipe, "model.default": asked.model}
    chosen = settings.with_options(changes | {key: value for key, value in named.items() if value is not None})
    return Terms(question, searched, recipe, asked.model, changes, is_free(chosen))
