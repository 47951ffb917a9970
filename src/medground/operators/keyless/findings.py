"""What one sentence reports: a cause, an outcome, and whether and which way the first changes the second.

Only plain statements are read ("X reduced Y", "no association between X and Y", "Y was not affected by X"). A sentence
that plans, supposes, hedges, contrasts, compares two treatments, or reports others' work gives no finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from medground.operators.keyless.sentences import states_purpose
from medground.text.sentences import sentence_spans

Axis = Literal["amount", "quality", "works", "cause", "link"]
"""What is said of the outcome: how much, how good, that something works against it, causes it, or is linked to it."""


@dataclass(frozen=True)
class Reported:
    """The finding of one sentence.

    Attributes:
        cause: words for what acts, or for one of two linked things.
        outcome: words for what is acted on, or for the other.
        axis: what is said of the outcome.
        sign: 1 for more or better, -1 for less or worse, 0 for neither.
        denied: whether the sentence says that it is not so.
        mutual: whether cause and outcome may change places.
    """

    cause: str
    outcome: str
    axis: Axis
    sign: int
    denied: bool
    mutual: bool


_I = re.IGNORECASE

# Sentences that are not read

_OPEN = re.compile(
    r"\b(?:but|although|though|however|whereas|while|except|despite|unless|only|may|might|could|would|potential\w*|"
    r"possib\w*|promising|appear(?:s|ed)?|seem(?:s|ed)?|likely|unclear|unknown|trend\w*|tend(?:s|ed)?|if|whether|should|"
    r"hypothes\w*|will|(?:not|yet) been|(?:remains?|need(?:s|ed)?|has|have) (?:\w+ )?to be|dose-dependent\w*|"
    r"necessarily|(?:non-?)?inferior\w*|superior\w*|equivalen\w*|alone)\b",
    _I,
)
"""Words that leave a finding open or limit it."""
_OTHERS = re.compile(
    r"\b(?:(?:previous|prior|earlier|recent|other|some|several|many|most|few|observational|epidemiologic(?:al)?|animal|"
    r"pilot) (?:\w+ )?(?:stud(?:y|ies)|trials?|reports?|research|evidence|data|reviews?|authors)|(?:studies|trials) (?:"
    r"have|had)|(?:previously|already|generally|widely|well|currently) (?:\w+ )?\w+ed|literature|(?:is|are) (?:"
    r"recommended|thought|believed|considered|known))\b",
    _I,
)
"""Words that report what others found or think."""
_AGAINST = re.compile(
    r"\b(?:than|versus|vs\.?|compar(?:ed|ison) (?:with|to)|relative to) (?!(?:(?:an?|the|those|their|in|with|receiving|"
    r"given|on) )*(?:placebo|controls?|sham|usual|no |non-?|untreated|standard care|baseline|before|without|healthy|"
    r"general population|\d))",
    _I,
)
"""A comparison with anything but a control."""
_HARM = re.compile(
    r"\b(?:negative|adverse|harmful|detrimental|side|deleterious|unwanted|toxic) (?:\w+ )?(?:effects?|impact|events?|"
    r"reactions?)",
    _I,
)
"""No harm is not no effect."""

# What surrounds a finding

_LABEL = re.compile(
    r"^\W*(?:[A-Z][A-Z/ &]{3,40}:|(?:(?i:conclusions?(?: and relevance)?|(?:main )?results?|findings|interpretation|"
    r"expert opinion)[:.]?\s))\s*"
)
_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|<[^<>]*>")
_SAID = re.compile(
    r"^(?P<by>.*\b(?:show\w*|suggest\w*|support\w*|found|finds?|demonstrat\w*|indicat\w*|conclud\w*|reveal\w*|confirm\w*|"
    r"evidence|observed)) that\b",
    _I,
)
_DENIES = re.compile(r"\b(?:no|not|nor|never|fail\w*|lack\w*|little|insufficient|without|against)\b", _I)
_OPENING = re.compile(
    r"^\W*(?:however|thus|therefore|hence|moreover|furthermore|in addition|additionally|overall|in conclusion|"
    r"in summary|in contrast|interestingly|finally|consequently|notably|similarly|conversely|importantly|also|"
    r"we conclude|and)\b\W*"
    r"|^\W*(?:in|among|for|after|during|at|when|to|on|by|within|over|compared|from|under|with|following|as)\b[^,]*,"
    r"\s*",
    _I,
)
_FORCE = (
    r"(?:(?:statistically|clinically|clear|strong|close|direct|overall|positive|inverse|significant|significantly|"
    r"independent|major|measurable|demonstrable|apparent|causal|consistent|detectable|obvious|robust|moderate|linear|"
    r"additional|immediate|substantial|marked|meaningful|relevant|statistical|such|evidence of|evidence for|an?|any) )*"
)
_GIVES = r"(?:result(?:s|ed|ing)? in|leads? to|led to|produced?s?|caused?s?)"
_REWRITTEN: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(form, _I), plain)
    for form, plain in (
        (
            r"\b(?:was|were|has been|have been) (?:\w+ly )?(?:found|shown|observed|seen|noted|demonstrated) to have\b",
            "had",
        ),
        (
            r"\b(?:was|were|has been|have been) (?:\w+ly )?(?:found|shown|observed|seen|noted|demonstrated) to be\b",
            "was",
        ),
        (r"\b(?:was|were|has been|have been) (?:\w+ly )?(?:found|shown|observed|noted|demonstrated) to (?=\w)", ""),
        (
            r"\b(?:is|are|was|were) not (?:found |shown )?(?:to be )?(?:effective|useful|beneficial|efficacious) "
            r"(?:in|for|at) (\w{3,})ing\b",
            r"did not \1e",
        ),
        (r"\b(?:is|are|was|were) ineffective (?:in|for|at) (\w{3,})ing\b", r"did not \1e"),
        (
            r"\b(?:is|are|was|were) (?:\w+ly )?(?:effective|useful|beneficial|efficacious) (?:in|for|at) (\w{3,})ing\b",
            r"\1ed",
        ),
        (rf"\bassociated with {_FORCE}(?:reductions?|decreases?|decline|fall) (?:in|of)\b", "associated with reduced"),
        (rf"\bassociated with {_FORCE}(?:increases?|rise|elevations?) (?:in|of)\b", "associated with increased"),
        (rf"\b{_GIVES} {_FORCE}(?:reductions?|decreases?|decline|fall) (?:in|of)\b", "reduced"),
        (rf"\b{_GIVES} {_FORCE}(?:increases?|rise|elevations?) (?:in|of)\b", "increased"),
        (rf"\b{_GIVES} {_FORCE}improvements? (?:in|of)\b", "improved"),
    )
)

# The forms of a finding

_UP = r"increas|rais|elevat|enhanc|promot|prolong|exacerbat|up-?regulat|stimulat|induc|augment|accelerat"
_DOWN = (
    r"reduc|decreas|lower|diminish|attenuat|suppress|inhibit|prevent|shorten|down-?regulat|alleviat|reliev|ameliorat|"
    r"abolish|eliminat|minimi[sz]|slow|delay"
)
_BETTER, _WORSE = r"improv", r"worsen|impair|deteriorat"
_ANY = r"affect|influenc|alter|chang|modif|modulat|predict"
_AXES: tuple[tuple[Axis, int, re.Pattern[str]], ...] = (
    ("amount", 1, re.compile(_UP, _I)),
    ("amount", -1, re.compile(_DOWN, _I)),
    ("quality", 1, re.compile(_BETTER, _I)),
    ("quality", -1, re.compile(_WORSE, _I)),
    ("cause", 0, re.compile(r"caus|lead|led|result", _I)),
)
_STEMS = rf"(?:{_UP}|{_DOWN}|{_BETTER}|{_WORSE}|{_ANY}|caus)"
_VERB = rf"(?!lower )(?:{_STEMS}(?:e[sd]?|s|ed|ies|ied|y)?|leads? to|led to|result(?:s|ed)? in)"
_ADVERBS = r"(?:(?!not\b|no\b|only\b)\w+ly )?"
_BE = r"(?:was|were|is|are|has been|have been)"
_NOT = (
    r"(?P<no>(?:did|does|do|was|were|is|are|has|have|had|can) (?:also )?not (?:\w+ly )?(?:been |be )?|cannot |"
    r"fail(?:s|ed)? to |(?:was|were|is|are) unable to )"
)
_NO2 = r"(?P<none>no|an? (?:non-?significant|insignificant))"
_NO = r"(?P<no>no|lack of|absence of|not any|an? (?:non-?significant|insignificant))"
_LINK = r"(?:associations?|correlations?|relationships?|links?|relations?)"
_SEEN = r"(?: (?:was|were) (?:\w+ )?(?:found|observed|seen|noted|detected|identified|demonstrated))?"
_MORE, _LESS = r"increas\w+|higher|greater|elevated|more", r"decreas\w+|reduc\w+|lower|less|fewer"
_CONTROLS = r"(?:the )?(?:placebo|controls?|sham|usual care|no treatment|healthy|untreated|non-?)"

FORMS: Mapping[str, re.Pattern[str]] = {
    name: re.compile(form, _I)
    for name, form in {
        "linked": rf"^(?P<x>.+?) (?:{_NOT}|{_BE} ){_ADVERBS}(?:associated|correlated|linked|related) (?:with|to) "
        rf"{_FORCE}(?:(?P<more>{_MORE}) |(?P<less>{_LESS}) )?(?P<y>.+)$",
        "between": rf"\b(?:{_NO} )?{_FORCE}{_LINK}{_SEEN} (?:between (?P<x>.+?) and|of (?P<x2>.+?) with) (?P<y>.+)$",
        "no difference": rf"\b{_NO} {_FORCE}differences?{_SEEN} (?:in|for) (?P<y>.+?) between (?P<x>.+?) (?:and|or) "
        rf"{_CONTROLS}",
        "had effect": rf"^(?P<x>.+?) (?:{_NOT}(?:have|show|exert) |(?:ha[sd]|have|show(?:s|ed)|exert(?:s|ed)?|produced|"
        rf"demonstrated) )(?:{_NO2}|an?|any|the) "
        rf"{_FORCE}(?:effects?|impact|influence|bearing) (?:on|in|upon) (?P<y>.+)$",
        "had link": rf"^(?P<x>.+?) (?:{_NOT}(?:have|show) |(?:ha[sd]|have|show(?:s|ed)) )(?:{_NO2}|an?|any|the) "
        rf"{_FORCE}{_LINK} (?:with|to) (?P<y>.+)$",
        "no change": rf"\b{_NO} {_FORCE}(?:(?P<more>increases?|rise)|(?P<less>reductions?|decreases?|decline)|"
        rf"(?P<verb>improvements?)|changes?|differences?){_SEEN} in (?P<y>.+?) (?:with|after|following) (?P<x>.+)$",
        "effect of": rf"\b(?:{_NO}|an?|the) {_FORCE}(?:effects?|impact|influence) of (?P<x>.+?) (?:up)?on (?P<y>.+)$",
        "works": rf"^(?P<x>.+?) (?:{_NOT}|{_BE} )(?:an? )?{_ADVERBS}(?:highly |very )?(?P<un>in)?(?:effective|"
        r"efficacious|beneficial|useful)(?: \w+)? (?:in|for|against|at|to) (?:the )?(?P<y>.+)$",
        "efficacy": rf"(?:\b{_NO} |\b(?P<un>fail(?:s|ed)? to (?:show|demonstrate)) )(?:\w+ )?(?:efficacy|benefits?|"
        r"effectiveness) (?:of|for|from|with) (?P<x>.+?) (?:in|for|on|against) (?P<y>.+)$",
        "factor": r"^(?P<x>.+?) (?:is|was|are|were) (?:(?P<no>not) )?(?:an? )?(?:\w+ )?(?:risk factors?|predictors?) "
        r"(?:for|of) (?P<y>.+)$",
        "more in": rf"^(?P<y>.+?) (?:{_NOT}|{_BE} ){_ADVERBS}(?:(?P<more>{_MORE})|(?P<less>{_LESS})) (?:in|among|with) "
        rf"(?P<x>.+?),? (?:than|(?:as )?compared (?:with|to)) (?:in |with |among |those )*{_CONTROLS}",
        "passive": rf"^(?P<y>.+?) (?:{_NOT}|{_BE} ){_ADVERBS}(?P<verb>{_STEMS}\w*) "
        rf"(?:\w+ly )?(?:by|with|after|following) (?P<x>.+)$",
        "active": rf"^(?P<x>.+?) (?:{_NOT})?{_ADVERBS}(?P<verb>{_VERB}) (?P<y>.+)$",
    }.items()
}
"""The forms of a finding in the order in which they are tried; `x` acts on `y`, or is linked to it."""
_NOT_A_SUBJECT = re.compile(
    r"\b(?:an?|the|ha[sd]|have|with|of|in|by|was|were|is|are|be|been|to|show(?:s|ed)|and|or|for|on|than|no|its|their|"
    r"more|most|very|that|which|who|also|not|from|as|at|under|after|during|between|into|through|via|"
    r"such|both|including|these|this|those|observed|found)\W*$|[\d%]$",
    _I,
)
"""What stands before an adjective or a noun ("a reduced risk"), not before a verb."""
_NEGATED = re.compile(r"\b(?:no|none|nor|not|neither|nothing|never|little|hardly|rarely|without|lack\w*)\b", _I)
"""What negates a part of a finding: how far it reaches, plain code does not know."""


def findings(text: str) -> Iterator[Reported]:
    """The findings of a text, at most one for each of its sentences."""
    for start, end in sentence_spans(text):
        if (found := _finding(text[start:end])) is not None:
            yield found


def _finding(sentence: str) -> Reported | None:
    plain, denied = _plain(sentence)
    if states_purpose(sentence) or any(no.search(plain) for no in (_OPEN, _OTHERS, _AGAINST, _HARM)):
        return None
    if (neither := re.match(r"(?:.*\s)?neither ", plain, _I)) is not None:
        plain, denied = re.sub(r"\bnor\b", "or", plain[neither.end() :], flags=_I), not denied
    matches = ((name, form.search(plain)) for name, form in FORMS.items())
    name, match = next(((name, match) for name, match in matches if match), ("", None))
    return None if match is None else _read(name, match.groupdict(), denied=denied)


def _plain(sentence: str) -> tuple[str, bool]:
    """The finding without what surrounds it, and whether a denial surrounds it."""
    plain = " ".join(_ASIDE.sub(" ", _LABEL.sub("", sentence)).split()).strip(" .")
    plain, denied = _opened(plain), False
    if (said := _SAID.match(plain)) is not None and not _OTHERS.search(said["by"]):
        plain, denied = _opened(plain[said.end() :].strip()), bool(_DENIES.search(said["by"]))
    for form, rewritten in _REWRITTEN:
        plain = form.sub(rewritten, plain)
    return " ".join(plain.split()), denied


def _opened(plain: str) -> str:
    while (opening := _OPENING.match(plain)) is not None:
        plain = plain[opening.end() :]
    return plain


def _read(name: str, parts: Mapping[str, str | None], *, denied: bool) -> Reported | None:
    inside = bool(parts.get("no") or parts.get("none") or parts.get("un"))
    if denied and inside:
        return None  # a double denial
    axis, sign = _direction(name, parts)
    cause = parts["x"] or parts.get("x2") or ""
    outcome = parts["y"] or ""
    if (name == "active" and _NOT_A_SUBJECT.search(cause)) or _NEGATED.search(f"{cause} / {outcome.split(',')[0]}"):
        return None
    mutual = name in ("linked", "between", "had link") and not sign
    return Reported(cause, outcome, axis, sign, denied or inside, mutual)


def _direction(name: str, parts: Mapping[str, str | None]) -> tuple[Axis, int]:
    if name in ("works", "efficacy"):
        return "works", 0
    if parts.get("more") or parts.get("less"):
        return "amount", 1 if parts.get("more") else -1
    verb = parts.get("verb") or ""
    return next(((axis, sign) for axis, sign, stems in _AXES if stems.match(verb)), ("link", 0))
