"""Sub-questions without a model (Eq. 1): the question itself, and views of its subject in other dimensions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from medground.home.files import tables
from medground.language.sentences import sentence_spans
from medground.models.operators.base import OperatorInput, OperatorOutput, Untrusted
from medground.pubmed.mesh import vocabulary
from medground.recipes.base import MOST_ITEMS, one_line
from medground.recipes.biomedsearch.question_names import LISTS, Thing, matching, things
from medground.recipes.biomedsearch.subjects import About, about
from medground.values.document import Frozen

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


# The dimensions of biomedical questions (D of Eq. 1): what each asks of a gene, a drug, a disease and other subjects.


class Dimension(Frozen):
    """One view of a question.

    Attributes:
        name: as plans show it.
        asks: for a kind of subject, the sub-question. `{S}` is the subject, `{C}` what it bears on, `{D}` the same
            if it is a disease, `{X}` the gene's perturbation, and `{P}` in whom, with its preposition, or nothing. A
            form with `{C}` or `{D}` is used where that is named, the next one where it is not.
        words: how questions ask for it, as patterns.
        keyword: the word that papers use for it; empty where the subject says enough.
        synonyms: other words for `keyword`.
        fine: the fine dimension of `keyword` (D' of Eq. 2).
        after: dimensions whose results sharpen this one: the general comes before the specific.
    """

    name: str
    fine: str
    asks: Mapping[str, tuple[str, ...]]
    words: tuple[str, ...] = ()
    keyword: str = ""
    synonyms: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    def is_asked(self, question: str) -> bool:
        """Whether the words of a question ask for it."""
        asked = re.search(rf"\b(?:{'|'.join(self.words)})\b", question, re.IGNORECASE)
        return bool(self.words) and asked is not None


BACKGROUND = "background"
DIRECT = "association"
"""The dimension of a question whose words ask for none."""


_STORED = tables("recipes/biomedsearch", "dimensions")
DIMENSIONS = {one["name"]: Dimension.model_validate(one) for one in _STORED["dimensions"]}
"""All dimensions by name, the general before the specific."""
USUAL: dict[str, tuple[str, ...]] = {kind: tuple(names) for kind, names in _STORED["usual"].items()}
"""The dimensions of a kind of subject, the most usual first."""
_USUAL = 4
"""Sub-questions of a question whose words ask for few dimensions; of a gene there is one more to know."""
_LONGEST = 400
"""Most characters of a sub-question; a longer question, such as a patient's case, is cut to the sentence that asks."""
_AUXILIARY = re.compile(
    r"(?:^|[:.?!,;] *|\b(?:and|or) )(?:is|are|was|were|do|does|did|has|have|had|can|could|should|will|would|may|might|"
    r"must|which|what|who|whom|whose|where|when|why|how)\b|"
    r"^(?:in|for|from|to|at|with|on|by|during) (?:which|what|whom|how)\b",
    re.IGNORECASE,
)
_ORDERS = re.compile(
    r"^(?P<order>list|name|describe|explain|give|define|mention|compare|discuss|summari[sz]e|provide)\b\s*(?P<rest>.+)",
    re.IGNORECASE,
)
_ABOUT_TITLE = re.compile(rf"^(?:the )?(?:{'|'.join(LISTS['what is asked of a subject'])})\b", re.IGNORECASE)
_DEFINED = re.compile(r"^(?:what (?:is|are) (?:known|(?:an? |the )?[\w-]+\??$)|describe|define|explain)", re.IGNORECASE)
_PLURAL = re.compile(r"^(?:the )?(?:effects|causes|outcomes|mechanisms|benefits|risks)\b", re.IGNORECASE)
_VERB = matching("statement verbs")
_JOINED = re.compile(
    r"\s*(?:,|/|and|or|versus|vs\.?|,\s*and|,\s*or|compared (?:with|to)|plus|to|than)\s*", re.IGNORECASE
)


def subquestions(question: str, most: int) -> list[DraftedQuestion]:
    """Three to five bounded sub-questions, the general before the specific; fewer where `most` is.

    The question itself is one of them, so that nothing that it names is lost. The others ask of its subject, in whom
    the question asks it, what else matters: dimensions that its words ask for, then those usual for such a subject.
    """
    found = about(question)
    if found is None:
        return [DraftedQuestion(text=_direct(question, None), dimension=BACKGROUND)]
    own = _own_dimension(question, found)
    direct = DraftedQuestion(text=_direct(question, found), dimension=own)
    fitting = [one for one in _wanted(question, found) if one.name != own]
    usual = _USUAL + (found.subject.kind == "gene")
    room = min(most, max(usual, 1 + sum(one.is_asked(question) for one in fitting))) - 1
    views = [DraftedQuestion(text=_view(one, found), dimension=one.name) for one in fitting]
    chosen = [direct, *[one for one in views if one.text not in ("", direct.text)][:room]]
    order = list(DIMENSIONS)
    return sorted(chosen, key=lambda one: order.index(one.dimension))


def _own_dimension(question: str, found: About) -> str:
    """The dimension that the question itself asks for: of those its words ask for, the one its subject usually has."""
    kind, said = found.subject.kind, _asking(question)
    asked = [one.name for one in DIMENSIONS.values() if kind in one.asks and one.is_asked(said)]
    if kind == "name" and _DEFINED.match(said):
        return BACKGROUND
    if kind == "gene" and "disease association" in asked and _is_disease(found.bears_on):
        return "disease association"
    if kind == "gene" and found.done:
        return next((one for one in asked if one.startswith(("physiology", "developmental"))), "clinical phenotype")
    usual = [name for name in _usual(found) if name in asked]
    for name in ("comparison", "dose and use", "epidemiology", "treatment effect", "safety", "diagnosis", "prognosis"):
        if name in asked and (name in usual or not usual):
            return name
    return usual[0] if usual else asked[0] if asked else DIRECT


def _wanted(question: str, found: About) -> list[Dimension]:
    """The dimensions that fit the subject: those that the question's words ask for first, each in its usual order."""
    usual = _usual(found)
    rest = [name for name, one in DIMENSIONS.items() if found.subject.kind in one.asks and name not in usual]
    if found.subject.kind == "gene" and _is_hormonal(found.subject):
        usual = (*usual[:2], "physiology and endocrine regulation", *usual[2:])
    asked = [name for name in (*usual, *rest) if DIMENSIONS[name].is_asked(question)]
    first = ("molecular function",) if found.subject.kind == "gene" else ()  # to know before anything else of a gene
    return [DIMENSIONS[name] for name in dict.fromkeys((*first, *asked, *usual))]


def _usual(found: About) -> tuple[str, ...]:
    if found.subject.kind == "gene" and _is_disease(found.bears_on):
        return USUAL["gene of a disease"]
    return USUAL.get(found.subject.kind, USUAL["other"])


def _is_hormonal(gene: Thing) -> bool:
    """Whether MeSH has a gene's protein among hormones, their receptors or the enzymes that make them."""
    above = [] if gene.heading is None else [gene.heading, *vocabulary().ancestors(gene.heading)]
    return any(re.search(r"steroid|hormon|gonad|estrogen|androgen|thyr", one.name, re.IGNORECASE) for one in above)


def _view(one: Dimension, found: About) -> str:
    """The sub-question of a dimension; empty where it asks nothing of such a subject."""
    subject, other = _subject(found), found.bears_on
    if other is not None and other.words.casefold() in subject.casefold():
        other = None
    for form in one.asks.get(found.subject.kind, ()):
        if ("{C}" in form and other is None) or ("{D}" in form and not _is_disease(other)):
            continue
        bears = _as_written(other, found) if other else ""
        whom = _in_whom(found, without=bears if "{C}" in form or "{D}" in form else "")
        core = found.subject.core
        done = f"{core} {found.done}" if found.done not in ("", "loss") else f"loss of {core}"
        return form.format(S=subject, C=bears, D=bears, P=whom, X=done)
    return ""


def _is_disease(other: Thing | None) -> bool:
    return other is not None and other.kind in ("disease", "finding", "microbe")


def _subject(found: About) -> str:
    """The subject as sub-questions name it: a gene by its symbol, two drugs that stand side by side together."""
    one = found.subject
    if one.kind == "gene":
        return one.core
    joined = next((other for other in found.things if _stand_together(one, other, found)), None)
    said = _as_written(one, found)
    return f"{said} and {_as_written(joined, found)}" if joined else said


def _stand_together(one: Thing, other: Thing, found: About) -> bool:
    """Whether another drug follows right after the subject: `aspirin or warfarin`."""
    beside = one.kind == other.kind == "drug" and other not in (one, found.bears_on) and other.start > one.end
    return beside and _JOINED.fullmatch(found.question[one.end : other.start]) is not None


_WORKERS = re.compile(rf"\b(?:{'|'.join(LISTS['workers'])})$", re.IGNORECASE)


def _in_whom(found: About, without: str = "") -> str:
    """` in patients with lupus`; the disease too, where the subject is what is done about it, unless it is said."""
    subject, other = found.subject.words.casefold(), found.bears_on
    treated = found.subject.kind in ("gene", "drug", "procedure", "substance", "test") and _is_disease(other)
    disease = _as_written(other, found) if other and treated and other.words.casefold() != without.casefold() else ""
    whom = _population(found)
    if whom and without and without.casefold() in whom.casefold():
        whom = ""
    if whom and subject not in whom.casefold() and whom.casefold() not in subject:
        if _WORKERS.search(whom):
            return f" among {whom}"
        said = " with " in whom or disease.casefold() in whom.casefold()
        return f" in {whom}" if said else f" in {whom} with {disease}"
    organism = next((one for one in found.things if one.kind == "organism" and one != found.subject), None)
    if organism is not None and not found.population and organism.words.casefold() not in subject:
        return f" in {organism.words}"
    return f" in {disease}" if disease else ""


def _population(found: About) -> str:
    """In whom, without the capitals of a title or of the first word of a sentence."""
    whom = found.population
    if whom.casefold() == "elderly":
        return "the elderly"
    return _written(whom, max(found.question.find(whom), 0), found) if whom else ""


def _as_written(one: Thing, found: About) -> str:
    """A thing without the capitals of a title or of the first word of a sentence; names keep theirs."""
    return _written(one.words, one.start, found)


def _written(said: str, start: int, found: About) -> str:
    if _is_titled(found.question):
        return " ".join(map(_lower, said.split()))
    begins = start == 0 or found.question[:start].rstrip().endswith((".", "?", ":"))
    return _lower(said) if begins else said


def _is_titled(question: str) -> bool:
    long = [word for word in question.split() if len(word) > 4 and word[:1].isalpha()]
    return sum(word[:1].isupper() for word in long) > 0.6 * len(long)


def _lower(text: str) -> str:
    """Without the capital of its first word; names and abbreviations keep theirs."""
    first = re.split(r"[ -]", text)[0]
    plain = first[:1].isupper() and first[1:].islower() and len(first) > 2
    is_proper = not LISTS["named after"].isdisjoint((first.casefold(), first.rstrip("s'’").casefold()))
    return text[:1].lower() + text[1:] if plain and "'" not in first and not is_proper else text


def _asking(question: str) -> str:
    """The sentence that asks; the whole question where it is one."""
    if len(question) <= _LONGEST:
        return question
    sentences = [question[start:end].strip() for start, end in sentence_spans(question)]
    return next((one for one in reversed(sentences) if one.endswith("?")), sentences[-1] if sentences else question)


def _direct(question: str, found: About | None) -> str:
    """The question as a question: an order or a title is put as one, a case is cut to what it asks and names."""
    said = _asking(question)
    if said != question:
        named = [one.words for one in things(question) if one.words.casefold() not in said.casefold()]
        beside = list(dict.fromkeys(filter(None, [found.population if found else "", *named[:5]])))
        listed = " and ".join(filter(None, [", ".join(beside[:-1]), *beside[-1:]]))
        return _cut(f"{_as_question(said).rstrip('?')}, given {listed}?" if beside else _as_question(said))
    return _cut(_as_question(said))


def _as_question(said: str) -> str:
    text = said.strip().rstrip(".")
    if order := _ORDERS.match(text):
        return _ordered(order["order"].lower(), order["rest"].rstrip("?"))
    if _AUXILIARY.search(text):
        return text if text.endswith("?") else f"{text}?"
    text = text.rstrip("?").strip()
    if _is_titled(text):
        text = " ".join(map(_lower, text.split()))
    if _ABOUT_TITLE.match(text):
        article = "" if text.lower().startswith("the ") else "the "
        return f"What {'are' if _PLURAL.match(text) else 'is'} {article}{_lower(text)}?"
    if _VERB.search(text) and ":" not in text and not said.strip().endswith("?"):
        return f"Is it shown that {_lower(text)}?"
    return f"What is known about {_lower(text)}?"


def _ordered(order: str, rest: str) -> str:
    if order in ("list", "name", "mention", "give", "provide"):
        return f"Which are {rest if rest.lower().startswith('the ') else f'the {rest}'}?"
    if order == "compare":
        return f"How do {rest} compare?"
    return f"What is {rest}?" if order == "define" else f"What is known about {rest}?"


def _cut(text: str) -> str:
    return text if len(text) <= 500 else f"{text[:490].rsplit(' ', 1)[0]} ...?"
