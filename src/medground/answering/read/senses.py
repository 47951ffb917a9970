"""Quotes that mean something else by a word of the question, such as drug delivery where a birth is asked about."""

from collections.abc import Mapping, Sequence

from medground.answering.rank.cosines import cosines, word_cosines
from medground.answering.rank.rerank import has_minilm
from medground.answering.run import Run
from medground.answering.verify.context import abbreviations
from medground.language import words
from medground.language.clean import without_accents
from medground.language.question_reading import Asked
from medground.language.senses import ambiguous, initials
from medground.values.document import Document
from medground.values.evidence import Evidence


async def in_the_sense_asked(asked: Asked, quotes: Sequence[Evidence], run: Run) -> list[Evidence]:
    """The quotes without those that mean something else, where others have the word in the sense of the question.

    Of what initials stand for, the quotes on that which is nearest to the question come first.
    """
    others = await _other_senses(asked, quotes, run)
    same = {stem for quote in quotes if quote.id not in others for stem in words.stems(quote.quote)}
    kept = [quote for quote in quotes if quote.id not in others or words.stem(others[quote.id][0]) not in same]
    for short, _ in initials(asked):
        meant = {quote.id: _meaning(short, run.ledger.documents[quote.document_id]) for quote in kept}
        near = dict(zip(longs := sorted({*meant.values()}), await _near(asked.plain, longs, run), strict=True))
        kept.sort(key=lambda quote: -near[meant[quote.id]])
    return kept


async def remarks_on_senses(asked: Asked, quotes: Sequence[Evidence], run: Run) -> list[str]:
    """What a reader must know of the words that quotes share with the question."""
    found = [remark for _, remark in (await _other_senses(asked, quotes, run)).values()]
    for short, thing in initials(asked):
        for document in (run.ledger.documents[quote.document_id] for quote in quotes):
            long = _meaning(short, document)
            if long and not any(_same(long, name) for name in thing.names):
                found.append(f"“{short}” stands for {long} in {document.id}")
            elif not (long or thing.names):
                found.append(f"{document.id} does not say what “{short}” stands for")
    return [*dict.fromkeys(found)]


async def _other_senses(asked: Asked, quotes: Sequence[Evidence], run: Run) -> Mapping[str, tuple[str, str]]:
    """By the id of each quote that means something else by a word of several senses, this word and a remark.

    The question, the quote under its title, and the names of each sense are compared: by their embeddings, or by their
    words where MiniLM is not fetched.
    """
    senses = ambiguous(asked) if quotes else []
    names = [heading.name for one in senses for heading in one.headings]
    asks = await _near(asked.plain, names, run)
    found = dict[str, tuple[str, str]]()
    for quote in quotes if senses else ():
        text = f"{run.ledger.documents[quote.document_id].title}: {quote.quote}"
        stems, start = frozenset(words.stems(text)), 0
        if any(" " in thing.said and stems.issuperset(words.terms(thing.said)) for thing in asked.deciding):
            continue  # the whole name is there
        tells = await _near(text, names, run)
        for one in senses:
            part = slice(start, start := start + len(one.headings))
            apart = one.apart(asked.plain, text, asks[part], tells[part]) if words.stem(one.word) in stems else None
            if apart:
                ours, theirs = (heading.name.lower() for heading in apart)
                remark = f"“{one.word}” may mean {theirs} in {quote.document_id}, and {ours} in the question"
                found[quote.id] = one.word, remark
    return found


def _meaning(short: str, document: Document) -> str:
    """What initials stand for in a document; empty if it does not say."""
    return dict(abbreviations(f"{document.title}\n{document.text}")).get(short, "")


def _same(long: str, name: str) -> bool:
    """Whether the words of a name are also those that a text spells out, or some of these."""
    stems = [frozenset(words.terms(without_accents(text))) for text in (long, name)]
    return stems[0] <= stems[1] or (bool(stems[1]) and stems[1] <= stems[0])


async def _near(text: str, names: Sequence[str], run: Run) -> list[float]:
    """How near a text is to each name by meaning; by words where no model is there to say."""
    return await cosines(text, names, run, embedder="minilm") if has_minilm(run) else word_cosines(text, names)
