"""What lets one sentence lead an answer rather than another that is as near to the question: it is whole, it reports a
result, it says the value in a table that is asked for.
"""

import re
from collections import Counter
from difflib import SequenceMatcher
from functools import lru_cache

from rapidfuzz import fuzz

from medground.language import words
from medground.language.clause_grammar import has_verb, words_of
from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.language.predicate_words import VERBS
from medground.language.prose import is_prose
from medground.language.question_reading import Asked
from medground.language.requests import asks_for_value, aspects_of, is_closed
from medground.language.sentences import ROW, sentence_spans

_BESIDE = frozenset(["funding", "interests", "limitations"])
_KNOWN = 0.5
"""Minimum share, by weight, of the name of a row that a question says which asks for its value."""
_VALUE = frozenset(["was", "were", "had", "did", "value"])
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]?")
_QUOTED = 4
"""Minimum words in a row that a question quotes of a title."""
_SAME = 90
"""Likeness in percent of two sentences that are one."""
_BEGINS = re.compile(r"\W*(?:[^\W\d_]*[A-Z]|[\w-]*\d)")
_ENDS = re.compile(r"""[.?!][\s)\]"'”’»]*(?:\[?\d[\d,\s–-]*\]?)?$""")
_MARKUP = re.compile(r"<[^<>]*>")
ITEM = re.compile(r"[-•▪]\s+")
"""The mark before an item of a list."""
_ADVICE = verbose_pattern(
    r"""
    \b(?:should|must|ought\ to|need\ to)(?:\ not)?(?:\ be)?\ (?:take|use|stop|start|continue|discontinue|give)|
    \b(?:do\ not|don['’]t|never|please)\ \w+|\b(?:stop|start|keep|avoid)(?:ping|ing)?\ (?:taking|using)\b
    """
)
POINTS_BACK = re.compile(
    r"(?:This|These|Those|Such|It|They|Its|Their|He|She|Both|The (?:former|latter))\b(?! (?:study|trial|review|"
    r"article|paper)\b)|(?:For (?:example|instance)|Indeed|In (?:this|these|such)\b)"
)
"""How a sentence begins that is read with the one before it."""
_CLAUSE = re.compile(r"(?:^|[.;:,] |[-•*] |\byou (?:can|may|could) )\s*(?:then |and |or |also )?([A-Za-z]+)")
"""A word with which a clause begins: a verb there is an order."""


def is_whole(sentence: str) -> bool:
    """Whether a text is a sentence from its beginning to its end, with a verb: no heading, title or fragment."""
    plain = _MARKUP.sub("", sentence).strip()
    return bool(_BEGINS.match(plain) and _ENDS.search(plain)) and has_verb(words_of(plain))


def stands_alone(quote: str) -> bool:
    """Whether a quote begins with a sentence that is no question, a row of a table, or what introduces its list."""
    (start, end), *more = sentence_spans(quote) or [(0, len(quote))]
    first = quote[start:end]
    whole = _BEGINS.match(first) and _ENDS.search(first) and not first.endswith("?")
    return bool(whole) or ROW in quote or (bool(more) and introduces(first))


def introduces(sentence: str) -> bool:
    """Whether a sentence goes on in the list that follows: `It may be caused by`, `Drugs to avoid:`."""
    return not _ENDS.search(sentence) and (sentence.endswith(":") or has_verb(words_of(sentence)))


def asks_beside(asked: Asked) -> frozenset[str]:
    """What a question asks of a paper that stands beside its text, such as its funding."""
    return asked.aspects & _BESIDE


def says_beside(asked: Asked, text: str) -> bool:
    """Whether a text says what a question asks of what stands beside a paper's text."""
    beside = asks_beside(asked)
    return bool(beside) and not beside.isdisjoint(aspects_of(text))


def is_quotable(asked: Asked, sentence: str) -> bool:
    """Whether a sentence is prose, or says what stands beside a paper's text, where that is asked."""
    return is_prose(sentence) or says_beside(asked, sentence)


def says_the_same(one: str, other: str) -> bool:
    """Whether one text has the other in it, but for marks and labels before it."""
    said = sorted((" ".join(words.tokens(text)) for text in (one, other)), key=len)
    return bool(said[0]) and fuzz.partial_ratio(*said) >= _SAME


def instructs(text: str) -> bool:
    """Whether a text reads as an instruction: it says what should be done, or begins a clause with a bare verb."""
    return _ADVICE.search(text) is not None or any(found[1].lower() in VERBS for found in _CLAUSE.finditer(text))


def is_fragment(sentence: str, title: str) -> bool:
    """Whether a sentence is no whole one, only repeats the title, or only states an aim: no reader wants it first."""
    repeats = words.tokens(sentence) == words.tokens(title)
    return not is_whole(sentence) or repeats or states_purpose(sentence)


def cell_named(asked: Asked, row: str, title: str, heading: str | None = None) -> float:
    """How surely a question asks for a value in a row of a table, 0 to 1: it names the row and a column.

    A row reads `Pain | Placebo: 4 | Drug: 2`; what the question quotes of the title of its paper and of the heading of
    its table is no part of the row. A value is asked for as such, as an amount, or in the past tense, as it was found
    in one study; or else by nothing but the names of the row, the column and the paper.
    """
    if ROW not in row or is_closed(asked.plain):
        return 0.0
    said, around = _left_of(asked.text, title, heading or "")
    name, *cells = row.split(ROW)
    known = max(words.coverage(stems, said) for stems in _names_of(name))
    if known < _KNOWN:
        return 0.0
    heads = [cell.partition(": ")[0] for cell in cells if ": " in cell]
    columns = [_stems(_BRACKETS.sub("", head)) or _stems(head) for head in heads]
    times = Counter(word for column in columns for word in column)
    owns = [frozenset(word for word in column if times[word] == 1) or column for column in columns]
    named = [head for own, head in zip(owns, heads, strict=True) if own and own <= said]
    if not named:
        return 0.0
    own = _stems(" ".join([name, *named]))
    wanted = said - (around - own)
    is_found = asks_for_value(asked.plain) or not _VALUE.isdisjoint(words.tokens(asked.text))
    if not is_found and not own.issuperset(said.intersection(words.terms(asked.text))):
        return 0.0
    return words.coverage(wanted, own) * known


def _stems(text: str) -> frozenset[str]:
    """The stems of all words of a text: a column may be called `A`, or `No`."""
    return frozenset(words.stems(text))


@lru_cache(maxsize=4096)
def _names_of(name: str) -> tuple[frozenset[str], ...]:
    """By what a row may be called: with and without what is in brackets, and without the names of groups before it."""
    forms = dict.fromkeys((name, _BRACKETS.sub("", name)))
    pieces = [form.split(", ") for form in forms]
    return tuple(filter(None, (_stems(" ".join(piece[n:])) for piece in pieces for n in range(len(piece))))) or (
        frozenset(),
    )


@lru_cache(maxsize=512)
def _left_of(question: str, title: str, heading: str) -> tuple[frozenset[str], frozenset[str]]:
    """The stems of a question without what it quotes of a title and of a heading, and the stems of these."""
    left = words.stems(question)
    for text in (title, heading.rpartition(" > ")[2]):
        own = words.stems(text)
        start, _, size = SequenceMatcher(None, left, own, autojunk=False).find_longest_match()
        if size >= max(_QUOTED, len(own) / 3):
            del left[start : start + size]
    return frozenset(left), _stems(f"{title} {heading}")


_ROLES = {
    "significance": lazy_pattern(r"\bsignificant(?:ly)?\b", re.IGNORECASE),
    "comparison": verbose_pattern(
        r"""
        \b(?:higher|lower|greater|less|more|increas\w*|decreas\w*|reduc\w*|improv\w*|correlat\w*|associat\w*|
        predict\w*|differ\w*)\b
        """
    ),
    "method": verbose_pattern(
        r"""
        \b(?:were\ (?:included|enrolled|recruited|randomi\w+|performed|measured|collected|obtained|assessed|
        analy\w+|evaluated|compared|asked|divided)|was\ (?:performed|measured|assessed|used|conducted|carried)|
        using|retrospective\w*|questionnaire|between\ (?:19|20)\d\d)\b
        """
    ),
    "purpose": verbose_pattern(
        r"""
        \b(?:aim\w*|purpose|objectives?|whether|hypothesi\w+|goals?)\b|\bto\ (?:determine|investigate|evaluate|
        assess|examine|compare|test|study|explore|clarify)\b|\bwe\ (?:sought|studied|investigated|examined|
        evaluated|aimed|asked)\b
        """
    ),
    "question": lazy_pattern(r"\?\s*$"),
}
_FINDING = lazy_pattern(
    r"\b(?:show\w*|demonstrat\w*|reveal\w*|confirm\w*|found|observed|identified|detected)\b", re.IGNORECASE
)
_CONCLUSION = verbose_pattern(
    r"""
    \b(?:conclu\w+|suggest\w*|indicat\w+|(?:our|these|the\ present)\ (?:results|findings|data))\b
    """
)
_RESULT = (_ROLES["significance"], _FINDING, _ROLES["comparison"], _CONCLUSION)
_NEGATION = re.compile(r"\b(?:no|not|nor|neither|without)\b", re.IGNORECASE)
_GROUPS = lazy_pattern(
    r"\b(?:served as (?:a )?(?:controls?|comparison)|acted as controls?|control group)\b", re.IGNORECASE
)


def states_purpose(sentence: str) -> bool:
    """Whether a sentence states the aim of a study, or a question, rather than a result."""
    asks = _ROLES["purpose"].search(sentence) or _ROLES["question"].search(sentence)
    return asks is not None and not _CONCLUSION.search(sentence)


def reports_result(sentence: str) -> bool:
    """Whether a sentence looks like a finding or a conclusion."""
    return not states_purpose(sentence) and any(form.search(sentence) for form in _RESULT)


def describes_method(sentence: str) -> bool:
    """Whether a sentence says what was done, and neither what was found nor what follows."""
    done = _ROLES["method"].search(sentence) or _GROUPS.search(sentence)
    return done is not None and not any(form.search(sentence) for form in (*_RESULT, _NEGATION))
