"""A stand-in for a capable model: a writer that knows the right answers, and a judge that says so.

    model = Capable([Gold(question, "yes", ("Aspirin lowered the risk.",), title="Aspirin and stroke: a trial")])

It picks the paper of a question, quotes it, writes the authors' own sentences with the nearest quotes as citations, and
gives the right answer; without that paper it gives none, or the query that finds it. So whatever is held back of its
answers was held back by Medground. `judge` may be another one: a judge that fails, or that names another passage.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from medground.language import words
from medground.models.base import CallLimits, Keyless, Reply
from medground.models.operators.answering import ReadInput
from medground.models.operators.base import EvidenceView, I, O, Operator
from medground.models.operators.checking import CheckInput, CheckOutput, Entailment, StatementCheck, StatementView
from medground.models.operators.reading import ExtractInput, ScreenInput
from medground.models.operators.reasoning import ReasonInput
from medground.models.operators.verifying import LabelInput
from medground.models.registry import Models
from medground.recipes.pubmed_reasoner.answering import RespondInput, SummariseInput
from medground.values.usage import Usage

ANSWERED = (
    *("read_and_answer", "screen", "extract", "sufficient", "summarise", "respond", "reason"),
    *("check", "label"),
)
"""The operators that it answers; `keyless` answers the others, such as those that write queries."""


@dataclass(frozen=True)
class Gold:
    """A question whose answer is known.

    Attributes:
        question: as it is asked.
        answer: the right answer.
        sentences: the rationale, in the authors' words.
        title: of the paper that the sentences rest on.
        cites: the part of the paper that is quoted; all of it if empty.
        says: the answer that the sentences give, where the model gives another: a planted wrong headline.
        missing: what the model says is missing in the evidence; if empty, it suffices.
        items: the short answer to an open question, and `form` its form.
        holding: of these items, those that the paper states; all if empty.
        query: finds the paper, where the question does not.
    """

    question: str
    answer: str
    sentences: tuple[str, ...]
    title: str
    cites: str = ""
    says: str = ""
    missing: str = ""
    items: tuple[str, ...] = ()
    form: str | None = None
    holding: tuple[str, ...] = ()
    query: str = ""

    @property
    def given(self) -> tuple[str, ...]:
        """The short answer that the model gives."""
        return self.items or (self.answer,)

    def citable(self, quotes: Mapping[str, str]) -> dict[str, str]:
        """Of these quotes of the paper those that are cited; all of them if none is from that part."""
        return {i: quote for i, quote in quotes.items() if quote in self.cites} or dict(quotes)


class Asked(NamedTuple):
    """A statement as a judge sees it, with all quotes."""

    id: str
    statement: str
    evidence: tuple[EvidenceView, ...]
    doubts: tuple[str, ...]

    def is_(self, relation: Entailment, best: str | None = None, **more: Any) -> StatementCheck:
        """What a judge says of it."""
        return StatementCheck(statement=self.id, relation=relation, best=best, **more)


def checks(judge: Callable[[Asked], StatementCheck]) -> Callable[[CheckInput], CheckOutput]:
    """What a model replies that judges each statement so, by quotes of which those cited come first, and says that the
    short answer follows.
    """

    def reply(value: CheckInput) -> CheckOutput:
        asked = (
            Asked(one.id, one.text, tuple(sorted(value.evidence, key=lambda e: e.id not in one.cites)), one.doubts)
            for one in value.statements
        )
        return CheckOutput(statements=tuple(map(judge, asked)), result="follows" if value.answer else None)

    return reply


def says(relation: Entailment, best: str | None = None, **more: Any) -> Callable[[CheckInput], CheckOutput]:
    """The reply of a model that judges every statement so."""
    return checks(lambda asked: asked.is_(relation, best, **more))


Judge = Callable[[Asked, str], StatementCheck]
"""Judges a statement; the second argument is the id of the premise that says it. Raises `ModelFailed` to fail."""


def agrees(value: Asked, right: str) -> StatementCheck:
    """The judge that knows: the statement is entailed, and by which premise."""
    return value.is_("entails", right)


class Capable:
    """The model.

    Attributes:
        asked: its calls by operator.

    Args:
        known: the questions that it can answer, with different texts.
        judge: what judges each statement.
        name: as in the settings.
    """

    cacheable = False

    def __init__(self, known: Sequence[Gold], judge: Judge = agrees, name: str = "scripted:capable") -> None:
        self.name = self.identity = name
        self.asked: Counter[str] = Counter()
        self._known = {_plain(gold.question): gold for gold in known}
        self._judge = judge

    def models(self) -> Models:
        """The models of a run in which it answers what it can."""
        return Models("keyless", dict.fromkeys(ANSWERED, self.name), {"keyless": Keyless(), self.name: self})

    async def answer(self, operator: Operator[I, O], value: I, limits: CallLimits) -> Reply[O]:
        """Answer one call by the script, held to the operator's own check."""
        self.asked[operator.name] += 1
        reply: Any = getattr(self, f"_{operator.name}")(value)
        output = reply if isinstance(reply, operator.output) else operator.output.model_validate(reply)
        operator.check(value, output)
        return Reply(output=output, usage=Usage(model_calls=1))

    async def close(self) -> None:
        """Nothing is open."""

    def _gold(self, value: Any) -> Gold:
        return self._known[_plain(value.question)]

    def _screen(self, value: ScreenInput) -> Mapping[str, Any]:
        title = _plain(self._gold(value).title)
        return {"relevant": tuple(passage.id for passage in value.passages if _plain(passage.title) == title)}

    def _extract(self, value: ExtractInput) -> Mapping[str, Any]:
        gold = self._gold(value)
        own = _sentences(value, gold)
        return {"sentences": [{"sentence": i, "stance": "unknown"} for i in _nearest_of(gold.sentences, own)]}

    def _sufficient(self, value: Any) -> Mapping[str, Any]:
        missing = self._gold(value).missing
        return {"sufficient": not missing, "missing": missing}

    def _check(self, value: CheckInput) -> Mapping[str, Any]:
        told = {"statements": [self._checked(one, value) for one in value.statements]}
        if not value.answer:
            return told
        gold = self._gold(value)
        says = (gold.says,) if gold.says else gold.holding or gold.given
        return told | {"found": says, "result": "follows" if value.answer == says else "contradicted"}

    def _checked(self, one: StatementView, value: CheckInput) -> StatementCheck:
        asked = Asked(one.id, one.text, value.evidence, one.doubts)
        if one.kind == "statement":
            return self._judge(asked, _nearest(one.text, self._premises(one.text, value.evidence)))
        gold = self._gold(value)
        held = gold.holding or gold.given if one.kind == "item" else (gold.missing,)
        return asked.is_("entails" if one.text in held else "contradicts")

    def _summarise(self, value: SummariseInput) -> Mapping[str, Any]:
        return {"observations": [{"text": e.quote[:1200], "evidence": (e.id,)} for e in value.evidence]}

    def _read_and_answer(self, value: ReadInput) -> Mapping[str, Any]:
        gold = self._gold(value)
        written = _written(gold, _sentences(value, gold))
        said = [{"text": s["text"], "sentences": s["evidence"]} for s in written["sentences"]]
        query = gold.query if value.search and not said else ""
        return _without_sentences(written) | {"statements": said, "query": query}

    def _respond(self, value: RespondInput) -> Mapping[str, Any]:
        return _written(self._gold(value), {o.evidence[0]: o.text for o in value.summary})

    def _reason(self, value: ReasonInput) -> Mapping[str, Any]:
        gold = self._gold(value)
        written = _written(gold, _sentences(value, gold))
        claims = [{"text": s["text"], "sentences": s["evidence"]} for s in written["sentences"]]
        return _without_sentences(written) | {"claims": claims}

    def _label(self, value: LabelInput) -> Mapping[str, Any]:
        premises = self._premises(value.statement, value.passages)
        if not premises:
            return {"category": None}
        return {"category": "CORRECT-IMPLICIT", "best": _nearest(value.statement, premises)}

    def _premises(self, statement: str, views: Sequence[Any]) -> Mapping[str, str]:
        """The premises from the paper behind a statement; all of them if there is none."""
        titles = {_plain(gold.title) for gold in self._known.values() if any(statement in s for s in gold.sentences)}
        return {v.id: v.quote for v in views if _plain(v.title) in titles} or {v.id: v.quote for v in views}


def _sentences(value: ExtractInput | ReasonInput | ReadInput, gold: Gold) -> dict[str, str]:
    """The sentences that may be quoted."""
    return gold.citable(
        {s.id: s.text for p in value.passages if _plain(p.title) == _plain(gold.title) for s in p.sentences}
    )


def _written(gold: Gold, quotes: Mapping[str, str]) -> dict[str, Any]:
    """The rationale, each sentence with the nearest quote, and the answer; nothing without a quote."""
    missing = (gold.missing,) if gold.missing else ()
    if not quotes:
        return {"sentences": [], "answer": (), "missing": missing}
    cited = [{"text": text, "evidence": (_nearest(text, quotes),)} for text in gold.sentences]
    return {"sentences": cited, "answer": gold.given, "form": gold.form, "missing": missing}


def _without_sentences(written: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in written.items() if name != "sentences"}


def _nearest_of(sentences: Sequence[str], texts: Mapping[str, str]) -> list[str]:
    """The nearest text of each sentence, each once."""
    return list(dict.fromkeys(_nearest(sentence, texts) for sentence in sentences)) if texts else []


def _nearest(sentence: str, texts: Mapping[str, str]) -> str:
    """The id of the text with most of a sentence's words, the first of equals; empty without texts."""
    wanted = words.terms(sentence)
    return max(texts, key=lambda i: words.coverage(wanted, words.terms(texts[i])), default="")


def _plain(text: str) -> str:
    """Text with single spaces, as the engine asks it."""
    return " ".join(text.split())
