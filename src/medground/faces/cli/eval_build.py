"""`medground eval build`: a set of multiple-choice questions from literature."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medground.faces.cli.options import KnowledgeBase, Preset, Quiet, Sets, SettingsFile, load_settings, searched
from medground.faces.cli.terminal import page, say

if TYPE_CHECKING:
    from medground.evaluate.audit.base import Audit
    from medground.evaluate.build.make import Built

Levels = Annotated[
    list[int] | None,
    typer.Option(
        "--level",
        min=1,
        max=3,
        help="1: one causal mechanism; 2: findings that stand apart; 3: time and feedback; repeatable.",
    ),
]
Coverage = Annotated[
    float, typer.Option(min=0, max=1, help="Least share of a sub-topic's keywords in a paper (Eq. 3).")
]


def build(
    out: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder of the set; an unfinished one is resumed.")],
    topic: Annotated[list[str] | None, typer.Option("--topic", help="A topic to ask about; repeatable.")] = None,
    random_topics: Annotated[int, typer.Option(min=0, help="Draw so many topics from titles of the corpora.")] = 0,
    level: Levels = None,
    count: Annotated[int, typer.Option(min=1, help="Questions for each level.")] = 100,
    subtopics: Annotated[int, typer.Option(min=1, max=20, help="Most sub-topics of a topic.")] = 6,
    papers: Annotated[int, typer.Option(min=1, help="Most papers found for a topic.")] = 600,
    top: Annotated[int, typer.Option(min=1, help="Most papers read for a topic.")] = 300,
    tries: Annotated[int, typer.Option(min=1, help="Most attempts for a question.")] = 5,
    rounds: Annotated[int, typer.Option(min=0, help="How often questions that can be guessed are made again.")] = 3,
    seed: Annotated[int, typer.Option(help="Seed for whatever is drawn.")] = 0,
    corpus: Annotated[list[str] | None, typer.Option("--corpus", "-c", help="Corpus to search; repeatable.")] = None,
    kb: KnowledgeBase = None,
    model: Annotated[str | None, typer.Option(help="Model that writes and checks; keyless by default.")] = None,
    coverage: Coverage = 0.8,
    sets: Sets = None,
    preset: Preset = None,
    settings: SettingsFile = None,
    quiet: Quiet = False,
) -> None:
    """Build a set of questions with several right answers, check each twice, and audit the set."""
    from medground.evaluate.build.make import Plan, build_set
    from medground.faces.cli.eval_stop import run_stoppable
    from medground.faces.cli.progress import shown_progress
    from medground.operators.set_building import LEVELS

    chosen = load_settings(sets, preset, settings, {**searched(corpus, kb), "model.default": model})
    plan = Plan(
        topics=tuple(dict.fromkeys(topic or ())),
        random_topics=random_topics,
        levels=tuple(one for one in LEVELS if one in (level or [1])),
        count=count,
        subtopics=subtopics,
        papers=papers,
        top=top,
        coverage=coverage,
        tries=tries,
        rounds=rounds,
        seed=seed,
    )
    with shown_progress(quiet=quiet) as progress:
        built = run_stoppable(build_set(plan, chosen, out, progress=progress))
    _write(built, out)


def _write(built: Built, out: Path) -> None:
    """Audit what was made, write it, and say what it is."""
    from medground.errors import UsageError
    from medground.evaluate.build.write import write_set

    if not built.questions:
        raise UsageError(f"no question could be made: {_missing(built)}; give other topics or search more literature")
    audit = _audited(built)
    files = write_set(built.questions, audit, out)
    _tell(built, audit)
    say("", f"written: {', '.join(path.name for path in files)} in {out}")
    if len(built.questions) < built.wanted:
        raise typer.Exit(1)


def _audited(built: Built) -> Audit | None:
    """The audit of the set; None without scikit-learn, which its linear models need."""
    from medground.errors import ConfigError
    from medground.evaluate.audit.report import audit

    try:
        return audit([question.item() for question in built.questions])
    except ConfigError as error:
        say(f"not audited: {error}", err=True)
        return None


def _tell(built: Built, audit: Audit | None) -> None:
    from medground.evaluate.build.make import key_counts
    from medground.faces.cli.eval_audit import shown_audit

    say(
        f"{len(built.questions):,} of {built.wanted:,} questions; {built.attempts:,} attempts, {built.dropped:,} taken "
        f"out again, {built.seconds:.0f} s"
    )
    if len(built.questions) < built.wanted:
        say(f"missing: {_missing(built)}")
    say(f"keys: {', '.join(f'{key} {times}' for key, times in key_counts(built.questions).items())}")
    if audit is not None:
        say("")
        page(shown_audit(audit))
        say("", _verdict(audit))


def _verdict(audit: Audit) -> str:
    """Whether somebody who reads nothing does better than chance."""
    chance = next(one for one in audit.baselines if one.name == "chance")
    above = [one.name for one in audit.baselines if one.blind and one.low > chance.share]
    if above:
        return f"above chance without evidence: {', '.join(above)}; the set does not pass"
    return "no blind baseline is above chance: the set passes"


def _missing(built: Built) -> str:
    return "; ".join(f"{times} x {reason}" for reason, times in built.missing.items()) or "nothing"
