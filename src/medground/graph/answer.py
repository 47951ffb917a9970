"""Read a question as one that stored relations can answer, and answer it with these relations and nothing more.

The names of a question become mentions (`linking`), and what is left of it must be words that ask for a relation
(`intent`). Any other word ("in children", "after surgery", "compared with") is a condition that no stored relation
covers, so such a question goes to the literature. A name is read as written first, then loosely ("Tay-Sachs"), then
with its spelling corrected; the question says how it was read. Everything that reads the graph raises SnapshotCorrupt
where it cannot be read.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from medground.graph import lists
from medground.graph.family_letters import asked_of_family
from medground.graph.features import diseases_with, feature, profile
from medground.graph.intent import MODES, GraphQuestion, Intent, asked_of
from medground.graph.linking import Mention, Piece, corrected, diseases_in, genes_in, is_sure, link, organs_in, tokens
from medground.graph.names import EXAMPLES, SAID, SAME
from medground.graph.relation import Concept, ConceptKind, StatedAt, sentence
from medground.graph.store import GraphStore
from medground.values.graph import GraphFact, GraphFinding, RelationKind

MAX_CHARACTERS = 300
"""A longer question asks for more than a relation."""


def read_question(store: GraphStore, text: str) -> GraphQuestion | None:
    """The relation that a question asks for. None if it asks for none or for more, or names an unknown concept."""
    plain = " ".join(text.split()).rstrip("?!. ").replace("’", "'")
    if not plain or len(plain) > MAX_CHARACTERS:
        return None
    said, whether, personal = _plainly(SAID["contracted"].sub(r"\1", plain))
    rhetorical = whether or SAID["contracted"].match(plain) is not None
    for pieces, notes in _readings(store, tokens(said)):
        pieces = organs_in(store, genes_in(store, pieces))
        asked, diseases = asked_of(pieces, rhetorical=rhetorical), diseases_in(store, pieces)
        if asked := asked or asked_of(diseases, rhetorical=rhetorical) or asked_of_family(diseases):
            return _question(replace(asked, personal=personal or asked.personal), notes)
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
    last = next((n for n, word in enumerate(reversed(words)) if word.casefold() not in MODES), 0)
    if last:  # "Alport syndrome, X-linked" is a disease too
        yield [*link(store, words[:-last]), *map(str.casefold, words[-last:])], ()
    yield link(store, words, loosely=True), ()
    if meant := corrected(store, words):
        pieces = link(store, [meant.get(word, word) for word in words], loosely=True)
        names = _names(pieces)
        if all(is_sure(name.text, meant, alone=len(names) == 1) for name in names):
            yield pieces, tuple(f"“{word}” read as “{near}”" for word, near in meant.items())


def _names(pieces: Sequence[Piece]) -> list[Mention]:
    return [piece for piece in pieces if isinstance(piece, Mention)]


def _question(asked: Intent, notes: tuple[str, ...]) -> GraphQuestion:
    groups = (asked.phenotypes, asked.diseases, asked.genes)
    read = dict.fromkeys((*notes, *(m.note for group in groups for m in group if m.note)))
    phenotypes, diseases, genes = (tuple(dict.fromkeys(c for m in group for c in m.concepts)) for group in groups)
    return GraphQuestion(asked.relation, phenotypes, diseases, genes, asked, tuple(read))


def _term(store: GraphStore, text: str) -> GraphQuestion | None:
    """A question for the meaning of a term that is not an abnormality, such as a mode of inheritance."""
    match = SAID["term"].fullmatch(text)
    found = store.find((match[1] or match[2]).strip("'\" "), "modifier") if match else ()
    return replace(_question(Intent("definition of"), ()), phenotypes=found) if found else None


# Courtesy, lead-ins and roundabout phrases, taken out of a question, so that what is left is what it asks.


def _plainly(text: str) -> tuple[str, bool, bool]:
    """What a question asks, in fewer words; whether it asked "whether", and whether it is about one person."""
    greeting = SAID["greeting"].match(text)
    said, personal = _without_lead_in(text[greeting.end() :] if greeting else text)
    said = SAID["thanks"].sub("", said)
    if asked := SAID["asked"].match(said):
        said = said[asked.end() :]
    for phrase, word in SAME:
        said = phrase.sub(word, said)
    if SAID["when"].match(said):  # when it begins may be asked of children; whether children have it is not recorded
        said = SAID["young"].sub("people", said)
    return said, bool(asked and asked["whether"]), personal


def _without_lead_in(text: str) -> tuple[str, bool]:
    """ "My son has X. Will he get Y?" as "will someone with X get Y": only if one word stands for what was named.

    Also whether that word is for the person.
    """
    lead = SAID["lead"].fullmatch(text)
    asked = SAID["possessive"].sub("the", lead["asked"]) if lead else ""
    pronouns = list(SAID["pronoun"].finditer(asked))
    if lead is None or len(pronouns) != 1 or SAID["not"].search(lead["name"]):
        return text, False
    word = pronouns[0]
    name = f"someone with {lead['name']}" if word["person"] else lead["name"]
    return f"{asked[: word.start()]}{name}{asked[word.end() :]}", bool(word["person"])


# What the stored relations say to it.


def find(store: GraphStore, question: GraphQuestion) -> GraphFinding | None:
    """Look up a question in the graph. None if the graph has nothing to say about it."""
    finding = _FINDERS[question.relation](store, question)
    if question.diseases and (finding is None or not finding.facts):
        finding = _of_types(store, question) or finding
    if finding is not None and question.asked.only_recorded and finding.status != "recorded":
        # "Associated with" and "causes" ask for more than a feature: its absence does not answer them.
        return finding.replace(closed="")
    if finding is not None and question.asked.personal and not finding.chooses:
        note = "; ".join(filter(None, (finding.note, "figures for patients decide nothing for one person")))
        return finding.replace(closed="", note=note)
    return finding


def _of_types(store: GraphStore, question: GraphQuestion) -> GraphFinding | None:
    """What is recorded of the types of the diseases, which may have what the general entry has not; None if nothing.

    It is never "no", for a type may be missing here, but where "always" is asked.
    """
    named = [replace(disease, concepts=_with_types(store, disease)) for disease in question.asked.diseases]
    types = tuple(dict.fromkeys(concept for one in named for concept in one.concepts))
    if set(types) == set(question.diseases):
        return None
    asked = replace(question, diseases=types, asked=replace(question.asked, diseases=tuple(named)))
    finding = _FINDERS[question.relation](store, asked)
    if finding is None or finding.status != "recorded":
        return None
    may_deny = finding.closed != "no" or question.asked.amount == "all"
    return finding if may_deny else finding.replace(closed="")


def _with_types(store: GraphStore, named: Mention) -> tuple[Concept, ...]:
    """What a name may mean, with its types, and what its other names in MeSH mean: catalogues differ in names."""
    of_each = [(one, *store.family(one.name), *_in_other_words(store, one.name)) for one in named.concepts]
    return tuple(dict.fromkeys(concept for one in of_each for concept in one))


def _in_other_words(store: GraphStore, name: str) -> list[Concept]:
    from medground.pubmed.mesh import vocabulary  # slow to open, and seldom needed

    heading = vocabulary().find(name)
    terms = (heading.name, *heading.entry_terms) if heading else ()
    return [concept for term in terms for concept in store.find(term, "disease")]


def entails(store: GraphStore, fact: GraphFact) -> bool:
    """Whether the relation stored at a fact's location, read again, states the fact's sentence."""
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
_SLOTS: dict[str, ConceptKind] = {"p": "phenotype", "d": "disease", "g": "gene"}


def wordings(store: GraphStore, text: str) -> tuple[str, ...]:
    """At most three questions that the graph answers about the names in a text; none if it has no name of the graph."""
    named: dict[str, str] = {}
    for mention in mentions(store, text):
        for slot, kind in _SLOTS.items():
            if concepts := mention.meanings(kind):
                named.setdefault(slot, concepts[0].name)
                break
    fitting = (e.format(**named) for e in EXAMPLES if all(slot in named for slot in _SLOTS if f"{{{slot}}}" in e))
    read = ((wording, read_question(store, wording)) for wording in fitting)
    found = ((wording, find(store, question)) for wording, question in read if question is not None)
    return tuple(islice((wording for wording, finding in found if finding and finding.facts), _SUGGESTED))
