"""Numbers with their units, as people write them."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.language.quantities import quantities, same_unit


def read(text: str) -> list[tuple[str, str]]:
    """The least value and the unit of each quantity."""
    return [(f"{min(q.values).normalize():f}", q.unit) for q in quantities(text)]


@each_row(
    ("text", "found"),
    [
        ("It fell by 12.5 % (95% CI 4 to 20).", [("12.5", "%"), ("95", "%"), ("4", ""), ("20", "")]),
        ("12·5 per cent, 12,5 percent or 5 percentage points", [("12.5", "%")] * 2 + [("5", "percentage points")]),
        ("p<.05; P = 0. 003 (n = 12)", [("0.05", ""), ("0.003", ""), ("12", "")]),
        ("17 288 visits and twenty-eight patients", [("17288", ""), ("28", "people")]),
        ("40 ± 4 vs 24 ± 3 ng/mL", [("40", "ng/ml"), ("4", "ng/ml"), ("24", "ng/ml"), ("3", "ng/ml")]),
        ("6–8 weeks, day 28, a 3-month course", [("6", "week"), ("8", "week"), ("28", "day"), ("3", "month")]),
        ("5 mg/kg per day, 20 mcg, 20 µg, 2 mM", [("5", "mg/kg/day"), ("20", "μg"), ("20", "μg"), ("2", "mmol/l")]),
        ("IL-6, type 2, exon 11, 5-HT, (18)F, 14-3-3, H1N1, 1.2.3 and COVID-19", [("14", ""), ("3", ""), ("3", "")]),
        ("(1) first, 2) second and [3]", []),
    ],
)  # fmt: skip
def test_quantities_are_read(text: str, found: list[tuple[str, str]]) -> None:
    assert read(text) == found


def test_a_comma_may_mark_thousands_or_decimals() -> None:
    (found,) = quantities("1,234 visits")
    assert found.values == {Decimal(1234), Decimal("1.234")}


@each_row(
    ("text", "measure", "relation"),
    [
        ("p < 0.001", "p", "<"),
        ("a P value of 0.03", "p", ""),
        ("odds ratio [OR], 0.106", "or", ""),
        ("relative risk of 2.1", "rr", ""),
        ("more than 60 %", "", ">"),
        ("this or 5 others", "", ""),
    ],
)
def test_what_is_measured_and_compared_is_told(text: str, measure: str, relation: str) -> None:
    (found,) = quantities(text)
    assert (found.measure, found.relation) == (measure, relation)


@each_row(
    ("one", "other", "same"),
    [("mg", "mg/day", True), ("mg/day", "mg/week", False), ("mg", "mg/kg", False), ("mg/kg/day", "mg/kg", True)],
)
def test_a_dose_may_be_given_with_or_without_its_rate(one: str, other: str, same: bool) -> None:
    assert same_unit(one, other) is same_unit(other, one) is same


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    assert all(0 <= q.start < q.end <= len(text) and q.values for q in quantities(text))


@given(st.decimals(min_value=0, max_value=10**6, places=3), st.sampled_from(["%", " mg", " mmol/l", "-fold", " weeks"]))
def test_a_plain_number_keeps_its_value(value: Decimal, unit: str) -> None:
    (found,) = quantities(f"It was {value}{unit}.")
    assert found.values == {value}
    assert found.unit
