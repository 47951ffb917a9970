"""What a fetched critic changes: without a language model, it judges where no setting names another.

Such a default is part of the settings that a question is answered with, so that its answer's hash tells it.
"""

from __future__ import annotations

import importlib.util

from medground.author import Author
from medground.models.pairs.shipped import shipped
from medground.settings import Settings
from medground.verify.judges import may_judge

_ENTAIL = "entail"


def with_fetched(settings: Settings) -> Settings:
    """The settings with what was fetched; unchanged where a language model judges or nothing was fetched.

    A critic is a default only if it may judge (`verify.judges`). Whoever names `verify.critic` gets what was named.
    """
    model = settings.model
    if Author(model.default).is_model or Author(model.operators.get(_ENTAIL, model.default)).is_model:
        return settings
    if "critic" in settings.verify.model_fields_set or importlib.util.find_spec("onnxruntime") is None:
        return settings
    for one in shipped().values():
        if one.find(settings.home / "models") is not None and may_judge(one.name, settings.verify):
            return settings.with_options({"verify.critic": one.name})
    return settings
