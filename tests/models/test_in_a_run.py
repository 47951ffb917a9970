"""Models inside a run: costs are counted, limits are reported for the whole run, keys stay out of the trace."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from rows import each_row

from medground.answering.declaration import Declaration
from medground.answering.run import Run
from medground.answering.trace import Trace
from medground.errors import BudgetExhausted, ConfigError, MedgroundError, ModelFailed
from medground.home.settings import Settings
from medground.models.registry import open_models
from medground.testing.chat_peer import ChatPeer, Sent, chat, refusal
from medground.testing.model_contract import NAME, asking
from medground.values.question import Question
from medground.values.usage import Usage

KEY = "sk-very-secret-0123456789"


def asked(peer: ChatPeer, home: Path, calls: int = 1, **options: Any) -> tuple[Run, list[str | MedgroundError]]:
    """A run that calls one operator several times in sequence."""
    named = {name.replace("__", "."): value for name, value in options.items()}
    places = {"home": home, "model.default": "openai:stub", "model.base_url": peer.url, "keys.openai": KEY}
    settings = Settings.load(environ={}, options={**places, **named})

    async def work() -> tuple[Run, list[str | MedgroundError]]:
        models = open_models(settings, [NAME.name])
        trace = Trace("test", home / "trace.jsonl", settings)
        recipe = Declaration(name="test", operators=(NAME,))
        run = Run(Question.ask("Why?"), settings, recipe, sources=(), models=models, trace=trace)
        results: list[str | MedgroundError] = []
        for n in range(calls):
            try:
                results.append((await run.ask(NAME, asking(f"T{n}"))).id)
            except MedgroundError as error:
                results.append(error)
        await models.close()
        trace.close()
        return run, results

    return asyncio.run(work())


def test_failed_and_good_calls_are_counted_together(home: Path, loopback: None) -> None:
    with ChatPeer(chat("no"), chat("no"), chat("no"), chat('{"id": "T1"}')) as peer:
        run, (failed, good) = asked(peer, home, calls=2)
    assert isinstance(failed, ModelFailed)
    assert good == "T1"
    assert run.usage == Usage(input_tokens=400, output_tokens=40, model_calls=4)
    assert run.answered_by == {"name": "openai:stub"}


def test_a_limit_inside_a_call_is_reported_for_the_whole_question(home: Path, loopback: None) -> None:
    with ChatPeer(chat('{"id": "T0"}'), chat("no")) as peer:
        run, (good, reached) = asked(peer, home, calls=2, budget__calls=3)
    assert good == "T0"
    assert isinstance(reached, BudgetExhausted)
    assert "the budget of 3 calls is used up (spent: 3)" in str(reached)
    assert run.usage.model_calls == 3
    assert run.usage.tokens == 330


@each_row(
    "trouble", [refusal(401, f"wrong key {KEY}"), refusal(400, f"Bearer {KEY}"), Sent(KEY.encode()), chat(f'"{KEY}"')]
)
def test_the_key_is_not_in_the_trace_nor_in_the_message(home: Path, loopback: None, trouble: Sent) -> None:
    with ChatPeer(trouble) as peer:
        _, (failed,) = asked(peer, home, model__retries=0)
    assert isinstance(failed, ModelFailed | ConfigError)
    assert KEY not in str(failed)
    text = (home / "trace.jsonl").read_text(encoding="utf-8")
    assert '"status": "ERROR"' in text
    assert KEY not in text
