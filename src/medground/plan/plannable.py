"""Which sources a plan may name: those that are open, and those that are wanted and not configured."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

from medground.described import SourceDescription
from medground.document import SourceKind
from medground.recipes.settings.omni_rag import OmniRagSettings
from medground.run import Run
from medground.sources.base import DescribedSource, Source

FIVE_KINDS: tuple[SourceKind, ...] = ("book", "guideline", "research", "wiki", "graph")
"""The kinds of source of MedOmniKB (section 3)."""
_NOT_A_NAME = re.compile(r"[^a-z0-9_-]+")


@dataclass(frozen=True)
class OpenSource:
    """A source as plans name it, and the sources of the run that hold it, by their names."""

    description: SourceDescription
    names: tuple[str, ...]


def plannable(run: Run) -> tuple[SourceDescription, ...]:
    """Descriptions of the open sources that the settings allow in a plan, in order."""
    return tuple(one.description for one in open_to_plans(run.sources, run.settings.section(OmniRagSettings)))


def not_configured(run: Run) -> tuple[SourceDescription, ...]:
    """Sources that a plan should have and that are not open: those that `only` names, or the five kinds of the paper.

    A corpus without a description may hold any kind, so beside one only what `only` names is missing.
    """
    choices = run.settings.section(OmniRagSettings)
    present = open_to_plans(run.sources, OmniRagSettings())
    known = {word for one in present for word in (one.description.name, one.description.kind)}
    wanted: Iterable[str] = choices.only or (
        () if any(len(source.kinds) > 1 and _own(source) is None for source in run.sources) else FIVE_KINDS
    )
    missing = [word for word in wanted if word not in known and word not in choices.without]
    return tuple(SourceDescription.of_kind(kind) for kind in get_args(SourceKind) if kind in missing)


def open_to_plans(sources: Sequence[Source], choices: OmniRagSettings) -> list[OpenSource]:
    """The open sources under the names of their descriptions; sources with the same name are one."""
    found: dict[str, tuple[SourceDescription, list[str]]] = {}
    for source in sources:
        description = _described(source, sources)
        if description is not None and _allowed(description, choices):
            found.setdefault(description.name, (description, []))[1].append(source.name)
    return [OpenSource(description, tuple(names)) for description, names in found.values()]


def _allowed(description: SourceDescription, choices: OmniRagSettings) -> bool:
    words = {description.name, description.kind}
    return not words.intersection(choices.without) and (not choices.only or bool(words.intersection(choices.only)))


def _described(source: Source, sources: Sequence[Source]) -> SourceDescription | None:
    """What a source says of itself; else its kind; a corpus of any kind is known by its own name.

    The pages of a base's graph are a corpus too, which says nothing of itself: its graph is asked instead.
    """
    if described := _own(source):
        return described
    if len(source.kinds) == 1:
        return SourceDescription.of_kind(next(iter(source.kinds)))
    in_a_base = any(_own(other) and len(other.kinds) > 1 for other in sources)
    if in_a_base and any(other.kinds == {"graph"} and other.state == source.state for other in sources):
        return None
    name = _NOT_A_NAME.sub("-", source.name.rpartition(":")[2].lower()).strip("-_0123456789")[:32] or "corpus"
    return SourceDescription(
        name=name,
        kind="research",
        about=f"The corpus {source.name.rpartition(':')[2]}: texts that were collected by the person who asks.",
        licence="not recorded",
        origin="not recorded",
    )


def _own(source: Source) -> SourceDescription | None:
    return source.described if isinstance(source, DescribedSource) else None
