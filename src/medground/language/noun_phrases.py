"""The things that a question is about, by its form: its subject first, then what the subject acts on.

There is no parser here. A question is cut at the words that end a noun phrase: a verb after "does", a participle or an
adjective after "is", a preposition.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from medground.language.pattern import verbose_pattern
from medground.language.predicate_words import ALL_VERBS, ARTICLES, BE, DO, HAVE, MODAL
from medground.language.word_lists import word_lists

LISTS = word_lists("noun_phrase_words")
AUXILIARIES = LISTS["auxiliaries"] | BE | DO | HAVE | MODAL
PREPOSITIONS = LISTS["prepositions"]
VERBS = LISTS["verbs"] | ALL_VERBS
STATES, PRONOUNS, ASKING = LISTS["states"], LISTS["pronouns"], LISTS["asking"]
_BE = BE | {"am", "isn't", "aren't"}
_PEOPLE = verbose_pattern(
    r"""
    \b(?:people|patients?|persons?|children|adults?|women|woman|men|man|infants?|babies|newborns?|neonates?|
    adolescents?|teenagers?|girls?|boys?|mothers?|fathers?|parents|pregnant|individuals?|subjects|survivors?|
    elderly|smokers?|physicians?|doctors?|nurses?|students?|surgeons?|veterans|residents|clinicians|recipients|
    carriers?|practitioners?|trainees|users|athletes|workers?|(?:grand)?(?:sons?|daughters?|ma|pa)|sisters?|
    brothers?|husband|wife|uncles?|aunts?|cousins?|nephews?|nieces?|dads?|mums?|moms?|kids?|toddlers?|me)\b
    """
)
_DISEASE = verbose_pattern(
    r"""
    (?:disease|syndrome|disorder|deficiency|infection|failure|injury|anemia|anaemia|diabetes|asthma|stroke|
    cancer|tumou?r|carcinoma|leuk(?:a?emia)|lymphoma|melanoma|sepsis|fever|obesity|epilepsy|depression|
    hypertension|[a-z]{3,}itis|[a-z]{3,}oma|[a-z]{3,}osis|[a-z]{3,}pathy|[a-z]{3,}aemia|[a-z]{3,}emia|
    [a-z]{3,}trophy|[a-z]{3,}sclerosis|[a-z]{3,}iasis|[a-z]{3,}plegia|NF\d|COPD|HIV|AIDS|COVID-19|lupus|measles|
    mumps|rubella|gout|malaria|shingles|migraines?|autism|eczema|acne|influenza|flu|colds?|cholera|rabies|
    tetanus|polio|dengue|zika|ebola|rickets|scurvy|allergy|allergies|arthritis|dementia|palsy|reflux|ulcers?)$
    """
)
_DETERMINERS = re.compile(r"^(?:(?:out of|a|an|the|its|their|any|some|this|that|these|those|our)\s+)+", re.IGNORECASE)
_ADVERBS = re.compile(r"(?:\s+\w{3,}ly)+$")
_HEADED = re.compile(r"(?P<head>.+?)(?:[:.]| [-–—]+)\s+(?P<rest>.+)")
"""A title with a question after it: "elephant trunk: does it help?"."""
_LONG_SUBJECT = 6
_NO_TOPIC = frozenset(["hello", "hi", "hey", "thanks", "thank you", "ok", "okay", "yes", "no", "help", "test"])


@dataclass(frozen=True)
class Thing:
    """A noun phrase of a question, as it is written there without its article."""

    text: str
    is_asked_for: bool = False
    """Whether it is what the question asks for, in the plural: `drugs used for gout`. Only "they" stands for it."""

    @property
    def is_people(self) -> bool:
        """Whether it names people: "it" does not stand for them."""
        return _PEOPLE.search(self.text) is not None

    @property
    def is_disease(self) -> bool:
        """Whether it names a disease, by its last word; what there is for one is none."""
        return _DISEASE.search(self.text) is not None and {"for", "against"}.isdisjoint(self.text.split())

    @property
    def is_plural(self) -> bool:
        """Whether it is several, by the form of its first noun phrase."""
        head = re.split(rf"\s(?:{'|'.join(PREPOSITIONS)})\s", self.text.lower())[0]
        last = head.rsplit(" ", 1)[-1]
        plural = last.endswith("s") and not last.endswith(("ss", "is", "us", "tes"))
        return " and " in head or self.is_people or plural


def things(question: str) -> list[Thing]:
    """What a question is about, its subject first; nothing where its form does not tell."""
    headed = _HEADED.fullmatch(question.strip())
    if headed is None:
        return _things(question)
    head = [Thing(text) for text in _cut(_phrases(*_words(headed["head"])))]
    asked = _things(headed["rest"])
    stands_alone = asked and PRONOUNS.isdisjoint(_words(headed["rest"])[1][:3])
    return list(dict.fromkeys([*asked, *head] if stands_alone else [*head, *asked]))


def _things(question: str) -> list[Thing]:
    words, lower = _words(question)
    if not words or " ".join(lower) in _NO_TOPIC:
        return []
    if lower[0] not in AUXILIARIES | ASKING and not question.rstrip().endswith("?"):
        return [Thing(text) for text in _cut([" ".join(words)])] if len(words) <= _LONG_SUBJECT else []
    at = next((n for n, word in enumerate(lower) if word in AUXILIARIES), None)
    found = _without_auxiliary(words, lower) if at is None else _around(words, lower, at)
    named = [Thing(text) for text in _cut([part for phrase in found for part in _with_condition(phrase)])]
    return [*named, *_asked_for(words, lower, at)]


def _asked_for(words: Sequence[str], lower: Sequence[str], at: int | None) -> list[Thing]:
    """What is asked for in the plural: `which drugs are used for gout`, `what are the symptoms of lupus`."""
    if at is None or lower[0] not in ("what", "which") or lower[at] not in ("are", "were"):
        return []
    rest = words[at + 1 :] if at == 1 else [*words[1:at], *words[at + 1 :]]
    text = _DETERMINERS.sub("", " ".join(rest))
    return [Thing(text, is_asked_for=True)] if len(rest) > 1 and "there" not in lower else []


def _with_condition(phrase: str) -> list[str]:
    """`people with NF1`, and what they have."""
    thing, _, condition = phrase.partition(" with ")
    return [phrase, condition] if condition and Thing(thing).is_people else [phrase]


def _words(text: str) -> tuple[list[str], list[str]]:
    words = [word.strip('?!.,;:"“”()') or word for word in text.split()]
    return words, [word.lower() for word in words]


def _around(words: Sequence[str], lower: Sequence[str], at: int) -> list[str]:
    """The phrases after an auxiliary: the subject, then the phrases after its verb and prepositions."""
    rest, low = words[at + 1 :], lower[at + 1 :]
    if low[:1] == ["there"] and len(low) > 1:
        return _phrases(rest[1:], low[1:])[1:]
    first = low[0] if low else ""
    after_subject = first.endswith("ed") or any(first in known for known in (STATES, PREPOSITIONS, VERBS))
    if at > 0 and lower[0] in ("what", "which", "who") and after_subject:  # "which genes are associated with X"
        return _phrases(rest, low)
    if at == 1 and lower[0] in ("what", "who") and "of" in low and lower[at] in _BE:  # "what is the role of X in Y"
        return _phrases(rest, low)[1:]
    end = _subject_end(low, is_be=lower[at] in _BE)
    return [" ".join(rest[:end]), *_phrases(rest[end:], low[end:])]


def _subject_end(low: Sequence[str], *, is_be: bool) -> int:
    """The number of words of the noun phrase that a clause begins with."""
    for n, word in enumerate(low):
        before, after = low[n - 1] if n else "", low[n + 1] if n + 1 < len(low) else ""
        if n == 0 or before in ARTICLES or before == "of" or before in PREPOSITIONS:
            continue
        if after == "of":  # a noun: "increased use of"
            continue
        if is_be and (word in ARTICLES or word in STATES or _is_predicate(word, after)):
            return n
        if not is_be and word in VERBS | {"not", "also", "still", "always", "really", "ever", "actually", "only"}:
            return n
    return next((n for n, word in enumerate(low) if n and word != "of" and word in PREPOSITIONS), len(low))


def _is_predicate(word: str, after: str) -> bool:
    ends = ("ed", "ive", "ble", "ful", "ous")
    return "-" not in word and word.endswith(ends) and (not after or after in PREPOSITIONS | {"and", "or", "to"})


def _without_auxiliary(words: Sequence[str], lower: Sequence[str]) -> list[str]:
    """`what causes X`: the phrases after the verb, which is the second or third word."""
    for n, word in enumerate(lower[1:4], start=1):
        is_verb = not VERBS.isdisjoint((word, word.removesuffix("s"), word.removesuffix("es")))
        if is_verb or (n == 1 and lower[0] in ("who", "what")):
            return _phrases(words[n + 1 :], lower[n + 1 :])
    return []


def _phrases(words: Sequence[str], low: Sequence[str]) -> list[str]:
    """The phrases between verbs, states and prepositions; one with `of` is followed by what comes after it."""
    ends = (PREPOSITIONS - {"of"}) | STATES | VERBS
    afters = [*low[1:], "x"]
    inner = [n for n, word in enumerate(low) if word in ends or _is_predicate(word, afters[n])]
    whole = [" ".join(words[a + 1 : b]) for a, b in pairwise([-1, *inner, len(low)])]
    parts = [part for phrase in whole for part in (phrase, phrase.rpartition(" of ")[2])]
    return [part for part in dict.fromkeys(parts) if part]


def _cut(phrases: Sequence[str]) -> list[str]:
    """Phrases without articles before and adverbs after them; no pronouns."""
    cut = [_ADVERBS.sub("", _DETERMINERS.sub("", phrase)) for phrase in phrases]
    return [text for text in dict.fromkeys(cut) if re.search(r"\w", text) and text.lower() not in PRONOUNS]
