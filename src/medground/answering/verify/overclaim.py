"""Overclaims: statements that claim more than the quote that supports them, whichever critic judged them.

Each kind is detected from words alone: `certainty` (the quote hedges, the statement does not), `cause` (the quote
reports an association, the statement a cause), `population` (the quote is about animals or cells, the statement about
people), `purpose` and `title` (the quote reports no finding: it asks, plans or supposes, or is a title), `number` (no
quote that is cited holds a number of the statement), `misplaced` (the quotes give a number for another group or
outcome). Words alone are not proof, so an overclaim never makes a statement false: it is `partly` supported at most.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from medground.answering.read.evidence import evidence_views
from medground.answering.run import Run
from medground.answering.verify.context import Context, cited_evidence
from medground.answering.verify.critic import Checked, Claim, Critic, Judgement, noted, sound, verdict_of
from medground.answering.verify.critics import OperatorCritic
from medground.answering.verify.judges import has_last_word, may_judge
from medground.answering.verify.numbers import misplaced_number, missing_quantities
from medground.answering.verify.reporting import PURPOSE, TITLE, asks, asks_or_plans, why_not_finding
from medground.language import words
from medground.models.operators.differences import ASSOCIATION, DOUBT, HEDGE, differences
from medground.values.document import Document
from medground.values.evidence import Ledger, Sentence
from medground.values.statement import Verdict

NUMBER = "number"
"""The flag of a statement with a number that no quote holds."""
MISPLACED = "misplaced"
"""The flag of a statement with a number that the quotes give for another group or outcome."""

_REPORTED = re.compile(
    r"\b(?:suggest\w*|hypothesi\w+|speculat\w+|appear(?:s|ed)?|seem(?:s|ed)?|possible|likely)\b[^.;,]{0,20}?\bthat\b",
    re.IGNORECASE,
)
"""A hedge before the clause that it hedges; a statement that repeats only the clause drops the hedge."""
_MODAL = re.compile(
    r"\b(?P<modal>may|might|could)\s+(?:\w+ly\s+|also\s+)?(?:be\s+|have\s+)?(?P<verb>\w+)", re.IGNORECASE
)
_WORD = re.compile(r"\w+")
_NEAR = 60
"""Characters before a verb in which its hedge is looked for."""
_HEDGED = re.compile(r"\b(?:suggest\w*|hypothesi\w+|speculat\w+|unclear|uncertain\w*)\b", re.IGNORECASE)
_ANIMALS_OR_CELLS = re.compile(
    r"\b(?:mouse|mice|murine|rats?|rodents?|rabbits?|zebrafish|drosophila|pigs?|piglets?|porcine|dogs?|canine|monkeys?|"
    r"macaques?|sheep|guinea pigs?|hamsters?|in vitro|ex vivo|cell lines?|cultured cells|cell cultures?|explants?)\b",
    re.IGNORECASE,
)
_PEOPLE = re.compile(
    r"\b(?:humans?|patients?|people|persons?|adults?|children|infants?|women|men|individuals|participants|volunteers|"
    r"clinical(?:ly)?|survivors)\b",
    re.IGNORECASE,
)


_NOTES = {
    "certainty": "is more certain than its source, which says `{word}`",
    "cause": "claims a cause, but its source reports an association (`{word}`)",
    "population": "is about people, but its source studied animals or cells (`{word}`)",
    PURPOSE: "claims a finding, but its source reports none (`{word}`)",
    TITLE: "claims a finding, but its source is only {word}",
    NUMBER: "gives a number that the quoted text does not contain (`{word}`)",
    MISPLACED: "gives a number (`{word}`) for another group or outcome than the text quoted does",
}


@dataclass(frozen=True)
class Overclaim:
    """How a statement claims more than its source, and the word of the source that shows it."""

    kind: str
    word: str

    @property
    def note(self) -> str:
        """One line for a reader."""
        return _NOTES[self.kind].format(word=self.word)


def overclaims(statement: str, quote: str, document: Document, *, sentence: str = "") -> tuple[Overclaim, ...]:
    """Find the ways in which a statement claims more than a quote.

    Args:
        document: the document of the quote; its title may name a species that the quote does not.
        sentence: the whole sentence that the statement is part of, which may hedge in another clause.
    """
    found = [(kind, detect(statement, quote, document, sentence or statement)) for kind, detect in _KINDS.items()]
    return tuple(Overclaim(kind, word) for kind, word in found if word)


def wrong_numbers(statement: str, quotes: Sequence[str]) -> tuple[Overclaim, ...]:
    """The numbers of a statement that none of its quotes holds with their unit, or that they give for something else.

    Quotes are all that its sentence cites, and the one that was found to support it.
    """
    missing = dict.fromkeys(quantity.text for quantity in missing_quantities(statement, quotes))
    if missing:
        return (Overclaim(NUMBER, ", ".join(missing)),)
    misplaced = misplaced_number(statement, quotes)
    return (Overclaim(MISPLACED, misplaced),) if misplaced else ()


def downgraded(verdict: Verdict, found: tuple[Overclaim, ...]) -> Verdict:
    """The verdict with its overclaims as flags; `supported` becomes `partly`."""
    if not found or verdict.label in ("quoted", "not found", "unverified", "contradicted"):
        return verdict
    note = "; ".join(dict.fromkeys(overclaim.note for overclaim in found))
    partly = {"label": "partly"} if verdict.label == "supported" else {}
    partly |= {"assessed": "partly"} if verdict.assessed == "supported" else {}
    return noted(verdict, note, *(overclaim.kind for overclaim in found)).model_copy(update=partly)


def _certainty(statement: str, quote: str, document: Document, sentence: str) -> str | None:
    if lost := _lost_modal(statement, quote, sentence):
        return lost
    if HEDGE.search(sentence):
        return None
    if "certainty" in differences(statement, quote):
        return _word(DOUBT, quote) or _word(HEDGE, quote)
    reported = _REPORTED.search(quote)
    return reported[0].lower() if reported else None


def _lost_modal(statement: str, quote: str, sentence: str) -> str | None:
    """The `may`, `might` or `could` before a verb of the quote that the statement uses without a hedge close by."""
    before = sentence[: max(sentence.find(statement), 0)]
    for hedged in _MODAL.finditer(quote):
        verb = words.stem(hedged["verb"].lower())
        for written in _WORD.finditer(statement):
            near = (before + statement[: written.start()])[-_NEAR:]
            if words.stem(written[0].lower()) == verb and not (HEDGE.search(near) or _HEDGED.search(sentence)):
                return hedged["modal"].lower()
    return None


def _population(statement: str, quote: str, document: Document, sentence: str) -> str | None:
    of_people = _PEOPLE.search(statement) and not _ANIMALS_OR_CELLS.search(sentence)
    return not_of_people(quote, document) if of_people else None


def _not_finding(flag: str, statement: str, quote: str, document: Document, sentence: str) -> str | None:
    if asks_or_plans(sentence):
        return None
    found = why_not_finding(quote, document)
    return found[1] if found and found[0] == flag else None


def not_of_people(quote: str, document: Document) -> str | None:
    """The animals or cells that a quote is about, from its words and its title; None if either mentions people."""
    if _PEOPLE.search(quote) or _PEOPLE.search(document.title):
        return None
    return _word(_ANIMALS_OR_CELLS, quote) or _word(_ANIMALS_OR_CELLS, document.title)


def _word(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.search(text)
    return found[0].lower() if found else None


_KINDS: Mapping[str, Callable[[str, str, Document, str], str | None]] = {
    "certainty": _certainty,
    "cause": lambda said, quote, *_: _word(ASSOCIATION, quote) if "cause" in differences(said, quote) else None,
    "population": _population,
    PURPOSE: partial(_not_finding, PURPOSE),
    TITLE: partial(_not_finding, TITLE),
}


OWN_WORDS = "the source's own words"
"""The note of a verbatim quote."""


async def with_word_filters(
    sentences: Sequence[Sentence], checked: Sequence[Checked], critic: Critic, context: Context, run: Run
) -> list[Checked]:
    """The checked statements, after the doubts of word filters were weighed; results are in order.

    A judge that can read doubts and has the last word is asked about them.

    Raises:
        BudgetExhausted: the run reached one of its limits.
    """
    pairs = list(zip(sentences, checked, strict=True))
    decides = has_last_word(critic.name, run.settings.verify)
    reads = decides and isinstance(critic, OperatorCritic)
    doubts = [_doubts(sentence, one, run.ledger) for sentence, one in pairs]
    asked = [  # of what was found to stand; a question is not a statement, in any words
        n
        for n, (sentence, one) in enumerate(pairs if reads else ())
        if doubts[n] and (one.verdict.label == "quoted" or _entails(one.judgement)) and not asks(sentence.text)
    ]
    claims = [_claim(sentences[n], checked[n].verdict, doubts[n], context, run.ledger) for n in asked]
    found = await critic.judge(claims) if claims else []
    answers = {n: sound(claim, answer) for n, claim, answer in zip(asked, claims, found, strict=True)}
    validated = may_judge(critic.name, run.settings.verify)

    def judged_again(n: int, one: Checked) -> Checked:
        answer = answers.get(n)
        if answer is None or answer.relation != "contradicts" or one.verdict.label == "quoted":
            stands = decides and _entails(one.judgement)
            verdict = _after_doubts(one.verdict, doubts[n], answer, critic.name, stands=stands)
            return replace(one, verdict=verdict) if doubts[n] else one
        taken_back = replace(answer, best=one.verdict.best)
        return Checked(verdict_of(taken_back, critic.name, validated=validated), taken_back)

    return [judged_again(n, one) for n, one in enumerate(checked)]


def _doubts(sentence: Sentence, checked: Checked, ledger: Ledger) -> tuple[Overclaim, ...]:
    """What the filters notice about a judged statement, or a verbatim one, and the quote behind its verdict."""
    quote = next((e for e in ledger.evidence if e.id == checked.verdict.best), None)
    if quote is None:
        return ()
    document = ledger.documents[quote.document_id]
    if checked.verdict.label == "quoted":
        found = why_not_finding(quote.quote, document)
        return (Overclaim(*found),) if found else ()
    if checked.judgement is None:
        return ()
    quotes = [quote.quote, *(e.quote for e in cited_evidence(sentence, ledger))]
    return (
        *overclaims(sentence.text, quote.quote, document, sentence=sentence.whole.text),
        *wrong_numbers(sentence.text, quotes),
    )


def _entails(found: Judgement | None) -> bool:
    return found is not None and found.relation == "entails" and not found.flags


def _claim(
    sentence: Sentence, verdict: Verdict, doubts: Sequence[Overclaim], context: Context, ledger: Ledger
) -> Claim:
    best = next(e for e in ledger.evidence if e.id == verdict.best)
    cited = [e for e in cited_evidence(sentence, ledger) if e != best]
    around = [view for view in context.views if context.places[view.id].holds(best)]
    premises = (*evidence_views([best, *cited], ledger.documents), *around)
    return Claim(sentence.text, premises, tuple(f"it {doubt.note}" for doubt in doubts))


def _after_doubts(
    verdict: Verdict, doubts: tuple[Overclaim, ...], answer: Judgement | None, judge: str, *, stands: bool
) -> Verdict:
    """The verdict after the doubts, and the judge's answer to them; it may stand against what it was not asked."""
    noticed, quoted = " and ".join(f"it {doubt.note}" for doubt in doubts), verdict.label == "quoted"
    if answer is None:
        return noted(verdict, f"a word filter found that {noticed}") if stands else downgraded(verdict, doubts)
    if answer.relation == "failed":
        if quoted:  # nobody has said whether it reports a finding
            return Verdict(label="unverified", critic=judge, best=verdict.best, note=answer.note)
        return noted(verdict, f"a word filter found that {noticed}, and {judge} failed when asked about it")
    if not _entails(answer):
        return downgraded(verdict, doubts)
    if quoted:
        verdict = verdict.model_copy(update={"flags": (), "note": OWN_WORDS})
    return noted(verdict, f"{judge} was shown that {noticed}, and keeps its verdict")
