"""What a program does with the values that it gives and gets."""

from collections.abc import Mapping
from typing import Any

from medground import (
    ConceptFound,
    ConceptQuery,
    Document,
    DocumentId,
    Evidence,
    Filters,
    Format,
    Found,
    GraphFact,
    Keyword,
    LinePlace,
    Lookup,
    ModelSettings,
    OnStep,
    Passage,
    Progress,
    ProteinQuery,
    Query,
    Question,
    Recipe,
    Relation,
    ResearchPlan,
    RetrieverSource,
    ServerSettings,
    Settings,
    SettingsSection,
    Source,
    Step,
    SubQuestion,
    Syntax,
    Task,
    Tool,
    Unfinished,
    steps,
)
from medground.values import Notice, Search, Statement

FORMS: Mapping[str, Format] = {".bib": "bibtex", ".ris": "ris"}
SYNTAX: Mapping[str, Syntax] = {"w": "words", "p": "pubmed"}
RELATIONS: Mapping[str, Relation] = {"cites": "references", "is cited by": "citing"}
TASKS: Mapping[str, Task] = {"?": "yes-no", "": "free"}


def asked(text: str, sources: tuple[DocumentId, ...]) -> Question:
    question = Question.ask(text, task=TASKS["?"], options=["zinc", "iron"], filters=Filters(ids=sources))
    print(question.closed, question.typed, question.worded(["A"]), question.in_english("Is zinc safe?"))
    print(question.reworded("Is iron safe?"))
    return question.replace(context="an adult")


def looked_up(found: Found) -> list[GraphFact]:
    lookup = found.lookup
    print(lookup.named, lookup.goes_to("pubmed", frozenset(["research"])), lookup.limited(Filters()), lookup.of_texts)
    print(found.named, found.size, found.documents, isinstance(lookup.asked, ConceptQuery | ProteinQuery))
    return [*found.facts]


def query_of(filters: Filters) -> Query | None:
    return filters.as_query()


def quoted(evidence: Evidence, passage: Passage, document: Document) -> list[LinePlace]:
    print(evidence.id, evidence.quote, passage.key, Lookup.words(passage.text, also="zinc").text)
    return [*document.places(0, 10)]


def planned(plan: ResearchPlan, part: SubQuestion) -> tuple[list[Keyword], list[Tool]]:
    print(plan.after()[part.id], plan.keyword("K1"))
    return [*plan.keywords_of(part)], [*plan.tools_of(part)]


def changed(settings: Settings) -> tuple[ModelSettings, ServerSettings]:
    other = Settings.resolved({"retrieval.keep": 5}).with_options({"retrieval.keep": 6}).with_groups({})
    print(other.hash, other.shown(), other.prompts, other.as_read_by("ground"), other.source_sections())
    return settings.served, settings.server_of("openai:gpt-5")


def changed_section(settings: Settings, section: SettingsSection, recipe: Recipe) -> Settings:
    print(recipe.steered_by_verdicts, recipe.so_far, *recipe.check(settings, ()), *section.models)
    return settings.with_section(section)


async def fetched(source: Source, held: RetrieverSource) -> dict[str, Document]:
    print(source.kinds, source.state, source.accepts(Lookup.words("zinc")))
    return held.held(["NOTE:1"]) | await source.fetch(["NOTE:1"])


def resumed(one: Unfinished, settings: Settings) -> Settings:
    return one.settings_with(settings) if one.groups(settings) else settings


def logged(step: Step, spans: list[Mapping[str, Any]]) -> None:
    print(step.span_name, step.attributes(), type(step).stored(spans))


def both(on_step: OnStep, progress: Progress) -> None:
    progress("building", 1, None)
    on_step(steps.Written(text="Zinc is a metal."))


def told(notice: Notice | None, searches: tuple[Search, ...], statements: tuple[Statement, ...]) -> list[str]:
    return [notice.sentence if notice else "", *(one.source for one in searches), *(one.text for one in statements)]


def known(concept: ConceptFound) -> str:
    return f"{concept.by}: {concept.lines}"
