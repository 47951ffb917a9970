"""Characters that are shown, words and their weights, numbers, and what is prose."""

import sys
import unicodedata
from collections.abc import Callable
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st
from rows import each_row, tables

from medground.language import words
from medground.language.clean import HIDDEN, clean, one_line
from medground.language.prose import is_prose, why_not_prose
from medground.language.quantities import quantities, same_unit

TABLES = tables(__file__)

SHOWN_SIGNS = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
"""Signs of Arabic, Syriac and Kaithi that are drawn, though their category is Cf."""
NOT_SHOWN = ("Cc", "Cf", "Cs", "Zl", "Zp")
texts = st.text() | st.text("a é\n\t\x1b\x07\x7f\x85\x9b\u200b\u200c\u200d\u202e\u2066\u2028\ud800اक👩")


def test_every_character_that_is_not_shown_is_known() -> None:
    hidden = set("".join(HIDDEN.findall("".join(map(chr, range(sys.maxunicode + 1))))))
    not_shown = {c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) in NOT_SHOWN}
    assert not_shown - hidden == {"\n", "\t", *SHOWN_SIGNS}
    assert {unicodedata.category(c) for c in hidden - not_shown} <= {"Cn"}  # of a newer Unicode


@given(texts)
def test_clean_text_is_clean_and_as_long(text: str) -> None:
    cleaned = clean(text)
    assert len(cleaned) == len(text)
    assert not HIDDEN.search(cleaned)
    for before, after in zip(text, cleaned, strict=True):
        assert after == (" " if before != after else before)
        if unicodedata.category(before) not in NOT_SHOWN:
            assert after == before


@given(texts)
def test_one_line_is_one_line(text: str) -> None:
    line = one_line(text)
    assert len(line) == len(text)
    assert len(line.splitlines()) <= 1
    assert one_line(line) == line


@each_row("text", ["TGF-β ≥ 5 µg\n\tné", "می‌خواهم", "क्‍ष", "👩‍⚕️ asks", "ا\u0600١", "日本語", "שלום", "مرحبا"])
def test_text_that_needs_its_characters_stays(text: str) -> None:
    assert clean(text) == text


@each_row(
    ("text", "shown"),
    [
        ("\x1b]0;title\x07x", " ]0;title x"),
        ("\x1b[2Jx\x9b31m", " [2Jx 31m"),
        ("aspi\u200drin \u200c", "aspi rin  "),
        ("not \u202edesaercni\u202c", "not  desaercni "),
        ("a\u2028b\x85c\rd", "a b c d"),
        ("\udcff.json", " .json"),
    ],
)
def test_what_deceives_becomes_a_space(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_tokens_fold_case_and_keep_decimals_whole() -> None:
    assert words.tokens("TNF-α rose by 0.05 % (n = 1,204), ﬁnally") == [
        *("tnf", "α", "rose", "by", "0.05", "n", "1,204", "finally")
    ]


def test_terms_are_stems_without_function_words() -> None:
    assert words.terms("The patients were treated with statins") == ["patient", "treat", "statin"]


def test_a_topic_leaves_out_question_words_unless_there_are_no_others() -> None:
    assert words.topic("Does metformin reduce the risk of dementia?") == {"metformin", "risk", "dementia"}
    assert words.topic("Is it safe and effective?") == {"safe", "effect"}


def test_rare_words_weigh_more_than_common_ones_and_numbers_all_the_same() -> None:
    assert words.weight("patient") < words.weight("mitochondria") <= words.weight("qwxyz") == words.MOST
    assert words.weight("1998") == words.weight("0.7") == words.NUMBER


def test_coverage_is_a_share_by_weight() -> None:
    assert words.coverage([], ["a"]) == 0.0
    assert words.coverage(["lens", "marfan"], ["marfan", "lens", "other"]) == 1.0
    both = ["patient", "marfan"]
    assert 0 < words.coverage(both, ["patient"]) < 0.5 < words.coverage(both, ["marfan"])


def test_the_densest_stretch_counts_words_only_while_they_are_near() -> None:
    wanted = frozenset({"lens", "marfan"})
    near, far = ["lens", "x", "marfan"], ["lens", *["x"] * 30, "marfan", "marfan"]
    assert words.densest(wanted, near, 3) == 1.0
    assert words.densest(wanted, near, 2) == words.densest(wanted, far, 25) < 1.0


@given(st.text(max_size=300))
def test_any_text_gives_short_tokens_with_a_weight(text: str) -> None:
    found = words.tokens(text)
    assert all(0 < len(t) <= words.LONGEST_TOKEN for t in found)
    assert all(words.weight(t) > 0 for t in words.terms(text))


@given(st.lists(st.sampled_from("abcde")), st.lists(st.sampled_from("abcde")), st.integers(1, 5))
def test_the_densest_stretch_never_covers_more_than_the_whole(wanted: list[str], text: list[str], window: int) -> None:
    part = words.densest(frozenset(wanted), text, window)
    assert 0 <= part <= words.coverage(wanted, text) + 1e-9
    assert abs(words.densest(frozenset(wanted), text, len(text) + 1) - words.coverage(wanted, text)) < 1e-9


QUESTION = "Is celecoxib effective for amyotrophic lateral sclerosis?"


@each_row(("text", "expected"), TABLES["initials"])
def test_initials_are_written_out(text: str, expected: str) -> None:
    assert words.spelled_out(text, QUESTION) == expected


@given(st.text(max_size=60))
def test_a_question_of_two_words_changes_nothing(text: str) -> None:
    assert words.spelled_out(text, "Aspirin migraine?") == text


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


@each_row(("text", "measure", "relation"), TABLES["measured"])
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


Linear = Callable[[Callable[[int], object], int], None]


@each_row(("why", "line"), tables(__file__)["not_prose"])
def test_what_is_printed_around_the_text_is_not_prose(why: str, line: str) -> None:
    assert why_not_prose(line) == why
    assert not is_prose(line)


@each_row("sentence", TABLES["prose"])
def test_a_sentence_that_names_such_things_is_prose(sentence: str) -> None:
    assert why_not_prose(sentence) is None


@given(st.text(max_size=300))
def test_any_text_is_judged(text: str) -> None:
    assert is_prose(text) == (why_not_prose(text) is None)


@each_row("piece", ["Smith AB, ", "a.b@", "Aa. ", "10.1000/", "Abc Def, ", "in 2004; ", "we the "])
def test_a_long_line_takes_no_more_than_linear_time(piece: str, linear: Linear) -> None:
    linear(lambda count: why_not_prose(piece * count), 300)
