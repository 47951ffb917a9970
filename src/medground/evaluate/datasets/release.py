"""Whether a file is the release of a set that its loader was written for."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from medground.errors import UsageError
from medground.evaluate.base import DataSetInfo

FIELD = "dataset_hash"


def release_problem(info: DataSetInfo, path: Path, digest: str) -> str:
    """What is wrong with the file's hash; empty if it is a known release, or none is known for that file name."""
    name = path.name.removesuffix(".gz")
    known = info.hashes.get(name)
    if known is None or digest in known:
        return ""
    return f"{name} has the hash {digest[:12]}, but the known release of {info.name} has {known[0][:12]}"


def check_release(info: DataSetInfo, path: Path, digest: str, accept: Collection[str]) -> str:
    """The problem that the user accepts; empty if there is none.

    Raises:
        UsageError: the file is not the known release, and `accept` does not include `dataset_hash`.
    """
    problem = release_problem(info, path, digest)
    if problem and FIELD not in accept:
        raise UsageError(f"{problem}; get it from its owner again, or use it as it is with --accept {FIELD}")
    return problem
