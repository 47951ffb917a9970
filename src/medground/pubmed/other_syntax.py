"""Search strategies written for other services, which PubMed's syntax would read as other words.

Those of Ovid and Embase are translated where PubMed has a counterpart for all that they say.
"""

import re

from medground.pubmed.tags import read_tag

_OVID = "(?:tw|ti|ab|mp|kw|kf|sh|hw|pt|nm|rn|jw|af|tx|sb|px|rx|ui|bt|ot|tn|dv|fs|dm|ct|lg|la|au|yr)"
_EMBASE = "(?:ti|ab|kw|de|tt|tn|dn|lnk|au|jt)"
_EBSCO = r"\(?(?:TI|AB|SU|TX|MH|MM) "
_FORMS = {
    "Ovid": re.compile(
        r"(?<![\w/])(?:exp [*\"]{0,2}|\*)[A-Z][\w ,'()-]{1,60}\"?/(?=[a-z]{2}\b|[\s)\d]|$)|\badj\d{1,2}\b|"
        rf"(?<=[\w)*$?#\"])\.(?:{_OVID}\b,?)+\.(?!\w)|"
        r"^\W*[A-Z][\w ,'-]{1,60}/(?:[a-z]{2},(?: ?[a-z]{2}\b,?)+)?(?:\s*$|\s+(?:and|or|not)\s)|"
        r"^\W*(?:limit \d+ to|remove duplicates from \d)",
        re.I,
    ),
    "the Cochrane Library": re.compile(
        r"\[mh \^?\"?\w|\bMeSH descriptor:? \[|(?<=[\w*)\"]):ti,ab,kw\b(?!,)|(?<=[\w*)\"]) NEXT (?=[\w(\"])"
    ),
    "Embase": re.compile(
        r"'[^']{2,80}'/(?:exp|de|mj|br|syn|d[dmt]|ae)(?:_\w\w)?\b|\b\w+/(?:exp|mj)\b|\[[\w -]{2,40}\]/(?:lim|py|sd)\b|"
        rf"(?<=[\w'*)\"]):{_EMBASE}(?:,{_EMBASE})*(?=[\s)]|$)"
    ),
    "EBSCO": re.compile(
        rf"\bM[HMJ] ?\"[^\"]{{2,80}}\"|(?<!\w){_EBSCO}\(?[\w\"*][^=?]{{0,200}}? (?:AND|OR|NOT) {_EBSCO}|"
        r"[*)\"] [NW]\d{1,2} | [NW]\d{1,2} \("
    ),
    "Scopus": re.compile(
        r"\bTITLE-ABS(?:-KEY)?(?:-AUTH)? ?\(|\b(?:TITLE|ABS|KEY|AUTHKEY)\(|\b(?:W|PRE)/\d{1,2} (?!.*\?)"
    ),
    "Web of Science": re.compile(r"\b(?:TS|TI|AB|AK|KP|ALL|SO|PY|WC)=[(\"\w]"),
    "ProQuest": re.compile(
        r"\b[A-Z]+(?:\.EXACT|\.EXPLODE)+\(|\b(?:NOFT|TIABSU)\(|\b(?:TI|AB|SU)(?:,(?:TI|AB|SU))+\(|"
        r"\b(?:ti|ab|su)\([^()]{1,200}\) (?:AND|OR|NOT) (?:ti|ab|su)\("
    ),
    "Embase, the Cochrane Library or Web of Science": re.compile(r"\b(?:NEAR|NEXT)/\d{1,2}\b"),
}

_PIECE = re.compile(
    r"""
    \s*(?:
    (?P<sign> [()] | (?<![\w-])(?:and|or|not)(?![\w-]) ) |
    (?P<years> \[(?:1[89]|20)\d\d(?:-(?:1[89]|20)\d\d)?]/py ) |
    (?P<name> (?:exp\s+)? [*]? (?: "[^"]+" | '[^']+' |
        (?:(?!(?:and|or|not|adj\d*|near|next|limit\s\d+|remove\sduplicates)(?![\w-])) [\w,-]+[*$]?(?!\w)\s?)+ ) ) |
    (?P<fields> [.:](?:[a-z]{2},?)+(?:[.]|\b)(?:\s*\[mp=[^]]*])? ) |
    (?P<heading> /(?:exp/mj|exp|de|mj)\b | /(?:[a-z]{2}\b(?:,\s?[a-z]{2}\b)*)?(?!\w)(?:\s*\[[\w\s&,;-]+])? )
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""A part of a strategy of Ovid or Embase that PubMed has a counterpart for."""
_TAGS = dict(
    re.findall(
        r"(\w+)=(\S+)",
        "mp=tw ab=tiab kw=ot kf=tiab ot=tt de=mh:noexp sh=mh:noexp jw=ta jn=ta lg=la yr=dp af=all",
    )
)
"""Fields of Ovid and Embase that PubMed calls otherwise."""
_OF_WORDS = frozenset(["tw", "tiab", "ti", "ot", "mh", "mh:noexp"])
_UNTOLD = re.compile(r"[?#]|(?<=\w)[*$](?=\w)|(?<=.)\bexp\s|^\d+$|\n", re.IGNORECASE)
"""What PubMed has no counterpart for within a term: wildcards but at its end, a second `exp`, the number of a line."""
_YEARS = re.compile(r"\W*(?:1[89]|20)\d\d(?:\s*-\s*(?:1[89]|20)\d\d)?\W*")
_SIGNS = {"(": "(", ")": ")", "AND": "A", "OR": "O", "NOT": "N"}
_LEVEL = re.compile(r"t(?:(?:At)*(?:Nt)*|(?:Ot)*)")
"""Terms with their operators: what is mixed without brackets is read in another order by each service."""
_NAME = re.compile(r"(?i)(?P<explode>exp\s+)?(?P<major>[*])?\"?(?P<name>[^\"]*)")


def from_other_service(query: str) -> tuple[str, str]:
    """A query in PubMed's syntax, and what to say of it: that it was translated, or why not, with an empty query.

    >>> from_other_service("exp Neoplasms/ AND cancer.tw.")[0]
    '"Neoplasms"[mh] AND cancer[tw]'
    >>> from_other_service("cancer adj3 therapy")[1]
    'this is the syntax of Ovid, and “adj3” cannot be translated; write it in PubMed\'s, such as "neoplasms"[mh]'
    >>> from_other_service("Does aspirin help in heart failure?")
    ('Does aspirin help in heart failure?', '')
    """
    found = ((service, form.search(query)) for service, form in _FORMS.items())
    service, sign = next(((service, sign[0].strip()) for service, sign in found if sign), ("", ""))
    if not service:
        return query, ""
    if service in ("Ovid", "Embase"):
        try:
            translated = _translated(query)
        except ValueError as error:
            sign = str(error)
        else:
            return translated, f"this is the syntax of {service}; searched for: {translated}"
    advice = 'write it in PubMed\'s, such as "neoplasms"[mh]'
    return "", f"this is the syntax of {service}, and “{sign}” cannot be translated; {advice}"


def _translated(query: str) -> str:
    """A strategy of Ovid or Embase in PubMed's syntax. Raises ValueError: the part that cannot be said there."""
    pieces, opened, end = list[str](), list[int](), 0
    start = 0
    """Of the pieces that a field after them is about: a term, or all of a bracket."""
    while end < len(query.rstrip()):
        if (found := _PIECE.match(query, end)) is None:
            raise ValueError(query[:end].split(" ")[-1] + query[end:].split()[0])
        text, end = found[0].strip(), found.end()
        match found.lastgroup:
            case "sign":
                opened += [len(pieces)] * (text == "(")
                start = opened.pop() if text == ")" and opened else len(pieces) + 1
                pieces.append(text.upper())
            case "years":
                pieces.append(text[1:-4].replace("-", ":") + "[dp]")
            case "name" if not _UNTOLD.search(text):
                start = len(pieces)
                pieces.append(text.replace("'", '"').replace("$", "*"))
            case "heading" if start == len(pieces) - 1 and not pieces[-1].endswith("]"):
                pieces[-1] = _heading(pieces[-1], text)
            case "fields" if any(_is_bare(piece) for piece in pieces[start:]):
                pieces[start:] = [_in_field(piece, text) for piece in pieces[start:]]
            case _:
                raise ValueError(text)
    if bare := next(filter(_is_bare, pieces), None):
        raise ValueError(f"{bare} without a field")
    _check_order(pieces)
    return " ".join(pieces).replace("( ", "(").replace(" )", ")")


def _is_bare(piece: str) -> bool:
    """Whether a piece is a term without a tag."""
    return piece not in _SIGNS and not piece.endswith(("]", "])"))


def _check_order(pieces: list[str]) -> None:
    """Raises ValueError: brackets or operators are missing, or operators are mixed without brackets."""
    level, before = "".join(_SIGNS.get(piece, "t") for piece in pieces), ""
    while level != before:
        level, before = re.sub(rf"\({_LEVEL.pattern}\)", "t", level), level
    if not _LEVEL.fullmatch(level):
        raise ValueError("brackets that are missing, or “and” with “or” outside brackets")


def _heading(term: str, suffix: str) -> str:
    """`exp *Asthma` with `/dt` is `"Asthma/dt"[majr]`; several subheadings are alternatives."""
    parts = re.findall(r"[a-z]+", suffix.partition("[")[0].casefold())
    said = _NAME.match(term)
    assert said is not None  # it matches any text
    tag = "majr" if said["major"] or "mj" in parts else "mh"
    tag += "" if said["explode"] or "exp" in parts else ":noexp"
    marks = [f"/{part}" for part in parts if part not in ("exp", "de", "mj")] or [""]
    written = [f'"{said["name"].strip()}{mark}"[{tag}]' for mark in marks]
    return written[0] if len(written) == 1 else f"({' OR '.join(written)})"


def _in_field(piece: str, suffix: str) -> str:
    """A term with the tag of `.ti,ab.`; brackets, operators and what has a tag stay as they are."""
    if not _is_bare(piece):
        return piece
    if piece[:4].casefold() == "exp ":
        raise ValueError(piece)
    tags = {_TAGS.get(name, name) for name in re.findall(r"[a-z]{2}", suffix.partition("[")[0].casefold())}
    if len(tags) > 1 and tags <= _OF_WORDS:
        tags = {"tiab" if tags <= {"ti", "tiab", "ot"} else "tw"}
    if len(tags) > 1 or read_tag(min(tags)).use is None or (tags == {"dp"} and not _YEARS.fullmatch(piece)):
        raise ValueError(suffix)
    phrase = f'"{piece}"' if " " in piece and piece[0] != '"' else piece
    return f"{phrase}[{tags.pop()}]"
