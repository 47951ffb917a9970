"""Words that carry a meaning by themselves: denials, directions, hedges, causes."""

from __future__ import annotations

import re

NEGATION = re.compile(
    r"\b(?:no|not(?! (?:only|just)\b)|never|neither|nor|none|without|cannot|fail(?:s|ed)? to|lack(?:s|ed|ing)?|"
    r"absence of|absent|unable|unlikely|insufficient|ineffective|insignificant|nonsignificant)\b|n['’]t\b",
    re.IGNORECASE,
)
UP = re.compile(
    r"\b(?:increas\w*|high(?:er|est|ly)?|greater|larger|more|rais\w*|rise[sn]?|rising|rose|elevat\w*|improv\w*|better|"
    r"up-?regulat\w*|enhanc\w*|promot\w*|longer|superior|activat\w*|stimulat\w*|gain\w*|faster|stronger|positive\w*|"
    r"beneficial|older|directly|above|best|most)\b",
    re.IGNORECASE,
)
DOWN = re.compile(
    r"\b(?:decreas\w*|low(?:er\w*|est)?|less|fewer|smaller|reduc\w*|declin\w*|worse\w*|down-?regulat\w*|inhibit\w*|"
    r"suppress\w*|block\w*|shorter|inferior|impair\w*|diminish\w*|loss|prevent\w*|slower|weaker|negative\w*|harmful|"
    r"younger|inverse\w*|below|worst|least|attenuat\w*|drop\w*|fall\w*|fell)\b",
    re.IGNORECASE,
)
HEDGE = re.compile(
    r"\b(?:may|might|could|can|suggest\w*|possib\w+|potential\w*|appear\w*|seem\w*|likely|unclear|probabl\w+|perhaps|"
    r"preliminary|trend\w*|tend(?:s|ed)?|hypothesi\w*|putative\w*|presumabl\w+|indicat\w+|partly|partially)\b",
    re.IGNORECASE,
)
DOUBT = re.compile(
    r"\b(?:may|might|could|possib\w+|unclear|perhaps|preliminary|hypothesi\w*|putative\w*|presumabl\w+)\b",
    re.IGNORECASE,
)
"""The hedges that leave open whether something is so at all."""
SURE = re.compile(
    r"\b(?:prov(?:e|es|ed|en|ing)|definite\w*|certain\w*|always|undoubtedly|clearly|will)\b", re.IGNORECASE
)
CAUSE = re.compile(
    r"\b(?<!-)(?:caus\w*|leads? to|led to|results? in|resulted in|induc\w*|due to|because|responsible for|trigger\w*|"
    r"produc\w*|prevent\w*|mediat\w*)\b",
    re.IGNORECASE,
)
ASSOCIATION = re.compile(
    r"\b(?:associat\w*|correlat\w*|link\w*|relat(?:ed to|ionship|ion)|predict\w*|risk factors?)\b", re.IGNORECASE
)
EVERY = (NEGATION, UP, DOWN, HEDGE, SURE, CAUSE, ASSOCIATION)
