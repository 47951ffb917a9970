"""A pool being built: a plan and one line per finished question, so that a stopped build can resume."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import ValidationError

from medground.answer import SnapshotReference
from medground.corpus.faults import writing
from medground.document import Frozen
from medground.durable import write_whole
from medground.errors import UsageError
from medground.train.demonstrations.pool import PoolManifest, Solved, manifest_path


class Plan(Frozen):
    """Everything that determines the result of a build. Steps of a different plan are not reused."""

    source_sha256: str
    seed: int
    settings_hash: str
    snapshots: tuple[SnapshotReference, ...]
    embedding: str


class Step(Frozen):
    """One finished question: solved, or left out for a reason."""

    id: str
    solved: Solved | None = None
    left_out: str = ""


@contextlib.contextmanager
def locked(file: Path) -> Iterator[None]:
    """Lock a pool, so that only one process at a time builds it.

    Raises:
        UsageError: another process is building it.
        StorageFailed: the disk is full or cannot be written to.
    """
    with writing(file.parent):
        file.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(file.with_name(f".{file.name}.lock"), timeout=0)
        try:
            lock.acquire()
        except Timeout:
            raise UsageError(
                f"the pool {file.stem} is being built by another process; wait for it or stop it"
            ) from None
    try:
        yield
    finally:
        lock.release()


class Unfinished:
    """The finished steps, stored in `NAME.partial` next to the pool. Steps of a different plan are discarded."""

    def __init__(self, file: Path, plan: Plan) -> None:
        self._file = file
        self._partial = file.with_suffix(".partial")
        self.steps = list(_steps(self._partial, plan))
        head = [plan.model_dump_json(), *(step.model_dump_json() for step in self.steps)]
        _replace(self._partial, "\n".join(head) + "\n")  # drops the half line that a killed build may have left

    def add(self, steps: Sequence[Step]) -> None:
        """Save finished steps.

        Raises:
            StorageFailed: the disk is full or cannot be written to.
        """
        with writing(self._partial.parent), self._partial.open("a", encoding="utf-8") as lines:
            lines.writelines(step.model_dump_json() + "\n" for step in steps)
            lines.flush()
            os.fsync(lines.fileno())
        self.steps += steps

    def finish(self, solved: Sequence[Solved], manifest: PoolManifest) -> PoolManifest:
        """Write the pool, replacing any of the same name, and delete the steps.

        Raises:
            StorageFailed: the disk is full or cannot be written to.
        """
        content = "".join(one.model_dump_json() + "\n" for one in solved)
        whole = manifest.model_copy(update={"sha256": hashlib.sha256(content.encode()).hexdigest()})
        _replace(self._file, content)
        _replace(manifest_path(self._file), whole.model_dump_json(indent=1) + "\n")
        with writing(self._partial.parent):
            self._partial.unlink()
        return whole


def _steps(partial: Path, plan: Plan) -> Iterator[Step]:
    with contextlib.suppress(FileNotFoundError, UnicodeDecodeError, ValidationError):
        # `splitlines` would also split at U+2028 within a text.
        first, *lines = partial.read_text(encoding="utf-8").rstrip("\n").split("\n")
        if Plan.model_validate_json(first) == plan:
            yield from map(Step.model_validate_json, lines)


def _replace(path: Path, content: str) -> None:
    with writing(path.parent):
        write_whole(path, content)
