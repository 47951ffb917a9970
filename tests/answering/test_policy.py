"""The policy releases a sentence whole or not at all, and says which statement stopped it; two published scores."""

from collections.abc import Callable, Sequence
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import each_row, tables

from medground.answering.conclude.policy import UNSUPPORTED, release
from medground.answering.run import Run
from medground.answering.verify.rationale import faithfulness, find_conflicts, quoted_share, support_score
from medground.answering.write.draft import statements
from medground.home.settings_groups import VerifySettings
from medground.values.document import Document
from medground.values.evidence import Sentence, Stance, by_sentence
from medground.values.statement import Category, Conflict, Label, Verdict

TABLES = tables(__file__)

FLAG, DROP = VerifySettings(unsupported="flag"), VerifySettings(unsupported="drop")
TWO = "Stroke fell; bleeding rose."
WRITTEN = (Sentence(text=f"{TWO} Death was rare.", evidence=("E1",)),)


def by(critic: str, *labels: Label, note: str = "") -> list[Verdict]:
    return [Verdict(label=label, critic=critic, note=note) for label in labels]


def verdicts(*labels: Label, note: str = "") -> list[Verdict]:
    return by("c", *labels, note=note)


@each_row("label", UNSUPPORTED)
def test_an_unsupported_statement_is_flagged_or_drops_its_sentence(label: Label) -> None:
    cut = statements(WRITTEN, [])
    found = verdicts(label, "supported", "quoted", note="why")
    kept, dropped = release(cut, found, FLAG)
    assert ([s for s, _ in kept], dropped) == (list(cut), [])
    kept, dropped = release(cut, found, DROP)
    assert [s.text for s, _ in kept] == ["Death was rare."]
    assert dropped[0].reason == f"“Stroke fell;” is {label}: why"


MARK = VerifySettings(own_knowledge="mark")


def test_uncited_sentences_are_released_by_design_or_marked_as_own_knowledge_if_a_setting_says_so() -> None:
    bare = statements([Sentence(text="Stroke fell; bleeding rose.", evidence=())], [])
    found = verdicts("not found", "not judged")
    kept, dropped = release(bare, found, FLAG)
    assert kept == []
    assert "it cites no evidence; the setting verify.own_knowledge=mark" in dropped[0].reason
    assert release(bare, found, FLAG, uncited=True)[1] == []
    kept, dropped = release(bare, found, MARK)
    assert dropped == []
    own = (("own knowledge",), "the model's own knowledge, not from the evidence")
    assert [(v.flags, v.note) for _, v in kept] == [own] * 2
    assert release(bare, verdicts("contradicted", "not judged"), MARK)[0] == []
    assert release(bare, found, VerifySettings(own_knowledge="mark", unsupported="drop"))[0] == []
    alone = [Sentence(text="Stroke fell.", evidence=())]  # what the context supports cites it
    best = Verdict(label="supported", critic="c", best="E7")
    assert release(alone, [best], MARK)[0] == [(Sentence(text="Stroke fell.", evidence=("E7",)), best)]


@given(st.lists(st.sampled_from(get_args(Label)), min_size=6, max_size=6), st.sampled_from([FLAG, DROP]))
def test_sentences_are_released_whole_and_in_order(labels: list[Label], settings: VerifySettings) -> None:
    cut = statements(WRITTEN * 2, [])
    kept, dropped = release(cut, verdicts(*labels), settings)
    whole = [group[0].whole.text for group in by_sentence(cut)]
    left = [group[0].whole.text for group in by_sentence([s for s, _ in kept])]
    assert len(left) + len(dropped) == len(whole)
    assert all(len(group) == (2 if group[0].within else 1) for group in by_sentence([s for s, _ in kept]))
    assert not any(v.label == "contradicted" for _, v in kept)


@each_row(
    ("labels", "score"),
    [
        (["supported", "quoted", "supported"], 1.0),
        (["supported", "partly", "not found", "contradicted"], 0.25),
        (["supported", "unverified"], 0.5),
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
    asks = Verdict(label="quoted", critic="verbatim", flags=("purpose",))  # a quote without a finding
    assert support_score([asks, *by("graph", "supported")]) == 0.5
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
    quote = Verdict(label="quoted", critic="verbatim", category="CORRECT-EXPLICIT", labelled_by="keyless")
    stored = quote.model_copy(update={"label": "supported", "critic": "graph"})
    assert (faithfulness([quote, quote]), faithfulness([quote, stored])) == (None, 1.0), "word statistics give no score"


MakeRun = Callable[..., Run]
QUESTION = "Does aspirin reduce the risk of stroke?"


def conflicts(
    run: Run, quotes: Sequence[tuple[str, str, Stance]], reader: str | None = None, **document: Any
) -> list[Conflict]:
    """The conflicts among quotes given as (document id, text, stance); `document` changes the last document."""
    texts: dict[str, list[tuple[str, Stance]]] = {}
    for name, text, stance in quotes:
        texts.setdefault(name, []).append((text, stance))
    for name, said in texts.items():
        more = document if name == quotes[-1][0] else {}
        run.ledger.admit([Document(id=name, text=" ".join(t for t, _ in said), **more)])
        at = 0
        for text, stance in said:
            run.ledger.quote(name, at, at + len(text), stance=stance)
            at += len(text) + 1
    if reader:
        run.answered_by["extract"] = reader
    return find_conflicts(QUESTION, run.ledger.evidence, run.ledger.documents, run.reader)


def test_papers_with_opposite_stances_are_both_sides(make_run: MakeRun) -> None:
    quotes: list[tuple[str, str, Stance]] = [
        ("PMID:1", "Aspirin helped.", "supports"),
        ("PMID:2", "It did nothing.", "contradicts"),
        ("PMID:3", "It helped some.", "supports"),
        ("PMID:4", "It helped men.", "supports"),
        ("PMID:4", "Women had strokes.", "contradicts"),
        ("PMID:5", "Stroke is common.", "unknown"),
    ]
    (conflict,) = conflicts(make_run("q?"), quotes, "openai:gpt-5")
    assert conflict.found_by == "openai:gpt-5"
    assert conflict.about == QUESTION
    assert [(side.stance, side.evidence) for side in conflict.sides] == [
        ("supports", ("E1", "E3")),
        ("contradicts", ("E2",)),
        ("mixed", ("E4", "E5")),
    ]


@each_row("quotes", TABLES["no_conflict"])
def test_one_paper_or_one_side_is_not_a_conflict(make_run: MakeRun, quotes: Any) -> None:
    assert conflicts(make_run("q?"), quotes, "openai:gpt-5") == []


AGAINST: tuple[str, str, Stance] = ("PMID:2", "Aspirin did not reduce the risk of stroke in women.", "contradicts")
FOR: tuple[str, str, Stance] = ("PMID:1", "Aspirin significantly reduced the risk of stroke.", "supports")


@each_row("retraction", ["retracted", "notice", "concern"])
def test_retracted_papers_and_stored_relations_take_no_side(make_run: MakeRun, retraction: str) -> None:
    expected = 0 if retraction != "concern" else 1
    assert len(conflicts(make_run("q?"), [FOR, AGAINST], "openai:gpt-5", retraction=retraction)) == expected
    run = make_run("q?")
    run.answered_by["extract"] = "openai:gpt-5"
    run.ledger.admit([Document(id="PMID:1", text=FOR[1]), Document(id="HP:1", text=AGAINST[1])])
    run.ledger.quote("PMID:1", 0, len(FOR[1]), stance="supports")
    run.ledger.quote("HP:1", 0, len(AGAINST[1]), stance="contradicts", origin="graph")
    assert find_conflicts(QUESTION, run.ledger.evidence, run.ledger.documents, run.reader) == []
