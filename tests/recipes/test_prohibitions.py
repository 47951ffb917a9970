"""What a source forbids is evidence: the person at risk is told it as anybody is."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from rows import tables
from small_corpora import corpus_of_documents

from medground.engine.blocking import BlockingEngine
from medground.home.settings import Settings
from medground.values.document import Document

PAIRS = tables(__file__)["pairs"]
_ASIDE = 30
"""Of so many other answers one is in the collection too."""


@pytest.fixture(scope="module")
def engine(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BlockingEngine]:
    """Asks the answers of MedQuAD that forbid what the table has, that name a word of it, and some others."""
    forbids = re.compile("|".join(f"(?:{pattern})" for _, pattern, *_ in PAIRS))
    with gzip.open(shared / "medquad" / "qa.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    chosen = [
        Document(id=f"MQ:{number}", kind="guideline", title=row["question"], text=row["answer"])
        for number, row in enumerate(rows)
        if row["answer"].strip() and (forbids.search(" ".join(row["answer"].split())) or number % _ASIDE == 0)
    ]
    home: Path = tmp_path_factory.mktemp("prohibitions")
    corpus_of_documents(home, chosen)
    with BlockingEngine.open(Settings(home=home), corpora="papers") as opened:
        yield opened


@pytest.mark.slow
@pytest.mark.parametrize(("pattern", "asked", "at_risk"), [row[1:] for row in PAIRS])
def test_no_prohibition_is_kept_from_the_person_at_risk(
    engine: BlockingEngine, pattern: str, asked: str, at_risk: str
) -> None:
    for question in (asked, at_risk):
        said = [" ".join(statement.text.split()) for statement in engine.ask(question).statements]
        assert any(re.search(pattern, text) for text in said), (question, said)


KAWASAKI = Document(
    id="X:1",
    title="What are the treatments for Kawasaki disease?",
    text="At first, your child receives high doses of aspirin. As soon as the fever goes away, a low dose is given.",
)
FEVER = Document(
    id="X:2", title="What is fever?", text="Adults may take aspirin. Children with a fever should not take aspirin."
)


ORDER = Document(id="X:3", title="Aspirin", text="Stop your aspirin now. Give your child aspirin for a fever at once.")


def test_the_prohibition_leads_under_the_notice_before_any_order_and_without_another_dose(tmp_path: Path) -> None:
    corpus_of_documents(tmp_path, [ORDER, KAWASAKI, FEVER])
    with BlockingEngine.open(Settings(home=tmp_path), corpora="papers") as engine:
        for question in ("Can I give my child aspirin for a fever?", "Should children with a fever take aspirin?"):
            answer = engine.ask(question)
            assert "Children with a fever should not take aspirin" in answer.statements[0].text
            assert not any("dose" in statement.text for statement in answer.statements)
            assert answer.notice is None or str(answer).lstrip().startswith(answer.notice.sentence[:40])
