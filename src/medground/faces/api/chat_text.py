"""The message of an answer in parts, each with the annotations of its citation marks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import quote

from medground.answering import captions
from medground.corpus.retraction import why_aside
from medground.faces.api.chat_messages import Annotation, CitedQuote, UrlCitation
from medground.language.clean import clean
from medground.values.answer import Answer, SourceDocument
from medground.values.evidence import Evidence
from medground.wording.markup import CUT, Mark, chat_pieces, escaped
from medground.wording.view_types import taken

_CHARACTERS = 4
"""Of a token, about."""


class Part(NamedTuple):
    """Some of the message, and its annotations; their offsets are those in the whole message."""

    text: str
    annotations: tuple[Annotation, ...] = ()


def parts_of(
    answer: Answer, *, base: str, not_read: bool = False, longest: int | None = None, links: bool = False
) -> list[Part]:
    """The message of an answer.

    Args:
        base: the address of this server, ending with a slash: where a source without an address of its own is read.
        not_read: whether there are earlier messages that were not read.
        longest: most tokens of the message, about; its first line is never cut.
        links: whether its citations come last, as a list of links.
    """
    evidence = {one.id: one for one in answer.evidence}
    documents = {one.id: one for one in answer.documents}

    def annotation(mark: Mark) -> Annotation:
        quoted = evidence[mark.evidence_id]
        return _annotation(mark, quoted, documents[quoted.document_id], base)

    pieces = chat_pieces(answer, not_read=not_read, longest=longest and longest * _CHARACTERS)
    *parts, last = (Part(piece.text, tuple(map(annotation, piece.marks))) for piece in pieces)
    cited = {one.citation.evidence_id: one for part in parts for one in part.annotations}
    return [*parts, *([Part(_links(cited.values()))] if links and cited else []), last]


def is_cut(parts: Sequence[Part]) -> bool:
    """Whether some of the message was left out for its length."""
    return any(part.text.endswith(CUT) for part in parts[-3:])


def _links(annotations: Iterable[Annotation]) -> str:
    named = ((one.citation.evidence_id, one.url_citation) for one in annotations)
    return "\n\n**Citations**\n" + "".join(
        f"\n- [{name}: {escaped(cited.title)}](<{cited.url}>)" for name, cited in named
    )


def _annotation(mark: Mark, quoted: Evidence, document: SourceDocument, base: str) -> Annotation:
    address = captions.address(document)
    own = f"{base}v1/documents/{quote(document.id, safe=':')}"
    title = " ".join(clean(document.title).split()) or document.id
    return Annotation(
        url_citation=UrlCitation(
            url=address if captions.is_web_address(address) else own,
            title=f"RETRACTED: {title}" if why_aside(document) == "retracted" else title,
            start_index=mark.start,
            end_index=mark.end,
            content=clean(quoted.quote),
        ),
        citation=taken(CitedQuote, quoted, evidence_id=quoted.id, state=captions.state(document)),
    )
