"""What counts as supported for the loop alone."""

from __future__ import annotations

from typing import Any

import pytest
from rows import each_row

from medground.answering.verify.critic import Judgement
from medground.answering.verify.verdicts import Checked
from medground.recipes.self_medrag.rounds import failed, holds, steering_score
from medground.values.statement import Verdict


def judged(relation: Any, critic: str = "nli:some", label: Any = "not judged", **more: Any) -> Checked:
    return Checked(Verdict(label=label, critic=critic), Judgement(relation, best="E1", **more))


QUOTED = Checked(Verdict(label="quoted", critic="verbatim"))
FAILED = judged("failed", label="unverified")


@each_row(
    ("checked", "expected"),
    [
        (QUOTED, True),
        (Checked(Verdict(label="supported", critic="graph")), True),
        (Checked(Verdict(label="not found", critic="citation")), False),
        (judged("entails"), True),
        (judged("entails", entailment=0.5), True),
        (judged("entails", entailment=0.49), False),
        (judged("contradicts", entailment=0.9), False),
        (judged("neutral"), False),
        (judged("related", critic="keyless", label="related"), True),
        (judged("related", critic="keyless", label="related", flags=("number",)), False),
        (judged("related", critic="nli:some", label="related"), False),
        (FAILED, False),
    ],
)
def test_what_counts_as_supported_for_the_loop(checked: Checked, expected: bool) -> None:
    assert holds(checked, 0.5) is expected


def test_the_score_is_a_share_or_none_if_every_judgement_failed() -> None:
    assert steering_score([QUOTED, judged("neutral"), FAILED], 0.5) == pytest.approx(1 / 3)
    assert steering_score([FAILED, FAILED], 0.5) is None
    assert steering_score([], 0.5) is None
    assert failed(FAILED)
    assert not failed(judged("neutral"))
