"""The package of evaluation joins by entry points, and `medground` does without it."""

from importlib.metadata import PackageNotFoundError

import pytest

from medground.corpus.readers import all_readers
from medground.faces import notebook
from medground.home import registry


def test_what_joins_is_there_and_medground_does_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = ("commands", "operators", "page", "readers", "notebook")
    joined = {group: registry.joining(f"medground.{group}") for group in groups}
    assert {*joined["commands"]} == {"agreement", "data", "demonstrations", "eval", "experiment", "judge", "train"}
    assert [*all_readers()][-7:] == ["beir", "bioasq", "biomedmcqs", "covidqa", "medquad", "pubmedqa", "scifact"]
    assert all(point.load() for points in joined.values() for point in points.values())
    assert all(point.load().name == name for name, point in joined["operators"].items())
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        notebook.nothing  # noqa: B018

    def missing(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(registry, "distribution", missing)
    assert registry.joining("medground.commands") == {}
