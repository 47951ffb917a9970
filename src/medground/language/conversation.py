"""What a conversation is about: its things, which the next question may leave out, and the papers that were quoted."""

import re
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import combinations, zip_longest
from typing import Literal

from medground.language import words
from medground.language.noun_phrases import ASKING, AUXILIARIES, LISTS, PREPOSITIONS, PRONOUNS, STATES, Thing
from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.language.plain_words import is_plain
from medground.language.predicate_words import OFTEN_VERBS, VERBS
from medground.language.question_reading import Asked, InWords, reading_of
from medground.language.subject import Subject
from medground.language.types import typed
from medground.values.answer import SourceDocument
from medground.values.where import design_types

Role = Literal["disease", "symptom", "treatment", "finding", "test", "people", "name", "other"]
_TREES: tuple[tuple[Role, str], ...] = (
    ("symptom", r"C23\.888"),
    ("disease", r"C(?!23)|F03"),
    ("finding", "C23"),
    ("test", "E01|E05"),
    ("treatment", r"[DE]|G07|J02|B01\.650"),
    ("finding", "[AN]"),
)
"""Trees of MeSH by the role of their things; the first row that fits counts. A symptom is a disease where none is named
beside it, else a finding. A finding is what is found of somebody. What has no heading is a name or other words."""
_PAPER = verbose_pattern(
    r"""
    \b(?:the|this|that|these|those)\s+(?:same\s+|latest\s+|quoted\s+)?(?P<paper>trial|study|paper|article|
    meta-analysis|systematic\ review|review|overview|cohort|guideline|authors|researchers|investigators)\b(?!\ (?:of|on|
    by|from|with|that|which|about|comparing)\b)
    """
)
DRUG = (
    "drug|medicine|medication|treatment|therapy|agent|compound|supplement|vaccine|intervention|procedure|test|operation"
    "|surgery|diet"
)
MEANS = lazy_pattern(rf"(?:{DRUG})s?", re.IGNORECASE)
_OFFER = lazy_pattern(rf"\b(?P<means>(?:{DRUG})s?) (?:for|against) $", re.IGNORECASE)
_PAST = lazy_pattern(r"\b(?:was|were|did|had|paid|took|\w+ed|rate)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*|[^\w\s]")
_ENDS = (PREPOSITIONS | AUXILIARIES | ASKING | PRONOUNS | STATES | VERBS | OFTEN_VERBS) - {"of"}
_ENDS |= LISTS["verbs"] | LISTS["persons"] | words.FUNCTION_WORDS - {"of"}
_ENDS |= {"hello", "hi", "hey", "thanks", "thank", "please", "ok", "okay", "yes"}
"""Words that end a noun phrase, wherever they stand."""
_LONGEST_PHRASE = 4
_TELLING = 2.5
"""Weight from which a word may be the name of something, though no heading has it."""
_HELPING = lazy_pattern(
    r"\b(?:do|does|did|can|could|will|would) (?P<means>[\w-]+) (?:help|work|prevent|reduce|cure|treat|improve)\b",
    re.IGNORECASE,
)
_ORDER = ("disease", "treatment", "name", "symptom", "test", "finding", "other", "people")
"""Roles by how likely a thing of it is the subject."""
_SHORTENED = re.compile(r"['’]\w+$")
_SHORT = 4
_REMEMBERED = 24
"""How many mentions of things are remembered."""
_PAIRS = 2
"""How many pairs of things of one kind may be meant together."""
_JOINED = lazy_pattern(
    r"\W*(?:\w+\W+)?(?:and|or|vs|versus|than|over|from|,|/)\W*(?:(?:the|an?|with|just|to) )?", re.IGNORECASE
)


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
        earlier: names of the things of all questions before, the latest first, each as often as it was named.
        began: the question with which it began, or began anew.
        quoted: the papers that its answer quotes, in order.
        paper: the one paper that it was about, if it was about one.
        referent: what "it" stood for in it.
        typed: the question before, as it was typed.
    """

    question: str
    subject: str = ""
    earlier: tuple[str, ...] = ()
    quoted: tuple[SourceDocument, ...] = ()
    paper: SourceDocument | None = None
    referent: str = ""
    typed: str = ""
    began: str = ""

    @property
    def in_words(self) -> str:
        """The question before."""
        return self.question

    @cached_property
    def topics(self) -> list[Topic]:
        """All its things, the latest first."""
        found = [*named_in(self.question), *map(_named, self.earlier), *self.origin]
        names = [topic.name.casefold() for topic in found]
        return [topic for n, topic in enumerate(found) if names.index(names[n]) == n]

    @cached_property
    def pairs(self) -> list[tuple[Topic, Topic]]:
        """Any two of its latest things that are of one kind, in the order in which they were named."""
        found = list(combinations(self.topics, 2))
        alike = [pair for pair in found if pair[0].role == pair[1].role in ("disease", "treatment")]
        joined = [pair for pair in found if self._joins(*pair)]
        first = (self.began or self.question).casefold()
        said = [
            sorted(pair, key=lambda topic: first.find(topic.name.casefold())) for pair in (*joined, *alike[:_PAIRS])
        ]
        return list(dict.fromkeys((topic, other) for topic, other in said))

    def _joins(self, topic: Topic, other: Topic) -> bool:
        """Whether its last question names two things side by side."""
        between = self.question.partition(topic.name)[2].partition(other.name)
        return bool(between[1]) and _JOINED.fullmatch(between[0]) is not None

    @cached_property
    def origin(self) -> list[Topic]:
        """What it began with, the likeliest subject first."""
        first = self.began or self.question
        return sorted(named_in(first), key=lambda topic: (_ORDER.index(topic.role), first.find(topic.name)))

    def things_after(self, text: str) -> tuple[str, ...]:
        """Its mentions of things once a question was read as `text`, the latest first."""
        before = self.earlier or [topic.name for topic in named_in(self.question)]
        return (*(topic.name for topic in named_in(text)), *before)[:_REMEMBERED]

    def began_after(self, asked: str, text: str) -> str:
        """The question with which it began, once `asked` was read as `text`; anew where that names a disease itself."""
        is_new = asked == text and any(topic.role == "disease" for topic in named_in(text))
        return text if is_new else self.began or self.question

    def times(self, topic: Topic) -> int:
        """How often it was named, or carried."""
        names = self.earlier or [named.name for named in named_in(self.question)]
        return sum(name.casefold() == topic.name.casefold() for name in names)


def read(text: str) -> Asked:
    """The reading of a turn, or of the name of a thing."""
    return reading_of(text)


@lru_cache(maxsize=256)
def topics_of(text: str) -> tuple[Topic, ...]:
    """The things that a text names, by what its words mean.

    >>> [topic.role for topic in topics_of("my dad has gout, does colchicine help him")]
    ['disease', 'treatment']
    """
    found = list[Topic]()
    known = [subject for subject in read(text).subjects if subject.heading or subject.decides]
    for subject, follows in zip_longest(known, known[1:]):
        if not subject.decides or subject.aside:
            continue
        is_qualified = follows is not None and not follows.decides and _begins_after(subject, follows)
        said = next((name for name in (subject.said, *subject.names[:1]) if name in text), subject.said)  # as typed
        name = f"{said} {follows.said}" if follows and is_qualified else said  # HPV vaccine, cataract surgery
        found.append(Topic(_with_type(name.strip(" -"), text), "treatment" if is_qualified else _role(subject)))
    is_ill = any(topic.role == "disease" for topic in found)
    return tuple(
        Topic(topic.name, "finding" if is_ill else "disease") if topic.role == "symptom" else topic for topic in found
    )


@lru_cache(maxsize=256)
def named_in(text: str) -> tuple[Topic, ...]:
    """The things that a text names, by what its words mean, or else by their form, in order."""
    told = topics_of(text)
    known = {subject.said.casefold(): _role(subject) for subject in read(text).subjects if subject.heading}
    rest = text
    for name in sorted((topic.name for topic in told), key=len, reverse=True):
        rest = rest.replace(name, " , ")
    more = [Topic(phrase, known.get(phrase.casefold(), "other")) for phrase in _phrases(rest)]
    found = sorted([*told, *more], key=lambda topic: text.find(topic.name))
    for topic in found[:]:
        offer = _OFFER.search(text[: text.find(topic.name)])
        if offer and topic.role == "disease":
            found = [other for other in found if other.name != offer["means"]]
            found.insert(found.index(topic), Topic(offer[0] + topic.name, "treatment"))  # vaccine for mumps
    helping = {one["means"] for one in _HELPING.finditer(text)}  # does velnorixan help
    roles: dict[str, Role] = dict.fromkeys(helping, "treatment")
    return tuple(
        replace(topic, role=roles.get(topic.name) or _by_form(topic.name)) if topic.role == "other" else topic
        for topic in found
    )


def _by_form(name: str) -> Role:
    """The role of a thing that has no heading; a word that is not plain English is a name."""
    if Thing(name).is_people:
        return "people"
    if Thing(name).is_disease:
        return "disease"
    return "other" if is_common(name) else "name"


def is_common(name: str) -> bool:
    """Whether a name is of everyday words: plain English, numbers, and words too short for the list of those.

    >>> is_common("he's put 9 kilos on"), is_common("ECT"), is_common("hydatid")
    (True, False, False)
    """
    said = (_SHORTENED.sub("", word) for word in name.split())
    return all(is_plain(word.lower()) or word.isdigit() or (len(word) < _SHORT and word.islower()) for word in said)


def _phrases(text: str) -> list[str]:
    """The noun phrases of a text: words between those that end one, of which one says much."""
    parts: list[list[str]] = [[]]
    for word in _WORD.findall(text):
        if word.lower() in _ENDS or not word[0].isalnum():
            parts.append([])
        else:
            parts[-1].append(word)
    phrases = [" ".join(part[-_LONGEST_PHRASE:]).removeprefix("of ").removesuffix(" of") for part in parts]
    return [
        phrase
        for phrase in dict.fromkeys(phrases)
        if phrase in text and any(words.weight(stem) >= _TELLING for stem in words.terms(phrase))
    ]


def _named(name: str) -> Topic:
    """The thing that has this name."""
    return replace(next(iter(named_in(name)), Topic(name, "other")), name=name)


def _with_type(name: str, text: str) -> str:
    """A name with the type, stage or grade that stands beside it, `stage 2 melanoma`."""
    for said in (kind.said for kind in typed(text) if kind.said not in name):
        if name in said:
            return said
        for whole in (f"{said} {name}", f"{name} {said}"):
            if whole in text and said.rpartition(" ")[2] not in PREPOSITIONS:
                return whole
    return name


def _begins_after(subject: Subject, follows: Subject) -> bool:
    """Whether a drug or a procedure follows a name at once, and so is qualified by it."""
    from medground.pubmed.mesh import vocabulary

    heading = vocabulary().find(follows.heading)
    done = heading is not None and any(tree.startswith(("D", "E", "H02")) for tree in heading.trees)
    return done and subject.start >= 0 and follows.start == subject.start + len(subject.said) + 1


def _role(subject: Subject) -> Role:
    """The role of a thing; a name in capitals that no heading has is most often a drug's, another word is misspelt."""
    from medground.language.mesh_terms import is_drug_name  # it brings MeSH
    from medground.pubmed.mesh import vocabulary

    names = (name for name in (subject.heading, *subject.names) if name)  # Crohn is of Crohn Disease
    heading = next(filter(None, map(vocabulary().find, names)), None)
    if heading is None:
        return "other" if subject.said.islower() and not is_drug_name(subject.said) else "treatment"
    return next((role for role, tree in _TREES if any(re.match(tree, one) for one in heading.trees)), "other")


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
