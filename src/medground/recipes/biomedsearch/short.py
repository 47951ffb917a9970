"""What stands on top of a report: stored facts that answer the question and, without a model, quotes as of `ground`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field

from medground.answering.read.facts import GraphAnswer, ask_for_facts, beside_facts
from medground.answering.run import Run, words_lookup
from medground.answering.write.draft import Draft
from medground.errors import SourceUnavailable
from medground.language.statements import statements
from medground.recipes.biomedsearch.reporting import compose_report
from medground.recipes.ground import graph_draft, quoted
from medground.values.evidence import Evidence, Sentence
from medground.values.question import Question


@dataclass(frozen=True)
class Short:
    """The short answer before it is checked; `entails` tells whether a stored relation states a sentence."""

    draft: Draft = field(default_factory=Draft)
    evidence: tuple[Evidence, ...] = ()
    entails: Callable[[Sentence], bool] | None = None


async def in_short(question: Question, run: Run) -> Short:
    """The short answer; empty where nothing was found, a source failed, or a model is to write the answer."""
    stored = await ask_for_facts(question, run)
    finding = stored.finding if isinstance(stored, GraphAnswer) else None
    short = Short()
    if isinstance(stored, GraphAnswer) and stored.facts:
        facts = tuple(quote for _, quote in stored.facts)
        short = Short(graph_draft(question, stored), facts, lambda sentence: stored.entails(sentence.text))
    others, lookup = beside_facts(run), words_lookup(question)
    only = [source.name for source in run.sources if source.accepts(lookup) and (not stored or source.name in others)]
    if not run.answerer(compose_report).is_model and only:
        with contextlib.suppress(SourceUnavailable):  # the report lists sources that failed
            found = await quoted(question, run, only, finding)
            evidence = (*short.evidence, *found.evidence)
            said = (*short.draft.sentences, *statements(found.draft.sentences, evidence))
            short = Short(short.draft.model_copy(update={"sentences": said}), evidence, short.entails)
    return short
