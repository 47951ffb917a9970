"""Papers and answers for tests of the page: plain ones, a retracted one, a hostile one, and one of everything."""

from datetime import UTC, datetime
from pathlib import Path

from rows import tables

from medground.engine.answers import Answers
from medground.language.risk.notices import notice_for
from medground.values.answer import Answer, Search, SnapshotReference, SourceDocument
from medground.values.decision import Notice, YesNoDecision
from medground.values.document import Document
from medground.values.evidence import Evidence, Stance
from medground.values.question import Question
from medground.values.statement import Conflict, Dropped, Label, Side, Statement, Verdict

TABLES = tables(__file__)

QUESTION = "Does aspirin prevent stroke in adults with atrial fibrillation?"
ATTACK = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'> [click](javascript:alert(1)) "
HIDDEN = "\u202eesrever\u202c and \u200bunseen"


PAPERS = [Document.model_validate(one) for one in TABLES["papers"]]
BY_ID = {paper.id: paper for paper in PAPERS}
EVERYTHING, NOTICED, AT_RISK = "20260102-everything", "20260103-noticed", "20260104-risk"
FACT = "Stroke (HP:0001297): 45 of 58 patients, onset: Adult onset; PMID:7, PMID:8."
GRAPH = Document.model_validate(TABLES["graph"])
_LABELS: tuple[Label, ...] = (
    "supported", "partly", "contradicted", "related", "not found", "not judged", "unverified", "given"
)  # fmt: skip


def quote(number: int, document: Document, words: str, *, stance: Stance = "unknown", graph: bool = False) -> Evidence:
    """A quote of these words."""
    start = document.text.index(words)
    return Evidence(
        id=f"E{number}",
        document_id=document.id,
        start=start,
        end=start + len(words),
        quote=words,
        section=document.section_at(start),
        stance=stance,
        origin="graph" if graph else "text",
    )


def source(document: Document) -> SourceDocument:
    """A paper as an answer lists it."""
    shared = ("id", "title", "kind", "year", "journal", "publication_types", "retraction")
    return SourceDocument(**{name: getattr(document, name) for name in shared}, source="corpus:papers")


def marked(cited: tuple[str, ...]) -> str:
    """Citation marks, as they follow a sentence."""
    return "".join(f"[{one}]" for one in cited)


def everything() -> Answer:
    """An answer with each kind of verdict, a conflict, a stored fact, a retraction, a failure and a stop."""
    evidence = (
        quote(1, BY_ID["PMID:101"], "Aspirin prevented stroke in adults with atrial fibrillation.", stance="supports"),
        quote(2, BY_ID["PMID:102"], "Aspirin did not prevent stroke in adults with atrial fibrillation."),
        quote(3, BY_ID["PMID:104"], ATTACK + "Warfarin lowered the risk of embolism in adults."),
        quote(4, GRAPH, FACT, graph=True),
        quote(5, BY_ID["PMID:101"], "Bleeding was rare in both groups."),
    )
    rationale, statements = "", []
    for number, label in enumerate(_LABELS, start=1):
        text = f"Sentence {number} says that aspirin prevents stroke."
        cited = () if label == "given" else ("E1",) if number % 2 else ("E2", "E5")
        verdict = Verdict(label=label, critic="nli:small", probability=0.9, best=cited[0] if cited else None)
        statements.append(
            Statement(text=text, start=len(rationale), end=len(rationale) + len(text), evidence=cited, verdict=verdict)
        )
        rationale += f"{text} {marked(cited)} "
    for text, cited in ((f"{ATTACK}{HIDDEN} was quoted.", ("E3",)), ("Stroke was recorded.", ("E4",))):
        statements.append(
            Statement(
                text=text,
                start=len(rationale),
                end=len(rationale) + len(text),
                evidence=cited,
                verdict=Verdict(label="quoted", critic="verbatim", best=cited[0]),
            )
        )
        rationale += f"{text} {marked(cited)} "
    sides = (Side(stance="supports", evidence=("E1",)), Side(stance="contradicts", evidence=("E2",)))
    return Answer(
        id="everything",
        question=Question.ask(QUESTION, task="yes-no"),
        decision=YesNoDecision(status="decided", value="yes", basis="critic", reason="Two studies were compared."),
        rationale=rationale,
        statements=tuple(statements),
        evidence=evidence,
        documents=tuple(map(source, (*PAPERS[:4], GRAPH))),
        conflicts=(Conflict(about="aspirin, stroke", sides=sides, found_by="openai:gpt-5"),),
        dropped=(Dropped(text="Aspirin cures all.", reason="contradicted: it does not"),),
        support=0.25,
        searches=(
            Search(source="corpus:papers", query="aspirin AND stroke[mesh]", status="found", hits=12),
            Search(source="pubmed:live", query="aspirin stroke", status="failed", error="no reply in 30 s"),
        ),
        recipe="ground",
        models={"respond": "openai:gpt-5"},
        settings_hash="0123456789abcdef",
        snapshots=(SnapshotReference(name="papers", hash="f" * 64),),
        trace_id=EVERYTHING,
        created=datetime(2026, 1, 2, tzinfo=UTC),
        stopped="the budget of 20,000 tokens is used",
    )


def keep_answers(home: Path) -> None:
    """Keep the answer with everything, one with a notice, and one that is a notice alone."""
    kept, whole = Answers(home), everything()
    kept.keep(whole)
    notice = Notice(kind="treatment", sentence="Talk to the doctor who treats you before you change a treatment.")
    kept.keep(whole.model_copy(update={"id": "noticed", "trace_id": NOTICED, "notice": notice}))
    risk = notice_for("How many tablets are deadly? I want to die.")
    assert risk is not None
    kept.keep(
        Answer(
            id="risk",
            question=Question.ask("How many tablets are deadly?", task="free"),
            notice=risk,
            decision={"task": "free", "status": "unanswerable"},
            recipe="ground",
            settings_hash="0123456789abcdef",
            trace_id=AT_RISK,
            created=datetime(2026, 1, 4, tzinfo=UTC),
        )
    )
