"""A pool being built: a plan and one line per finished question, so that a stopped build can resume."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from medground.answer import SnapshotReference
from medground.corpus.faults import writing
from medground.document import Frozen
from medground.durable import write_whole
from medground.line_file import LineFile
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


class Unfinished(LineFile):
    """The finished steps, stored in `NAME.partial` next to the pool. Steps of a different plan are discarded.

    Use it as a context manager; only one process at a time builds a pool.

    Raises:
        UsageError: another process is building it.
        StorageFailed: the disk is full or cannot be written to.
    """

    what = "an unfinished pool"

    def __init__(self, file: Path, plan: Plan) -> None:
        super().__init__(file.with_suffix(".partial"))
        self._pool = file
        self.steps: list[Step] = []
        with contextlib.suppress(ValidationError, ValueError):
            first, *lines = [raw for _, raw in self.whole_lines()]
            if Plan.model_validate_json(first) == plan:
                self.steps += map(Step.model_validate_json, lines)
                return
        self.clear()
        self.write(plan)

    def add(self, steps: Sequence[Step]) -> None:
        """Save finished steps.

        Raises:
            StorageFailed: the disk is full or cannot be written to.
        """
        for step in steps:
            self.write(step)
        self.steps += steps

    def finish(self, solved: Sequence[Solved], manifest: PoolManifest) -> PoolManifest:
        """Write the pool, replacing any of the same name, and delete the steps.

        Raises:
            StorageFailed: the disk is full or cannot be written to.
        """
        content = "".join(one.model_dump_json() + "\n" for one in solved)
        finished = manifest.model_copy(update={"sha256": hashlib.sha256(content.encode()).hexdigest()})
        with writing(self.path.parent):
            write_whole(self._pool, content)
            write_whole(manifest_path(self._pool), finished.model_dump_json(indent=1) + "\n")
            self.close()
            self.path.unlink()
        return finished
