"""The extractive rationale, through the operator."""

from hypothesis import given, settings
from hypothesis import strategies as st

from medground.models.operators.base import EvidenceView
from medground.models.operators.writing import WriteInput, write

QUESTION = "Do statins reduce mortality after stroke?"
FINDING = "Statins significantly reduced mortality after stroke in the treated group."
PURPOSE = "The aim of this study was to determine whether cholesterol matters for survival of stroke."


def quote(number: int, text: str, design: str = "") -> EvidenceView:
    return EvidenceView(id=f"E{number}", quote=text, design=design)


def written(*evidence: EvidenceView, sentences: int = 3) -> list[str]:
    value = WriteInput(question=QUESTION, task="yes-no-maybe", evidence=evidence, sentences=sentences)
    output = write.keyless(value)
    write.check(value, output)
    assert output.answer == ()
    assert all(s.text == next(e.quote for e in evidence if e.id == s.evidence[0]) for s in output.sentences)
    return [s.evidence[0] for s in output.sentences]


def test_findings_come_first_then_purposes_each_once_and_never_of_a_retracted_paper() -> None:
    assert written(quote(1, PURPOSE), quote(2, FINDING)) == ["E2", "E1"]
    second = "Higher doses of statins were associated with fewer deaths within one year."
    assert written(quote(1, second), quote(2, FINDING)) == ["E1", "E2"]
    again = FINDING.replace("significantly ", "")
    assert written(quote(1, FINDING), quote(2, again), quote(3, PURPOSE)) == ["E1", "E3"]
    assert written(quote(1, FINDING, "Journal Article, Retracted Publication")) == []
    many = [quote(n, f"Statins lowered marker number {n * 11} by {n}.") for n in range(1, 9)]
    assert (len(written(*many, sentences=2)), written()) == (2, [])


@settings(max_examples=60)
@given(st.lists(st.text(min_size=1, max_size=150).filter(str.strip), max_size=6), st.integers(1, 4))
def test_any_quotes_give_a_valid_rationale(texts: list[str], count: int) -> None:
    evidence = [quote(n, text) for n, text in enumerate(texts, 1)]
    first = written(*evidence, sentences=count)
    assert first == written(*evidence, sentences=count)
    assert len(first) == len(set(first)) <= count
