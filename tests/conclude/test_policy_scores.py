"""The two published scores: the share of supported statements, and the share with a CORRECT label."""

from __future__ import annotations

import pytest
from rows import each_row

from medground.answering.verify.rationale import faithfulness, quoted_share, support_score
from medground.home.settings_groups import VerifySettings
from medground.values.statement import Category, Label, Verdict


def by(critic: str, *labels: Label) -> list[Verdict]:
    return [Verdict(label=label, critic=critic) for label in labels]


@each_row(
    ("labels", "score"),
    [
        (["supported", "quoted", "supported"], 1.0),
        (["supported", "partly", "not found", "contradicted"], 0.25),
        (["unverified", "unverified"], None),
        (["supported", "unverified"], 0.5),
        (["supported", "related"], 0.5),
        (["supported", "not judged"], None),
        ([], None),
    ],
)
def test_support_is_the_share_of_supported_statements(labels: list[Label], score: float | None) -> None:
    trusted = VerifySettings(trusted_judges=("nli:proven",))
    assert support_score(by("nli:proven", *labels), trusted) == score


def test_comparisons_of_words_and_ids_do_not_judge() -> None:
    assert support_score(by("keyless", "quoted", "related")) is None
    assert support_score([*by("verbatim", "quoted", "quoted"), *by("keyless", "not found")]) is None
    assert support_score(by("citation", "not found")) is None
    assert support_score([*by("verbatim", "quoted"), *by("graph", "supported", "not found")]) == pytest.approx(2 / 3)


def test_a_quote_without_a_finding_supports_nothing() -> None:
    asks = Verdict(label="quoted", critic="verbatim", flags=("purpose",))
    assert support_score([asks, *by("graph", "supported")]) == 0.5


def test_the_share_of_quotes_is_not_a_score() -> None:
    assert quoted_share([*by("verbatim", "quoted"), *by("keyless", "related")]) == 0.5
    assert quoted_share([]) is None


@each_row(
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
    verdicts = [Verdict(label="not judged", critic="c", category=c, labelled_by="m" if c else "") for c in categories]
    assert faithfulness(verdicts) == score


def test_labels_by_word_statistics_give_no_faithfulness() -> None:
    label: Category = "CORRECT-EXPLICIT"
    quote = Verdict(label="quoted", critic="verbatim", category=label, labelled_by="keyless")
    stored = Verdict(label="supported", critic="graph", category=label, labelled_by="keyless")
    assert faithfulness([quote, quote]) is None
    assert faithfulness([quote, stored]) == 1.0
    assert faithfulness([quote, Verdict(label="supported", critic="m")]) is None
