"""What a question is about: its subject, what that bears on, and in whom; and whether it is biomedical at all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import get_args

from medground.language import predicate_words as lists
from medground.language import words
from medground.language.words import FUNCTION_WORDS, QUESTION_WORDS
from medground.recipes.biomedsearch.question_names import LISTS, Kind, Thing, in_branches, matching, things

_ORDER: tuple[Kind, ...] = get_args(Kind)
_WHO_AND_WHERE: tuple[Kind, ...] = ("population", "organism", "place")
_PEOPLE = "|".join(LISTS["people"] | LISTS["in whom"])
_VERBS = lists.VERBS | LISTS["other verbs"]
_PREDICATES = _VERBS | lists.STATES | lists.ADVERBS | LISTS["ends of people"]
_SINGULAR = re.compile(r"\b(?:patient|adult|infant|child|neonate|newborn|adolescent|nurse|physician|student)$", re.I)
_NO_BREAK = (
    r"(?!(?:is|are|was|were|does|do|did|can|has|have|in|of|for|and|or|with|on|to|by|the|a|an|among|from|all|any|when|"
    r"while|if|after|before|during|between|than|as|that|per|using|through)\b)"
)
_POPULATION = re.compile(
    rf"\b(?P<who>(?:{_NO_BREAK}[\w'’/+-]+\s+){{0,3}}?\b(?:{_PEOPLE}))\b"
    rf"(?P<with>\s+(?:with|who have|undergoing|receiving|after|on|following|treated with)\s+"
    rf"(?:{_NO_BREAK}[\w'’/+-]+\s*){{1,5}})?",
    re.IGNORECASE,
)
_NOT_FIRST = re.compile(rf"^(?:{'|'.join(sorted(LISTS['before population']))})\s+", re.IGNORECASE)
_ENDS = re.compile(rf"\s+(?:{'|'.join(sorted(LISTS['after population']))})\b.*$", re.IGNORECASE)
_MEDICAL = matching("medical")
_PERTURBED = matching("perturbed")
_MEDICAL_TREES = ("A", "B", "C", "D", "E", "F", "G", "M01.060", "M01.526", "M01.643", "N02", "N04", "N05", "N06", "H02")
_EVERYDAY = tuple(sorted(LISTS["everyday branches"]))
_WEAK_TREES = ("B01", "F", "G", "N", "E05", "E07", "M01.526")
"""Branches whose headings everyday questions name too: animals, thoughts, forces, nurseries."""
_EVERYDAY_TREES = ("I03.450.642", "K01.602", "K01.468", "I01.409", "I01.738")
"""Branches of headings that are not biomedical by themselves: sports, music, languages, politics."""
_EVERYDAY_FORM = re.compile(rf"^(?:{'|'.join(sorted(LISTS['everyday forms']))})\b", re.IGNORECASE)
_EVERYDAY_WORD = re.compile(rf"\b(?:{'|'.join(sorted(LISTS['everyday']))})s?\b", re.IGNORECASE)


@dataclass(frozen=True)
class About:
    """What a question is about.

    Attributes:
        question: the question.
        subject: the main subject.
        bears_on: what the subject is to affect, treat or predict; None where nothing else is named.
        population: in whom, as the question says it, such as `patients with lupus`; may be empty.
        things: everything that it names, in order.
        done: what is done to a gene, such as `knockout`; may be empty.
    """

    question: str
    subject: Thing
    bears_on: Thing | None
    population: str
    things: tuple[Thing, ...]
    done: str = ""


def about(question: str) -> About | None:
    """What a question is about; None where it names nothing."""
    found = things(question)
    if not found:
        return None
    population = population_of(question)
    free = [one for one in found if not _is_within(one, population, found)] or list(found)
    if all(one.kind in _WHO_AND_WHERE for one in free):  # then what people have is the subject
        free = list(found)
    subject = min(free, key=lambda one: (_rank(one, question), one.start))
    if subject.kind in _WHO_AND_WHERE:
        subject = replace(subject, kind="name")
    others = [one for one in free if one.start != subject.start and one.kind not in _WHO_AND_WHERE]
    if subject.kind == "drug":
        others = [one for one in others if one.kind != "drug"]
    bears_on = min(others, key=lambda one: (_BEARS.index(one.kind), abs(one.start - subject.start)), default=None)
    done = perturbation(question) if subject.kind == "gene" else ""
    return About(question, subject, bears_on, population, found, done)


def perturbation(question: str) -> str:
    """What is done to a gene, as the question says it, such as `knockout`; empty where it does not say."""
    said = _PERTURBED.search(question)
    return said[0] if said else ""


def _is_within(one: Thing, population: str, others: Sequence[Thing]) -> bool:
    """Whether a thing is part of the population, or of a longer name that another thing has."""
    said = one.words.casefold()
    return said in population.casefold() or any(said in other.words.casefold() for other in others if other != one)


def population_of(question: str) -> str:
    """In whom: the phrase that names people or animals, with what they have or undergo; empty where none is named."""
    for match in _POPULATION.finditer(question):
        said = match["who"]
        while (shorter := _NOT_FIRST.sub("", said)) != said:
            said = shorter
        said = _without_verb(said)
        with_ = _without_end(_ENDS.sub("", (match["with"] or "").partition("--")[0].rstrip()).rstrip(" ,-"))
        with_ = "" if re.fullmatch(r"\s*(?:with|on|after|following|treated with)", with_) else with_
        is_compound = question.startswith(("-", "'", "’"), match.end("who"))  # `patient-reported`
        following = re.match(r"\s+([\w-]+)", question[match.end("who") :])
        modifies = following is not None and following[1].casefold() not in FUNCTION_WORDS | QUESTION_WORDS
        is_compound = is_compound or (modifies and _SINGULAR.search(said) is not None)  # `adult vaccination`
        if is_compound or said.casefold() in ("humans", "human", "plant", "man", "rate"):
            continue
        return " ".join(f"{said}{with_}".split())
    return ""


def _without_verb(said: str) -> str:
    """A phrase after its last verb: `zinc help children` is `children`."""
    parts = said.split()
    verbs = [n for n, word in enumerate(parts[:-1]) if {word.lower(), word.lower().removesuffix("s")} & _VERBS]
    return " ".join(parts[verbs[-1] + 1 :]) if verbs else said


def _without_end(said: str) -> str:
    """What people have, without the predicate that follows: `with cirrhosis possible`."""
    parts = said.split()
    while parts and (parts[-1].lower() in _PREDICATES or parts[-1].endswith("ed")):
        parts.pop()
    return " " + " ".join(parts) if parts else ""


def is_biomedical(question: str) -> bool:
    """Whether a question may be one of biomedicine: it names something of it, or nothing that is plainly of elsewhere.

    New names of genes, drugs and programs are in no vocabulary, so an unknown word refuses nothing. What is refused has
    an everyday subject, such as a football match or a capital, and nothing medical beside it: no heading of MeSH in a
    medical branch, no gene or drug, no medical word.
    """
    sounds_everyday = _EVERYDAY_FORM.search(question) or _EVERYDAY_WORD.search(question)
    found = things(question)
    for one in found:
        if one.kind in ("gene", "drug"):
            return True
        trees = one.heading.trees if one.heading else ()
        weak = sounds_everyday and in_branches(one.heading, _WEAK_TREES)
        if not weak and any(tree.startswith(_MEDICAL_TREES) and not tree.startswith(_EVERYDAY) for tree in trees):
            return True
    if any(match[0].lower() not in LISTS["everyday endings"] for match in _MEDICAL.finditer(question)):
        return True
    capitals = set() if question.isupper() else set(re.findall(r"\b[A-Z]{2,}\b", question))
    if not capitals <= LISTS["everyday capitals"]:
        return True
    trees_of = [one.heading.trees for one in found if one.heading and one.heading.trees]
    return not (sounds_everyday or any(all(t.startswith(_EVERYDAY_TREES) for t in trees) for trees in trees_of))


def _rank(one: Thing, question: str) -> float:
    """How unlikely a thing is to be the subject: by its kind, then by how common it is, then by how late it comes."""
    rarest = max((words.weight(term) for term in words.terms(one.words)), default=0.0)
    return _ORDER.index(one.kind) / 2 - rarest / words.MOST + one.start / max(len(question), 1) * 1.5


_BEARS = ["disease", "finding", "microbe", "other", "substance", "name", "anatomy", "gene", "procedure", "test", "drug"]
