"""A follow-up question: what it means after an answer, or what it requests of that answer."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from medground.errors import UsageError
from medground.language.choosing import begins_anew, chosen
from medground.language.conversation import Conversation, named_in, papers_meant
from medground.language.noun_phrases import ASKING, AUXILIARIES
from medground.language.pattern import lazy_pattern
from medground.language.question_reading import Asked
from medground.language.readings import Reading
from medground.language.requests import Request, latest, request_in
from medground.language.sentences import sentence_spans
from medground.language.words import terms
from medground.values.answer import Answer, SourceDocument
from medground.values.query import Filters
from medground.values.question import Follows, Question, Task, as_question

_SEVERAL = re.compile(rf"\?\s+(?=\w)|,?\s+and\s+(?=(?:{'|'.join(sorted(ASKING | AUXILIARIES))})\b)", re.IGNORECASE)
"""What stands between two questions of one text."""
_MOST_QUESTIONS = 3
_PLACE = lazy_pattern(
    r"(?:the )?(?:(?:1|1st|first|former)|(?P<last>2|2nd|second|last|latter|other))(?: one)?", re.IGNORECASE
)


def _bare(text: str) -> str:
    return " ".join(text.split()).rstrip(" ?.!")


def _about_paper(asked: str, papers: Sequence[SourceDocument]) -> Reading:
    """A question about one of the papers that were quoted.

    Raises UsageError: no paper was quoted.
    """
    if not papers:
        raise UsageError(f"the answer before quotes no paper that {asked[:60]!r} could be about; name it, or its PMID")
    if len(papers) > 1:
        return Reading(asked, choices=tuple(f"{_bare(asked)} ({paper.id}, “{paper.title}”)?" for paper in papers))
    return Reading(asked, stands_for=papers[0].title, paper=papers[0].id)


def conversation_after(former: Answer) -> Conversation:
    """What was asked up to an answer, and the papers that it quotes."""
    question, documents = former.question, {document.id: document for document in former.documents}
    quoted = dict.fromkeys(quote.document_id for quote in former.evidence)
    papers = tuple(documents[name] for name in quoted if name in documents and documents[name].kind != "graph")
    follows = question.follows
    if follows is None:
        return Conversation(question.text, quoted=papers)
    if follows.paper or follows.choices:  # these change nothing of what the conversation is about
        paper = None
        if follows.paper:
            unquoted = SourceDocument(id=follows.paper, title=follows.stands_for, kind="research")
            paper = documents.get(follows.paper, unquoted)
        return Conversation(follows.question, earlier=follows.things, quoted=papers, paper=paper, began=follows.began)
    return Conversation(
        question.text,
        follows.carried,
        follows.things,
        papers,
        referent=follows.stands_for,
        typed=follows.asked,
        began=follows.began,
    )


def is_unrelated(asked: str, former: Answer) -> bool:
    """Whether a question surely has nothing to do with an answer."""
    return begins_anew(asked, conversation_after(former))


def _chosen(asked: str, choices: Sequence[str]) -> str | None:
    """Which of the questions that were asked back somebody chooses: `2`, `the second`, or a word that only it has."""
    place = _PLACE.fullmatch(_bare(asked))
    if place and choices:
        return choices[-1] if place["last"] else choices[0]
    said = set(terms(asked))
    fitting = [choice for choice in choices if said and said <= set(terms(choice))]
    return fitting[0] if len(fitting) == 1 else None


def read_follow_up(asked: str, former: str | Conversation) -> Reading:
    """A follow-up question as it reads by itself, after the question `former` or the whole conversation before it.

    >>> read_follow_up("which exercises help", "my mother has vertigo").text
    'which exercises help with vertigo?'

    Raises UsageError: nothing in the conversation fits a question that says little by itself.
    """
    before = Conversation(former) if isinstance(former, str) else former
    papers = papers_meant(asked, before)
    return chosen(asked, before) if papers is None else _about_paper(asked, papers)


@lru_cache(maxsize=256)
def questions_in(asked: Asked) -> tuple[tuple[str, Asked], ...]:
    """Each question of a text in its own words and as it reads by itself; one if they cannot be told apart.

    >>> questions_in(Asked("What is gout and how is it treated?"))
    (('What is gout', Asked(text='What is gout?')), ('how is it treated', Asked(text='how is gout treated?')))
    """
    text = asked.text
    said = [part.strip(" ?.!,") for part in _SEVERAL.split(text)]
    if not 1 < len(said) <= _MOST_QUESTIONS or not all(len(sentence_spans(part)) == 1 for part in said):
        return ((text, asked),)
    first = f"{said[0]}?"
    found = [(said[0], first)]
    try:
        found += [(part, _on_the_first(read_follow_up(f"{part}?", first), first)) for part in said[1:]]
    except UsageError:
        return ((text, asked),)
    readings = tuple((part, asked.reworded(whole)) for part, whole in found)
    return readings if all(one.deciding for _, one in readings) else ((text, asked),)


def _on_the_first(reading: Reading, first: str) -> str:
    """What was read; of two choices, that on what the question before names first."""

    def place(choice: str) -> int:
        own = [word.strip("?") for word in choice.split() if word.lower() not in reading.text.lower().split()]
        return min((first.find(word) for word in own if word in first), default=len(first))

    return min(reading.choices, key=place, default=reading.text)


def reread(question: Question, whole: str) -> Question:
    """A follow-up question as somebody reads it who knows the conversation, in place of what its words mean alone."""
    follows = question.follows
    assert follows
    before, again = Conversation(follows.question, began=follows.began), question.reworded(whole)
    things = follows.things[0 if follows.choices else len(named_in(question.text)) :]
    named = (topic.name for topic in named_in(again.text))
    read = follows.replace(
        word="",
        stands_for="",
        carried=" and ".join(name for name in named if name.casefold() not in follows.asked.casefold()),
        choices=(),
        unclear="",
        began=before.began_after(follows.asked, again.text),
        things=replace(before, earlier=things).things_after(again.text),
    )
    return again.replace(follows=read)


def within(filters: Filters, more: Filters) -> Filters:
    """Limits with those of a request in place of the same limits."""
    named = {name for name, _ in more.where}
    where = (*(pair for pair in filters.where if pair[0] not in named), *more.where)
    years = more if (more.year_from or more.year_to) else filters
    return filters.model_copy(update={"year_from": years.year_from, "year_to": years.year_to, "where": where})


def _requested(request: Request, former: str) -> Reading:
    """A request about the former answer: its question, which is asked again where limits or the latest are wanted."""
    newer = request.kind == "latest" and not latest(former)
    return Reading(f"{former.rstrip(' ?.!')} in the latest studies?" if newer else former)


def follow_up(
    asked: str | Question,
    former: Answer,
    now: int,
    *,
    task: Task | None = None,
) -> Question:
    """A question as it reads after a former answer; the limits and the context of the former question hold where it
    has none.

    Args:
        now: the year of "the last five years".
        task: the kind of answer; guessed from the question as it was read when absent.

    What its words alone do not tell is `unclear`. Raises what `Question.ask` raises.
    """
    typed = as_question(asked, task=task)
    letters = {option.letter: option.text for option in typed.options}
    guessed = task is None and typed.task == Question.ask(typed.text, options=letters).task
    request, earlier, before = request_in(typed.text, now), former.question, conversation_after(former)
    unclear = ""
    if request and request.kind != "authors" and papers_meant(typed.text, before):
        request = None  # "was the trial randomised?" limits nothing
    if request is None or request.kind == "collection":
        choice = _chosen(typed.text, earlier.follows.choices if earlier.follows else ())
        try:
            reading = Reading(choice) if choice else read_follow_up(typed.text, before)
        except UsageError as error:
            reading, unclear = Reading(typed.text), str(error)
    else:
        reading = _requested(request, before.question)
        guessed, letters = False, {option.letter: option.text for option in earlier.options}
        typed = typed.model_copy(update={"task": earlier.task})
    filters = typed.filters if typed.filters != Filters() else earlier.filters
    question = Question.ask(
        reading.text,
        task=None if guessed else typed.task,
        options=letters,
        filters=within(filters, request.limits) if request else filters,
        documents=typed.documents,
        context=typed.context or former.question.context,
    )
    aside = reading.paper or reading.choices
    follows = Follows(
        answer=former.trace_id,
        question=before.question,
        asked=typed.text,
        word=reading.word,
        stands_for=reading.stands_for,
        documents=tuple(document.id for document in former.documents),
        carried=reading.carried,
        things=before.earlier if aside else before.things_after(reading.text),
        began=before.began if aside else before.began_after(typed.text, reading.text),
        paper=reading.paper,
        choices=reading.choices,
        unclear=unclear,
    )
    return question.model_copy(update={"follows": follows})
