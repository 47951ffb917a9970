"""How an answer's parts are put into words, the same in every face."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from medground.answer import Answer, Conflict, Decision, Search, Side, SourceDocument, Statement
from medground.evidence import Evidence
from medground.rank.design import UNKNOWN, design_level
from medground.retraction import RETRACTED, why_aside
from medground.usage import UsageReport

_STATUS = {
    "lean": "leans {value}",
    "not judged": "not judged",
    "unanswerable": "unanswerable",
}
_CALLED = {
    "supported": "supported by its evidence",
    "partly": "partly supported by its evidence",
    "contradicted": "contradicted by its evidence",
    "quoted": "quoted: the source's own words",
    "related": "related text found, not judged",
    "not found": "not found in its evidence",
    "not judged": "not judged",
    "unverified": "unverified: the check failed",
}
_STANCES = {"supports": "for", "contradicts": "against", "mixed": "both"}
_NOBODY = ("verbatim", "citation", "retraction", "form")
"""Critics that are comparisons of ids and letters; the verdict says it all."""
_KEYLESS = "keyless"
_LONGEST_QUOTE = 300


def clean(text: str) -> str:
    """Text that others wrote, without control characters (a document could move the cursor or recolour a terminal)."""
    return "".join(c if c == "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Cs") else " " for c in text)


def headline(answer: Answer) -> str:
    """The decision in a few words, such as `yes` or `leans no (72 %, estimated)`."""
    decision = answer.decision
    value = decision.shown() or ""
    if value and value.split() == " ".join(statement.text for statement in answer.statements).split():
        return "answered as follows"  # the whole rationale is the answer: once is enough
    value = clean(value)
    shown = value if decision.status == "decided" else _STATUS[decision.status].format(value=value)
    return shown + (f" ({decision.probability:.0%}, estimated)" if decision.probability is not None else "")


def basis(decision: Decision) -> str:
    """What the decision rests on."""
    parts = [f"basis: {decision.basis}"] if decision.basis else []
    return "; ".join([*parts, *([clean(decision.reason)] if decision.reason else [])])


def verdict(statement: Statement) -> str:
    """The verdict on a sentence in plain words. What a judge without proof was sure of is no number to show."""
    found = statement.verdict
    parts = [_CALLED[found.label]]
    if found.probability is not None and found.label != "not judged":
        parts[0] += f" ({found.probability:.0%})"
    if found.flags:
        parts.append("look at: " + ", ".join(clean(f) for f in found.flags))
    if found.note and (found.label != "quoted" or found.flags):
        parts.append(clean(found.note))
    return "; ".join(parts if found.critic in _NOBODY else [*parts, f"by {found.critic}"])


def category(statement: Statement) -> str:
    """The label of a sentence and whose word it is; empty where nobody gave one, and for a quote, which has said it."""
    found = statement.verdict
    if found.category is None or (found.label == "quoted" and found.labelled_by == _KEYLESS):
        where = ""
    elif found.critic == "graph":
        where = f"{found.category}, by the stored relation"
    elif found.labelled_by == _KEYLESS:
        where = f"{found.category}, by words alone"
    else:
        where = f"{found.category}, says {found.labelled_by}"
    fault = {"retrieval": "nothing on the question was retrieved", "generation": "the writing departs from its context"}
    error = f"{found.error_source} error: {fault[found.error_source]}" if found.error_source else ""
    return "; ".join(part for part in (where, error) if part)


def best_quote(statement: Statement, evidence: Sequence[Evidence]) -> str:
    """The quote that decided the verdict and where it stands; empty where none did."""
    quote = next((e for e in evidence if e.id == statement.verdict.best), None)
    if quote is None:
        return ""
    where = f"{quote.id}, {quote.document_id}, characters {quote.start}-{quote.end}"
    if statement.verdict.label == "quoted":
        return where
    text = clean(quote.quote)
    return f"{where}: “{text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + ' ...'}”"


def scores(answer: Answer) -> str:
    """Support score and faithfulness in one line; empty where nobody could give them.

    A rationale of quotes alone supports itself, so its scores would say nothing; and labels by words alone are too few
    for a share.
    """
    if not answer.dropped and answer.statements and all(s.verdict.label == "quoted" for s in answer.statements):
        judged = answer.decision.status == "decided"
        return "" if judged else "every sentence is a quote; whether they answer the question, nobody has judged"
    parts = []
    if answer.support is not None:
        parts.append(f"support {answer.support:.0%} of the statements")
    who = sorted({s.verdict.labelled_by for s in answer.statements} - {"", _KEYLESS})
    if answer.faithfulness is not None and who:
        alone = " alone; no proven judge has judged them all" if answer.support is None else ""
        parts.append(f"faithfulness {answer.faithfulness:.0%}, in the word of {', '.join(who)}{alone}")
    return ", ".join(parts)


def disagreement(conflict: Conflict) -> str:
    """What sources disagree about, and who noticed."""
    if conflict.found_by == _KEYLESS:
        return f"{clean(conflict.about)}: they differ in words, which nobody has judged: look at both"
    return f"{clean(conflict.about)} (as {conflict.found_by} reads them)"


def side(side: Side, number: int) -> str:
    """The name of a side; `number` counts from 1."""
    return _STANCES[side.stance] if side.stance != "unknown" else f"side {number}"


def study(document: SourceDocument) -> str:
    """A document as one side of a conflict: id, design, year, title."""
    design = _design(document.publication_types) or "design not named"
    return ", ".join([document.id, design, str(document.year or "year unknown"), clean(document.title)])


def _design(publication_types: Sequence[str]) -> str:
    """The strongest design that a record names."""
    named = [t for t in publication_types if design_level([t]) != UNKNOWN or "review" in t.casefold()]
    return clean(min(named, key=lambda t: design_level([t])).lower()) if named else ""


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
    if reason := why_aside(document):
        parts.append("RETRACTED" if reason == RETRACTED else reason)
    elif document.retraction == "concern":
        parts.append("an expression of concern stands against it")
    return ", ".join(parts)


def state(document: SourceDocument) -> str:
    """What a document is that is listed without being cited."""
    reason = why_aside(document)
    return "RETRACTED" if reason == RETRACTED else reason or "shown, not cited"


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
