"""A question, and the lookups that are made of it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.errors import UsageError
from medground.values.document import Hit, Passage, SourceKind
from medground.values.graph import GraphFact, GraphFinding
from medground.values.lookup import ConceptQuery, Found, Lookup, PlainWords, ProteinQuery, Ranker
from medground.values.query import Filters, Term, Words
from medground.values.question import MAX_CHARACTERS, MAX_CONTEXT, Question, as_question


def test_task_is_guessed_from_the_wording_and_options_make_a_single_choice() -> None:
    closed = ("Is ectopia lentis a feature of Marfan syndrome?", "does aspirin reduce stroke")
    closed += ("Is zinc safe, or not?", "Can you die of measles?", "Can it be taken with or without food?")
    closed += ("Is it safe to take more or less than 5 mg of zinc?",)
    open_ = ("Which genes are associated with Rett syndrome?", "Island populations: how frequent is it?")
    open_ += (
        "Is zinc or iron safer?",
        "Do more or fewer visits help?",
        "Could you please list its side effects?",
    )
    open_ += ("Do you know which gene is mutated?", "Has it been tried, and with what result?", "Can you tell me why?")
    assert {Question.ask(text).task for text in closed} == {"yes-no-maybe"}
    ways = ("Was pain higher, lower or the same with A than with B?", "Does it raise or lower the risk?")
    ways += (
        "Is pain greater/smaller with zinc?",
        "Is A more or less effective than B?",
        "Is pain lower, or unchanged?",
    )
    assert {Question.ask(text).task for text in open_} == {"free"}
    assert {Question.ask(text).task for text in ways} == {"direction"}
    question = Question.ask("Which one?", options=["aspirin", "heparin"])
    assert question.task == "single-choice"
    assert [(o.letter, o.text) for o in question.options] == [("A", "aspirin"), ("B", "heparin")]


@each_row(
    ("text", "more", "message"),
    [
        (" \n\t\x00 ", {}, "empty"),
        ("???", {}, "no letter"),
        ("a" * 20_000, {}, "20,000 characters; shorten it to at most 4,000"),
        ("Is it?", {"context": "a" * (MAX_CONTEXT + 1)}, "context has 16,001 characters; shorten it to at most 16,000"),
        ("Which?", {"task": "single-choice", "options": ["one"]}, "at least two options"),
        ("Is it?", {"task": "yes-no", "options": ["a", "b"]}, "takes no options"),
        ("Is it?", {"task": "essay"}, "unknown task"),
        ("Which?", {"options": ["Aspirin", "aspirin "]}, "two options are the same"),
        ("Which?", {"options": [str(number) for number in range(30)]}, "26 options"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_line(text: str, more: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        Question.ask(text, **more)
    assert "\n" not in str(caught.value)


@given(st.text(max_size=300))
def test_any_text_is_a_clean_question_or_a_usage_error(text: str) -> None:
    try:
        question = Question.ask(text)
    except UsageError:
        return
    assert question.text == " ".join(question.text.split())
    assert 0 < len(question.text) <= MAX_CHARACTERS
    assert Question.ask(question.text).text == question.text
    assert all(c.isprintable() or not c.isascii() for c in question.text)


def test_a_context_keeps_its_lines_and_loses_what_cannot_be_seen() -> None:
    question = Question.ask("Is it?", context="\n A man\tof 60.\r\nHe\x00 takes warfarin.\x1b[31m \n")
    assert question.context == "A man of 60.\nHe  takes warfarin. [31m"
    assert Question.ask("Is it?", context=" \n").context == ""
    assert len(Question.ask("Is it?", context="a" * MAX_CONTEXT).context) == MAX_CONTEXT


def test_a_context_is_added_to_a_question_that_has_none() -> None:
    plain = Question.ask("Is it?")
    told = as_question(plain, context="A man of 60.")
    assert (told.context, plain.context) == ("A man of 60.", "")
    assert as_question(told) == as_question(told, context=" A man of 60.") == told
    with pytest.raises(UsageError, match="has a context already"):
        as_question(told, context="A woman of 40.")


KINDS: tuple[SourceKind, ...] = ("research", "wiki", "graph")
SOME_KINDS = st.lists(st.sampled_from(KINDS), unique=True, max_size=3).map(tuple)


def at(node: str, text: str = "lens") -> Lookup:
    return Lookup(asked=Words(text=text), node=node)


def hit(document: str, ranker: str, rank: int = 1, start: int = 0) -> Hit:
    passage = Passage(document_id=document, start=start, end=start + 4, text="lens")
    return Hit(passage=passage, ranker=ranker, rank=rank, score=1 / rank)


@each_row(
    ("lookup", "name"),
    [
        (Lookup(asked=Term(value="lens"), text="the lens", shown="lens[tiab]"), "lens[tiab]"),
        (Lookup(asked=Term(value="lens"), text="the lens"), "the lens"),
        (Lookup(asked=PlainWords(text="Is it so?")), "Is it so?"),
        (Lookup(asked=ConceptQuery(term="Lens")), "Lens"),
        (Lookup(asked=Words(text="lens")), "lens"),
    ],
)
def test_an_answer_names_a_lookup_as_it_was_asked(lookup: Lookup, name: str) -> None:
    assert lookup.named == name


def test_words_are_looked_up_by_every_ranker_unless_some_are_chosen() -> None:
    lookup = Lookup.words("Is it the lens?", also="aorta")
    assert (lookup.asked, lookup.text) == (Words(text="Is it the lens? aorta"), "Is it the lens?")
    assert all(at("").wants(ranker) for ranker in Ranker)
    only = Lookup(asked=Words(text="lens"), rankers=(Ranker.DENSE,))
    assert [ranker for ranker in Ranker if only.wants(ranker)] == [Ranker.DENSE]


@given(
    sources=st.lists(st.sampled_from(["a", "b", "c"]), unique=True).map(tuple),
    kinds=SOME_KINDS,
    name=st.sampled_from(["a", "b", "c"]),
    held=SOME_KINDS.map(frozenset),
)
def test_a_lookup_goes_to_the_sources_and_kinds_that_it_names(
    sources: tuple[str, ...], kinds: tuple[SourceKind, ...], name: str, held: frozenset[SourceKind]
) -> None:
    lookup = Lookup(asked=Words(text="lens"), sources=sources, kinds=kinds)
    by_name = name in sources if sources else True
    by_kind = any(kind in held for kind in kinds) if kinds else True
    assert lookup.goes_to(name, held) is (by_name and by_kind)


@given(own=SOME_KINDS, asked=SOME_KINDS, year=st.none() | st.integers(1900, 2030))
def test_limits_of_a_lookup_narrow_those_of_the_question(
    own: tuple[SourceKind, ...], asked: tuple[SourceKind, ...], year: int | None
) -> None:
    filters = Filters(kinds=asked, year_from=year, ids=("PMID:1",))
    limited = Lookup(asked=Words(text="lens"), kinds=own).limited(filters)
    allowed = {k for k in KINDS if (not own or k in own) and (not asked or k in asked)}
    if limited is None:
        assert not allowed
    else:
        assert limited.model_copy(update={"kinds": asked}) == filters
        assert {k for k in KINDS if not limited.kinds or k in limited.kinds} == allowed


def test_a_passage_counts_once_however_many_rankers_found_it() -> None:
    fact = GraphFact(sentence="Odd lens is a feature.", document_id="OMIM:1", start=0, end=4)
    finding = GraphFinding(relation="feature of", status="recorded", concepts=("Odd lens", "Alpha"), facts=(fact,))
    rankings = (
        (hit("PMID:1", "bm25"), hit("PMID:2", "bm25", 2), hit("PMID:1", "bm25", 3, start=10)),
        (hit("PMID:2", "dense"),),
        (),
    )
    assert Found(at(""), "a").size == 0
    assert Found(at(""), "a", rankings=rankings).size == 3
    found = Found(at(""), "a", rankings=rankings, finding=finding)
    assert (found.size, found.facts) == (4, (fact,))
    assert found.named == "feature of: Odd lens, Alpha"
    assert Found(at("", "aorta"), "a").named == "aorta"


def test_lookups_are_equal_and_hash_by_value() -> None:
    """The cache of a run depends on it."""
    protein = ProteinQuery(name="P35555")
    assert len({Lookup(asked=protein), Lookup(asked=protein), Lookup(asked=protein, node="n")}) == 2
