"""Words as the keyless operators see them."""

from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.language import words


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


@each_row(
    ("text", "expected"),
    [
        ("It did not help people with ALS.", "It did not help people with amyotrophic lateral sclerosis."),
        ("It did, also in this cohort.", "It did, also in this cohort."),
        ("False alarms fell.", "False alarms fell."),
        ("FALS runs in families.", "FALS runs in families."),
    ],
)
def test_initials_are_written_out(text: str, expected: str) -> None:
    assert words.spelled_out(text, QUESTION) == expected


@given(st.text(max_size=60))
def test_a_question_of_two_words_changes_nothing(text: str) -> None:
    assert words.spelled_out(text, "Aspirin migraine?") == text
