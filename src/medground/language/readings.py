"""What a follow-up question may mean: every way to read it after a conversation, each as a whole question.

A reading leaves it as it was typed, puts a thing of the conversation in the place of a word that points back, adds a
thing, makes a name whole that is said in part, or changes the question before. Which of them is meant, `choosing` says.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from medground.language.conversation import DRUG, MEANS, Conversation, Topic, topics_of
from medground.language.noun_phrases import ASKING, AUXILIARIES, LISTS, PREPOSITIONS, VERBS, Thing
from medground.language.pattern import lazy_pattern, verbose_pattern
from medground.language.types import typed


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


@dataclass(frozen=True)
class Candidate:
    """A way to read a turn.

    Attributes:
        form: how it is made, such as `typed`, `pointing` or `added`.
        things: the things of the conversation that it takes up, the first as the one that it is about.
    """

    reading: Reading
    form: str
    things: tuple[Topic, ...] = ()


_ILLNESS = r"disease|disorder|syndrome|condition|illness|infection|cancer|tumou?r|injury"
_POINTING = verbose_pattern(
    rf"""
    \b(?:(?P<the>the\ |this\ |that\ |these\ |those\ |such(?:\ an?)?\ |the\ same\ )(?P<noun>(?:{DRUG}|{_ILLNESS}|gene|
    protein|enzyme|hormone|phenotype|sign|symptom|method|technique|virus|pathogen|bacterium)s?)|(?P<word>its|it|they|
    them|their|either|both))\b
    """
)
_BARE = verbose_pattern(
    r"""
    (?:^|\b(?:is|was|does|did|can|could|will|would|should|has|take|taking|use|using|stop|stopping|have|get|treat|cause|
    causes|prevent|avoid|with|against|from|by|of|for|than|after)\ )(?P<word>this|that)(?!\ (?:one|\w+\ (?:is|are)\b))\b
    """
)
ILLNESS = verbose_pattern(rf"(?:{_ILLNESS})s?")
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
_ASKED_FOR = re.compile(r"^(?:what|which|who|how) (?:is|are|was|were) $", re.IGNORECASE)
_OF = verbose_pattern(
    r"""
    (?:symptom|sign|cause|prognosis|cure|treatment|therap(?:y|ie)|effect|dos(?:e|age)|risk|mechanism|action|benefit|
    complication|prevalence|incidence|expectancy|period|diagnosis|antidote|vaccine|test|alternative|evidence)s?$
    """
)
"""How a question ends that is followed by `of` or `for`: `side effects?`, `is there a cure?`"""
_FOR = re.compile(r"(?:cure|treatment|therap|antidote|vaccine|test|alternative|evidence)[\w ]*$", re.IGNORECASE)
_ANNOUNCED = lazy_pattern(
    r"^(?:(?:and|ok|so|now)\s+)*(?:(?:an)?other|different|new|something else|off|changing(?: the)?)\b[\w ]*[:,.-]\s+"
    r"(?=\w)",
    re.IGNORECASE,
)
"""What begins anew: `another question: is a wart contagious`."""
_LEAD = lazy_pattern(
    r"^(?:and|or|but|so|then|also|what about|how about|and what about|and how about)\b[\s,]*", re.IGNORECASE
)
_NAME = lazy_pattern(
    r"^(?:(?:and|or|but|so|ok|then)\s+)*(?:(?:what|how) about|and|or|(?:is|does) (?:that|this|it|the same) "
    r"(?:also |still )*(?:true|hold|apply) (?:for|to)|(?:the )?same (?:question |thing )?(?:for|with))\s+(?:the\s+)?"
    r"(?P<name>[^,;:?]+?)(?:\s+(?:too|then|instead))?$",
    re.IGNORECASE,
)
"""`What about warfarin?`, `and warfarin?`"""
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
ONE = verbose_pattern(
    rf"""
    \b(?:that|this)\ one\b|\bthe\ (?P<kind>(?:[\w-]+\ ){{1,2}}?)(?:one|sort)\b|\bthe\ (?P<alone>first|second|former|
    latter|other)(?=[?.!,\s]*$|[,;]|\ (?:{"|".join(sorted(AUXILIARIES | PREPOSITIONS))}|\w+able|\w+ed|too|also)\b)
    """
)
_FIRST = frozenset(("first", "1st", "former"))
PLACES = _FIRST | {"second", "2nd", "last", "latter", "other"}
_VALUE = lazy_pattern(r"(?<=\s)(?P<value>[A-Za-z]|\d{1,2})(?=\W*$)")
"""A letter or number at the end of a question: `and against B?`."""
_OF_ANY = frozenset(("type", "stage", "grade"))
"""What any disease may have, though its number was not named before."""
_WHOLLY_SAID = frozenset(("why", "the same", "whole name"))
"""Forms of a turn that takes up all that it needs, so that nothing is added."""
_LONGEST_CONDITION = 12
_LONGEST_NAME = 6
_OTHER_NUMBER = {"does": "do", "is": "are", "was": "were", "has": "have"}
_OTHER_NUMBER |= {other: verb for verb, other in _OTHER_NUMBER.items()}
_CASES = re.compile(r"\b(?:cases?|forms?|stages?|disease)$", re.IGNORECASE)
_NUMBER = re.compile(rf"^(?:{'|'.join(_OTHER_NUMBER)})\b", re.IGNORECASE)
"""The verb that begins a closed question, if its form tells one from several."""


def candidates(asked: str, before: Conversation) -> list[Candidate]:
    """The ways to read a question after a conversation; first as it was typed, and no other where it begins anew."""
    if announced := _ANNOUNCED.match(asked):
        return [Candidate(Reading(asked[announced.end() :]), "typed")]
    wholes = list(_with_names(asked, before))
    found = [Candidate(Reading(asked), "typed")]
    if not any(whole.form == "whole name" for whole in wholes):
        found += _of_the_former(asked, before)
    for whole in wholes:
        found += list(_of_the_former(whole.reading.text, before)) or [whole]
    if len(found) > 1 and _TRUE.fullmatch(asked.rstrip(" ?.!")):  # does this hold for warfarin?
        found = found[1:]
    elif _WHOLLY_SAID.isdisjoint(candidate.form for candidate in (*found, *wholes)):
        found += _with_things(asked, before)
    alike = dict[tuple[str, str], Candidate]()
    for candidate in found:
        alike.setdefault((candidate.reading.text.casefold(), candidate.form), candidate)
    return list(alike.values())


def _with_things(asked: str, before: Conversation) -> Iterator[Candidate]:
    """Things of the conversation in the place of a word that points back, or added."""
    found = pointer(asked)
    for things in (*((topic,) for topic in before.topics), *before.pairs):
        name = (" and " if found and found[0].lower() in ("they", "them", "both") else " or ").join(
            topic.name for topic in things
        )
        if name.casefold() in asked.casefold():
            continue
        both = " to both" if len(things) > 1 else ""
        if found is not None and (put := _put(asked, found, name, things[0])):
            yield Candidate(put, f"pointing{both}", things)
            yield from _with_problem(put, "pointing with a problem", things, before)
        if things[0].role == "people" or (found and not found["word"]):
            continue
        added = Reading(with_subject(asked, name), carried=name)
        yield Candidate(added, f"added{both}", things)
        yield from _with_problem(added, "added with a problem", things, before)


def _with_problem(reading: Reading, form: str, things: tuple[Topic, ...], before: Conversation) -> Iterator[Candidate]:
    """A reading about one thing, with what the conversation began with or its latest disease as well."""
    if len(things) > 1 or things[0].role in ("disease", "people"):
        return
    latest = [topic for topic in before.topics if topic.role == "disease"][:1]
    for topic in dict.fromkeys((*before.origin[:2], *latest)):
        if topic.name.casefold() in reading.text.casefold() or topic.role == "people":
            continue
        carried = f"{reading.carried} and {topic.name}" if reading.carried else topic.name
        whole = (
            f"{reading.text.rstrip('?')} and {topic.name}?"
            if reading.carried
            else with_subject(reading.text, topic.name)
        )
        yield Candidate(replace(reading, text=whole, carried=carried), form, (*things, topic))


def pointer(asked: str) -> re.Match[str] | None:
    """The word of a question that points back, as "it", "they", "this drug" and "the disease" may."""
    pointing = (found for found in _POINTING.finditer(asked) if not _is_dummy(asked, found))
    of = (f for f in pointing if not f["the"] or f["the"].strip().lower() != "the" or stands_alone(asked[f.end() :]))
    return next(of, None) or _BARE.search(asked)


def _put(asked: str, found: re.Match[str], name: str, thing: Topic) -> Reading | None:
    """The question with a name in the place of a word that points back; None where that word is of another kind."""
    group: int | str = "word" if found["word"] else 0
    noun = "" if found["word"] else found["noun"]
    if noun and ILLNESS.fullmatch(noun) and thing.role not in ("disease", "name", "other"):
        return None
    if noun and MEANS.fullmatch(noun) and thing.role == "disease":
        name = f"the {noun} for {name}"  # the vaccine, after shingles
    start, end = found.span(group)
    word, rest = asked[start:end], asked[end:]
    first = name if start else name[0].upper() + name[1:]
    if word.lower() in ("its", "their"):
        owned = re.fullmatch(r"(\s[\w\s-]{1,60}?)([?.!\s]*)", rest)
        plain = owned and (PREPOSITIONS | AUXILIARIES).isdisjoint(owned[1].lower().split())
        if owned and plain and _ASKED_FOR.match(asked[:start]):
            text = f"{asked[:start]}the{owned[1].rstrip()} of {name}{owned[2]}"
            return Reading(text, word=word, stands_for=name)
        text = f"{first}{'’' if name.endswith('s') else '’s'}{rest}"
    else:
        text = first + re.sub(rf"\b{re.escape(word)}\b", lambda _: name, rest, flags=re.IGNORECASE)
    return Reading(asked[:start] + text, word=word, stands_for=name)


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


def with_subject(asked: str, name: str) -> str:
    """A question with what it leaves out: `which exercises help with vertigo?`"""
    text = asked.rstrip(" ?.!")
    by = "with"
    if _OF.search(text):
        by = "for" if _FOR.search(text) else "of"
    return f"{text} {by} {name}?"


def _with_names(asked: str, before: Conversation) -> Iterator[Candidate]:
    """Names that are said in part made whole: `type 2` after type 1, `against B`, `the wet one`, `the other one`."""
    one, value = ONE.search(asked), _VALUE.search(asked)
    named = topics_of(asked)
    kind = (one["alone"] or one["kind"] or "").strip().lower() if one else ""
    if one is not None and kind in PLACES:
        for pair in before.pairs:
            topic = pair[kind not in _FIRST]
            yield _made_whole(asked, one.span(), topic.name, topic)
    for topic in before.topics:
        if one is not None and kind not in PLACES:
            yield _made_whole(asked, one.span(), f"{kind} {head}" if (head := topic.name) and kind else head, topic)
        own = next(typed(topic.name), None)
        for part in (part for part in typed(asked) if not any(part.said in other.name for other in named)):
            at = asked.index(part.said)
            if own is not None and own.word == part.word:
                whole = topic.name.replace(own.said, part.said, 1)
            elif topic.role == "disease" and part.word in _OF_ANY:
                whole = f"{topic.name} {part.said}"
            else:
                continue
            yield _made_whole(asked, (at, at + len(part.said)), whole, topic)
        if own and value and own.value.isdigit() == value["value"].isdigit() and own.said.endswith(own.value.upper()):
            whole = topic.name.replace(own.said, f"{own.said[: -len(own.value)]}{value['value'].upper()}")
            yield _made_whole(asked, value.span(), whole, topic)
        yield from _with_first_word(asked, topic)


def _with_first_word(asked: str, topic: Topic) -> Iterator[Candidate]:
    """`and Becker?`, after Duchenne muscular dystrophy; `the cough`, after whooping cough."""
    from medground.pubmed.mesh import vocabulary

    first, _, head = topic.name.partition(" ")
    if not head:
        return
    if (again := re.search(rf"\b(?:the|this|that) {re.escape(head)}(?!\w)", asked, re.IGNORECASE)) and first:
        yield replace(_made_whole(asked, again.span(), topic.name, topic), form="head")
    if (named := _NAME.match(asked.rstrip(" ?.!"))) and vocabulary().find(f"{named['name']} {head}"):
        yield _made_whole(asked, named.span("name"), f"{named['name']} {head}", topic)


def _made_whole(asked: str, span: tuple[int, int], name: str, topic: Topic) -> Candidate:
    start, end = span
    reading = Reading(asked[:start] + name + asked[end:], word=asked[start:end], stands_for=name)
    return Candidate(reading, "whole name", (topic,))


def _of_the_former(asked: str, before: Conversation) -> Iterator[Candidate]:
    """The question before under a condition, of another thing, or why it is so."""
    former, text = before.question.rstrip(" ?.!"), " ".join(asked.split()).rstrip(" ?.!")
    closed = former.split(" ", 1)[0].lower() in AUXILIARIES
    if (found := _WHY.fullmatch(text)) and closed:
        how = found["how"].replace(" not", " not:")
        yield Candidate(Reading(f"{how[0].upper()}{how[1:]} {former[0].lower()}{former[1:]}?"), "why")
    rest = _LEAD.sub("", text)
    if (again := _TRUE.fullmatch(text)) is not None and closed:
        rest = again["rest"] or ""
        if not rest:
            yield Candidate(Reading(before.question), "the same")
    named = _NAME.fullmatch(text)
    said = named["name"].lower().split() if named else []
    if named and len(said) <= _LONGEST_NAME and AUXILIARIES.isdisjoint(said) and said[0] not in PREPOSITIONS:
        rest = f"in {named['name']}" if Thing(named["name"]).is_people else ""
        if not rest:
            yield from _of_another(named["name"], former, before)
    elif named:
        rest = named["name"]
    if _is_condition(rest) and len(former.split()) > 1:
        yield Candidate(Reading(f"{_under(rest, former)}?"), "condition")


def is_elliptic(asked: str) -> bool:
    """Whether a question is one only by what was asked before: `side effects?`, `what about warfarin`."""
    text = asked.rstrip(" ?.!")
    return _NAME.fullmatch(text) is not None or (AUXILIARIES | ASKING).isdisjoint(text.lower().split())


def _is_condition(rest: str) -> bool:
    words = [word.strip(",;:-") for word in rest.lower().split()]
    return (
        2 <= len(words) <= _LONGEST_CONDITION
        and words[:2] != ["when", "to"]
        and words[0] in PREPOSITIONS - {"of", "to", "that", "about"}
        and not (AUXILIARIES | ASKING - {"when"}) & set(words)
    )


def _under(rest: str, former: str) -> str:
    """The question before under a condition, in the place of the same kind of one: people of people, cases of cases."""
    added = f"{rest[0].lower()}{rest[1:]}"
    word = added.split(" ", 1)[0]
    same = re.search(rf"\s{re.escape(word)}\s(?P<of>(?:\S+\s?){{1,{_LONGEST_NAME}}})$", former, re.IGNORECASE)
    if same is None or (Thing(added).is_people and word != "when" and not Thing(same["of"]).is_people):
        return f"{former} {added}"
    of = f" of {same['of'].rpartition(' ')[2]}" if _CASES.search(added) and Thing(same["of"]).is_disease else ""
    return f"{former[: same.start()]} {added}{of}"


def _of_another(name: str, former: str, before: Conversation) -> Iterator[Candidate]:
    """`What about warfarin?`: the question before about that, in the place of each of its things."""
    others = [topic for topic in before.topics if topic.name in former]
    roles = {topic.role for topic in topics_of(name)}
    for topic in [topic for topic in others if topic.role in roles] or others:
        text = re.sub(rf"(?:\ban? )?{re.escape(topic.name)}", lambda _: name, former, count=1)
        leads = re.match(rf"\w+ (?:(?:an?|the) )?{re.escape(topic.name)}", former) is not None
        if leads and Thing(name).is_plural != Thing(topic.name).is_plural:
            text = _NUMBER.sub(lambda verb: _OTHER_NUMBER[verb[0].lower()].capitalize(), text)
        yield Candidate(Reading(f"{text}?"), "another", (topic,))
