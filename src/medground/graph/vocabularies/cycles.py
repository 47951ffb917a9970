"""Cycles among `is_a` relations: an ontology must have none, but released files sometimes do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence


def cycles(parents: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """Each cycle as the ids on it, the first one again at the end; cycles that share a relation are given once."""
    done: set[str] = set()
    for start in parents:
        if start in done:
            continue
        path, places = [start], {start: 0}
        waiting = [iter(parents.get(start, ()))]
        while waiting:
            parent = next(waiting[-1], None)
            if parent is None:
                waiting.pop()
                left = path.pop()
                del places[left]
                done.add(left)
            elif parent in places:
                yield (*path[places[parent] :], parent)
            elif parent not in done:
                places[parent] = len(path)
                path.append(parent)
                waiting.append(iter(parents.get(parent, ())))


def cycle_notes(parents: Mapping[str, Sequence[str]], most: int = 5) -> Iterator[str]:
    """One line for each of the first cycles."""
    for number, cycle in enumerate(cycles(parents)):
        if number == most:
            yield "there are more cycles of is_a"
            return
        yield f"a cycle of is_a was read as it stands: {' -> '.join(cycle)}"
