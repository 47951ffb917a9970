"""Map the outputs of an NLI model to relations, by the labels in its config."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from medground.errors import ConfigError

_RELATIONS = {
    "entailment": "entailment",
    "entail": "entailment",
    "entails": "entailment",
    "contradiction": "contradiction",
    "contradict": "contradiction",
    "contradicts": "contradiction",
    "neutral": "neutral",
    "not_entailment": "not entailment",
    "non_entailment": "not entailment",
}
_SETS = (["contradiction", "entailment", "neutral"], ["entailment", "not entailment"])


@dataclass(frozen=True)
class Labels:
    """Positions of the relations in a model's output.

    Attributes:
        entailment: index of entailment.
        contradiction: index of contradiction; None for a model that only separates entailment from the rest.
        count: number of outputs per pair.
    """

    entailment: int
    contradiction: int | None
    count: int


def read_labels(name: str, id2label: Mapping[Any, Any] | None) -> Labels:
    """Read the positions from `id2label` of a transformers config, which maps an index (number or text) to a label.

    Raises:
        ConfigError: the labels do not name entailment, or belong to another task.
    """
    try:
        ordered = [str(label) for _, label in sorted((int(place), label) for place, label in (id2label or {}).items())]
    except (TypeError, ValueError):
        ordered = []
    relations = [_RELATIONS.get("_".join(label.lower().replace("-", " ").split())) for label in ordered]
    if sorted(filter(None, relations)) not in _SETS or None in relations:
        raise ConfigError(
            f"NLI model {name!r} has the labels {', '.join(ordered)[:100] or '(none)'}; they must be entailment,"
            " neutral and contradiction, or entailment and not_entailment: name them so in id2label of its config.json"
        )
    return Labels(
        entailment=relations.index("entailment"),
        contradiction=relations.index("contradiction") if "contradiction" in relations else None,
        count=len(relations),
    )
