"""What is known of single papers: their ids, the record of a citation, what is like one or cites it, its full text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from medground.answering.rank.fuse import fuse, merge_duplicates
from medground.corpus.retraction import marked
from medground.engine.search import SearchEngine
from medground.errors import MedgroundError, SourceUnavailable, UsageError
from medground.pubmed.citation import citation_terms
from medground.values.document import Document
from medground.values.identifiers import paper_names, papers_named
from medground.values.lookup import Lookup, Ranker
from medground.values.query import Query, Term
from medground.values.question import Question, checked_text

if TYPE_CHECKING:
    from medground.sources.papers import Entity, FullText, PaperServices, Relation

MOST = 50
"""Most papers of one call."""
_NOT_INDEXED = ("[vi]", "[pg]")
"""What is compared in the records, because corpora cannot be searched by it."""
_ONLY_HELD = "PubMed is not searched here: add `--pubmed live` (retrieval.pubmed)"


@dataclass(frozen=True)
class PaperFound:
    """One paper that was asked for by an id or a citation, and its ids by kind: `pmid`, `pmc`, `doi`.

    Attributes:
        document: its record; None where only its ids are known.
        held_by: the source or service that knows it.
        reason: why it was not found.
        entities: what it names, if that was asked.
    """

    asked: str
    status: Literal["found", "not found", "failed"]
    ids: Mapping[str, str] = field(default_factory=dict)
    document: Document | None = None
    held_by: str = ""
    reason: str = ""
    entities: tuple[Entity, ...] = ()


@dataclass(frozen=True)
class Related:
    """Papers that are like a paper, cite it or are cited by it, the closest first, and where each way looked."""

    paper: PaperFound
    documents: tuple[Document, ...]
    ways: tuple[str, ...]


def _name(asked: str) -> str:
    """The name of the paper that an id stands for, such as `pmid:1`; empty for a citation."""
    text = asked.strip()
    return next(iter([*paper_names(text, {}), *(name for names in papers_named(text).values() for name in names)]), "")


def _fits(document: Document, citation: str) -> bool:
    """Whether a record has the volume and the first page of a citation, as far as it gives them."""
    _, _, volume, page, *_ = [part.strip() for part in f"{citation}|||".split("|")]
    imprint = document.imprint
    own = imprint.get("volume", ""), imprint.get("pages", "").partition("-")[0]
    return all(not asked or asked == has for asked, has in zip((volume, page), own, strict=True))


def _found(asked: str, document: Document, held_by: str) -> PaperFound:
    ids = dict(name.split(":", 1) for name in document.paper)
    return PaperFound(asked, "found", ids, marked(document), held_by)


@dataclass
class PaperEngine(SearchEngine):
    """Finds single papers in the open sources, and asks NCBI, Europe PMC and Unpaywall where PubMed is searched."""

    _services: PaperServices | None = field(default=None, repr=False)

    async def papers(self, asked: Sequence[str], *, entities: bool = False) -> list[PaperFound]:
        """The papers of some ids (PMID, PMC id, DOI) or citations (`journal|year|volume|first page|author`), in order.

        Corpora are asked first; for the rest PubMed, the ID converter of PMC and ECitMatch, if PubMed is searched.
        `entities`: what PubTator found in each.

        Raises UsageError: nothing is asked, or too much.
        """
        texts = [checked_text(one, "paper") for one in asked]
        if not 1 <= len(texts) <= MOST:
            raise UsageError(f"ask for 1 to {MOST} papers, not {len(texts)}")
        with self._under_way():
            found = {one: held for one in dict.fromkeys(texts) if (held := await self._held(one))}
            services = self._paper_services()
            for one in dict.fromkeys(texts):
                if one not in found:
                    found[one] = await self._asked(one, services)
                pmid = found[one].ids.get("pmid")
                if entities and services and pmid:
                    found[one] = replace(found[one], entities=await services.entities(pmid))
        return [found[one] for one in texts]

    async def related(self, paper: str, *, by: Relation = "similar", limit: int = 10) -> Related:
        """What is like a paper (in corpora by words and, where built, by vectors), cites it or is cited by it.

        Raises UsageError: the paper is not found, or only PubMed knows what was asked and it is not searched;
        SourceUnavailable: PubMed could not be asked.
        """
        from medground.sources.papers import LINKS

        one = await self._one(paper)
        run = self._untraced_run(Question(text=paper, task="free"))
        services, ways, ids = self._paper_services(), [], list[str]()
        with self._under_way():
            if by == "similar" and one.document and self._corpora:
                words = f"{one.document.title} {one.document.text}"[:2_000]
                lookup = Lookup.words(words).model_copy(update={"sources": self._corpora, "limit": 10 * limit})
                found = await run.look_up(lookup)
                hits = merge_duplicates(fuse([hits for each in found for hits in each.rankings]))
                ids += [
                    hit.passage.document_id for hit in hits if set(hit.passage.paper).isdisjoint(one.document.paper)
                ]
                ways.append(f"{', '.join(self._corpora)}: by words and vectors, as far as there are any")
            elif services is None:
                raise UsageError(f"only PubMed knows {by} papers; {_ONLY_HELD}")
            if services and (pmid := one.ids.get("pmid")):
                linked = await services.eutils.links(pmid, LINKS[by])
                ids += [f"PMID:{name}" for name in linked if name != pmid][:limit]
                ways.append(f"{services.eutils.name}: {LINKS[by]}")
            wanted = list(dict.fromkeys(ids))[: 2 * limit if len(ways) > 1 else limit]
            await run.retrieve(wanted)
        return Related(one, tuple(run.ledger.documents[i] for i in wanted if i in run.ledger.documents), tuple(ways))

    async def full_text(self, paper: str) -> FullText:
        """The full text of a paper by the legal routes, or the address of an open copy; else what each route said.

        Raises UsageError: the paper is not found.
        """
        one = await self._one(paper)
        if (services := self._paper_services()) is None:
            raise UsageError(f"full texts are asked of PubMed Central, Europe PMC and Unpaywall; {_ONLY_HELD}")
        with self._under_way():
            found = await services.full_text(one.ids)
        return replace(found, document=marked(found.document)) if found.document else found

    async def _one(self, paper: str) -> PaperFound:
        (one,) = await self.papers([paper])
        if one.status == "failed":
            raise SourceUnavailable(one.reason, source="pubmed")
        if one.status != "found":
            raise UsageError(f"{paper[:80]!r} was not found: {one.reason}")
        return one

    @property
    def _corpora(self) -> tuple[str, ...]:
        return tuple(source.name for source in self.sources if source.state is not None)

    def _paper_services(self) -> PaperServices | None:
        """What NCBI and others are asked by; None where PubMed is not searched: nothing leaves this computer."""
        wanted = self.settings.retrieval
        if self._services is None and (wanted.pubmed or "pubmed" in wanted.sources):
            from medground.sources.papers import PaperServices  # it brings the HTTP client

            self._services = PaperServices(self.settings)
            self._stack.push_async_callback(self._services.close)
        return self._services

    async def _held(self, asked: str) -> PaperFound | None:
        """The paper of an id or a citation in the open corpora; None where none has it, or several have."""
        name, terms = _name(asked), [one for one in citation_terms(asked) if not one.endswith(_NOT_INDEXED)]
        if not self._corpora or not (name or terms):
            return None
        tree: Query = Term(value=name, field="identifier")
        if not name:
            from medground.pubmed.translate import parse  # imported late: it loads MeSH

            tree = parse(" AND ".join(terms))
        run = self._untraced_run(Question(text=asked, task="free"))
        lookup = Lookup(asked=tree, shown=asked, sources=self._corpora, rankers=(Ranker.LEXICAL,))
        hits = [hit for one in await run.look_up(lookup) for hits in one.rankings for hit in hits]
        by_id = {hit.passage.document_id: hit.source for hit in hits}
        await run.retrieve(list(by_id))
        held = [run.ledger.documents[one] for one in by_id if one in run.ledger.documents]
        documents = [document for document in held if name or _fits(document, asked)]
        papers = {document.paper[:1] for document in documents}
        return _found(asked, documents[0], by_id[documents[0].id]) if len(papers) == 1 else None

    async def _asked(self, asked: str, services: PaperServices | None) -> PaperFound:
        """The paper as PubMed, the ID converter or ECitMatch knows it."""
        name = _name(asked)
        if not name and not ("|" in asked and citation_terms(asked)):
            return PaperFound(asked, "not found", reason="not an id of a paper, or journal|year|volume|page|author")
        if services is None:
            return PaperFound(asked, "not found", reason=f"no corpus holds it; {_ONLY_HELD}")
        try:
            if not name:
                (matched,) = await services.eutils.match([asked])
                if not matched.isdecimal():
                    return PaperFound(asked, "not found", reason=f"ECitMatch: {matched}")
                name = f"pmid:{matched}"
            kind, value = name.split(":", 1)
            stub = Document(id=f"{kind.upper()}:{value}", title=asked, text=asked)
            (records,) = await services.records.find([stub])
            if records:
                return _found(asked, records[0], services.records.source)
            if ids := (await services.ids(kind, [value])).get(value):
                return PaperFound(asked, "found", ids, held_by="the ID converter of PMC")
        except MedgroundError as error:
            return PaperFound(asked, "failed", reason=str(error))
        return PaperFound(asked, "not found", reason="PubMed and PubMed Central have no such paper")
