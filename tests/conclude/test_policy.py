"""The policy releases a sentence whole or not at all, and says which statement stopped it; two published scores."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.answering.conclude.policy import UNSUPPORTED, release
from medground.answering.verify.rationale import faithfulness, quoted_share, support_score
from medground.home.settings_groups import VerifySettings
from medground.language.statements import statements
from medground.values.evidence import Sentence, by_sentence
from medground.values.statement import Category, Label, Verdict

FLAG, DROP = VerifySettings(unsupported="flag"), VerifySettings(unsupported="drop")
TWO = "Stroke fell; bleeding rose."
WRITTEN = (Sentence(text=f"{TWO} Death was rare.", evidence=("E1",)),)


def verdicts(*labels: Label, note: str = "") -> list[Verdict]:
    return [Verdict(label=label, critic="c", note=note) for label in labels]


@each_row("label", UNSUPPORTED)
def test_an_unsupported_statement_is_flagged_or_drops_its_sentence(label: Label) -> None:
    cut = statements(WRITTEN, [])
    found = verdicts(label, "supported", "quoted", note="why")
    kept, dropped = release(cut, found, FLAG)
    assert ([s for s, _ in kept], dropped) == (list(cut), [])
    kept, dropped = release(cut, found, DROP)
    assert [s.text for s, _ in kept] == ["Death was rare."]
    assert dropped[0].reason == f"“Stroke fell;” is {label}: why"


def test_uncited_sentences_are_released_only_by_design() -> None:
    bare = statements([Sentence(text="Stroke fell.", evidence=())], [])
    kept, dropped = release(bare, verdicts("not judged"), FLAG)
    assert kept == []
    assert dropped[0].reason.startswith("not judged: it cites no evidence; --set verify.own_knowledge=mark")
    assert release(bare, verdicts("not judged"), FLAG, uncited=True)[1] == []


MARK = VerifySettings(own_knowledge="mark")


def test_own_knowledge_is_shown_marked_if_a_setting_says_so() -> None:
    bare = statements([Sentence(text="Stroke fell; bleeding rose.", evidence=())], [])
    kept, dropped = release(bare, verdicts("not found", "not judged"), MARK)
    assert dropped == []
    assert [(v.flags, v.note) for _, v in kept] == [
        (("own knowledge",), "the model's own knowledge, not from the evidence")
    ] * 2
    assert release(bare, verdicts("contradicted", "not judged"), MARK)[0] == []
    strict = VerifySettings(own_knowledge="mark", unsupported="drop")
    assert release(bare, verdicts("not found", "not judged"), strict)[0] == []


def test_own_knowledge_that_the_context_supports_cites_it() -> None:
    bare = statements([Sentence(text="Stroke fell.", evidence=())], [])
    found = Verdict(label="supported", critic="c", best="E7")
    assert release(bare, [found], MARK)[0] == [(Sentence(text="Stroke fell.", evidence=("E7",)), found)]


@given(st.lists(st.sampled_from(get_args(Label)), min_size=6, max_size=6), st.sampled_from([FLAG, DROP]))
def test_sentences_are_released_whole_and_in_order(labels: list[Label], settings: VerifySettings) -> None:
    cut = statements(WRITTEN * 2, [])
    kept, dropped = release(cut, verdicts(*labels), settings)
    whole = [group[0].whole.text for group in by_sentence(cut)]
    left = [group[0].whole.text for group in by_sentence([s for s, _ in kept])]
    assert len(left) + len(dropped) == len(whole)
    assert all(len(group) == (2 if group[0].within else 1) for group in by_sentence([s for s, _ in kept]))
    assert not any(v.label == "contradicted" for _, v in kept)


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
