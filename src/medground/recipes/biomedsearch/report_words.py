"""A report without a model: which sentences address a sub-question, which names join sub-answers, what introduces them.

These are statistics of words. They show what a text is about, and not what it says: a reader must judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from medground.language import words
from medground.language.finding_sentences import describes_method, states_purpose
from medground.language.question_reading import reading_of
from medground.language.words import spelled_out
from medground.models.operators.base import EvidenceView, SentencedPassage
from medground.models.operators.reading import quotes_on_topic
from medground.models.operators.writing import chosen_quotes

ADDRESSED = 0.4
"""Least share of a sub-question's topic words, by weight, in the title and text of a quote that addresses it."""
SUBJECT = 0.5
"""Least share of those that it shares with the whole question, in the title and text of a passage that is read."""
OWN = 0.4
"""Least share, in its title and text, of those that the sub-question does not share with the whole question.

Measured on 300 questions of BioASQ 8b and 9b, whose gold snippets have no titles (`benchmarks/subanswers.py`): 61 % are
answerable from their own snippets, 7 % from those of another question about the same subject, 1 % from those of the
same question about another subject. Without `SUBJECT` these are 77, 8 and 3 %."""
REST = 0.5
"""Least share of the words beside the rarest, where the sub-question is the whole question.

Chosen on 7b, where 56 % are then answerable from their own snippets and 5 % from those of another question about the
same subject (without it 74 and 16 %); on 8b and 9b these are 62 and 7 % (76 and 20 %)."""
LINES = 3
"""Most lines of the records of proteins in a sub-answer."""
_RECORDS = ("protein", "graph")
INTRODUCTIONS = 2
"""Most sentences of a background."""
_TELLING = 4.0
"""Least weight of a name that joins two sub-answers: `CI` and `RCT` join nothing."""
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_SHOWN = 4
"""Most names that a connection tells."""


def answering(question: str, whole: str, passages: Sequence[SentencedPassage], most: int) -> tuple[EvidenceView, ...]:
    """The sentences that address a question, best first, then lines of records; empty if none does."""
    records = [passage for passage in passages if passage.kind in _RECORDS]
    texts = [p for p in passages if p.kind not in _RECORDS and _is_about(question, whole, p)]
    addressing = [view for view in quotes_on_topic(question, texts) if _addresses(question, whole, view)]
    findings = [v for v in addressing if not (states_purpose(v.quote) or describes_method(v.quote))]
    named = any(words.mentions(f"{view.title} {view.quote}", reading_of(question).rarest_name) for view in findings)
    quotes = chosen_quotes(question, findings, most) if named else ()
    return (*quotes, *_lines(question, whole, records))


def _is_about(question: str, whole: str, passage: SentencedPassage) -> bool:
    """Whether a passage names what the sub-question shares with the whole question, its rarest word for one."""
    topic = words.topic(question)
    subject = topic & words.topic(whole) or topic
    text = " ".join([passage.title, *(sentence.text for sentence in passage.sentences)])
    said = frozenset(words.terms(spelled_out(text, f"{question} {whole}")))
    rarest = _rarest(subject)
    return (not rarest or rarest in said) and words.coverage(subject, said) >= SUBJECT


def _addresses(question: str, whole: str, view: EvidenceView) -> bool:
    topic = words.topic(question)
    own = topic - words.topic(whole)
    titled = words.terms(spelled_out(f"{view.title} {view.quote}", question))
    if own:
        asked = words.coverage(own, titled) >= OWN
    else:  # it is the whole question: what it asks of its subject is the rest of its words
        rest = topic - {_rarest(topic)}
        asked = not rest or words.coverage(rest, titled) >= REST
    return asked and words.coverage(topic, titled) >= ADDRESSED


def _rarest(topic: frozenset[str]) -> str:
    """The rarest of some stems; empty if there are none."""
    return max(sorted(topic), key=words.weight, default="")


def why_not(question: str, passages: Sequence[SentencedPassage]) -> str:
    """Why no passage addresses a question, as far as words tell."""
    name = reading_of(question).rarest_name
    text = " ".join(part for p in passages for part in (p.title, *(s.text for s in p.sentences)))
    if name and not words.mentions(text, name):
        written = next((word for word in _WORD.findall(question) if name in words.terms(word)), name)
        return f"no passage mentions {written}"
    return "no passage covers enough of the question"


def _lines(question: str, whole: str, records: Sequence[SentencedPassage]) -> list[EvidenceView]:
    """Lines that share a word with the question, most of them first.

    Words of the record's name do not count, nor, where the sub-question has words of its own, those that it shares
    with the whole question: they are in the same lines for every sub-question.
    """
    topic = words.topic(question)
    own = topic - words.topic(whole) or topic
    found: list[tuple[float, float, EvidenceView]] = []
    for record in records:
        beyond = topic - frozenset(words.terms(record.title))
        for one in record.sentences:
            said = words.terms(f"{one.text} {record.section or ''}")
            shares = words.coverage(own & beyond, said), words.coverage(beyond, said)
            found.append((*shares, _view(record, one.id, one.text)))
    found.sort(key=lambda one: (-one[0], -one[1]))
    return [view for share, _, view in found if share > 0][:LINES]


def _view(passage: SentencedPassage, key: str, text: str) -> EvidenceView:
    return EvidenceView(id=key, title=passage.title, section=passage.section, quote=text)


def shared_names(
    question: str, parts: Sequence[tuple[str, str, Sequence[EvidenceView]]]
) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """The ids of two sub-answers, the names that their quotes share and their questions do not have, and such quotes.

    Quotes of the same paper join nothing: they share their subject.

    `parts` are id, text and quotes of each sub-answer, in order.
    """
    for (first, one, left), (second, other, right) in combinations(parts, 2):
        both = {view.title for view in left} & {view.title for view in right} - {""}
        asked = f"{question} {one} {other}"
        ours, theirs = (_named([view for view in own if view.title not in both], asked) for own in (left, right))
        common = sorted((name for name in ours if name in theirs), key=lambda name: -words.weight(name))[:_SHOWN]
        evidence = dict.fromkeys(e for name in common for e in (ours[name][1], theirs[name][1]))
        if len(evidence) > 1:
            yield first, second, ", ".join(dict.fromkeys(ours[name][0] for name in common)), tuple(evidence)


def _named(quotes: Sequence[EvidenceView], asked: str) -> dict[str, tuple[str, str]]:
    """Names by stem that are not asked about: how the first quote that has one writes it, and that quote's id."""
    known = frozenset(words.terms(asked))
    found: dict[str, tuple[str, str]] = {}
    for view in quotes:
        names = words.names(view.quote) - known
        for word in _WORD.findall(view.quote):
            if spelled_out(word, asked) != word:
                continue  # an abbreviation of what is asked about
            for stem in words.terms(word):
                if stem in names and words.weight(stem) >= _TELLING:
                    found.setdefault(stem, (word, view.id))
    return found


def introducing(
    question: str, introductions: Sequence[SentencedPassage], said: Sequence[str]
) -> tuple[EvidenceView, ...]:
    """The introductory sentences that name most of the question's topic and are not in the findings already."""
    topic = words.topic(question)
    views = [_view(p, s.id, s.text) for p in introductions for s in p.sentences if s.text not in said]
    views.sort(key=lambda view: -words.coverage(topic, words.terms(view.quote)))
    return chosen_quotes(question, views, INTRODUCTIONS)
