"""Quotations of a sentence compared letter by letter with what it cites, and sentences that repeat a source."""

import re
from collections.abc import Sequence

from medground.answering.verify.references import altered_quotations, nearest, quotations, stands_in
from medground.checking.sources import Quote, Source, Told, told
from medground.models.operators.differences import HEDGE, NEGATION

_BEFORE = 30
"""Characters before a quoted passage in which what weakens or denies it stands."""
_BETWEEN = 2
_OWN = 3
"""Words that a sentence may add to a source that it repeats: `it was shown that`."""
_LEAST_WORDS = 6
_ASIDE = re.compile(r"\s*\([^()]*\)")


def misquoted(claim: str, sources: Sequence[Source], *, cited: bool) -> Told | None:
    """What is wrong with the quotations of a claim, or that all stand in a source; None if it quotes nothing.

    Where nothing is `cited`, a passage counts only if a source has one like it.
    """
    places = {quote.text: quote for source in sources for quote in source.quotes("")} if quotations(claim) else {}
    for passage in altered_quotations(claim, [source.document.text for source in sources]) if places else ():
        if source := nearest(passage, places):
            return Told("altered_quote", f"it quotes “{passage}”, and the source has other words", places[source])
        if cited:
            return Told("fabricated_quote", f"no sentence of the cited text is like “{passage}”")
    for passage in quotations(claim) if cited else ():
        held = next((q for q in places.values() if stands_in(passage, q.text)), None)
        if held is None:
            continue
        rest = claim.replace(passage, " ")
        if (lost := _lost(passage, held.text)) and not (HEDGE.search(rest) or NEGATION.search(rest)):
            return Told("altered_quote", f"the quotation leaves out “{lost}” before it", held)
        return Told("supported", "the quotation stands in the cited text letter by letter", held)
    return None


def _lost(passage: str, text: str) -> str:
    """The word right before a passage that weakens or denies it; empty if there is none."""
    first = re.split(r"[\[…]", passage)[0].strip() or passage
    at = text.casefold().find(first.casefold())
    before = text[max(0, at - _BEFORE) : max(0, at)]
    found = (match for form in (HEDGE, NEGATION) for match in form.finditer(before))
    return next((match[0] for match in found if len(before[match.end() :].split()) <= _BETWEEN), "")


def repeats(claim: str, quote: Quote) -> bool:
    """Whether a claim is a sentence of its source, but for what stands in brackets there and a few words of its own."""
    for text in (quote.text, _ASIDE.sub("", quote.text)):
        if len(text.split()) >= _LEAST_WORDS and stands_in(text, claim):
            return len(told(claim)) - len(told(text)) <= _OWN
    return False
