"""The check of a text: its references joined with stored papers, then each sentence judged by what they say."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from medground.answering.declaration import Declaration
from medground.answering.run import Run
from medground.answering.verify.check import CHECKING
from medground.answering.verify.named import AuthorYear
from medground.checking.clauses import clauses_of, worst
from medground.checking.entries import Entry
from medground.checking.joining import Joined, entry_of_id, entry_of_work, is_by, is_id, joined, stored
from medground.checking.judging import SentenceToJudge, findings_of
from medground.checking.sentences import CitingSentence, CitingText
from medground.checking.sources import source_of
from medground.values.document import Document
from medground.values.finding import JoinedReference, TextCheck

CHECKING_A_TEXT = Declaration(name="check", operators=CHECKING)
Fetch = Callable[[Sequence[str]], Awaitable[Mapping[str, Document]]]
"""Papers by their names from the sources that are allowed, as far as they are found."""


@dataclass(frozen=True)
class References:
    """The entries of a text with their papers, and those that it names by id, or by authors and year, `alone`."""

    entries: tuple[Joined, ...]
    alone: tuple[Joined, ...] = ()

    def of(self, sentence: CitingSentence) -> list[Joined]:
        """What a sentence cites, in the order of its marks."""
        found: list[Joined] = []
        for key in sentence.keys:
            every = (*self.entries, *self.alone)
            found += [one for one in every if key in (one.entry.ids if is_id(key) else (one.entry.mark,))][:1]
        for work in sentence.authors:
            found += self.by(work) or [one for one in self.alone if one.entry == entry_of_work(work)]
        return list({id(one): one for one in found}.values())

    def by(self, work: AuthorYear) -> list[Joined]:
        """The entries that are a work, by its authors and year."""
        return [entry for entry in self.entries if is_by(work, entry)]


async def check(text: CitingText, beside: Sequence[Entry], run: Run, fetch: Fetch) -> TextCheck:
    """The findings on a text, and its references as they were joined.

    Args:
        text: the text that was read.
        beside: entries of files of references beside it.
        run: what searches the stored papers, and asks the critic.
        fetch: asks other sources for papers that are not stored.

    Raises SourceUnavailable: no corpus can be searched; BudgetExhausted: the run reached one of its limits.
    """
    references = await _joined([*text.entries, *beside], text, run, fetch)
    entries = (*references.entries, *references.alone)
    papers = {document.id: source_of(document) for entry in entries for document in entry.documents}
    parts = [clauses_of(sentence) for sentence in text.sentences]
    asked = [SentenceToJudge(one, references.of(one), papers) for one in [*text.sentences, *chain.from_iterable(parts)]]
    found = await findings_of(text.file, asked, run)
    wholes, rest = found[: len(parts)], iter(found[len(parts) :])
    findings = [worst(one, [(part, next(rest)) for part in own]) for one, own in zip(wholes, parts, strict=True)]
    told = [_reference(text.file, entry) for entry in entries]
    return TextCheck(findings=tuple(findings), references=tuple(told), remarks=(*text.remarks, *run.warnings))


def citing(sentences: Sequence[tuple[str, Sequence[Document]]]) -> list[SentenceToJudge]:
    """Sentences that cite papers, each with no others beside its own."""
    papers = {document.id: document for _, documents in sentences for document in documents}
    sources = {name: source_of(document) for name, document in papers.items()}
    asked = []
    for text, documents in sentences:
        own = {document.id: sources[document.id] for document in documents}
        cited = [Joined(entry_of_id(document.id), (document,)) for document in documents]
        asked.append(SentenceToJudge(CitingSentence(text, 0, len(text), shown=text, keys=tuple(own)), cited, own))
    return asked


async def _joined(entries: Sequence[Entry], text: CitingText, run: Run, fetch: Fetch) -> References:
    named = dict.fromkeys(key for sentence in text.sentences for key in sentence.keys if is_id(key))
    names = [*named, *(name for entry in entries for name in entry.ids)]
    held: dict[str, list[Document]] = await stored(names, run)
    if missing := [name for name in dict.fromkeys(names) if name not in held]:
        held |= {name: [document] for name, document in (await fetch(missing)).items()}
    listed = References(tuple(await asyncio.gather(*(joined(entry, held, run) for entry in entries))))
    known = {name for entry in entries for name in entry.ids}
    works = {work: 1 for sentence in text.sentences for work in sentence.authors if not listed.by(work)}
    others = [entry_of_id(name) for name in named if name not in known] + [*map(entry_of_work, works)]
    return References(listed.entries, tuple(await asyncio.gather(*(joined(entry, held, run) for entry in others))))


def _reference(file: str, one: Joined) -> JoinedReference:
    paper = one.documents[0] if one.documents else None
    return JoinedReference(
        file=file,
        mark=one.entry.mark,
        entry=one.entry.text,
        ref=one.ref,
        title=paper.title if paper else "",
        reason=one.wrong or one.reason,
    )
