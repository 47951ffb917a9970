"""How an answer's parts are put into words, the same in every face."""

from __future__ import annotations

import unicodedata

from medground.answer import Answer, Decision, Search, SourceDocument, Statement, UsageReport
from medground.evidence import Evidence

_STATUS = {
    "lean": "leans {value}",
    "not judged": "not judged",
    "unanswerable": "unanswerable",
}
_CALLED = {
    "supported": "supported by the cited evidence",
    "partly": "partly supported",
    "contradicted": "contradicted by the cited evidence",
    "quoted": "the source's own words",
    "related": "related text found, not judged",
    "not found": "not found in the cited evidence",
    "not judged": "not judged",
    "unverified": "could not be verified",
}


def clean(text: str) -> str:
    """Text that others wrote, without control characters (a document could move the cursor or recolour a terminal)."""
    return "".join(c if c == "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Cs") else " " for c in text)


def headline(answer: Answer) -> str:
    """The decision in a few words, such as `yes` or `leans no (72 %, estimated)`."""
    decision = answer.decision
    value = decision.shown() or ""
    if value and value == " ".join(statement.text for statement in answer.statements):
        return "answered as follows"  # the whole rationale is the answer: once is enough
    value = clean(value)
    shown = value if decision.status == "decided" else _STATUS[decision.status].format(value=value)
    return shown + (f" ({decision.probability:.0%}, estimated)" if decision.probability is not None else "")


def basis(decision: Decision) -> str:
    """What the decision rests on."""
    parts = [f"basis: {decision.basis}"] if decision.basis else []
    return "; ".join([*parts, *([clean(decision.reason)] if decision.reason else [])])


def verdict(statement: Statement) -> str:
    """The verdict on a sentence in plain words."""
    found = statement.verdict
    parts = [_CALLED[found.label]]
    if found.probability is not None:
        parts[0] += f" ({found.probability:.0%})"
    if found.flags:
        parts.append("look at: " + ", ".join(clean(f) for f in found.flags))
    if found.note and found.label not in ("quoted",):
        parts.append(clean(found.note))
    return "; ".join([*parts, f"by {found.critic}"])


def place(evidence: Evidence, document: SourceDocument) -> str:
    """Where a quote stands: document, year, section, offsets, and what the record itself rests on."""
    parts = [document.id, clean(document.title)]
    if document.year:
        parts.append(str(document.year))
    if document.journal:
        parts.append(clean(document.journal))
    if evidence.section:
        parts.append(clean(evidence.section).lower())
    parts.append(f"characters {evidence.start}-{evidence.end}")
    if document.retraction != "none":
        parts.append(
            {"retracted": "RETRACTED", "notice": "retraction notice", "concern": "expression of concern"}[
                document.retraction
            ]
        )
    return ", ".join(parts)


def searched(search: Search) -> str:
    """One line about one search."""
    if search.status == "failed":
        return f"could not search {search.source}: {clean(search.error or '')}"
    what = "facts" if search.source.startswith("graph:") else "passages"
    return f"searched {search.source}: {search.hits or 'no'} {what}"


def cost(answer: Answer) -> str:
    """The cost line."""
    used: UsageReport = answer.usage
    price = "price unknown" if used.price is None else f"${used.price:f}"
    cached = f" (+{used.cached_calls} from the cache)" if used.cached_calls else ""
    calls, searches = _some(used.model_calls, "model call"), _some(used.searches, "search", "searches")
    tokens = f"{used.input_tokens:,} tokens in, {used.output_tokens:,} out"
    return f"{tokens}, {calls}{cached}, {searches}, {used.seconds:.2f} s, {price}"


def provenance(answer: Answer) -> str:
    """Who answered, from which state of which corpus, with which settings."""
    models = ", ".join(sorted(set(answer.models.values()))) or "no model"
    snapshots = ", ".join(f"{s.name}@{s.hash[:12]}" for s in answer.snapshots) or "no snapshot"
    return f"recipe {answer.recipe}, {models}, {snapshots}, settings {answer.settings_hash}, trace {answer.trace_id}"


def _some(count: int, one: str, many: str = "") -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"
