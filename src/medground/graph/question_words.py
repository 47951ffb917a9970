"""The words of questions to the graph: what says nothing, what says what is asked, and what is courtesy."""

from __future__ import annotations

import re
from dataclasses import dataclass

from medground.graph.names import table


def word_set(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


_TABLE = {name: word_set(words) for name, words in table("question_words.tsv")}
EMPTY = _TABLE["empty"]
"""Words that do not change which relation is asked for."""
CONDITIONS = _TABLE["conditions"]
"""Words that narrow a question to what no relation covers: they are never taken for a misspelt name."""
CUES = {name.removeprefix("cue "): words for name, words in _TABLE.items() if name.startswith("cue ")}
"""What is asked, by the words that ask it."""

RECORD_ONLY = CUES["link"] - word_set("characterised characterized combine combines combining share both together")
"""Words that ask for more than a feature, so that a missing record does not answer them."""

JOINTS = {"and": "and", "or": "or", "&": "and", ",": "and", "/": "or", "plus": "and"}
"""Words between two names of one kind."""

CONTRACTED = re.compile(r"^(is|are|was|do|does|did|has|have|can|could|would)n['’]?t\b", re.IGNORECASE)
"""“Isn't”: a question that expects yes."""

ALL = EMPTY.union(*CUES.values())


def cues_of(word: str) -> frozenset[str]:
    """The cues that a word may give."""
    return frozenset(cue for cue, words in CUES.items() if word in words)


# Take courtesy, lead-ins and roundabout phrases out of a question, so that what is left is what it asks.

_GREETING = re.compile(
    r"(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|please|sorry|ok|okay|(?:quick )?question)\b"
    r"(?: there)?[ ,.!:-]*)+",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"(?:(?:could|can|would|will) (?:you|someone|anyone) (?:please |kindly )?(?:tell me|explain to me|let me know|say)"
    r"|(?:i|we)(?: would|'d| am|'m)? (?:just )?(?:like|love|want|wanted|need|wish|trying) to (?:know|find out)"
    r"|i(?: am|'m| was)? (?:just )?wonder(?:ing)?|do (?:you|we|doctors) (?:happen to )?know"
    r"|(?:please )?tell me|is it (?:true|known|correct|right|possible)(?= that\b))(?: please)?,? ",
    re.IGNORECASE,
)
_WHETHER = re.compile(r"(?:whether|if|that) ", re.IGNORECASE)
_THANKS = re.compile(
    r"[ ,.?!]*\b(?:please|thanks|thank you|many thanks|(?:in|using) (?:plain|simple|lay|easy|layman's|everyday) "
    r"(?:english|words|terms|language))(?: (?:very|so) much| in advance)?$",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:my|our|i|we|the (?:doctor|geneticist|lab))\b[\w' -]{0,60}?\b(?:with|mentioned|found|suffers? from|"
    r"(?:has|have|had)(?: (?:just|now|recently|also)| been)*(?: diagnosed with)?) (?P<name>[^.,;:?!]+)[.,;:?!]+ "
    r"(?:and |so |but )?(?P<asked>.+)",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:no|not|never|without)\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"\b(?:his|her|their|my|our)(?= \w)", re.IGNORECASE)
_PRONOUN = re.compile(
    r"\b(?:(?P<person>he|she|they)|it|this|(?:this|the) (?:disease|disorder|condition|syndrome|gene))\b", re.IGNORECASE
)
_YOUNG = re.compile(r"(?<=\bdo )(?:kids|children|babies|toddlers|infants)(?= (?:with|who have)\b)", re.IGNORECASE)
_WHEN = re.compile(r"(?:when|at (?:what|which) age|how (?:old|early))\b", re.IGNORECASE)
_SAME = (
    (re.compile(r"\b(?:diagnosed|affected|living|born) (?:with|by)\b", re.IGNORECASE), "with"),
    (re.compile(r"\b(?:as well as|along with|alongside|combined with)\b", re.IGNORECASE), "and"),
    (re.compile(r"\b(?:differential(?: diagnosis)?|ddx) (?:of|for)\b", re.IGNORECASE), "diseases with"),
    (re.compile(r"\bwhat['’]?s\b", re.IGNORECASE), "what is"),
    (
        re.compile(
            r"\b(?:passed|handed)(?: on| down)? (?:from|by) (?:(?:a|the|one|either|his|her|their) )?parents? to "
            r"(?:(?:a|the|his|her|their) )?(?:child(?:ren)?|kids?|offspring)\b",
            re.IGNORECASE,
        ),
        "inherited",
    ),
    (re.compile(r"\b(?:passed|handed) (?:on|down)\b", re.IGNORECASE), "passed"),
    (re.compile(r"\b(?:changes?|alterations?|errors?|faults?)(?= (?:in|of) (?:the )?(?:\w+ )?genes?\b)"), "mutations"),
    (re.compile(r"\bfaulty\b(?= gene|$| in\b)", re.IGNORECASE), "mutated"),
)
"""Phrases that say the same as one word."""


@dataclass(frozen=True)
class Plain:
    """A question in plain words.

    Attributes:
        text: without courtesy and lead-in.
        whether: it asked "whether", so that it is closed.
        personal: it asks what will happen to one person.
    """

    text: str
    whether: bool = False
    personal: bool = False


def plainly(text: str) -> Plain:
    """What a question asks, in fewer words."""
    greeting = _GREETING.match(text)
    said, personal = _without_lead_in(text[greeting.end() :] if greeting else text)
    said = _THANKS.sub("", said)
    asked = _ASKED.match(said)
    if asked:
        said = said[asked.end() :]
    whether = bool(asked and _WHETHER.match(said))
    if whether:
        said = _WHETHER.sub("", said, count=1)
    for phrase, word in _SAME:
        said = phrase.sub(word, said)
    if _WHEN.match(said):  # when it begins may be asked of children; whether children have it is not recorded
        said = _YOUNG.sub("people", said)
    return Plain(said, whether, personal)


def _without_lead_in(text: str) -> tuple[str, bool]:
    """ "My son has X. Will he get Y?" as "will someone with X get Y": only if one word stands for what was named.

    Also whether that word is for the person.
    """
    lead = _LEAD.fullmatch(text)
    asked = _POSSESSIVE.sub("the", lead["asked"]) if lead else ""
    pronouns = list(_PRONOUN.finditer(asked))
    if lead is None or len(pronouns) != 1 or _NOT.search(lead["name"]):
        return text, False
    word = pronouns[0]
    name = f"someone with {lead['name']}" if word["person"] else lead["name"]
    return f"{asked[: word.start()]}{name}{asked[word.end() :]}", bool(word["person"])
