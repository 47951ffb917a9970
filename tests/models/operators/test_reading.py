"""Screening, extraction, the sufficiency check and the extractive rationale without a model, by the operators."""

import gzip
import json
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from views import sentenced

from medground.language.question_reading import reading_of
from medground.language.sentences import sentence_spans
from medground.models.operators.base import EvidenceView, PassageView, SentencedPassage
from medground.models.operators.reading import ExtractInput, ScreenInput, SufficientInput, extract, screen, sufficient
from medground.models.operators.reasoning import ReasonInput, reason
from medground.models.operators.writing import chosen_quotes

QUESTION = "Does vitamin D supplementation reduce falls in older nursing home residents?"
ON_TOPIC = (
    "We studied whether vitamin D supplementation prevents falls in nursing home residents. "
    "Residents were enrolled between 2001 and 2004. "
    "Vitamin D supplementation significantly reduced the rate of falls in older residents (p = 0.01). "
    "Blood was drawn by a technician."
)


def passage(key: str, text: str) -> PassageView:
    return PassageView(id=key, text=text)


def cut(key: str, text: str) -> SentencedPassage:
    return sentenced(key, *(text[start:end] for start, end in sentence_spans(text)))


def screened(question: str, *texts: str) -> tuple[str, ...]:
    views = tuple(passage(f"P{n}", text) for n, text in enumerate(texts, 1))
    return screen.keyless(ScreenInput(question=question, passages=views)).relevant


def test_screening_keeps_passages_on_topic_best_first() -> None:
    weak = "Falls in nursing home residents are frequent, and older residents fall most."
    assert screened(QUESTION, "Zebrafish embryos develop quickly.", weak, ON_TOPIC) == ("P3", "P2")
    assert screened("Who won the 1998 world cup?", ON_TOPIC, "In 1998, doctors around the world met.") == ()
    assert screened(QUESTION, ON_TOPIC * 300) == ("P1",)
    filler = " ".join(f"Sentence number {n} tells of kidneys and livers." for n in range(20))
    texts = (f"Sarcoidosis. {filler} Trachea.", f"Sarcoidosis of the trachea. {filler}")
    assert screened("What is sarcoidosis of the trachea?", *texts) == ("P2", "P1")  # words far apart come last


def quoted(*texts: str) -> list[str]:
    value = ExtractInput(question=QUESTION, passages=tuple(cut(f"P{n}", t) for n, t in enumerate(texts, 1)))
    output = extract.keyless(value)
    extract.check(value, output)
    assert {e.stance for e in output.sentences} <= {"unknown"}
    return [e.sentence for e in output.sentences]


def test_extraction_ranks_findings_before_purposes_and_quotes_a_few_sentences_of_prose() -> None:
    assert quoted(ON_TOPIC)[:2] == ["P1.S3", "P1.S1"]
    assert sorted(e.partition(".")[0] for e in quoted(ON_TOPIC, ON_TOPIC)) == ["P1"] * 3 + ["P2"] * 3
    finding = "Vitamin D supplementation significantly reduced falls in older nursing home residents."
    funding = "This work on vitamin D and falls in older residents was supported by grants and showed a reduction."
    assert quoted(f"Figure 2: {finding}") == quoted(funding) == []
    assert quoted(f"Authors: Falls, Vitamin; Home, Nursing\n{finding}") == ["P1.S2"]
    for text, claims in ((f"Supplementary Figure 2: {finding}", 0), (finding, 1)):
        value = ReasonInput(question=QUESTION, task="free", passages=(cut("P1", text),))
        assert len(reason.keyless(value).claims) == claims


def enough(*quotes: str) -> bool:
    evidence = tuple(EvidenceView(id=f"E{n}", quote=quote) for n, quote in enumerate(quotes, 1))
    return sufficient.keyless(SufficientInput(question=QUESTION, evidence=evidence)).sufficient


def test_a_finding_on_the_whole_topic_suffices_and_a_purpose_or_half_a_topic_does_not() -> None:
    assert enough("Vitamin D supplementation significantly reduced falls in older nursing home residents.")
    assert not enough("We aimed to learn whether vitamin D supplementation prevents falls in nursing home residents.")
    assert not enough("Supplementation increased serum calcium.")
    assert not enough()


@settings(max_examples=25)
@given(st.text(min_size=1, max_size=200), st.lists(st.text(max_size=300), max_size=4))
def test_any_text_is_read_without_a_crash_and_deterministically(question: str, texts: list[str]) -> None:
    reading = ScreenInput(question=question, passages=tuple(passage(f"P{n}", t) for n, t in enumerate(texts)))
    picking = ExtractInput(question=question, passages=tuple(cut(f"P{n}", t) for n, t in enumerate(texts)))
    first, second = ((screen.keyless(reading), extract.keyless(picking)) for _ in range(2))
    assert first == second
    screen.check(reading, first[0])
    extract.check(picking, first[1])
    ids = [e.sentence for e in first[1].sentences]
    assert len(ids) == len(set(ids))


def test_real_abstracts_pass_for_their_own_question_and_not_for_another(shared: Path) -> None:
    with gzip.open(shared / "pubmedqa" / "pqa_l.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [r for r in map(json.loads, lines) if r["split"] != "test"][:100]
    texts = ["\n".join(r["contexts"]) for r in records]
    own = [bool(screened(r["question"], text)) for r, text in zip(records, texts, strict=True)]
    other = [bool(screened(r["question"], text)) for r, text in zip(records, texts[50:] + texts[:50], strict=True)]
    assert sum(own) >= 0.95 * len(own)
    assert sum(other) <= 0.03 * len(other)


STROKE = "Do statins reduce mortality after stroke?"
LOWERED = "Statins significantly reduced mortality after stroke in the treated group."
AIM = "The aim of this study was to determine whether cholesterol matters for survival of stroke."


def quote(number: int, text: str, design: str = "") -> EvidenceView:
    return EvidenceView(id=f"E{number}", quote=text, design=design)


def written(*evidence: EvidenceView, sentences: int = 3) -> list[str]:
    return [one.id for one in chosen_quotes(reading_of(STROKE), evidence, sentences)]


def test_quotes_keep_their_order_each_once_and_never_of_a_retracted_paper() -> None:
    second = "Higher doses of statins were associated with lower mortality after stroke within a year."
    assert written(quote(1, second), quote(2, LOWERED)) == ["E1", "E2"]
    pointing = quote(3, "They halved deaths within a year.")  # what is asked stands in its passage
    assert written(pointing, quote(2, LOWERED)) == ["E3", "E2"]
    again = f"RESULTS: {LOWERED.upper()}"
    assert written(quote(1, LOWERED), quote(2, again), quote(3, AIM)) == ["E1", "E3"]
    assert written(quote(1, LOWERED, "Journal Article, Retracted Publication")) == []
    many = [quote(n, f"Statins lowered marker number {n * 11} by {n}.") for n in range(1, 9)]
    assert (len(written(*many, sentences=2)), written()) == (2, [])


@settings(max_examples=30)
@given(st.lists(st.text(min_size=1, max_size=150).filter(str.strip), max_size=6), st.integers(1, 4))
def test_any_quotes_give_a_valid_rationale(texts: list[str], count: int) -> None:
    evidence = [quote(n, text) for n, text in enumerate(texts, 1)]
    first = written(*evidence, sentences=count)
    assert first == written(*evidence, sentences=count)
    assert len(first) == len(set(first)) <= count
