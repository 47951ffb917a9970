"""Sentences that a network reads together with the question: its score counts beside the columns."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from rows import each_row
from small_corpora import corpus_of_documents

from medground.answering.read.reading_list import Reading, best_first, named
from medground.answering.run import Run
from medground.engine.blocking import BlockingEngine
from medground.home.settings import Settings
from medground.language.question_reading import reading_of
from medground.language.quoting.judged import READ
from medground.values.document import Document, Passage
from medground.values.evidence import SentenceNames

QUESTION = reading_of("What causes scurvy?")


class Network:
    """Gives `most` to sentences that have a word, minus 5 to all others; keeps what it was asked."""

    def __init__(self, word: str, most: float = 20.0) -> None:
        self.word, self.most = word, most
        self.read: list[tuple[str, str]] = []

    def scores(self, question: str, sentences: Sequence[tuple[str, str]]) -> list[float]:
        self.read += sentences
        return [self.most if self.word in sentence else -5.0 for _, sentence in sentences]


def readings(*texts: str) -> list[Reading]:
    passages = [
        Passage(document_id=f"PMID:{n}", start=0, end=len(text), text=text, title="Scurvy")
        for n, text in enumerate(texts, start=1)
    ]
    return [Reading(p.document_id, n, (p,), {"bm25": 2.0 / n}) for n, p in enumerate(passages, start=1)]


def first_sentence(found: Sequence[Reading]) -> str:
    return max((one for reading in found for one in reading.judged.values()), key=lambda one: one.answers).sentence


def test_what_the_network_finds_to_be_the_answer_comes_first() -> None:
    given = readings("Scurvy is caused by a lack of vitamin C.", "Sailors who ate no fruit bled from their gums.")
    network = Network("Sailors")
    alone, together = best_first(QUESTION, given), best_first(QUESTION, given, network)
    assert [reading.document_id for reading in alone] == ["PMID:1", "PMID:2"]
    assert [reading.document_id for reading in together] == ["PMID:2", "PMID:1"]
    assert ("Scurvy", "Sailors who ate no fruit bled from their gums.") in network.read
    assert all("read together" in one.terms for reading in together for one in reading.judged.values())


def test_a_sentence_that_it_does_not_read_gets_the_least_that_it_gave() -> None:
    texts = [f"Scurvy is caused by a lack of vitamin C in group {n}." for n in range(READ + 5)]
    network = Network("group 3 ")
    found = best_first(QUESTION, readings(*texts, "Bread is baked in ovens."), network)
    assert len(network.read) == READ
    unread = next(one for r in found for one in r.judged.values() if one.sentence.startswith("Bread"))
    assert unread.terms["read together"] == min(
        one.terms["read together"] for reading in found for one in reading.judged.values()
    )


def test_what_forbids_still_comes_first() -> None:
    asked = reading_of("Can I take ibuprofen in pregnancy?")
    texts = ["Ibuprofen must not be taken in pregnancy.", "Ibuprofen eases pain in pregnancy and after it."]
    found = best_first(asked, readings(*texts), Network("eases"))
    assert first_sentence(found) == texts[0]


FALLS = Document(
    id="PMID:1",
    kind="web",
    title="Falls at home",
    text="Loose rugs are a common cause of falls. Older people often lose their balance when they stand up too fast.",
)


@each_row(("says", "status"), [(None, "unanswerable"), (-3.0, "unanswerable"), (3.0, "not judged")])
def test_of_a_question_that_names_nothing_the_network_says_whether_the_first_quote_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: float | None, status: str
) -> None:
    corpus_of_documents(tmp_path, [FALLS])

    async def network(run: Run) -> Network | None:
        return None if says is None else Network("", says)

    monkeypatch.setattr("medground.recipes.ground.search.network_of", network)
    settings = Settings.load(options={"home": str(tmp_path), "retrieval.corpora": "papers"})
    with BlockingEngine(settings) as engine:
        answer = engine.ask("My father stands up and the room turns. Should I worry?")
        other = engine.ask("What causes scurvy when people stand up too fast?")
    assert answer.decision.status == status
    assert other.decision.status == "unanswerable"  # what is named must be there, whatever a network says


@each_row(
    ("disease", "said", "status"),
    [
        ("scarlet", "Treatment is", "unanswerable"),  # that of rheumatic fever, which a network takes for the answer
        ("scarlet", "Scarlet fever is treated", "not judged"),
        ("rheumatic", "Treatment is", "not judged"),
    ],
)
def test_a_sentence_under_a_title_on_another_disease_is_about_that_disease(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, disease: str, said: str, status: str
) -> None:
    before = "The disease may come after scarlet fever. Children of school age in poor countries are ill most often."
    text = f"{before} {said} with antibiotics and corticosteroids."
    corpus_of_documents(tmp_path, [Document(id="PMID:1", kind="web", title="What is rheumatic fever?", text=text)])

    async def network(run: Run) -> Network:
        return Network("antibiotics", 3.0)

    monkeypatch.setattr("medground.recipes.ground.search.network_of", network)
    options = {"home": str(tmp_path), "retrieval.corpora": "papers", "recipe.sentences": 1}
    with BlockingEngine(Settings.load(options=options)) as engine:
        answer = engine.ask(f"How is {disease} fever treated?")
    assert answer.decision.status == status


def test_sentences_of_passages_that_overlap_are_named_once_in_the_order_of_the_text() -> None:
    text = "The trial enrolled adults. Aspirin lowered the risk of stroke. Bleeding rose. Nobody died."
    document = Document(id="PMID:1", kind="research", title="Aspirin", text=text)
    first, second = text.index("Bleeding"), text.index("Aspirin")
    passages = [document.passage(0, first + len("Bleeding rose."), None), document.passage(second, len(text), None)]
    names = SentenceNames()
    view = named(document, passages, names)
    places = [names[sentence.id][1:] for sentence in view.sentences]
    assert [text[start:end] for start, end in places] == [
        "The trial enrolled adults.",
        "Aspirin lowered the risk of stroke.",
        "Bleeding rose.",
        "Nobody died.",
    ]
