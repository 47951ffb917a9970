"""The phases of building a corpus, in words."""

from __future__ import annotations

from collections.abc import Sequence

from medground.corpus.manifest import Manifest

_PHASES = {
    "read": "reading documents",
    "join": "joining documents with their records",
    "index": "indexing passages",
    "embed": "computing vectors",
    "index vectors": "indexing vectors",
    "finish": "finishing",
}
_NAMED = 3


def phase(step: str) -> str:
    """A step of a build, such as `read`, as people read it."""
    if step in _PHASES:
        return _PHASES[step]
    verb, _, what = step.partition(" ")
    return f"{verb}ing {what}" if verb in ("read", "join", "index") else step


def built(manifest: Manifest, passed_over: Sequence[str]) -> str:
    """What a finished build made, with the first files that were passed over."""
    counts = manifest.counts
    said = f"{manifest.name}: {_many(counts.documents, 'document')}, {_many(counts.passages, 'passage')}"
    if not passed_over:
        return said
    names = ", ".join(passed_over[:_NAMED])
    more = f" and {len(passed_over) - _NAMED:,} more" if len(passed_over) > _NAMED else ""
    return f"{said}; {_many(len(passed_over), 'file')} passed over: {names}{more}"


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
