"""The run of one question: its lookups and documents, its models, its budget and its cost.

Recipe functions take values and the `Run`, and return values. Models (`ask`) are only reached through the run, as
sources are (`look_up`), so that every call is counted, limited, cached and traced in one place.
"""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from types import MappingProxyType
from typing import Any

from medground.answering.declaration import Declaration, of_question
from medground.answering.retrieval import Retrieval
from medground.corpus.retraction import marked
from medground.errors import BudgetExhausted, ConfigError, ModelFailed, SourceUnavailable, UsageError
from medground.home.settings_groups import BudgetSettings
from medground.language.follow_up import reread
from medground.language.question_reading import Asked, InWords
from medground.language.requests import ENGLISH_ONLY, looks_foreign, request_in
from medground.language.risk.notices import most_urgent
from medground.models.operators.base import I, O, Operator
from medground.models.operators.checking import check
from medground.models.operators.rewording import CompleteInput, TranslateInput, complete, translate
from medground.models.operators.verifying import assess, label
from medground.models.registry import Models
from medground.pubmed.other_syntax import from_other_service
from medground.pubmed.typed import typed_query
from medground.sources.base import Source
from medground.values.decision import Notice
from medground.values.document import Document, Passage
from medground.values.evidence import SentenceNames
from medground.values.identifiers import OWN_FILE, papers_named
from medground.values.lookup import Lookup, Ranker
from medground.values.question import Question
from medground.values.report import ResearchSoFar
from medground.values.steps import Asking, Written
from medground.values.usage import KEYLESS, Author, Usage, UsageReport

VERIFYING = frozenset({check.name, label.name, assess.name})
"""The operators whose calls are counted as verification."""


@dataclass
class Run(Retrieval, InWords):
    """All state of one question."""

    models: Models
    _: KW_ONLY
    answered_by: dict[str, str] = field(default_factory=dict)
    shown: dict[str, None] = field(default_factory=dict)
    """Ids of documents that the answer lists without citing them, in order."""
    read: dict[str, None] = field(default_factory=dict)
    """Ids of documents that a model read in one call."""
    names: SentenceNames = field(default_factory=SentenceNames)
    """Ids under which a model sees documents and sentences."""
    notice: Notice | None = None
    """What the answer says first, if the question shows a person at risk."""
    research: ResearchSoFar | None = None
    """How far the research of a plan is, for a report of what there is; None for a recipe without such a plan."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._turn = asyncio.Lock()

    @property
    def in_words(self) -> str:
        """Its question."""
        return self.question.text

    def reading(self, question: Question) -> Asked:
        """The reading of its question as a recipe has it: with the titles of the papers that it names by id."""
        return self.asked.reworded(question.text)

    def without_model(self, recipe: Declaration) -> None:
        """From now on no language model is asked, so that no limit holds; `recipe` declares what is asked instead."""
        self.models, self.recipe, self.budget = Models.keyless(), recipe, BudgetSettings()

    async def retrieve(self, ids: Sequence[str], finders: Mapping[str, str] = MappingProxyType({})) -> None:
        """Fetch documents into the ledger, each from the first source that has it, so that they can be quoted.

        `finders` are names of the sources that found some of them, by document id. These are asked first and at once:
        they still hold what they found.

        Raises SourceUnavailable: a source failed, and the others do not have all documents.
        """
        wanted = list(dict.fromkeys(ids))
        failed: SourceUnavailable | None = None
        if self.kept is not None:  # each from the source that it came from before the run was interrupted
            for name, documents in self.kept.admitted(wanted).items():
                self._admit(documents, name)
        missing = [i for i in wanted if i not in self.ledger.documents]
        asked = [(s, own) for s in self.sources if (own := [i for i in missing if finders.get(i) == s.name])]
        fetched = await asyncio.gather(*(self._fetched(s, own) for s, own in asked), return_exceptions=True)
        for (source, _), found in zip(asked, fetched, strict=True):
            if isinstance(found, dict):
                self._admit(found, source.name)
            elif not isinstance(found, SourceUnavailable | ConfigError):  # what fails is left to the other sources
                raise found
        for source in self.sources:
            missing = [i for i in wanted if i not in self.ledger.documents]
            if not missing:
                return
            try:
                documents = await self._fetched(source, missing)
            except (SourceUnavailable, ConfigError) as error:
                failed = failed or self._unavailable(source, error)
                continue
            self._admit(documents, source.name)
        if failed is not None and any(i not in self.ledger.documents for i in wanted):
            raise failed

    async def _fetched(self, source: Source, ids: Sequence[str]) -> dict[str, Document]:
        """Documents of a source by id; those that were kept are not asked for again."""
        if self.kept is None:
            return await source.fetch(ids)
        known = self.kept.documents(source, ids)
        if asked := [i for i in ids if i not in known]:
            found = await source.fetch(asked)
            self.kept.keep_documents(source, asked, found)
            known |= found
        return {i: document for i in ids if (document := known.get(i)) is not None}

    def _admit(self, documents: Mapping[str, Document], source: str) -> None:
        """Put documents into the ledger, unless another source's version of one came first, at the same time."""
        new = {i: document for i, document in documents.items() if i not in self.ledger.documents}
        self.ledger.admit(map(marked, new.values()))
        self.origins.update(dict.fromkeys(new, source))
        if self.kept is not None:
            self.kept.keep_admitted(source, tuple(new))

    def stands(self, passage: Passage) -> bool:
        """Whether a passage is a slice of the retrieved document, and not of another source's version of it."""
        document = self.ledger.documents[passage.document_id]
        if document.text[passage.start : passage.end] == passage.text:
            return True
        origin = self.origins.get(passage.document_id, "the first source")
        self.warn(f"sources have different texts for {passage.document_id}; only the text of {origin} is quoted")
        return False

    def report(self) -> UsageReport:
        """Cost of the run so far."""
        return UsageReport.from_usage(self.usage, seconds=round(self.seconds, 3))

    async def ask(self, operator: Operator[I, O], value: I) -> O:
        """Have an operator answered by the model that the settings assign to it.

        Raises UsageError: the recipe does not declare the operator; BudgetExhausted: the run reached one of its limits
        before or by this call; ModelFailed: the model returned no usable output; its cost is counted.
        """
        if operator not in (complete, translate) and operator not in self.recipe.operators:
            raise UsageError(
                f"the recipe {self.recipe.name} does not declare operator {operator.name!r}; add it to `operators`"
            )
        async with self._limited():
            return await self._ask(operator, value)

    async def ask_for_part(self, operator: Operator[I, O], value: I, part: str) -> O:
        """As `ask`, for a part of the work without which the rest stands.

        Where the model fails on it, word statistics do it, and a warning says so; not in a paper's preset, whose
        figures are the model's.
        """
        try:
            return await self.ask(operator, value)
        except ModelFailed as failed:
            if not self.settings.verify.gate:
                raise
            self.warn(f"{part}: word statistics did this part, because the model failed: {failed}")
            self.answered_by.setdefault(operator.name, KEYLESS)
            return operator.keyless(value)

    def must_answer(self, operator: Operator[I, O]) -> bool:
        """Whether a model answers by this operator and may not leave it open (`recipe.definite`)."""
        return self.question.task != "free" and self.answers_anyway(operator)

    def answers_anyway(self, operator: Operator[I, O]) -> bool:
        """Whether a model answers by this operator even where nothing was found (`recipe.definite`)."""
        wanted = self.settings.recipe.definite and operator in self.recipe.writers
        return wanted and self.answerer(operator).is_model

    def answerer(self, operator: Operator[I, O]) -> Author:
        """Who answers an operator with these settings."""
        return Author(self.models.for_operator(operator.name).name)

    @property
    def writer(self) -> Author | None:
        """Who wrote the answer; None if it has not been written."""
        return self.author(*self.recipe.writers)

    @property
    def reader(self) -> Author | None:
        """Who read the quotes and gave each a stance; None if that has not happened."""
        return self.author(self.recipe.reader) if self.recipe.reader else None

    def author(self, *operators: Operator[Any, Any]) -> Author | None:
        """Who answered the first of these operators that has been asked; None if none has."""
        return next((Author(self.answered_by[o.name]) for o in operators if o.name in self.answered_by), None)

    async def as_meant(self) -> None:
        """From now on a follow-up question is as the model reads it after the conversation, where one is used.

        Raises BudgetExhausted: the run reached one of its limits.
        """
        follows = self.question.follows
        if not follows or follows.paper or request_in(follows.asked, self.now().year):
            return
        if not self.answerer(complete).is_model:
            return
        given = CompleteInput(
            conversation=tuple(dict.fromkeys(filter(None, (follows.began, follows.question)))),
            things=tuple(dict.fromkeys(follows.things)),
            question=follows.asked,
            reading=self.question.text,
        )
        output = await self.ask_for_part(complete, given, "what the conversation leaves out")
        if output.whole != self.question.text:  # else what its words do not tell is still unclear
            self.question = reread(self.question, output.whole)
            self.notice = self.notice or most_urgent(self.question.text)

    async def in_english(self) -> Question:
        """The question, from now on in English as far as the model translates it; a warning says how it is read.

        Raises ModelFailed: the model returned no usable output; BudgetExhausted: the run reached one of its limits.
        """
        if self.question.original or not looks_foreign(self.question.text):
            return self.question
        if not (self.recipe.writers and self.answerer(self.recipe.writers[0]).is_model):
            self.warn(ENGLISH_ONLY)
            return self.question
        output = await self.ask(translate, TranslateInput(question=self.question.text))
        self.question = self.question.in_english(output.english)
        self.notice = self.notice or most_urgent(self.question.text)
        self.warn(f"the question was read in English as “{self.question.text}”")
        return self.question

    def _limited(self) -> contextlib.AbstractAsyncContextManager[object]:
        """Allow one call at a time if calls are limited: concurrent calls would each spend what is left."""
        budget = self.budget
        limited = budget.tokens is not None or budget.calls is not None or budget.money is not None
        return self._turn if limited else contextlib.nullcontext()

    def _heard(self, text: str) -> None:
        self.on_step(Written(text=text))

    async def _ask(self, operator: Operator[I, O], value: I) -> O:
        limits = self._remaining()
        model = self.models.for_operator(operator.name)
        with self.step(Asking(operator=operator.name, model=model.name)) as span:
            span.genai(request_model=model.name, operation_name="chat")
            span.text(input=value.model_dump_json())
            try:
                given = operator.with_context(self.question.context)
                given = given.definite() if self.must_answer(operator) else given
                if self.question.original and operator in self.recipe.writers:
                    given, value = given.in_language_of(value, self.question.original)
                kept, heard = self.kept.calls if self.kept else None, self._heard if operator.streamed else None
                reply = await self.models.answer(given, value, limits, kept=kept, heard=heard)
            except ModelFailed as failed:
                self.usage += failed.usage or Usage()
                raise
            except BudgetExhausted as reached:
                self.usage += reached.usage or Usage()
                raise of_question(reached, self.budget, self.usage, self.seconds) from None
            calls = reply.usage.model_calls + reply.usage.cached_calls if operator.name in VERIFYING else 0
            self.usage += reply.usage.replace(verification_calls=calls)
            self.answered_by[operator.name] = model.name
            span.genai(usage_input_tokens=reply.usage.needed_input, usage_output_tokens=reply.usage.needed_output)
            if reply.usage.server_cached_tokens:
                span.genai(**{"usage_cache_read.input_tokens": reply.usage.server_cached_tokens})
            span.set(cached=reply.usage.cached_calls > 0)
            if reply.usage.price is not None:
                span.set(price=str(reply.usage.price))
            span.text(output=reply.output.model_dump_json())
        self._remaining()
        return reply.output


async def with_titles(question: Question, run: Run) -> Question:
    """The question with the titles of the papers that it names in place of their ids; unchanged if it names none.

    A paper is quoted by its words, and an id has none. Of a query in PubMed's syntax only the papers that fit are read,
    and of a follow-up about "the trial" that paper alone.
    """
    follows = question.follows
    if follows is not None and follows.paper is not None:
        run.papers = (follows.paper,)
        return question.replace(text=f"{question.text.rstrip(' ?.!')} in {follows.stands_for}")
    named = papers_named(question.text)
    query = None if named else typed_query(question.text)
    if query is not None and (note := from_other_service(question.text)[1]):
        run.warn(note)
    if query is not None and run.sources and all(source.state for source in run.sources):  # PubMed reads it itself
        found = await run.look_up(Lookup(asked=query, shown=question.text, rankers=(Ranker.LEXICAL,)))
        fitting = dict.fromkeys(hit.passage.document_id for one in found for hits in one.rankings for hit in hits)
        run.papers = tuple(fitting)
        if not fitting:
            run.warn("no paper fits the query as PubMed reads it, so what it names was searched")
    if not named or not run.sources:
        return question
    found = await run.look_up(Lookup.words(question.text))
    passages = [hit.passage for one in found for ranking in one.rankings for hit in ranking]
    run.papers = tuple(dict.fromkeys(passage.document_id for passage in passages))
    known = {name for passage in passages for name in passage.paper}
    if any(source.state is None for source in run.sources):  # the name of a file must not be sent to a live source
        passages = [passage for passage in passages if not passage.document_id.startswith(OWN_FILE)]
    titles = {name: passage.title for passage in reversed(passages) for name in passage.paper}
    text = question.text
    for (start, end), names in reversed(named.items()):
        if missing := [name for name in names if name not in known]:
            run.warn(f"no source searched contains {', '.join(missing)}; check the id, or search PubMed too")
        if told := dict.fromkeys(titles[name] for name in names if titles.get(name)):
            text = text[:start] + "; ".join(told) + text[end:]
    return question.replace(text=text)


def words_lookup(question: Question, part: Asked | None = None) -> Lookup:
    """The question, or a part of it, for all rankers; those that rank by words also get its answer options."""
    return Lookup.words(part.text if part else question.text, also=" ".join(option.text for option in question.options))
