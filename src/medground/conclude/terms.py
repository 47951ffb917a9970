"""The terms under which a cited text may be used: its own licence, else that of the source it was found in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from medground.described import SourceDescription
from medground.sources.base import DescribedSource, Source, TermsSource


def descriptions(sources: Sequence[Source]) -> Mapping[str, SourceDescription]:
    """What the builders of sources said of their texts, by name, for the sources that have such a description."""
    told = ((source.name, _told(source)) for source in sources)
    return {name: described for name, described in told if described is not None}


def _told(source: Source) -> SourceDescription | None:
    if isinstance(source, TermsSource):
        return source.terms
    return source.described if isinstance(source, DescribedSource) else None
