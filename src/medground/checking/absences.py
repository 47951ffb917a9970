"""Sentences that say that a paper does not report something: does it, after all?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from medground.answering.verify.absence import place_of
from medground.answering.verify.rules import OUTCOMES
from medground.checking.sources import Quote, Source, Told, nearest
from medground.language import words
from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.models.operators.differences import NEGATION

_FRAMES = verbose_pattern(
    r"""
    ^\W*(?:no|neither|without)\ (?:further\ )?(?:data|information|results?|details?|evidence|figures?|mention|report)s?
    \ (?:is|are|was|were)?\ ?(?:on|about|for|of|regarding|concerning)\ (?P<about>.+?)
    (?:\ (?:is|are|was|were)\ (?:given|reported|made|provided|available|presented|shown|found|included).*)?\W*$|
    ^\W*nothing\ (?:is|was)\ (?:said|reported|known|stated|given)\ (?:about|on|of|regarding)\ (?P<nothing>.+?)\W*$|
    ^(?:.{0,60}\b)?(?:does|do|did)\ not\ (?:\w+ly\ )?(?:report|mention|give|state|describe|discuss|measure|study|assess|
    examine|investigate|record|compare|include|provide|present|evaluate|analy[sz]e|look\ (?:for|at)|address|collect)
    (?:\ (?:any|data|on|about))*\ (?P<verb>.+?)\W*$|
    ^\W*(?P<passive>.+?)\ (?:is|are|was|were|has\ been|have\ been)\ (?:not|never)\ (?:reported|mentioned|given|
    stated|described|discussed|measured|studied|assessed|examined|investigated|recorded|compared|included|provided|presented|evaluated|
    analy[sz]ed|looked\ (?:for|at)|addressed|collected|asked)\b.*$
    """
)
_NONE = verbose_pattern(
    r"""
    ^\W*(?:there\ were\ )?no\ (?P<event>(?:[\w-]+\ ){0,3}?[\w-]+)\ (?:(?:was|were)\ (?:seen|observed|noted|found|
    recorded|reported)|occurred|happened|arose)\b
    """
)
_LEAVES_OUT = lazy_pattern(r"\bexclud\w+", re.IGNORECASE)
_ALL = 3
"""Words of a thing up to which all must stand in the sentence that reports it."""
_MOST = 0.75
"""Least share, by weight, of the words of a longer thing."""
_NEAR = 0.4
"""Share of a thing in a sentence from which a reader must look whether it reports it."""


def absence_in(claim: str, sources: Sequence[Source]) -> Told | None:
    """What is found of a claim that something is not reported or did not happen; None of any other claim.

    An absence that stands comes with its certificate: the texts, whole or not, and the sentence nearest to the thing.
    """
    if event := _denied_event(claim, sources):
        return Told("false_absence", "the cited text reports it", event)
    frame = _FRAMES.search(claim)
    if frame is None:
        return None
    thing = next(filter(None, frame.groups()), "")
    if quote := _reported(thing, sources):
        return Told("false_absence", f"the cited text reports “{thing}”", quote)
    near = nearest(thing, sources, 1)[0]
    if near.share >= _NEAR:
        return Told("not_checked", f"no sentence reports “{thing}” in these words, but one comes near", near)
    read = ", ".join(f"{one.document.id} ({one.form})" for one in sources)
    return Told("supported", f"“{thing}”, also by its other names, stands in no sentence of {read}", near)


def _reported(thing: str, sources: Sequence[Source]) -> Quote | None:
    """The sentence that reports a thing, by its words or by another name of it; None if none does."""
    wanted = words.terms(thing)
    least = 1.0 if len(wanted) <= _ALL else _MOST
    found = (quote for source in sources for quote in source.quotes(thing) if not _denies(quote))
    if held := next((quote for quote in found if wanted and words.coverage(wanted, quote.stems) >= least), None):
        return held
    place = place_of(thing, [source.document for source in sources])
    papers = {source.document.id: source.document for source in sources}
    held = Quote(papers[place[0]], place[1], place[2], 1.0) if place else None
    return held if held and not _denies(held) else None


def _denies(quote: Quote) -> bool:
    return is_absence(quote.text) or bool(_LEAVES_OUT.search(quote.text))


def is_absence(claim: str) -> bool:
    """Whether a claim says that something is not reported."""
    return bool(_FRAMES.search(claim))


def _denied_event(claim: str, sources: Sequence[Source]) -> Quote | None:
    """The sentence that reports what a claim says did not happen, such as a death; None if none does."""
    found = _NONE.search(claim)
    if found is None:
        return None
    family = next((one for one in OUTCOMES if one.search(found["event"])), None)
    wanted = frozenset(words.terms(found["event"]))
    named = [
        quote
        for source in sources
        for quote in source.quotes(claim)
        if (wanted and wanted <= quote.stems) or (family and family.search(quote.text))
    ]
    denied = any(wanted <= quote.stems and NEGATION.search(quote.text) for quote in named)
    return next((quote for quote in named if not denied and not NEGATION.search(quote.text)), None)
