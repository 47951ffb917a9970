"""What the rules of the policy find in a short answer, beside the quotes of the sentences that it rests on."""

import re
from collections.abc import Iterator, Sequence

from medground.answering.run import Run
from medground.answering.verify.context import unmentioned, usable
from medground.answering.verify.named import unfounded
from medground.answering.verify.overclaim import UNHELD, Overclaim, with_quotes
from medground.answering.verify.rules import BY_CODE, Kind, Part, broken, settles
from medground.answering.write.draft import Draft
from medground.language import words
from medground.language.prohibition import asks_leave
from medground.values.evidence import Evidence, Sentence
from medground.values.question import WAYS

_WORDS = ("yes", "no", "maybe")
_ADVICE = frozenset(["treatment", "prevention", "the dose of"])
"""What a question asks for that advice answers."""


def without_orders(draft: Draft, run: Run) -> Draft:
    """The draft without what no check can clear in a model's short answer: an order, an address, what rests on a text
    that speaks to its readers, a work that was never retrieved."""
    if draft.basis != "model":
        return draft
    cited, documents = cited_by(draft.sentences, run), run.ledger.documents.values()
    held: dict[str, str] = {}
    for part in _parts(draft, run):
        notes = [f"it {one.note}" for one in doubts_of(part, cited, run) if one.kind in BY_CODE]
        if not part.answer and (lost := unfounded(part.text, (), documents, run.question.text)):
            notes.append(lost.reason)
        if notes:
            held[part.answer or part.text] = notes[0]
    kept = tuple(one for one in draft.answer if one not in held)
    if kept or not held:
        return draft.replace(answer=kept)
    reason = f"the model's answer is not shown: {'; '.join(dict.fromkeys(held.values()))}"
    return draft.replace(answer=(), form=None, basis=None, reason=reason)


def doubts_of_answer(draft: Draft, sentences: Sequence[Sentence], run: Run) -> list[Overclaim]:
    """What the rules find in the short answer of a draft that rests on these sentences."""
    cited = cited_by(sentences, run)
    return [found for part in _parts(draft, run) for found in doubts_of(part, cited, run)]


def held_back(draft: Draft, sentences: Sequence[Sentence], copied: str, run: Run) -> str:
    """Why a short answer is held back though its check agrees; empty where no rule is broken, or the check settled it.

    Args:
        copied: the words of a quote with which the check answers the doubts.
    """
    settled = settles(copied, [one.quote for one in cited_by(sentences, run)])
    left = [one for one in doubts_of_answer(draft, sentences, run) if one.kind in UNHELD or not settled]
    return "; ".join(dict.fromkeys(f"it {one.note}" for one in left))


def doubts_of(part: Part, cited: Sequence[Evidence], run: Run) -> list[Overclaim]:
    """What the rules find in a text that rests on these quotes, of which the nearest counts first."""
    said = words.terms(part.text)
    near = sorted(cited, key=lambda one: -words.coverage(said, words.terms(one.quote)))
    return [Overclaim(name, word) for name, word in broken(with_quotes(part, near, run.ledger)).items()]


def doubts_about(draft: Draft, sentences: Sequence[Sentence], run: Run) -> list[str]:
    """What a check is asked about a short answer: what the rules find, and what of the question no quote names."""
    found, cited = [f"it {one.note}" for one in doubts_of_answer(draft, sentences, run)], cited_by(sentences, run)
    lost = unmentioned(run.asked, cited, run.ledger.documents) if cited else []
    return found + [f"no quote names {one}, which the question asks about: is it meant in other words?" for one in lost]


def cited_by(sentences: Sequence[Sentence], run: Run) -> list[Evidence]:
    """The quotes that sentences cite and that may be used as evidence."""
    named = {name for sentence in sentences for name in sentence.evidence}
    return usable([one for one in run.ledger.evidence if one.id in named], run.ledger.documents)


def _parts(draft: Draft, run: Run) -> Iterator[Part]:
    asked, english = run.asked, not run.question.original
    advice = asks_leave(asked) or not asked.aspects.isdisjoint(_ADVICE)
    if draft.form is not None:
        kind: Kind = "sentence" if draft.form == "sentence" else "short"
        told = (text for text in draft.answer if text.casefold() not in _WORDS)
        yield from (Part(kind, text, english=english, asks_advice=advice) for text in told)
    elif run.question.task.startswith("yes-no") and len(draft.answer) == 1:
        yield from (Part("closed", said, answer=draft.answer[0]) for said in filter(None, [asked.statement]))
    elif run.question.task == "direction":
        higher = higher_statement(run.question.text)
        yield from (Part("direction", higher, answer=answer) for answer in draft.answer)


# A question whether an outcome is higher, lower or the same, as the statement that the answer `higher` makes.

_AUXILIARY = re.compile(r"^\w+\s+")
_COMPARING = re.compile(
    r"(?i)\b(?:when )?comparing (?:(?P<one>.+) (?:to|versus|vs\.?|against) (?P<other>.+)"
    r"|(?P<first>.+?) (?:with|and) (?P<second>.+))"
)
_CHANGES = re.compile(r"(?:increase|raise|decrease|reduce|lower)\b(?:, | or |/)", re.IGNORECASE)


def higher_statement(question: str) -> str:
    """The statement, or the question where it offers no directions.

    >>> higher_statement("Is pain higher, lower or the same when comparing zinc to placebo?")
    'pain is higher with zinc than with placebo'
    >>> higher_statement("Does zinc increase or decrease appetite?")
    'zinc increases appetite'
    """
    offered = WAYS.search(question)
    if offered is None:
        return question
    said = "increases" if _CHANGES.match(offered[0]) else "is higher"
    subject = _AUXILIARY.sub("", question[: offered.start()]).strip(" ,")
    rest = question[offered.end() :].strip(" ?.,")
    if compared := _COMPARING.search(rest):
        one, other = compared["one"] or compared["first"], compared["other"] or compared["second"]
        rest = f"{rest[: compared.start()]}with {one} than with {other}"
    return f"{subject} {said} {rest}".strip()
