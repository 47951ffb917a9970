"""Sentences that say that a paper does not report something: does it, after all?"""

import re
from collections.abc import Iterator, Sequence

from medground.answering.verify.rules import OUTCOMES
from medground.checking.sources import Quote, Source, Told, nearest
from medground.checking.wordings import Wordings, wordings_of
from medground.language import words
from medground.language.clean import joined
from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.models.operators.differences import NEGATION

_DATA = r"(?:data|information|results?|details?|figures?|findings|numbers|mention|accounts?|word)"
_ABOUT = r"(?:on|about|for|of|regarding|concerning|as\ to)"
_PAPER = r"""(?:stud(?:y|ies)|trials?|papers?|abstracts?|articles?|reports?|texts?|reviews?|analys[ei]s|publications?|
    authors?|investigators|researchers|trialists|writers|colleagues|team|group|outcomes|endpoints|tables?|they|it|we)"""
_VERB = r"""(?:report|mention|give|state|describe|discuss|measure|study|assess|examine|investigate|record|compare|
    include|provide|present|evaluate|analy[sz]e|look\ (?:for|at|into)|address|collect|consider|cover|explore|say|
    specify|test|ask\ about|comment\ on|quantify|monitor|document|list)(?:e?d|s)?"""
_VERBED = r"""(?:reported|mentioned|given|stated|described|discussed|measured|studied|assessed|examined|investigated|
    recorded|compared|included|provided|presented|evaluated|analy[sz]ed|looked\ (?:for|at|into)|addressed|collected|
    asked|considered|covered|explored|specified|quantified|documented|listed|shown|available|said)"""
_WENT = rf"""(?:(?:is|are|was|were|has|have)\ (?:been\ )?(?:not|never|nowhere)\ (?:been\ )?(?:\w+ly\ )?{_VERBED}|
    (?:has|have)\ yet\ to\ be\ {_VERBED}|(?:received?s?|gets?|got)\ no\ (?:attention|mention)|
    (?:does|do|did)\ not\ (?:appear|feature|figure)|(?:went|goes|remain\w*|is|are|was|were)\ (?:un(?:reported|mentioned|
    studied|measured|examined|addressed|explored|recorded)|(?:omitted|missing|left\ out)(?=\W*$|\ (?:of|from)\ (?:the|
    this)\ {_PAPER})))"""
_FRAMES = verbose_pattern(
    rf"""
    \b(?:no|without|lack\w*|omit\w*)\ (?:any\ )?(?:\w+\ )??(?:{_DATA}|evidence(?=\ (?:on|about|regard|concern)))
    (?:\ (?:is|are|was|were)\ \w+)?\ {_ABOUT}\ (?P<none>.+?)
    (?:\ (?:is|are|was|were)\ (?:{_VERBED}|made|found|there)\b.*)?\W*$|
    \b(?:nothing|silent)\b(?:\ (?:is|was)\ {_VERBED})?\ {_ABOUT}\ (?P<nothing>.+?)(?:\ (?:is|was)\ {_VERBED})?\W*$|
    (?:^|\b{_PAPER}\ (?:[^.;:]{{0,60}}\ )?)(?:(?:does|do|did)\ not|fail\w*\ to|neglect\w*\ to|omit\w*\ to|never|
    (?:was|were)\ not\ (?:designed|powered|intended|planned|meant)\ to)\ (?:\w+ly\ )?
    {_VERB}(?:\ (?:any|data|on|about|whether|how\ (?:many|often|much)|anything))*\ (?P<verb>.+?)\W*$|
    ^\W*(?:nowhere\ (?:does|do|did)|neither)\ (?:\w+\ )??{_PAPER}\ {_VERB}\ (?P<nowhere>.+?)\W*$|
    ^.{{0,60}}?\b(?:not|nowhere)\ {_VERBED}\ (?:whether|if|how)\ (?P<whether>.+?)\W*$|
    ^\W*(?:{_DATA}\ {_ABOUT}\ )?(?P<passive>.+?)\ {_WENT}\b.*$|
    ^\W*{_DATA}\ {_ABOUT}\ (?P<data>.+?)\ (?:is|are|was|were|remain)\ (?:lacking|missing|absent|unavailable|held)\b.*$
    """
)
"""How a text says that something is not reported, and what: the first group that is there."""
_WHERE = verbose_pattern(
    r"""
    \s+(?:in|by|from|within|of)\ (?:this|the|that|their|its|these|either|any)\ (?:present\ |whole\ |full\ )?(?:study|
    trial|paper|abstract|report|article|authors?|text|publication|review|investigators?|source)\b.*$|
    \s+(?:anywhere|at\ all|either|separately)\b.*$|\s*\([^()]*\)?|
    \s+(?:was|were|had|did|has|have)\ (?:\w+ly\ )?\w+$|\s+(?:(?:in|de)creased|changed|differed|improved|rose|fell)$
    """
)
_LEADS = lazy_pattern(r"(?i)^(?:any|the|a|an|data on|effects? on|changes? in|whether there (?:was|were))\s+")
_PARTS = lazy_pattern(r"(?i)\s*(?:[,;](?!\s*\d)|\bn?or\b(?!\s*\d))\s*(?:n?or\b|and\b)?\s*")
_NONE = verbose_pattern(
    r"""
    ^\W*(?:there\ were\ )?no\ (?P<event>(?:[\w-]+\ ){0,3}?[\w-]+)\ (?:(?:was|were)\ (?:seen|observed|noted|found|
    recorded|reported)|occurred|happened|arose)\b
    """
)
_COMPARED = lazy_pattern(r"(?i)\bcompare\b.+?\b(?:with|to|against)\s+(?:(?:that|those)\s+(?:of|in)\s+)?(.+)")
_LEAVES_OUT = lazy_pattern(r"(?i)\bexclud\w+")
_ANAPHORS = frozenset(words.terms("illness disease disorder condition"))
"""Stems that stand for what the title names: `the agent causing the illness`."""
_OPPOSITE = "(?:dis|un|non-?|in|im|mal)"
"""Before a word, its opposite: who reports dissatisfaction reports satisfaction."""
_ALL = 3
"""Words of a thing up to which all must stand in the sentence that reports it."""
_MOST = 0.75
"""Least share, by weight, of the words of a longer thing."""
_NEAR = 0.4
"""Share of a thing in a sentence from which a reader must look whether it reports it."""


def absence_in(claim: str, sources: Sequence[Source]) -> Told | None:
    """What is found of a claim that something is not reported or did not happen; None of any other claim.

    An absence that stands comes with its certificate: the wordings that were tried, with their names in MeSH and HPO,
    and each text, whole or abstract, with the sentence that comes nearest.
    """
    if event := _denied_event(claim, sources):
        return Told("false_absence", "the cited text reports it", event)
    things = [wordings_of(thing) for thing in _things(claim)]
    if not things:
        return None
    for thing in things:
        if quote := _reported(thing, sources):
            return Told("false_absence", f"the cited text reports “{thing.thing}”", quote)
    for thing in things:
        if (near := _near(thing, sources)) is not None:
            return Told("not_checked", f"no sentence reports “{thing.thing}” in these words, but one comes near", near)
    return Told("supported", _certificate(things, sources), nearest(things[0].thing, sources, 1)[0])


def _certificate(things: Sequence[Wordings], sources: Sequence[Source]) -> str:
    def of(source: Source) -> Iterator[str]:
        for thing in things:
            if quote := next(iter(nearest(thing.thing, [source], 1)), None):
                yield f"“{joined(quote.text)}”"

    read = (f"{one.document.id} ({one.form}; nearest: {', '.join(dict.fromkeys(of(one)))})" for one in sources)
    return f"it stands in no sentence of {'; '.join(read)}. Looked for: {'; '.join(map(str, things))}"


def _things(claim: str) -> list[str]:
    """What a claim says is not reported, each thing by itself; empty for a claim that says no such thing."""
    frame = _FRAMES.search(claim)
    if frame is None:
        return []
    compared = _COMPARED.search(frame[0])  # that one side is named tells nothing
    whole = _WHERE.sub("", compared[1] if compared else next(filter(None, frame.groups()), ""))
    return [thing for part in _PARTS.split(whole) if words.terms(thing := _LEADS.sub("", part.strip()))]


def _reported(thing: Wordings, sources: Sequence[Source]) -> Quote | None:
    """The sentence that reports a thing, by its words or by another name of it; None if none does."""
    least = 1.0 if len(thing.stems) <= _ALL else _MOST
    quotes = [quote for source in sources for quote in source.quotes(thing.thing) if not _denies(quote)]
    for quote in quotes:
        title = frozenset(words.terms(quote.document.title))
        told = not quote.stems.isdisjoint(_ANAPHORS) or words.coverage(thing.stems, quote.stems) >= _NEAR
        named = words.coverage(thing.stems, quote.stems | title if told else quote.stems) >= least
        if named or any(key <= quote.stems for key in thing.keys) or _reports_opposite(thing, quote):
            return quote
    return None


def _reports_opposite(thing: Wordings, quote: Quote) -> bool:
    """Whether a sentence has the opposite of a thing of one word."""
    if len(thing.stems) != 1:
        return False
    found = re.findall(rf"\b{_OPPOSITE}([a-z]+)", quote.text, re.IGNORECASE)
    return any(words.stem(word.lower()) in thing.stems for word in found)


def _near(thing: Wordings, sources: Sequence[Source]) -> Quote | None:
    """The sentence that a reader must look at: it has words, a name or an outcome of the family of a thing."""
    best = nearest(thing.thing, sources, 1)
    if best and best[0].share >= _NEAR:
        return best[0]
    family = next((one for one in OUTCOMES if one.search(thing.thing)), None)
    for quote in (quote for source in sources for quote in source.quotes("") if not _denies(quote)):
        if (family and family.search(quote.text)) or any(key <= quote.stems for key in thing.akin):
            return quote
    return None


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
