"""A retriever of your own as a source: one of LangChain, or a plain function."""

import asyncio
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from medground.corpus.chunk import chunk
from medground.corpus.readers.entry import described, id_of_content
from medground.errors import SourceUnavailable, UsageError
from medground.sources.live import LiveSource, best_of, within
from medground.values.document import Document, SourceKind
from medground.values.lookup import Found, Lookup
from medground.values.query import Filters


class RetrieverSource(LiveSource):
    """Searches by a retriever, in its order. What it returns is quoted as it is, so give it texts that can be cited.

    A result is a `Document`, a text, a mapping with `text` and what else is known (`pmid`, `title`, `year`, ...), or a
    document of LangChain with these in its metadata. One of LangChain without an `id` is named after its content, since
    it may be a part of a paper.

    Args:
        retriever: an object with `ainvoke` or `invoke`, or a function of the words to search for, also an async one.
        kinds: the kinds of document that it returns; the first is that of those which do not say.
    """

    def __init__(self, name: str, retriever: Any, *, kinds: Sequence[SourceKind] = ("research",)) -> None:
        super().__init__(name, None, kept=5000)
        self.kinds = frozenset(kinds)
        self._kind = kinds[0]
        self._call = getattr(retriever, "ainvoke", None) or getattr(retriever, "invoke", retriever)
        if not callable(self._call):
            raise UsageError(f"{retriever!r} is not a retriever; give a function, or an object with `invoke`")

    async def search(self, lookup: Lookup, filters: Filters) -> Found:
        """Ask the retriever for the words of the lookup. A query in PubMed's syntax has none, and is not understood.

        Raises what `Source.search` raises; SourceUnavailable: the retriever failed.
        """
        self._check_open()
        if not self.accepts(lookup):
            raise UsageError(f"{self.name} takes words, for rankers by words")
        if not lookup.text:
            return Found(lookup, self.name, understood=False)
        try:
            results = await asyncio.to_thread(self._call, lookup.text)
            read = [self._document(one) for one in (await results if inspect.isawaitable(results) else results)]
        except Exception as error:  # a function that others wrote may raise anything
            raise SourceUnavailable(f"{type(error).__name__}: {error}", source=self.name) from error
        found = {one.id: one for one in read if one is not None and within(one, filters)}
        documents = list(found.values())[: lookup.limit]
        self._keep(documents)
        unread = read.count(None)
        notes = (f"{unread} results could not be read: they have no text, or a wrong value",) if unread else ()
        ranking = self._ranking(best_of(chunk(document), lookup.text) for document in documents)
        return Found(lookup, self.name, rankings=(ranking,), notes=notes)

    def _document(self, found: Any) -> Document | None:
        try:
            document = found if isinstance(found, Document) else described(_fields(found))
        except (ValueError, AttributeError):
            return None
        return document if document.kind in self.kinds else document.replace(kind=self._kind)


def _fields(found: Any) -> Mapping[str, Any]:
    """A result as fields, as `described` reads them."""
    if isinstance(found, str | Mapping):
        return {"text": found} if isinstance(found, str) else found
    text = found.page_content
    return {**found.metadata, "text": text, "id": getattr(found, "id", None) or id_of_content(text)}
