"""The literature of a topic: sub-topics, their papers, the best of them, and what these found.

Source: BioMedSearch, section IV.A and Figure 2 (about 600 papers, the top 300), Eq. 3 (keywords, then cosine).
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.corpus.chunk import chunk
from medground.document import Document, Hit
from medground.evaluate.build.values import Finding, Proof, SubTopic
from medground.executor.asking import coverage as share_of
from medground.executor.papers import merged
from medground.lookup import Lookup
from medground.operators.set_building import BriefInput, DivideInput, Level, brief_papers, divide_topic
from medground.operators.views import SentencedPassage
from medground.rank.cosine import cosines
from medground.rank.fuse import fuse
from medground.read.numbered import TextSpan, numbered
from medground.recipes.settings.biomedsearch import BioMedSearchSettings
from medground.retraction import why_aside
from medground.run import Run

FIRST_LOOK = 100
"""Titles that show what is published on a topic."""
_TOGETHER = 4
"""Papers that are summarised in one call of a model."""


async def divided(topic: str, titles: Sequence[str], subtopics: int, keywords: int, run: Run) -> list[SubTopic]:
    """The sub-topics of a topic, with keywords; `titles` show what is published on it.

    Raises:
        ModelFailed: the model gave no usable output.
    """
    value = DivideInput(topic=topic, titles=tuple(titles[:FIRST_LOOK]), subtopics=subtopics, keywords_each=keywords)
    output = await run.ask(divide_topic, value)
    found = {
        one.text: SubTopic(topic=topic, text=one.text, keywords=one.keywords[:keywords]) for one in output.subtopics
    }
    return list(found.values())[:subtopics]


async def titles_on(topic: str, run: Run) -> list[str]:
    """Titles of papers that a first search for a topic finds.

    Raises:
        SourceUnavailable: no source could be searched.
    """
    papers = await _found(topic, FIRST_LOOK, run)
    return [paper.title for paper in papers if paper.title]


async def with_papers(one: SubTopic, most: int, top: int, coverage: float, run: Run) -> SubTopic:
    """A sub-topic with its best papers: those with enough of its keywords, by cosine with the sub-topic (Eq. 3).

    Where no paper holds so many keywords, those with most of them are kept. Retracted papers are left out.

    Args:
        most: most papers that its keywords may find.
        top: most papers that are kept.
        coverage: least share of the keywords in title and text, 0 to 1.

    Raises:
        SourceUnavailable: no source could be searched.
    """
    papers = await _found(" ".join(one.keywords), most, run)
    forms = [(keyword,) for keyword in one.keywords]
    shares = [share_of(forms, f"{paper.title}\n{paper.text}") for paper in papers]
    least = min(coverage, max(shares, default=coverage))
    covered = [paper for paper, share in zip(papers, shares, strict=True) if share >= least]
    texts = [f"{paper.title}\n{paper.text}" for paper in covered]
    near = await cosines(one.text, texts, run, embedder=run.settings.section(BioMedSearchSettings).embedder)
    ranked = sorted(range(len(covered)), key=lambda n: (-near[n], n))[:top]
    kept = tuple(covered[n].id for n in ranked)
    return one.model_copy(update={"papers": kept, "found": len(papers), "covered": len(covered)})


async def findings_of(one: SubTopic, level: Level, run: Run) -> list[Finding]:
    """What the papers of a sub-topic found, each finding with the sentences that state it.

    Raises:
        ModelFailed: the model gave no usable output.
        SourceUnavailable: a paper can no longer be fetched.
    """
    await run.retrieve(one.papers)
    papers = [run.ledger.documents[i] for i in one.papers if i in run.ledger.documents]
    found: dict[str, Finding] = {}
    together = _TOGETHER if run.answerer(brief_papers).is_model else 1
    for first in range(0, len(papers), together):
        places: dict[str, TextSpan] = {}
        views = tuple(sentenced(f"P{n}", paper, places) for n, paper in enumerate(papers[first : first + together], 1))
        output = await run.ask(brief_papers, BriefInput(topic=one.text, level=level, papers=views))
        for written in output.findings:
            proofs = tuple(proof_of(places[sentence], run) for sentence in dict.fromkeys(written.sentences))
            found.setdefault(written.text, Finding(text=written.text, proofs=proofs))
    return list(found.values())


def sentenced(key: str, paper: Document, places: dict[str, TextSpan]) -> SentencedPassage:
    """A whole paper as numbered sentences; their places are recorded."""
    return numbered(key, paper, list(chunk(paper)), places)


def proof_of(place: TextSpan, run: Run) -> Proof:
    """The proof at a place of a retrieved document."""
    identity, start, end = place
    document = run.ledger.documents[identity]
    return Proof(document_id=identity, start=start, end=end, quote=document.text[start:end], title=document.title)


async def _found(text: str, most: int, run: Run) -> list[Document]:
    """Papers that words find, duplicates merged, in the order found, without retracted ones and notices."""
    results = await run.look_up(Lookup.words(text).model_copy(update={"limit": most}))
    best: dict[str, Hit] = {}
    for hit in fuse([ranking for result in results for ranking in result.rankings], run.settings.retrieval.fusion_k):
        best.setdefault(hit.passage.document_id, hit)
    await run.retrieve(list(best)[:most])
    papers = merged([*best.values()][:most], run.ledger.documents)
    read = [paper.records[0] for paper in papers if not why_aside(paper.hit.passage)]
    return [document for document in read if document.kind == "research"]
