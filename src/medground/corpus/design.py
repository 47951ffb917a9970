"""The design of a study: by the publication types of its record, or else by what its title and abstract say of it."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from medground.home.files import tables
from medground.language.pattern import verbose_pattern
from medground.language.quoting.headings import parts_of
from medground.values.document import Document, Joined

_TABLE = tables("data", "designs")
UNKNOWN = 5
"""Level of a paper whose types name no design: the level of a review, below observational studies."""
_ABSTRACT = 2500
"""Characters at the beginning of a text that are read as its abstract if no section is called so."""
_CLAUSE = 110
"""Characters after `in this`, in which a study names its design."""
_ENDS = re.compile(r"[.;:]\s")
_ANIMALS_OR_CELLS = verbose_pattern(
    r"""
    \b(?:animals|preclinical|mouse|mice|murine|rats?|rodents?|rabbits?|zebrafish|drosophila|pigs?|piglets?|porcine|dogs?|
    canine|monkeys?|macaques?|sheep|guinea\ pigs?|hamsters?|in\ vitro|ex\ vivo|cell\ lines?|cultured\ cells|
    cell\ cultures?|explants?)\b
    """
)
_PEOPLE = verbose_pattern(
    r"""
    \b(?:humans?|patients?|people|persons?|adults?|children|infants?|women|men|individuals|participants|
    volunteers|clinical(?:ly)?|survivors)\b
    """
)


def named_level(publication_types: Sequence[str]) -> int | None:
    """0 for the strongest design named, 7 for the weakest; None if none is named."""
    names = {name.casefold() for name in publication_types}
    return next((level for level, designs in enumerate(_TABLE["levels"]) if not names.isdisjoint(designs)), None)


def design_level(publication_types: Sequence[str]) -> int:
    """0 for the strongest design named, 7 for the weakest; `UNKNOWN` if none is named."""
    level = named_level(publication_types)
    return UNKNOWN if level is None else level


def with_design(document: Document) -> Document:
    """The document with the publication type that its own words state, where a paper's record names no design."""
    if document.kind != "research" or named_level(document.publication_types) is not None:
        return document
    stated = stated_design(document)
    if not stated or (stated.endswith("Trial") and not_of_people("", document)):
        return document
    note = Joined(record=document.id, source="its own title and abstract", fields=("publication_types",))
    types = (*document.publication_types, stated)
    return document.replace(publication_types=types, joined=(*document.joined, note))


def stated_design(document: Document) -> str:
    """The publication type for the design that the title states, or else the abstract of its own study; may be empty.
    That people were randomised may stand in the methods alone.

    A protocol or an erratum states none, and an experiment with animals is no trial. What only begins the text is not
    a title.
    """
    forms, title, text = _forms(), document.title.lower(), document.text
    if document.title == text or not text.startswith(document.title):
        if forms["begins"].match(title) or forms["none"].search(title):
            return ""
        if named := _named_in(title):
            return named
    abstract = [text[s.start : s.end] for s in document.sections if s.label.lower().startswith("abstract")]
    methods = [text[s.start : s.end] for s in document.sections if parts_of(s.label) == {"methods"}]
    read = ("\n".join(abstract) or text[:_ABSTRACT]).lower()
    if any(map(_randomised, (*_ENDS.split(read), *_ENDS.split("\n".join(methods).lower())))):
        return "Randomized Controlled Trial"
    places = [m.end() for m in forms["own"].finditer(read) if not read[m.start() - 1 : m.start()].isalnum()]
    return next(filter(None, (_named_in(_ENDS.split(read[at : at + _CLAUSE], 1)[0]) for at in places)), "")


def _randomised(said: str) -> bool:
    """Whether a sentence says that people were randomised."""
    if "random" not in said or not _forms()["randomised"].search(said):
        return False
    return people_in(said) != "" or not animals_in(said)


def _named_in(lower: str) -> str:
    near = (name for name, parts in _TABLE["needs"].items() if any(part in lower for part in parts))
    return next((name for name in near if _forms()[name].search(lower)), "")


@cache
def _forms() -> Mapping[str, re.Pattern[str]]:
    """The forms in lower case by the publication type that each states, and those of other names."""
    return {name: re.compile("|".join(parts)) for name, parts in _TABLE["forms"].items()}


def not_of_people(quote: str, document: Document) -> str:
    """The animals or cells that a quote is about, by its words, its title and its headings; empty if any is people."""
    if people_in(quote) or people_in(document.title):
        return ""
    headings = {heading.descriptor for heading in document.mesh} & {"Animals", "Humans"}
    return animals_in(quote) or animals_in(document.title) or ("animals" if headings == {"Animals"} else "")


def animals_in(text: str) -> str:
    """The first word of a text for animals or cells; empty if it has none."""
    return found[0].lower() if (found := _ANIMALS_OR_CELLS.search(text)) else ""


def people_in(text: str) -> str:
    """The first word of a text for people; empty if it has none."""
    return found[0].lower() if (found := _PEOPLE.search(text)) else ""
