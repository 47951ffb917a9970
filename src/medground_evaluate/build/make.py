"""Building a set: divide topics, read their papers, then make questions until the plan of the set is filled.

Source: BioMedSearch, section IV.A and Figure 2. The plan says for each question its level and which letters are right,
so that all sets of letters are equally common. A question that fails a check is made again, at most `tries` times.
When the plan is filled, the set is tested blind; what can be answered without evidence is taken out and made again.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from time import monotonic

from medground.answering import Declaration, Run, Trace
from medground.corpus import Library
from medground.engine import Engine
from medground.errors import ModelFailed, UsageError
from medground.home import Settings
from medground.recipes import BioMedSearchSettings
from medground.values import Author, Progress, Question, no_progress
from medground_evaluate.build.attempt import (
    Rejected,
    Wanted,
    attempt,
    divided,
    findings_of,
    titles_on,
    too_easy,
    with_papers,
)
from medground_evaluate.build.file import OPTIONS, BuildFile, BuiltQuestion, Finding, Head, Line, SubTopic, answer_sets
from medground_evaluate.build.operators import BUILDING, Level

FILE = "build.jsonl"
_DECLARED = Declaration(name="set-builder", operators=BUILDING, settings=BioMedSearchSettings)
_FIELD = "what these are about"
"""Of titles. It has no word of its own, which a title could share and every topic would then have."""
_FEWEST = 2 * OPTIONS
"""Findings with which an attempt begins: a question of level 2 needs two for each option."""


@dataclass(frozen=True)
class Plan:
    """What is to be built.

    Attributes:
        topics: the topics; where there are none, `random_topics` are drawn from titles of the corpora.
        random_topics: number of topics to draw.
        coverage: least share of them in a paper (Eq. 3).
        shown: most findings that a model is shown to write a question from.
        rounds: how often questions that can be answered blind are made again.
    """

    topics: tuple[str, ...] = ()
    random_topics: int = 0
    levels: tuple[Level, ...] = (1,)
    count: int = 100
    subtopics: int = 6
    papers: int = 600
    top: int = 300
    keywords: int = 6
    coverage: float = 0.8
    shown: int = 24
    tries: int = 5
    rounds: int = 3
    seed: int = 0


@dataclass(frozen=True)
class Built:
    """What there is when a build ends: the questions in order of the plan, what is missing, and what was taken out."""

    questions: tuple[BuiltQuestion, ...]
    wanted: int
    attempts: int
    dropped: int
    missing: dict[str, int]
    seconds: float


async def build_set(plan: Plan, settings: Settings, folder: Path, *, progress: Progress = no_progress) -> Built:
    """Build a set into `FOLDER/build.jsonl`; the same call resumes it.

    Raises UsageError: the plan names no topic, an operator has no model, or the file was made with other options;
    ConfigError: a model or a corpus cannot be used; SourceUnavailable: no source could be searched; StorageFailed: the
    file cannot be written.
    """
    began = monotonic()
    if not plan.topics and not plan.random_topics:
        raise UsageError("no topic to build questions on; give --topic, or --random-topics N to draw them from titles")
    async with await Engine.open(settings, progress=progress) as engine:
        if not all(Author(engine.models.for_operator(one.name).name).is_model for one in BUILDING):
            raise UsageError("a set is written and checked by a language model; name one with --model")
        head = Head(
            options=asdict(plan),
            models={one.name: engine.models.for_operator(one.name).name for one in BUILDING},
            settings_hash=engine.settings.hash,
            snapshots=tuple(dict.fromkeys(s.state for s in engine.sources if s.state is not None)),
        )
        with BuildFile(folder / FILE, head) as build:
            builder = _Builder(plan, engine, build, progress)
            await builder.read()
            await builder.fill()
            return builder.built(monotonic() - began)


class _Builder:
    """The state of one build: everything that lasts is in its file."""

    def __init__(self, plan: Plan, engine: Engine, build: BuildFile, progress: Progress) -> None:
        self._plan = plan
        self._engine = engine
        self._build = build
        self._progress = progress
        self._pools: dict[Level, list[tuple[SubTopic, list[Finding]]]] = {level: [] for level in plan.levels}
        keys = answer_sets()
        self._slots: list[tuple[Level, tuple[str, ...]]] = []
        for level in plan.levels:
            chosen = [keys[n % len(keys)] for n in range(plan.count)]
            Random(f"{plan.seed} {level}").shuffle(chosen)
            self._slots += [(level, key) for key in chosen]

    async def read(self) -> None:
        """Divide the topics and read their papers, as far as the file does not have it."""
        topics = self._plan.topics or await self._drawn_topics()
        for number, topic in enumerate(topics):
            self._progress("topics", number, len(topics))
            for one in await self._subtopics(topic):
                for level in self._plan.levels:
                    findings = self._build.findings(one, level)
                    if findings is None:
                        findings = await findings_of(one, level, self._run(one.text))
                        self._build.add(Line(subtopic=one, level=level, findings=tuple(findings)))
                    self._pools[level].append((one, findings))
            for level, pools in self._pools.items():
                own = [findings for one, findings in pools if one.topic == topic]
                together = {finding.text: finding for findings in own for finding in findings}
                if len(own) > 1:
                    self._pools[level].append((SubTopic(topic=topic, text=topic, keywords=()), [*together.values()]))
        self._progress("topics", len(topics), len(topics))

    async def fill(self) -> None:
        """Make what is missing, test the set blind, and make again what can be guessed."""
        for round_ in range(self._plan.rounds + 1):
            wanted, questions = len(self._slots), self._build.questions()
            self._progress("questions", len(questions), wanted)
            for slot in (slot for slot in range(wanted) if slot not in questions):
                await self._make(slot)
                self._progress("questions", len(self._build.questions()), wanted)
            questions = self._build.questions()
            easy = too_easy([questions[slot].item() for slot in sorted(questions)])
            if not easy or round_ == self._plan.rounds:
                return
            self._build.add(Line(dropped=tuple(easy)))

    def built(self, seconds: float) -> Built:
        """What there is now."""
        questions = self._build.questions()
        missing = Counter[str]()
        for slot in range(len(self._slots)):
            if slot not in questions:
                reason = next((one.rejected for one in reversed(self._build.attempts(slot))), "not attempted")
                missing[reason.partition(":")[0]] += 1
        return Built(
            questions=tuple(questions[slot] for slot in sorted(questions)),
            wanted=len(self._slots),
            attempts=sum(line.slot is not None for line in self._build.lines),
            dropped=sum(len(line.dropped) for line in self._build.lines),
            missing=dict(missing),
            seconds=seconds,
        )

    async def _drawn_topics(self) -> list[str]:
        """Topics that titles of the corpora share, drawn with the seed; one for each topic wanted."""
        kept = self._build.subtopics(_FIELD)
        if not kept:
            library, corpora = Library(self._engine.settings.home), self._engine.settings.retrieval.corpora
            if not corpora:
                raise UsageError("topics are drawn from titles of a corpus; name one with --corpus, or give --topic")
            titles: list[str] = []
            for name in corpora:
                with library.open(name) as snapshot:
                    titles += [document.title for document in snapshot.all_documents() if document.title]
            Random(self._plan.seed).shuffle(titles)
            found = await divided(_FIELD, titles, self._plan.random_topics, self._plan.keywords, self._run(_FIELD))
            kept = [one for one in found if one.text != _FIELD]
            if not kept:
                raise UsageError(f"the titles of {', '.join(corpora)} share no topic; name topics with --topic")
            for one in kept:
                self._build.add(Line(subtopic=one))
        return [one.text for one in kept]

    async def _subtopics(self, topic: str) -> list[SubTopic]:
        kept = self._build.subtopics(topic)
        if kept:
            return kept
        run = self._run(topic)
        found = await divided(topic, await titles_on(topic, run), self._plan.subtopics, self._plan.keywords, run)
        share, top = max(1, self._plan.papers // len(found)), max(1, self._plan.top // len(found))
        read = [await with_papers(one, share, top, self._plan.coverage, run) for one in found]
        for one in read:
            self._build.add(Line(subtopic=one))
        return read

    async def _make(self, slot: int) -> None:
        """Try a slot until it has a question, or its attempts are used up."""
        before = self._build.attempts(slot)
        rejected = [one.rejected for one in before if one.rejected]
        earlier = sum(line.slot == slot for line in self._build.lines) - len(before)
        for number in range(len(before) + 1, self._plan.tries + 1):
            wanted = self._wanted(slot, earlier + number, tuple(rejected))
            if wanted is None:
                self._build.add(Line(slot=slot, attempt=number, rejected="too few findings are left"))
                return
            items = [one.item() for one in self._build.questions().values()]
            try:
                question = await attempt(wanted, items, self._run(wanted.subtopic.text))
                self._build.add(Line(slot=slot, attempt=number, question=question))
                return
            except (Rejected, ModelFailed) as error:
                rejected.append(error.reason if isinstance(error, ModelFailed) else str(error))
                self._build.add(Line(slot=slot, attempt=number, rejected=rejected[-1]))

    def _wanted(self, slot: int, number: int, rejected: tuple[str, ...]) -> Wanted | None:
        """What to ask for: findings that no question uses yet, of one sub-topic or, where it has few, of its topic."""
        level, key = self._slots[slot]
        built = self._build.questions().values()
        used = {proof.quote for one in built for option in one.options for proof in option.proofs}
        drawn = Random(f"{self._plan.seed} {slot} {number}")
        left = [
            (one, free)
            for one, findings in self._pools[level]
            if len(free := [f for f in findings if used.isdisjoint(proof.quote for proof in f.proofs)]) >= _FEWEST
        ]
        if not left:
            return None
        subtopic, free = drawn.choices(left, weights=[len(free) for _, free in left])[0]
        shown = drawn.sample(free, min(self._plan.shown, len(free)))
        seed = drawn.randrange(2**31)
        return Wanted(f"L{level}-{slot + 1}-{number}", level, subtopic, key, OPTIONS, tuple(shown), rejected, seed)

    def _run(self, text: str) -> Run:
        engine, question, trace = self._engine, Question(text=text, task="free"), Trace("set-builder", None)
        return Run(question, engine.settings, _DECLARED, engine.sources, engine.models, trace=trace)


def key_counts(questions: Sequence[BuiltQuestion]) -> dict[str, int]:
    """How often each set of letters is the key."""
    return {"".join(key): 0 for key in answer_sets()} | Counter("".join(question.key) for question in questions)
