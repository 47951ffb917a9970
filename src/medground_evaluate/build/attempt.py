"""The literature of a topic, one attempt at a question from its findings, and the checks of questions and of a set."""

import asyncio
import random
import re
import string
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from medground.answering import Run, SentenceNames, TextSpan, cosines, fuse, named
from medground.corpus import chunk, why_aside
from medground.models import SentencedPassage, cue
from medground.recipes import BioMedSearchSettings, merged
from medground.recipes import coverage as share_of
from medground.values import Document, Hit, Lookup, portions
from medground_evaluate.auditing import FEWEST, Groups, by_options
from medground_evaluate.blind import Guesses, chance, groups_of, near_pairs, scored, usual_number
from medground_evaluate.build import operators
from medground_evaluate.build.file import BuiltOption, BuiltQuestion, Finding, Proof, SubTopic
from medground_evaluate.items import Item

FIRST_LOOK = 100
"""Titles that show what is published on a topic."""
_TOGETHER = 4
"""Papers that are summarised in one call of a model."""


async def divided(topic: str, titles: Sequence[str], subtopics: int, keywords: int, run: Run) -> list[SubTopic]:
    """The sub-topics of a topic, with keywords; `titles` show what is published on it."""
    value = operators.DivideInput(
        topic=topic, titles=tuple(titles[:FIRST_LOOK]), subtopics=subtopics, keywords_each=keywords
    )
    output = await run.ask(operators.divide_topic, value)
    found = {
        subtopic.text: SubTopic(topic=topic, text=subtopic.text, keywords=subtopic.keywords[:keywords])
        for subtopic in output.subtopics
    }
    return list(found.values())[:subtopics]


async def titles_on(topic: str, run: Run) -> list[str]:
    """Titles of papers that a first search for a topic finds."""
    return [paper.title for paper in await _found(topic, FIRST_LOOK, run) if paper.title]


async def with_papers(one: SubTopic, most: int, top: int, coverage: float, run: Run) -> SubTopic:
    """A sub-topic with its best papers: those with enough of its keywords, by cosine with the sub-topic (Eq. 3).

    Where no paper has so many keywords, those with most of them are kept. Retracted papers are left out.

    Args:
        most: most papers that its keywords may find.
        top: most papers that are kept.
        coverage: least share of the keywords in title and text, 0 to 1.
    """
    papers = await _found(" ".join(one.keywords), most, run)
    forms = [(keyword,) for keyword in one.keywords]
    shares = [share_of(forms, f"{paper.title}\n{paper.text}") for paper in papers]
    least = min(coverage, max(shares, default=coverage))
    covered = [paper for paper, share in zip(papers, shares, strict=True) if share >= least]
    texts = [f"{paper.title}\n{paper.text}" for paper in covered]
    near = await cosines(one.text, texts, run, embedder=run.settings.section(BioMedSearchSettings).embedder)
    ranked = sorted(range(len(covered)), key=lambda n: (-near[n], n))[:top]
    kept = tuple(covered[n].id for n in ranked)
    return one.replace(papers=kept, found=len(papers), covered=len(covered))


async def findings_of(one: SubTopic, level: operators.Level, run: Run) -> list[Finding]:
    """What the papers of a sub-topic found, each finding with the sentences that state it."""
    await run.retrieve(one.papers)
    papers = [run.ledger.documents[i] for i in one.papers if i in run.ledger.documents]
    found: dict[str, Finding] = {}
    for some in portions(papers, _TOGETHER):
        names = SentenceNames()
        views = tuple(sentenced(paper, names) for paper in some)
        output = await run.ask(operators.brief_papers, operators.BriefInput(topic=one.text, level=level, papers=views))
        for written in output.findings:
            proofs = tuple(proof_of(names[sentence], run) for sentence in dict.fromkeys(written.sentences))
            found.setdefault(written.text, Finding(text=written.text, proofs=proofs))
    return list(found.values())


def sentenced(paper: Document, names: SentenceNames) -> SentencedPassage:
    """A whole paper as its sentences."""
    return named(paper, list(chunk.chunk(paper)), names)


def proof_of(place: TextSpan, run: Run) -> Proof:
    """The proof at a place of a retrieved document."""
    identity, start, end = place
    document = run.ledger.documents[identity]
    return Proof(document_id=identity, start=start, end=end, quote=document.text[start:end], title=document.title)


async def _found(text: str, most: int, run: Run) -> list[Document]:
    """Papers that words find, duplicates merged, in the order found, without retracted ones and notices."""
    results = await run.look_up(Lookup.words(text).replace(limit=most))
    best: dict[str, Hit] = {}
    for hit in fuse([ranking for result in results for ranking in result.rankings], run.settings.retrieval.fusion_k):
        best.setdefault(hit.passage.document_id, hit)
    await run.retrieve(list(best)[:most])
    papers = merged([*best.values()][:most], run.ledger.documents)
    read = [paper.records[0] for paper in papers if not why_aside(paper.hit.passage)]
    return [document for document in read if document.kind == "research"]


READ = 5
"""Papers that are searched for each option, beside those of its own findings."""


@dataclass(frozen=True)
class Wanted:
    """What an attempt is for."""

    id: str
    level: operators.Level
    subtopic: SubTopic
    key: tuple[str, ...]
    options: int
    findings: tuple[Finding, ...]
    rejected: tuple[str, ...] = ()
    seed: int = 0


class Rejected(Exception):
    """An attempt made no question. The message says why."""


async def attempt(wanted: Wanted, there: Sequence[Item], run: Run) -> BuiltQuestion:
    """One question, or why there is none.

    Raises Rejected: the findings do not carry a question, the literature does not bear out an option, something gives
    the key away, or the question is there already; ModelFailed: a model gave no usable output; SourceUnavailable: no
    source could be searched.
    """
    views = tuple(operators.FindingView(id=f"F{n}", text=one.text) for n, one in enumerate(wanted.findings, start=1))
    value = operators.WriteQuestionInput(
        topic=wanted.subtopic.text,
        level=wanted.level,
        right=len(wanted.key),
        wrong=wanted.options - len(wanted.key),
        findings=views,
        rejected=tuple(one[:100] for one in wanted.rejected[-3:]),
    )
    written = await run.ask(operators.write_choice_question, value)
    if not written.options:
        raise Rejected("the findings do not carry a question")
    of = {view.id: finding for view, finding in zip(views, wanted.findings, strict=True)}
    checks = await asyncio.gather(*(_check(option, of, run) for option in written.options))
    for option, (says, _) in zip(written.options, checks, strict=True):
        if says != ("shown" if option.right else "ruled out"):
            kind = "right" if option.right else "wrong"
            raise Rejected(f"the second check says {says} of a {kind} option: {option.text[:60]}")
    question = _lettered(wanted, written.question, list(zip(written.options, checks, strict=True)), run)
    if reason := gives_away(question):
        raise Rejected(reason)
    if other := repeats(question, there):
        raise Rejected(f"nearly the same as {other}")
    return question


async def _check(
    option: operators.WrittenOption, findings: dict[str, Finding], run: Run
) -> tuple[operators.Says, tuple[Proof, ...]]:
    """The option against the papers of its findings and those that its own words find, in an order without meaning."""
    own = {proof.document_id for name in option.findings for proof in findings[name].proofs}
    results = await run.look_up(Lookup.words(option.text))
    hits = fuse([ranking for result in results for ranking in result.rankings], k=run.settings.retrieval.fusion_k)
    other = [i for i in dict.fromkeys(hit.passage.document_id for hit in hits) if i not in own][:READ]
    await run.retrieve([*own, *other])
    names = SentenceNames()
    papers = [run.ledger.documents[i] for i in sorted({*own, *other}) if i in run.ledger.documents]
    passages = tuple(sentenced(paper, names) for paper in papers)
    output = await run.ask(operators.check_option, operators.CheckOptionInput(option=option.text, passages=passages))
    decide = [proof_of(names[sentence], run) for sentence in output.sentences]
    stated = [proof for name in option.findings for proof in findings[name].proofs]
    return output.says, tuple({(p.document_id, p.start, p.end): p for p in [*stated, *decide]}.values())


def _lettered(
    wanted: Wanted,
    text: str,
    checked: list[tuple[operators.WrittenOption, tuple[operators.Says, tuple[Proof, ...]]]],
    run: Run,
) -> BuiltQuestion:
    """The question with its options placed so that the wanted letters are right."""
    random.Random(wanted.seed).shuffle(checked)
    left = {right: iter([pair for pair in checked if pair[0].right is right]) for right in (True, False)}
    options = []
    for letter in string.ascii_uppercase[: wanted.options]:
        right = letter in wanted.key
        option, (says, proofs) = next(left[right])
        said = " ".join(option.text.split())
        options.append(BuiltOption(letter=letter, text=said, right=right, checked=says, proofs=proofs))
    return BuiltQuestion(
        id=wanted.id,
        level=wanted.level,
        topic=wanted.subtopic.topic,
        subtopic=wanted.subtopic.text,
        question=" ".join(text.split()),
        options=tuple(options),
        written_by=run.answerer(operators.write_choice_question).name,
        checked_by=run.answerer(operators.check_option).name,
    )


_ABSOLUTE = cue(
    "only|always|never|all|none|every|must|exclusively|invariably|solely|entirely|completely|regardless|cannot|any|directly"
)
_HEDGED = cue("may|might|can|could|some|often|usually|generally|partly|potentially|possibly|suggests?|likely")
"""Words that test takers know as a mark of wrong options, and as a mark of right ones."""
LENGTHS = 1.5
"""All options of one kind may not be longer than all of the other kind by this factor. A lower one would reject so many
questions whose right options are the longest that being the longest would mark wrong ones."""
_POINTS = re.compile(
    r"\b(?:the (?:context|text|passage|report|abstract)|(?:these|the above|provided) (?:findings|passages))\b",
    re.IGNORECASE,
)


def gives_away(question: BuiltQuestion) -> str:
    """What shows the key of a question to someone who has read nothing; empty if nothing was seen."""
    if _POINTS.search(question.question):
        return "the question refers to a context that is not shown"
    right = [option.text for option in question.options if option.right]
    wrong = [option.text for option in question.options if not option.right]
    for name, one, other in (("longer", right, wrong), ("shorter", wrong, right)):
        if one and other and min(map(len, one)) > LENGTHS * max(map(len, other)):
            return f"every right option is {name} than every wrong one"
    for name, words in (("an absolute word", _ABSOLUTE), ("a hedge", _HEDGED)):
        held = [sum(bool(words.search(text)) for text in texts) for texts in (right, wrong)]
        if any(held) and not all(held):
            return f"{name} stands in {'right' if held[0] else 'wrong'} options only"
    return ""


def repeats(question: BuiltQuestion, items: Sequence[Item]) -> str:
    """The id of a question of which this one is nearly a duplicate; empty if there is none."""
    every = [*items, question.item()]
    found = next((one for one, other in near_pairs(every) if other == len(items)), None)
    return "" if found is None else every[found].id


SEEDS = (0, 1, 2)
MOST = 0.25
"""Most questions that are taken out at once, as a share of the set."""


def too_easy(items: Sequence[Item]) -> list[str]:
    """Ids of questions to take out: those that baselines above chance answer right most often; empty if none is above.

    Only the text of an option can be corrected here; a key that is too common cannot.
    """
    if len(items) < FEWEST:
        return []
    drawn = chance(items)
    groups = groups_of(items, near_pairs(items))
    hits = Counter[str]()
    surplus = 0
    for answers in filter(None, _guesses(items, groups)):
        figure = scored("", items, answers, "")
        if figure.low > drawn.share:
            surplus = max(surplus, figure.count - drawn.count)
            hits.update(item.id for item in items if answers.get(item.id) == frozenset(item.gold))
    most = min(surplus, int(MOST * len(items)))
    return [name for name, _ in sorted(hits.items(), key=lambda one: (-one[1], one[0]))[:most]]


def _guesses(items: Sequence[Item], groups: Groups) -> Iterator[Guesses]:
    """The answers of linear models, and the longest options, as many as are usually right."""
    for seed in SEEDS:
        yield by_options(items, groups, seed)
        yield by_options(items, groups, seed, function_words=True)
        yield by_options(items, groups, seed, with_question=True)
    number = usual_number(items)
    ranked = {i.id: sorted(i.question.options, key=lambda option: -len(option.text))[:number] for i in items}
    yield {name: frozenset(option.letter for option in options) for name, options in ranked.items()}
