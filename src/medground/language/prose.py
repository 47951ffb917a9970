"""What of a paper is not prose: front matter, references, legends, licences, page furniture.

Such a line can hold every word of a question and say nothing, so it is never quoted. The rules are for the lines that
papers print around their text; a sentence that merely names a table, a link or a licence is prose. They were
written with half of the lines that `benchmarks/prose.py` collects from articles, and measured with the other half.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from medground.home.files import tables
from medground.language.pattern import verbose_pattern

_I = re.IGNORECASE

_ADDRESS = verbose_pattern(
    r"""
    (?:https?://|ftp://|www\.)\S+|\bdoi\b:?\s*\S*|\b10\.\d{4,9}/\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|
    \bPMC?I?D?:?\s*\d{5,}
    """
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_FEW = 4
"""A line of addresses with at most so many other words is not a sentence, unless one is a verb."""
_VERB = verbose_pattern(
    r"""
    \b(?:is|are|was|were|be|been|has|have|had|we|that|which|who|this|these|may|can|could|will|did|does|do|not|
    between|study|patients|used|show\w*)\b
    """
)
_WORKPLACE = verbose_pattern(
    r"""
    \b(?:departments?|division|section|faculty|schools?|institut(?:e|es|o|et)|universi\w+|hospitals?|college|
    laborator(?:y|ies)|cent(?:er|re)|clinic|unit|unité|academy|ministry|département|h[ôo]pital)\b
    """
)
_MARKS = " .*†‡§0123456789"
_NUMBERED = re.compile(r"(?:\d{1,2}|[*†‡§¶#]|[a-f]\s)\s?[A-Z]")
_TITLED = re.compile(r"^[\W\d]*[A-Z]")
_NAME_PART = re.compile(
    r"(?:[A-Z]\.?-?){1,3}|[^\W\d_a-z][\w.'’‐-]*[^\W\d_A-Z]|van|von|der?|den|del|dos?|da|di|l[ae]|el|al|bin|ter|y"
)

_YEAR = r"(?:19|20)\d\d"
_NAME = r"(?:(?:van|von|de|der|den|del|la|le|di|da|dos|el|al|bin|ter)\s)*[^\W\d_a-z][\w'’‐-]*"
_INITIALS = r"(?:[A-Z]\.?[ ‐-]?){1,4}"
_RULES = {
    "date alone": verbose_pattern(
        rf"""
        ^\W*(?:(?:received|accepted|published|revised|epub|online|available)\W+)*(?:{_YEAR}-\d\d(?:-\d\d)?|
        \d{{1,2}}\s[A-Z][a-z]+\s{_YEAR}|[A-Z][a-z]+\s\d{{1,2}},?\s{_YEAR})\W*$|^\W*(?:received|accepted|revised|
        published(?:\ online)?)\b.{{0,60}}{_YEAR}\W*(?:$|;|,?\s*(?:accepted|revised|published))
        """
    ),
    "names": verbose_pattern(
        rf"""
        ^\W*(?:{_NAME}(?:\s{_NAME}){{0,2}},\s[^\W\d_][\w.'’‐-]*(?:\s[\w.'’‐-]+){{0,3}}(?:;\s*|\W*$)){{2,}}|
        ^\W*(?:{_NAME}(?:[ -]{_NAME}){{0,2}},?\s{_INITIALS}(?:\s?\d[\d,*†]*)?(?:,\s*|;\s*|\s?and\s|\s?&\s|
        \W*$)){{3,}}
        """,
        0,
    ),
    "reference": verbose_pattern(
        rf"""
        \b{_YEAR}(?:\s[A-Z][a-z]{{2}}(?:\s\d{{1,2}})?)?;\s?\(?\d+\)?(?:\s?\([^)]{{1,20}}\))?\s?[:,]\s?[a-zA-Z]?\d+|
        ^\W*(?:[A-Z][\w.]*\s){{1,8}}\d{{1,4}}\s?\([\w ./-]{{1,12}}\)\s?[:,]\s?[A-Za-z]?\d{{1,6}}|
        ^[\W\d]*{_NAME},?\s{_INITIALS}(?:,|;|\.|\s(?:and|&)\s{_NAME}|\s\().{{0,300}}?[(.,;\s]{_YEAR}[a-z]?[).;:]|
        ^[\W\d]*(?:{_NAME},?\s{_INITIALS}(?:,\s*(?:and\s|&\s)?|;\s*|\s(?:and|&)\s|[.:]\s)){{2,}}|
        ^[\W\d]*[A-Z][\w'’-]+,?\s[A-Z]{{1,3}},?\ et\ al\b|
        ^\W*(?:\[?\d{{1,3}}[\].]\s*)?(?:[A-Z][a-z]*\.?\s){{1,6}}{_YEAR}[;:]\s?\d+|
        \b(?:[A-Z][a-z]*\.\s?){{2,}}(?:[A-Z]+,\s?)?\d{{1,4}}\s?[,:]\s?[A-Z]?\d+\s?[-–—]\s?\d+|\[(?:PubMed|
        Google\ Scholar|CrossRef|PMC\ free\ article)\]|PubMed(?:Google|Cross)|\[cited\ {_YEAR}|
        ^\W*(?:available\ (?:from|at|online)|retrieved\ from|accessed)\b.{{0,20}}(?:https?:|www\.|:|\d)
        """,
        0,
    ),
    "label": verbose_pattern(
        r"""
        ^\W*(?:authors?|author(?:s['’]|['’]s)?\ (?:details|affiliations?|summary|contributions?)|affiliations?|sha|
        date|licen[sc]e|doi|pmc?id|e?-?issn|key\ ?words?(?:\ and\ phrases)?|mesh\ terms|correspond(?:ence|
        ing\ authors?)(?:\ to)?|e-?mail|tel|phone|fax|received|accepted|published(?:\ online)?|citation|copyright|
        funding|financial\ support|financial\ disclosures?|grant\ support|competing\ interests?|
        (?:declaration\ of\ )?conflicts?\ of\ interests?|acknowledge?ments?|academic\ editor|(?:handling\ )?editor|
        edited\ by|reviewed\ by|present\ address|contact|trial\ registration|abbreviations(?:\ used)?|disclosures?|
        ethics\ (?:approval|statement)|data\ availability(?:\ statement)?|availability\ of\ data\ and\ materials?|
        consent\ for\ publication|article\ history|funding\ sources?|pre-publication\ history|
        supplementary\ (?:information|materials?|data)|to\ cite\ this\ article|how\ to\ cite\ this\ article|
        cite\ this\ article\ as)\s*[:|](?!\d)
        """
    ),
    "licence": verbose_pattern(
        r"""
        ^\W*(?:©|\(c\)\s?(?:19|20)\d\d|copyright\b)|\bcopyright\ ©|all\ rights\ reserved|creative\ ?commons|
        is\ an\ open[ -]access\ article|(?:distributed|licen[sc]ed|published)\ under\ the\ terms|\blicensee\b|
        permits?\ (?:unrestricted|any|non-?commercial)|original\ (?:work|author|
        source)\S*(?:\ \S+){0,6}\ (?:credited|cited)|reproduction\ in\ any\ medium|
        third[- ]party\ material\ in\ this|\bCC[- ]BY\b|public\ domain\ (?:dedication|mark)|not\ (?:certified\ by|
        yet\ been)\ peer[- ]?review|(?:author/funder|holder\ for\ this\ preprint)|unrestricted\ research\ re-?use|
        the\ copyright\ holder|permission\ of\ the\ (?:publisher|journal|copyright)|
        indicate\ if\ changes\ were\ made
        """
    ),
    "legend": verbose_pattern(
        r"""
        ^\W*the\ (?:image|figure|illustration|animation|picture|chart|diagram|table)\ (?:below|above)\b|
        ^\W*(?:(?:supplement(?:ary|al)|additional|supporting|extended\ data|online|web|
        multimedia)\s)?(?:fig(?:ure)?|table|box|scheme|chart|plate|exhibit|video|movie|audio|file|data\ ?set|
        appendix|text|panel|graphical\ abstract)s?\.?\s*(?:[A-Z]{0,2}\d{1,3}[A-Za-z]?|[IVX]{1,4}|
        [A-Z])(?:\s?[-–,]\s?[A-Z\d]{1,3})*\s*(?:[.:|)—–-]|$)|^\W*found\ at:|\((?:DOCX?|PDF|XLSX?|TIFF?|ZIP|PPTX?|
        TXT|MOV|AVI|MP4|JPE?G|EPS|CSV)\)\W*$|^\W*S\d{1,2}\ (?:fig|table|file|text|protocol|appendix|data\ ?set|
        checklist|video|movie|box|study\ protocol|data)\b|^\W*(?:protocol|checklist|text|table|figure|data\ ?set|
        supporting\ information|movie|video)\ S\d{1,2}\b\W*(?:[:.]|(?-i:[A-Z])|$)|^\W*supplementary\ (?:material|
        data|information|appendix)\W*(?:[.:]|$)|\b\d+(?:\.\d+)?\s?[KM]B\s(?:DOCX?|PDF|XLSX?|TIFF?|ZIP|PPTX?|TXT|JPG|
        MOV|AVI)\b|^\W*(?:scale|error)\ bars?\b
        """
    ),
    "legend without a full stop": verbose_pattern(
        r"""
        ^\W*(?:(?:[Ss]upplement(?:ary|al)|[Aa]dditional|[Ss]upporting)\s)?(?:Fig(?:ure)?s?\.?|Table|TABLE|
        FIG(?:URE)?\.?|Box|Scheme|[Ff]ile|[Tt]able|[Ff]igure)\s*[A-Z]{0,2}\d{1,3}[A-Z]?\s+(?!(?:I|We|In|As|For|It|
        The\ [a-z]+\ (?:show|is|are))\b)[A-Z(]
        """,
        0,
    ),
    "supplement": verbose_pattern(
        r"""
        ^\W*(?:\w+:\s)?(?:additional|supplementary|supporting|supplemental)\ (?:data\ |material\ |information\ |
        files?|materials\ |online\ ){1,2}(?:\(|\d|for\ this\ article|accompan|associated\ with|can\ be\ (?:found|
        accessed|downloaded)|(?:is|are)\ (?:available|provided|linked|given)|may\ be\ found|to\ this\ article)|
        click\ here\ (?:for|to)|online\ version\ (?:of\ this|contains|has)|\bsupplementary\ data\ associated
        """
    ),
    "furniture": verbose_pattern(
        r"""
        ^\W*page\ \d+(?:\ of\ \d+)?\b|^\W*downloaded\ from|^\W*vol(?:ume|\.)?\s?\d+\W|
        ^\W*(?:www\.)?\w+(?:\.\w+)+/?\s*\W*\d*\s*$|^\W*(?:to\ cite|how\ to\ cite|cite)\ this|^\W*(?:editorial|
        research|review|original|case)\ (?:article|report|paper)?\W*$
        """
    ),
    "names in a row": verbose_pattern(
        r"""
        ^[^-•:][^:]*?(?:\ -\ [^-.?!;:]{2,60}){4}|(?:[^%.?!]{3,80}\s\d{1,3}\s?%\ (?-i:[A-Z])){3}
        """
    ),
    "note to readers": verbose_pattern(
        r"""
        ^\W*(?:(?:to\ )?(?:learn|read|find\ out)\ more\ (?:about|on)|(?:get\ |for\ )?more\ information\ (?:about|on|is)|
        these\ resources)\b|page\ number\ not\ for\ citation|full\ list\ of\ author\ information|
        pre-?publication\ history|
        publisher['’]s\ note|springer\ nature\ remains\ neutral|contributed\ equally\ (?:to\ this|and)?|
        authors\ contributed\ equally|present\ address|^\W*correspondence\b|corresponding\ author|
        address(?:\ for)?\ correspondence|reprint\ requests?|send\ (?:correspondence|reprints)|article\ (?:number|
        id|in\ press)\b|\bISSN\b|this\ article\ (?:is\ part\ of|was\ (?:submitted|published)|has\ been\ (?:cited|
        corrected))|peer[- ]review(?:ed)?\ (?:history|reports?)
        """
    ),
    "contributions": verbose_pattern(
        r"""
        ^\W*(?:conceptuali[sz]ation|data\ curation|formal\ analysis|funding\ acquisition|investigation|methodology|
        project\ administration|resources|software|supervision|validation|visuali[sz]ation|
        writing\W.*?):(?:[\s,;.]+(?-i:[A-Z]{2,5})\b)+\W*$
        """
    ),
    "declaration": verbose_pattern(
        r"""
        (?:conflicts?\ of\ interests?|competing\ (?:financial\ )?interests?)\b.{0,60}(?:declared?|exist|none|no|
        disclos|report)|(?:declare|disclose|report|have|has|had|
        state)\w*\ (?:that\ )?(?:\w+\ ){0,5}(?:conflicts?\ of\ interest|competing\ (?:financial\ )?interest|
        financial\ (?:interest|relationship|disclosure))|^\W*(?:competing\ interests?|conflicts?\ of\ interests?|
        acknowledge?ments?|funding|author(?:s['’]|['’]s)?\ contributions?)\W*(?:$|(?-i:[A-Z]))|
        read\ and\ approved\ the|approved\ the\ final|all\ authors\ (?:read|have\ read|contributed|reviewed|
        approved|participated)|drafted\ the\ (?:manuscript|article|paper)|conceived\ (?:and\ designed|of)\ the|
        wrote\ the\ (?:paper|manuscript)|helped\ (?:to\ )?draft|revised\ the\ manuscript|preparation\ of\ (?:the|
        this)\ manuscript|\b(?:authors?|we)\ (?:\w+\ ){0,4}(?:thank|acknowledge|grateful|indebted)\b|\b(?:supported|
        funded|financed|sponsored)(?:\ \w+){0,3}\ by\ (?:\w+\ ){0,4}(?:grants?|awards?|fellowships?|foundation|
        fund)\b|financially\ supported|\bgrant\ (?:no|number|\#)|funders?\ had\ no\ role|
        no\ role\ in\ study\ design|funding\ (?:source|agenc|bod)\w*\ had
        """
    ),
}
"""In this order; the first that finds something names a line."""


_HINTS: Mapping[str, list[str]] = tables("language", "hints")["prose"]
"""Each sentence that one of these rules finds has one of these in small letters: looking for them first is faster."""
_ADDRESS_HINTS = ("http", "ftp:", "www.", "doi", "10.", "@", "pm")


@lru_cache(maxsize=4096)
def is_prose(sentence: str) -> bool:
    """Whether a sentence is of the text of a paper, and not of what is printed around it."""
    return why_not_prose(sentence) is None


def why_not_prose(sentence: str) -> str | None:
    """The name of the rule that finds no prose, such as `licence` or `legend`; None for prose."""
    small = sentence.lower()
    if any(hint in small for hint in _ADDRESS_HINTS) and _only_addresses(sentence):
        return "address"
    if _is_workplace(sentence):
        return "place of work"
    if _is_list_of_persons(sentence):
        return "names"
    for name, rule in _RULES.items():
        if (name not in _HINTS or any(hint in small for hint in _HINTS[name])) and rule.search(sentence):
            return name
    return None


def _only_addresses(sentence: str) -> bool:
    rest, found = _ADDRESS.subn(" ", sentence)
    return found > 0 and len(_WORD.findall(rest)) <= _FEW and not _VERB.search(rest)


def _is_workplace(sentence: str) -> bool:
    """Whether it names two places of work and where they are, and says nothing of them."""
    if sentence.count(",") < 2:
        return False
    parts = sentence.rstrip(" .;").split(",")
    named = sum(_WORKPLACE.search(part) is not None for part in parts)
    numbered = _NUMBERED.match(sentence) is not None
    if len(parts) < 3 or not (named or numbered) or _VERB.search(sentence):
        return False
    titled = sum(_TITLED.match(part) is not None for part in parts)
    return titled >= len(parts) - 1 and (named > 1 or numbered or len(parts) > 3)


def _is_list_of_persons(sentence: str) -> bool:
    if not _is_person(re.split(r"[,;]| and | & ", sentence, maxsplit=1)[0].strip(_MARKS).split()):
        return False
    parts = [part.strip(_MARKS) for part in re.split(r"[,;]|\sand\s|\s&\s", sentence)]
    persons = [part.split() for part in parts if part]
    return len(persons) > 2 and all(map(_is_person, persons))


def _is_person(words: list[str]) -> bool:
    return (
        1 < len(words) < 6
        and all(_NAME_PART.fullmatch(word) for word in words)
        and any(len(word) > 2 and not word.isupper() for word in words)
    )
