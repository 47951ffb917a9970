"""Columns that researchers often ask for, and what a sentence that reports them looks like.

A rule gives 0 to a sentence that does not report its kind, and more the more surely it does. It is strict: a cell that
stays empty is right more often than one that is filled by a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from medground.language import words
from medground.language.finding_sentences import describes_method, reports_result, states_purpose
from medground.language.quantities import COUNT, TIMES, Quantity, quantities
from medground.language.quoting.pool import NAMES, parts

_OF_OTHERS = re.compile(
    r"\b(?:previous|earlier|recent|other|prior) (?:studies|reports|trials|work|research|literature)\b|"
    r"\b(?:has|have) (?:been )?(?:shown|reported|suggested|demonstrated)\b|\bin the literature\b|"
    r"\b(?:is|are) (?:considered|known|thought|believed|often used|widely used|associated with)\b",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(?:we|our|this study|the present study|were|was)\b", re.IGNORECASE)


@dataclass(frozen=True)
class ReadSentence:
    """A sentence of a study.

    Attributes:
        text: the sentence.
        heading: the heading over it; empty if there is none.
        at: its place in the text, 0 for the first sentence and 1 for the last.
    """

    text: str
    heading: str
    at: float

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """Its numbers."""
        return quantities(self.text)

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """Its stems."""
        return tuple(words.terms(self.text))

    @cached_property
    def parts(self) -> frozenset[str]:
        """The parts of a paper that its heading names."""
        return frozenset(name for name, held in zip(NAMES, parts(self.heading), strict=True) if held)

    @property
    def is_background(self) -> bool:
        """Whether it tells what was known or wanted before the study, or what only frames it."""
        if self.parts & {"opening", "back"} and not self.parts & {"results", "methods", "conclusion"}:
            return not self.is_own_design
        return bool(_OF_OTHERS.search(self.text))

    @property
    def is_own_design(self) -> bool:
        """Whether a sentence of an introduction tells how this study was done, as in `In this randomized trial, we`."""
        return bool(re.search(r"\b(?:in this|this|the present|our)\b.{0,80}\b(?:study|trial|analysis)\b", self.text))

    @property
    def reports(self) -> bool:
        """Whether it says what was found, and not what was aimed at or done."""
        if states_purpose(self.text) or self.is_background:
            return False
        return reports_result(self.text) or not (describes_method(self.text) or "methods" in self.parts)

    @property
    def is_aim(self) -> bool:
        """Whether it states an aim or a question."""
        return states_purpose(self.text)


Rule = Callable[[ReadSentence], float]
_I = re.IGNORECASE

_PEOPLE = (
    r"(?:patients|participants|subjects|women|men|people|persons|children|adults|infants|neonates|newborns|volunteers|"
    r"individuals|boys|girls|students|cases|controls|mothers|pairs|eyes|mice|rats|animals|recipients|residents|"
    r"veterans|nurses|physicians|respondents|adolescents|families|households|samples|specimens|records|studies|trials|"
    r"articles|births|pregnancies|procedures|examinations|operations|knees|hips|teeth|dogs|rabbits|pigs|bones)"
)
_NUMBER = (
    r"(?:\d[\d,  ]*\d|\d|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\w+)?|six|seven|eight|nine|ten|"
    r"eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|(?:one|two|three|four|five|six|seven|"
    r"eight|nine) hundred(?: (?:and )?[\w-]+)?)"
)
_COUNTED = re.compile(
    rf"(?<![\d.,%/-])\b{_NUMBER}\s+(?:(?!of\b|with\b|were\b|was\b|and\b|in\b)[\w-]+\s+){{0,4}}?{_PEOPLE}\b", _I
)
_TAKEN = re.compile(
    r"\b(?:includ\w+|enrol\w+|recruit\w+|random\w+|allocat\w+|assigned|consist\w+|compris\w+|total of|study of|"
    r"underwent|participat\w+|complet\w+|analy[sz]ed|review\w+|sample|consecutive|evaluated|studied|examined|assessed|"
    r"treated|invited|surveyed|identified|contacted|answered|returned|interviewed|diagnosed|divided|received|"
    r"performed|carried out|inclusion criteria|eligible|investigated|obtained|collected|screened|tested|seen)\b",
    _I,
)
_PART_OF = re.compile(rf"\b{_NUMBER}\s+(?:\(\d+(?:\.\d+)?\s?%\)\s+)?(?:of|out of)\b|\bof (?:these|them|the)\b|%", _I)
_MASS = frozenset(("kg", "g", "mg", "μg", "ng", "IU", "U", "Gy", "ml", "μl", "mmol", "meq", "mol", "μmol"))
_VOLUME = frozenset(("l", "dl", "ml", "μl"))
_GIVEN = re.compile(
    r"\b(?:dos(?:e|es|age|ages|ed|ing)|receiv\w+|given|administ\w+|treated with|infus\w+|inject\w+|supplement\w*|"
    r"daily|orally|oral|intraven\w+|subcutan\w+|intramusc\w+|intraperiton\w+|twice|once|prescrib\w+|regimens?|tablets?|"
    r"capsules?|bolus|irradiat\w+|fractions?|titrat\w+|placebo)\b|/day\b|\b(?:b\.?i\.?d|t\.?i\.?d|q\.?d)\b",
    _I,
)
_NOT_AGE = r"(?!\b(?:a?OR|HR|RR|odds|hazard|risk|p|P|adjust\w*|correlat\w*|associat\w*|r|beta)\b)"
_AGE = re.compile(
    rf"\bage[sd]?\b(?:{_NOT_AGE}[^.;]){{0,40}}?\d|\b\d+(?:\.\d+)?[- ](?:years?|months?)[- ](?:old|of age)\b|"
    r"\b(?:younger|older)\b[^.;]{0,40}\d+(?:\.\d+)? years?\b",
)
_TIME_AFTER = re.compile(r"\bfollow(?:ed|ing)?[- ]?up\b|\bfollowed\b(?! by)", _I)
_TREATED = re.compile(
    r"\b(?:treat\w+|therapy|intervention\w*|supplement\w*|train\w+|receiv\w+|administ\w+|given|program\w*|course|"
    r"exercis\w+|infus\w+)\b",
    _I,
)
_YEAR = r"(?:19|20)\d\d"
_PERIOD = re.compile(rf"\b(?:between|from|during|in|since)\b[^.;]{{0,30}}\b{_YEAR}\b(?:[^.;]{{0,25}}\b{_YEAR}\b)?", _I)
_DESIGN = re.compile(
    r"\brandomi[sz]ed\b|\bdouble-?blind\w*|\bplacebo-controlled\b|\bcohort\b|\bcase[- ]control(?:led)?\b|"
    r"\bcross[- ]?sectional\b|\bretrospective\w*|\bprospective\w*|\bobservational\b|\bmeta-analys[ie]s\b|"
    r"\bsystematic review\b|\bcross-?over\b|\bpilot study\b|\bcase series\b|\bsurvey\b|\bquestionnaire\b",
    _I,
)
_HARM = re.compile(
    r"\b(?:adverse (?:events?|effects?|reactions?)|side[- ]effects?|toxicit\w+|complications?|"
    r"(?:well|poorly) tolerated|tolerability|safety|hypoglyc[ae]\w+ events?|serious events?)\b",
    _I,
)
_DEATH = re.compile(r"\b(?:mortality|deaths?|died|fatal\w*|surviv\w+)\b", _I)
_NONE = re.compile(r"\b(?:no|none|without|not|neither)\b", _I)
_OUTCOME = re.compile(
    r"\b(?:primary|main|secondary|co-primary|principal)\s+(?:[\w-]+\s+)?(?:outcomes?|end[- ]?points?)\b|"
    r"\boutcome (?:measures?|variables?|parameters?)\b|\bend[- ]?points? (?:was|were|included)\b|"
    r"\boutcomes (?:were|included|assessed|measured)\b",
    _I,
)
_SEX = re.compile(
    r"(?:\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b)[^.;]{0,12}\b(?:fe)?males?\b|"
    r"\b(?:fe)?males?\b[^.;]{0,15}\d|\d+(?:\.\d+)?\s?%\s?(?:were |of (?:them|the \w+) were )?(?:wo)?men\b|"
    r"\d+ (?:men|women|boys|girls)\b|\b(?:sex|male[/:-]female) ratio\b",
    _I,
)
_CONCLUDES = re.compile(
    r"\b(?:we conclude|in conclusion|conclu(?:de|sion)|these (?:results|findings|data) suggest)\b", _I
)
_INTERVAL = re.compile(r"\b(?:confidence intervals?|CIs?)\b[^.;]{0,20}\d", _I)
_LIMITS = re.compile(r"\b(?:limitations?|limited by|small sample|caution)\b", _I)
_MONEY = re.compile(r"\b(?:funded|funding|supported by|grants? from|sponsor\w*)\b", _I)
_DONE_TO = re.compile(
    r"\b(?:received|randomi[sz]ed to|assigned to|allocated to|treated with|administered|supplemented)\b", _I
)


@dataclass(frozen=True)
class Kind:
    """A kind of column: what such a column is called, and the rule for its sentences."""

    called: re.Pattern[str]
    rule: Rule


def _with_headings(one: ReadSentence, *, wanted: str, score: float) -> float:
    return score + (0.5 if wanted in one.parts else 0.0)


def _size(one: ReadSentence) -> float:
    if one.is_background:
        return 0.0
    named = any(q.measure == "n" and _whole(q) >= 2 for q in one.quantities)
    counted = bool(_COUNTED.search(one.text)) or any(q.unit == COUNT and _whole(q) >= 6 for q in one.quantities)
    totalled = re.search(r"\b(?:a total of|sample of|series of|study of)\s+\d", one.text, _I) is not None
    if not (named or totalled or (counted and (_TAKEN.search(one.text) or "methods" in one.parts))):
        return 0.0
    score = 1.0 + 0.6 * totalled + 0.6 * bool(_TAKEN.search(one.text)) + 0.4 * counted
    score -= 0.6 * bool(_PART_OF.search(one.text)) + 0.4 * one.is_aim
    return _with_headings(one, wanted="methods", score=score) - 0.8 * one.at


def _whole(quantity: Quantity) -> int:
    return max((int(value) for value in quantity.values), default=0)


def _dose(one: ReadSentence) -> float:
    doses = [q for q in one.quantities if _is_dose(q)]
    if not doses or not _GIVEN.search(one.text) or one.is_background:
        return 0.0
    rated = any("/" in q.unit for q in doses) + (re.search(r"\bdos", one.text, _I) is not None)
    return _with_headings(one, wanted="methods", score=1.0 + 0.4 * rated) - 0.5 * one.at


def _is_dose(quantity: Quantity) -> bool:
    first, *rest = quantity.unit.split("/")
    return first in _MASS and not _VOLUME.intersection(rest) and not quantity.measure


def _age(one: ReadSentence) -> float:
    if one.is_background or not _AGE.search(one.text):
        return 0.0
    mean = re.search(r"\b(?:mean|median|average)\b", one.text, _I) is not None
    return _with_headings(one, wanted="methods", score=1.0 + 0.6 * mean - 0.4 * one.is_aim) - 0.3 * one.at


def _timed(form: re.Pattern[str]) -> Rule:
    def rule(one: ReadSentence) -> float:
        times = [q for q in one.quantities if q.unit in TIMES and q.unit not in ("second", "minute")]
        if one.is_background or not times or not form.search(one.text):
            return 0.0
        near = any(_near(form, one.text, q) for q in times)
        return 1.0 + 0.5 * (re.search(r"\b(?:mean|median)\b", one.text, _I) is not None) if near else 0.0

    return rule


def _near(form: re.Pattern[str], text: str, quantity: Quantity) -> bool:
    return any(-60 <= quantity.start - found.end() <= 40 for found in form.finditer(text))


def _lasting(one: ReadSentence) -> float:
    for_how_long = re.search(r"\b(?:for|over|during|lasting|period of)\b\s+(?:a |the )?(?:\w+ )?\S*\d", one.text, _I)
    times = any(q.unit in TIMES for q in one.quantities)
    if one.is_background or not for_how_long or not times or not _TREATED.search(one.text):
        return 0.0
    return _with_headings(one, wanted="methods", score=1.0)


def _measured(*measures: str) -> Rule:
    def rule(one: ReadSentence) -> float:
        if one.is_background:
            return 0.0
        held = sum(q.measure in measures for q in one.quantities)
        return _with_headings(one, wanted="results", score=1.0 + 0.1 * min(held, 3)) if held else 0.0

    return rule


def _told(form: re.Pattern[str]) -> Rule:
    """What was found of something that a study counts: with a number, or with a word that there was none."""

    def rule(one: ReadSentence) -> float:
        if not one.reports or not (found := form.search(one.text)):
            return 0.0
        counted = any(not q.measure for q in one.quantities)
        denied = _NONE.search(one.text[max(0, found.start() - 30) : found.end() + 30]) is not None
        if not (counted or denied or "tolerated" in found[0].lower()):
            return 0.0
        return _with_headings(one, wanted="results", score=1.0 + 0.5 * counted)

    return rule


def _said(form: re.Pattern[str], part: str = "", heading: str = "") -> Rule:
    """What a form of words tells, outside of the background."""
    over = re.compile(heading, _I) if heading else None

    def rule(one: ReadSentence) -> float:
        if over is not None and over.search(one.heading):
            return 2.0 - 0.1 * one.at
        if one.is_background or not form.search(one.text):
            return 0.0
        return _with_headings(one, wanted=part, score=1.0 + 0.2 * len(form.findall(one.text)) - 0.3 * one.is_aim)

    return rule


def _finding(one: ReadSentence) -> float:
    if not one.reports or not ({"results", "conclusion"} & one.parts or one.quantities):
        return 0.0
    tested = any(q.measure in ("p", "or", "hr", "rr") for q in one.quantities)
    return 1.0 + 0.6 * tested + 0.4 * ("significan" in one.text.lower()) - 0.2 * one.at


def _called(form: str) -> re.Pattern[str]:
    return re.compile(rf"(?:the )?(?:{form})", _I)


_CATALOGUE: Mapping[str, Kind] = {
    "size": Kind(
        _called(
            r"n|(?:total |study |patient )?(?:sample|population) size|sample|(?:total )?(?:number|no\.?|#) of "
            r"(?:patients|participants|subjects|people|cases|individuals)|patients|participants|subjects|how many"
            r"(?: \w+)?"
        ),
        _size,
    ),
    "dose": Kind(_called(r"(?:drug |daily |mean )?dos(?:e|es|age|ing)(?: \(.*\))?|dos(?:e|age) (?:and|&) .*"), _dose),
    "age": Kind(_called(r"(?:mean |median |average |patient )?ages?(?: \(.*\)| range)?"), _age),
    "follow-up": Kind(
        _called(r"(?:length of |duration of |mean |median )?follow[- ]?up(?: time| period| duration|\s*\(.*\))?"),
        _timed(_TIME_AFTER),
    ),
    "duration": Kind(_called(r"(?:treatment |study |intervention )?duration(?: of \w+)?"), _lasting),
    "period": Kind(_called(r"(?:study )?(?:period|years|dates?)(?: of study)?"), _said(_PERIOD, "methods")),
    "odds ratio": Kind(_called(r"odds ratios?|OR|aOR|adjusted odds ratios?"), _measured("or")),
    "hazard ratio": Kind(_called(r"hazard ratios?|HR|aHR"), _measured("hr")),
    "relative risk": Kind(_called(r"relative risks?|risk ratios?|RR"), _measured("rr")),
    "effect size": Kind(_called(r"effect(?: sizes?| estimates?)"), _measured("or", "hr", "rr")),
    "p": Kind(_called(r"p[- ]?values?|p|significance"), _measured("p")),
    "interval": Kind(_called(r"(?:95 ?% )?(?:confidence intervals?|CIs?)"), _said(_INTERVAL, "results")),
    "design": Kind(
        _called(r"(?:study )?(?:design|type)(?: of study)?"), _said(_DESIGN, "methods", r"^(?:study )?design$")
    ),
    "harm": Kind(
        _called(r"adverse (?:events?|effects?|reactions?)|side[- ]?effects?|safety|toxicit\w+|complications?|harms?"),
        _told(_HARM),
    ),
    "death": Kind(_called(r"(?:all-cause |overall )?mortality|deaths?|survival"), _told(_DEATH)),
    "outcome": Kind(
        _called(r"(?:primary |main )?(?:outcomes?|end[- ]?points?)(?: measures?)?"),
        _said(_OUTCOME, "methods", r"\boutcome measures?\b|^main outcomes?$"),
    ),
    "sex": Kind(_called(r"sex|gender|(?:%|percent) (?:fe)?male|(?:fe)?males?|women|men"), _said(_SEX, "methods")),
    "intervention": Kind(_called(r"interventions?|treatments?"), _said(_DONE_TO, "methods", r"^interventions?$")),
    "setting": Kind(_called(r"settings?"), _said(re.compile(r"(?!)"), "", r"^settings?$")),
    "conclusion": Kind(_called(r"(?:authors?['’]? )?conclusions?"), _said(_CONCLUDES, "conclusion", r"conclusion")),
    "limits": Kind(_called(r"limitations?"), _said(_LIMITS, "discussion")),
    "money": Kind(_called(r"funding|funders?|sponsors?"), _said(_MONEY)),
    "finding": Kind(_called(r"(?:main |key )?(?:results?|findings?)"), _finding),
}


def rule_for(column: str) -> Rule | None:
    """The rule for a column by its name; None if it is none of the kinds."""
    name = " ".join(column.split()).strip(" ?:.")
    return next((kind.rule for kind in _CATALOGUE.values() if kind.called.fullmatch(name)), None)
