"""What a conversation is about: its things, which the next question may leave out, and the papers that were quoted."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise, zip_longest
from typing import Literal

from medground.language import words
from medground.language.noun_phrases import ASKING, AUXILIARIES, Thing, things
from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.language.plain_words import is_plain
from medground.language.question_reading import InWords, reading_of
from medground.language.subject import Subject
from medground.language.types import typed
from medground.language.word_lists import word_lists
from medground.values.answer import SourceDocument
from medground.values.where import design_types

Role = Literal["disease", "treatment", "finding", "test", "other"]
_TREES: tuple[tuple[Role, str], ...] = (
    ("disease", r"C(?!23)|F03"),
    ("test", "E01|E05"),
    ("treatment", r"[DE]|G07|J02|B01\.650"),
    ("finding", "C23|[AN]"),
)
"""Trees of MeSH by the role of their things; the first row that fits counts. A finding is what is found of somebody."""
_OFFERED = verbose_pattern(
    r"""
    \bthere\ (?:an?\ |any\ |some\ )?(?P<thing>(?:\w+\ ){0,2}?(?:vaccine|drug|medicine|therapy|operation|surgery|
    supplement|diet|treatment)s?(?:\ (?:for|against)\ [\w\s-]{2,40})?)\W*$
    """
)
_PAPER = verbose_pattern(
    r"""
    \b(?:the|this|that|these|those)\s+(?:same\s+|latest\s+|quoted\s+)?(?P<paper>trial|study|paper|article|
    meta-analysis|systematic\ review|review|cohort|guideline|authors|researchers|investigators)\b(?!\ (?:of|on|
    by|from|with|that|which|about|comparing)\b)
    """
)
_PROPOSITION = lazy_pattern(r"^(?:is|was|has|have|does|did|can|could|will|would|are) (?:this|that) ", re.IGNORECASE)
_CAPITAL = lazy_pattern(r"\s(?!I\b)[A-Z]")
_DEFINED = lazy_pattern(r"^what(?:[’']s| is) an? ", re.IGNORECASE)
_PAST = lazy_pattern(r"\b(?:was|were|did|had|paid|took|\w+ed|rate)\b", re.IGNORECASE)
_CONDITION = lazy_pattern(r"\b(?:for|in) (?:people|those) with .+", re.IGNORECASE)
_WHICH = verbose_pattern(
    r"""
    ^(?:and\ |so\ |but\ |then\ )?which\ (?:one|of\ (?:them|these|those|the\ (?:two|three))|is|are|has|have|
    works?|helps?|does)\b
    """
)
_ACTING = lazy_pattern(r"\b(?:help|work|prevent|reduce|cure|better)s?\b", re.IGNORECASE)
_LIKEWISE = lazy_pattern(r"\b(?:the same|instead|do (?:that|so|it))\b", re.IGNORECASE)
OF_DRUG = verbose_pattern(
    r"""
    \b(?:dos(?:e|es|age)|side\ effects?|interactions?|contra-?indications?|half-life|tak(?:e(?!\ to\b)|es|en|ing)|
    stop(?:s|ped|ping)?|on\ it|swallow\w*|inject\w*|shots?|tablets?|pills?)\b
    """
)
_ONE_OF = lazy_pattern(r"\bwhich (?:one|of (?:them|these|those|the two))\b", re.IGNORECASE)
OF_DISEASE = verbose_pattern(
    r"""
    \b(?:symptoms?|signs?|causes?|treatments?|treated|cured?|prognosis|contagious|inherited|hereditary|
    diagnos\w+|catch|die|dying|survival|come\ back|go\ away|prevent\w*|heal|outgrow|recover|operate)\b
    """
)
_PERSONS = word_lists("noun_phrase_words")["persons"]
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
        earlier: names of the things of all questions before, the latest first; the last is what it began with.
        quoted: the papers that its answer quotes, in order.
        paper: the one paper that it was about, if it was about one.
    """

    question: str
    subject: str = ""
    earlier: tuple[str, ...] = ()
    quoted: tuple[SourceDocument, ...] = ()
    paper: SourceDocument | None = None

    @property
    def in_words(self) -> str:
        """The question before."""
        return self.question

    @property
    def topics(self) -> list[Topic]:
        """All its things: the subject that was carried, the others of the last question, then the earlier ones."""
        texts = [self.subject, self.question, *self.earlier]
        found = [topic for text in texts if text for topic in topics_of(text) or _by_form(text)]
        return list({topic.name.casefold(): topic for topic in reversed(found)}.values())[::-1]

    @property
    def pair(self) -> list[str]:
        """The two things that its last question compares, in order; empty if it compares none."""
        compared = self.asked.comparison
        if compared and compared.sides:
            return sorted(compared.said, key=self.question.find)
        for one, other in combinations(topics_of(self.question), 2):
            both = sorted((one.name, other.name), key=self.question.find)
            if one.role == other.role and (compared or " or ".join(both) in self.question):
                return both
        return []

    def things_after(self, text: str, *, is_whole: bool) -> tuple[str, ...]:
        """Names of its things once a question was read as `text`; a disease named in a whole question begins anew."""
        named = topics_of(text)
        if is_whole and any(topic.role == "disease" for topic in named):
            main, names = _first_said(text, named), [topic.name for topic in named]
        else:
            main, names = self.main, [topic.name for topic in (*named, *self.topics)]
        begun = [main.name] if main else []
        return (*[name for name in dict.fromkeys(names) if name not in begun][: _REMEMBERED - 1], *begun)

    @property
    def main(self) -> Topic | None:
        """What it began with."""
        if self.earlier:
            return next(iter(topics_of(self.earlier[-1])), Topic(self.earlier[-1], "other"))
        return _first_said(self.question, topics_of(self.question))


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
    return tuple(found)


def _first_said(text: str, named: Sequence[Topic]) -> Topic | None:
    return min(named, key=lambda topic: text.find(topic.name), default=None)


def _known(text: str) -> list[Subject]:
    return [subject for subject in reading_of(text).subjects if subject.heading or subject.decides]


def _with_type(name: str, text: str) -> str:
    """A name with the type, stage or grade that stands beside it: `stage 2 melanoma`."""
    for said in (one.said for one in typed(text) if one.said not in name):
        for whole in (f"{said} {name}", f"{name} {said}"):
            if whole in text:
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
    phrases = (thing for thing in things(text) if not (thing.is_people or thing.is_asked_for or _is_clause(thing.text)))
    rare = [phrase.text for phrase in phrases if any(words.weight(stem) >= _RARE for stem in words.terms(phrase.text))]
    head = re.split(r"[,;:.]", text)[0]
    plain = (AUXILIARIES | ASKING | _PERSONS).isdisjoint(head.lower().split()) and len(head.split()) <= _NAME
    return [Topic(name, "other") for name in rare or [head][: int(plain)]]


def _role(subject: Subject) -> Role:
    """The role of a thing; a name that no heading has is most often a drug's."""
    from medground.pubmed.mesh import vocabulary

    name = subject.heading or next(iter(subject.names), "")  # Crohn is of Crohn Disease
    heading = vocabulary().find(name) if name else None
    if heading is None:
        return "treatment"
    return next((role for role, tree in _TREES if any(re.match(tree, one) for one in heading.trees)), "other")


def _is_clause(phrase: str) -> bool:
    return not _PERSONS.isdisjoint(phrase.lower().split())


def things_before(before: Conversation) -> list[Thing]:
    """What the question before is about, its grammatical subject first; in free wording, what its words mean."""
    phrases = [thing for thing in things(before.question) if not _is_clause(thing.text)]
    names = [topic.name for topic in topics_of(before.question)]
    naming = [phrase for phrase in phrases if any(name.casefold() in phrase.text.casefold() for name in names)]
    if before.subject:
        first = [one for one in naming[:1] if re.match(rf"\w+ {re.escape(one.text)}\b", before.question)]
        return list(dict.fromkeys([*first, Thing(before.subject), *naming]))
    if (offered := _OFFERED.search(before.question)) is not None:  # is there a vaccine for shingles?
        return list(dict.fromkeys([Thing(offered["thing"]), *phrases]))
    if phrases and (naming or not names) and not before.paper:
        return phrases
    return [Thing(name) for name in names or before.earlier]


def left_out(asked: str, before: Conversation) -> list[str]:
    """What a question leaves out that the conversation is about; several where it may be either of two things.

    Empty where the question names what it is about.
    """
    if _ONE_OF.search(asked) and before.pair:
        return [" or ".join(before.pair)]
    if names_its_subject(asked):
        return []
    topics, roles = before.topics, [topic.role for topic in topics_of(asked)]
    subject = before.subject or before.question
    last = list(topics_of(subject)) or _by_form(subject) or topics
    treatments = [topic.name for topic in topics if topic.role == "treatment"]
    diseases = [topic.name for topic in topics if topic.role == "disease"]
    compared = [topic.name for topic in last if topic.role == "treatment"]
    if _PROPOSITION.search(asked):
        return [topic.name for topic in last[:2]]
    if roles and _LIKEWISE.search(asked):
        return diseases[:1]
    if roles and before.subject:
        return [before.subject]
    of_drug = bool(last) and last[0].role == "treatment"
    begun = before.main.role if before.main else "other"
    if roles and diseases and (_ACTING.search(asked) or not of_drug):
        return diseases[:1]
    if roles and diseases and not (of_drug and (set(roles) == {"finding"} or begun == "treatment")):
        return diseases[:1]
    if len(treatments) > 1 and _WHICH.search(asked):
        return [" or ".join(treatments[:2])]
    if len(compared) > 1 and before.asked.comparison:
        return [" or ".join(compared[:2])]
    if treatments and OF_DRUG.search(asked):
        return treatments[:1]
    if diseases and OF_DISEASE.search(asked):
        return diseases[:1]
    first = [topic for topic in last if topic.role == begun == "disease"]
    first = first or [topic for topic in last if topic.role not in ("finding", "test")] or last
    both = first[:2] if len(first) > 1 and all(topic.role == "disease" for topic in first) else first[:1]
    return [topic.name for topic in both]


def names_its_subject(asked: str) -> bool:
    """Whether a question needs no other: it names a disease, or asks in whole words of a drug, or is a long one."""
    said = re.findall(r"[\w'’-]+", asked.lower())
    roles = {topic.role for topic in topics_of(asked)}
    of_a_person = not _PERSONS.isdisjoint(said)
    core = _CONDITION.sub("", asked)
    saying_much = [stem for stem in words.terms(core) if words.weight(stem) >= _ORDINARY]
    is_rare = any(words.weight(words.stem(word)) >= words.MOST and not is_plain(word) for word in said)
    few = _FEW_OF_A_PERSON if of_a_person else _FEW + (len(said) <= _SHORT and not is_rare)
    is_long = not (len(said) <= _LONG and _refers(asked)) and len(saying_much) > few
    asks_for_one = said[:1] == ["which"] and AUXILIARIES.isdisjoint(said[1:2])
    acting = ("treatment" in roles or asks_for_one) and _names_an_outcome(asked)  # whether a drug causes bleeding
    named = not roles and not _WHICH.search(asked) and _has_a_name(core)
    is_defined = ":" in asked or _DEFINED.search(asked) is not None
    others = [one.name for one in topics_of(asked) if one.role == "other"]
    own = "disease" in roles or not all(_is_the(name, asked) for name in others)
    if is_long or acting or named or is_defined or own:
        return True
    return "treatment" in roles and len(said) > _NAME and said[0] in ASKING - {"which"} and not of_a_person


def _refers(asked: str) -> bool:
    """Whether a question is about something that is known, such as `the vaccine`."""
    told = (one.said for one in _known(asked) if one.is_thing and _is_the(one.said, asked))
    return any(not re.search(rf"{re.escape(name)} (?:of|for|against)\b", asked, re.IGNORECASE) for name in told)


def _is_the(name: str, asked: str) -> bool:
    """Whether a thing is one that is known: `how long does the tick have to be on`."""
    return re.search(rf"\bthe {re.escape(name)}\b", asked, re.IGNORECASE) is not None


def _names_an_outcome(asked: str) -> bool:
    """Whether a question names a disease or a finding, also one of many kinds, such as fractures."""
    found = (one for one in _known(asked) if one.heading and not one.aside)
    return any(_role(one) in ("disease", "finding") for one in found)


def _has_a_name(asked: str) -> bool:
    """Whether a question has a name in capitals, or a phrase of so many words that it names something."""
    phrases = (thing.text for thing in things(asked) if not _is_clause(thing.text))
    known = [one.said for one in _known(asked) if _role(one) in ("finding", "test")]
    names = (phrase for phrase in phrases if not any(said in phrase for said in known))
    return _CAPITAL.search(asked) is not None or any(len(words.terms(name)) >= _NAME for name in names)


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
