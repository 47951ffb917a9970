"""The events of a job, whatever comes when: a reader misses nothing without being told."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from hypothesis import given
from hypothesis import strategies as some

from medground.faces.service.job import EventLog
from medground.faces.service.values import Event

SIZES = some.lists(some.integers(min_value=0, max_value=400), max_size=40)
PAUSES = some.lists(some.integers(min_value=1, max_value=12), min_size=1, max_size=10)


@given(sizes=SIZES, pauses=PAUSES, seen=some.integers(0, 60))
def test_ids_rise_by_one_but_for_what_a_resync_tells(sizes: list[int], pauses: list[int], seen: int) -> None:
    async def work() -> list[Event]:
        log = EventLog("job", most_bytes=1000)
        found: list[Event] = []

        async def read() -> None:
            async with aclosing(log.after(seen)) as events:
                async for event in events:
                    found.append(event)
                    for _ in range(pauses[len(found) % len(pauses)]):  # now fast, now slow
                        await asyncio.sleep(0)

        reading = asyncio.create_task(read())
        for number, size in enumerate(sizes):
            log.add(Event(id=0, type="progress", words="x" * size))
            assert log.bytes <= 1000
            if number % 3:
                await asyncio.sleep(0)
        log.add(Event(id=0, type="done"))
        log.add(Event(id=0, type="progress"))  # nothing follows the last one
        await reading
        return found

    found = asyncio.run(work())
    start = min(seen, found[0].id - 1) if found else seen
    last = start
    for event in found:
        if event.type == "resync":
            assert event.id > last
        else:
            assert event.id == last + 1
        last = event.id
    assert not found or (found[-1].type, found[-1].id) == ("done", len(sizes) + 1)
    assert found or seen >= len(sizes) + 1
