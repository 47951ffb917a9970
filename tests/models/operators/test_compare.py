"""The keyless critic, through the operator: related or neutral, and the differences to check."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from rows import each_row, tables

from medground.models.operators.base import EvidenceView
from medground.models.operators.checking import FLAGS, CheckInput, StatementView, check
from medground.models.operators.compare import RELATED, compare
from medground.models.operators.differences import CAUSE, DOUBT, EVERY, NEGATION, cue, differences

TABLES = tables(__file__)


def evidence(*quotes: str) -> tuple[EvidenceView, ...]:
    return tuple(EvidenceView(id=f"E{n}", quote=quote) for n, quote in enumerate(quotes, 1))


def test_the_nearest_quote_is_named() -> None:
    quotes = evidence("Zebrafish were kept at 28 degrees.", "Regular aspirin use lowers the risk of colorectal cancer.")
    found = compare("Aspirin lowers the risk of colorectal cancer.", quotes)
    assert (found.related, found.best, found.flags, found.coverage) == (True, "E2", (), 1.0)


@each_row(("flag", "statement", "quote"), TABLES["each_kind_of_difference_is_flagged_and_equal_meanings_are_not"])
def test_each_kind_of_difference_is_flagged_and_equal_meanings_are_not(flag: str, statement: str, quote: str) -> None:
    assert (flag.removeprefix("not ") in differences(statement, quote)) is not flag.startswith("not ")


REPEATED = "In the trial, 24 of 180 women on placebo and 12 of 176 on aspirin may have had a stroke within 5 years."


@each_row(("flags", "changes"), TABLES["repeated_text_is_compared_word_by_word"])
def test_repeated_text_is_compared_word_by_word(flags: list[str], changes: dict[str, str]) -> None:
    pattern = re.compile("|".join(map(re.escape, changes))) if changes else re.compile("(?!)")
    statement = pattern.sub(lambda match: changes[match[0]], REPEATED)
    assert differences(statement, REPEATED) == tuple(flags)


def test_a_long_premise_is_compared_by_its_nearest_sentence() -> None:
    premise = (
        "Stroke is not a rare disease. Aspirin reduced the risk of stroke by 12%. Warfarin did not. "
        "The risk of gout may have increased by 21%."
    )
    part = "Aspirin reduced the risk of stroke in 180 women"
    assert differences(f"{part}.", f"{part}, whereas warfarin may not have had any effect in mice.") == ()
    found = compare("Aspirin reduced the risk of stroke by 21%.", evidence("Cats purr.", premise))
    assert (found.best, found.flags) == ("E2", ("number",))
    assert compare("Aspirin reduced the risk of stroke by 12%.", evidence(premise)).flags == ()


@each_row(
    "statement", ["", "Aspirin lowers the risk.", "   ", "的研究表明", "🧬", "of the and", "x" * 50_000, "12 " * 5_000]
)
@each_row("quote", ["", " \n\n ", "Zebrafish were kept at 28 degrees.", "y" * 50_000])
def test_odd_texts_are_not_related(statement: str, quote: str) -> None:
    found = compare(statement, evidence(quote))
    assert not found.related
    assert 0 <= found.probability < RELATED


@settings(max_examples=80)
@given(st.text(max_size=200), st.lists(st.text(max_size=200), max_size=3))
def test_it_never_judges_and_never_crashes(statement: str, quotes: list[str]) -> None:
    value = CheckInput(statements=(StatementView(id="S1", text=statement),), evidence=evidence(*quotes))
    output = check.keyless(value)
    check.check(value, output)
    assert output.statements[0].relation in ("related", "neutral")
    assert output == check.keyless(value)
    assert set(output.statements[0].flags) <= set(FLAGS)
    assert differences(statement, statement) == ()


WORDS = """
    No|not only|not|fails to|lacked|absence of|don't|didn’t|CAN'T|n't|'tis|want to|Increased|highest|up-regulated
    |fewer|may|possibly|tends|proven|leads to|LED TO|LPS-induced|due to|related to|risk factors|linked|mice
    |nonetheless|ſuggested|5|é
"""


@given(st.lists(st.tuples(st.sampled_from([w.strip() for w in WORDS.split("|")]), st.sampled_from(" -'_."))))
def test_the_shortcut_of_a_cue_does_not_change_what_it_finds(text: list[tuple[str, str]]) -> None:
    joined = "".join(word + mark for word, mark in text)
    for pattern in (*EVERY, DOUBT):
        plain = re.compile(re.sub(r"\(\?=\[[^]]*\]\)", "", pattern.pattern, count=1), re.IGNORECASE)
        assert plain.pattern != pattern.pattern
        assert pattern.findall(joined) == plain.findall(joined)


def test_a_cue_is_a_whole_word_in_any_case() -> None:
    pattern = cue(r"rat(?:ed)?|(?:lead|led)s? to|boys?")
    texts = ("It led to gout", "Men or Boys", "RATED highly", "a rat-like boy", "grated, boyish, leading to")
    assert [pattern.findall(text) for text in texts] == [["led to"], ["Boys"], ["RATED"], ["rat", "boy"], []]
    contractions = ("I don't", "IT DIDN’T", "can't, won't", "'tis t'other")
    assert [len(NEGATION.findall(text)) for text in contractions] == [1, 1, 2, 0]
    assert CAUSE.search("LPS induced fever") and not CAUSE.search("LPS-induced fever")
