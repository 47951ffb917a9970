"""The loop of Self-MedRAG over a few papers, with a writer and a critic that say what the test says."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from asked_questions import Asks, MakeRun, asks
from scripted_capable import Asked, checks
from small_corpora import corpus_of_documents

from medground.answering.run import Run
from medground.answering.trace import read_trace
from medground.corpus.chunk import chunk
from medground.corpus.library import Library
from medground.models.operators.checking import StatementCheck
from medground.models.operators.reasoning import ReasonOutput, SubClaim
from medground.values.document import Document, Hit, MeshHeading, SourceKind
from medground.values.lookup import Found, Lookup, Ranker
from medground.values.query import Filters, Words

QUESTION = "Does aspirin prevent myocardial infarction?"
TOPICS = ["bleeding", "stroke", "gout", "asthma", "migraine", "fever"]
PAPERS = [
    Document(
        id=f"PMID:{number}",
        title=f"Aspirin and {topic}",
        text=f"Aspirin changed {topic} and {topic} scores. It was given for a year.",
        year=2000 + number,
        # All are on the question's subject, and on what is written of it.
        mesh=(MeshHeading(descriptor="Myocardial Infarction"), MeshHeading(descriptor="Stroke")),
    )
    for number, topic in enumerate(["myocardial infarction", *TOPICS], start=1)
]
WITHDRAWN = Document(
    id="PMID:99",
    title="Aspirin and myocardial infarction",
    text="Aspirin prevents myocardial infarction. Aspirin prevents myocardial infarction always.",
    retraction="retracted",
)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A home with the papers in a corpus."""
    return corpus_of_documents(tmp_path_factory.mktemp("home"), [*PAPERS, WITHDRAWN], "heart")


@pytest.fixture
def ask(make_run: MakeRun, corpus: Library, scripted_model: Any) -> Asks:
    """Asks `self-medrag` over the papers."""
    options = {"self_medrag.passages": 2, "self_medrag.drift": 0.1, "verify.taxonomy": False}
    return asks(scripted_model, make_run, "self-medrag", corpus, QUESTION, **options)


KIND = {"bm25": Ranker.LEXICAL, "dense": Ranker.DENSE}


class Rankers:
    """A source whose rankers find the papers that the test says; with `fresh`, each search finds a next one alone."""

    name = "corpus:rankers"
    state = None
    kinds = frozenset[SourceKind](["research"])

    def __init__(self, rankers: Mapping[str, Sequence[Document]], *, fresh: bool = False) -> None:
        self._rankers = rankers
        self._fresh = fresh
        self._searches = 0

    def accepts(self, lookup: Lookup) -> bool:
        return isinstance(lookup.asked, Words) and any(lookup.wants(KIND[name]) for name in self._rankers)

    async def search(self, lookup: Lookup, filters: Filters) -> Found:
        self._searches += 1
        own = slice(self._searches - 1, self._searches) if self._fresh else slice(None)
        rankings = tuple(
            tuple(
                Hit(passage=next(iter(chunk(paper))), ranker=ranker, rank=rank, score=1 / rank, source=self.name)
                for rank, paper in enumerate(papers[own], start=1)
            )
            for ranker, papers in self._rankers.items()
            if lookup.wants(KIND[ranker])
        )
        return Found(lookup, self.name, rankings=rankings)

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        return {paper.id: paper for paper in PAPERS if paper.id in ids}

    async def close(self) -> None:
        return None


BM25 = [PAPERS[1], PAPERS[2]]
DENSE = [PAPERS[3], PAPERS[2]]


def rounds_of(run: Run, name: str = "round") -> list[dict[str, Any]]:
    """What the trace says of each round, without the prefixes of its names."""
    assert run.trace.path is not None
    spans = [s for s in read_trace(run.trace.path.parent, run.trace.path.stem) if s["name"] == name]
    return [{n.removeprefix("medground."): v for n, v in s["attributes"].items()} for s in spans]


def replies(scripts: Sequence[Sequence[str]], relations: Mapping[str, str], **changes: Any) -> dict[str, Any]:
    """A generator that writes `scripts[i]` in round i, and a critic that gives each statement its relation."""

    def reason(value: Any) -> ReasonOutput:
        first = value.passages[0].sentences[0].id
        claims = tuple(SubClaim(text=text, sentences=(first,)) for text in scripts[len(value.history)])
        return ReasonOutput(claims=claims, answer=("yes",) if len(value.history) % 2 == 0 else ("no",))

    def judge(asked: Asked) -> StatementCheck:
        relation: Any = relations[asked.statement]
        return asked.is_(relation, asked.evidence[0].id if relation != "neutral" else None)

    return {"reason": reason, "check": checks(judge)} | changes


def about(topic: str, number: int = 0) -> str:
    when = ("early", "late", "daily", "weekly", "again")[number]
    return f"Aspirin given {when} prevents myocardial infarction and {topic}."
