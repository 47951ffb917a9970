"""The engine: opens what the settings name, makes one run per question, and hands it to the recipe."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any, Self, Unpack

from medground.answering.changes import Changes, changes
from medground.answering.conclude.claim import CHECKING_A_CLAIM, CheckedClaim
from medground.answering.conclude.compose import answer_id
from medground.answering.evidence_table import EvidenceTable
from medground.engine.answering import answered, checked_claim, researched
from medground.engine.answers import Answers, KeptAnswers
from medground.engine.checking import CheckEngine
from medground.engine.guards import guarded
from medground.engine.opening import AskOptions, Objects, Opening, with_objects
from medground.engine.unfinished import LAST, Batch, Outcome, Unfinished, UnfinishedResearch, in_order, slots
from medground.errors import BudgetExhausted, MedgroundError, SourceUnavailable, UsageError
from medground.home.kept_files import kept_groups
from medground.home.settings import Settings
from medground.language.follow_up import follow_up, is_unrelated
from medground.language.risk.notices import answered_all_the_same, most_urgent, notice_first
from medground.recipes.base import Recipe
from medground.values.answer import Answer
from medground.values.query import Filters
from medground.values.question import Question, Task, as_question
from medground.values.research_plan import ResearchPlan
from medground.values.steps import AnyStep, OnStep, Progress, ignore_steps, no_progress
from medground.wording.changes import AskedAgain


@dataclass(repr=False)
@guarded
class Engine(CheckEngine, KeptAnswers):
    """Answers questions with one set of sources. Open it with `Engine.open`; it serves many questions at once.

    Attributes:
        settings: what is used where a call names nothing else.
        sources: what is searched; fixed once the engine is open.
    """

    @classmethod
    def open(
        cls,
        settings: Settings | Mapping[str, Any] | None = None,
        *,
        corpora: str | Sequence[str] | None = None,
        progress: Progress = no_progress,
        **given: Unpack[Objects],
    ) -> Opening[Self]:
        """Open the corpora, models and recipe that the settings name, by `await` or by `async with`.

        Builds the starter corpus when it is missing. Everything is checked before the first call that costs something;
        several problems come in one report.

        Args:
            settings: `Settings.load()` by default; a mapping such as `{"retrieval.keep": 5}` changes some of these.
            corpora: names of the corpora to search, in place of those that the settings name.
            progress: called with the progress of long steps, such as building the starter corpus.
            given: sources, recipe, model, reranker, critic and embedder by name or as objects (`Objects`).

        Raises:
            UsageError: an unknown recipe or corpus; an object is not what it is given as.
            ConfigError: a missing key or extra, an unknown model, a changed embedding model.
            SnapshotCorrupt: a corpus differs from its manifest.
        """
        return Opening(lambda: cls._opened(with_objects(Settings.resolved(settings), given), corpora, progress))

    async def ask(
        self,
        question: str | Question,
        *,
        task: Task | None = None,
        options: Sequence[str] | Mapping[str, str] = (),
        context: str = "",
        filters: Filters | None = None,
        recipe: str | Recipe | None = None,
        model: str | None = None,
        settings: Mapping[str, Any] | None = None,
        follow: str | None = None,
        plan: ResearchPlan | None = None,
        on_step: OnStep = ignore_steps,
    ) -> Answer:
        """Answer one question. The answer and its trace are kept in the home folder, also when the call is cancelled.

        A question that shows a person at risk gets a notice first; one about self-harm gets the notice alone.

        Args:
            question: the question, or a `Question` with limits of its own.
            task: the kind of answer; guessed from the question when absent.
            options: the choices of a choice question.
            context: a passage or a case that the question is about; it is never searched for by itself or cited.
            filters: limits on what may be found, such as `Filters(year_from=2015)`.
            recipe: the recipe to follow for this question: a name, `module:NAME` or the object.
            model: the model that answers its operators.
            settings: other settings for this question, such as `{"recipe.rounds": 2}`.
            follow: the kept answer, by its trace id or id, that this question follows. Words such as "it" stand for
                the subject of its question, and its documents are searched in addition to everything else.
            plan: the plan that a recipe of research is to follow, in place of its own.
            on_step: called with each step as it happens.

        Raises:
            UsageError: the question is empty, too long, or does not fit its task; a field that it is limited by is
                unknown; the engine is closed; a setting is fixed once the engine is open; a follow-up cannot be read;
                the recipe follows no plan.
            ConfigError: an unknown setting, or a model that cannot be used.
            BudgetExhausted: a limit was reached; `.answer` holds what was found so far.
            SourceUnavailable: no source could be searched.
            ModelFailed: a model gave no usable output. Where quotes can be shown without it, `answer.stopped` says so.
        """
        said = (question.text, question.context) if isinstance(question, Question) else (question, "")
        with notice_first(*said, context) as notice:
            asked = as_question(question, task=task, options=options, context=context, filters=filters)
            former = self.answer(follow) if follow is not None and not (notice and notice.stops) else None
            if former and former.notice and former.notice.stops and not is_unrelated(said[0], former):
                notice, former = former.notice, None  # still about the person in danger
            if former is not None:
                asked = follow_up(asked, former, self.now().year, task=task)
                notice = most_urgent(asked.text, asked.context) or notice  # "it" has become the former subject
            notice = answered_all_the_same(notice) if asked.options else notice  # an examination
            asked = asked.replace(plan=plan) if plan is not None else asked
            setup = await self._setup(recipe, model, settings)
            run = self._run(asked, setup, setup.recipe, on_step, notice=notice)
            with self._under_way():
                if setup.recipe.researches:
                    return await researched(run, setup.recipe)
                return await answered(run, setup.recipe, quotes_instead=self.quotes_instead)

    def unfinished(self) -> Sequence[Unfinished]:
        """Research that was killed, stopped or reached a limit, the latest first."""
        return UnfinishedResearch(self.settings.home).list()

    async def resume(
        self, name: str = LAST, *, settings: Mapping[str, Any] | None = None, on_step: OnStep = ignore_steps
    ) -> Answer:
        """Go on with unfinished research: the same question and settings, and no finished lookup or model call again.

        Args:
            name: its id; the latest by default.
            settings: settings to change, such as a limit that it reached: `{"budget.calls": 50}`.
            on_step: called with each step as it happens.

        Raises:
            UsageError: no unfinished research has this id; another process is at work on it; it searched other sources
                than this engine has open (`medground.resume` opens them).
            BudgetExhausted, SourceUnavailable, ModelFailed: as for `ask`.
        """
        one = UnfinishedResearch(self.settings.home).read(name)
        with notice_first(one.question.text, one.question.context) as notice:
            setup = await self._setup(None, None, {**one.groups(self.settings), **(settings or {})})
            run = self._run(one.question, setup, setup.recipe, on_step, notice=notice)
            with self._under_way():
                return await researched(run, setup.recipe, one.id)

    async def again(self, name: str, *, on_step: OnStep = ignore_steps) -> AskedAgain:
        """Ask the question of a kept answer again, with its settings, and report what changed.

        Args:
            name: the trace id of the answer, or its id for the latest.
            on_step: called with each step as it happens.

        Raises:
            UsageError: no such answer is kept, or its settings are not; it searched other corpora or sources than this
                engine has open (`medground.ask_again` opens them).
            BudgetExhausted, SourceUnavailable, ModelFailed: as for `ask`.
        """
        kept = self.answer(name)
        before = Answers(self.settings.home).as_given(kept.trace_id) or kept
        answer = await self.ask(before.question, settings=kept_groups(before, self.settings), on_step=on_step)
        return AskedAgain(before=before, answer=answer, changes=await self._changes(before, answer))

    async def _changes(self, before: Answer, now: Answer) -> Changes:
        run = self._untraced_run(before.question)
        reached = True
        with self._under_way():
            try:
                await run.retrieve([document.id for document in before.documents])
            except SourceUnavailable:
                reached = False
        return changes(before, now, run.ledger.documents, reached=reached)

    async def stream(self, question: str | Question, **chosen: Unpack[AskOptions]) -> AsyncGenerator[AnyStep | Answer]:
        """The steps of a question as they happen, then its answer; `chosen` as for `ask`.

        Closing the iterator early cancels the question. Raises what `ask` raises.
        """
        events = asyncio.Queue[AnyStep | None]()
        asked = asyncio.create_task(self.ask(question, on_step=events.put_nowait, **chosen))
        asked.add_done_callback(lambda _: events.put_nowait(None))
        try:
            while (step := await events.get()) is not None:
                yield step
            yield await asked
        finally:
            asked.cancel()
            await asyncio.gather(asked, return_exceptions=True)

    async def ask_many(
        self,
        /,
        questions: Iterable[str | Question],
        *,
        concurrency: int = 8,
        on_step: OnStep = ignore_steps,
        **chosen: Unpack[AskOptions],
    ) -> list[Outcome]:
        """Answer several questions at once, in order; `on_step` and `chosen` as for `ask`. A failure is an outcome too.

        Raises:
            UsageError: `concurrency` is below 1; `questions` is one text.
        """
        turns = slots(concurrency)

        async def one(question: str | Question) -> Outcome:
            async with turns:
                return await self._outcome(question, on_step=on_step, **chosen)

        return list(await asyncio.gather(*map(one, questions)))

    async def ask_each(
        self,
        questions: Iterable[str | Question],
        *,
        concurrency: int = 8,
        recipe: str | Recipe | None = None,
        model: str | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> AsyncGenerator[Outcome]:
        """Answer several questions, and give each outcome in order as it comes; other arguments are those of `ask`.

        If this is interrupted, the same call resumes: what has an answer already is not asked again, as long as
        settings and corpora are the same. The same question is asked once.

        Raises:
            UsageError: a question cannot be asked; `concurrency` is below 1; another process asks the same questions.
        """
        asked = tuple(map(as_question, questions))
        setup = await self._setup(recipe, model, settings)
        states = [s.hash for s in dict.fromkeys(source.state for source in self.sources) if s is not None]
        ids = tuple(answer_id(question, setup.settings.hash, states) for question in asked)
        batch = Batch(self.settings.home, asked, ids)
        ask = partial(self._outcome, recipe=recipe, model=model, settings=settings)
        with batch.begun(self.now) as progress:
            async with aclosing(in_order(batch, progress, ask, concurrency)) as outcomes:
                async for outcome in outcomes:
                    yield outcome

    async def _outcome(self, question: str | Question, **chosen: Any) -> Outcome:
        text = question.text if isinstance(question, Question) else str(question)
        try:
            return Outcome(text, await self.ask(question, **chosen))
        except BudgetExhausted as error:
            return Outcome(text, error.answer, error)
        except MedgroundError as error:
            return Outcome(text, error=error)

    async def table(
        self,
        name: str,
        columns: Sequence[str] = (),
        *,
        model: str | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> EvidenceTable:
        """The studies that a kept answer quotes as a table, with columns such as "dose", "n" or "outcome".

        Each cell is a verbatim quote of the study, "not reported", or "failed" with the reason.

        Args:
            name: the trace id of the answer, or its id for the latest.
            columns: names of at most 10 columns.
            model: the model that chooses the sentences.
            settings: other settings for this table.

        Raises:
            UsageError: no such answer is kept; a column cannot be used; the engine is closed.
            ConfigError: an unknown setting, or a model that cannot be used.
        """
        from medground.answering.table_rows import TABLE, evidence_table

        answer = await asyncio.to_thread(self.answer, name)
        setup = await self._setup(None, model, settings)
        run = self._run(answer.question, setup, TABLE, traced=False)
        with self._under_way():
            return await evidence_table(answer, tuple(columns), run)

    async def verify(
        self, claim: str, *, model: str | None = None, settings: Mapping[str, Any] | None = None
    ) -> CheckedClaim:
        """Compare a claim with what the sources hold: a verdict and the deciding quotes for each of its statements.

        A verdict is "supported" or "contradicted" only where a validated judge gave it.

        Raises:
            UsageError: the claim is empty or too long; the engine is closed.
            SourceUnavailable: no source could be searched.
            BudgetExhausted: a limit was reached.
        """
        if not claim.strip():
            raise UsageError("the claim is empty; write it in words")
        with notice_first(claim) as notice:
            setup = await self._setup(None, model, settings)
            run = self._run(Question.ask(claim, task="free"), setup, CHECKING_A_CLAIM, notice=notice)
            with self._under_way():
                return await checked_claim(run)
