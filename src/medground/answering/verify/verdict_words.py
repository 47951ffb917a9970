"""The verdict on a statement in words, the same in every face."""

from __future__ import annotations

import re
from collections.abc import Sequence

from medground.language.clean import clean, sentence
from medground.values.statement import Verdict
from medground.values.usage import KEYLESS

_LABELS = {
    "supported": "supported",
    "partly": "partly supported",
    "contradicted": "contradicted by the cited text",
    "quoted": "quoted from the source",
    "related": "related text, but not support",
    "not found": "not found in the cited text",
    "not judged": "not assessed",
    "unverified": "not checked, because the check failed",
    "given": "from the context given with the question, not from evidence",
}
_FAULTS = {
    "retrieval": "no relevant passage was retrieved",
    "generation": "the text goes beyond the retrieved passages",
}
_RULES = ("verbatim", "citation", "retraction", "form", "graph", "context", KEYLESS)
"""Critics that compare ids, letters and words. Their verdict is complete without a name."""
_EXPLAINED = (
    *("purpose", "title", "reference", "quotation", "quantity", "misplaced", "citation", "contradiction"),
    *("incorrect", "disputed", "own knowledge", "subject"),
)
"""Flags that a verdict explains in words. The others name a difference from the quote."""
_FOLDERS = re.compile(r"(?<=:)[/.~].*/(?=[^/])")
"""The folders of a model that is named by its path."""


def verdict(found: Verdict, place: Sequence[str] = ()) -> str:
    """The verdict on a sentence.

    Args:
        place: where in the paper a quoted sentence is from, such as its section and page.
    """
    label, note, differences = _LABELS[found.label], clean(found.note), _differences(found)
    if found.label == "quoted":
        where = f" ({clean(', '.join(place))})" if place else ""
        return _noted(label + where, [*_no_finding(found), *differences])
    if found.label == "not judged" and note:  # the note names the judge and what the judge said
        return _noted(note, differences, joint="; ")
    if found.label == "not found" and found.critic in _RULES and note:
        return _noted("not supported", [note, *differences])
    if found.label == "related" and not found.judged_by_model:
        return _noted("related text, not assessed", [*differences, note])
    return _noted(label + _judge(found), [*differences, note])


def category(found: Verdict) -> str:
    """The eight-label category with who gave it, and where an unsupported statement went wrong; may be empty."""
    if found.category is None:
        label = ""
    elif found.critic == "graph":
        label = f"{found.category} (from the stored relation)"
    else:
        label = f"{found.category} ({found.labelled_by if found.labelled_by_model else 'by word comparison'})"
    error = f"{found.error_source} error: {_FAULTS[found.error_source]}" if found.error_source else ""
    return "; ".join(part for part in (clean(label), error) if part)


def _noted(label: str, notes: Sequence[str], joint: str = ": ") -> str:
    noted = "; ".join(filter(None, notes))
    return sentence(label + joint + noted if noted else label)


def _judge(found: Verdict) -> str:
    """Who gave a verdict, and how sure that judge was, in brackets."""
    shown = [] if found.critic in _RULES else [critic_name(found.critic)]
    if found.probability is not None and found.label != "not judged":
        shown.append(f"{found.probability:.0%}")
    return f" ({', '.join(shown)})" if shown else ""


def critic_name(critic: str) -> str:
    """A critic's name without the folders of its model."""
    return _FOLDERS.sub("", clean(critic))


def _differences(found: Verdict) -> list[str]:
    differing = [clean(flag) for flag in found.flags if flag not in _EXPLAINED]
    said = [f"may differ from the quote in {', '.join(differing)}"] if differing else []
    misplaced = ["the quote may give its number for another group or outcome"] if "misplaced" in found.flags else []
    return said + misplaced


def _no_finding(found: Verdict) -> list[str]:
    if "title" in found.flags:
        return ["a title, not a finding"]
    return ["an aim, question or assumption, not a finding"] if "purpose" in found.flags else []
