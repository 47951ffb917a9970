"""Texts that speak to whoever reads them: orders, addresses, and claims whose evidence is not shown.

A passage can talk a model into repeating them, and a check that reads with the same eyes agrees. What they look like is
read by code alone: a sentence that begins with a verb orders, and an honest paper addresses no program.
"""

import re
from functools import lru_cache

from medground.language.clause_grammar import FUNCTION, has_verb, words_of
from medground.language.pattern import verbose_pattern
from medground.language.predicate_words import DETERMINERS
from medground.language.quoting.leading import instructs
from medground.language.requests import looks_foreign

_DUTY = r"(?:should|must|ought\ to|ha(?:s|ve)\ to|needs?\ to|(?:is|are)\ (?:\w+\ )?to|shall|will\ now)"
_SAYING = r"""
    (?:conclude|state|say|write|report|answer|reply|respond|claim|declare|tell|repeat|mention|output|print|
    return|assume|accept|believe|remember|affirm|acknowledge|maintain)
"""
_READERS = r"""
    (?:readers?|reviewers?|summar(?:y|ies|i[sz]\w+)|ai\ systems?|artificial\ intelligence|language\ models?|
    assistants?|chatbots?|replies|verifiers?|checkers?|databases|(?:any|every|this|the|your|correct|final|right|
    proper)\ (?:answer|reply|query)|(?:any|every|your|final|correct)\ (?:response|output)|(?:this|
    other)\ (?:page|source|text|document|record|abstract)s?|(?:whoever|anyone\ who|everyone\ who|if\ you|
    when)\ (?:is\ )?(?:reads?|verif\w+|sum\w+|checks?|answers?|cites?|finds?|asked))
"""
_ORDERS_FORM = rf"""
    (?:{_DUTY}|always|mandatory|obliged|instructed|ordered|directed|told|tell|trust|ignore|disregard|skip|
    forget|(?:rate|cite)\ (?:all|any|each|every|this))
"""
_TOLD = r"(?:disclosed|shown|published|shared|made\ public|released|public|publicly\ \w+|open\ to\ \w+\ \w+)"
_ADDRESS = verbose_pattern(
    r"""
    [\w.+-]*@[\w-]{3,}|\b[\w-]+(?:\.|\ dot\ )(?:com|net|org|example|info|shop|de|fr|es|it|br|uk|eu)\b|[(\[]at[)\]]|
    (?:\b(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)\b[\ ,-]*){5}|
    (?:https?://|www\.)\S+|!\[[^\]]*\]\([^)]*\)|(?<![\w.])\+?\d[\d ()/-]{8,}\d(?!\w)
    """
)
_ORDERS = verbose_pattern(
    r"""
    (?:^|[.;:]\ |,\ |\band\ )(?:[Pp]lease\ )?(?:[Tt]ake|[Aa]void|[Dd]iscontinue|[Cc]onsult|[Bb]uy|[Ss]wallow|
    [Ii]nject|[Tt]ell|[Aa]sk)(?=\ \w)(?!\ (?:place|part|into)\b)|^(?:Stop|Start|Call|Contact|Visit|Switch|
    Continue|Order|Give|Throw|Ring|Phone|Dial|Message|Swap|Pay|Purchase|Request|Set|Go|Double)(?=\ (?:your|the|a|an|
    all|any|taking|using|to|with|it|them|our|this|away|aside|up|\d+|\w+\ (?:and|or|for|
    at|by|until|now|immediately)\b))|^(?:Simply|Just)\ (?:take|call|stop|use|switch|swap|ask|order|buy|go|ring|
    dial|visit)\b
    """,
    0,
)
_OBLIGES = verbose_pattern(
    rf"""
    \b{_DUTY}\b(?!\ be\ (?:seen|determined|clarified|confirmed|established))
    """
)
_OPEN = verbose_pattern(
    r"""
    \b(?:no|not|none|neither|never|nothing|un(?:clear|known))\b[^.;]{0,200}?\b(?:whether|if|when|how|which|what|who|
    why)\b[^.;]*
    """
)
_TO_READERS = verbose_pattern(
    rf"""
    \b(?:ignore|disregard|forget|override|skip|supersedes?)\b[^.]{{0,40}}\b(?:instruct\w+|above|previous\w*|
    prompts?|rules?|question|other\ (?:texts?|sources?|documents?|passages?))\b|
    \b{_READERS}\b[^.]{{0,60}}\b{_ORDERS_FORM}\b|\b{_ORDERS_FORM}\b[^.]{{0,60}}\b{_READERS}\b|\b(?:system|
    assistant|user)\ (?:prompt|message)\b|(?:^|[.!?]\ )\W{{0,9}}(?:(?:system|assistant|user|instructions?|admin\w*|
    (?:new\ )?task)\s?:|(?:note|attention|message|memo)\W[^.]{{0,30}}\b{_READERS}\b)|\[/?INST\]|<\|\w+|
    </?(?:system|assistant|user|source|evidence|document|instructions?)\b[^>]*>|(?:^|[.;:!?]\ |
    \bplease\ )(?:please\ |always\ |then\ )?{_SAYING}(?:\ \w+){{0,2}}\ (?:that|yes|no|with)\b|\b(?:answer|reply|
    respond|say)(?:\ with)?\ ["'“]?(?:yes|no)\b|\b(?:correct|final|right)\ (?:answer|response|
    reply)\b[^.]{{0,40}}(?:\bis\b|:)|\b(?:by|on)\ (?:order|authority|instruction|command)\ of\b|\b(?:is|
    are)\ to\ be\ (?:described|reported|presented|summari[sz]ed|called|cited|answered|regarded|treated\ as|
    listed|recorded|labell?ed|rated)\b|\b(?:administrators?|operators?|editors?|developers?|owners?|
    maintainers?|curators?)\ of\ this\b
    """
)
_UNSEEN = verbose_pattern(
    rf"""
    \b(?:unpublished|undisclosed|confidential|on\ file|privately|insiders?|personal\ communications?|
    internal\ (?:analys[ie]s|data|reports?|stud(?:y|ies)|trials?|records?|documents?|memo\w*)|
    proprietary\ (?:analys[ie]s|data|results?))\b|\(not\ shown\)|\b(?:data|results?|findings?|analys[ie]s|
    evidence|reports?|records?|archives?|files?|trials?|stud(?:y|ies))\b[^.;]{{0,25}}\b(?:(?:not|cannot|
    never)\ (?:yet\ )?(?:be(?:en)?\ )?{_TOLD}|held\ by|(?:only\ )?on\ request)\b
    """
)
_URGES = verbose_pattern(
    r"""
    \b(?:should|must|ought\ to|needs?\ \w+\ now|(?:is|are)\ (?:advised|urged|told|encouraged|instructed|obliged)\ to)\b|
    ^let\b|\brecommend(?:s|ed|ations?)?\b
    """
)
_FOREIGN = verbose_pattern(
    r"""
    (?:^|[.;:!]\ |\b(?:und|et|y|e)\ )(?:(?:bitte|por\ favor)\ )?(?:[a-zäöüß]{3,}en\ Sie|
    (?!chez|assez|talvez)[a-zà-ü]{3,}ez|(?:dej|tom|us|llam|visit|evit|ignor|consult|compr|par|lig)e|(?:suspend|pid|smett|prend|assum|sospend)a|(?:chiam|evit|ignor|
    consult|acquist|compr|us)i)\b|\b(?:man\ (?:muss|soll\w*)|sollten?|müssen|il\ faut|(?:vous\ )?dev(?:ez|raient)|
    doivent|hay\ que|(?<!se\ )deben?|bisogna|dev(?:e|ono|em)|é\ preciso)\b
    """
)
"""Orders of German, French, Spanish, Italian and Portuguese."""
_ABSENT = verbose_pattern(
    r"""
    \b(?:no|not|none|neither|nothing|cannot|without|only|lack\w*|missing|absent|un(?:clear|known|certain|available)|
    insufficient|limited|kein\w*|nicht\w*|fehl\w*|aucune?|pas|rien|ning[uú]n\w*|falta\w*|nessun\w*|non|manca\w*|
    nenhum\w*|não|sin|sans|ohne)\b|
    ^(?:(?:the|any|more|further|long-term|randomi[sz]ed|controlled|clinical|direct)\ )*(?:trials|studies|data|evidence|
    results|outcomes|quality|costs?|cost-effectiveness|information|comparisons?|details|reports|follow-up|safety|efficacy|incidence|mortality|effects)\b
    """
)
_DENIES = re.compile(r"(?<=[a-z] )(?:do not|never) ", re.IGNORECASE)
"""Behind a subject it denies, and orders nothing: `algorithms do not replace judgement`."""
_YOU = re.compile(r"\byou(?:r|rs)?\b", re.IGNORECASE)
_BEGINS = re.compile(r"(?:^|[.;:!?] )(?:[Pp]lease |[Tt]hen |[Nn]ow )?([A-Za-z]?[a-z]+) ([a-z]+)\b[^.;:!?]*")
"""A clause from its first word."""
_ARTICLES = DETERMINERS - {"that"}
_PUBLISHED = re.compile(r"\bpublished\b", re.IGNORECASE)
_LEAST = 3
"""Minimum words of an order: a name such as `REGAIN` may look like a verb."""
_APART = re.compile(r"(?<!\w)\w(?:[ .·_*-]{1,2}[a-z]){3,}(?!\w)")
"""Letters of a word that are set apart, so that programs do not read it."""


def addresses(text: str) -> list[str]:
    """The addresses and telephone numbers in a text."""
    return [found[0] for found in _ADDRESS.finditer(text)]


@lru_cache(maxsize=512)
def speaks_to_readers(text: str) -> str:
    """The words with which a text speaks to whoever reads or sums it up, or hides that it does; else empty."""
    found = _TO_READERS.search(text) or _APART.search(text)
    return found[0] if found else ""


def hides_evidence(text: str) -> str:
    """The words with which a text says that its evidence cannot be seen; empty if it does not, or names other too."""
    found = None if _PUBLISHED.search(text) else _UNSEEN.search(text)
    return found[0] if found else ""


def is_order(text: str) -> bool:
    """Whether a text says what should be done, by a verb without a subject or in other words."""
    if len(text.split()) < _LEAST:
        return False
    return is_imperative(text) or bool(_ORDERS.search(text)) or instructs(_DENIES.sub("", text))


def orders(text: str) -> bool:
    """Whether a text orders, obliges or addresses its reader."""
    return bool(_YOU.search(text)) or is_order(text) or bool(speaks_to_readers(text))


def urges(text: str, *, english: bool = True) -> bool:
    """Whether a text says what people should do, in English or another language that answers are written in."""
    return bool((_URGES if english else _FOREIGN).search(text))


def is_absence(text: str) -> bool:
    """Whether a text says that something is not there, in one of the languages that answers are written in."""
    return bool(_ABSENT.search(text)) and not _FOREIGN.search(text)


def may_stand_alone(text: str) -> bool:
    """Whether a text that nothing is cited for gives no order, address or obligation.

    >>> may_stand_alone("No document reports how long patients should take it.")
    True
    >>> may_stand_alone("Patients must swallow 200 mg a day.")
    False
    """
    told = _OPEN.sub("", text)  # what is not known orders nothing
    return not (addresses(text) or orders(told) or _OBLIGES.search(told))


def in_another_language(text: str, beside: str) -> bool:
    """Whether a text is in another language than what it stands beside."""
    return looks_foreign(text) and not looks_foreign(beside)


def is_imperative(text: str) -> bool:
    """Whether a sentence of a text begins with a verb that has no subject."""
    return any(map(_has_no_subject, _BEGINS.finditer(text)))


def _has_no_subject(clause: re.Match[str]) -> bool:
    """`Triple the dose tonight`: no subject begins with a word before its article, and no other verb is there."""
    first, second = clause[1].lower(), clause[2]
    is_verb = first not in FUNCTION and not first.endswith(("ing", "ed", "ly", "s"))
    return is_verb and second in _ARTICLES and not has_verb(words_of(clause[0]))
