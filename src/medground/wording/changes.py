"""What changed since a question was asked before, in words."""

from collections.abc import Iterator, Mapping, Sequence

from pydantic import Field

from medground.answering.changes import Changes, CorpusChange, Quoted
from medground.home.files import tables
from medground.language.clean import sentence
from medground.values.answer import Answer
from medground.values.document import Frozen
from medground.wording import phrases
from medground.wording.blocks import Block, Line, Span, heading, line, mapped, note
from medground.wording.layout import cleaned
from medground.wording.text import as_text, blocks_as_text

_WHY: Mapping[str, str] = tables("wording", "words")["quotes gone"]
_MARKS: Mapping[str, str] = tables("wording", "words")["marks"]


class AskedAgain(Frozen):
    """A former answer, the new one, and what changed."""

    before: Answer = Field(repr=False)
    answer: Answer
    changes: Changes

    def __str__(self) -> str:
        """The new answer and what changed, as plain text without a final newline."""
        return f"{as_text(self.answer)}\n\n{blocks_as_text(changes_page(self))}"


def changes_page(again: AskedAgain) -> list[Block]:
    """The blocks that say what changed between two answers."""
    return [mapped(block, cleaned) for block in _blocks(again.before, again.answer, again.changes)]


def _blocks(before: Answer, now: Answer, found: Changes) -> Iterator[Block]:
    yield heading(f"Since {before.created:%Y-%m-%d %H:%M}")
    yield Block("paragraph", (_decision(before, now, found),))
    yield note(_counts(found))
    for marked in found.marked:
        yield note(sentence(f"{_named(marked.title, marked.document_id)} {_MARKS[marked.now]}"), "bad")
    for kind, quotes in (("New", found.new), ("Gone", found.gone)):
        yield from _quotes(kind, quotes)
    for corpus in found.corpora:
        yield note(_corpus(corpus))
    if found.settings:
        yield note("The settings differ: this version of Medground has different settings.", "caution")
    if found.program:
        made_by = (answer.made_by or "an earlier version" for answer in (before, now))
        yield note("Answered by {} then, and by {} now.".format(*made_by))


def _decision(before: Answer, now: Answer, found: Changes) -> Line:
    then, today = phrases.decided(before), phrases.decided(now)
    said = f"{today}." if then == today else f"{then} then, {today} now."  # a probability may differ
    if found.decision is None:
        return line(f"The decision is the same: {said}")
    return (Span("The decision differs: ", "strong"), Span(said))


def _counts(found: Changes) -> str:
    parts = [f"{found.kept} the same"] if found.kept else []
    parts += [f"{len(quotes)} {name}" for name, quotes in (("new", found.new), ("gone", found.gone)) if quotes]
    return f"Quotes: {', '.join(parts)}." if parts else "Neither answer quotes anything."


def _quotes(kind: str, quotes: Sequence[Quoted]) -> Iterator[Block]:
    for quote in quotes:
        why = getattr(quote, "why", None)
        said = line(f"{kind}: “{' '.join(quote.quote.split())}”")
        where = f"{_named(quote.title, quote.document_id)}" + (f": {_WHY[why]}" if why else "")
        yield Block("item", (said, line(sentence(where), "bad" if why == "retracted" else "dim")), marker="-")


def _named(title: str, document_id: str) -> str:
    return f"{' '.join(title.split()).rstrip('.') or document_id} ({document_id})"


def _corpus(corpus: CorpusChange) -> str:
    if corpus.before is None or corpus.now is None:
        return f"Corpus {corpus.name}: searched {'now' if corpus.now else 'then'} only."
    return f"Corpus {corpus.name}: {corpus.before[:12]} then, {corpus.now[:12]} now."
