"""Sentences that say that a paper does not report something: does it, after all?"""

from __future__ import annotations

from collections.abc import Sequence

from medground.answering.verify.absence import place_of
from medground.answering.verify.rules import OUTCOMES
from medground.checking.sources import Quote, Source, nearest
from medground.language import words
from medground.language.pattern import verbose_pattern
from medground.models.operators.differences import NEGATION

_FRAMES = verbose_pattern(
    r"""
    ^\W*(?:no|neither|without)\ (?:further\ )?(?:data|information|results?|details?|evidence|figures?|mention|report)s?
    \ (?:is|are|was|were)?\ ?(?:on|about|for|of|regarding|concerning)\ (?P<about>.+?)
    (?:\ (?:is|are|was|were)\ (?:given|reported|made|provided|available|presented|shown|found|included).*)?\W*$|
    ^\W*nothing\ (?:is|was)\ (?:said|reported|known|stated|written|given)\ (?:about|on|of|regarding)\ (?P<nothing>.+?)\W*$|
    ^(?:.{0,60}\b)?(?:does|do|did)\ not\ (?:\w+ly\ )?(?:report|mention|give|state|describe|discuss|measure|study|assess|
    examine|investigate|record|compare|include|provide|present|evaluate|analy[sz]e|look\ (?:for|at)|address|collect)
    (?:\ (?:any|data|on|about))*\ (?P<verb>.+?)\W*$|
    ^\W*(?P<passive>.+?)\ (?:is|are|was|were|has\ been|have\ been)\ (?:not|never)\ (?:reported|mentioned|given|stated|described|
    discussed|measured|studied|assessed|examined|investigated|recorded|compared|included|provided|presented|evaluated|
    analy[sz]ed|looked\ (?:for|at)|addressed|collected|asked)\b.*$
    """
)
_NONE = verbose_pattern(
    r"""
    ^\W*(?:there\ were\ )?no\ (?P<event>(?:[\w-]+\ ){0,3}?[\w-]+)\ (?:(?:was|were)\ (?:seen|observed|noted|found|
    recorded|reported)|occurred|happened|arose)\b
    """
)
_ALL = 3
"""Words of a thing up to which all must stand in the sentence that reports it."""
_MOST = 0.75


def thing_of(claim: str) -> str:
    """What a claim says is not reported; empty of any other claim."""
    found = _FRAMES.search(claim)
    return next(filter(None, found.groups()), "") if found else ""


def reported(thing: str, sources: Sequence[Source]) -> Quote | None:
    """The sentence that reports a thing, by its words or by another name of it; None if none does."""
    wanted = words.terms(thing)
    best = nearest(thing, sources, 1)
    least = 1.0 if len(wanted) <= _ALL else _MOST
    for source in sources:
        for (start, end), own in zip(source.spans, source.stems, strict=True):
            if wanted and words.coverage(wanted, own) >= least:
                return Quote(source.document, start, end, 1.0)
    place = place_of(thing, [source.document for source in sources])
    papers = {source.document.id: source.document for source in sources}
    return Quote(papers[place[0]], place[1], place[2], 1.0) if place and best else None


def denied_event(claim: str, sources: Sequence[Source]) -> Quote | None:
    """The sentence that reports what a claim says did not happen, such as a death; None if none does."""
    found = _NONE.search(claim)
    if found is None:
        return None
    family = next((one for one in OUTCOMES if one.search(found["event"])), None)
    wanted = frozenset(words.terms(found["event"]))
    for source in sources:
        for (start, end), own in zip(source.spans, source.stems, strict=True):
            text = source.document.text[start:end]
            if (wanted <= own or (family and family.search(text))) and not NEGATION.search(text):
                return Quote(source.document, start, end, 1.0)
    return None


def certificate(thing: str, sources: Sequence[Source]) -> str:
    """What was read for an absence that stands: the texts, whole or not, and the sentence nearest to the thing."""
    read = ", ".join(f"{one.document.id} ({'whole text' if one.is_whole else 'abstract'})" for one in sources)
    near = nearest(thing, sources, 1)
    return f"“{thing}” and its other names stand in no sentence of {read}" + (f"; the nearest is “{near[0].text}”" if near else "")
