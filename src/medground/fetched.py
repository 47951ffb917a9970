"""What a fetched network changes: without a language model, it is the critic or the reranker that no setting names.

Such defaults are part of the settings that a question is answered with, so that its answer's hash tells them.
"""

from __future__ import annotations

import importlib.util

from medground.author import Author
from medground.models.pairs.shipped import Shipped, shipped
from medground.settings import Settings
from medground.verify.judges import may_judge

_ENTAIL = "entail"


def with_fetched(settings: Settings) -> Settings:
    """The settings with what was fetched; unchanged where a language model judges or nothing was fetched.

    A critic is a default only if it may judge (`verify.judges`), a ranker only if it was measured to help. Whoever
    names `verify.critic` or `retrieval.reranker` gets what was named.
    """
    model = settings.model
    if Author(model.default).is_model or Author(model.operators.get(_ENTAIL, model.default)).is_model:
        return settings
    changes: dict[str, str] = {}
    for one in shipped().values():
        if one.find(settings.home / "models") is None or importlib.util.find_spec("onnxruntime") is None:
            continue
        key = _key(one, settings)
        if key and key not in changes:
            changes[key] = one.name
    return settings.with_options(changes) if changes else settings


def _key(one: Shipped, settings: Settings) -> str:
    """The setting that names this network; empty where another choice was made or it has not proved itself."""
    if one.card.kind == "ranker":
        named = "reranker" in settings.retrieval.model_fields_set
        helps = one.card.orders_passages or one.card.orders_sentences
        return "retrieval.reranker" if helps and not named else ""
    if "critic" in settings.verify.model_fields_set or not may_judge(one.name, settings.verify):
        return ""
    return "verify.critic"
