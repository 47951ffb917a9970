"""Quoted passages of a sentence: the same words in any typography pass, and any other word or figure does not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.answering.verify.references import LEAST_WORDS, altered_quotations

SOURCE = (
    "Aspirin lowered the risk of stroke by 25 % (95% CI, 0.63–0.89; P < 0.05). The patients’ group took 0.5 mg daily, "
    "not −5 mg. It did not harm 1,200 children."
)


@each_row(
    "quote",
    [
        "Aspirin lowered the risk of stroke by 25 %",
        "Aspirin lowered the risk of stroke by 25% (95 % CI, 0.63-0.89; P<0.05).",
        "The patients' group took 0.5 mg daily,",
        "Aspirin lowered ... the risk of stroke",
        "Aspirin lowered … by 25%",
        "took 0.5 mg [every day], not -5 mg",
        "It did not harm 1,200 children.",
    ],
)
@each_row("marks", ["“{}”", '"{}"', "‘{}’", "'{}'", "«{}»", "„{}“", "``{}''", "“{}", "{}”"])
def test_true_quotes_pass(quote: str, marks: str) -> None:
    written = marks.format(quote)
    sentence = written if marks == "{}”" else f"The authors say: {written}"
    assert altered_quotations(sentence, ["Other text.", SOURCE]) == []


@each_row(
    "quote",
    [
        "Aspirin lowered the risk of stroke by 35 %",
        "Aspirin raised the risk of stroke",
        "It did harm 1,200 children",
        "5 % (95% CI, 0.63-0.89; P < 0.05)",
        "5 mg daily, not -5 mg",
        "It did not harm 1,200 child",
        "by 25 % ... Aspirin lowered the risk",
    ],
)
@each_row("marks", ["“{}”", "‘{}’", "“{}"])
def test_altered_quotes_do_not(quote: str, marks: str) -> None:
    assert altered_quotations(f"The authors say: {marks.format(quote)}", [SOURCE]) == [quote]


@each_row(
    "sentence",
    [
        "A “gold standard” test and 'number needed' are terms.",
        "The patients' and doctors' views of the 5'-UTR and 3' end differ from the others' views.",
        'A 5" needle and a 6" needle were compared with a third one in adults.',
        "It’s the doctors’ choice, isn’t it, as the nurses’ and the patients’ own was.",
        "Nothing is quoted here.",
    ],
)
def test_terms_possessives_and_inches_are_no_quotes(sentence: str) -> None:
    assert altered_quotations(sentence, [SOURCE]) == []


WORD = st.text(st.characters(categories=["Ll"], max_codepoint=0x17F), min_size=1, max_size=8)


@given(st.lists(WORD, min_size=12, max_size=30), st.data())
def test_any_run_of_words_passes_and_a_changed_word_does_not(words: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(words) - LEAST_WORDS))
    end = data.draw(st.integers(start + LEAST_WORDS, len(words)))
    assert altered_quotations(f"It says “{' '.join(words[start:end])}”.", [" ".join(words)]) == []
    changed = list(words[start:end])
    changed[data.draw(st.integers(0, len(changed) - 1))] = "0therword"
    assert altered_quotations(f"It says “{' '.join(changed)}”.", [" ".join(words)]) != []


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_can_be_compared(sentence: str, source: str) -> None:
    for passage in altered_quotations(sentence, [source]):
        assert len(passage.split()) >= LEAST_WORDS
