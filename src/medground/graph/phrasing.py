"""Take courtesy, lead-ins and roundabout phrases out of a question, so that what is left is what it asks.

Nothing that narrows the question is taken out: a word that stays and is not understood refuses it.
"""

from __future__ import annotations

import re

_GREETING = re.compile(
    r"(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|please|sorry|ok|okay|quick question|question)\b(?: there)?[ ,.!:-]*)+",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"(?:(?:could|can|would|will) (?:you|someone|anyone) (?:please |kindly )?(?:tell me|explain to me|let me know|say)"
    r"|(?:i|we)(?: would|'d| am|'m)? (?:just )?(?:like|love|want|wanted|need|wish|trying) to (?:know|find out|understand)"
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
    r"(?:my|our|i|we|the (?:doctor|geneticist|lab))\b[\w' -]{0,60}?\b(?:has|have|had|with|mentioned|found|carries|"
    r"suffers? from) (?P<name>[^.,;:?!]+)[.,;:?!]+ (?:and |so |but )?(?P<asked>.+)",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"\b(?:his|her|their|my|our)(?= \w)", re.IGNORECASE)
_PRONOUN = re.compile(
    r"\b(?:(?P<person>he|she|they)|it|this|(?:this|the) (?:disease|disorder|condition|syndrome|gene))\b", re.IGNORECASE
)
_YOUNG = re.compile(r"(?<=\bdo )(?:kids|children|babies|toddlers|infants)(?= (?:with|who have)\b)", re.IGNORECASE)
_WHEN = re.compile(r"(?:when|at (?:what|which) age|how (?:old|early))\b", re.IGNORECASE)
_SAME = (
    (re.compile(r"\b(?:diagnosed|affected|living|born) (?:with|by)\b", re.IGNORECASE), "with"),
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


def plainly(text: str) -> tuple[str, bool]:
    """A question without courtesy and lead-in, and whether it asks "whether"."""
    said = _without_lead_in(_GREETING.sub("", text, count=1) if _GREETING.match(text) else text)
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
    return said, whether


def _without_lead_in(text: str) -> str:
    """ "My son has X. Will he get Y?" as "will someone with X get Y": only if one word stands for what was named."""
    lead = _LEAD.fullmatch(text)
    if lead is None:
        return text
    asked = _POSSESSIVE.sub("the", lead["asked"])
    pronouns = list(_PRONOUN.finditer(asked))
    if len(pronouns) != 1:
        return text
    name = f"someone with {lead['name']}" if pronouns[0]["person"] else lead["name"]
    return f"{asked[: pronouns[0].start()]}{name}{asked[pronouns[0].end() :]}"
