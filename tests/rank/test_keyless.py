"""The keyless score of relevance."""

from hypothesis import given, settings
from hypothesis import strategies as st

from medground.document import Passage
from medground.rank.base import Reranker
from medground.rank.keyless import KeylessReranker


def passage(text: str, title: str = "") -> Passage:
    return Passage(document_id="T:1", start=0, end=len(text), text=text, title=title)


def scores(question: str, *passages: Passage) -> list[float]:
    reranker: Reranker = KeylessReranker()
    return reranker.score(question, passages)


def test_equal_passages_stay_in_their_order() -> None:
    same = passage("Aspirin prevents colorectal cancer in adults.")
    found = scores("Does aspirin prevent colorectal cancer?", same, same, same)
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == 3


def test_a_passage_that_holds_the_question_overtakes_one_that_does_not() -> None:
    found = scores(
        "Does aspirin prevent colorectal cancer?",
        passage("Zebrafish embryos were kept warm."),
        passage("Aspirin prevents colorectal cancer.", title="Aspirin and colorectal cancer"),
    )
    assert found[0] < found[1]


def test_no_passages_give_no_scores() -> None:
    assert scores("Does aspirin prevent cancer?") == []


@settings(max_examples=60)
@given(st.text(max_size=200), st.lists(st.text(max_size=200), max_size=5))
def test_any_text_gets_the_same_score_between_0_and_1_each_time(question: str, texts: list[str]) -> None:
    passages = [passage(t, title=t[:20]) for t in texts]
    found = scores(question, *passages)
    assert found == scores(question, *passages)
    assert len(found) == len(texts)
    assert all(0 <= s <= 1 for s in found)
