"""The baseline of a check: findings that were accepted, in a file, so that only new ones fail."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from medground.errors import UsageError
from medground.values.document import Frozen
from medground.values.finding import Finding, FindingKind


class Accepted(Frozen):
    """A finding that was accepted: of this kind, on this sentence, wherever it stands in the file."""

    file: str
    kind: FindingKind
    sentence: str

    @classmethod
    def of(cls, finding: Finding) -> Accepted:
        """A finding as a baseline has it, with one space between words: a line that is wrapped anew stays accepted."""
        return cls(file=finding.file, kind=finding.kind, sentence=" ".join(finding.sentence.split()))


_FILE = TypeAdapter(tuple[Accepted, ...])


def read_baseline(path: Path) -> frozenset[Accepted]:
    """The findings that a file accepts. Raises UsageError: it cannot be read, or is no baseline."""
    try:
        return frozenset(_FILE.validate_json(path.read_bytes()))
    except OSError as error:
        raise UsageError(
            f"cannot read {path}: {error.strerror}; make it [[with --write-baseline|first|first]]"
        ) from None
    except ValidationError:
        raise UsageError(f"{path} is not a baseline; make it again[[ with --write-baseline||]]") from None


def as_baseline(findings: Iterable[Finding]) -> bytes:
    """The file that accepts some findings."""
    return _FILE.dump_json(tuple(dict.fromkeys(map(Accepted.of, findings))), indent=2) + b"\n"
