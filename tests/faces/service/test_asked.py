"""What a client may send: numbers, switches and named choices, and never a path, an address, a key or a model."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from pydantic import BaseModel, ValidationError
from rows import each_row

from medground.errors import UsageError
from medground.faces.service.request import Asked, allowed_keys, terms_of
from medground.home.registry import recipe_names
from medground.home.settings import Settings, section_of

SERVER = Settings.load(environ={}, options={"budget.tokens": 1000, "budget.money": 2, "retrieval.corpora": ("papers",)})
QUESTION = "Does aspirin reduce the risk of stroke?"


def every_key() -> list[str]:
    """Every setting that there is, by its dotted name."""
    kinds = {name: field.annotation for name, field in Settings.model_fields.items()}
    kinds |= {kind.section: kind for kind in map(section_of, recipe_names()) if kind}
    nested = [
        f"{group}.{name}"
        for group, kind in kinds.items()
        if isinstance(kind, type) and issubclass(kind, BaseModel)
        for name in kind.model_fields
    ]
    return [*nested, "home", "sections", "recipe", "keys", "verify"]


KEYS = every_key()
FORBIDDEN_WORDS = ("home", "keys", "model.", "trace.", "serve.", "adapter", "judges", "embedder", "pool", "reranker")
PLACES = ["/etc/passwd", "nli:/srv/model", "http://169.254.169.254/", "planner:/x", "openai:gpt-5", "last"]
VALUES = some.one_of(
    *(some.booleans(), some.integers(), some.floats(), some.none(), some.text(max_size=50)),
    *(some.sampled_from(PLACES), some.lists(some.text(max_size=10), max_size=3)),
)


def changed(asked: Asked) -> Settings:
    terms = terms_of(asked, SERVER)
    recipe = {"recipe.name": terms.recipe} if terms.recipe else {}
    return SERVER.with_options({**terms.settings, **recipe})


@given(
    key=some.one_of(some.sampled_from(KEYS), some.text(max_size=40)),
    value=VALUES,
    recipe=some.sampled_from(recipe_names()),
)
def test_no_setting_outside_the_list_passes_and_no_text_that_could_be_a_place(
    key: str, value: Any, recipe: str
) -> None:
    try:
        settings = changed(Asked(question=QUESTION, recipe=recipe, settings={key: value}))
    except (ValidationError, UsageError):
        return
    assert key in allowed_keys(recipe)
    assert not any(word in key for word in FORBIDDEN_WORDS)
    untouched = ("model", "keys", "trace", "serve", "home")
    assert all(getattr(settings, name) == getattr(SERVER, name) for name in untouched)
    numbers = dict.fromkeys(("depth", "keep", "fusion_k", "dense"))
    assert settings.retrieval.model_copy(update=numbers) == SERVER.retrieval.model_copy(update=numbers)
    for name in ("tokens", "money", "calls", "seconds"):
        own = getattr(SERVER.budget, name)
        assert own is None or getattr(settings.budget, name) <= own


@each_row(
    ("settings", "message"),
    [
        ({"model.default": "openai:gpt-5"}, "'model.default' is not a setting that a question can change"),
        ({"verify.critic": "nli:/srv"}, "verify.critic takes one of entail, critic, label"),
        ({"recipe.rounds": 10**9}, "recipe.rounds takes at most 10,000"),
        ({"recipe.rounds": 0}, "recipe.rounds: too small; use 1 or more"),
        ({"recipe.rounds": "many"}, "recipe.rounds: not a whole number"),
        ({"self_medrag.passages": 3}, "is not a setting"),  # of another recipe
    ],
)
def test_what_is_refused_is_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as error:
        terms_of(Asked(question=QUESTION, settings=settings), SERVER)
    assert message in str(error.value)


def test_budgets_only_become_lower_and_settings_are_those_of_the_recipe() -> None:
    chosen = changed(Asked(question=QUESTION, recipe="self-medrag", settings={"self_medrag.passages": 3}))
    assert chosen.sections["self_medrag"].model_dump()["passages"] == 3
    terms = terms_of(Asked(question=QUESTION, kind="research", corpora=("papers", "others")), SERVER)
    assert (terms.recipe, terms.searched.corpora, terms.free) == ("biomedsearch", ("papers", "others"), True)
    asked = {"budget.tokens": 5000, "budget.money": 0.5, "budget.calls": 3, "budget.seconds": 1e6}
    budget = changed(Asked(question=QUESTION, settings=asked)).budget
    assert (budget.tokens, budget.money, budget.calls, budget.seconds) == (1000, Decimal("0.5"), 3, 120.0)
    assert changed(Asked(question=QUESTION, kind="research", settings=asked)).budget.seconds == 3600.0
    assert changed(Asked(question=QUESTION, settings={"budget.seconds": 5})).budget.seconds == 5
    assert terms_of(Asked(question=QUESTION), SERVER).settings == {}  # so that its id is that of the command line


def test_sources_and_models_are_those_that_the_server_offers() -> None:
    server = SERVER.with_options({"serve.models": ("openai:gpt-5",), "serve.sources": ("europepmc", "pubmed")})
    terms = terms_of(Asked(question=QUESTION, model="openai:gpt-5", sources=("europepmc",)), server)
    assert (terms.model, terms.searched.sources, terms.searched.corpora, terms.free) == (
        "openai:gpt-5",
        ("europepmc",),
        (),
        False,
    )
    for asked, message in (
        (Asked(question=QUESTION, sources=("google",)), "the source 'google' is not offered here; sources: europepmc"),
        (Asked(question=QUESTION, model="local:/srv/x.gguf"), "is not offered here; models: keyless, openai:gpt-5"),
        (Asked(question=QUESTION, recipe="../x"), "unknown recipe"),
        (Asked(question=QUESTION, corpora=()), "there is nothing to search"),
    ):
        with pytest.raises(UsageError, match=message):
            terms_of(asked, server)
    server = SERVER.with_options({"retrieval.pubmed": "live", "serve.sources": ("europepmc",)})
    searched = terms_of(Asked(question=QUESTION, sources=("europepmc",)), server).searched
    assert server.with_options(searched.options()).retrieval.pubmed is None  # it is not named, so not searched
    both = terms_of(Asked(question=QUESTION, corpora=("papers",)), server).searched
    assert (both.corpora, both.sources) == (("papers",), ("pubmed",))
