"""The blocks of an answer: its sentences with verdicts and conflicts, its sources, and what was searched."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from medground.answering import captions
from medground.corpus.retraction import why_aside
from medground.language.clean import sentence
from medground.values.answer import Answer, Search, SourceDocument
from medground.values.query import Filters
from medground.values.statement import Label, Statement
from medground.wording import blocks as references
from medground.wording import phrases
from medground.wording.blocks import (
    Block,
    Line,
    Quotes,
    Span,
    Style,
    anchor,
    cited_by,
    heading,
    line,
    mark,
    marks,
    note,
)

STYLES: Mapping[Label, Style] = {
    "supported": "good",
    "quoted": "dim",
    "partly": "caution",
    "related": "caution",
    "not judged": "caution",
    "not found": "bad",
    "contradicted": "bad",
    "unverified": "bad",
    "given": "dim",
}
"""How a verdict looks, by its label."""
_SENTENCE_ENDS = (".", "?", "!", "。", "！", "？")


def sentence_blocks(
    groups: Sequence[Sequence[Statement]], answer: Answer, quotes: Quotes, *, details: bool, remarks: bool = True
) -> Iterator[Block]:
    """Written sentences with their citation marks and verdicts.

    Args:
        groups: the statements of each sentence.
        details: also show category labels.
        remarks: whether to say of a quote that it is one, where nothing else is to be said.
    """
    for group in groups:
        text = Span(answer.rationale[group[0].start : group[-1].end])
        lines: list[Line] = [(text, *((Span(" "), *marks(group[0].evidence)) if group[0].evidence else ()))]
        if answer.report is not None and quotes.are_web(group[0].evidence):
            lines[0] = (*lines[0], Span(" (web page)", "caution"))
        verdicts = [said_of(statement, quotes) for statement in group]
        for statement, said in zip(group, verdicts, strict=True):
            if not remarks and statement.verdict.label == "quoted" and not statement.verdict.flags:
                continue
            if len(set(verdicts)) > 1:
                said = f"“{' '.join(statement.text.split())}”: {said}"
            best = deciding(statement)
            decided = (Span(" Deciding quote: "), mark(best)) if best else ()
            lines.append((Span(said, STYLES[statement.verdict.label]), *decided))
            if details and (label := captions.category(statement.verdict)):
                lines.append(line(f"Label: {label}", "dim"))
        yield Block("paragraph", tuple(dict.fromkeys(lines)))


def said_of(statement: Statement, quotes: Quotes) -> str:
    """The verdict on a statement in words."""
    return captions.verdict(statement.verdict, quotes.place(statement.verdict.best))


def supported(answer: Answer) -> Iterator[Block]:
    """How much of the answer is supported, if that was assessed."""
    if support := phrases.support(answer):
        yield Block("paragraph", (line(support),))


def written_sentences(answer: Answer) -> list[list[Statement]]:
    """The statements of an answer by written sentence: those of one sentence have only white space between them."""
    groups: list[list[Statement]] = []
    for statement in answer.statements:
        last = groups[-1][-1] if groups else None
        between = answer.rationale[last.end : statement.start] if last else ""
        if last is None or between.strip() or (not last.evidence and last.text.endswith(_SENTENCE_ENDS)):
            groups.append([statement])
        else:
            groups[-1].append(statement)
    return groups


def deciding(statement: Statement) -> str | None:
    """The quote that decided a verdict, where the citation marks do not tell."""
    best = statement.verdict.best
    return None if statement.verdict.label == "quoted" or cited_by(statement) == [best] else best


def left_out(answer: Answer) -> Iterator[Block]:
    """The sentences that were not released, with the reasons."""
    if answer.dropped:
        yield heading("Left out because verification failed")
    for dropped in answer.dropped:
        reason = sentence(dropped.reason)
        yield Block("item", (line(dropped.text), line(reason, "dim")), marker="-")


def conflicts(answer: Answer, quotes: Quotes) -> Iterator[Block]:
    """Where sources disagree, both sides with their quotes."""
    if answer.conflicts:
        yield heading(phrases.conflicts_heading(answer.conflicts))
    for conflict in answer.conflicts:
        yield Block("paragraph", (line(phrases.disagreement(conflict)),))
        for number, side in enumerate(conflict.sides, start=1):
            said = [(mark(e), Span(f" {quotes.text(e)} "), Span(quotes.study(e), "dim")) for e in side.evidence]
            yield Block("item", (line(f"{phrases.side(side, number)}:", "strong"), *said), marker="-")


def source_list(
    quotes: Quotes,
    *,
    details: bool,
    bibliography: Callable[[SourceDocument], Line] = references.plain_reference,
    cited_as: str = "",
) -> Iterator[Block]:
    """The sources by number.

    Args:
        quotes: the quotes and sources of the answer.
        details: also show where each quote is in its source, and the licence of each document. Of a source that says
            where it has its texts from, the licence is always shown.
        cited_as: the heading under which those alone are listed that are quoted; all, if empty.
    """
    numbers = {name: n for name, n in quotes.numbers.items() if not cited_as or name in quotes.cited}
    if numbers:
        yield heading(cited_as or "Sources")
    for document_id, number in numbers.items():
        document = quotes.documents[document_id]
        lines = [bibliography(document), where(document)]
        if state := captions.state(document):
            lines.append(line(state, "bad"))
        lines += [line(caution, "caution") for caution in document.cautions]
        if (document.origin or details) and (terms := references.terms(document)):
            lines.append(line(terms, "dim"))
        if details:
            told = (f"From {one.record} ({one.source}): {', '.join(one.fields)}" for one in document.joined)
            lines += [line(text, "dim") for text in told]
        lines += _quotes(document, quotes, details=details)
        yield Block("item", tuple(lines), marker=f"{number}.")


def where(document: SourceDocument) -> Line:
    """The id of a document and where it can be read."""
    address = captions.address(document)
    if not address:
        return line(document.id)
    link = Span(address, url=address) if captions.is_web_address(address) else Span(address)
    return (Span(f"{document.id} "), link)


def _quotes(document: SourceDocument, quotes: Quotes, *, details: bool) -> Iterator[Line]:
    evidence = quotes.of(document.id)
    if not evidence and not why_aside(document):
        yield line("Found, but not cited.", "dim")
    above = [e.id for e in evidence if quotes.is_printed(e.id) and not details]
    if above:
        yield (Span("Quoted above: ", "dim"), *marks(above, anchored=True))
    for quote in (e for e in evidence if e.id not in above):
        place = [] if quotes.is_printed(quote.id) else quotes.place(quote.id)
        place += [f"characters {quote.start}-{quote.end}"] if details else []
        where = (Span(f" ({', '.join(place)})", "dim"),) if place else ()
        yield (anchor(quote.id), *where, Span(f" {quotes.text(quote.id)}"))


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
        what = "failed" if search.status == "failed" else phrases.results(search, search.hits)
        yield note(f"Query to {phrases.source(search)}: {search.query} ({what})")
    for operator, model in answer.models.items():
        yield note(f"Operator {operator}: {model}")
    for snapshot in answer.snapshots:
        yield note(f"Snapshot: {snapshot.name}@{snapshot.hash}")
    yield note(f"Settings: {answer.settings_hash}")
    made = f"{answer.created.isoformat(timespec='seconds')}, {answer.made_by or 'unknown version'}"
    yield note(f"Answer: {answer.id}, {made}")
    yield note(f"Trace: {answer.trace_id} (medground trace show {answer.trace_id})")
