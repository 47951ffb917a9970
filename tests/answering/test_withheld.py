"""No source is asked with words that stand only in a question's context, whoever writes its queries: on the wire."""

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import unquote_plus

import pytest
from engines import FORMS
from http_peer import Asked, Peer, Reply
from literature_peers import europepmc, eutils_pmc, sciencedirect
from plain_answer import plain_answer
from rows import each_row

from medground.answering.run import Run, with_titles, words_lookup
from medground.home.registry import SOURCES, recipe_names
from medground.home.settings import Settings
from medground.language import words
from medground.language.follow_up import follow_up
from medground.models.base import CallLimits
from medground.models.base import Reply as ModelReply
from medground.models.operators.base import Operator
from medground.models.operators.checking import CheckOutput, StatementCheck, check
from medground.models.registry import Models
from medground.pubmed.translate import parse
from medground.recipes.base import open_recipe
from medground.sources.base import Source, find_source
from medground.sources.http.service import ADDRESSES
from medground.values.answer import SourceDocument
from medground.values.document import Document
from medground.values.lookup import ConceptQuery, Lookup, PlainWords, ProteinQuery
from medground.values.query import And, DateRange, Mesh, Near, Not, Or, Phrase, Query, Range, Term, Words
from medground.values.question import Question
from medground.values.usage import Usage

MakeRun = Callable[..., Run]
MakePeer = Callable[..., Peer]
QUESTION = "Does paracetamol or TP53 change the risk of stroke in women?"
CASE = "Jané Doe, born 1957, is HIV-positive and takes ritonavir and Tylenol; her sister has BRCA1."
PRIVATE = {"zorble", "jane", "jané", "doe", "1957", "hiv", "hiv1", "positive", "ritonavir", "brca", "brca1", "sister"}
TOLD = "not searched for, because these words occur only in the context: "
KEYS = {"keys.brave": "b-key", "keys.sciencedirect": "s-key"}
NOTHING = Reply(b"<eSearchResult><Count>0</Count><RetMax>0</RetMax><RetStart>0</RetStart><IdList/></eSearchResult>")
ANSWERS: dict[str, Callable[[Asked], Reply] | Reply] = {
    "alphafold": Reply(b"[]", status=404, type="application/json"),
    "clinicaltrials": Reply(b'{"studies": []}', type="application/json"),
    "europepmc": europepmc([]),
    "openalex": Reply(b'{"results": []}', type="application/json"),
    "pdb": Reply(b"{}", status=404, type="application/json"),
    "pmc": eutils_pmc([]),
    "preprints": europepmc([]),
    "pubmed": NOTHING,
    "sciencedirect": sciencedirect([], "s-key"),
    "uniprot": lambda asked: Reply(
        json.dumps({"results": []}).encode(), status=200 if "search" in asked.path else 404, type="application/json"
    ),
    **{name: form(lambda query: []) for name, form in FORMS.items()},
}
FILE = Document(
    id="FILE:zorble.pdf", identifiers={"pmid": "7654321"}, title="zorble women", text="Stroke in women with TP53."
)
PAPER = Document(id="PMID:1", title="Paracetamol", text="Paracetamol raised the risk of stroke in women.", year=2001)


@pytest.fixture
def service(make_peer: MakePeer, tmp_path: Path) -> Callable[[str], tuple[Source, Peer]]:
    """Opens a source by its name, with a service on loopback that finds nothing."""

    def open_source(name: str) -> tuple[Source, Peer]:
        peer = make_peer(ANSWERS[name])
        where = {"pubmed": "retrieval.pubmed", "preprints": "europepmc.address"}.get(name, f"{name}.address")
        options = KEYS if name in ADDRESSES else {where: peer.url, **KEYS}
        settings = Settings.load(environ={"MEDGROUND_HOME": str(tmp_path)}, options=options)
        with patch.dict(ADDRESSES, {name: peer.url}):
            source: Any = find_source(name).open(settings)
        if name in FORMS:
            source._client._pace.per_second = float("inf")
        return source, peer

    return open_source


def told(make_run: MakeRun, sources: Sequence[Any], **more: Any) -> Run:
    run = make_run(QUESTION, sources, **more)
    run.question = Question.ask(QUESTION, context=CASE)
    return run


def sent(peer: Peer) -> str:
    """All that reached a service: addresses, headers and bodies."""
    return unquote_plus(" ".join(f"{a.target} {a.headers} {a.parameters}" for a in peer.asked)).casefold()


def leaks(text: str) -> set[str]:
    return PRIVATE.intersection(words.tokens(text))


QUERIES = [
    Words(text="paracetamol in Jane Doe"),
    Phrase(text="stroke in HIV-positive women"),
    Near(text="ritonavir paracetamol", distance=3),
    Mesh(heading="HIV Infections"),
    parse('stroke AND (paracetamol OR ritonavir) AND "Doe J"[au] AND 1957[dp] NOT "HIV seropositivity"[mesh]'),
    parse("brca* AND tylenol AND women"),
    Or(parts=(Term(value="stroke"), Term(value="BRCA-1"))),
    And(parts=(Term(value="ritonavir"), Not(part=Term(value="stroke")), Range(low=1990))),
]
LOOKUPS = [
    *(Lookup(asked=query, text="stroke of Jane, HIV1") for query in QUERIES),
    *(Lookup(asked=PlainWords(text=t), text=t) for t in ("Paracetamol for Jane Doe (HIV-positive)?", "who is Jane?")),
    Lookup(asked=ConceptQuery(term="ritonavir stroke", question=CASE), text=CASE),
    *(Lookup(asked=ProteinQuery(name=n, organism="Homo sapiens"), text=CASE) for n in ("TP53", "BRCA1", "P04637")),
]


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_no_source_is_sent_a_word_of_the_context_alone_or_the_name_of_a_file(
    name: str, make_run: MakeRun, service: Any, memory_source: Any
) -> None:
    source, peer = service(name)
    run, of_file = told(make_run, [source]), told(make_run, [source, memory_source([FILE])])
    asked = Question.ask(f"{QUESTION} See PMID 7654321.", context=CASE, task="yes-no")
    answer = plain_answer(question=asked, documents=(SourceDocument(id=FILE.id, title=FILE.title, kind="book"),))

    async def look_up() -> None:
        for question in (asked, follow_up("What about men with PMID 7654321?", answer, 2026)):
            of_file.question = question
            assert (await with_titles(question, of_file)).text == question.text
            await of_file.look_up(words_lookup(question))
        for lookup in LOOKUPS:
            await run.look_up(lookup)
            await run.count(lookup)
        await source.close()

    asyncio.run(look_up())
    assert peer.asked, "the service was asked nothing at all"
    assert leaks(sent(peer)) == set()
    assert leaks(" ".join(search.query for search in run.searches)) == set()
    (note,) = [text for text in run.warnings if text.startswith(TOLD)]
    assert {"doe", "ritonavir", "hiv"} <= leaks(note) and "tylenol" not in note and "stroke" not in note
    assert [text for text in run.warnings if text.startswith("a search was skipped")] != []


@each_row(
    ("asked", "left"),
    [
        (QUERIES[0], Words(text="paracetamol in")),
        (QUERIES[1], And(parts=(Phrase(text="stroke in"), Phrase(text="women")))),
        (parse("stroke AND tylenol AND women NOT men"), parse("stroke AND tylenol AND women NOT men")),
        (Or(parts=(Term(value="stroke"), Term(value="hiv1"))), Term(value="stroke")),
        (And(parts=(Term(value="stroke"), Not(part=Words(text="men with hiv")))), Term(value="stroke")),
        (And(parts=(Term(value="stroke"), DateRange(low=None))), And(parts=(Term(value="stroke"), DateRange()))),
        (PlainWords(text="Stroke (HIV-positive)"), PlainWords(text="Stroke")),
    ],
)
def test_what_was_asked_stays(asked: Query, left: Query, make_run: MakeRun) -> None:
    (kept,) = told(make_run, [])._sendable([Lookup(asked=asked, text="x")])
    assert kept.asked == left


def test_words_of_options_and_limits_may_be_searched_for(make_run: MakeRun) -> None:
    run = make_run(QUESTION)
    filters = {"where": {"author": "Doe"}}
    run.question = Question.ask(QUESTION, options=("ritonavir", "aspirin"), context=CASE, filters=filters)
    assert run._sendable([Lookup.words("ritonavir Doe jane")])[0].text == "ritonavir Doe"


class Parrot:
    """A model that adds the context to every text that it writes."""

    name = identity = "scripted:parrot"
    cacheable = False

    async def answer(self, operator: Operator[Any, Any], value: Any, limits: CallLimits) -> ModelReply[Any]:
        output = operator.keyless(value)
        if operator is check:
            told = (StatementCheck(statement=one.id, relation="neutral") for one in value.statements)
            output = CheckOutput(statements=tuple(told))
        for path in list(_texts(written := output.model_dump())):
            *where, last = path
            place: Any = written
            for key in where:
                place = place[key]
            place[last], former = f"{place[last]} jane doe hiv", place[last]
            try:
                output = operator.output.model_validate(written)
                operator.check(value, output)
            except ValueError:  # an id, or a word of a fixed list
                place[last] = former
        output = operator.output.model_validate(written)
        return ModelReply(output=output, usage=Usage(model_calls=1))

    async def close(self) -> None:
        return None


def _texts(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the texts of an output stand; its tuples become lists."""
    if isinstance(value, str) and not {"source", "tools"}.intersection(path):
        yield path
    for key, part in list(
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        if isinstance(part, tuple):
            value[key] = part = list(part)
        yield from _texts(part, (*path, key))


WRITES_QUERIES = ("biomedsearch", "omni-rag", "pubmed-reasoner", "self-medrag", "self-reflection", "rag")


@pytest.mark.parametrize("name", recipe_names())
def test_in_no_recipe_a_model_carries_the_context_to_a_source(
    name: str, make_run: MakeRun, memory_source: Any, service: Any
) -> None:
    opened = [service(one) for one in ("pubmed", "europepmc", "duckduckgo", "uniprot")]
    recipe, model = open_recipe(name), Parrot()
    options = {"recipe.name": name, "verify.critic": "check", "verify.taxonomy": False, "self_medrag.drift": 0.0}
    sources = [memory_source([PAPER]), *(source for source, _ in opened)]
    run = told(make_run, sources, recipe=recipe, options=options)
    run.models = Models(model.name, {}, {model.name: model})

    async def answer() -> Any:
        try:
            return await recipe.run(run.question, run)
        finally:
            for source, _ in opened:
                await source.close()

    answered = asyncio.run(answer())
    for _, peer in opened:
        assert leaks(sent(peer)) == set()
    assert leaks(" ".join(search.query for search in answered.searches)) == set()
    assert any(text.startswith(TOLD) for text in answered.warnings) == (name in WRITES_QUERIES)
    if name == "biomedsearch":
        assert all(peer.asked for _, peer in opened[:2])
