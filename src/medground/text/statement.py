"""A yes-or-no question as the statement that `yes` would assert.

Plain rules that stay silent when unsure: which words are the subject cannot always be told, and a wrong statement would
be judged as if it had been asked. Questions with a negation, or that offer a choice, are not turned.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from medground.text import predicate_words as lists
from medground.text.predicate import BE, DO, HAVE, MODAL, core, predicate

_AUXILIARY = "|".join(sorted(BE | DO | HAVE | MODAL))
_NEGATION = re.compile(r"\b(?:not|no|never|neither|nor|versus|vs|yet)\b|n['’]t\b|\?.", re.IGNORECASE)
_LEAD = re.compile(
    rf"^((?:in|among|amongst|for|after|before|during|following|as of|with|within|on|at|by|since|given)\b[^,?:]{{3,90}}), "
    rf"(?=(?:{_AUXILIARY})\b)",
    re.IGNORECASE,
)
"""Where or in whom: `In patients with sepsis, does ...`."""
_TOPIC = re.compile(rf"^(.{{5,}}?)\s*(?::|;|\.|,|--|—| [-–])\s+((?:{_AUXILIARY})\b.+)$|^(.{{5,}}?)\s*(?:--|—)\s*((?:{_AUXILIARY})\b.+)$", re.IGNORECASE)
"""A title before the question: `Aspirin in migraine: does it help`."""
_TITLE = re.compile(r"^([^:;?]{5,}?)\s*(?::|;|\.|,|--|—| [-–])\s*((?:really |still )?(?:an?|the) [^:;?]+)$", re.IGNORECASE)
"""A title whose second half is what is said of the first: `Leptin: a marker of obesity`."""
_YES_OR_NO = re.compile(r",?\s*(?:yes|true)\s+or\s+(?:no|false)\s*\??$", re.IGNORECASE)
_FOR_IT = ("it", "this", "they", "these")
_NOT_MEANT = re.compile(
    r"^(?:an? |the )?(?:analys[ie]s|characteri[sz]ation|compar|correlat|epidemiolog|estimat|evaluat|evidence|experience|"
    r"factors|improv|investigat|measur|outcomes?|patients?|predict|prevalence|review|role|significance|study|survey|trends?|utility|usefulness|value)",
    re.IGNORECASE,
)
"""Titles of what was done: what follows is seldom said of them."""
_NO_PREDICATE = re.compile(
    r"\b(?:link|association|relationship|correlation|comparison|review|study|report|role|question|survey|analysis|trial|need|"
    r"experience|difference|call|case|series|approach to|look|effect|connection)\b",
    re.IGNORECASE,
)


def as_statement(question: str) -> str | None:
    """The statement, with a full stop; None where the rules are not sure of it."""
    text = " ".join(question.split())
    said = _YES_OR_NO.sub("", text)
    if said != text:
        return None if re.match(rf"(?:{_AUXILIARY})\b", said, re.IGNORECASE) or _NEGATION.search(said) else _sentence(said)
    if not text.endswith("?") or _NEGATION.search(text):
        return None
    text = text.rstrip("? ")
    if re.match(rf"(?:{_AUXILIARY})\b", text, re.IGNORECASE):
        found = _clause(text)
    elif lead := _LEAD.match(text):
        found = _after(f"{lead[1]},", _clause(text[lead.end() :]))
    elif titled := _TOPIC.match(text):
        found = _of_topic(titled[1] or titled[3], titled[2] or titled[4])
    else:
        found = _of_title(text)
    return None if found is None else _sentence(found)


def _sentence(text: str) -> str:
    """With a full stop, and a capital if the first word has none of its own (`mRNA`)."""
    first = text.split()[0]
    text = text if any(c.isupper() or c.isdigit() for c in first) else f"{text[0].upper()}{text[1:]}"
    return f"{text.rstrip('. ')}."


def _after(lead: str, clause: str | None) -> str | None:
    return None if clause is None else f"{lead} {clause}"


def _clause(text: str) -> str | None:
    """One clause that begins with its auxiliary."""
    tokens = _tokens(text)
    if tokens is None or len(tokens) < 3:
        return None
    verb, rest = tokens[0].lower(), tokens[1:]
    if core(rest[0]) in ("they", "this", "these", "those", "he", "she") or core(rest[0]) in lists.PREPOSITIONS:
        return None
    if core(rest[0]) == "it" and not _expletive(rest):
        return None
    words = [core(token) for token in rest]
    if verb in BE and any(w in BE for w in words) and not lists.SUBORDINATE & set(words):
        return " ".join(rest)  # `Is zinc is safe`: the statement is there already
    place = predicate(verb, rest)
    if place is None or _chooses(verb, words, place):
        return None
    if lists.SUBORDINATE & set(words[:place]) - {"that", "who", "which", "whose", "where"}:
        return None
    return " ".join([*rest[:place], *_said(verb, rest[place:])])


def _tokens(text: str) -> list[str] | None:
    """Words, each with the bracketed aside after it; None if brackets do not match."""
    tokens: list[str] = []
    depth = 0
    for word in text.split():
        if tokens and (depth or word.startswith("(")) and not (not depth and word.count("(") == word.count(")") and not word.rstrip(",").endswith(")")):
            tokens[-1] += f" {word}"
        else:
            tokens.append(word)
        depth += word.count("(") - word.count(")")
        if depth < 0:
            return None
    return None if depth else tokens


def _expletive(rest: Sequence[str]) -> bool:
    """`it` that stands for what follows: `is it safe to`."""
    words = [core(token) for token in rest]
    return any(w in ("to", "that") for w in words[2:5]) and words[1] not in lists.ARTICLES and words[-1] != "to"


def _said(verb: str, tokens: Sequence[str]) -> list[str]:
    """The predicate of a statement."""
    said = _any(tokens)
    if verb not in DO:
        return [verb, *_any(said, 0)] if core(said[0]) == "any" else [verb, *said]
    at = next((n for n, t in enumerate(said) if not _is_adverb(t)), 0)
    word = core(said[at])
    later = [core(t) for t, before in zip(said[at + 2 :], said[at + 1 :], strict=False) if core(before) in ("and", "or")]
    if verb == "did" or (verb == "does" and any(w in lists.VERBS | lists.OFTEN_VERBS for w in later)):
        return [verb, *said]  # the other verb would need its form too
    return [*said[:at], _in_form(verb, said[at], word), *said[at + 1 :]]


def _is_adverb(token: str) -> bool:
    return core(token).endswith("ly") and core(token) not in ("rely", "apply", "imply", "supply", "multiply", "comply")


def _any(tokens: Sequence[str], at: int = 1) -> list[str]:
    """`any` after a verb or `there` becomes an article, or nothing."""
    if len(tokens) < at + 2 or core(tokens[at]) != "any":
        return list(tokens)
    noun = next((core(t) for t in tokens[at + 1 :] if core(t) not in lists.PREPOSITIONS), "")
    head = [core(t) for t in tokens[at + 1 :]]
    end = next((n for n, w in enumerate(head) if w in lists.PREPOSITIONS | {"to", "that"}), len(head))
    last = head[end - 1] if end else noun
    if last in ("evidence", "agreement", "information", "improvement", "consensus") or plural(last):
        return [*tokens[:at], *tokens[at + 1 :]]
    article = "an" if head[0][:1] in "aeiou" else "a"
    return [*tokens[:at], article, *tokens[at + 1 :]]


def plural(word: str) -> bool:
    """Whether a noun looks like a plural."""
    many = ("children", "men", "women", "people", "data", "criteria", "bacteria", "metastases", "mice", "phenomena")
    return word in many or (word.endswith("s") and not word.endswith(("ss", "us", "is", "itis", "cans", "diabetes", "series", "aids")))


def _in_form(auxiliary: str, token: str, verb: str) -> str:
    """The verb without its auxiliary: `does reduce` is `reduces`."""
    if auxiliary == "do":
        return token
    if verb in ("have", "be"):
        return {"have": "has", "be": "is"}[verb] if token.islower() else {"have": "Has", "be": "Is"}[verb]
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{token}es"
    return f"{token[:-1]}ies" if verb.endswith("y") and verb[-2] not in "aeiou" else f"{token}s"


def _chooses(verb: str, words: Sequence[str], place: int) -> bool:
    """Whether `or` offers a choice, so that `yes` says nothing: `is aspirin or warfarin better`."""
    text = " ".join(words).replace("with or without", "with").replace("and or", "and").replace("one or more", "more")
    if "or" not in text.split():
        return False
    if verb in ("should", "would") or re.search(
        r"\b(?:or (?:not|is|are|does|do|a|an|the|just|only|merely)|better|best|more|less|worse|superior|inferior|prefer\w*|first|due)\b",
        text,
    ):
        return True
    at = words.index("or")
    if at < place or "either" in words[place:]:
        return at > place
    said = words[place:at]
    if verb in BE | HAVE:
        return not (len(said) > 2 and any(w in lists.PREPOSITIONS | {"to"} for w in said))
    known = lists.VERBS | lists.OFTEN_VERBS | lists.SELDOM_VERBS
    return len(said) < 2 or words[at + 1] in known if at + 1 < len(words) else True


def _of_topic(topic: str, clause: str) -> str | None:
    """A title and its question: `it` stands for the title, or the title stays before the statement."""
    if _tokens(topic) is None or ":" in topic:
        return None
    verb, *rest = clause.split()
    if len(rest) < 1:
        return None
    subject = rest[0].lower()
    if subject not in _FOR_IT:
        if subject in lists.PREPOSITIONS or re.search(r"\bor\b", topic):
            return None
        return _after(f"{topic}:", _clause(clause))
    if subject in ("this", "these") and len(rest) > 1 and core(rest[1]) not in lists.ARTICLES:
        return None
    if subject == "it" and _expletive(rest):
        return _after(f"{topic}:", _clause(clause))
    if many(topic) != (subject in ("they", "these")) or _NOT_MEANT.match(topic) or len(rest) < 2:
        return None
    words = [core(token) for token in rest]
    if _chooses(verb.lower(), words, 1):
        return None
    tokens = _tokens(" ".join(rest))
    return None if tokens is None else " ".join([topic, *_said(verb.lower(), tokens[1:])])


def many(topic: str) -> bool:
    """Whether a title names several things: its noun is a plural, or two are joined."""
    words = [core(word) for word in topic.split()]
    end = next((n for n, w in enumerate(words) if n and w in lists.PREPOSITIONS | {"to", "that", "who"}), len(words))
    return plural(words[end - 1]) or "and" in words[:end]


def _of_title(text: str) -> str | None:
    """`Leptin: a marker of obesity` says that leptin is one."""
    titled = _TITLE.match(text)
    if titled is None or _NOT_MEANT.match(titled[1]) or _NO_PREDICATE.search(titled[2].split(" of ")[0]) or re.search(r"\bor\b", text):
        return None
    words = [core(word) for word in titled[1].split()]
    if lists.SUBORDINATE & set(words) or _tokens(text) is None:
        return None
    return f"{titled[1]} {'are' if many(titled[1]) else 'is'} {titled[2][0].lower()}{titled[2][1:]}"
