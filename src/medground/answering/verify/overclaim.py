"""Overclaims: statements that claim more than the quote that supports them, whichever critic judged them.

Each kind is detected from words alone: `certainty` (the quote hedges, the statement does not), `cause` (the quote
reports an association, the statement a cause), `population` (the quote is about animals or cells, the statement about
people), `purpose` and `title` (the quote reports no finding: it asks, plans or supposes, or is a title), `number` (no
quote that is cited holds a number of the statement), `misplaced` (the quotes give a number for another group or
outcome). Words alone are not proof, so an overclaim never makes a statement false: it is `partly` supported at most.

What no quote holds is `UNHELD`: an instruction, an address, a name, or words that the source has none of. A passage can
talk a model into these, so no model clears them; they decide nothing, and are left out. So is what `rules.TABLE` finds,
unless the judge copies the words of a quote that settle it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from medground.answering.verify.context import AROUND, FOREIGN, SUBJECT, abbreviations, as_read, cited_evidence
from medground.answering.verify.critic import Checked, Claim, noted
from medground.answering.verify.named import is_word
from medground.answering.verify.numbers import missing_quantities
from medground.answering.verify.reporting import PURPOSE, TITLE, asks_or_plans, why_not_finding
from medground.answering.verify.rules import BINDING, BY_CODE, Part, broken
from medground.corpus.design import animals_in, not_of_people, people_in
from medground.home.files import tables
from medground.language import words
from medground.language.pattern import verbose_pattern
from medground.models.operators.differences import (
    ASSOCIATION,
    DOUBT,
    HEDGE,
    Pair,
    differences,
)
from medground.values.document import Document
from medground.values.evidence import Evidence, Ledger, Sentence
from medground.values.statement import Verdict

NUMBER = "number"
"""The flag of a statement with a number that no quote holds."""

UNHELD = BY_CODE | {"name", "unheld"}
HELD_BACK = BINDING | {FOREIGN}
"""What is left out though its judge agrees, unless it copies the words of a quote that settle it."""
_LEAST_SHARED = 0.2
"""Share of a statement's words, by weight, of which its source must have more: 5 % of authors' conclusions have fewer
in common with their own results, nearly all of them on future research."""
_ABSTRACT = 20_000
"""Characters of a document that is read whole for what a statement is the opposite of."""
_NAME = re.compile(r"(?<=[\w,;)] )[A-Z][a-z]{2,}\b|\b\S+@\S+")
"""A word written like a name within a sentence, or an address."""

_REPORTED = verbose_pattern(
    r"""
    \b(?:suggest\w*|hypothesi\w+|speculat\w+|appear(?:s|ed)?|seem(?:s|ed)?|possible|
    likely)\b[^.;,]{0,20}?\bthat\b
    """
)
"""A hedge before the clause that it hedges; a statement that repeats only the clause drops the hedge."""
_MODAL = re.compile(
    r"\b(?P<modal>may|might|could)\s+(?:\w+ly\s+|also\s+)?(?:be\s+|have\s+)?(?P<verb>\w+)", re.IGNORECASE
)
_CONTRAST = re.compile(r";|\b(?:but|although|though|whereas|while|however|yet)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_NEAR = 60
"""Characters before a verb in which its hedge is looked for."""
_HEDGED = re.compile(r"\b(?:suggest\w*|hypothesi\w+|speculat\w+|unclear|uncertain\w*)\b", re.IGNORECASE)

_NOTES: Mapping[str, str] = tables("answering", "words")["overclaims"]


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
    return (Overclaim(NUMBER, ", ".join(missing)),) if missing else ()


def downgraded(verdict: Verdict, found: tuple[Overclaim, ...]) -> Verdict:
    """The verdict with its overclaims as flags; `supported` becomes `partly`."""
    if not found or verdict.label in ("quoted", "not found", "unverified", "contradicted"):
        return verdict
    note = "; ".join(dict.fromkeys(overclaim.note for overclaim in found))
    partly = {"label": "partly"} if verdict.label == "supported" else {}
    partly |= {"assessed": "partly"} if verdict.assessed == "supported" else {}
    return noted(verdict, note, *(overclaim.kind for overclaim in found)).replace(**partly)


def _certainty(statement: str, quote: str, document: Document, sentence: str) -> str | None:
    if lost := _lost_modal(statement, quote, sentence):
        return lost
    if HEDGE.search(sentence):
        return None
    pair = Pair(statement, quote, quote)
    clause = quote if pair.repeats else pair.clause  # on which the statement rests
    if "certainty" in differences(statement, quote) and (word := _word(DOUBT, clause) or _word(HEDGE, clause)):
        return word
    reported = _REPORTED.search(quote)
    governs = reported and not _CONTRAST.search(quote, reported.end(), max(quote.find(pair.clause), 0))
    return reported[0].lower() if reported and governs else None


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
    return not_of_people(quote, document) if people_in(statement) and not animals_in(sentence) else None


def _not_finding(flag: str, statement: str, quote: str, document: Document, sentence: str) -> str | None:
    if asks_or_plans(sentence):
        return None
    found = why_not_finding(quote, document)
    return found[1] if found and found[0] == flag else None


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


def with_word_filters(
    sentences: Sequence[Sentence], checked: Sequence[Checked], ledger: Ledger, *, decides: bool
) -> list[Checked]:
    """The checked statements, with what word filters notice; results are in order.

    A judge that has the last word keeps what it calls entailed, and the reader is told what was noticed.
    """

    def one_of(sentence: Sentence, one: Checked) -> Checked:
        quote = next((e for e in ledger.evidence if e.id == one.verdict.best), None)
        if quote is None or one.judgement is None:
            return one
        stands = decides and one.judgement.relation == "entails" and not one.judgement.flags
        return replace(one, verdict=weighed(one.verdict, doubts(sentence, quote, ledger), stands=stands))

    return [one_of(sentence, one) for sentence, one in zip(sentences, checked, strict=True)]


def weighed(verdict: Verdict, found: tuple[Overclaim, ...], *, stands: bool, settled: bool = False) -> Verdict:
    """The verdict after the doubts.

    If it `stands`, because its judge has the last word, most are dismissed; what is `HELD_BACK` counts as not found in
    the quotes, unless the judge `settled` it, and a quote supports only in part what it does not mention.
    """
    if not found or not stands:
        return downgraded(verdict, found)
    if held := tuple(one for one in found if one.kind in UNHELD or (one.kind in HELD_BACK and not settled)):
        note = "; ".join(dict.fromkeys(one.note for one in held))
        changed = {"label": "not found", "assessed": None, "probability": None, "note": ""}
        return noted(verdict.replace(**changed), note, *(one.kind for one in held))
    if off := tuple(one for one in found if one.kind in (SUBJECT, FOREIGN)):
        return downgraded(verdict, off)
    return verdict  # the judge read the doubts, and of these it is the better reader


def doubts(sentence: Sentence, quote: Evidence, ledger: Ledger) -> tuple[Overclaim, ...]:
    """What the filters notice about a statement and one quote; about a verbatim one, why it reports no finding."""
    document = ledger.documents[quote.document_id]
    if quote.quote.split() == sentence.text.split():
        found = why_not_finding(quote.quote, document)
        return (Overclaim(*found),) if found else ()
    cited = [quote, *(e for e in cited_evidence(sentence, ledger) if e != quote)]
    quotes = [one.quote for one in cited]
    part = with_quotes(Part("statement", sentence.text), cited, ledger)
    is_claim = not sentence.evidence and len(document.text) <= _ABSTRACT  # which rests on a paper, not on one sentence
    claimed = overclaims(sentence.text, quote.quote, document, sentence=sentence.whole.text)
    numbers_from = [*quotes, document.text] if is_claim else quotes
    return (
        *(Overclaim(kind, word) for kind, word in broken(part).items()),
        *(one for one in claimed if one.kind not in BINDING),
        *wrong_numbers(sentence.text, numbers_from),
        *(Overclaim(kind, word) for kind, word in _unheld(sentence, quotes, ledger) if word),
    )


def with_quotes(part: Part, cited: Sequence[Evidence], ledger: Ledger) -> Part:
    """A part with the quotes that it rests on, the nearest first, their documents and what stands around them."""
    documents = tuple(ledger.documents[one.document_id] for one in cited)
    passages = tuple(as_read(one, document, AROUND) for one, document in zip(cited, documents, strict=True))
    return replace(part, quotes=tuple(one.quote for one in cited), documents=documents, passages=passages)


def _unheld(sentence: Sentence, quotes: Sequence[str], ledger: Ledger) -> Iterator[tuple[str, str]]:
    """What a statement says that no quote holds, with the words that show it, which are empty where it does not."""
    said = sentence.text
    documents = {e.document_id: ledger.documents[e.document_id] for e in cited_evidence(sentence, ledger)}
    source = "\n".join(
        [
            *quotes,
            *(f"{document.title}\n{document.text}\n{' '.join(document.authors)}" for document in documents.values()),
        ]
    )
    known = frozenset(words.terms(source))
    folded = source.casefold()
    written = [name for name in _NAME.findall(said) if not (said.istitle() or is_word(name))]
    names = [name for name in written if name.casefold() not in folded and not known & {*words.terms(name)}]
    meant = [subject.said for subject in Claim(said).asked.subjects if names and subject.is_named_in(source)]
    meant += [long for short, long in abbreviations(said) if short in source]
    yield "name", ", ".join(name for name in names if name not in " ".join(meant))
    whole = words.terms(sentence.whole.text)
    yield "unheld", said if whole and words.coverage(whole, known) < _LEAST_SHARED else ""
