"""Read a question as one that stored relations can answer, and answer it with these relations and nothing more.

The names of a question become mentions (`linking`), and what is left of it must be words that ask for a relation
(`intent`). Any other word ("in children", "after surgery", "compared with") is a condition that no stored relation
covers, so such a question goes to the literature. A name is read as written first, then loosely ("Tay-Sachs"), then
with its spelling corrected; the question says how it was read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from medground.graph import lists
from medground.graph.features import diseases_with, feature, profile
from medground.graph.intent import Asked, GraphQuestion, asked_of
from medground.graph.linking import Mention, Piece, corrected, genes_in, is_sure, link, organs_in, tokens
from medground.graph.relation import ConceptKind, StatedAt, sentence
from medground.graph.store import GraphStore
from medground.values.graph import GraphFact, GraphFinding, RelationKind

MAX_CHARACTERS = 300
"""A longer question asks for more than a relation."""

_TERM = re.compile(
    r"(?:(?:what (?:is|are)|define)(?: the (?:definition|meaning) of| meant by)? (?:an? |the )?(.+?)"
    r"|what (?:do|does) (?:the (?:term|word) )?(.+?) mean)",
    re.IGNORECASE,
)


def read_question(store: GraphStore, text: str) -> GraphQuestion | None:
    """The relation that a question asks for. None if it asks for none or for more, or names an unknown concept.

    Raises:
        SnapshotCorrupt: the graph cannot be read.
    """
    plain = " ".join(text.split()).rstrip("?!. ").replace("’", "'")
    if not plain or len(plain) > MAX_CHARACTERS:
        return None
    said, whether, personal = _plainly(_CONTRACTED.sub(r"\1", plain))
    rhetorical = whether or _CONTRACTED.match(plain) is not None
    for pieces, notes in _readings(store, tokens(said)):
        asked = asked_of(organs_in(store, genes_in(store, pieces)), rhetorical=rhetorical)
        if asked is not None:
            return _question(replace(asked, personal=personal), notes)
    return _term(store, plain)


def mentions(store: GraphStore, text: str) -> list[Mention]:
    """The names in a text, whatever it asks; read loosely if there are none as written."""
    words = tokens(" ".join(text.split())[:MAX_CHARACTERS])
    found = _names(link(store, words)) or _names(link(store, words, loosely=True))
    if found or not (meant := corrected(store, words)):
        return found
    return _names(link(store, [meant.get(word, word) for word in words], loosely=True))


def _readings(store: GraphStore, words: list[str]) -> Iterator[tuple[list[Piece], tuple[str, ...]]]:
    yield link(store, words), ()
    yield link(store, words, loosely=True), ()
    if meant := corrected(store, words):
        pieces = link(store, [meant.get(word, word) for word in words], loosely=True)
        names = _names(pieces)
        if all(is_sure(name.text, meant, alone=len(names) == 1) for name in names):
            yield pieces, tuple(f"“{word}” read as “{near}”" for word, near in meant.items())


def _names(pieces: Sequence[Piece]) -> list[Mention]:
    return [piece for piece in pieces if isinstance(piece, Mention)]


def _question(asked: Asked, notes: tuple[str, ...]) -> GraphQuestion:
    groups = (asked.phenotypes, asked.diseases, asked.genes)
    read = dict.fromkeys((*notes, *(m.note for group in groups for m in group if m.note)))
    phenotypes, diseases, genes = (tuple(dict.fromkeys(c for m in group for c in m.concepts)) for group in groups)
    return GraphQuestion(asked.relation, phenotypes, diseases, genes, asked, tuple(read))


def _term(store: GraphStore, text: str) -> GraphQuestion | None:
    """A question for the meaning of a term that is not an abnormality, such as a mode of inheritance."""
    match = _TERM.fullmatch(text)
    found = store.find((match[1] or match[2]).strip("'\" "), "modifier") if match else ()
    return replace(_question(Asked("definition of"), ()), phenotypes=found) if found else None


# Courtesy, lead-ins and roundabout phrases, taken out of a question, so that what is left is what it asks.

_CONTRACTED = re.compile(r"^(is|are|was|do|does|did|has|have|can|could|would)n['’]?t\b", re.IGNORECASE)
"""“Isn't”: a question that expects yes."""
_GREETING = re.compile(
    r"(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|please|sorry|ok|okay|(?:quick )?question)\b"
    r"(?: there)?[ ,.!:-]*)+",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"(?:(?:could|can|would|will) (?:you|someone|anyone) (?:please |kindly )?(?:tell me|explain to me|let me know|say)"
    r"|(?:i|we)(?: would|'d| am|'m)? (?:just )?(?:like|love|want|wanted|need|wish|trying) to (?:know|find out)"
    r"|i(?: am|'m| was)? (?:just )?wonder(?:ing)?|do (?:you|we|doctors) (?:happen to )?know"
    r"|(?:please )?tell me|is it (?:true|known|correct|right|possible)(?= that\b))(?: please)?,? "
    r"(?P<whether>(?:whether|if|that) )?",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"[ ,.?!]*\b(?:please|thanks|thank you|many thanks|(?:in|using) (?:plain|simple|lay|easy|layman's|everyday) "
    r"(?:english|words|terms|language))(?: (?:very|so) much| in advance)?$",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:my|our|i|we|the (?:doctor|geneticist|lab))\b[\w' -]{0,60}?\b(?:with|mentioned|found|suffers? from|"
    r"(?:has|have|had)(?: (?:just|now|recently|also)| been)*(?: diagnosed with)?) (?P<name>[^.,;:?!]+)[.,;:?!]+ "
    r"(?:and |so |but )?(?P<asked>.+)",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:no|not|never|without)\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"\b(?:his|her|their|my|our)(?= \w)", re.IGNORECASE)
_PRONOUN = re.compile(
    r"\b(?:(?P<person>he|she|they)|it|this|(?:this|the) (?:disease|disorder|condition|syndrome|gene))\b", re.IGNORECASE
)
_YOUNG = re.compile(r"(?<=\bdo )(?:kids|children|babies|toddlers|infants)(?= (?:with|who have)\b)", re.IGNORECASE)
_WHEN = re.compile(r"(?:when|at (?:what|which) age|how (?:old|early))\b", re.IGNORECASE)
_SAME = (
    (re.compile(r"\b(?:diagnosed|affected|living|born) (?:with|by)\b", re.IGNORECASE), "with"),
    (re.compile(r"\b(?:as well as|along with|alongside|combined with)\b", re.IGNORECASE), "and"),
    (re.compile(r"\b(?:differential(?: diagnosis)?|ddx) (?:of|for)\b", re.IGNORECASE), "diseases with"),
    (re.compile(r"\bwhat['’]?s\b", re.IGNORECASE), "what is"),
    (
        re.compile(
            r"\b(?:passed|handed)(?: on| down)? (?:from|by) (?:(?:a|the|one|either|his|her|their) )?parents? to "
            r"(?:(?:a|the|his|her|their) )?(?:child(?:ren)?|kids?|offspring)\b",
            re.IGNORECASE,
        ),
        "inherited",
    ),
    (re.compile(r"\b(?:passed|handed) (?:on|down)\b", re.IGNORECASE), "passed"),
    (re.compile(r"\b(?:changes?|alterations?|errors?|faults?)(?= (?:in|of) (?:the )?(?:\w+ )?genes?\b)"), "mutations"),
    (re.compile(r"\bfaulty\b(?= gene|$| in\b)", re.IGNORECASE), "mutated"),
)
"""Phrases that say the same as one word."""


def _plainly(text: str) -> tuple[str, bool, bool]:
    """What a question asks, in fewer words; whether it asked "whether", and whether it is about one person."""
    greeting = _GREETING.match(text)
    said, personal = _without_lead_in(text[greeting.end() :] if greeting else text)
    said = _THANKS.sub("", said)
    if asked := _ASKED.match(said):
        said = said[asked.end() :]
    for phrase, word in _SAME:
        said = phrase.sub(word, said)
    if _WHEN.match(said):  # when it begins may be asked of children; whether children have it is not recorded
        said = _YOUNG.sub("people", said)
    return said, bool(asked and asked["whether"]), personal


def _without_lead_in(text: str) -> tuple[str, bool]:
    """ "My son has X. Will he get Y?" as "will someone with X get Y": only if one word stands for what was named.

    Also whether that word is for the person.
    """
    lead = _LEAD.fullmatch(text)
    asked = _POSSESSIVE.sub("the", lead["asked"]) if lead else ""
    pronouns = list(_PRONOUN.finditer(asked))
    if lead is None or len(pronouns) != 1 or _NOT.search(lead["name"]):
        return text, False
    word = pronouns[0]
    name = f"someone with {lead['name']}" if word["person"] else lead["name"]
    return f"{asked[: word.start()]}{name}{asked[word.end() :]}", bool(word["person"])


# What the stored relations say to it.


def find(store: GraphStore, question: GraphQuestion) -> GraphFinding | None:
    """Look up a question in the graph. None if the graph has nothing to say about it.

    Raises:
        SnapshotCorrupt: the graph cannot be read.
    """
    finding = _FINDERS[question.relation](store, question)
    if finding is not None and question.asked.only_recorded and finding.status != "recorded":
        # "Associated with" and "causes" ask for more than a feature: its absence does not answer them.
        return finding.model_copy(update={"closed": ""})
    if finding is not None and question.asked.personal:
        note = "; ".join(filter(None, (finding.note, "what is recorded of patients decides nothing for one person")))
        return finding.model_copy(update={"closed": "", "note": note})
    return finding


def entails(store: GraphStore, fact: GraphFact) -> bool:
    """Whether the relation stored at a fact's location, read again, states the fact's sentence.

    Raises:
        SnapshotCorrupt: the graph cannot be read.
    """
    relation = store.stated_at(StatedAt(fact.document_id, fact.start, fact.end))
    if relation is None or relation.excluded != fact.excluded or relation.references != fact.references:
        return False
    if fact.sentence == sentence(relation):
        return True
    if relation.predicate in ("gene", "definition"):
        return False
    kin = store.descendants(relation.object.id) if relation.excluded else store.ancestors(relation.object.id)
    return any(fact.sentence == sentence(relation, asked) for asked in store.concepts(kin))


_FINDERS: dict[RelationKind, Callable[[GraphStore, GraphQuestion], GraphFinding | None]] = {
    "feature of": feature,
    "frequency of": feature,
    "diseases with": diseases_with,
    "genes of": lists.genes_of,
    "features of": lists.features_of,
    "excluded features of": lists.excluded_of,
    "diseases of gene": lists.diseases_of_gene,
    "definition of": lists.definition_of,
    "inheritance of": lists.inheritance_of,
    "onset of": lists.onset_of,
    "profile": profile,
}


# Wordings that the graph understands, about the names in a question that it did not understand.

_SUGGESTED = 3
_EXAMPLES = (
    "Is {p} a feature of {d}?",
    "How is {d} inherited?",
    "What are the features of {d}?",
    "Which genes are associated with {d}?",
    "Which diseases have {p}?",
    "What is {p}?",
    "Which diseases are caused by {g} mutations?",
    "When does {d} begin?",
)
_SLOTS: dict[str, ConceptKind] = {"p": "phenotype", "d": "disease", "g": "gene"}


def wordings(store: GraphStore, text: str) -> tuple[str, ...]:
    """At most three questions that the graph answers about the names in a text; none if it has no name of the graph.

    Raises:
        SnapshotCorrupt: the graph cannot be read.
    """
    named: dict[str, str] = {}
    for mention in mentions(store, text):
        for slot, kind in _SLOTS.items():
            if concepts := mention.of(kind):
                named.setdefault(slot, concepts[0].name)
                break
    fitting = (e.format(**named) for e in _EXAMPLES if all(slot in named for slot in _SLOTS if f"{{{slot}}}" in e))
    read = ((wording, read_question(store, wording)) for wording in fitting)
    found = ((wording, find(store, question)) for wording, question in read if question is not None)
    return tuple(islice((wording for wording, finding in found if finding and finding.facts), _SUGGESTED))
