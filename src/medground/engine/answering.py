"""One question, from its run to an answer that is kept, also when it ends early; and one claim."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from medground.answering.conclude.claim import CheckedClaim, check_claim
from medground.answering.conclude.compose import not_searched, so_far
from medground.answering.run import Run, with_titles
from medground.answering.trace import Span
from medground.corpus.retraction_table import table
from medground.engine.answers import Answers
from medground.engine.replies import nothing_within, replied, with_next_steps
from medground.engine.search import check_limits
from medground.engine.unfinished import CANCELLED, UnfinishedResearch
from medground.errors import BudgetExhausted, MedgroundError, ModelFailed, UsageError
from medground.home.kept_files import keep_settings
from medground.home.registry import RESEARCH
from medground.recipes.base import Recipe
from medground.recipes.ground.recipe import without_model
from medground.values.answer import Answer
from medground.values.steps import Kept, ResearchBegun


async def answered(run: Run, recipe: Recipe, *, quotes_instead: bool = True) -> Answer:
    """The answer of a run, which is kept with its settings and its trace.

    Args:
        quotes_instead: whether what the sources say is quoted without the model, if that fails.

    Raises UsageError: a field that the question is limited by is unknown; BudgetExhausted: a limit was reached;
    `.answer` holds what was found so far; SourceUnavailable: no source could be searched; ModelFailed: a model gave no
    usable output, and nothing could be quoted instead.
    """
    with _reported(run, f"recipe {recipe.name}", settings_hash=run.settings.hash) as span:
        span.text(question=run.question.text, **({"context": run.question.context} if run.question.context else {}))
        answer = await _answer(run, recipe, quotes_instead=quotes_instead)
        span.set(decision=answer.decision.status, answer=answer.id)
    _keep(run, answer)
    return answer


async def researched(run: Run, recipe: Recipe, name: str | None = None) -> Answer:
    """The answer of a run of research, whose finished calls are kept until it is there; `name` is one to resume.

    Raises UsageError: another process is at work on it; and as for `answered`; BudgetExhausted, SourceUnavailable,
    ModelFailed: as for `answered`; `.research` is its id.
    """
    research, unfinished = name or run.trace.id, UnfinishedResearch(run.settings.home)
    if run.notice is not None and run.notice.stops:
        return await answered(run, recipe)
    try:
        with unfinished.begun(research, run.question, run.settings, run.now()) as run.kept:
            run.on_step(ResearchBegun(id=research, resumed=name is not None))
            return await answered(run, recipe)
    except MedgroundError as error:
        error.research = research if unfinished.has(research) else None
        raise


async def checked_claim(run: Run) -> CheckedClaim:
    """The claim of a run, checked against what the sources hold.

    Raises SourceUnavailable: no source could be searched; BudgetExhausted: a limit was reached.
    """
    with _reported(run, "verify") as span:
        span.text(claim=run.question.text)
        return await check_claim(run)


@contextmanager
def _reported(run: Run, name: str, **attributes: str) -> Iterator[Span]:
    """The span of a run. Every error gets what the run has cost, where its trace is, and what comes first.

    Of a notice its kind is recorded, not the words that called for it.
    """
    try:
        with run.trace.span(name, **attributes) as span:
            if run.notice is not None:
                span.set(notice=run.notice.kind)
            yield span
    except MedgroundError as error:
        error.spent, error.trace_id, error.notice = run.report(), run.trace.id, run.notice
        raise
    finally:
        run.trace.close()


async def _answer(run: Run, recipe: Recipe, *, quotes_instead: bool) -> Answer:
    if run.notice is not None and run.notice.stops:
        return not_searched(run)
    check_limits(run)
    if run.question.plan is not None and not recipe.researches:
        raise UsageError(f"the recipe {recipe.name} follows no plan of research; use the recipe {RESEARCH}")
    seconds = run.settings.budget.seconds
    try:
        async with asyncio.timeout(seconds) as limit:
            await run.as_meant()
            if (reply := await replied(run)) is not None:
                return reply
            if (left_out := await nothing_within(run)) is not None:
                return left_out
            question = await run.in_english()
            if run.notice is not None and run.notice.stops:
                return not_searched(run)
            question = await with_titles(question, run)
            answer = await recipe.run(question, run)
            papers = any(document.kind != "graph" for document in answer.documents)  # a concept is not retracted
            if papers and (old := table().old_at(run.now().date())):
                answer = answer.replace(warnings=(*answer.warnings, old))
            return await with_next_steps(answer, run)
    except asyncio.CancelledError:
        _keep(run, await _so_far(run, recipe, CANCELLED))
        raise
    except TimeoutError:
        if not limit.expired():  # something else timed out
            raise
        spent = BudgetExhausted("seconds", spent=f"{run.seconds:.1f}", allowed=str(seconds))
    except ModelFailed as failed:
        quotes = await _quotes(run, recipe, str(failed)) if quotes_instead else None
        if quotes is None:
            raise
        return quotes
    except BudgetExhausted as error:
        spent = error
    spent.answer = await _so_far(run, recipe, str(spent))
    if not spent.answer.evidence and spent.limit != "seconds":
        spent.answer = await _quotes(run, recipe, str(spent)) or spent.answer
    _keep(run, spent.answer)
    raise spent


async def _quotes(run: Run, recipe: Recipe, stopped: str) -> Answer | None:
    """What the sources say, quoted without a model; None for research, which is resumed, and where nothing is found."""
    if recipe.researches or not recipe.needs_evidence:
        return None
    with suppress(MedgroundError):  # the first failure is the one to report
        answer = await without_model(await with_titles(run.question, run), run, stopped)
        return answer if answer.evidence else None
    return None


async def _so_far(run: Run, recipe: Recipe, stopped: str) -> Answer:
    """What there is, also where the recipe's own way to say it fails: a run that ends early loses nothing."""
    try:
        return await recipe.so_far(run, stopped)
    except MedgroundError as error:
        run.warn(f"what was found could not be written up: {error}")
        return so_far(run, stopped)


def _keep(run: Run, answer: Answer) -> None:
    Answers(run.settings.home).keep(answer)
    keep_settings(run.settings)
    run.on_step(Kept(trace_id=answer.trace_id, stopped=answer.stopped))
