"""The planner of biomedical research: sub-questions, their keywords, and the graph that orders them.

Source: BioMedSearch, section III.A, Eq. 1 and 2.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any

from medground.answering.run import Run
from medground.errors import UsageError
from medground.home.concurrency import concurrently
from medground.language.question_reading import Asked
from medground.models.operators.base import Operator
from medground.pubmed.characters import fold
from medground.recipes.biomedsearch import decomposing
from medground.recipes.biomedsearch.parts import (
    MOST_SYNONYMS,
    DraftedKeyword,
    DraftedQuestion,
    KeywordedQuestion,
    is_named,
    named_keywords,
)
from medground.recipes.settings import BioMedSearchSettings
from medground.values.question import Question
from medground.values.research_plan import TOOLS, Edge, Keyword, ResearchPlan, SubQuestion, Tool
from medground.values.steps import PlanningResearch, ResearchPlanned


def acyclic(edges: Sequence[Edge]) -> tuple[list[Edge], list[Edge]]:
    """The edges without cycles, and those that were removed: of each cycle the weakest edge, of equals the last one.

    A removed edge is the weakest of a cycle that all stronger edges and it would close.
    """
    kept, removed = list(edges), list[Edge]()
    while True:
        befores: dict[str, set[str]] = {}
        for edge in kept:
            befores.setdefault(edge.after, set()).add(edge.before)
        try:
            TopologicalSorter({after: sorted(before) for after, before in sorted(befores.items())}).prepare()
        except CycleError as error:
            steps = set(pairwise(error.args[1]))  # the nodes of one cycle, from a node to itself
            on_it = [n for n, edge in enumerate(kept) if (edge.before, edge.after) in steps]
            removed.append(kept.pop(min(on_it, key=lambda n: (kept[n].weight, -n))))
        else:
            return kept, removed


_SHOWN = 60
"""Characters of a wrong entry that a note shows."""


@dataclass
class Mended:
    """A plan that is being put together.

    Attributes:
        subquestions: the sub-questions so far.
        keywords: the union of their keywords by folded name, with the spelling that came first.
        notes: what was repaired.
    """

    subquestions: list[SubQuestion] = field(default_factory=list)
    keywords: dict[str, Keyword] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add_questions(self, drafted: Sequence[DraftedQuestion], most: int) -> None:
        """Number the sub-questions; empty ones, repetitions and those beyond `most` are left out."""
        different = {_key(one.text): one for one in reversed(drafted) if _key(one.text)}
        wanted = [one for one in drafted if different.get(_key(one.text)) is one]
        if len(wanted) < len(drafted):
            self.notes.append(f"{len(drafted) - len(wanted)} empty or repeated sub-questions were left out")
        if len(wanted) > most:
            self.notes.append(f"{len(wanted) - most} sub-questions beyond {most} were left out")
        for number, one in enumerate(wanted[:most], start=1):
            self.subquestions.append(SubQuestion(id=f"q{number}", text=one.text, dimension=one.dimension))

    def add_keywords(self, at: int, named: decomposing.NameKeywordsOutput, most: int) -> None:
        """Give a sub-question its keywords; one that another has already is the same, whatever its capitals."""
        drafted = {_key(one.name): one for one in reversed(named.keywords) if _key(one.name)}
        names = [self._keyword(one) for one in named.keywords if drafted.get(_key(one.name)) is one]
        if len(names) > most:
            left = ", ".join(name[:_SHOWN] for name in names[most:])
            self.notes.append(f"{self.subquestions[at].id} had more than {most} keywords; left out: {left}")
        self._set(at, names[:most])
        used = {_key(name) for subquestion in self.subquestions for name in subquestion.keywords}
        self.keywords = {key: keyword for key, keyword in self.keywords.items() if key in used}

    def add_named(self, wanted: Sequence[DraftedKeyword], most: int) -> None:
        """Add what the question names and no sub-question has, where there is room.

        It joins the sub-question whose text says it, else the one with the fewest keywords.
        """
        lost = []
        for one in wanted:
            if is_named(one, [name for word in self.keywords.values() for name in (word.name, *word.synonyms)]):
                continue
            room = [n for n, sub in enumerate(self.subquestions) if len(sub.keywords) < most]
            if not room:
                lost.append(one.name)
                continue
            says = [n for n in room if one.name.casefold() in self.subquestions[n].text.casefold()]
            at = min(says or room, key=lambda n: len(self.subquestions[n].keywords))
            self._set(at, [*self.subquestions[at].keywords, self._keyword(one)])
            self.notes.append(f"no sub-question had {one.name!r}, which the question names; it was added to q{at + 1}")
        if lost:
            self.notes.append(f"the question names more than its sub-questions can hold: {', '.join(lost)}")

    def add_graph(self, graph: decomposing.BuildGraphOutput, allowed: Sequence[Tool]) -> tuple[Edge, ...]:
        """Give each keyword its tools and return the edges: known keywords, each pair once, no circle."""
        tools = {_key(node.keyword): _tools(node.tools, allowed) for node in graph.nodes}
        self._note_unknown([node.keyword for node in graph.nodes], "tools were given to")
        for key, keyword in self.keywords.items():
            self.keywords[key] = keyword.replace(tools=tools.get(key) or tuple(allowed[:1]))
        self._note_unknown([name for edge in graph.edges for name in (edge.before, edge.after)], "an edge named")
        weights: dict[tuple[str, str], float] = {}
        for edge in graph.edges:
            ends = (_key(edge.before), _key(edge.after))
            if ends[0] != ends[1] and set(ends) <= self.keywords.keys():
                weights[ends] = max(edge.weight, weights.get(ends, 0.0))
        names = {key: keyword.name for key, keyword in self.keywords.items()}
        found = [Edge(before=names[a], after=names[b], weight=w) for (a, b), w in weights.items()]
        kept, removed = acyclic(found)
        self.notes += [
            f"the keywords had a cycle; its weakest edge, from {edge.before!r} to {edge.after!r}, was removed"
            for edge in removed
        ]
        return tuple(kept)

    def add_tools(self, chosen: decomposing.ChooseToolsOutput, allowed: Sequence[Tool]) -> None:
        """Give each sub-question its tools, where it has no keywords."""
        tools = {one.id: _tools(one.tools, allowed) for one in chosen.chosen}
        for at, one in enumerate(self.subquestions):
            self.subquestions[at] = one.replace(tools=tools.get(one.id) or tuple(allowed[:1]))

    def plan(self, question: str, edges: Sequence[Edge] = ()) -> ResearchPlan:
        """The whole plan."""
        return ResearchPlan(
            question=question,
            subquestions=tuple(self.subquestions),
            keywords=tuple(self.keywords.values()),
            edges=tuple(edges),
            notes=tuple(dict.fromkeys(self.notes)),
        )

    def _keyword(self, drafted: DraftedKeyword) -> str:
        key = _key(drafted.name)
        others = [synonym for synonym in dict.fromkeys(drafted.synonyms) if synonym and _key(synonym) != key]
        known = self.keywords.get(key)
        if known is None:
            name, dimension = drafted.name, drafted.dimension
            self.keywords[key] = Keyword(name=name, dimension=dimension, synonyms=tuple(others[:MOST_SYNONYMS]))
        return self.keywords[key].name

    def _set(self, at: int, names: Sequence[str]) -> None:
        self.subquestions[at] = self.subquestions[at].replace(keywords=tuple(dict.fromkeys(names)))

    def _note_unknown(self, names: Sequence[str], what: str) -> None:
        unknown = [name for name in dict.fromkeys(names) if name and _key(name) not in self.keywords]
        self.notes += [f"{what} {name[:_SHOWN]!r}, which is not a keyword; it was left out" for name in unknown]


def _key(name: str) -> str:
    """What two spellings of a keyword have in common."""
    return fold(name) or name.casefold().strip()


def _tools(said: Sequence[str], allowed: Sequence[Tool]) -> tuple[Tool, ...]:
    wanted = {one.strip().casefold() for one in said}
    return tuple(tool for tool in allowed if tool in wanted)


PLANNING: tuple[Operator[Any, Any], ...] = (
    decomposing.decompose,
    decomposing.name_keywords,
    decomposing.build_graph,
    decomposing.choose_tools,
)
"""The operators that `research_plan` asks; a recipe that plans declares them."""


async def research_plan(question: Question, run: Run) -> ResearchPlan:
    """The plan of the research for a question: up to five sub-questions with keywords, tools and order.

    What a model wrote wrong is mended and told in the plan's notes. Without a model, everything that the question names
    is a keyword of at least one sub-question, as far as there is room; a model's keywords stay as they are.

    Raises UsageError: the settings allow no tool.
    """
    choices, text = run.settings.section(BioMedSearchSettings), question.text
    allowed = tuple(tool for tool in TOOLS if tool in choices.tools)
    if not allowed:
        raise UsageError(f"biomedsearch.tools is empty; name at least one of {', '.join(TOOLS)}")
    with run.step(PlanningResearch()) as span:
        mended = Mended()
        split = await run.ask(
            decomposing.decompose, decomposing.DecomposeInput(question=text, most=choices.subquestions)
        )
        mended.add_questions(split.subquestions, choices.subquestions)
        edges: tuple[Edge, ...] = ()
        if choices.use_keywords:
            await _name_keywords(mended, run.reading(question), choices.keywords, run)
        value = decomposing.PlannedInput(question=text, subquestions=_shown(mended), tools=allowed)
        if choices.use_keywords:
            graph = await run.ask_for_part(decomposing.build_graph, value, "the order of the parts")
            edges = mended.add_graph(graph, allowed)  # Eq. 2, second line
        else:
            mended.add_tools(await run.ask_for_part(decomposing.choose_tools, value, "the tools of the parts"), allowed)
        plan = mended.plan(text, edges)
        run.end(span, ResearchPlanned.from_plan(plan))
    return plan


async def _name_keywords(mended: Mended, asked: Asked, most: int, run: Run) -> None:
    """Keywords of all sub-questions at once (Eq. 2, first line), and without a model those that the question names."""
    inputs = (
        decomposing.NameKeywordsInput(
            question=asked.text, subquestion=subquestion.text, dimension=subquestion.dimension, most=most
        )
        for subquestion in mended.subquestions
    )
    named = await concurrently(
        run.ask_for_part(decomposing.name_keywords, value, f"the keywords of “{value.subquestion}”") for value in inputs
    )
    for at, output in enumerate(named):
        mended.add_keywords(at, output, most)
    if not run.answerer(decomposing.name_keywords).is_model:
        mended.add_named(named_keywords(asked), most)


def _shown(mended: Mended) -> tuple[KeywordedQuestion, ...]:
    return tuple(
        KeywordedQuestion(
            id=subquestion.id, text=subquestion.text, dimension=subquestion.dimension, keywords=subquestion.keywords
        )
        for subquestion in mended.subquestions
    )
