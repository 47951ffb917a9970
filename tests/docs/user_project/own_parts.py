"""A program's own sources, reranker, critic, model of embeddings and recipe."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from medground import (
    Answer,
    BlockingEngine,
    Document,
    Filters,
    Found,
    Hit,
    Lookup,
    Objects,
    Passage,
    PlainWords,
    Question,
    Ranker,
    Ranking,
    Recipe,
    RetrieverSource,
    Settings,
    SettingsSection,
    SnapshotReference,
    Source,
    SourceDeclaration,
    SourceKind,
    errors,
)
from medground.answering import Claim, Critic, Judgement, Reads, Reranker, Run
from medground.corpus import Embedder


def my_notes(words: str) -> list[dict[str, Any]]:
    """The retriever of docs/integrations.md."""
    return [{"pmid": "21645374", "year": 2011, "title": "Yoga", "text": f"Yoga reduced {words} in 313 adults."}]


async def my_service(words: str) -> list[str | Document]:
    return [words, Document(id="NOTE:1", text=words)]


class LikeLangChain:
    async def ainvoke(self, words: str) -> Sequence[Mapping[str, str]]:
        return [{"text": words}]


RETRIEVERS: list[Source] = [
    RetrieverSource("my notes", my_notes),
    RetrieverSource("my service", my_service, kinds=("web",)),
    RetrieverSource("theirs", LikeLangChain()),
]


class NotesSettings(SettingsSection):
    section: ClassVar[str] = "my_notes"
    most: int = 3


class Notes:
    """A source by the protocol, with no class of Medground above it."""

    name = "notes"
    kinds: frozenset[SourceKind] = frozenset(["web"])
    state: SnapshotReference | None = None

    def __init__(self, most: int) -> None:
        self._notes = {"NOTE:1": Document(id="NOTE:1", text="Aspirin is an old drug.", kind="web")}
        self._most = most

    def accepts(self, lookup: Lookup) -> bool:
        return isinstance(lookup.asked, PlainWords) and lookup.wants(Ranker.LEXICAL)

    async def search(self, lookup: Lookup, filters: Filters) -> Found:
        if not self.accepts(lookup):
            raise errors.UsageError("it takes plain words")
        if filters.year_from:
            return Found(lookup, self.name, notes=("no note has a year",))
        return Found(lookup, self.name, rankings=(self._ranking(),))

    def _ranking(self) -> Ranking:
        passages = [note.passage(0, len(note.text), None) for note in self._notes.values()]
        return tuple(
            Hit(passage=passage, ranker=self.name, rank=rank, score=1 / rank, source=self.name)
            for rank, passage in enumerate(passages[: self._most], start=1)
        )

    async def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        return {name: self._notes[name] for name in ids if name in self._notes}

    async def close(self) -> None:
        self._notes.clear()


def open_notes(settings: Settings) -> Notes:
    return Notes(settings.section(NotesSettings).most)


NOTES = SourceDeclaration(name="my-notes", open=open_notes, settings=NotesSettings)


class Shortest:
    name = "shortest"

    def score(self, question: str, passages: Sequence[Passage]) -> list[float]:
        return [1 / (1 + len(passage.text)) for passage in passages]


class SameWords:
    name = "same-words"
    reads: Reads = "sentences"

    async def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        return [Judgement("neutral", note=f"{len(claim.premises)} read") for claim in claims]


async def shortest_answer(question: Question, run: Run) -> Answer:
    found = await run.look_up(Lookup.words(question.text))
    print([one.size for one in found])
    raise errors.SourceUnavailable("nothing is written yet", source="notes")


def no_problems(settings: Settings, sources: Sequence[Source]) -> Iterator[errors.MedgroundError]:
    if not sources and settings.hash:
        yield errors.UsageError("name a source")


WRITE: Callable[[Question, Run], Awaitable[Answer]] = shortest_answer
RECIPE = Recipe(name="shortest", run=WRITE, operators=(), check=no_problems)
RERANKER: Reranker = Shortest()
CRITIC: Critic = SameWords()


def with_all(embedder: Embedder) -> BlockingEngine:
    own: Objects = {"sources": [*RETRIEVERS, NOTES, "pubmed"], "recipe": RECIPE, "reranker": RERANKER, "critic": CRITIC}
    own["embedder"] = embedder
    return BlockingEngine(**own)
