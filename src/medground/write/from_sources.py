"""Answer from passages of several kinds of source. Lines of a graph are quoted as they stand, never in a model's words.

Source: Omni-RAG, section 5.1.2 and prompt E.11.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from medground.document import Hit, SourceKind
from medground.evidence import Evidence
from medground.graph.finding import GraphFact
from medground.operators.reasoning import SubClaim
from medground.operators.source_reading import ReadSourcesInput, read_sources
from medground.operators.views import SentencedPassage, SentenceView
from medground.question import Question
from medground.read.numbered import TextSpan
from medground.run import Run
from medground.sentence import Sentence
from medground.verify.named import without_marks
from medground.write.draft import Draft
from medground.write.reason import numbered_hits, quotable

_GRAPH: tuple[SourceKind, ...] = ("graph",)
Place = tuple[str, int, int]
"""Document id, start and end of a line of a graph."""


@dataclass(frozen=True)
class FromSources:
    """A draft and its quotes, in the order of their first use; `lines` are the ids of lines of a graph."""

    draft: Draft
    evidence: tuple[Evidence, ...] = ()
    lines: frozenset[str] = field(default=frozenset())

    def is_stated(self, sentence: Sentence) -> bool:
        """Whether a sentence is the wording of a line of a graph, and not a model's."""
        return sentence in self.draft.sentences and bool(sentence.evidence) and self.lines.issuperset(sentence.evidence)


async def answer_from_sources(
    question: Question, hits: Sequence[Hit], facts: Mapping[Place, GraphFact], run: Run, *, words: int
) -> FromSources:
    """Reason from these passages, each shown with the kind of its source, in at most so many words.

    `facts` are the stored facts at some of the lines of a graph; these are worded by their own template.
    """
    await run.retrieve([hit.passage.document_id for hit in hits])
    places: dict[str, TextSpan] = {}

    def line(key: str, hit: Hit) -> SentencedPassage:
        """A line of a graph is one sentence."""
        passage = hit.passage
        places[f"{key}.S1"] = (passage.document_id, passage.start, passage.end)
        view = SentenceView(id=f"{key}.S1", text=passage.text)
        return SentencedPassage(id=key, title=run.ledger.documents[passage.document_id].title, sentences=(view,))

    passages = numbered_hits(question, quotable(hits, run), places, run, records=_GRAPH, record=line)
    if not passages:
        return FromSources(Draft())
    value = ReadSourcesInput(
        question=question.text,
        task=question.task,
        options=question.options,
        passages=passages,
        sentences=run.settings.recipe.sentences,
        words=words,
    )
    output = await run.ask(read_sources, value)
    author = run.author(read_sources)
    claims = _within(output.claims, words, run) if author and author.is_model else output.claims
    graph = {sentence.id for passage in passages if passage.kind == "graph" for sentence in passage.sentences}
    quotes = _quoted(claims, places, graph, run)
    sentences = _sentences(claims, quotes, graph, facts, run)
    reason = (
        "" if output.answer or not (author and author.is_model) else f"{author.name} found no answer in the passages"
    )
    draft = Draft(sentences=sentences, answer=output.answer, basis="model" if output.answer else None, reason=reason)
    lines = frozenset(quotes[one].id for one in quotes if one in graph)
    return FromSources(draft, tuple({quote.id: quote for quote in quotes.values()}.values()), lines)


def _within(claims: Sequence[SubClaim], most: int, run: Run) -> Sequence[SubClaim]:
    """The first steps with at most so many words together, and at least one."""
    words = 0
    for place, claim in enumerate(claims):
        words += len(claim.text.split())
        if words > most and place:
            run.warn(f"the reasoning was cut after {place} of {len(claims)} steps: omni_rag.answer_words is {most}")
            return claims[:place]
    return claims


def _quoted(
    claims: Sequence[SubClaim], places: Mapping[str, TextSpan], graph: set[str], run: Run
) -> dict[str, Evidence]:
    """The cited sentences as quotes in the ledger, by their ids."""
    cited = dict.fromkeys(sentence for claim in claims for sentence in claim.sentences)
    documents = list(dict.fromkeys(document for document, _, _ in places.values()))
    return {
        one: run.ledger.quote(
            *places[one], origin="graph" if one in graph else "text", rank=documents.index(places[one][0]) + 1
        )
        for one in cited
    }


def _sentences(
    claims: Sequence[SubClaim],
    quotes: Mapping[str, Evidence],
    graph: set[str],
    facts: Mapping[Place, GraphFact],
    run: Run,
) -> tuple[Sentence, ...]:
    """Each step with the quotes of texts that it cites; each line of a graph that it cites as a sentence of its own."""
    found: list[Sentence] = []
    for claim in claims:
        own = [one for one in claim.sentences if one not in graph]
        if own or not claim.sentences:
            cited = tuple(dict.fromkeys(quotes[one].id for one in own))
            found.append(Sentence(text=without_marks(claim.text), evidence=cited))
        found += [_line(quotes[one], facts, run) for one in claim.sentences if one in graph]
    return tuple(dict.fromkeys(found))


def _line(quote: Evidence, facts: Mapping[Place, GraphFact], run: Run) -> Sentence:
    """A line of a graph as a sentence, which is one statement whatever clauses it has."""
    text = _worded(quote, facts, run)
    return Sentence(text=text, evidence=(quote.id,), within=text)


def _worded(quote: Evidence, facts: Mapping[Place, GraphFact], run: Run) -> str:
    """A line of a graph in words: the fact's own sentence, the line itself, or the line after its concept's name."""
    fact = facts.get((quote.document_id, quote.start, quote.end))
    if fact is not None:
        return fact.sentence
    line, title = " ".join(quote.quote.split()), run.ledger.documents[quote.document_id].title
    return line if not title or title.casefold() in line.casefold() else f"{title}: {line}"
