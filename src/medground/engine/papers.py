"""What is known of single papers: their ids, the record of a citation, what is like one or cites it, its full text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from medground.answering.rank.fuse import fuse, merge_duplicates
from medground.corpus.retraction import marked
from medground.engine.guards import guarded
from medground.engine.search import SearchEngine
from medground.errors import MedgroundError, SourceUnavailable, UsageError, needing
from medground.language.clean import HIDDEN
from medground.pubmed.citation import citation_terms
from medground.values.document import Document
from medground.values.identifiers import Relation, paper_names, papers_named
from medground.values.lookup import Lookup, Ranker
from medground.values.query import Query, Term
from medground.values.question import Question

if TYPE_CHECKING:
    from medground.sources.papers import PaperServices
    from medground.values.papers import FullText, PaperFound, Related

_MOST = 50
_LONGEST = 200
_FITTING = 10_000
"""Passages of papers with the year and the author of a citation, in which its volume and page are looked for."""
_ONLY_HELD = "PubMed is not searched here"
_ADD = '[[add --pubmed live|open the engine with sources=["pubmed"]|name a paper of the corpora]]'


def _name(asked: str) -> str:
    """The name of the paper that an id stands for, such as `pmid:1`; empty for a citation."""
    text = HIDDEN.sub("", asked).strip()  # a page that it was copied from may have marks in it
    text = f"PMID:{text}" if text.isdecimal() else text
    names = [*paper_names(text, {}), *(name for names in papers_named(text).values() for name in names)]
    return next((name for name in names if len(name) <= _LONGEST and name.isprintable()), "")


def _fits(document: Document, citation: str) -> bool:
    """Whether a record has the volume and the first page of a citation, as far as it gives them."""
    wanted = [part.strip() for part in f"{citation}|||".split("|")][2:4]
    own = document.imprint.get("volume"), document.imprint.get("pages", "").partition("-")[0]
    return all(not asked or asked == has for asked, has in zip(wanted, own, strict=True))


@dataclass(repr=False)
@guarded
class PaperEngine(SearchEngine):
    """Finds single papers in the open sources, and asks NCBI, Europe PMC and Unpaywall where PubMed is searched."""

    _services: PaperServices | None = field(default=None, repr=False)

    async def papers(self, papers: Sequence[str], *, entities: bool = False) -> list[PaperFound]:
        """The papers of some ids (PMID, PMC id, DOI) or citations (`journal|year|volume|first page|author`), in order.

        Corpora are asked first; for the rest PubMed, the ID converter of PMC and ECitMatch, if PubMed is searched.
        `entities`: what PubTator found in each. Raises UsageError: nothing is asked, or too much.
        """
        texts = list(papers)
        if not 1 <= len(texts) <= _MOST:
            raise UsageError(f"ask for 1 to {_MOST} papers, not {len(texts)}")
        with self._under_way():
            found = {text: await self._paper(text, entities=entities) for text in dict.fromkeys(texts)}
        return [found[text] for text in texts]

    async def related(self, paper: str, *, by: Relation = "similar", limit: int = 10) -> Related:
        """What is like a paper (in corpora by words and, where built, by vectors), cites it or is cited by it.

        Raises UsageError: the paper is not found, or only PubMed knows what was asked and it is not searched;
        SourceUnavailable: PubMed could not be asked.
        """
        from medground.values.papers import Related

        one, services = await self._one(paper), self._paper_services()
        run = self._untraced_run(Question(text=paper, task="free"))
        ways, ids = list[str](), list[str]()
        with self._under_way():
            if by == "similar" and one.document and self._corpora:
                subjects = (heading.descriptor for heading in one.document.mesh if heading.major)
                words = Lookup.words(" ".join([one.document.title, *subjects]))
                found = await run.look_up(words.replace(sources=self._corpora, limit=10 * limit))
                hits = merge_duplicates(fuse([hits for each in found for hits in each.rankings]))
                others = (hit.passage for hit in hits if set(hit.passage.paper).isdisjoint(one.document.paper))
                ids += list(dict.fromkeys(passage.document_id for passage in others))[:limit]
                ways.append(", ".join(self._corpora))
            elif services is None:
                raise UsageError(f"only PubMed knows {by} papers; {_ONLY_HELD}; {_ADD}")
            if services and (pmid := one.ids.get("pmid")):
                ids += [f"PMID:{name}" for name in await services.links(pmid, by) if name != pmid][:limit]
                ways.append(services.eutils.name)
            await run.retrieve(ids)
        return Related(
            paper=one,
            documents=tuple(run.ledger.documents[i] for i in dict.fromkeys(ids) if i in run.ledger.documents),
            ways=tuple(ways),
        )

    async def full_text(self, paper: str) -> FullText:
        """The full text of a paper by the legal routes, or the address of an open copy; else what each route said.

        Raises UsageError: the paper is not found, or PubMed is not searched.
        """
        one, services = await self._one(paper), self._paper_services()
        if services is None:
            raise UsageError(f"full texts are asked of PubMed Central, Europe PMC and Unpaywall; {_ONLY_HELD}; {_ADD}")
        with self._under_way():
            found = await services.full_text(one.ids)
        named = Document(
            id="PAPER:asked", title=paper, text=paper, identifiers=one.ids
        )  # the table may know the ids alone
        states = {marked(known).retraction for known in (one.document, found.document, named) if known}
        state = next((state for state in ("retracted", "notice", "concern") if state in states), "none")
        whole = found.document and found.document.replace(retraction=state)
        return found.replace(document=whole, retraction=state)

    async def _one(self, paper: str) -> PaperFound:
        (one,) = await self.papers([paper])
        if one.status == "failed":
            source, _, reason = one.reason.partition(": ")
            raise SourceUnavailable(reason or source, source=source)
        if one.status != "found":
            raise UsageError(
                f"{paper[:80]!r} was not found: {one.reason}" + f"; {_ADD}" * one.reason.endswith(_ONLY_HELD)
            )
        return one

    @property
    def _corpora(self) -> tuple[str, ...]:
        return tuple(source.name for source in self.sources if source.state is not None)

    def _paper_services(self) -> PaperServices | None:
        """What NCBI and others are asked by; None where PubMed is not searched: nothing leaves this computer."""
        wanted = self.settings.retrieval
        if self._services is None and (wanted.pubmed or "pubmed" in wanted.sources):
            with needing("services", "PubMed"):
                from medground.sources.papers import PaperServices

            self._services = PaperServices(self.settings)
            self._stack.push_async_callback(self._services.close)
        return self._services

    async def _paper(self, asked: str, *, entities: bool) -> PaperFound:
        from medground.values.papers import PaperFound  # its model takes a while to build

        name, services = _name(asked), self._paper_services()
        found, why = None, "not the id of a paper, or journal|year|volume|first page|author"
        if name or "|" in asked:
            try:
                found = await self._held(asked, name) if self._corpora else None
                found = found or (await services.paper(asked, name) if services else None)
                why = f"no corpus holds it; {_ONLY_HELD}"
            except UsageError as error:  # such as a year that is none
                why = str(error)
        found = found or PaperFound(asked=asked, status="not found", reason=why)
        if entities and services and (pmid := found.ids.get("pmid")):
            try:
                found = found.replace(entities=await services.entities(pmid))
            except MedgroundError as error:  # the paper is found all the same
                found = found.replace(reason=f"no entities: {error}")
        return found

    async def _held(self, asked: str, name: str) -> PaperFound | None:
        """The paper in the open corpora; None where none has it, or several fit a citation."""
        tree: Query = Term(value=name, field="identifier")
        if not name:
            # Volume and page are compared in the records. A journal has several names: it counts where no more is said.
            terms = [term for term in citation_terms(asked) if not term.endswith(("[vi]", "[pg]"))]
            terms = [term for term in terms if not term.endswith("[ta]")] or terms
            if not terms:
                return None
            from medground.pubmed.translate import parse  # imported late: it loads MeSH

            tree = parse(" AND ".join(terms))
        run = self._untraced_run(Question(text=asked, task="free"))
        lookup = Lookup(asked=tree, shown=asked, sources=self._corpora, rankers=(Ranker.LEXICAL,), limit=_FITTING)
        hits = [hit for one in await run.look_up(lookup) for hits in one.rankings for hit in hits]
        by_id = {hit.passage.document_id: hit.source for hit in hits}
        await run.retrieve(list(by_id))
        held = [run.ledger.documents[one] for one in by_id if one in run.ledger.documents]
        fitting = [document for document in held if name or _fits(document, asked)]
        if len({document.paper[:1] for document in fitting}) != 1:
            return None
        from medground.values.papers import PaperFound

        ids = dict(one.split(":", 1) for one in fitting[0].paper)
        return PaperFound(asked=asked, ids=ids, document=marked(fitting[0]), held_by=by_id[fitting[0].id])
