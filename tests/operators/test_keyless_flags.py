"""What the keyless critic says, through the operator: related or neutral, and the differences to look at."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medground.operators.keyless.flags import FLAGS, compare, differences
from medground.operators.verifying import EntailInput, entail
from medground.operators.views import EvidenceView


def evidence(*quotes: str) -> tuple[EvidenceView, ...]:
    return tuple(EvidenceView(id=f"E{n}", quote=quote) for n, quote in enumerate(quotes, 1))


def test_the_nearest_quote_is_named() -> None:
    found = compare(
        "Aspirin lowers the risk of colorectal cancer.",
        evidence("Zebrafish were kept at 28 degrees.", "Regular aspirin use lowers the risk of colorectal cancer."),
    )
    assert (found.related, found.best, found.flags) == (True, "E2", ())
    assert found.coverage == 1.0


def test_nothing_is_related_to_other_words_or_to_no_quote() -> None:
    statement = "Aspirin lowers the risk of colorectal cancer."
    assert not compare(statement, evidence("Zebrafish were kept at 28 degrees.")).related
    assert compare(statement, ()).best is None


@pytest.mark.parametrize(
    ("flag", "statement", "quote"),
    [
        ("number", "Mortality was 12% with the drug.", "Mortality was 21% with the drug."),
        ("number", "Of 1,204 patients, half recovered.", "Of 1024 patients, half recovered."),
        ("unit", "Patients took 5 mg of the drug.", "Patients took 5 g of the drug."),
        ("negation", "The drug affects survival.", "The drug did not affect survival."),
        ("direction", "The drug increases blood pressure.", "The drug decreases blood pressure."),
        ("comparison order", "Warfarin was safer than heparin.", "Heparin was safer than warfarin."),
        ("certainty", "The drug cures asthma.", "The drug may cure asthma."),
        ("cause", "Coffee causes cancer.", "Coffee was associated with cancer."),
    ],
)
def test_each_kind_of_difference_is_flagged(flag: str, statement: str, quote: str) -> None:
    assert flag in differences(statement, quote)


@pytest.mark.parametrize(
    ("flag", "statement", "quote"),
    [
        ("number", "Of 1204 patients, half recovered.", "Of 1,204 patients, half recovered."),
        ("number", "Half recovered.", "Of 1,204 patients, half recovered."),
        ("unit", "Patients took 5 mg.", "Patients took 5 mg, then 5 g."),
        ("certainty", "The drug may cure asthma.", "The drug may cure asthma."),
        ("certainty", "The drug may cure asthma.", "The drug cures asthma."),
        ("direction", "The drug increases pressure.", "The drug increases pressure and lowers the pulse."),
        ("comparison order", "Warfarin was safer than heparin.", "Warfarin proved safer than heparin."),
        ("cause", "Coffee is linked to cancer.", "Coffee was associated with cancer."),
    ],
)
def test_equal_meanings_are_not_flagged(flag: str, statement: str, quote: str) -> None:
    assert flag not in differences(statement, quote)


@settings(max_examples=80)
@given(st.text(max_size=200), st.lists(st.text(max_size=200), max_size=3))
def test_it_never_judges_and_never_crashes(statement: str, quotes: list[str]) -> None:
    value = EntailInput(statement=statement, evidence=evidence(*quotes))
    output = entail.keyless(value)
    entail.check(value, output)
    assert output.relation in ("related", "neutral")
    assert output == entail.keyless(value)
    assert set(output.flags) <= set(FLAGS)


@given(st.text(max_size=200))
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    assert differences(text, text) == ()
