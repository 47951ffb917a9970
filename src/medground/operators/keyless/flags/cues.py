"""Words that carry a meaning on their own: negations, directions, hedges, causes."""

from __future__ import annotations

import re


def cue(words: str, *, unless_after: str = "") -> re.Pattern[str]:
    """A pattern that matches any of the given words as a whole word, ignoring case.

    A lookahead tests the first letter, which halves the time because most words in a text start with other letters. So
    no word may begin with an optional part.

    Args:
        words: regular expressions for words or phrases, separated by `|`.
        unless_after: a character that must not come before the word.
    """
    begin = "".join(sorted(set(re.findall(r"(?:^|\|)(?:\(\?:)?(.)", words))))
    free = f"(?<!{unless_after})" if unless_after else ""
    return re.compile(rf"\b{free}(?=[{begin}])(?:{words})\b", re.IGNORECASE)


NEGATION = cue(
    r"no|not(?! (?:only|just)\b)|never|neither|nor|none|without|cannot|fail(?:s|ed)? to|lack(?:s|ed|ing)?|"
    r"absence of|absent|unable|unlikely|insufficient|ineffective|insignificant|nonsignificant|"
    r"'t(?<=n't)|’t(?<=n’t)"
)
UP = cue(
    r"increas\w*|high(?:er|est|ly)?|greater|larger|more|rais\w*|rise[sn]?|rising|rose|elevat\w*|improv\w*|better|"
    r"up-?regulat\w*|enhanc\w*|promot\w*|longer|superior|activat\w*|stimulat\w*|gain\w*|faster|stronger|positive\w*|"
    r"beneficial|older|directly|above|best|most"
)
DOWN = cue(
    r"decreas\w*|low(?:er\w*|est)?|less|fewer|smaller|reduc\w*|declin\w*|worse\w*|down-?regulat\w*|inhibit\w*|"
    r"suppress\w*|block\w*|shorter|inferior|impair\w*|diminish\w*|loss|prevent\w*|slower|weaker|negative\w*|harmful|"
    r"younger|inverse\w*|below|worst|least|attenuat\w*|drop\w*|fall\w*|fell"
)
HEDGE = cue(
    r"may|might|could|can|suggest\w*|possib\w+|potential\w*|appear\w*|seem\w*|likely|unclear|probabl\w+|perhaps|"
    r"preliminary|trend\w*|tend(?:s|ed)?|hypothesi\w*|putative\w*|presumabl\w+|indicat\w+|partly|partially"
)
DOUBT = cue(r"may|might|could|possib\w+|unclear|perhaps|preliminary|hypothesi\w*|putative\w*|presumabl\w+")
"""The hedges that leave open whether something is true at all."""
SURE = cue(r"prov(?:e|es|ed|en|ing)|definite\w*|certain\w*|always|undoubtedly|clearly|will")
CAUSE = cue(
    r"caus\w*|leads? to|led to|results? in|resulted in|induc\w*|due to|because|responsible for|trigger\w*|"
    r"produc\w*|prevent\w*|mediat\w*",
    unless_after="-",
)
ASSOCIATION = cue(r"associat\w*|correlat\w*|link\w*|relat(?:ed to|ionship|ion)|predict\w*|risk factors?")
EVERY = (NEGATION, UP, DOWN, HEDGE, SURE, CAUSE, ASSOCIATION)
