"""What a conversation is about: its things, which the next question may leave out, and the papers that were quoted."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, pairwise, zip_longest
from typing import Literal

from medground.language import words
from medground.language.noun_phrases import ASKING, AUXILIARIES, PREPOSITIONS, STATES, Thing, things
from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.language.question_reading import InWords, reading_of
from medground.language.subject import Subject
from medground.language.types import typed
from medground.language.word_lists import word_lists
from medground.values.answer import SourceDocument
from medground.values.where import design_types

Role = Literal["disease", "symptom", "treatment", "finding", "test", "other"]
_TREES: tuple[tuple[Role, str], ...] = (
    ("symptom", r"C23\.888"),
    ("disease", r"C(?!23)|F03"),
    ("finding", "C23"),
    ("test", "E01|E05"),
    ("treatment", r"[DE]|G07|J02|B01\.650"),
    ("finding", "[AN]"),
)
"""Trees of MeSH by the role of their things; the first row that fits counts. A symptom is a disease where none is named
beside it, else a finding. A finding is what is found of somebody."""
_OFFERED = verbose_pattern(
    r"""
    \bthere\ (?:an?\ |any\ |some\ )?(?P<thing>(?:\w+\ ){0,2}?(?:vaccine|drug|medicine|therapy|operation|surgery|
    supplement|diet|treatment)s?(?:\ (?:for|against)\ [\w\s-]{2,40})?)\W*$
    """
)
_PAPER = verbose_pattern(
    r"""
    \b(?:the|this|that|these|those)\s+(?:same\s+|latest\s+|quoted\s+)?(?P<paper>trial|study|paper|article|
    meta-analysis|systematic\ review|review|overview|cohort|guideline|authors|researchers|investigators)\b(?!\ (?:of|on|
    by|from|with|that|which|about|comparing)\b)
    """
)
_BETWEEN = lazy_pattern(r"\bbetween (?:an? |the )?(?P<one>[^,?]+?) and (?:an? |the )?(?P<other>[^,?]+)", re.IGNORECASE)
_PROPOSITION = lazy_pattern(r"^(?:is|was|has|have|does|did|can|could|will|would|are) (?:this|that) ", re.IGNORECASE)
_DEFINED = lazy_pattern(r"^what(?:[’']s| is) an? (?!.* like\W*$)", re.IGNORECASE)
_PAST = lazy_pattern(r"\b(?:was|were|did|had|paid|took|\w+ed|rate)\b", re.IGNORECASE)
_WHICH = verbose_pattern(
    r"""
    ^(?:and\ |so\ |but\ |then\ )?which\ (?:one|of\ (?:them|these|those|the\ (?:two|three))|is|are|has|have|
    works?|helps?|does|lasts?|causes?|needs?|comes?|costs?|hurts?)\b
    """
)
ACTING = lazy_pattern(r"\b(?:help|work|prevent|reduce|cure|better|good)s?\b", re.IGNORECASE)
_ELSE = lazy_pattern(
    r"\b(?:anything|nothing|else|other|instead|alternatives?|the same|do(?:es)? (?:that|so))\b", re.IGNORECASE
)
"""What else there is for a disease."""
OF_DRUG = verbose_pattern(
    r"""
    \b(?:dos(?:e|es|age)|side\ [ae]f{1,2}ects?|interactions?|contra-?indications?|half-life|
    tak(?:e(?!\ to\b)|es|en|ing)|
    stop(?:s|ped|ping)?|on\ it|swallow\w*|inject\w*|shots?|tablets?|pills?|works?|done|given|wear|levels?|
    the\ blood\ tests)\b
    """
)
ONE_OF = lazy_pattern(r"\bwhich (?:one|of (?:them|these|those|the two))\b", re.IGNORECASE)
OF_DISEASE = verbose_pattern(
    r"""
    \b(?:symptoms?|signs?|causes?|treatments?|treated|cured?|prognosis|contagious|inherited|hereditary|
    diagnos\w+|catch|die|dying|survival|come\ back|go\ away|prevent\w*|heal|outgrow|recover|operate|live)\b
    """
)
_PERSONS = word_lists("noun_phrase_words")["persons"]
_OTHERS = _PERSONS - {"i", "me", "my", "you", "your", "we", "us", "our", "it"}
"""Words for somebody who was named before."""
_FEW, _FEW_OF_A_PERSON = 3, 5
"""Maximum words that say much, of a question that leaves out what it is about, and of one about "him" or "me"."""
_SHORT, _LONG = 6, 8
"""Words of a question that may say one thing more and yet leave out what it is about, and of one on "the vaccine"."""
_NAME = 3
"""Words from which a noun phrase names something, though no heading has it, such as a disease activity score."""
_ORDINARY = 2.0
"""Weight below which a word says little, such as risk."""
_REMEMBERED = 6
_RARE = 5.0
"""Weight of a word that names something, though no heading has it."""


@dataclass(frozen=True)
class Topic:
    """A thing that a question names."""

    name: str
    role: Role


@dataclass(frozen=True)
class Conversation(InWords):
    """What was asked before a question, and what its answer quotes.

    Attributes:
        question: the question before, as it was read.
        subject: what was carried into it, such as `gout`; empty where it named its subject.
        referent: what "it" stood for in it; most often the next "it" stands for the same.
        earlier: names of the things of all questions before, the latest first; the last is what it began with.
        quoted: the papers that its answer quotes, in order.
        paper: the one paper that it was about, if it was about one.
    """

    question: str
    subject: str = ""
    earlier: tuple[str, ...] = ()
    quoted: tuple[SourceDocument, ...] = ()
    paper: SourceDocument | None = None
    referent: str = ""

    @property
    def in_words(self) -> str:
        """The question before."""
        return self.question

    @property
    def topics(self) -> list[Topic]:
        """All its things: the subject that was carried, the others of the last question, then the earlier ones."""
        found = [topic for text in (self.subject, self.question) if text for topic in named_in(text)]
        found += map(_named, self.earlier) if self.earlier else _outcomes(self.question)
        names = [topic.name.casefold() for topic in found]
        return [topic for n, topic in enumerate(found) if names.index(names[n]) == n]

    @property
    def pair(self) -> list[str]:
        """The two things that its last question compares, in order; else the latest two of one kind."""
        if " or " in self.subject:
            return self.subject.split(" or ", 1)
        if (between := _BETWEEN.search(self.question)) is not None:
            return [between["one"], between["other"]]
        compared = self.asked.comparison
        if compared and compared.sides:
            return sorted(compared.said, key=self.question.find)
        here = topics_of(self.question)
        for topic, other in combinations(here, 2):
            both = sorted((topic.name, other.name), key=self.question.find)
            if topic.role == other.role and (compared or " or ".join(both) in self.question):
                return both
        return []

    @property
    def latest(self) -> list[str]:
        """Its two latest things of one kind; empty if there are no two."""
        for topic in self.topics:
            alike = [other.name for other in self.topics if other.role == topic.role in ("disease", "treatment")]
            if len(alike) > 1:
                return alike[:2]
        return []

    @property
    def problem(self) -> str:
        """The disease, or else the finding, that it is about; empty if it is about none."""
        known = [*([self.main] if self.main else []), *self.topics]
        diseases = [topic.name for topic in known if topic.role == "disease"]
        others = [topic.name for topic in known[::-1] if topic.role in ("finding", "other")]
        return next(iter([*diseases, *others]), "")

    @property
    def means(self) -> str:
        """The latest drug or procedure, or the two that its last question compares; empty if there is none."""
        treatments = [topic.name for topic in self.topics if topic.role == "treatment"]
        if self.pair and set(self.pair) <= set(treatments):
            return " or ".join(self.pair)
        return next(iter(treatments), "")

    def things_after(self, text: str, *, carried: str, pointed: str) -> tuple[str, ...]:
        """Names of its things once a question was read as `text`, the latest first, and last what it is about now.

        It stays about what it began with where a question carries something or points at it, unless it points at a
        disease; else it is about what the question names.
        """
        named = topics_of(text)
        diseases = [topic for topic in topics_of(pointed or text) if topic.role == "disease" and not carried]
        main = _first_said(pointed or text, diseases or ([] if pointed or carried else named)) or self.main
        if self.main and self.main.name in text and not pointed:
            main = self.main
        names = dict.fromkeys(topic.name for topic in (*named, *self.topics))
        return (*list(names)[: _REMEMBERED - 1], *([main.name] if main else []))

    @property
    def main(self) -> Topic | None:
        """What it began with."""
        if self.earlier:
            return _named(self.earlier[-1])
        return _first_said(self.question, named_in(self.question))


@lru_cache(maxsize=256)
def topics_of(text: str) -> tuple[Topic, ...]:
    """The things that a text names, by what its words mean.

    >>> [topic.role for topic in topics_of("my dad has gout, does colchicine help him")]
    ['disease', 'treatment']
    """
    found, known = list[Topic](), _known(text)
    for one, follows in zip_longest(known, known[1:]):
        if not one.decides or one.aside:
            continue
        is_qualified = follows is not None and not follows.decides and _begins_after(one, follows)
        said = next((name for name in (one.said, *one.names[:1]) if name in text), one.said)  # as it was typed
        name = f"{said} {follows.said}" if follows and is_qualified else said  # HPV vaccine, cataract surgery
        name = _with_type(name, text)
        found.append(Topic(name, "treatment" if is_qualified else _role(one)))
    found = _with_means(found, text)
    is_ill = any(topic.role == "disease" for topic in found)
    return tuple(
        Topic(topic.name, "finding" if is_ill else "disease") if topic.role == "symptom" else topic for topic in found
    )


def _with_means(found: list[Topic], text: str) -> list[Topic]:
    """The things of a text, and what it asks the effect of, though no heading has it: `does acupuncture help`."""
    clause = re.split(r"[,;:]\s", text)[-1]
    if clause.split(" ", 1)[0].lower() not in AUXILIARIES or not ACTING.search(clause):
        return found
    name = re.split(rf" (?:any|{'|'.join(sorted(PREPOSITIONS))})\b", next(iter(_phrases(clause)), ""))[0]
    inside = [topic for topic in found if topic.name in name]
    if not name or any(topic.role not in ("treatment", "other") for topic in inside):
        return found
    return [Topic(name, "treatment"), *(topic for topic in found if topic not in inside)]


def named_in(text: str) -> Sequence[Topic]:
    """The things that a text names, by what its words mean, or else by its form."""
    return topics_of(text) or _by_form(text)


def _named(name: str) -> Topic:
    """The thing that has this name."""
    return replace(next(iter(named_in(name)), Topic(name, "other")), name=name)


def _first_said(text: str, named: Sequence[Topic]) -> Topic | None:
    return min(named, key=lambda topic: (topic.role == "other", text.find(topic.name)), default=None)


def _known(text: str) -> list[Subject]:
    return [subject for subject in reading_of(text).subjects if subject.heading or subject.decides]


def _with_type(name: str, text: str) -> str:
    """A name with the type, stage or grade that stands beside it, `stage 2 melanoma`."""
    for said in (one.said for one in typed(text) if one.said not in name):
        if name in said:
            return said
        for whole in (f"{said} {name}", f"{name} {said}"):
            if whole in text and said.rpartition(" ")[2] not in PREPOSITIONS:
                return whole
    return name


def _begins_after(one: Subject, follows: Subject) -> bool:
    """Whether a drug or a procedure follows a name at once, and so is qualified by it."""
    from medground.pubmed.mesh import vocabulary

    heading = vocabulary().find(follows.heading)
    done = heading is not None and any(tree.startswith(("D", "E", "H02")) for tree in heading.trees)
    return done and one.start >= 0 and follows.start == one.start + len(one.said) + 1


def _by_form(text: str) -> list[Topic]:
    """The things of a text that has no narrow heading, such as `ear infection` and `cognitive behavioral therapy`."""
    told = sorted(_known(text), key=lambda one: one.start)
    for part, one in pairwise([None, *told]):
        if one and one.is_thing and one.of_health and not one.aside:
            beside = part is not None and part.start + len(part.said) + 1 == one.start
            return [Topic(f"{part.said} {one.said}" if part and beside else one.said, _role(one))]
    rare = [phrase for phrase in _phrases(text) if any(words.weight(stem) >= _RARE for stem in words.terms(phrase))]
    head = re.split(r"[,;:.]", text)[0]
    plain = (AUXILIARIES | ASKING | _PERSONS).isdisjoint(head.lower().split()) and len(head.split()) <= _NAME
    return [Topic(name, "other") for name in rare or [head][: int(plain)]]


def _phrases(text: str) -> list[str]:
    """The noun phrases of a text that name no people, and not what it asks for."""
    return [one.text for one in things(text) if not (one.is_people or one.is_asked_for or _is_clause(one.text))]


def _outcomes(text: str) -> list[Topic]:
    """What a drug is asked about, though it is no disease: `hair` of `does finasteride make hair grow back`."""
    named = topics_of(text)
    if not named or any(topic.role != "treatment" for topic in named):
        return []
    return [Topic(one, "other") for one in _phrases(text) if not any(topic.name in one for topic in named)][:1]


def _role(subject: Subject) -> Role:
    """The role of a thing; a name in capitals that no heading has is most often a drug's, another word is misspelt."""
    from medground.language.mesh_terms import is_drug_name  # it brings MeSH
    from medground.pubmed.mesh import vocabulary

    names = (name for name in (subject.heading, *subject.names) if name)  # Crohn is of Crohn Disease
    heading = next(filter(None, map(vocabulary().find, names)), None)
    if heading is None:
        return "other" if subject.said.islower() and not is_drug_name(subject.said) else "treatment"
    return next((role for role, tree in _TREES if any(re.match(tree, one) for one in heading.trees)), "other")


def _is_clause(phrase: str) -> bool:
    return not _PERSONS.isdisjoint(phrase.lower().split())


def things_before(before: Conversation) -> list[Thing]:
    """What the question before is about, the most likely first: what "it" stood for there, a drug that it brought in,
    what was carried into it, then its noun phrases in order.
    """
    topics = topics_of(before.question)
    names = [topic.name for topic in topics]
    phrases = [thing for thing in things(before.question) if not _is_clause(thing.text)]
    naming = [phrase for phrase in phrases if any(name.casefold() in phrase.text.casefold() for name in names)]
    offered = _OFFERED.search(before.question)  # is there a vaccine for shingles?
    if before.referent and not offered:
        return list(dict.fromkeys([Thing(before.referent), *naming]))
    if before.subject:
        brought = [Thing(topic.name) for topic in topics if topic.role == "treatment" and _leads(topic.name, before)]
        return list(dict.fromkeys([*brought, Thing(before.subject), *naming, *phrases]))
    if offered:
        return list(dict.fromkeys([Thing(offered["thing"]), *phrases]))
    if phrases and (naming or not names) and not before.paper:
        return phrases
    findings_last = sorted(topics, key=lambda topic: topic.role == "finding")
    return [Thing(name) for name in [topic.name for topic in findings_last] or before.earlier]


def _leads(name: str, before: Conversation) -> bool:
    """Whether a question is about what it brought in: `are steroid drops safe`, not `can I use steroid drops`."""
    head = before.question.partition(name)[0].lower().split()
    is_told = head[:1] and (AUXILIARIES | ASKING).isdisjoint(head[:1])
    return name not in before.subject and (is_told or (len(head) < _NAME and (_PERSONS | ASKING).isdisjoint(head)))


def left_out(asked: str, before: Conversation) -> list[str]:
    """What a question leaves out that the conversation is about; several where it may be either of two things.

    Empty where the question names what it is about.
    """
    both = before.pair or before.latest
    if both and (ONE_OF.search(asked) or (before.pair and _WHICH.search(asked))):
        return [" or ".join(both)]
    named = topics_of(asked)
    ill = [topic.name for topic in before.topics if topic.role == "disease"]
    is_named_again = any(name.endswith(topic.name) for name in ill for topic in named)
    if is_named_again or names_its_subject(asked):
        return []
    roles = {topic.role for topic in named}
    problem, means = before.problem, before.means
    if _PROPOSITION.search(asked):
        return [topic.name for topic in _last(before)[:2]]
    main = before.main
    is_combined = (main is not None and main.role == "treatment" and not ACTING.search(asked)) or _is_compared(asked)
    if " or " in means and not roles:
        chosen = means
    elif (
        ("treatment" in roles and not is_combined)
        or "disease" in roles
        or OF_DISEASE.search(asked)
        or _ELSE.search(asked)
    ):
        chosen = problem or means
    elif "treatment" in roles or OF_DRUG.search(asked):
        chosen = means or problem
    else:
        here, last = before.subject or before.question, _last(before)
        two = [topic.name for topic in last[:2] if topic.role == "disease"]
        if len(two) > 1 and not before.earlier:
            return two
        last = [topic for topic in last if topic.role not in ("finding", "test")] or last
        first = main if main and main.role == "disease" and main.name in here else next(iter(last), None)
        chosen = first.name if first else ""
    return [for_what(chosen, before)] if chosen else []


def for_what(name: str, before: Conversation) -> str:
    """A treatment that many things have, such as surgery, with what it is for; any other name as it is."""
    is_general = name == before.means and not topics_of(name)
    problem = before.problem
    return f"{name} for {problem}" if is_general and problem and problem not in name else name


def _is_compared(asked: str) -> bool:
    """Whether a question compares something with what it leaves out: `would letrozole be better`."""
    said = asked.lower().rstrip(" ?.!").split()
    return "than" not in said and any(word in STATES and word.endswith(("er", "erent", "same")) for word in said)


def _last(before: Conversation) -> list[Topic]:
    """The things that the last question was about."""
    subject = before.referent or before.subject or before.question
    return list(named_in(subject)) or before.topics


def names_its_subject(asked: str) -> bool:
    """Whether a question needs no other: it says much, defines something, or names a disease of which nobody spoke.

    A person or one of two things that were named before, and `the` before the name, tell that it is about them.

    >>> [names_its_subject(asked) for asked in ("is a wart contagious", "do the tics get better", "can he get warts")]
    [True, False, False]
    """
    said = re.findall(r"[\w'’-]+", asked.lower())
    saying_much = [stem for stem in words.terms(asked) if words.weight(stem) >= _ORDINARY]
    few = _FEW + (len(said) <= _SHORT) if _PERSONS.isdisjoint(said) else _FEW_OF_A_PERSON
    is_long = not (len(said) <= _LONG and _refers(asked)) and len(saying_much) > few
    if is_long or ":" in asked or _DEFINED.search(asked):
        return True
    named = [topic for topic in topics_of(asked) if not _is_the(topic.name, asked)]
    head = asked[: min((place for topic in named if (place := asked.find(topic.name)) >= 0), default=0)].lower().split()
    if _WHICH.search(asked) or said[-1:] == ["like"] or not _OTHERS.isdisjoint(head):
        return False
    if len(named) != 1:
        return len(named) > 1 or (not topics_of(asked) and any(_is_a_name(thing.text) for thing in things(asked)))
    if named[0].role == "disease":
        return said[0] in ASKING or not (_is_symptom(named[0]) or _is_compared(asked))
    if sum(one.is_thing and not one.aside for one in _known(asked)) > 1:  # does garlic cause bleeding
        return True
    is_whole = said[0] in ASKING - {"which"} and len(said) > _NAME and _PERSONS.isdisjoint(said)
    return is_whole and not ACTING.search(asked)


def _is_a_name(phrase: str) -> bool:
    """Whether a noun phrase is of so many words that it names something, and of no part of a body or a test."""
    is_known = any(_role(one) in ("finding", "test") for one in _known(phrase))
    return not (is_known or _is_clause(phrase)) and len(words.terms(phrase)) >= _NAME


def _is_symptom(topic: Topic) -> bool:
    """Whether a name is one that many diseases have, such as weight gain."""
    return any(_role(one) == "symptom" for one in _known(topic.name))


def _refers(asked: str) -> bool:
    """Whether a question is about something that is known, such as `the vaccine`."""
    told = (one.said for one in _known(asked) if one.is_thing and _is_the(one.said, asked))
    return any(not re.search(rf"{re.escape(name)} (?:of|for|against)\b", asked, re.IGNORECASE) for name in told)


def _is_the(name: str, asked: str) -> bool:
    """Whether a thing is one that is known: `how long does the tick have to be on`."""
    return re.search(rf"\bthe {re.escape(name)}\b", asked, re.IGNORECASE) is not None


def with_subject(asked: str, name: str) -> str:
    """A question with what it leaves out: `which exercises help with vertigo?`"""
    text = asked.rstrip(" ?.!")
    if _WHICH.search(asked) and " or " in name:
        return f"{text}, {name}?"
    return f"{text} with {name}?"


def papers_meant(asked: str, before: Conversation) -> list[SourceDocument] | None:
    """The quoted paper that a question is about, as in "how many patients were in the trial?"; two where it may be
    either, none where nothing fits; None where it is about no paper.

    What is asked in the past tense and names nothing is asked of the paper that the question before was about.
    """
    found = _PAPER.search(asked)
    if found is None:
        again = before.paper and not topics_of(asked) and _PAST.search(asked)
        return [before.paper] if again and before.paper else None
    named = [before.paper] if before.paper else []
    known = [*named, *(paper for paper in before.quoted if paper not in named)]
    fitting = [paper for paper in known if _is_a(found["paper"].lower(), paper)] or known
    return fitting[:1] if fitting[:1] == known[:1] else fitting[:2]


def _is_a(design: str, paper: SourceDocument) -> bool:
    """Whether a paper is of a design by its record or its title; anything is a `study`."""
    types = design_types(design)
    return not types or not types.isdisjoint(paper.publication_types) or design in paper.title.lower()
