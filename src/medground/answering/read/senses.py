"""Quotes that mean something else by a word of the question, such as drug delivery where a birth is asked about.

The senses of a word are the MeSH headings with it in one of their names: of `cold` the common cold, low temperatures,
and cold sores. Those of initials are what sources spell out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from medground.answering.rank.cosines import cosines, word_cosines
from medground.answering.rank.rerank import has_minilm
from medground.answering.run import Run
from medground.answering.verify.context import abbreviations
from medground.language import words
from medground.language.plain_words import is_plain
from medground.language.question_reading import Asked
from medground.pubmed.characters import american, fold
from medground.values.evidence import Evidence

if TYPE_CHECKING:
    from medground.pubmed.mesh_table import Heading

_NAMED = 0.2
"""What the name of a sense in a text adds to how near the two are."""
_ASKED = 0.4
"""How near a question is to the sense that it means, at least."""
_APART = 0.25
"""How much farther from each other than from their own senses a question and a text are that mean different things.
Of 10 made pairs with two senses each the least is 0.37; of the same questions with the right texts the most is 0.18."""
_MOST_SENSES = 60
"""A word of more headings, such as disease, is too general to have senses."""
_INITIALS = re.compile(r"(?<![\w-])[A-Z]{2,3}(?![\w-])")


@lru_cache(maxsize=1024)
def _senses_of(word: str) -> tuple[Heading, ...]:
    from medground.pubmed.mesh import vocabulary

    return vocabulary().naming(word)


def _ambiguous(asked: Asked) -> dict[str, tuple[Heading, ...]]:
    """The plain words of a question that have several senses, in American spelling."""
    said = {american(word) for word in words.tokens(asked.plain) if words.stem(word) in asked.topic and is_plain(word)}
    senses = {word: max(map(_senses_of, (word, word.removesuffix("s"))), key=len) for word in sorted(said)}
    return {word: found for word, found in senses.items() if 1 < len(found) <= _MOST_SENSES}


def _is_of(word: str, sense: Heading) -> bool:
    """Whether a sense is what the word itself is: a common cold is a cold, a cold injury is an injury."""
    return any(fold(name.split(",")[0]).split()[-1:] == [word] for name in (sense.name, *sense.entry_terms))


async def remarks_on_senses(asked: Asked, quotes: Sequence[Evidence], run: Run) -> list[str]:
    """What a reader must know of the words that quotes share with the question."""
    found = [remark for _, remark in (await _other_senses(asked, quotes, run)).values()]
    for short, names in _initials(asked).items():
        for quote in quotes:
            long = _meaning(short, quote, run)
            if long and not _is_one_of(names, long):
                found.append(f"“{short}” stands for {long} in {quote.document_id}")
            elif not (long or names) and short in [thing.said for thing in asked.things]:
                found.append(f"{quote.document_id} does not say what “{short}” stands for")
    return [*dict.fromkeys(found)]


async def _other_senses(asked: Asked, quotes: Sequence[Evidence], run: Run) -> Mapping[str, tuple[str, str]]:
    """By the id of each quote that means something else by a word of several senses, this word and a remark.

    The question, the quote under its title, and the names of each sense are compared: by their embeddings, or by their
    words where MiniLM is not fetched.
    """
    found = dict[str, tuple[str, str]]()
    for word, senses in _ambiguous(asked).items() if quotes else ():
        asks = await _nearness(asked.plain, senses, run)
        own = [n for n, near in enumerate(asks) if near >= _ASKED and _is_of(word, senses[n])]
        for quote in quotes if own else ():
            text = f"{run.ledger.documents[quote.document_id].title}: {quote.quote}"
            stems = frozenset(words.stems(text))
            named = any(" " in one.said and stems.issuperset(words.terms(one.said)) for one in asked.deciding)
            if named or words.stem(word) not in stems:
                continue
            tells = await _nearness(text, senses, run)
            ours, theirs = max(own, key=asks.__getitem__), tells.index(max(tells))
            kinds = ({tree[:3] for tree in senses[sense].trees} for sense in (ours, theirs))
            distance = asks[ours] - asks[theirs] + tells[theirs] - tells[ours]
            if distance >= _APART and not set.intersection(*kinds):  # things of different kinds
                other, asked_for = senses[theirs].name.lower(), senses[ours].name.lower()
                remark = f"“{word}” may mean {other} in {quote.document_id}, and {asked_for} in the question"
                found[quote.id] = word, remark
    return found


async def _nearness(text: str, senses: Sequence[Heading], run: Run) -> list[float]:
    """How near a text is to each sense."""
    folded = f" {american(fold(text))} "
    near = await _near(text, [sense.name for sense in senses], run)
    named = (
        any(" " in name and f" {fold(name)} " in folded for name in (sense.name, *sense.entry_terms))
        for sense in senses
    )
    return [value + _NAMED * is_named for value, is_named in zip(near, named, strict=True)]


async def _near(text: str, names: Sequence[str], run: Run) -> list[float]:
    """How near a text is to each name by meaning; by words where no model is there to say."""
    return await cosines(text, names, run, embedder="minilm") if has_minilm(run) else word_cosines(text, names)


def _initials(asked: Asked) -> Mapping[str, list[str]]:
    """The words of two or three capitals in a question, which are short for many things, with the names they have."""
    return {
        short: [name for thing in asked.subjects if short in (thing.said, *thing.names) for name in thing.names]
        for short in _INITIALS.findall(asked.text)
    }


def _is_one_of(names: Sequence[str], long: str) -> bool:
    stems = frozenset(words.terms(long))
    return any(stems and stems.issubset(words.terms(name)) for name in names)


def _meaning(short: str, quote: Evidence, run: Run) -> str:
    """What initials stand for in the document of a quote; empty if it does not say."""
    document = run.ledger.documents[quote.document_id]
    return dict(abbreviations(f"{document.title}\n{document.text}")).get(short, "")
