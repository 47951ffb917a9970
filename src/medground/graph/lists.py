"""Facts of a finding, and lists of stored relations: genes, features, inheritance and onset of a disease."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from medground.graph.intent import GraphQuestion
from medground.graph.names import name_key
from medground.graph.relation import Concept, Relation, StatedAt, by_frequency, sentence
from medground.graph.store import GraphStore
from medground.values.graph import FindingStatus, GraphFact, GraphFinding
from medground.values.grouping import grouped

_LISTS = ("features of", "excluded features of", "onset of", "definition of", "profile")
_CLOSED: dict[FindingStatus, Literal["yes", "no"]] = {"recorded": "yes", "excluded": "no"}

SHOWN = 12
"""Maximum number of facts in a finding; the note gives the total."""


def finding_of(
    store: GraphStore,
    question: GraphQuestion,
    facts: Sequence[GraphFact],
    notes: Iterable[str] = (),
    *,
    status: FindingStatus | None = None,
    answer: str = "",
) -> GraphFinding:
    """A finding of the first facts; without any, it is `not recorded` unless a status says otherwise."""
    status = status or ("recorded" if facts else "not recorded")
    closed = (
        "" if question.relation in _LISTS else _CLOSED.get(status, "")
    )  # a list is not an answer, however it is asked
    said = [note for note in notes if note] or [f"not recorded in {store.name}"] * (status == "not recorded")
    return GraphFinding(
        relation=question.relation,
        status=status,
        concepts=tuple(c.label for c in (*question.phenotypes, *question.genes, *question.diseases)),
        names=tuple(tuple(dict.fromkeys((m.text, *(c.name for c in m.concepts)))) for m in question.asked.mentions),
        facts=tuple(facts[:SHOWN]),
        note="; ".join((*question.read_as, *said)),
        answer=answer,
        closed=closed,
        graph=store.name,
    )


def fact_of(relation: Relation, asked: Concept | None = None) -> GraphFact:
    """A relation as a fact; `asked` is the phenotype of the question if the relation is stored for another."""
    place = relation.place or StatedAt("", 0, 0)
    return GraphFact(
        sentence=sentence(relation, asked),
        **place._asdict(),
        references=relation.references,
        excluded=relation.excluded,
        ruled_out=relation.ruled_out,
    )


def one_each(relations: Iterable[Relation], key: Callable[[Relation], str]) -> list[Relation]:
    """The first relation for each key."""
    first: dict[str, Relation] = {}
    for relation in relations:
        first.setdefault(key(relation), relation)
    return list(first.values())


def in_turns(relations: Sequence[Relation], subjects: Sequence[Concept]) -> list[Relation]:
    """The relations with the subjects taking turns, so that one entry does not crowd out the others."""
    turns = [[r for r in relations if r.subject.id == subject.id] for subject in subjects]
    return [turn[i] for i in range(max(map(len, turns), default=0)) for turn in turns if i < len(turn)]


def names_of(concepts: Iterable[Concept]) -> set[str]:
    """The keys of their names."""
    return {name_key(concept.name) for concept in concepts}


def labels(concepts: Sequence[Concept]) -> str:
    """Three labels at most, and how many more there are."""
    shown = ", ".join(concept.label for concept in concepts[:3])
    return f"{shown} and {len(concepts) - 3} more" if len(concepts) > 3 else shown


def counted(shown: int, total: int, what: str) -> str:
    """`12 of 170 diseases shown`; empty if there are none."""
    return f"{min(shown, total):,} of {total:,} {what} shown" if total else ""


FEWEST_GENES = "those with the fewest genes first"
ASSOCIATION = "associations are as recorded and do not distinguish causal genes from modifiers"


def genes_of(store: GraphStore, question: GraphQuestion) -> GraphFinding:
    """Genes of the diseases that the name matches, then of the diseases with the phenotype that it matches."""
    wanted = {gene.id for gene in question.genes}
    found = [r for r in genes(store, question.diseases) if not wanted or r.object.id in wanted]
    links = _links_of_phenotype(store, question.phenotypes) if question.phenotypes else []
    shown = links[: max(0, SHOWN - len(found)) // 2]
    facts = [fact_of(r) for r in dict.fromkeys((*found, *(r for pair in shown for r in pair)))]
    if not facts:
        return finding_of(store, question, [])
    unrecorded = [d for d in question.diseases if d.id not in {r.subject.id for r in found}]
    notes = [
        ASSOCIATION,
        counted(SHOWN, len(found), "gene associations recorded for the disease itself"),
        _by_evidence(found) if not wanted else "",
        f"{'not' if wanted else 'no gene'} recorded for {labels(unrecorded)}" if unrecorded else "",
        counted(len(shown), len(links), "genes linked through diseases with this phenotype"),
    ]
    names = dict.fromkeys(r.object.name for r in (*found[:SHOWN], *(link for link, _ in shown)))
    return finding_of(store, question, facts, notes, answer=", ".join(names))


def _found(
    store: GraphStore, question: GraphQuestion, found: Sequence[Relation], notes: Sequence[str], names: Iterable[str]
) -> GraphFinding:
    return finding_of(store, question, [fact_of(r) for r in found], notes, answer=", ".join(dict.fromkeys(names)))


def _objects(found: Sequence[Relation]) -> list[str]:
    return [relation.object.name for relation in found]


_SOURCES = {"OMIM": "OMIM", "ORPHA": "Orphanet", "DECIPHER": "DECIPHER"}


def _by_evidence(found: Sequence[Relation]) -> str:
    """The genes by who records them: two sources are more than one, and Orphanet lists modifiers and candidates too."""
    sources: dict[str, set[str]] = {}
    for relation in found:
        sources.setdefault(relation.object.name, set()).add(relation.subject.id.split(":")[0])
    groups = grouped(
        (" and ".join(name for prefix, name in _SOURCES.items() if prefix in prefixes), gene)
        for gene, prefixes in sources.items()
    )
    left = {said: f" and {len(names) - SHOWN} more" * (len(names) > SHOWN) for said, names in groups.items()}
    first = sorted(groups, key=lambda said: -len(said))
    parts = [f"by {said}: {', '.join(groups[said][:SHOWN])}{left[said]}" for said in first]
    return f"recorded {'; '.join(parts)}" if len(parts) > 1 else ""


def genes(store: GraphStore, diseases: Sequence[Concept]) -> list[Relation]:
    """Their genes: first those of most of these entries, then those of the fewest other diseases."""
    found = store.relations(subjects=[d.id for d in diseases], predicate="gene")
    entries = Counter(r.object.id for r in found)
    everywhere = store.counts(entries)
    found.sort(key=lambda r: (-entries[r.object.id], everywhere[r.object.id], r.object.name))
    return list(dict.fromkeys((*one_each(found, lambda r: r.object.id), *found)))


def _links_of_phenotype(store: GraphStore, phenotypes: Sequence[Concept]) -> list[tuple[Relation, Relation]]:
    """For each gene of a disease with the phenotype: the link to that disease, and the disease's phenotype.

    First come the genes of many such diseases and of few others.
    """
    features = store.relations(objects=[concept.id for concept in phenotypes], predicate="feature")
    features = sorted((r for r in features if not r.excluded), key=by_frequency)
    having = {r.subject.id: r for r in reversed(features)}
    links = store.relations(subjects=having, predicate="gene")
    links.sort(key=lambda link: by_frequency(having[link.subject.id]))
    among = Counter(link.object.id for link in links)
    everywhere = store.counts(among)
    firsts = one_each(links, lambda link: link.object.id)
    firsts.sort(key=lambda link: -(among[link.object.id] ** 2) / everywhere[link.object.id])
    return [(link, having[link.subject.id]) for link in firsts]


def features_of(store: GraphStore, question: GraphQuestion) -> GraphFinding:
    """The features of diseases, most frequent first; only those of a part of the body if one is named."""
    found = features(store, question.diseases)
    if roots := {concept.id for concept in question.phenotypes}:
        kinds = roots.union(*(store.descendants(root) for root in roots))
        found = [relation for relation in found if relation.object.id in kinds]
    what = "recorded features, most frequent and then most specific first,"
    if question.asked.shared:
        found = shared_by_all(
            found, [{concept.id for concept in disease.concepts} for disease in question.asked.diseases]
        )
        what = "recorded features of all that are named; what else each has may differ, or not be recorded; they are"
    notes = [counted(SHOWN, len(found), what)]
    return _found(store, question, found, notes, _objects(found[:SHOWN]))


def shared_by_all(found: Sequence[Relation], entries: Sequence[set[str]]) -> list[Relation]:
    """The relations to what each name has, by the ids of its entries: one relation for each of them."""
    of_each = [{r.object.id: r for r in reversed(found) if r.subject.id in ids} for ids in entries]
    shared = dict.fromkeys(r.object.id for r in found if all(r.object.id in one for one in of_each))
    return [one[name] for name in shared for one in of_each]


def features(store: GraphStore, diseases: Sequence[Concept]) -> list[Relation]:
    """Features of diseases, most frequent first, with the diseases in turn."""
    names = {disease.id: name_key(disease.name) for disease in diseases}
    stored = store.relations(subjects=names, predicate="feature")
    # "Breast carcinoma is a feature of breast cancer" is not informative.
    found = [r for r in stored if not r.excluded and name_key(r.object.name) != names[r.subject.id]]
    # Of features that are equally frequent, those of the fewest diseases come first.
    everywhere = store.counts({r.object.id for r in found})
    found.sort(key=lambda r: (by_frequency(r)[0], everywhere[r.object.id], r.object.id))
    return in_turns(found, diseases)


def excluded_of(store: GraphStore, question: GraphQuestion) -> GraphFinding:
    """What is stored as absent in diseases."""
    stored = store.relations(subjects=[d.id for d in question.diseases], predicate="feature")
    found = sorted((r for r in stored if r.excluded), key=lambda r: (not r.ruled_out, r.object.id))
    return _found(
        store, question, found, [counted(SHOWN, len(found), "features recorded as absent")], _objects(found[:SHOWN])
    )


def inheritance_of(store: GraphStore, question: GraphQuestion) -> GraphFinding:
    """The modes of inheritance; a closed question is decided by the modes that are recorded, if any are."""
    found = sorted(inheritance(store, question.diseases), key=lambda r: _MODE not in r.object.name)
    names = list(dict.fromkeys(_objects(found)))
    modes = [name for name in names if _MODE in name]
    unrecorded = _unrecorded(question, found, "no mode of inheritance")
    if question.asked.personal:
        means = [_MEANS.get(name, "") for name in names]
        return _found(store, question, found, [*means, unrecorded], names).replace(chooses=True)
    asked = {mode.removesuffix("ly") for mode in question.asked.modes if question.asked.closed}
    if not asked or not found:
        return _found(store, question, found, [unrecorded], names)
    if any(len(asked & rivals) > 1 for rivals in _RIVALS):  # "dominant or recessive"
        return _found(store, question, found, [unrecorded], names).replace(chooses=True, closed="")
    found.sort(key=lambda r: not asked <= set(r.object.name.casefold().split()))  # what is asked about comes first
    by_name = [[r.object.name for r in found if r.subject in mention.concepts] for mention in question.asked.diseases]
    always = question.asked.amount == "all"
    closed = joined([_of_mode(recorded, asked, always=always) for recorded in by_name], question.asked.joint)
    said = f"recorded as {' and '.join(modes or names)}" if closed != "yes" or len(modes) > 1 else ""
    finding = _found(store, question, found, [said, unrecorded], names if closed == "yes" else ())
    return finding.replace(closed=closed)


_X_LINKED = (
    "a mother who is a carrier passes it to each child with a chance of 1 in 2, and sons who inherit it have it; "
    "a father passes it to all daughters and no son"
)
_MEANS = {
    "Autosomal dominant inheritance": "if one parent has it, each child has a chance of 1 in 2 of inheriting it",
    "Autosomal recessive inheritance": "if both parents are carriers, each child has a chance of 1 in 4 of having it "
    "and of 1 in 2 of being a carrier",
    "X-linked inheritance": _X_LINKED,
    "X-linked recessive inheritance": _X_LINKED,
    "X-linked dominant inheritance": "a mother who has it passes it to each child with a chance of 1 in 2, a father to "
    "all daughters and no son",
    "Mitochondrial inheritance": "mothers pass it to their children, and fathers do not",
}
"""What a mode of inheritance means for children, by the rules of Mendel, where both copies are known."""
_MODE = "inheritance"
"""In the name of every mode; "Typified by anticipation" is recorded as one too."""
_RIVALS = (frozenset({"dominant", "recessive"}), frozenset({"autosomal", "x-linked", "y-linked", "mitochondrial"}))


def _of_mode(recorded: Sequence[str], asked: set[str], *, always: bool) -> str:
    """Whether it is inherited so: no if another mode is recorded in each entry that has one, of `always` in any."""
    modes = [set(name.casefold().split()) for name in recorded if _MODE in name]
    others = [any(asked & rivals and said & (rivals - asked) for rivals in _RIVALS) for said in modes]
    if others and (any if always else all)(others):
        return "no"
    return "yes" if any(asked <= said for said in modes) else ""


def joined(answers: Sequence[str], joint: str) -> str:
    """One answer for several things joined by "and" or "or"; empty if it is not decided."""
    first, last = ("yes", "no") if joint == "or" else ("no", "yes")
    return first if first in answers else last if set(answers) == {last} else ""


def inheritance(store: GraphStore, diseases: Sequence[Concept]) -> list[Relation]:
    """The modes of inheritance that are recorded for diseases."""
    found = store.relations(subjects=[d.id for d in diseases], predicate="inheritance")
    return in_turns([r for r in found if not r.excluded], diseases)


def onset_of(store: GraphStore, question: GraphQuestion) -> GraphFinding:
    """When diseases begin, with the share of patients."""
    found = onset(store, question.diseases)
    names = [f"{r.object.name} ({r.frequency.words})" if r.frequency else r.object.name for r in found]
    return _found(store, question, found, [_unrecorded(question, found, "no onset")], names)


def onset(store: GraphStore, diseases: Sequence[Concept]) -> list[Relation]:
    """The ages of onset that are recorded for diseases, most frequent first."""
    found = store.relations(subjects=[d.id for d in diseases], predicate="course")
    begins = [r for r in found if r.object.name.casefold().endswith("onset") and not r.excluded]
    return in_turns(sorted(begins, key=by_frequency), diseases)


def _unrecorded(question: GraphQuestion, found: Sequence[Relation], what: str) -> str:
    """What is recorded for no entry of one of the diseases asked about, where it is for another."""
    recorded = {r.subject.id for r in found}
    without = [disease for disease in question.asked.diseases if recorded.isdisjoint(c.id for c in disease.concepts)]
    missing = [concept for mention in without for concept in mention.concepts]
    return f"{what} recorded for {labels(missing)}" if missing and found else ""


def diseases_of_gene(store: GraphStore, question: GraphQuestion) -> GraphFinding:
    """The diseases that a gene is associated with: first those with the fewest genes."""
    found = diseases_of(store, question.genes)
    notes = [ASSOCIATION if found else "", counted(SHOWN, len(found), f"diseases, {FEWEST_GENES},")]
    return _found(store, question, found, notes, [r.subject.name for r in found[:SHOWN]])


def diseases_of(store: GraphStore, wanted: Sequence[Concept]) -> list[Relation]:
    """The links of genes to diseases: first to those with the fewest other genes."""
    found = store.relations(objects=[gene.id for gene in wanted], predicate="gene")
    others = Counter(r.subject.id for r in store.relations(subjects=[r.subject.id for r in found], predicate="gene"))
    return sorted(found, key=lambda r: (others[r.subject.id], not r.subject.id.startswith("OMIM"), r.subject.id))


def definition_of(store: GraphStore, question: GraphQuestion) -> GraphFinding | None:
    """The definition of a term."""
    found = store.relations(subjects=[concept.id for concept in question.phenotypes], predicate="definition")
    return finding_of(store, question, [fact_of(r) for r in found]) if found else None
