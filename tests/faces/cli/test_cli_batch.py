"""`--batch`: many questions advance in waves by a provider's batch interface, and an interrupted run resumes."""

import _thread
import json
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from batch_peer import BatchPeer
from chat_peer import chat
from command_line import Said, run

COUNT = 5
PAPERS = [
    {"id": f"PMID:{n}", "title": f"Drug {n}", "text": f"Aspirin number {n} significantly reduced the risk of stroke."}
    for n in range(1, COUNT + 1)
]
QUESTIONS = [f"Does aspirin number {n} reduce the risk of stroke?" for n in range(1, COUNT + 1)]
MODEL = ("--model", "openai:stub", "--set", "model.batch_seconds=0.2")


def written(body: dict[str, Any]) -> dict[str, Any]:
    """A reply that cites the first sentence it is shown, or agrees with all it is to check."""
    text = "\n".join(message["content"] for message in body["messages"] if message["role"] == "user")
    if "<statements>" not in text:
        shown = re.search(r"^(P\d+\.S\d+) (.*)$", text, re.MULTILINE)
        told = [{"text": "Aspirin lowers the risk of stroke.", "sentences": [shown[1]] if shown else []}]
        reply: dict[str, Any] = {"statements": told, "answer": ["yes"], "form": None, "missing": [], "query": ""}
    else:
        names = re.findall(r"^(S\d+)[ :]", text, re.MULTILINE)
        judged = [{"statement": name, "relation": "entails", "best": "E1", "flags": []} for name in names]
        reply = {"statements": judged, "found": ["yes"], "result": "follows", "rests_on": names}
    found: dict[str, Any] = json.loads(chat(json.dumps(reply)).body)
    return found


@pytest.fixture
def peer(loopback: None) -> Iterator[BatchPeer]:
    with BatchPeer(lambda body: (200, written(body))) as started:
        yield started


@pytest.fixture
def asking(papers: Path, peer: BatchPeer) -> list[str]:
    Path("questions.txt").write_text("\n".join(QUESTIONS), encoding="utf-8")
    command = ["ask", "-q", "-c", "papers", "--from", "questions.txt", "--batch", "--json", *MODEL]
    return [*command, "--set", f"model.base_url={peer.url}"]


def test_questions_advance_in_waves_and_what_failed_is_asked_again(
    peer: BatchPeer, asking: list[str], said: Said
) -> None:
    failed: list[str] = []

    def answer(body: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        asked = json.dumps(body)
        assert not body.get("stream")
        if len(failed) < 2 and ("number 1 " in asked or "number 2 " in asked):
            failed.append(asked)
            return (500, {"error": {"message": "try again"}}) if len(failed) == 1 else None
        return 200, written(body)

    peer.answer = answer
    lines = [json.loads(line) for line in said(*asking).out.splitlines()]
    assert [line["question"] for line in lines] == QUESTIONS
    assert [line["answer"]["decision"]["value"] for line in lines] == ["yes"] * COUNT
    assert sum(map(len, peer.batches)) == 2 * COUNT + 2 and max(map(len, peer.batches)) > 1
    assert all(looks == 2 for looks in peer.looks)
    assert len({json.dumps(body.get("response_format")) for batch in peer.batches for body in batch.values()}) == 2
    sent = len(peer.batches)
    said(*asking)
    assert len(peer.batches) == sent, "replies are in the cache"


def test_after_a_stop_no_batch_is_sent_twice(peer: BatchPeer, asking: list[str], said: Said) -> None:
    peer.holds = True

    def stop() -> None:
        while sum(map(len, peer.batches)) < COUNT:
            time.sleep(0.01)
        _thread.interrupt_main()  # as Ctrl-C does

    threading.Thread(target=stop, daemon=True).start()
    assert run(*asking) == 130
    assert sum(map(len, peer.batches)) == COUNT
    peer.holds = False
    lines = [json.loads(line) for line in said(*asking).out.splitlines()]
    assert [line["answer"]["decision"]["value"] for line in lines] == ["yes"] * COUNT
    keys = [key for batch in peer.batches for key in batch]
    assert len(keys) == len(set(keys)) == 2 * COUNT


def test_a_set_is_evaluated_in_batches(peer: BatchPeer, papers: Path, said: Said) -> None:
    items = [{"id": f"q{n}", "question": text, "answer": "yes"} for n, text in enumerate(QUESTIONS)]
    Path("mine.jsonl").write_text("\n".join(map(json.dumps, items)), encoding="utf-8")
    command = ["eval", "run", "jsonl", "--data", "mine.jsonl", "-c", "papers", "--batch", "-q", *MODEL]
    shown = said(*command, "--set", f"model.base_url={peer.url}", "--out", "run.jsonl").out
    assert "100.0%" in shown and f"({COUNT} of {COUNT};" in shown
    assert sum(map(len, peer.batches)) == 2 * COUNT and max(map(len, peer.batches)) > 1


def test_what_cannot_be_batched_is_a_mistake(papers: Path, peer: BatchPeer, asking: list[str], said: Said) -> None:
    for words, message in (
        (["ask", "-q", "--batch", QUESTIONS[0]], "name their file with --from"),
        ([*asking[:8], "--json"], "--batch needs a hosted model"),
        ([*asking, "--no-cache"], "leave --no-cache"),
        ([*asking, "--set", "budget.seconds=9"], "budget.seconds would count"),
    ):
        assert message in said(*words, code=2).err
