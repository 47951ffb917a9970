"""Sub-questions, keywords and tools without a model (Eq. 1 and 2), from the one reading of the question.

The question itself is the first sub-question. The others ask of its subject what the table of `dimensions.toml` has for
its kind and the question does not ask itself.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from medground.home.files import tables
from medground.language import words
from medground.language.mesh_terms import is_drug_name
from medground.language.question_reading import Asked
from medground.language.requests import aspects_of
from medground.language.subject import Subject, subjects
from medground.models.operators.base import OperatorInput, OperatorOutput, Untrusted
from medground.pubmed.mesh import vocabulary
from medground.recipes.model_fields import MOST_ITEMS, one_line
from medground.sources.proteins.genes import genes_in
from medground.values.document import Frozen
from medground.values.research_plan import Tool

_LONGEST_TEXT = 500
_LONGEST_NAME = 120


def _texts(said: Any) -> Any:
    """A list of short texts: null, or one text with commas."""
    if said is None:
        return ()
    items = re.split(r"[,;|]", said) if isinstance(said, str) else said
    if not isinstance(items, list | tuple):
        return items
    return tuple(one_line(_LONGEST_NAME)(one) for one in items[:MOST_ITEMS] if one is not None)


Text = Annotated[str, BeforeValidator(one_line(_LONGEST_TEXT)), Field(max_length=_LONGEST_TEXT)]
Name = Annotated[str, BeforeValidator(one_line(_LONGEST_NAME)), Field(max_length=_LONGEST_NAME)]
Texts = Annotated[tuple[str, ...], BeforeValidator(_texts)]


class DraftedQuestion(OperatorOutput):
    text: Text = Field(description="the sub-question, complete in itself")
    dimension: Name = Field(default="", description="the dimension that it asks about")


class DraftedKeyword(OperatorOutput):
    name: Name = Field(description="the keyword, as papers write it")
    dimension: Name = Field(default="", description="its fine dimension, such as hormone synthesis")
    synonyms: Texts = Field(default=(), description="a few other names of the same thing")


class KeywordedQuestion(OperatorInput):
    """A sub-question as the graph is built from it."""

    id: str
    text: Untrusted
    dimension: Untrusted = ""
    keywords: tuple[Untrusted, ...] = ()


class Dimension(Frozen):
    """One view of a subject, as `dimensions.toml` describes it."""

    name: str
    asks: Mapping[str, str] = {}
    keyword: str = ""
    synonyms: tuple[str, ...] = ()
    fine: str = ""

    def is_asked(self, aspects: frozenset[str], stems: frozenset[str]) -> bool:
        """Whether a question with these aspects and stems asks for it."""
        return not aspects.isdisjoint(aspects_of(self.keyword)) or stems.issuperset(words.terms(self.keyword))


DIMENSIONS = {
    one["name"]: Dimension.model_validate(one) for one in tables("recipes/biomedsearch", "dimensions")["dimensions"]
}
"""All dimensions by name."""
OWN = "the question itself"
"""The dimension of the question's own part."""
MOST_SYNONYMS = 4
_TREES: Mapping[str, tuple[str, ...]] = {
    "drug": ("D",),
    "procedure": ("E02", "E04"),
    "microbe": ("B03", "B04", "B01.300"),
    "disease": ("C0", "C1", "C20", "C21", "C22", "C23.888", "C24", "C25", "C26", "F03"),
}
"""Branches of MeSH and the kind of thing in them. What is of no kind, such as an enzyme, is asked nothing more; nor is
what can happen to any organ (the rest of C23), such as a hernia or an atrophy."""
_KINDS = ("gene of an animal", "gene", *_TREES)
"""Of several things, the first is the subject."""
_ANIMALS = ("B01.050",)
_PROTEINS = ("D08", "D12.776")
_TERM = "term of the question"
_RARE = 4.5
"""Weight above which a word that the question says beside its things is a keyword."""
_OF_SUBJECT = 0.8
"""Weight of the edges from the subject to all else: what is found of it sharpens the other searches."""


def subquestions(asked: Asked, most: int) -> list[DraftedQuestion]:
    """The question itself, and what else matters of its subject; at most `most`."""
    own = DraftedQuestion(text=_own(asked), dimension=OWN)
    subject, kind = _subject(asked)
    if subject is None:
        return [own]
    of, whom = _with_alternative(subject, asked), _in_whom(subject, asked)
    other = (
        DraftedQuestion(text=one.asks[kind].format(S=of, P=whom), dimension=one.name)
        for one in DIMENSIONS.values()
        if kind in one.asks and asked.aspects.isdisjoint(aspects_of(one.asks[kind]))
    )
    return [own, *islice(other, most - 1)]


def _own(asked: Asked) -> str:
    """The question; of a story that is too long for a sub-question, what it asks and names."""
    question = asked.text
    if len(question) <= _LONGEST_TEXT:
        return question
    said = asked.core if len(asked.core) < len(question) else question[-_LONGEST_TEXT // 2 :].partition(". ")[2]
    named = ", ".join(
        dict.fromkeys(thing.said for thing in _things(asked) if thing.said.casefold() not in said.casefold())
    )
    return f"{said[: _LONGEST_TEXT // 2]} ({named})"[:_LONGEST_TEXT]


def _things(asked: Asked) -> Sequence[Subject]:
    """What a question is about; of a long story all that it names."""
    return subjects(asked.text) if len(asked.text) > _LONGEST_TEXT else asked.subjects


def _subject(asked: Asked) -> tuple[Subject | None, str]:
    """The thing that other sub-questions are about, with its kind; None if no kind of it is known."""
    kinds = [(one, _kind(one, asked)) for one in asked.deciding or asked.subjects]
    known = sorted((pair for pair in kinds if pair[1]), key=lambda pair: _KINDS.index(pair[1]))
    return known[0] if known else (None, "")


def _kind(one: Subject, asked: Asked) -> str:
    """The kind of a thing; empty where there is no telling what would make sense to ask of it."""
    if _is_gene(one, asked):
        return "gene of an animal" if any(_lies_in(other, _ANIMALS) for other in asked.subjects) else "gene"
    if is_drug_name(one.said):
        return "drug"
    kind = next((kind for kind, branches in _TREES.items() if _lies_in(one, branches)), "")
    treated = any(_lies_in(other, _TREES["disease"]) for other in asked.deciding)
    return "" if kind == "drug" and (_lies_in(one, _PROTEINS) or not treated) else kind


def _lies_in(one: Subject, branches: tuple[str, ...]) -> bool:
    """Whether a thing lies in branches of MeSH. A branch as a whole, such as tumours, is too wide to be asked of."""
    return any("." in tree and tree.startswith(branches) for tree in _trees(one))


def _trees(one: Subject) -> tuple[str, ...]:
    heading = vocabulary().find(one.heading) if one.heading else None
    return heading.trees if heading else ()


def _is_gene(one: Subject, asked: Asked) -> bool:
    in_question = {gene.name.casefold() for gene in genes_in(asked.text)}
    return one.said.casefold() in in_question and not _lies_in(one, _TREES["disease"])


def _with_alternative(subject: Subject, asked: Asked) -> str:
    """The subject; of a comparison both sides."""
    compared = asked.comparison
    sides = compared.said if compared and any(subject in side for side in compared.sides) else []
    return " and ".join(sides) or subject.said


def _in_whom(subject: Subject, asked: Asked) -> str:
    """In which disease, else in which animal or people the question asks it; of several, the last that it names."""
    others = [one for one in asked.deciding if one != subject]
    said = [one.said for branches in (_ANIMALS, _TREES["disease"]) for one in others if _lies_in(one, branches)]
    found = said or [*asked.people]
    return f" in {found[-1]}" if found else ""


def _asked_by(asked: Asked) -> Dimension | None:
    """The dimension that the question itself asks for, by its words."""
    aspects, stems = asked.aspects, frozenset(words.terms(asked.text))
    return next((one for one in DIMENSIONS.values() if one.keyword and one.is_asked(aspects, stems)), None)


def keywords(asked: Asked, text: str, dimension: str, most: int) -> list[DraftedKeyword]:
    """What a sub-question says of what its question names, the subject first, then the word of its dimension."""
    said, view = text.casefold(), _asked_by(asked) if dimension == OWN else DIMENSIONS.get(dimension)
    named = [
        keyword for keyword in named_keywords(asked) if re.search(rf"(?<!\w){re.escape(keyword.name.casefold())}", said)
    ]
    if view and view.keyword:
        last = [DraftedKeyword(name=view.keyword, dimension=view.fine or view.name, synonyms=view.synonyms)]
    else:
        last = [DraftedKeyword(name=word, dimension=_TERM) for word in _rarest(asked) if dimension == OWN]
    found = [*named[: most - len(last)], *last]
    return found or [DraftedKeyword(name=" ".join(text.rstrip("?").split()[:6]), dimension=_TERM)]


def named_keywords(asked: Asked) -> list[DraftedKeyword]:
    """Everything that a question names: what decides first, people and parts of the body last."""
    subject, _ = _subject(asked)
    things = sorted(_things(asked), key=lambda thing: (thing != subject, not thing.decides, thing.aside))
    return [DraftedKeyword(name=thing.said, dimension=_fine(thing, asked), synonyms=_names(thing)) for thing in things]


def _rarest(asked: Asked) -> list[str]:
    """The rarest word of MeSH's names that a question says beside its things, such as knockout, if it is rare."""
    known = {stem for thing in _things(asked) for name in (thing.said, *thing.names) for stem in words.terms(name)}
    rest = [word for word in words.tokens(asked.plain) if word in vocabulary().words]
    weights = {word: words.weight(words.stem(word)) for word in rest if known.isdisjoint(words.terms(word))}
    return sorted((word for word in weights if weights[word] > _RARE), key=lambda word: -weights[word])[:1]


def _fine(one: Subject, asked: Asked) -> str:
    """The fine dimension of a thing: the branch of MeSH that it is in."""
    if _is_gene(one, asked):
        return "gene or protein"
    trees = _trees(one)
    return vocabulary().path(trees[0])[0].name.lower() if trees else "term without a MeSH heading"


def _names(one: Subject) -> tuple[str, ...]:
    own = frozenset(words.terms(one.said))
    return tuple(name for name in one.other_names if frozenset(words.terms(name)) != own)[:MOST_SYNONYMS]


def is_named(word: DraftedKeyword, names: Iterable[str]) -> bool:
    """Whether one of the names says a keyword, in its own words, within longer ones, or by another name of it."""
    wanted = [set(words.terms(name)) for name in (word.name, *word.synonyms)]
    known = [set(words.terms(name)) for name in names]
    return any(one <= other for one in wanted if one for other in known)


def tools_of(asked: Asked, subs: Sequence[KeywordedQuestion], tools: Sequence[Tool]) -> dict[str, tuple[Tool, ...]]:
    """The tools of each keyword: literature for all, proteins for genes, the web for unknown words.

    The web is searched for the question's own part too: for its keyword that fewest others have.
    """
    names = tuple(dict.fromkeys(name for sub in subs for name in sub.keywords))
    own = max(subs, key=lambda sub: words.coverage(words.terms(asked.text), words.terms(sub.text)), default=None)
    own_names = own.keywords[::-1] if own else ()
    rarest = min(own_names, key=lambda name: sum(name in sub.keywords for sub in subs), default="")
    return {name: _tools(name, tools, web=name == rarest) for name in names}


def tools_of_text(asked: Asked, tools: Sequence[Tool]) -> tuple[Tool, ...]:
    """The tools of a sub-question without keywords."""
    unknown = any(_is_unknown(subject.said) for subject in asked.subjects if not genes_in(subject.said))
    return _tools(asked.text, tools, web=unknown)


def _tools(name: str, tools: Sequence[Tool], *, web: bool) -> tuple[Tool, ...]:
    protein = bool(genes_in(name))
    wanted = {"literature", *(["protein"] if protein else [])}
    wanted |= {"web"} if web or (not protein and _is_unknown(name)) else set()
    return tuple(tool for tool in tools if tool in wanted)


def _is_unknown(name: str) -> bool:
    """Whether neither MeSH nor the counted words of abstracts have a name of one word."""
    plain = name.isalpha() and len(name) > 4
    return plain and vocabulary().find(name) is None and not words.abstracts_with(words.stem(name.casefold()))


def edges(asked: Asked, subs: Sequence[KeywordedQuestion]) -> Iterator[tuple[str, str, float]]:
    """What comes before what, with a weight: the subject before all else."""
    subject, _ = _subject(asked)
    names = dict.fromkeys(name for sub in subs for name in sub.keywords)
    if subject is not None and subject.said in names:
        yield from ((subject.said, name, _OF_SUBJECT) for name in names if name != subject.said)
