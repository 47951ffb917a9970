"""The two published scores: the share of supported statements, and the share with a CORRECT label."""

from __future__ import annotations

import pytest

from medground.answer import Category, Label, Verdict
from medground.settings import VerifySettings
from medground.verify.scores import faithfulness, support_score


def by(critic: str, *labels: Label) -> list[Verdict]:
    return [Verdict(label=label, critic=critic) for label in labels]


@pytest.mark.parametrize(
    ("labels", "score"),
    [
        (["supported", "quoted", "supported"], 1.0),
        (["supported", "partly", "not found", "contradicted"], 0.25),
        (["unverified", "unverified"], 0.0),
        (["supported", "related"], 0.5),
        (["supported", "not judged"], None),
        ([], None),
    ],
)
def test_support_is_the_share_of_supported_statements(labels: list[Label], score: float | None) -> None:
    trusted = VerifySettings(trusted_judges=("nli:proven",))
    assert support_score(by("nli:proven", *labels), trusted) == score


def test_related_text_is_no_verdict_of_one_that_may_not_judge() -> None:
    assert support_score(by("keyless", "quoted", "related")) is None
    assert support_score([*by("verbatim", "quoted", "quoted"), *by("keyless", "not found")]) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("categories", "score"),
    [
        (["CORRECT-EXPLICIT", "CORRECT-IMPLICIT", "CORRECT-ADDITIONAL", "CORRECT-MISSING"], 1.0),
        (["CORRECT-EXPLICIT", "INCORRECT-FALSE", "INCORRECT-MISSING", "INCORRECT-DEVIATING"], 0.25),
        (["CORRECT-EXPLICIT", None], 0.5),
        ([None, None], None),
        ([], None),
    ],
)
def test_faithfulness_is_the_share_of_correct_labels(categories: list[Category | None], score: float | None) -> None:
    assert faithfulness([Verdict(label="not judged", critic="c", category=c) for c in categories]) == score
