"""Random faults in commands that write: after each the old state or the new is there, and the command can be repeated.

    MODELS_FOR_TESTS=~/.medground/models python benchmarks/faults.py [--count 200] [--first 0] [--out faults.jsonl]

Each fault is drawn from its number: a command (build, add, sync and remove of a corpus, adding vectors, building a
knowledge base and a graph, a run of questions), a change of a file or a name in it, and what happens there: the process
is killed in the middle of a write; the disk is full from there on, or once; a sync fails; or the power fails, and of
all that was not synced a random part is lost. Then the files are verified and searched, and compared with the state
before the command and with that of a command that nothing disturbed; the same command is run again and compared too.

`failing_files.c` makes the faults. Without MiniLM its job is left out. With --out, faults that are in the
file are not repeated.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from failing_files import Fault, compiled, run
from fault_jobs import JOBS, MODELS, command, left, prepare, restore, seen
from power import Disk

from medground.errors import MedgroundError

KINDS = ("kill", "full", "once", "sync", "cut")
SHARES = (0.0, 0.5, 1.0)
ADVICE = ("StorageFailed:", "medground: ")


@dataclass
class Result:
    """What became of a fault. `what` is old, new, mixed (each part one of the two) or neither."""

    number: int
    job: str
    fault: dict[str, Any]
    code: int
    what: str
    why: str = ""
    lost: int = 0
    doubled: int = 0
    again: str = ""


class Setting:
    """A job with the state before it and after it, in a folder of its own."""

    def __init__(self, job: str, folder: Path, layer: Path) -> None:
        self.job, self.layer = job, layer
        self._start, self._home, self._inputs = folder / "start", folder / "home", folder / "inputs"
        prepare(job, self._home, self._inputs)
        self._home.rename(self._start)
        restore(self._start, self._home)
        self.old = seen(self._home)
        ended = run(layer, command(job, self._home, self._inputs), self._home)
        if ended.code:
            raise SystemExit(f"{job}: {ended.errors}")
        self.changes = ended.changes
        self.new = seen(self._home)

    def disturbed(self, number: int, fault: Fault) -> Result:
        """Run the job with a fault, look, and run it again without."""
        restore(self._start, self._home)
        line = command(self.job, self._home, self._inputs)
        ended = run(self.layer, line, self._home, fault)
        result = Result(number, self.job, asdict(fault), ended.code, "")
        if ended.code > 0 and (told := _badly_told(ended.errors)):
            result.why = f"told: {told}"
        self._look(result)
        again = subprocess.run(line, capture_output=True, text=True)
        try:
            now = seen(self._home)
            mine, new = _comparable(now), _comparable(self.new)
            other = [*left(self._home), *(part for part in mine | new if mine.get(part) != new.get(part))]
            result.again = f"differs: {other}" if other else "same"
            result.lost += len(_ids(self.new) - _ids(now))
            result.doubled += _doubled(now)
            if again.returncode and not (self.job == "remove" and "no corpus" in again.stderr):
                result.again = f"failed: {again.stderr[-300:]}"
        except (MedgroundError, OSError) as error:
            result.again = f"{type(error).__name__}: {error} after {again.stderr[-200:]}"
        return result

    def _look(self, result: Result) -> None:
        try:
            now = seen(self._home)
        except (MedgroundError, OSError) as error:
            result.what, result.why = "neither", f"{type(error).__name__}: {error}; {result.why}"
            return
        result.doubled = _doubled(now)
        # Lines that were there are never lost; of the new ones, any may be there.
        result.lost = len(_ids(self.old) - _ids(now))
        parts = self.old.keys() | self.new.keys() | now.keys()
        states = {part: _state(part, self.old.get(part), self.new.get(part), now.get(part)) for part in parts}
        kinds = set(states.values()) - {"both"}
        result.what = "neither" if "neither" in kinds else "mixed" if len(kinds) > 1 else (kinds or {"old"}).pop()
        if result.what == "neither":
            result.why += str([part for part, state in states.items() if state == "neither"])


def _badly_told(errors: str) -> str:
    """What a failed command said, unless its last line is one of ours and nothing else is a traceback."""
    last = (errors.strip().splitlines() or [""])[-1]
    return "" if last.startswith(ADVICE) and "Traceback" not in errors else errors[-300:]


def _state(part: str, old: Any, new: Any, now: Any) -> str:
    if part == "run" and now is not None and old is not None and new is not None:
        if now[: len(old)] == old and all(line in new for line in now):
            return "new" if len(now) == len(new) else "old"
        return "neither"
    if old == new == now:
        return "both"
    return "old" if now == old else "new" if now == new else "neither"


def _comparable(state: Mapping[str, Any]) -> dict[str, Any]:
    return {part: sorted(content) if part == "run" else content for part, content in state.items()}


def _ids(state: Mapping[str, Any]) -> set[str]:
    """Ids of the lines of a run."""
    return {line[0] for line in state.get("run", ())}


def _doubled(state: Mapping[str, Any]) -> int:
    counts = Counter(line[0] for line in state.get("run", ()))
    return sum(count - 1 for count in counts.values())


def drawn(number: int, changes: Mapping[str, int]) -> tuple[str, Fault]:
    """The fault of a number."""
    dice = random.Random(number)
    job, kind = dice.choice(list(changes)), KINDS[number % len(KINDS)]
    at = dice.randint(1, changes[job])
    return job, Fault(kind, at, names=dice.choice(SHARES), content=dice.choice(SHARES), seed=number)


def table(results: Sequence[Result]) -> Iterator[str]:
    """How many faults of each kind in each command ended how."""
    head = ("fault", "command", "faults", "old", "new", "mixed", "neither", "again the same", "lost", "doubled")
    yield " | ".join(head)
    groups = sorted({(one.fault["kind"], one.job) for one in results})
    for kind, job in groups:
        some = [one for one in results if (one.fault["kind"], one.job) == (kind, job)]
        yield " | ".join([kind, job, *_figures(some)])
    for kind in KINDS:
        yield " | ".join([kind, "all", *_figures([one for one in results if one.fault["kind"] == kind])])
    yield " | ".join(["all", "all", *_figures(results)])


def _figures(some: Sequence[Result]) -> list[str]:
    counts = Counter(one.what for one in some)
    figures = [len(some), *(counts[what] for what in ("old", "new", "mixed", "neither"))]
    figures += [sum(one.again == "same" for one in some)]
    return [str(figure) for figure in [*figures, sum(r.lost for r in some), sum(r.doubled for r in some)]]


def _check_layer(layer: Path, folder: Path) -> None:
    """Made again from the notes alone, every file that Python, SQLite, Tantivy and FAISS wrote is as it is."""
    home = folder / "home"
    home.mkdir(parents=True)
    disk = Disk(home)
    run(layer, command("build", home, folder), home)
    before = {path.relative_to(home): path.read_bytes() for path in home.rglob("*") if path.is_file()}
    disk.follow(layer.with_name("changes.log"))
    disk.cut(names=1, content=1, seed=0)
    again = {path.relative_to(home): path.read_bytes() for path in home.rglob("*") if path.is_file()}
    disk.cut(names=0, content=0, seed=0)  # what was published is synced: without anything that was not, it is there
    if again != before or list(seen(home)) != ["corpus c"]:
        raise SystemExit("the layer does not see every change of a file")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--jobs", nargs="*", default=list(JOBS))
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), choices=KINDS)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    jobs = [job for job in options.jobs if os.environ.get(MODELS) or job != "embed"]
    kept = options.out.read_text().splitlines() if options.out and options.out.exists() else []
    results = [Result(**json.loads(line)) for line in kept]
    done = {one.number for one in results}
    with tempfile.TemporaryDirectory(prefix="medground-faults-") as scratch:
        layer = compiled(Path(scratch))
        _check_layer(layer, Path(scratch, "layer"))
        settings = {job: Setting(job, Path(scratch, job.replace(" ", "-")), layer) for job in jobs}
        changes = {job: setting.changes for job, setting in settings.items()}
        print("changes of files and names:", changes, flush=True)
        for number in range(options.first, options.first + options.count):
            job, fault = drawn(number, changes)
            if number in done or fault.kind not in options.kinds:
                continue
            result = settings[job].disturbed(number, fault)
            results.append(result)
            if options.out:
                with options.out.open("a") as file:
                    file.write(json.dumps(asdict(result)) + "\n")
            if result.what == "neither" or result.again != "same" or result.why or result.lost or result.doubled:
                print(result, flush=True)
    print(*table(results), sep="\n")
    if any(one.what == "neither" or one.again != "same" or one.lost or one.doubled for one in results):
        sys.exit(1)


if __name__ == "__main__":
    main()
