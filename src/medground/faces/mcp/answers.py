"""An answer as a result: what `AnswerView` shows, with each citation as document, offsets and quote."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel

from medground.faces.mcp.outputs import Citation, Output, Sentence, Source
from medground.faces.mcp.pages import HEADLINE, NAME, WORDS, Fence, Fields, Part, Result, headed, line
from medground.values.answer import Answer
from medground.wording.view import view
from medground.wording.view_types import AnswerView, DocumentView, SearchView, SentenceView

_SHORT = ("title", "journal", "place")
_FACT = ("subject", "relation", "object", "frequency")


O = TypeVar("O", bound=Output)  # noqa: E741


def fields_of(value: BaseModel) -> dict[str, Any]:
    """An output as JSON fields, without those that say nothing."""
    return value.model_dump(mode="json", exclude_none=True)


def shown_as(output: type[O], shown: object, **more: Any) -> O:
    """What an output takes of a value that has its fields; a title is one line, and an empty text says nothing."""
    read = (name for name in output.model_fields if name not in more and hasattr(shown, name))
    values = {name: getattr(shown, name) for name in read}
    one = {name: line(text or "", NAME) if name in _SHORT else text for name, text in values.items()}
    return output(**{name: None if text == "" else text for name, text in one.items()}, **more)


def answer_result(answer: Answer, fence: Fence) -> Result:
    """An answer. Its notice comes first; if that one stops, it comes alone."""
    shown = view(answer)
    said = {"reason": shown.reason, "support": shown.support, "stopped": shown.stopped}
    lines = [f"Answer: {fence('answer', line(shown.headline, HEADLINE))}"]
    lines += [fence("reason", line(text, WORDS)) for text in said.values() if text]
    result = headed(
        shown.notice.sentence if shown.notice else None,
        fence,
        "\n".join(lines),
        tuple(_parts(shown, fence)),
        status=shown.status,
        headline=line(shown.headline, HEADLINE),
        **{name: line(text, WORDS) for name, text in said.items() if text},
        trace_id=shown.trace_id,
        cost=line(shown.cost, NAME),
    )
    return replace(result, ends=f"{line(shown.cost, NAME)} Kept as {shown.trace_id}.")


def _parts(view: AnswerView, fence: Fence) -> Iterator[Part]:
    documents = {document.id: document for document in view.documents}
    for number, sentence in enumerate(view.sentences):
        yield from _section(view, number, fence)
        yield _sentence(sentence, fence)
    for quote in view.evidence:
        stance = None if quote.stance == "unknown" else quote.stance
        retraction = documents[quote.document_id].retraction if quote.document_id in documents else "none"
        cited = shown_as(Citation, quote, stance=stance, retraction=retraction)
        yield quote_part("citations", fields_of(cited), fence)
    for document in view.documents:
        yield source_part(document, fence)
    for conflict in view.conflicts:
        sides = [{"name": side.name, "citations": list(side.evidence)} for side in conflict.sides]
        value = {"about": line(conflict.words, WORDS), "sides": sides}
        yield Part("conflicts", value, fence.words("conflict"))
    for fact in view.facts:
        stated = {name: line(text, NAME) for name in _FACT if (text := getattr(fact, name))}
        yield Part("facts", {**stated, "citation": fact.evidence})  # the quote next to it says the same in words
    yield from (search_part(search, fence) for search in view.searches)
    yield from (note_part(note, fence) for note in view.notes)


def _section(view: AnswerView, number: int, fence: Fence) -> Iterator[Part]:
    """The title of a section of a report, before its first sentence."""
    for section in view.report.sections if view.report else ():
        if section.sentences and section.sentences[0] == number:
            title = {"title": line(section.title, NAME), "first_sentence": number}
            yield Part("sections", title, fence.words("section"))


def _sentence(sentence: SentenceView, fence: Fence) -> Part:
    verdicts = [verdict for verdict in sentence.verdicts if verdict.words]
    value = Sentence(
        text=sentence.text,
        citations=sentence.citations,
        label=" / ".join(dict.fromkeys(verdict.label for verdict in sentence.verdicts)),
        verdict=line(" ".join(dict.fromkeys(verdict.words for verdict in verdicts)), WORDS),
    )
    return Part("sentences", fields_of(value), fence.words("sentence"), cut="text")


def quote_part(into: str, value: Fields, fence: Fence) -> Part:
    """A quote with its place; a long one may be cut in slices, whose offsets hold."""
    return Part(into, value, fence.words("quote"), cut="quote")


def source_part(document: DocumentView, fence: Fence) -> Part:
    """A document of a list, its retraction before its title."""
    return Part("documents", fields_of(source_of(document)), fence.words("source", reference=document.reference))


def source_of(document: DocumentView) -> Source:
    """A document without its text; an address that is too long would be of no use."""
    return shown_as(Source, document, url=document.url if 0 < len(document.url) <= NAME else None)


def search_part(search: SearchView, fence: Fence) -> Part:
    """A search that was made; one that failed says so."""
    told = {"query": line(search.query, WORDS), "status": search.status, "words": line(search.words, WORDS)}
    return Part("searches", {"source": search.name, **told}, fence.words("search"))


def note_part(note: str, fence: Fence) -> Part:
    """Something that the reader should know."""
    return Part("notes", line(note, WORDS), fence.words("note"))


def few(names: Sequence[str], most: int) -> tuple[str, ...]:
    """The first names of a list; a count stands for the others."""
    rest = len(names) - most
    return tuple(names) if rest <= 0 else (*names[:most], f"and {rest} more")
