"""Reading what several kinds of source hold, step by step, and answering from it.

Source: Omni-RAG, prompt E.11. The instructions are in our own words; `recall` is the reader without documents (E.10).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest

from pydantic import Field

from medground.graph.base import asked_for, says, without_cues
from medground.language import words
from medground.language.question_reading import reading_of
from medground.models.operators.base import SentencedPassage
from medground.models.operators.reading import DATA_RULE
from medground.models.operators.reasoning import ReasonInput, ReasonOutput, SubClaim, best_quotes, reason
from medground.values.document import SourceKind


class ReadSourcesInput(ReasonInput):
    words: int = Field(default=100, ge=1)


_MOST_LINES = 3
"""Most lines of a graph in an answer without a model."""
_FAR_BEHIND = 4.0
"""A sentence this much weaker than the best, as a logarithm, waits until nothing better is left, whatever its kind."""


def _keyless(value: ReasonInput) -> ReasonOutput:
    """The best sentences of each kind of source by turns, then the lines of a graph that bear on the question."""
    kinds: dict[SourceKind | None, list[SentencedPassage]] = {}
    for passage in _on_subject(value):
        if passage.kind != "graph":
            kinds.setdefault(passage.kind, []).append(passage)
    strengths = {one.id: one.strength or 0.0 for passage in value.passages for one in passage.sentences}
    chosen = [best_quotes(value.model_copy(update={"passages": tuple(own)}), value.sentences) for own in kinds.values()]
    chosen = sorted(filter(None, chosen), key=lambda claims: -strengths[claims[0].sentences[0]])
    turns = [claim for turn in zip_longest(*chosen) for claim in turn if claim is not None]
    best = max((strengths[claim.sentences[0]] for claim in turns), default=0.0)
    turns.sort(key=lambda claim: strengths[claim.sentences[0]] < best - _FAR_BEHIND)
    different = tuple({claim.text: claim for claim in turns}.values())
    return ReasonOutput(claims=(*different[: value.sentences], *_lines(value)), answer=())


def _on_subject(value: ReasonInput) -> list[SentencedPassage]:
    """The passages that mention the rarest name of the question; all of them where none does.

    Over all kinds together, so that a kind that has nothing on the subject is not quoted for its own sake.
    """
    name = reading_of(value.question).rarest_name
    naming = [
        passage
        for passage in value.passages
        if words.mentions(" ".join([passage.title, *(sentence.text for sentence in passage.sentences)]), name)
    ]
    return naming or list(value.passages)


def _lines(value: ReasonInput) -> Iterator[SubClaim]:
    """Lines that share a word with the question beside their concept's name; else those of the kind that is asked for.

    Where only the concept is asked about, every line bears on it. A number is no such word.
    """
    lines = [passage for passage in value.passages if passage.kind == "graph" and passage.sentences]
    wanted, about = asked_for(value.question), words.topic(without_cues(value.question))
    said = {line.id: frozenset(words.terms(line.sentences[0].text)) for line in lines}
    beyond = {line.id: {t for t in about - set(words.terms(line.title)) if not t[0].isdigit()} for line in lines}
    sharing = [line for line in lines if beyond[line.id] & said[line.id]]
    of_kind = [line for line in lines if says(said[line.id], wanted)]
    all_about = [] if wanted else [line for line in lines if about and not beyond[line.id]]
    for line in (sharing or of_kind or all_about)[:_MOST_LINES]:
        yield SubClaim(text=line.sentences[0].text[:1200], sentences=(line.sentences[0].id,))


read_sources = replace(
    reason,
    name="read_sources",
    instructions=(
        "Answer a biomedical question from the passages alone, whose sentences are numbered. They come from sources of "
        "several kinds: books teach, guidelines recommend, research reports what was measured, wiki gives general "
        "knowledge, graph records definitions and relations line by line. Weigh each by what its kind is good for. "
        "Think step by step: each step is one short sentence that its passages state, with the ids of the sentences "
        "that state it. All steps together have at most as many words as `words` says. A line of a graph is quoted for "
        "you as it stands: give its id in a step of its own. Use nothing that you know from elsewhere, and be no more "
        "certain than the passages. Then give the answer that follows: yes-no: `yes` or `no`; yes-no-maybe: `yes`, "
        "`no` or `maybe`; single-choice: one letter; multiple-choice: all right letters; free: `answered`. Give no "
        "answer when no passage supports one. " + DATA_RULE
    ),
    input=ReadSourcesInput,
    keyless=_keyless,
)
