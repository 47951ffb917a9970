"""What an open engine finds without a question to answer: passages, documents, concepts."""

import asyncio
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from medground.answering.rank.fuse import fuse, merge_duplicates
from medground.answering.run import Run
from medground.engine.guards import guarded
from medground.engine.open_engine import OpenEngine
from medground.errors import UsageError
from medground.language.requests import ENGLISH_ONLY, looks_foreign
from medground.language.risk.notices import notice_first
from medground.sources.base import MOST_HITS, ConceptSource, FieldSource, FileSource
from medground.values.answer import Search
from medground.values.decision import Notice
from medground.values.document import Box, Document
from medground.values.graph import ConceptFound
from medground.values.lookup import Lookup, Ranking
from medground.values.query import Filters
from medground.values.question import Question
from medground.values.shown import Shown
from medground.values.where import check_fields

if TYPE_CHECKING:
    from medground.engine.strategy import StrategyFound

Syntax = Literal["words", "pubmed"]
"""How a text is searched for: by its words and its meaning, or as a query in PubMed's syntax, in every source."""
_DEPTH = 100
"""Least number of hits per ranker: near-duplicates are merged, and fusion needs more hits than are shown."""


@dataclass(frozen=True, repr=False)
class SearchResult(Shown):
    """Passages, best first, one for near-duplicates; which sources were searched; what the reader should know.

    `notice`: what a face shows first, if the words show a person at risk; one about self-harm comes alone.
    """

    hits: Ranking
    searches: tuple[Search, ...]
    notes: tuple[str, ...]
    notice: Notice | None = None


def check_limits(run: Run) -> None:
    """Check that the fields that the run's question is limited by are fields of what is searched.

    Raises UsageError: a field is unknown; the message names the nearest ones.
    """
    known = {name for source in run.sources if isinstance(source, FieldSource) for name in source.fields}
    check_fields(run.question.filters, sorted(known))


def _lookup(text: str, syntax: Syntax) -> Lookup:
    if syntax == "words":
        return Lookup.words(text)
    from medground.pubmed.translate import parse  # imported late: it loads MeSH

    return Lookup(asked=parse(text), shown=text)


@dataclass(repr=False)
@guarded
class SearchEngine(OpenEngine):
    """Finds what the open sources hold."""

    async def search(
        self,
        query: str = "",
        *,
        limit: int = 10,
        filters: Filters | None = None,
        syntax: Syntax = "words",
        text: str | None = None,
    ) -> SearchResult:
        """The passages that fit some words best, by words and, where there are vectors, by meaning.

        With `syntax="pubmed"` it is a query in PubMed's syntax, which decides what is found, in corpora too.

        Words that show a person at risk get a notice too; those of self-harm get the notice alone.

        Raises UsageError: the words are empty, `limit` is out of range, a field to limit by is unknown, or the text is
        not a valid query; SourceUnavailable: no source could be searched.
        """
        if text is not None:
            warnings.warn(
                "search(text=...) is search(query=...) now", DeprecationWarning, stacklevel=3
            )  # past the guard
        text = query if text is None else text
        if not text.strip():
            raise UsageError("the query is empty; enter at least one word")
        with notice_first(text) as notice:
            run = self._untraced_run(Question.ask(text, task="free", filters=filters))
            if not 1 <= limit <= MOST_HITS:
                raise UsageError(f"the limit of a search must be from 1 to {MOST_HITS:,}, not {limit}")
            if notice is not None and notice.stops:
                return SearchResult((), (), (), notice)
            if looks_foreign(text):
                run.warn(ENGLISH_ONLY)
            with self._under_way():
                check_limits(run)
                lookup = await asyncio.to_thread(_lookup, text, syntax)
                lookup = lookup.replace(limit=max(limit, _DEPTH))
                found = await run.look_up(lookup)
            fused = fuse([ranking for one in found for ranking in one.rankings], k=self.settings.retrieval.fusion_k)
            return SearchResult(merge_duplicates(fused)[:limit], tuple(run.searches), tuple(run.warnings), notice)

    async def strategy(self, lines: Sequence[str]) -> "StrategyFound":
        """The number of records of each line of a search strategy, and the records of the last one.

        Raises UsageError: no line, or too many; SourceUnavailable: no source could be searched.
        """
        from medground.engine.strategy import run_strategy  # it loads MeSH

        run = self._untraced_run(Question(text="a search strategy", task="free"))
        with self._under_way():
            return await run_strategy(run, lines)

    async def document(self, document_id: str) -> Document:
        """A document of the sources by its id, such as `PMID:21645374`.

        Raises UsageError: no source holds it; SourceUnavailable: it may be in a source that could not be asked.
        """
        run = self._untraced_run(Question(text=document_id, task="free"))
        with self._under_way():
            await run.retrieve([document_id])
        if document_id not in run.ledger.documents:
            names = ", ".join(dict.fromkeys(source.name for source in self.sources))
            raise UsageError(f"no source holds {document_id[:80]!r}; searched: {names or 'nothing'}")
        return run.ledger.documents[document_id]

    async def concept(self, term: str, *, limit: int = 10) -> list[ConceptFound]:
        """What each open knowledge graph knows of a term: an id such as `HP:0001083`, a name or a synonym.

        At most `limit` lines are quoted about it, for each graph.

        Raises UsageError: the term is empty, or no knowledge graph is open; SourceUnavailable: a graph could not be
        asked; SnapshotCorrupt: a graph cannot be read.
        """
        if not term.strip():
            raise UsageError("the term is empty; give an id, a name or a synonym")
        graphs = [source for source in self.sources if isinstance(source, ConceptSource)]
        if not graphs:
            raise UsageError("no knowledge graph is open; search the corpus `starter` or a knowledge base with a graph")
        with self._under_way():
            return [await graph.concept(term, limit) for graph in graphs]

    async def highlights(self, document_id: str, spans: Sequence[tuple[int, int]]) -> list[tuple[Box, ...]]:
        """Where slices of a document are printed in its PDF: a box for each line of a slice, cut at the slice's ends.

        A slice is a start and an end, as those of a quote. It gets no boxes if its document has no pages, the file is
        gone, or the file has other text there.

        Raises UsageError: no source holds the document; SourceUnavailable: it may be in a source that could not be
        asked.
        """
        from medground.corpus.readers.pdf.highlights import highlights

        document = await self.document(document_id)
        files = [source.file_of(document_id) for source in self.sources if isinstance(source, FileSource)]
        file = next((file for file in files if file is not None), None)
        if file is None or not document.lines:
            return [()] * len(spans)
        return await asyncio.to_thread(highlights, file, document, spans)
