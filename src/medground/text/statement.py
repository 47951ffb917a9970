"""A yes-or-no question as the statement that `yes` would assert.

Plain rules that stay silent when unsure: which words are the subject cannot always be told, and a wrong statement would
be judged as if it had been asked. Questions with a negation, or that offer a choice, are not turned.
"""

from __future__ import annotations

import re
from itertools import pairwise

from medground.text import predicate_words as lists
from medground.text.clause import (
    before_preposition,
    in_form,
    is_plural,
    offers_choice,
    stands_for_clause,
    statement_of,
    tokenized,
)
from medground.text.predicate import BE, DO, HAVE, MODAL, core

_AUXILIARY = rf"(?:{'|'.join(sorted(BE | DO | HAVE | MODAL))})\b"
_CLOSED = re.compile(_AUXILIARY, re.IGNORECASE)
_UNSUITED = re.compile(
    r"\b(?:not|no|never|neither|nor|none|cannot|versus|vs|yet|at all|any ?more|any longer|any(?:thing|one|body))\b"
    r"|n['’]t\b|\?.",
    re.IGNORECASE,
)
"""Negation, comparison of two as a title, words of questions alone, more than one question."""
_OPEN = re.compile(r"(?:what|which|how|why|where|who|whose|whom)\b", re.IGNORECASE)
_SYMBOL = re.compile(r"[^\W\d_]{1,2}[-\d]")
"""A name such as `p53` or `α-synuclein`, which keeps its small letter."""
_YES_OR_NO = re.compile(r",?\s*(?:yes|true)\s+or\s+(?:no|false)\s*\??$", re.IGNORECASE)
_BREAK = r"\s*(?:[:;.]|--|—|\s[-–])\s+|\s*(?:--|—)\s*"
_LEAD = re.compile(rf"^([^:;?]{{5,}}?), (?={_AUXILIARY})", re.IGNORECASE)
"""Where or in whom: `In patients with sepsis, does ...`."""
_TOPIC = re.compile(rf"^(.{{5,}}?)(?:{_BREAK})({_AUXILIARY} .+)$", re.IGNORECASE)
"""A title before its question: `Aspirin in migraine: does it help`."""
_TITLE = re.compile(rf"^([^:;?]{{5,}}?)(?:{_BREAK}|, )((?:an?|the) [^:;?]+)$", re.IGNORECASE)
"""A title whose second half is said of the first: `Leptin: a marker of obesity`."""
_OF_WORK = re.compile(
    r"^(?:an? |the )?(?:analys[ie]s|characteri[sz]ation|compar|correlat|epidemiolog|estimat|evaluat|evidence|"
    r"experience|factors|improv|investigat|measur|outcomes?|patients?|potential|predict|prevalence|review|role|significance|"
    r"study|survey|trends?|utility|usefulness|value)",
    re.IGNORECASE,
)
"""Titles of what was done: what follows is seldom said of them."""


def as_statement(question: str) -> str | None:
    """The statement, with a full stop; None where the rules are not sure of it."""
    text = " ".join(question.split())
    bare = _YES_OR_NO.sub("", text)
    if bare == text and not text.endswith("?"):
        return None
    asked = bare.rstrip("? ")
    if not asked or asked.isupper() or _UNSUITED.search(f"{asked}?"):
        return None
    said = _turned(asked)
    if said is None and bare != text and not _CLOSED.match(asked) and not _OPEN.match(asked):
        said = asked  # `Zinc is a metal, yes or no?`
    return None if said is None else _sentence(said)


def _sentence(text: str) -> str:
    """With a full stop, and a capital if the first word has none of its own (`mRNA`)."""
    first = text.split()[0]
    named = any(char.isupper() for char in first) or _SYMBOL.match(first)
    return f"{text if named else text[0].upper() + text[1:]}".rstrip(". ") + "."


def _turned(text: str) -> str | None:
    if _CLOSED.match(text):
        return statement_of(text)
    if _OPEN.match(text):
        return None
    if lead := _LEAD.match(text):
        mark = "," if core(lead[1].split()[0]) in lists.PREPOSITIONS | lists.SUBORDINATE | {"based", "given"} else ":"
        return _of_topic(lead[1], mark, text[lead.end() :])
    if topic := _TOPIC.match(text):
        return _of_topic(topic[1], ":", topic[2])
    return _of_title(text)


def _of_topic(topic: str, mark: str, clause: str) -> str | None:
    """`it` stands for the topic; otherwise the topic stays before the statement."""
    verb, *rest = tokenized(clause) or [clause]
    if tokenized(topic) is None or re.search(r":|\bor\b", topic) or len(rest) < 2:
        return None
    subject, verb = rest[0].lower(), verb.lower()
    whole = subject in ("it", "they") or (subject in ("this", "these") and core(rest[1]) in lists.ARTICLES)
    if not whole or (subject == "it" and stands_for_clause(verb, rest)):
        said = statement_of(clause)
        return None if said is None else f"{topic}{mark} {said}"
    if _OF_WORK.match(topic) or _several(topic) != (subject in ("they", "these")):
        return None
    words = [core(word) for word in topic.split()]
    others = lists.PEOPLE & set(words[len(before_preposition(topic.split())) :])
    if (subject == "they" and others) or (BE | HAVE | MODAL | DO) & set(words):
        return None  # `Operations in children: do they benefit`, `Iron is low: is this a sign`
    if words[0] in lists.PREPOSITIONS | lists.SUBORDINATE:  # `In sepsis, is it useful`
        return None
    asked = [core(token) for token in rest]
    if offers_choice(verb, asked, 1) or asked[1] in ("just", "only", "simply", "merely"):
        return None
    if asked[1] in lists.STATES and set(asked[2:3]) & lists.ARTICLES:  # `is it necessary a fast`
        return None
    predicate = in_form(verb, rest[1:])
    return None if predicate is None else " ".join([topic, *predicate])


def _several(topic: str) -> bool:
    """Whether a topic names several things: its noun is a plural, or two are joined."""
    words = before_preposition(topic.split())
    doing = len(words) > 1 and words[0].endswith("ing") and words[0] not in lists.ING_NOUNS
    return not doing and (is_plural(words[-1]) or "and" in words)  # `Assessing lesions in mice` is one thing


def _of_title(text: str) -> str | None:
    """`Leptin: a marker of obesity` says that leptin is one."""
    title = _TITLE.match(text)
    if title is None or _OF_WORK.match(title[1]) or tokenized(text) is None or re.search(r"\bor\b", text):
        return None
    words = [core(word) for word in title[1].split()]
    verbs = lists.SUBORDINATE | lists.VERBS | lists.OFTEN_VERBS
    has_verb = any(word in verbs and before != "to" for before, word in pairwise(words))
    if has_verb or before_preposition(title[2].split())[-1] not in lists.KINDS:
        return None
    return f"{title[1]} {'are' if _several(title[1]) else 'is'} {title[2][0].lower()}{title[2][1:]}"
