"""How far a judge of queries can be trusted: its labels beside labels made by hand.

Source: Omni-RAG, appendix A.2 (Table 9): a person reads question, gold answer and documents, and says whether they
support it. The person's labels are the reference; Cohen's kappa is agreement beyond chance.
"""

import asyncio
import csv
import math
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from medground.answering import Run, open_reranker
from medground.corpus import writing
from medground.engine import Engine
from medground.errors import BadDocument, ConfigError, ModelFailed, UsageError
from medground.home import Settings
from medground.language import sentence_spans
from medground.models import ReasonInput, SentencedPassage, SentenceView, reason_or_recall
from medground.recipes import RecallInput, recall
from medground.values import Passage, Progress, SourceQuery, no_progress
from medground_evaluate.agreement import in_words, kappa, same_share
from medground_evaluate.datasets.loader import csv_rows
from medground_evaluate.metrics.answers import rouge_l
from medground_evaluate.planning.explore import run_of
from medground_evaluate.planning.exploring import FoundView, JudgeInput, judge_found, read_yes_no
from medground_evaluate.planning.work import (
    Explored,
    Finished,
    Judged,
    JudgedQuery,
    Label,
    Spent,
    Tried,
    read_work,
    work_through,
)
from medground_evaluate.statistics import ClassScore

# Planning judging: each query is positive if what it found supports the gold answer, else negative (section 4.2.2).

RERANK_THRESHOLD = 2.3
"""Minimum mean score of a positive query's passages (appendix D.3), in log-odds, the scale of a cross-encoder."""
_CERTAIN = 1e-6


@dataclass(frozen=True)
class Labelled:
    """Whether a query is positive, why, and the measured value if there is one."""

    positive: bool
    why: str
    score: float | None = None


async def gain(explored: Explored, pieces: Sequence[Passage], run: Run) -> Labelled:
    """Positive if the reader answers better with the passages than without any (trainable planning).

    Closed questions are compared by their answer, right or wrong; open ones by ROUGE-L against the reference. The
    answer without passages is the same for all queries of a question, and comes from the cache of calls.
    """
    if not run.answerer(reason_or_recall).is_model or not run.answerer(recall).is_model:
        raise ConfigError("labels by gain need a model that answers questions; name one with --model")
    asked, question = explored.question, run.question
    same = {name: getattr(question, name) for name in ("task", "options")}
    alone = await run.ask(recall, RecallInput(question=question.text, **same))
    passages = tuple(_sentenced(number, piece) for number, piece in enumerate(pieces, start=1))
    read = await run.ask(reason_or_recall, ReasonInput(question=question.text, **same, passages=passages))
    if asked.gold:
        before, after = float(set(alone.answer) == set(asked.gold)), float(set(read.answer) == set(asked.gold))
        return Labelled(after > before, f"accuracy {before:.0f} without, {after:.0f} with the passages", after - before)
    before = rouge_l(" ".join(sentence.text for sentence in alone.sentences), asked.reference).f1
    after = rouge_l(" ".join(claim.text for claim in read.claims), asked.reference).f1
    why = f"ROUGE-L {before:.3f} without, {after:.3f} with the passages"
    return Labelled(after > before, why, round(after - before, 4))


async def rerank_score(explored: Explored, pieces: Sequence[Passage], run: Run) -> Labelled:
    """Positive if the passages' mean rerank score with the question is at least 2.3 (RaFe planning)."""
    reranker = await asyncio.to_thread(open_reranker, run.settings.retrieval.reranker, run.settings.home / "models")
    if reranker is None:
        raise ConfigError("labels by rerank need a reranker; name one with --set retrieval.reranker=NAME")
    scores = await asyncio.to_thread(reranker.score, explored.question.text, pieces)
    mean = math.fsum(map(log_odds, scores)) / len(scores)
    return Labelled(mean >= RERANK_THRESHOLD, f"{reranker.name}: mean rerank score {mean:.2f}", round(mean, 4))


def log_odds(score: float) -> float:
    """The log-odds of a score from 0 to 1: what a cross-encoder gives before it is mapped to 0 to 1."""
    kept = min(max(score, _CERTAIN), 1 - _CERTAIN)
    return math.log(kept / (1 - kept))


def _sentenced(number: int, piece: Passage) -> SentencedPassage:
    spans = enumerate(sentence_spans(piece.text), start=1)
    sentences = (SentenceView(id=f"P{number}.S{at}", text=piece.text[start:end]) for at, (start, end) in spans)
    return SentencedPassage(id=f"P{number}", title=piece.title, sentences=tuple(sentences))


Labeller = Callable[[Explored, Sequence[Passage], Run], Awaitable[Labelled]]


async def judge_explored(
    explored: Path,
    settings: Settings,
    out: Path,
    *,
    by: str = "judge",
    passages: int | None = None,
    workers: int = 1,
    progress: Progress = no_progress,
) -> Finished:
    """Label every query of an exploration into a file; the same call resumes it.

    Args:
        by: the signal: `judge` (Eq. 1), `gain` (trainable planning) or `rerank` (RaFe), appendix D.3.
        passages: most passages of each query that are shown; None for all.

    Raises UsageError: the exploration cannot be read, or the file was made with other options; ConfigError: the model
    cannot be used; StorageFailed: the file cannot be written.
    """
    started = time.monotonic()
    before, lines = read_work(explored, Explored)
    async with await Engine.open(settings, progress=progress) as engine:
        retrieval = engine.settings.retrieval
        head = before.replace(
            step="judgements",
            model=retrieval.reranker
            if by == "rerank"
            else engine.models.for_operator(_ASKS.get(by, judge_found).name).name,
            settings_hash=engine.settings.hash,
            options={**before.options, "by": by, "passages": passages, "explored by": before.model},
        )
        return await work_through(
            {line.question.id: line for line in lines},
            lambda one: judged(one, METHODS[by], passages, run_of(engine, one.question.question)),
            out,
            head,
            Judged,
            started=started,
            workers=workers,
            progress=progress,
        )


async def judged(explored: Explored, label: Labeller, most: int | None, run: Run) -> Judged:
    """One question: the label of each of its queries. A query that found nothing is negative without a call.

    Raises ModelFailed: the model did not answer at all; what it answered in an unusable form is a failed judgement.
    """
    began = run.clock()
    queries = [await _judged(tried, explored, label, most, run) for tried in explored.queries]
    spent = Spent.of(run.usage, retrieval=0.0, inference=run.clock() - began)
    return Judged(question=explored.question, queries=tuple(queries), spent=spent)


async def _judged(tried: Tried, explored: Explored, label: Labeller, most: int | None, run: Run) -> JudgedQuery:
    judged = JudgedQuery(source=tried.source, query=tried.query, label="failed", why="the source could not be searched")
    if tried.state == "failed":
        return judged
    if not tried.found:
        return judged.replace(label="negative", why="nothing was found")
    try:
        made = await label(explored, shown(tried, explored, most), run)
    except ModelFailed as error:
        if not error.unreadable:
            raise
        return judged.replace(why=error.reason[:300])
    said: Label = "positive" if made.positive else "negative"
    return judged.replace(label=said, why=made.why, score=made.score)


def shown(tried: Tried, explored: Explored, most: int | None = None) -> list[Passage]:
    """What a judge reads of a query's result: all of it, or the first half of what a graph gave, rounded up."""
    pieces = [explored.passages[key] for key in tried.found]
    if pieces and all(piece.kind == "graph" for piece in pieces):
        pieces = pieces[: (len(pieces) + 1) // 2]
    return pieces[:most]


async def one_call(explored: Explored, pieces: Sequence[Passage], run: Run) -> Labelled:
    """Ask the judge whether the passages support the gold answer."""
    asked = explored.question
    views = tuple(FoundView(title=p.title, text=p.text, document_id=p.document_id) for p in pieces)
    gold = {"gold_answer": asked.answer, "gold_documents": asked.documents}
    output = await run.ask(judge_found, JudgeInput(question=asked.text, options=asked.options, documents=views, **gold))
    return Labelled(positive=output.answer == "yes", why=output.reason)


_ASKS = {"gain": reason_or_recall}
METHODS: dict[str, Labeller] = {"judge": one_call, "gain": gain, "rerank": rerank_score}
SAMPLES = 100
_COLUMNS = ("id", "question", "gold answer", "source", "term", "query", "documents", "supports")
_OF_A_QUERY = ("id", "source", "term", "query")


@dataclass(frozen=True)
class JudgeAgreement:
    """A judge's labels beside those made by hand.

    Attributes:
        failed: labelled by hand, but not by the judge.
        kappa: None if both gave one and the same label throughout.
        supports: how the judge finds what supports the answer; the labels made by hand are right.
    """

    labels: int
    failed: int
    kappa: float | None
    accuracy: float
    supports: ClassScore

    def line(self, judge: str) -> str:
        """One line, such as `judge X: kappa 0.81 (almost perfect) with 100 labels made by hand`."""
        value = "undefined (one label only)" if self.kappa is None else f"{self.kappa:.2f} ({in_words(self.kappa)})"
        found = self.supports
        measured = {"accuracy": self.accuracy, "precision": found.precision, "recall": found.recall}
        measured["F1"] = found.f1 if found.gold or found.given else None
        figures = ", ".join(f"{name} {'-' if one is None else f'{one:.1%}'}" for name, one in measured.items())
        left = f"; {self.failed} more that it did not judge" if self.failed else ""
        return (
            f"judge {judge}: kappa {value} with {self.labels} labels made by hand, {found.gold} of them yes; "
            f"{figures}{left}"
        )


def write_sheet(
    explored: Sequence[Explored], out: Path, *, samples: int = SAMPLES, seed: int = 0, passages: int | None = None
) -> int:
    """Write a sheet (CSV) of randomly drawn queries with what they found, and an empty column `supports`.

    The judge's labels are not in it. `passages` shows as many passages as the judge was shown. The number of rows is
    returned.
    """
    if out.exists():
        raise UsageError(f"{out} exists and may hold labels; name another file")
    drawn = [(one, tried) for one in explored for tried in one.queries if tried.found]
    if not drawn:
        raise UsageError("no query found anything, so there is nothing to label; explore more questions")
    random.Random(seed).shuffle(drawn)
    rows = []
    for one, tried in drawn[:samples]:
        texts = [f"[{p.document_id}] {p.title}\n{p.text}".strip() for p in shown(tried, one, passages)]
        asked = one.question
        row = (asked.id, asked.text, asked.answer, tried.source, tried.query.term, tried.query.text)
        rows.append((*row, "\n\n".join(texts), ""))
    with writing(out.parent):
        out.parent.mkdir(parents=True, exist_ok=True)
        with out.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([_COLUMNS, *rows])
    return len(rows)


def agreement(sheet: Path, judged: Sequence[Judged]) -> JudgeAgreement:
    """Compare the labels of a sheet with those of a judge. Rows without a label are skipped."""
    by_hand = _read_sheet(sheet)
    label_of = {(one.question.id, query.source, query.query): query.label for one in judged for query in one.queries}
    pairs = [(hand, label_of[place]) for place, hand in by_hand.items() if place in label_of]
    both = [(hand, label == "positive") for hand, label in pairs if label != "failed"]
    if not both:
        raise UsageError(f"{sheet} and the judgements have no labelled query in common; label some rows yes or no")
    hands, judges = zip(*both, strict=True)
    supports = ClassScore("supports", sum(hands), sum(judges), sum(hand and judge for hand, judge in both))
    return JudgeAgreement(len(both), len(pairs) - len(both), kappa(hands, judges), same_share(hands, judges), supports)


def _read_sheet(path: Path) -> dict[tuple[str, str, SourceQuery], bool]:
    csv.field_size_limit(10_000_000)
    names, *rows = [*csv_rows(path)] or [[]]
    if missing := [name for name in (*_OF_A_QUERY, "supports") if name not in names]:
        raise BadDocument(f"no column {', '.join(missing)}; write a sheet with `label`", file=path, position=1)
    found: dict[tuple[str, str, SourceQuery], bool] = {}
    for number, cells in enumerate(rows, start=2):
        row = dict(zip_longest(names, cells, fillvalue=""))
        said = row["supports"].strip()
        if not said:
            continue
        read = read_yes_no({"y": "yes", "n": "no"}.get(said.lower(), said))
        if read not in ("yes", "no"):
            raise BadDocument(f"the label {said[:40]!r} is neither yes nor no", file=path, position=number)
        found[row["id"], row["source"], SourceQuery(term=row["term"], text=row["query"])] = read == "yes"
    return found
