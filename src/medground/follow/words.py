"""The words that end a noun phrase in a question."""

from __future__ import annotations

from medground.text.predicate_words import ALL_VERBS, ARTICLES

__all__ = ["ARTICLES"]

_AUXILIARIES = """
    is are was were am do does did has have had can could should will would may might must isn't aren't doesn't
    don't didn't can't cannot
"""
AUXILIARIES = frozenset(_AUXILIARIES.split())

BE = frozenset(("is", "are", "was", "were", "am", "isn't", "aren't"))

_PREPOSITIONS = """
    in for with without after before during among at on under over between from by as than against via within
    following despite to through per into of about when while if because
"""
PREPOSITIONS = frozenset(_PREPOSITIONS.split())


_OTHER_VERBS = """
    compare ease go indicate intervene invoke last observe report resemble resist see sound weaken win
"""
VERBS = ALL_VERBS | frozenset(_OTHER_VERBS.split())
"""Verbs as they follow "does" or "can"."""

_STATES = """
    able absent acceptable accurate active adequate adverse affordable appropriate available aware bad
    beneficial best better better-tolerated causal cheaper common comparable contagious contraindicated correct
    cost-effective curable curative dangerous dead deadly dependent desirable detectable different difficult
    diagnostic driven due easier effective efficacious efficient enough equal equivalent essential faster fatal
    feasible found frequent given good greater happy harmful hereditary helpful heritable higher identical
    important independent indicative inferior inherited just justified known lethal less likely linked longer
    low lower mandatory more much necessary needed new normal not one often only optional painful possible
    practical predictive preferable present prognostic prone protective rare really related relevant reliable
    responsible reversible right safe safer same secure seen sensitive serious severe shorter significant
    similar shown simple slower so specific still sufficient suitable superior sure toxic taken treatable true
    underestimated unique unnecessary unsafe useful useless valid valuable viable vital warranted well worse
    worth worthwhile really always already also ever actually currently generally usually truly both
"""
STATES = frozenset(_STATES.split())
"""Words that say something of a subject after "is"; a noun phrase may begin with one."""

_PRONOUNS = """
    a an the and or both it they them this that these those there we you i he she one our their its
"""
PRONOUNS = frozenset(_PRONOUNS.split())

_ASKING = """
    what which who whom whose how when where why
"""
ASKING = frozenset(_ASKING.split())

_OBJECT_VERBS = """
    take use stop give drink eat inject combine mix start treat cure prevent diagnose apply avoid
"""
OBJECT_VERBS = frozenset(_OBJECT_VERBS.split())
"""Verbs that need an object: where none follows, as in "is it safe to take with food", "it" is the object."""

_MANNER = """
    daily together regularly long-term every everyday again early late now safely alone
"""
MANNER = frozenset(_MANNER.split())
"""Words that may follow such a verb and are no object."""
