"""What follows the sources: what was searched, warnings, cost, and the details for an engineer."""

from __future__ import annotations

from collections.abc import Iterator

from medground.answer import Answer, Search
from medground.query import Filters
from medground.text.english import sentence
from medground.wording import phrases
from medground.wording.blocks import Block, heading, note

_UNKNOWN_WORD = ": nothing was found for "


def notes(answer: Answer) -> Iterator[Block]:
    """One line for the limits of the question, for each source, each warning, the cost and the recipe."""
    yield from _searched(answer)
    if answer.sources:
        yield note(f"Sources: {'; '.join(map(phrases.searched_source, answer.sources))}.")
    for warning in answer.warnings if answer.report is None else _not_told(answer):
        yield note(f"Warning: {sentence(warning)}", "caution")
    if answer.stopped:
        yield note(f"Stopped early: {sentence(answer.stopped)}", "bad")
    yield note(f"Cost: {phrases.cost(answer)}.")
    yield note(f"Recipe: {answer.recipe}, {', '.join(phrases.models(answer)) or 'no language model'}.", "dim")


def _not_told(answer: Answer) -> list[str]:
    """The warnings of a report, without what could not be searched, which it tells, and without single words of its
    many queries that a service does not know."""
    failed = tuple(
        f"{search.source} could not be searched: " for search in answer.searches if search.status == "failed"
    )
    told = (warning for warning in answer.warnings if not warning.startswith(failed))
    return [warning for warning in told if _UNKNOWN_WORD not in warning]


def _searched(answer: Answer) -> Iterator[Block]:
    if limits := _limits(answer.question.filters):
        yield note(f"Limited to {limits}.")
    worked = [search for search in answer.searches if search.status != "failed"]
    sources = dict.fromkeys(search.source for search in worked)
    found = [phrases.searched([search for search in worked if search.source == source]) for source in sources]
    if found:
        yield note(f"Searched: {', '.join(found)}.")
    elif not answer.searches:
        yield note("Nothing was searched.")
    if answer.report is None:  # a report tells them among its limitations, with what was missed
        failed = (search for search in answer.searches if search.status == "failed")
        for why in dict.fromkeys(map(failure, failed)):
            yield note(sentence(why), "bad")


def failure(search: Search) -> str:
    """Why a source could not be searched."""
    error = (search.error or "unknown error").removeprefix(f"{search.source}: ")
    return f"Could not search {phrases.source(search)}: {error}"


def _limits(filters: Filters) -> str:
    """`journal Lancet or Thorax; year 2015..2020`; empty without limits."""
    fields: dict[str, list[str]] = {}
    spans = (("year", filters.year_from, filters.year_to), ("date", filters.date_from, filters.date_to))
    pairs = [(name, f"{low or ''}..{high or ''}") for name, low, high in spans if low or high]
    pairs += [("kind", kind) for kind in filters.kinds]
    pairs += [("publication type", kind) for kind in filters.publication_types]
    pairs += [("id", document_id) for document_id in filters.ids]
    for name, value in [*pairs, *filters.where]:
        fields.setdefault(name, []).append(" ".join(value.split()))
    return "; ".join(f"{name} {' or '.join(values)}" for name, values in fields.items())


def detail_notes(answer: Answer) -> Iterator[Block]:
    """What makes a run reproducible and traceable."""
    yield heading("Details")
    if faithfulness := phrases.faithfulness(answer):
        yield note(f"Faithfulness: {faithfulness}.")
    if assessment := phrases.assessment(answer):
        yield note(f"Assessment: {assessment}")
    for search in answer.searches:
        yield note(_query(search))
    for operator, model in answer.models.items():
        yield note(f"Operator {operator}: {model}")
    for snapshot in answer.snapshots:
        yield note(f"Snapshot: {snapshot.name}@{snapshot.hash}")
    yield note(f"Settings: {answer.settings_hash}")
    made = f"{answer.created.isoformat(timespec='seconds')}, {answer.made_by or 'unknown version'}"
    yield note(f"Answer: {answer.id}, {made}")
    yield note(f"Trace: {answer.trace_id} (medground trace show {answer.trace_id})")


def _query(search: Search) -> str:
    what = "failed" if search.status == "failed" else phrases.results(search, search.hits)
    return f"Query to {phrases.source(search)}: {search.query} ({what})"
