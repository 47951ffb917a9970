"""Agreement of annotators: kappa by hand and against scikit-learn, per label and context, and invalid files."""

import json
import tomllib
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from command_line import run
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row
from sklearn.metrics import cohen_kappa_score, precision_recall_fscore_support

from medground.errors import UsageError
from medground.values.statement import Category
from medground_evaluate.agreement import Annotation, agreements, faithfulness_by_item, in_words, kappa, read_annotations

TABLES = tomllib.loads(Path(__file__).with_name("tables.toml").read_text(encoding="utf-8"))

EXPLICIT, IMPLICIT, FALSE = "CORRECT-EXPLICIT", "CORRECT-IMPLICIT", "INCORRECT-FALSE"
LABELS = st.sampled_from(get_args(Category))


def rows(annotator: str, labels: list[str], context: int = 1, item: str = "q1") -> list[dict[str, Any]]:
    known = {"item": item, "annotator": annotator, "context": context}
    return [known | {"statement": n, "label": label} for n, label in enumerate(labels)]


def annotations(*given: list[dict[str, Any]]) -> list[Annotation]:
    return [Annotation.model_validate(row) for some in given for row in some]


def written(path: Path, *given: list[dict[str, Any]]) -> Path:
    path.write_text("\n".join(json.dumps(row) for some in given for row in some), encoding="utf-8")
    return path


@given(st.lists(st.tuples(LABELS, LABELS), min_size=2, max_size=60))
def test_the_same_numbers_as_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    ours = kappa(first, second)
    if ours is None:
        assert set(first) == set(second)
    else:
        assert ours == pytest.approx(cohen_kappa_score(first, second))
        assert ours == pytest.approx(kappa(second, first))
    both = [rows("a", first), rows("b", second)]
    (found,) = agreements(annotations(*both))
    labels = [score.label for score in found.labels]
    theirs = precision_recall_fscore_support(first, second, labels=labels, zero_division=0)
    mine = [(score.precision or 0, score.recall or 0, score.f1, score.gold) for score in found.labels]
    assert pytest.approx(np.array(theirs)) == np.array(mine).T


def test_kappa_at_its_ends_and_the_words_of_landis_and_koch() -> None:
    assert [kappa(["x", "x", "y", "y"], list(other)) for other in ("xxyy", "yyxx", "xyxy")] == [1, -1, 0]
    assert kappa(["x", "x"], ["x", "x"]) is None
    for lists in (([], []), (["x"], [])):
        with pytest.raises(UsageError, match="two labels per statement"):
            kappa(*lists)
    words = {-0.1: "poor", 0.0: "slight", 0.2: "slight", 0.21: "fair", 0.41: "moderate", 0.61: "substantial"}
    words |= {0.81: "almost perfect", 1.0: "almost perfect"}
    assert {value: in_words(value) for value in words} == words
    assert in_words(None) == "undefined: one label only"


def test_every_pair_under_every_context_and_over_all() -> None:
    given = annotations(
        rows("A", [EXPLICIT, FALSE]),
        rows("B", [EXPLICIT, FALSE]),
        rows("A", [EXPLICIT, FALSE, FALSE], context=5),
        rows("B", [EXPLICIT, IMPLICIT, FALSE], context=5),
        rows("gpt", [IMPLICIT, FALSE]),
        rows("gpt", [EXPLICIT, FALSE, FALSE], context=5),
    )
    found = agreements(given)
    assert len(found) == 9 and {(a.reference, a.other) for a in found[:3]} == {("A", "B")}
    assert [(a.context, a.statements) for a in found[:3]] == [(1, 2), (5, 3), (None, 5)]
    assert (found[0].kappa, found[1].observed, found[1].binary) == pytest.approx((1, 2 / 3, 0.4))
    against = agreements(given, reference="gpt")
    assert {(a.reference, a.other) for a in against} == {("gpt", "A"), ("gpt", "B")}

    given = annotations(rows("A", [EXPLICIT, IMPLICIT, FALSE, "CORRECT-MISSING"]), rows("B", [FALSE]))
    assert faithfulness_by_item(given) == {("q1", 1, "A"): 0.75, ("q1", 1, "B"): 0.0}


@each_row(("line", "message"), TABLES["annotations"])
def test_an_invalid_file_is_a_one_line_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, message: str
) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(line, encoding="utf-8")
    assert run("agreement", str(file)) == 2
    shown = capsys.readouterr().err
    assert message in shown and "a.jsonl" in shown and shown.count("\n") == 1


@each_row(
    ("given", "message"),
    [
        ([rows("A", [EXPLICIT])], "two annotators; found A"),
        ([rows("A", [EXPLICIT, FALSE]), rows("B", [EXPLICIT])], "B has no label for statement 1 of q1 under CONTEXT-1"),
        ([rows("A", [EXPLICIT]), rows("B", [EXPLICIT], item="q2")], "label the same statements in both"),
        ([rows("A", [EXPLICIT]), rows("B", [EXPLICIT], context=2)], "under CONTEXT-1"),
        ([rows("A", [EXPLICIT]), rows("A", [FALSE]), rows("B", [FALSE])], "2 times"),
    ],
)
def test_unequal_items_are_refused(tmp_path: Path, given: list[Any], message: str) -> None:
    file = written(tmp_path / "a.jsonl", *given)
    with pytest.raises(UsageError, match=message):
        agreements(read_annotations([file]))


def test_the_command_compares_two_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = written(tmp_path / "one.jsonl", rows("Ann", [EXPLICIT, FALSE, FALSE, EXPLICIT]))
    two = written(tmp_path / "two.jsonl", rows("nli:small", [EXPLICIT, FALSE, IMPLICIT, EXPLICIT]))
    assert run("agreement", str(one), str(two)) == 0
    shown = capsys.readouterr().out
    assert "Ann and nli:small, CONTEXT-1, 4 statements" in shown
    assert "kappa 0.60 (moderate), same labels 75.0%" in shown
    assert "q1, CONTEXT-1, nli:small: 0.75" in shown
    assert run("agreement", str(one), str(two), "--json", "--reference", "nli:small") == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["reference"], round(row["kappa"], 2), row["labels"][0]["f1"]) == ("nli:small", 0.6, 1.0)
    assert run("agreement", str(one), str(two), "--reference", "Bob")
    assert "no annotator is called 'Bob'" in capsys.readouterr().err
