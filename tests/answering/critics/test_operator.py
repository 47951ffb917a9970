"""The operator critic: the model's relation, its probability, and what it may omit."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from chat_peer import ChatPeer, Sent, Weighed, chat, refusal, tool_call
from critic_contract import claim
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_ai.messages import ModelResponse, TextPart
from rows import each_row
from scripted_capable import says

from medground.answering.run import Run
from medground.answering.verify.critic import Judgement
from medground.answering.verify.critics import open_critic
from medground.errors import ModelFailed
from medground.models.base import CallLimits
from medground.models.operators.base import InvalidOutput
from medground.models.operators.checking import FLAGS, CheckInput, CheckOutput, StatementCheck, StatementView, check
from medground.models.output import probabilities_of
from medground.models.registry import CallCache, Models
from medground.values.steps import Judging

T = TypeVar("T")
MakeRun = Callable[..., Run]
VALUES = ("entails", "contradicts", "related", "neutral")
ASKED = claim("The lens is long.", "The lens is not short.", "The lens is long.")
VALUE = CheckInput(statements=(StatementView(id="S1", text=ASKED.statement),), evidence=ASKED.premises)


def response(*tokens: Weighed) -> ModelResponse:
    """What pydantic-ai makes of a chat completion with log-probabilities."""

    def weighed(token: str, share: float) -> dict[str, Any]:
        return {"token": token, "bytes": None, "logprob": math.log(share) if share else -9999.0}

    given = [{**weighed(t, p), "top_logprobs": [weighed(*o) for o in options.items()]} for t, p, options in tokens]
    text = "".join(token for token, _, _ in tokens)
    return ModelResponse(parts=[TextPart(text)], provider_details={"logprobs": given})


def sure(text: str) -> Weighed:
    return text, 1.0, {text: 1.0}


REST = sure('","best":"E1"}')


BEGIN = sure('{"relation":"')


@each_row(
    ("tokens", "wanted"),
    [
        (
            [BEGIN, ("ent", 0.6, {"ent": 0.6, "neut": 0.3, "rel": 0.1}), sure("ails"), REST],
            {"entails": 0.6, "neutral": 0.3, "related": 0.1},
        ),
        (  # what a grammar forbids is no alternative
            [BEGIN, ("ent", 0.2, {"Yes": 0.7, "ent": 0.2, "contr": 0.05}), sure("ails"), REST],
            {"entails": 0.8, "contradicts": 0.2},
        ),
        (  # a token that begins before the word
            [sure('{ "relation"'), (':"neutral', 0.5, {':"neutral': 0.5, ':"related': 0.5}), REST],
            {"neutral": 0.5, "related": 0.5},
        ),
        (  # the word is decided by its second token
            [sure('{"relation":'), ('"', 0.9, {'"': 0.9, ' "': 0.1}), ("r", 0.5, {"r": 0.5, "e": 0.5}), REST],
            {"related": 0.5, "entails": 0.5},
        ),
        ([('{"relation":"related","best":null}', 0.4, {})], {"related": 0.4}),
        ([BEGIN, ("neutral", 0.1, {"entails": 0.3}), REST], {"neutral": 0.25, "entails": 0.75}),
        (  # another field first, which says the word too
            [sure('{"flags":["relation"],"relation":"'), ("entails", 0.5, {"entails": 0.5, "x": 0.5}), REST],
            {"entails": 1.0},
        ),
        *[([sure(text)], {}) for text in ('{"best":null}', '{"relation":"maybe"}', '{"relation":"')],
        ([BEGIN, ("entails", 0.0, {"entails": 0.0}), REST], {}),
        ([], {}),
    ],
)
def test_probabilities_are_read_from_the_word(tokens: list[Weighed], wanted: dict[str, float]) -> None:
    assert probabilities_of(response(*tokens), "relation", VALUES) == pytest.approx(wanted)


TOKENS = st.lists(
    st.tuples(
        st.sampled_from(['{"relation":"', "ent", "ails", "rel", "ated", "", '"', "neutral", '","x":1}', "é"]),
        st.floats(1e-9, 1),
        st.dictionaries(st.sampled_from(["ent", "e", "rel", "", "x", '"']), st.floats(1e-9, 1), max_size=4),
    ),
    max_size=8,
)


@settings(max_examples=25)
@given(TOKENS)
def test_probabilities_are_always_shares(tokens: list[Weighed]) -> None:
    found = probabilities_of(response(*tokens), "relation", VALUES)
    for given_so in (None, "no", [{"token": None, "logprob": "x"}], [{"tok": 1}], {"content": []}):
        said = ModelResponse(parts=[TextPart('{"relation":"entails"}')], provider_details={"logprobs": given_so})
        assert probabilities_of(said, "relation", VALUES) == {}
    assert set(found) <= set(VALUES)
    assert all(0 <= share <= 1 for share in found.values())
    assert sum(found.values()) <= 1 + 1e-9


def answered(relation: str, shares: dict[str, float], best: str = "E2") -> Sent:
    tokens = [
        sure('{"statements":[{"statement":"S1","relation":"'),
        (relation, shares[relation], shares),
        sure(f'","best":"{best}","flags":[]}}]}}'),
    ]
    return chat("".join(token for token, _, _ in tokens), logprobs=tokens)


def wrapped(said: str) -> str:
    """A reply about the one statement."""
    return f'{{"statements":[{{"statement":"S1",{said[1:]}]}}'


async def closed(models: Any, work: Awaitable[T]) -> T:
    try:
        return await work
    finally:
        await models.close()


@pytest.fixture
def judge(make_run: MakeRun, serve: Any) -> Callable[..., Judgement]:
    """The judgement of a server on one claim, and the requests that it received."""

    def ask(peer: ChatPeer, *, native: bool = True, model: Any = None) -> Judgement:
        run = make_run("q1?")
        run.models = Models("openai:stub", {}, {"openai:stub": model or serve(peer.url, native=native)})
        return asyncio.run(closed(run.models, open_critic(run).judge([ASKED])))[0]

    return ask


def test_the_server_is_asked_and_its_numbers_are_used(judge: Any) -> None:
    with ChatPeer(answered("entails", {"entails": 0.6, "related": 0.2})) as peer:
        assert judge(peer) == Judgement("entails", "E2", pytest.approx(0.75), pytest.approx(0.75))
    assert (peer.requests[0]["logprobs"], peer.requests[0]["top_logprobs"]) == (True, 5)
    schema = peer.requests[0]["response_format"]["json_schema"]["schema"]
    properties = schema["$defs"]["StatementCheck"]["properties"]
    assert list(properties) == ["statement", "relation", "best", "flags", "reason", "settles"]
    assert properties["flags"]["items"]["enum"] == list(FLAGS)


def test_a_relation_below_tau_does_not_count_and_one_without_numbers_does(judge: Any) -> None:
    with ChatPeer(answered("entails", {"entails": 0.4, "related": 0.3, "neutral": 0.3})) as peer:
        found = judge(peer)
    assert (found.relation, found.best, found.probability) == ("related", "E2", None)
    assert found.entailment == pytest.approx(0.4)
    assert found.note == "entails with a probability of 0.40, below 0.5"
    with ChatPeer(tool_call(wrapped('{"relation":"entails","best":"E2"}'))) as peer:
        assert judge(peer, native=False) == Judgement("entails", "E2")
    with ChatPeer(
        chat(wrapped('{"relation":"entails","best":"E2","flags":[],"probabilities":{"entails":1.0}}'))
    ) as peer:
        assert judge(peer) == Judgement("entails", "E2"), "a certainty that is written is no number"


def test_a_server_that_refuses_the_question_is_asked_without_it(judge: Any, serve: Any) -> None:
    def answer(request: dict[str, Any]) -> Sent:
        if "logprobs" in request:
            return refusal(422, "logprobs are not supported")
        return chat(wrapped('{"relation":"entails","best":"E2","flags":[]}'))

    with ChatPeer(answer) as peer:
        model = serve(peer.url)
        assert judge(peer, model=model) == judge(peer, model=model) == Judgement("entails", "E2")
    assert ["logprobs" in request for request in peer.requests] == [True, False, False]
    with ChatPeer(refusal(400, "bad"), refusal(400, "bad"), answered("neutral", {"neutral": 0.9})) as peer:
        model = serve(peer.url)
        assert [judge(peer, model=model).relation for _ in range(2)] == ["failed", "neutral"]
    assert ["logprobs" in request for request in peer.requests] == [True, False, True], "refused for another reason"


def busy(failures: int) -> Callable[[Any], Any]:
    """A model whose server is too busy for its first calls."""
    calls = iter(range(100))

    def reply(value: CheckInput) -> Any:
        if next(calls) < failures:
            return ModelFailed("limits the rate of calls", model="scripted:model", busy=True)
        return says("entails", "E1")(value)

    return reply


@each_row(("failures", "relations", "calls"), [(1, ["entails"] * 3, 2), (9, ["failed"] * 3, 2)])
def test_claims_that_a_busy_server_refused_are_asked_once_more(
    make_run: MakeRun, scripted_model: Any, failures: int, relations: list[str], calls: int
) -> None:
    model = scripted_model({"check": busy(failures)})
    run = make_run("q1?", model=model, by_model=["check"])
    found = asyncio.run(open_critic(run).judge([claim(f"The lens is {n}.", "The lens is long.") for n in range(3)]))
    assert [judgement.relation for judgement in found] == relations
    assert (len(model.seen), len(run.warnings)) == (calls, int(failures == 9))
    one = make_run("q1?", model=scripted_model({"check": says("entails")}), by_model=["check"])
    one.on_step = (steps := []).append
    single = claim("The lens is long.", "The lens is long.", first=7)  # a single quote need not be named
    assert asyncio.run(open_critic(one).judge([single])) == [Judgement("entails", "E7")]
    assert [(step.done, step.of) for step in steps if isinstance(step, Judging)] == [(1, 1)]


def test_numbers_are_kept_with_the_reply(serve: Any, tmp_path: Path) -> None:
    async def twice(models: Models) -> list[CheckOutput]:
        return [(await models.answer(check, VALUE, CallLimits())).output for _ in range(2)]

    with ChatPeer(answered("entails", {"entails": 0.6, "related": 0.2})) as peer:
        models = Models("openai:stub", {}, {"openai:stub": serve(peer.url)}, cache=CallCache(tmp_path))
        first, stored = asyncio.run(closed(models, twice(models)))
    assert len(peer.requests) == 1
    assert first == stored
    assert stored.statements[0].probabilities["entails"] == pytest.approx(0.75)


@each_row(
    ("output", "said"),
    [
        ({"relation": "entails"}, "needs the id"),
        ({"relation": "neutral", "best": "E9"}, "unknown evidence ids E9"),
        ({"relation": "related", "best": "E1", "flags": ("trust me",)}, "unknown flag 'trust me'"),
        ({"statement": "S2", "relation": "neutral"}, "unknown statement ids S2"),
    ],
)
def test_a_reply_names_what_was_given_and_each_statement(output: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidOutput, match=said):
        check.check(VALUE, CheckOutput(statements=(StatementCheck.model_validate({"statement": "S1"} | output),)))
    with pytest.raises(InvalidOutput, match="S1 is left out"):
        check.check(VALUE, CheckOutput(statements=()))
