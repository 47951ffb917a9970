"""A follow-up question: what "it" stands for in it, or what it requests of the answer that it follows."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from medground.errors import UsageError
from medground.language.conversation import (
    ACTING,
    Conversation,
    left_out,
    named_in,
    papers_meant,
    things_before,
    topics_of,
    with_subject,
)
from medground.language.ellipsis import completed
from medground.language.noun_phrases import ASKING, AUXILIARIES, PREPOSITIONS, VERBS, Thing
from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.language.pointing import Reading, pointing, points_at_something
from medground.language.question_reading import Asked
from medground.language.requests import Request, latest, request_in
from medground.language.sentences import sentence_spans
from medground.language.words import terms
from medground.values.answer import Answer, SourceDocument
from medground.values.query import Filters
from medground.values.question import Follows, Question, Task, as_question

_LEAD = lazy_pattern(
    r"^(?:and|or|but|so|then|also|what about|how about|and what about|and how about)\b[\s,]*", re.IGNORECASE
)
_SEVERAL = re.compile(rf"\?\s+(?=\w)|,?\s+and\s+(?=(?:{'|'.join(sorted(ASKING | AUXILIARIES))})\b)", re.IGNORECASE)
"""What stands between two questions of one text."""
_MOST_QUESTIONS = 3
_ANNOUNCED = lazy_pattern(
    r"^(?:(?:and|ok|so|now)\s+)*(?:an)?(?:other|different|new|something else)\b[\w ]*[:,.-]\s+(?=\w)", re.IGNORECASE
)
"""What begins anew: `another question: is a wart contagious`."""
_DESCRIBED = lazy_pattern(r",\s+(?:who|he|she|they|i)(?:[’']\w+| is| are| am| has| have)\s[^,?]+", re.IGNORECASE)
"""What is said of somebody: `my mother, she is 80`."""
_NAMING = re.compile(r"\b(?:what|how) about\b", re.IGNORECASE)
_NAMING_FIRST = lazy_pattern(
    r"(?:(?:and|but|so|ok|now)\s+)*(?:what about|how about|back to|as for) (?:the\s+)?(?P<name>[^,?]+)[,?]\s+"
    r"(?P<rest>.+)",
    re.IGNORECASE,
)
"""A name, and what is asked of it: `what about gout, is that worse`, `back to gout, is that worse`."""
_OR_NAME = lazy_pattern(
    r"^(?:and|or|(?:the )?same (?:question |thing )?(?:for|with))\s+(?P<name>[^,;:]+)$", re.IGNORECASE
)
_TRUE = verbose_pattern(
    r"""
    ^(?:and\ |but\ |so\ )?(?:is|are|does|do|did|was|will|would)\ (?:this|that|it|the\ same)\ (?:also\ |still\ |
    really\ |always\ |only\ )*(?:true|the\ case|the\ same|valid|correct|so|hold|apply)(?:\ true)?(?:\ too|
    \ as\ well)?(?:\ (?P<rest>(?P<how>for|in|to|with|among|during|after)\ .+?))?(?:\ too|\ as\ well)?$
    """
)
_WHY = verbose_pattern(
    r"""
    ^(?:and\ |but\ |so\ )?(?P<how>why|why\ not|how|when|where|how\ (?:often|long|much|soon|quickly|many\ times)|
    for\ how\ long)$
    """
)
_KIND_OF = re.compile(r"^(?P<kind>.*\b(?:cases?|forms?|stages?|disease))$", re.IGNORECASE)
_PLACE = lazy_pattern(
    r"(?:the )?(?:(?:1|1st|first|former)|(?P<last>2|2nd|second|last|latter|other))(?: one)?", re.IGNORECASE
)
_DEGREE = lazy_pattern(
    r"^(?:(?:mild|moderate|severe|acute|chronic|early|late|advanced|serious|critical)\s+)+", re.IGNORECASE
)
_OF_DISEASES = r"""
    symptoms?|signs?|causes?|treatments?|therapy|therapies|prognosis|cure|life\ expectancy|incubation\ period|
    prevalence|incidence|mortality|survival|inheritance|age\ of\ onset|complications?|prevention|risk\ factors|
    genes?|mutations?|diagnosis|diagnostic\ tests?|tests?|vaccines?
"""
_OF_DRUGS = r"""
    doses?|dosage|(?:side|adverse)\ effects?|contra-?indications?|interactions?|half-life|
    mechanisms?\ of\ action|mechanisms?|antidote|risks?|benefits?|alternatives?|indications?|costs?|price|
    evidence|harms?|dangers?
"""
_THING = verbose_pattern(
    rf"""
    ^(?:and\ |but\ |so\ )?(?:(?:what(?:[’']?s|\ is|\ are|\ were|\ was)|which|is\ there|are\ there|any|
    does\ it\ have)\s+)?(?:(?:the|a|an|any|other|usual|main|right|best|recommended|most|common|typical|
    long-term|possible|known|normal|correct|available|first|average|exact|
    serious)\s+)*(?P<thing>(?P<disease>{_OF_DISEASES})|{_OF_DRUGS})(?:\ (?:are|is)\ (?:there|available|known|
    common|used)|\ available|\ known|\ with\ [\w\s-]{{2,40}})?$
    """
)
_FOR = verbose_pattern(
    r"""
    ^(?:cure|treatments?|therapy|therapies|tests?|diagnostic\ tests?|antidote|vaccines?|evidence)$
    """
)
_LONGEST_CONDITION = 12
_LONGEST_NAME = 6
_OTHER_NUMBER = {"does": "do", "is": "are", "was": "were", "has": "have"}
_OTHER_NUMBER |= {other: verb for verb, other in _OTHER_NUMBER.items()}
_NUMBER = re.compile(rf"^(?:{'|'.join(_OTHER_NUMBER)})\b", re.IGNORECASE)
"""The verb that begins a closed question, if its form tells one from several."""


def bare_interrogative(asked: str, before: Conversation) -> Reading | None:
    """`Why?` after a closed question: why it is so."""
    former = before.question
    found = _WHY.fullmatch(_bare(asked))
    begins = former.split(" ", 1)[0]
    if found is None or begins.lower() not in AUXILIARIES:
        return None
    how = found["how"].replace(" not", " not:")
    return Reading(f"{how[0].upper()}{how[1:]} {former[0].lower()}{former[1:].rstrip(' ?.!')}?")


def still_true(asked: str, before: Conversation) -> Reading | None:
    """`Is that true for women too?`: the former question of them."""
    former = before.question
    found = _TRUE.fullmatch(_bare(asked))
    if found is None:
        return None
    if found["rest"] is None:
        return Reading(former) if former.split(" ", 1)[0].lower() in AUXILIARIES else None
    of = found["rest"].partition(" ")[2]
    if Thing(of).is_people:
        return condition(f"{'in' if found['how'].lower() in ('for', 'to') else found['how']} {of}", before)
    if found["how"].lower() in ("for", "to"):
        return another_name(f"what about {of}", before)
    return condition(found["rest"], before)


def condition(asked: str, before: Conversation) -> Reading | None:
    """`And in children?`: the former question under that condition."""
    former = before.question
    rest = _LEAD.sub("", asked).rstrip(" ?.!")
    words = [word.strip(",;:-") for word in rest.lower().split()]
    if (
        not 2 <= len(words) <= _LONGEST_CONDITION
        or words[:2] == ["when", "to"]
        or words[0] not in PREPOSITIONS - {"of", "to", "that", "about"}
    ):
        return None
    if (AUXILIARIES | ASKING - {"when"}) & set(words):
        return None
    if len(former.split()) < 2:  # a mere "Why?" says of nothing
        raise UsageError(f"cannot tell which question {rest[:60]!r} belongs to; write the whole question")
    pointed = pointing(rest, before) if points_at_something(rest) else None
    added = pointed.text if pointed else rest
    start = former.rstrip(" ?.!")
    most = _LONGEST_CONDITION if words[0] == "when" else 4
    same = re.search(rf"\s{re.escape(words[0])}\s(?P<of>(?:\S+\s?){{1,{most}}})$", start, re.IGNORECASE)
    if same and words[0] in ("in", "for", "among", "during", "after", "against", "when"):
        start, added = _in_place(start, same, added)
    return Reading(f"{start} {added[0].lower()}{added[1:]}?")


def _in_place(before: str, same: re.Match[str], added: str) -> tuple[str, str]:
    """A condition in place of the same kind of one: people of people; a mild case stays one of that disease."""
    of = same["of"].strip()
    if _KIND_OF.match(added) and Thing(of).is_disease:
        return before[: same.start()], f"{added} of {_DEGREE.sub('', of)}"
    if (
        Thing(added).is_people
        and added.split(" ", 1)[0] != "when"
        and not Thing(of).is_people
        and not of.lower().startswith("pregnan")
    ):
        return before, added
    return before[: same.start()], added


def another_name(asked: str, before: Conversation) -> Reading | None:
    """`What about warfarin?`, `and warfarin?`: the former question about that."""
    former = before.question
    naming = _NAMING.search(asked)
    named = None if naming else _OR_NAME.fullmatch(_bare(asked))
    if not naming and not named:
        return None
    name = (named["name"] if named else _LEAD.sub("", _NAMING.sub("", asked, count=1).strip())).strip(" ?.!,")
    words = name.lower().split()
    if not words or len(words) > _LONGEST_NAME or AUXILIARIES & set(words) or points_at_something(name):
        return None
    if named and (len(words) > 4 or (ASKING | VERBS | PREPOSITIONS) & set(words) or _THING.fullmatch(name)):
        return None
    if words[0] == "the" and " between " in f" {name} ":
        return None
    found = things_before(before)
    if Thing(name).is_people and found:
        return condition(f"in {name}", before)
    topics = topics_of(name)
    role = topics[0].role if topics else "disease" if Thing(name).is_disease else "treatment"
    role = "treatment" if words[0].endswith("ing") else role  # what somebody does: losing weight
    alike = [thing for thing in found if role == "disease" and thing.is_disease]
    alike = sorted(alike, key=lambda thing: len(thing.text)) or [
        Thing(t.name) for t in topics_of(former) if t.role == role
    ]
    if topics and not alike and topics_of(former):  # a drug after a disease: both stand
        return Reading(with_subject(former, name))
    replaced = next(iter([*alike, *found]), None)
    if replaced and replaced.text in name:  # another kind of it
        replaced = next((thing for thing in found if replaced.text in thing.text), replaced)
    if replaced is None or replaced.text not in former:
        raise UsageError(f"cannot tell which question {name[:60]!r} belongs to; write the whole question")
    text = re.sub(r"(?:\ban? )?" + re.escape(replaced.text), lambda _: re.sub(r"^the\s+", "", name), former, count=1)
    if replaced == found[0] and Thing(name).is_plural != replaced.is_plural:
        text = _NUMBER.sub(lambda verb: _OTHER_NUMBER[verb[0].lower()].capitalize(), text)
    return Reading(text)


def thing_asked_for(asked: str, before: Conversation) -> Reading | None:
    """`Side effects?`, `is there a cure?`: of what the former question is about."""
    text = _bare(asked)
    found = _THING.fullmatch(text)
    if found is None or not found["thing"]:
        return None
    named = [thing for thing in things_before(before) if not thing.is_people and not thing.is_asked_for]
    diseases = sorted((thing for thing in named if thing.is_disease), key=lambda thing: len(thing.text.split()))
    others = [thing for thing in named if not thing.is_disease]
    chosen = next(iter([*diseases, *named] if found["disease"] else [*others, *named]), None)
    if chosen is None:
        asked_before = before.question[:80]
        raise UsageError(f"cannot tell from “{asked_before}” what {found['thing']!r} is about; write the name as well")
    of = "for" if _FOR.match(found["thing"]) else "of"
    end = found.end("thing")
    return Reading(f"{text[:end]} {of} {chosen.text}{text[end:]}?")


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
    if follows.paper:  # what was asked of a paper changes nothing of what the conversation is about
        unquoted = SourceDocument(id=follows.paper, title=follows.stands_for, kind="research")
        paper = documents.get(follows.paper, unquoted)
        return Conversation(follows.question, earlier=follows.things, quoted=papers, paper=paper)
    is_name = _NAMING.search(follows.asked) or _OR_NAME.fullmatch(_bare(follows.asked))
    named = named_in(follows.asked) if is_name else ()
    referent = follows.stands_for or next((topic.name for topic in named if topic.name in question.text), "")
    return Conversation(question.text, follows.carried, follows.things, papers, referent=referent)


def _chosen(asked: str, choices: Sequence[str]) -> str | None:
    """Which of the questions that were asked back somebody chooses: `2`, `the second`, or a word that only it has."""
    place = _PLACE.fullmatch(_bare(asked))
    if place and choices:
        return choices[-1] if place["last"] else choices[0]
    said = set(terms(asked))
    fitting = [choice for choice in choices if said and said <= set(terms(choice))]
    return fitting[0] if len(fitting) == 1 else None


def _with_problem(reading: Reading, before: Conversation) -> Reading:
    """A question about another drug or about people, with the disease or finding that it leaves out."""
    problem, roles = before.problem, {topic.role for topic in topics_of(reading.text)}
    if not problem or problem in reading.text or not roles.isdisjoint({"disease", named_in(problem)[0].role}):
        return reading
    return replace(reading, text=with_subject(reading.text, problem), carried=problem)


def read_follow_up(asked: str, former: str | Conversation) -> Reading:
    """A follow-up question as it reads by itself, after the question `former` or the whole conversation before it.

    >>> read_follow_up("which exercises help", "my mother has vertigo").text
    'which exercises help with vertigo?'

    Raises UsageError: a word points back at something that the form of the former question does not tell.
    """
    before = Conversation(former) if isinstance(former, str) else former
    papers = papers_meant(asked, before)
    if papers is not None:
        return _about_paper(asked, papers)
    if announced := _ANNOUNCED.match(asked):
        return Reading(asked[announced.end() :])
    described = _DESCRIBED.search(asked)
    if described and Thing(asked[: described.start()]).is_people and _LEAD.match(asked):
        of_them = read_follow_up(asked[: described.start()], before)
        return replace(of_them, text=of_them.text.rstrip(" ?.!") + described[0])
    typed, asked = asked, completed(asked, before)
    if naming := _NAMING_FIRST.fullmatch(asked):
        return read_follow_up(naming["rest"], Conversation(naming["name"], earlier=(naming["name"],)))
    for form in (bare_interrogative, still_true, condition, another_name, thing_asked_for, pointing):
        if (reading := form(asked, before)) is not None:
            is_lacking = form is another_name or Thing(reading.stands_for).is_people
            is_lacking |= form is pointing and ACTING.search(asked.rpartition(",")[2]) is not None
            return _with_problem(reading, before) if is_lacking else reading
    names = left_out(asked, before) if asked == typed else []
    wholes = [with_subject(asked, name) for name in names]
    if len(wholes) > 1:
        return Reading(asked, choices=tuple(wholes))
    return Reading(wholes[0], carried=names[0]) if names else Reading(asked)


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
        found += [(part, read_follow_up(f"{part}?", first).text) for part in said[1:]]
    except UsageError:
        return ((text, asked),)
    readings = tuple((part, asked.reworded(whole)) for part, whole in found)
    return readings if all(one.deciding for _, one in readings) else ((text, asked),)


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
    options: Sequence[str] | Mapping[str, str] = (),
    context: str = "",
) -> Question:
    """A question as it reads after a former answer; the limits and the context of the former question hold where it
    has none.

    Args:
        now: the year of "the last five years".
        task: the kind of answer; guessed from the question as it was read when absent.

    Raises UsageError: the former question does not tell what a word such as "it" stands for; or as `Question.ask`.
    """
    typed = as_question(asked, task=task, options=options, context=context)
    letters = {option.letter: option.text for option in typed.options}
    guessed = task is None and typed.task == Question.ask(typed.text, options=letters).task
    request, earlier, before = request_in(typed.text, now), former.question, conversation_after(former)
    if request and request.kind != "authors" and papers_meant(typed.text, before):
        request = None  # "was the trial randomised?" limits nothing
    if request is None or request.kind == "collection":
        choice = _chosen(typed.text, earlier.follows.choices if earlier.follows else ())
        reading = Reading(choice) if choice else read_follow_up(typed.text, before)
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
    follows = Follows(
        answer=former.trace_id,
        question=before.question,
        asked=typed.text,
        word=reading.word,
        stands_for=reading.stands_for,
        documents=tuple(document.id for document in former.documents),
        carried=reading.carried,
        things=before.things_after(reading.text, carried=reading.carried, pointed=reading.stands_for),
        paper=reading.paper,
        choices=reading.choices,
    )
    return question.model_copy(update={"follows": follows})
