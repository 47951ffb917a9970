"""A word that points back ("it", "they", "this drug", "the disease"), and what it stands for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from medground.errors import UsageError
from medground.language.conversation import OF_DRUG, ONE_OF, Conversation, for_what, named_in, things_before, topics_of
from medground.language.noun_phrases import AUXILIARIES, LISTS, PREPOSITIONS, VERBS, Thing
from medground.language.pattern import verbose_pattern


@dataclass(frozen=True)
class Reading:
    """A follow-up question as it reads by itself.

    Attributes:
        word: what was replaced, such as `it`, by what it `stands_for`; both empty where nothing was.
        carried: what was added, because it was left out.
        paper: the id of the one paper that it is about.
        choices: what it may mean, as whole questions, where that cannot be decided.
    """

    text: str
    word: str = ""
    stands_for: str = ""
    carried: str = ""
    paper: str | None = None
    choices: tuple[str, ...] = ()


_DRUG = r"""
    drug|medicine|medication|treatment|therapy|agent|compound|supplement|vaccine|intervention|procedure|test|
    operation|surgery|diet
"""
_ILLNESS = r"disease|disorder|syndrome|condition|illness|infection|cancer|tumou?r|injury"
_NOUN = rf"""
    (?P<noun>(?:{_DRUG}|{_ILLNESS}|gene|protein|enzyme|hormone|phenotype|sign|symptom|method|technique|virus|
    pathogen|bacterium)s?)
"""
_POINTING = verbose_pattern(
    rf"""
    \b(?:(?P<the>the\ |this\ |that\ |these\ |those\ |such(?:\ an?)?\ |the\ same\ ){_NOUN}|(?P<word>its|it|they|
    them|their|either))\b
    """
)
_BARE = verbose_pattern(
    r"""
    ^(?:(?:is|was|does|did|can|could|will|would|should|has|why\ is|why\ does|how\ is|how\ does)\ )(?P<word>this|
    that)(?=\ (?:also|still|really|always|not|safe|true|common|dangerous|effective|work|help|happen|apply|cause|
    hold|be|go|mean|matter|in|for|with|because|due|a|the|an|possible|normal|hereditary|contagious|treated|
    inherited|worse|found|done|given|known|seen|made|caught|\w+ed|\w+able)\b)|\b(?:take|taking|use|using|stop|stopping|have|get|treat|cause|causes|prevent|
    avoid|with|against|from|by|of)\ (?P<last>this|that)(?=[?.! ]*$)
    """
)
_MEANS = verbose_pattern(rf"(?:{_DRUG})s?")
_ILLNESS_ALONE = verbose_pattern(
    rf"""
    (?:{_ILLNESS})s?
    """
)
_DUMMY = verbose_pattern(
    r"""
    it\ (?:(?:is|was|be|become|seem|appear)s?\ )?(?:\w+\ )?(?:(?:true|possible|likely|known|clear|certain|
    important|the\ case)\ (?:that|whether|if)|(?:means?|matters?)\ (?:that|if|whether)|(?:true|possible|likely|
    necessary|advisable|safe|better|best|recommended|known|important|dangerous|ok|okay|right|useful|worth|
    enough|bad|good|take)\b(?:\ for\ [\w\s-]{1,40}?)?(?:\ to\ (?P<verb>\w+)(?:\ (?P<next>[\w-]+))?|\ \w+ing\b))
    """
)
"""An "it" that stands for nothing: "is it safe to take iron"; but not "is it safe to take with food"."""
_LASTING = re.compile(r"\b(?:does|did|will|would|can) it take\b(?! place)", re.IGNORECASE)
_CLAUSE = verbose_pattern(
    r"""
    \b(?:when|if|because|although|while|since|that|which|who|whether|and|or|but)\b|[:;.]\s|\s-+\s|--|[–—]
    """
)
"""What begins another clause: "does aspirin help when it is taken late", "elephant trunk: does it help"."""
_TOLD = re.compile(rf"(.+), (?:{'|'.join(sorted(AUXILIARIES))})\b", re.IGNORECASE)
"""What is said before a question: `what is dialysis, does it hurt`."""
_OF_A_DISEASE = verbose_pattern(
    r"""
    \b(?:inherited|hereditary|inheritance|onset|begin|begins|start|diagnosed|diagnosis|treated|treatments?|
    cured?|(?:set|bring)s?|(?:cause|prevent|reduce|trigger)s?(?=\ (?:it|them)\b)|
    symptoms?|prognosis|prevalence|incidence|genes?|mutations?|contagious|infectious|fatal|come\ back|
    occurs?|recur|life\ expectancy|makes?\ it|heal|outgrow|recover)\b
    """
)
_ASKED_FOR = re.compile(r"^(?:what|which|who|how) (?:is|are|was|were) $", re.IGNORECASE)


def pointing(asked: str, before: Conversation) -> Reading | None:
    """A word that points back, replaced; the same word is replaced each time.

    Raises UsageError: nothing was named before that it can stand for.
    """
    found = _BARE.search(asked) or next((m for m in _POINTING.finditer(asked) if _points_back(asked, m)), None)
    if found is None:
        return None
    groups = found.groupdict()
    group: str | int = next((name for name in ("word", "last") if groups.get(name)), 0)
    word = found[group]
    named, noun = things_before(before), groups.get("noun") or ""
    thing = _meant(word, noun, named, asked, before) if named else None
    if thing is None:
        asked_before = before.question[:80]
        raise UsageError(f"cannot tell from “{asked_before}” what {word!r} refers to; write the name in its place")
    name = for_what(thing.text, before)
    if _MEANS.fullmatch(noun) and any(topic.role == "disease" for topic in topics_of(name)):
        name = f"the {noun} for {name}"  # the vaccine, after shingles
    text = asked[: found.start(group)] + _put(asked, found.start(group), found.end(group), name)
    return Reading(text, word=word, stands_for=name)


def _put(asked: str, start: int, end: int, name: str) -> str:
    """The question from the word on, with the name in its place, also where the same word comes again."""
    word, rest = asked[start:end], asked[end:]
    first = name if start else name[0].upper() + name[1:]
    if word.lower() in ("its", "their"):
        owned = re.fullmatch(r"(\s[\w\s-]{1,60}?)([?.!\s]*)", rest)
        plain = owned and (PREPOSITIONS | AUXILIARIES).isdisjoint(owned[1].lower().split())
        if owned and plain and _ASKED_FOR.match(asked[:start]):
            return f"the{owned[1].rstrip()} of {name}{owned[2]}"
        return f"{first}{'’' if name.endswith('s') else '’s'}{rest}"
    return first + re.sub(rf"\b{re.escape(word)}\b", lambda _: name, rest, flags=re.IGNORECASE)


def _meant(word: str, noun: str, found: Sequence[Thing], asked: str, before: Conversation) -> Thing | None:
    """Which thing of the former question a word points at; None where there is none."""
    objects = [thing for thing in found if not (thing.is_people or thing.is_asked_for)]
    ill = {topic.name for topic in before.topics if topic.role == "disease"}
    diseases = [thing for thing in objects if thing.is_disease or thing.text in ill]
    diseases.sort(key=lambda thing: (not thing.is_disease, len(thing.text.split())))
    others = [thing for thing in objects if thing not in diseases]
    if noun and _ILLNESS_ALONE.fullmatch(noun):
        earlier = [Thing(topic.name) for topic in before.topics if topic.role == "disease"]
        chosen = [*diseases, *earlier, *objects]
    elif noun:
        earlier = [Thing(topic.name) for topic in before.topics if noun.lower() in topic.name.lower()]
        chosen = [*earlier, *others, *objects]
    elif (word.lower() == "either" or ONE_OF.search(asked)) and (both := before.pair or before.latest):
        chosen = [Thing(" or ".join(both))]
    elif _OF_A_DISEASE.search(asked) and ill and not (objects and objects[0].is_disease):
        chosen = diseases or [Thing(topic.name) for topic in before.topics if topic.role == "disease"]
    elif OF_DRUG.search(asked):
        here = [Thing(topic.name) for topic in topics_of(before.question) if topic.role == "treatment"]
        earlier = [Thing(topic.name) for topic in before.topics if topic.role == "treatment"]
        chosen = [*here, *others, *earlier, *objects]
    elif word.lower() in ("they", "them", "their"):
        people = [thing for thing in found if thing.is_people]
        several = [thing for thing in found if thing.is_plural]
        wanted = [thing for thing in found if thing.is_asked_for]
        chosen = [*wanted, *(found[:1] if found[0] in several else []), *people, *several, *found]
    elif asked.rstrip("?").endswith(" last") and before.main and before.main.role == "disease":
        chosen = [Thing(before.main.name), *objects]
    else:
        chosen = objects
    return next(iter(chosen), None)


def _points_back(asked: str, found: re.Match[str]) -> bool:
    """Whether a word points at the question before, not at nothing and not at the same question."""
    if found["the"] and found["the"].strip().lower() == "the" and not stands_alone(asked[found.end() :]):
        return False
    return not _is_dummy(asked, found) and not _points_inside(asked, found)


def stands_alone(rest: str) -> bool:
    """Whether nothing after `the disease` says which one."""
    word = next(iter(rest.split()), "").strip("?.!,").lower()
    return not word or word in (AUXILIARIES | PREPOSITIONS | VERBS) - {"of", "for"} or word.removesuffix("s") in VERBS


def _is_dummy(asked: str, found: re.Match[str]) -> bool:
    if found[0].lower() != "it":
        return False
    if any(lasting.end() - 5 == found.end() for lasting in _LASTING.finditer(asked)):
        return True
    dummy = _DUMMY.match(asked, found.start())
    if dummy is None or dummy["verb"] is None:
        return dummy is not None
    after = (dummy["next"] or "").lower()
    return not (
        dummy["verb"].lower() in LISTS["object verbs"] and (not after or after in PREPOSITIONS | LISTS["manner"])
    )


def _points_inside(asked: str, found: re.Match[str]) -> bool:
    """Whether the word points at something earlier in the same question: "does aspirin help when it is taken late"."""
    before = asked[: found.start()]
    told = _TOLD.match(before)
    if told and (named := named_in(told[1])):
        return not (OF_DRUG.search(asked) and all(topic.role == "disease" for topic in named))
    clause = next(iter(_CLAUSE.finditer(before)), None)
    if clause is None or clause.start() == 0:
        return False
    return any(word.strip(",.?").lower() not in LISTS["empty"] for word in before[: clause.start()].split())


def points_at_something(text: str) -> bool:
    """Whether a text has a word that points back."""
    return _POINTING.search(text) is not None
