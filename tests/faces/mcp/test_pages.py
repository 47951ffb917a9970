"""Results that come in pages, and work that takes long: progress, jobs and an end."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_talk import Talk, Talking, text

from medground.engine.engine import Engine
from medground.errors import MedgroundError, NotFound
from medground.faces.mcp.pages import Fence, Page, Pages, Part, Result
from medground.faces.mcp.tool import Times
from medground.faces.service.records import Records
from medground.language.clean import clean, in_strings
from medground.values.steps import Searching

LIMIT = 4_000
texts = st.text(max_size=12_000) | st.text('ab \n漢\u202e"\\<', max_size=12_000)
short = st.text(max_size=60)


@st.composite
def parts(draw: st.DrawFn) -> Part:
    fence = Fence("m")
    kind = draw(st.sampled_from(["quote", "note", "entry"]))
    if kind == "note":
        return Part("notes", draw(short), lambda v: fence("note", v["text"]))
    if kind == "entry":
        return Part("entries", {"name": draw(short)}, lambda v: fence("entry", v["name"]))
    start, quote = draw(st.integers(0, 9_999)), draw(texts)
    fields = {"id": draw(short), "start": start, "end": start + len(quote), "quote": quote, "title": draw(short)}
    return Part("quotes", fields, lambda v: f"{v['start']} {fence('quote', v['quote'])}", cut="quote", once=("title",))


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Records]:
    with closing(Records(tmp_path_factory.mktemp("home"))) as opened:
        yield opened


def everything(pages: Pages, result: Result) -> list[Page]:
    found = [pages.first(result, tool="search", owner="me")]
    while found[-1].fields["truncated"]:
        cursor = found[-1].fields["cursor"]
        page = pages.more(cursor, owner="me")
        assert page == pages.more(cursor, owner="me") and page.fields["tool"] == "search"
        found.append(page)
    return found


def joined(quotes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Slices that follow each other as one quote."""
    whole: list[dict[str, Any]] = []
    for piece in quotes:
        last = whole[-1] if whole else None
        if last is not None and "title" not in piece:
            assert last["end"] == piece["start"]
            last["quote"] += piece["quote"]
            last["end"] = piece["end"]
        else:
            whole.append(dict(piece))
    return whole


@given(st.lists(parts(), max_size=12))
def test_the_pages_joined_are_the_whole_and_none_is_too_long(records: Records, given_parts: list[Part]) -> None:
    result = Result(head={"notice": "First.", "status": "found"}, words="First.", parts=given_parts, ends="The end.")
    pages = everything(Pages(records, limit=LIMIT), result)
    lists: dict[str, list[Any]] = {"quotes": [], "notes": [], "entries": []}
    for page in pages:
        on_the_wire = {"structuredContent": page.fields, "content": [{"type": "text", "text": page.words}]}
        assert len(json.dumps(on_the_wire, ensure_ascii=False, separators=(",", ":")).encode()) <= LIMIT
        assert next(iter(page.fields)) == "notice"
        assert page.words.startswith("First.")
        for name in lists:
            lists[name] += page.fields.get(name, [])
    assert pages[-1].words.endswith("The end.")
    expected: dict[str, list[Any]] = {"quotes": [], "notes": [], "entries": []}
    for part in given_parts:
        expected[part.into].append(in_strings(part.fields, clean))
    assert {**lists, "quotes": joined(lists["quotes"])} == expected
    for quote in lists["quotes"]:
        assert quote["end"] - quote["start"] == len(quote["quote"])


@given(texts)
def test_a_long_text_that_is_a_field_of_the_page_is_given_in_slices(records: Records, long: str) -> None:
    part = Part("text", {"start": 0, "end": len(long), "text": long}, lambda v: v["text"], cut="text", joins=True)
    pages = everything(Pages(records, limit=LIMIT), Result(head={"id": "X:1"}, parts=(part,)))
    assert "".join(page.fields["text"] for page in pages) == clean(long)
    assert [page.fields["start"] for page in pages[1:]] == [page.fields["end"] for page in pages[:-1]]


def test_an_entry_that_fits_on_no_page_is_an_error_and_never_left_out(records: Records) -> None:
    part = Part("entries", {"name": "x" * 5_000})
    with pytest.raises(MedgroundError, match="longer than a page"):
        Pages(records, limit=LIMIT).first(Result(parts=(part,)), tool="search", owner="me")


def long_result(length: int = 10_000) -> Result:
    return Result(parts=(Part("quotes", {"start": 0, "end": length, "quote": "x" * length}, cut="quote"),))


def test_a_cursor_is_for_whoever_got_it_and_only_where_its_result_has_pages(records: Records) -> None:
    pages = Pages(records, limit=LIMIT)
    cursor = pages.first(long_result(), tool="search", owner="me").fields["cursor"]
    name = cursor.split(".")[0]
    with pytest.raises(NotFound):
        pages.more(cursor, owner="you")
    for beyond in (f"{name}.99", f"{name}.9999999", f"{name}.1.0", "", "0.0", "A" * 16 + ".0", "../etc"):
        with pytest.raises(NotFound):
            pages.more(beyond, owner="me")


def test_results_are_kept_for_an_hour_for_all_servers_and_within_a_bound(tmp_path: Path) -> None:
    now, records = 0.0, Records(tmp_path)
    pages, other = (Pages(records, lambda: now, limit=LIMIT, seconds=3600, most=30) for _ in range(2))
    first = pages.first(long_result(), tool="search", owner="me").fields["cursor"]
    while now < 20:
        now += 1
        last = pages.first(long_result(), tool="search", owner="me").fields["cursor"]
        assert records.rows("SELECT count(*) FROM pages")[0][0] <= 30
    with pytest.raises(NotFound):
        pages.more(first, owner="me")
    assert other.more(last, owner="me") == pages.more(last, owner="me")
    now += 3601.0
    with pytest.raises(NotFound):
        pages.more(last, owner="me")
    with pytest.raises(MedgroundError, match="too large"):
        pages.first(long_result(100_000), tool="search", owner="me")
    records.close()


QUICK = Times(patience=0.3, beat=0.1)
QUESTION = "Does aspirin reduce the risk of stroke in adults?"


class Slow:
    """Makes an engine wait before it answers, and tells how it ended."""

    def __init__(self) -> None:
        self.seconds = 1.0
        self.ended: list[str] = []

    def patch(self, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        whole = getattr(Engine, name)

        async def slowly(engine: Engine, *given: Any, **chosen: Any) -> Any:
            chosen.get("on_step", lambda step: None)(Searching(source="corpus:papers", query="x"))
            try:
                await asyncio.sleep(self.seconds)
            except asyncio.CancelledError:
                self.ended.append("cancelled")
                raise
            self.ended.append("done")
            return await whole(engine, *given, **chosen)

        monkeypatch.setattr(Engine, name, slowly)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    found = Slow()
    for name in ("ask", "verify", "search"):
        found.patch(monkeypatch, name)
    return found


async def ended(talk: Talk, job: str) -> dict[str, Any]:
    """What a job gives once it has ended."""
    while (seen := await talk.found("get_job", job=job))["state"] in ("queued", "running"):
        pass
    return seen


async def test_progress_is_told_in_words_and_rises(talking: Talking, slow: Slow) -> None:
    for mode in ("auto", "legacy"):
        async with talking(Times(patience=20, beat=0.1), mode=mode) as talk:
            await talk.found("ask", question=QUESTION)
            numbers = [number for number, _ in talk.told]
            assert numbers == sorted(set(numbers))
            assert len(numbers) >= 4  # a beat each 0.2 s, in 1 s
            assert "searching papers" in [words for _, words in talk.told]


async def test_a_question_that_takes_long_becomes_a_job_whose_result_is_read_later(
    talking: Talking, slow: Slow
) -> None:
    async with talking(QUICK) as talk:
        first = await talk.found("ask", question=QUESTION)
        assert first["state"] == "running"
        seen = await ended(talk, first["job"])
        assert seen["tool"] == "ask"
        assert seen["state"] == "done"
        assert seen["citations"]
        assert (await talk.service.answer(seen["trace_id"])).question.text == QUESTION
        assert await talk.found("get_job", job=first["job"]) == seen  # it can be read again
        assert slow.ended == ["done"]


async def test_what_took_long_on_one_server_is_read_on_another(talking: Talking, slow: Slow) -> None:
    async with talking(QUICK) as one, talking(QUICK) as other:
        seen = await ended(other, (first := await one.found("search", query="aspirin stroke"))["job"])
        assert (seen["tool"], seen["state"]) == ("search", "done") and seen["results"]
        assert await one.found("get_job", job=first["job"]) == seen


async def test_a_job_can_be_stopped(talking: Talking, slow: Slow) -> None:
    slow.seconds = 30

    async with talking(QUICK) as talk:
        first = await talk.found("ask", question=QUESTION)
        stopped = await talk.found("cancel_job", job=first["job"])
        assert stopped["state"] == "stopped"
        assert "Nothing had been found" in stopped["words"]
        assert slow.ended == ["cancelled"]


async def test_a_client_that_cancels_stops_the_work(talking: Talking, slow: Slow) -> None:
    slow.seconds = 30

    async with talking(Times(patience=20, beat=0.2)) as talk:
        with anyio.move_on_after(0.5):
            await talk.call("ask", question=QUESTION)
        with anyio.move_on_after(0.5):
            await talk.call("search", query="aspirin")
        for _ in range(100):
            if len(slow.ended) == 2:
                break
            await asyncio.sleep(0.05)
        assert slow.ended == ["cancelled", "cancelled"]


async def test_a_failure_of_a_job_is_an_error_with_the_next_step(
    talking: Talking, slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def failing(engine: Engine, *given: Any, **chosen: Any) -> Any:
        from medground.errors import SourceUnavailable

        await asyncio.sleep(0.6)
        raise SourceUnavailable("no route to host", source="pubmed")

    monkeypatch.setattr(Engine, "ask", failing)

    async with talking(QUICK) as talk:
        first = await talk.found("ask", question=QUESTION)
        await asyncio.sleep(0.5)
        result = await talk.call("get_job", job=first["job"])
        assert result.is_error
        assert "no route to host" in text(result)
        assert "Next: Ask again later." in text(result)


async def test_a_failing_source_is_an_error_and_never_an_empty_list(
    talking: Talking, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def failing(engine: Engine, *given: Any, **chosen: Any) -> Any:
        from medground.errors import SourceUnavailable

        raise SourceUnavailable("no route to host", source="pubmed")

    async def breaking(engine: Engine, *given: Any, **chosen: Any) -> Any:
        raise RuntimeError(f"secret {engine.settings.home}")

    for name in ("search", "document", "verify"):
        monkeypatch.setattr(Engine, name, failing)
    monkeypatch.setattr(Engine, "ask", breaking)

    async with talking() as talk:
        assert "no route" in (await talk.refused("search", query="aspirin"))["detail"]
        assert "no route" in (await talk.refused("fetch", id="PMID:1"))["detail"]
        (document,) = (await talk.found("get_document", ids=["PMID:1"]))["documents"]
        assert (document["status"], document["next"]) == ("failed", "Ask again later.")
        (claim,) = (await talk.found("verify_claim", claims=["Aspirin helps."]))["claims"]
        assert claim["status"] == "failed"
        assert "secret" not in str(await talk.refused("ask", question="Does aspirin help?"))
