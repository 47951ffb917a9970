"""What counts as supported for the loop alone."""

from __future__ import annotations

from typing import Any

import pytest

from medground.answer import Verdict
from medground.plan.steer import failed, holds, steering_score
from medground.verify.checked import Checked
from medground.verify.critics.base import Judgement


def said(relation: Any, critic: str = "nli:some", label: Any = "not judged", **more: Any) -> Checked:
    return Checked(Verdict(label=label, critic=critic), Judgement(relation, best="E1", **more))


QUOTED = Checked(Verdict(label="quoted", critic="verbatim"))
FAILED = said("failed", label="unverified")


@pytest.mark.parametrize(
    ("checked", "expected"),
    [
        (QUOTED, True),
        (Checked(Verdict(label="supported", critic="graph")), True),
        (Checked(Verdict(label="not found", critic="citation")), False),
        (said("entails"), True),
        (said("entails", entailment=0.5), True),
        (said("entails", entailment=0.49), False),
        (said("contradicts", entailment=0.9), False),
        (said("neutral"), False),
        (said("related", critic="keyless", label="related"), True),
        (said("related", critic="keyless", label="related", flags=("number",)), False),
        (said("related", critic="nli:some", label="related"), False),
        (FAILED, False),
    ],
)
def test_who_holds_for_the_loop(checked: Checked, expected: bool) -> None:
    assert holds(checked, 0.5) is expected


def test_the_score_is_a_share_and_a_critic_that_failed_altogether_gives_none() -> None:
    assert steering_score([QUOTED, said("neutral"), FAILED], 0.5) == pytest.approx(1 / 3)
    assert steering_score([FAILED, FAILED], 0.5) is None
    assert steering_score([], 0.5) is None
    assert failed(FAILED)
    assert not failed(said("neutral"))
