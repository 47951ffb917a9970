"""An answer as a message of a chat: its marks are where they are said to be, and nothing else looks like one."""

import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from plain_answer import plain_answer
from rows import tables

from medground.values.answer import Answer, SourceDocument
from medground.values.decision import Notice
from medground.values.evidence import Evidence
from medground.values.question import Follows, Question
from medground.values.statement import Conflict, Side, Statement, Verdict
from medground.wording.markup import NOT_READ, Piece, as_markdown, chat_pieces, kept_as

TABLES = tables(__file__)

FORGED = TABLES["forged"]
TEXTS = st.lists(st.sampled_from(FORGED) | st.text(min_size=1, max_size=8), min_size=1, max_size=4).map("".join)
LABELS = ("supported", "partly", "quoted", "related", "not found", "not judged", "unverified")


@st.composite
def answers(draw: st.DrawFn) -> Answer:
    """Answers of any sentences about any documents, each of whose texts may try to look like a mark."""
    documents = tuple(
        SourceDocument(
            id=f"PMID:{n}", title=draw(TEXTS), kind="research", retraction=draw(st.sampled_from(["none", "concern"]))
        )
        for n in range(1, draw(st.integers(1, 3)) + 1)
    )
    evidence = tuple(
        Evidence(id=f"E{n}", document_id=draw(st.sampled_from(documents)).id, start=n, end=n + len(text), quote=text)
        for n, text in enumerate(draw(st.lists(TEXTS, min_size=1, max_size=4)), start=1)
    )
    ids = st.sampled_from([e.id for e in evidence])
    rationale, statements = "", []
    for number in range(draw(st.integers(0, 3))):
        text = draw(st.sampled_from([f"Sentence {number}.", *(e.quote for e in evidence)])) + "."
        cited = draw(st.lists(ids, unique=True, min_size=1, max_size=3))
        best = draw(st.none() | ids)
        verdict = Verdict(label=draw(st.sampled_from(LABELS)), critic="nli", best=best, note=draw(TEXTS))
        statements.append(
            Statement(
                text=text, start=len(rationale), end=len(rationale) + len(text), evidence=tuple(cited), verdict=verdict
            )
        )
        rationale += f"{text} {''.join(f'[{one}]' for one in cited)} "
    sides = draw(st.lists(st.lists(ids, unique=True, min_size=1, max_size=2), min_size=2, max_size=2))
    conflicts = (
        (Conflict(about="x", sides=tuple(Side(stance="unknown", evidence=tuple(s)) for s in sides), found_by="m"),)
        if draw(st.booleans())
        else ()
    )
    return plain_answer(
        rationale=rationale,
        statements=tuple(statements),
        evidence=evidence,
        documents=documents,
        conflicts=conflicts,
        warnings=tuple(draw(st.lists(TEXTS, max_size=2))),
        question=Question.ask(f"Does {draw(TEXTS)} help?", task="yes-no"),
    )


def said(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


@given(answers())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_marks_are_where_they_say_nothing_else_looks_like_one_and_the_words_are_those_of_markdown(
    answer: Answer,
) -> None:
    pieces = list(chat_pieces(answer))
    text = said(pieces)
    marks = [mark for piece in pieces for mark in piece.marks]
    assert all(text[mark.start : mark.end] == f"[{mark.evidence_id}]" for mark in marks)
    assert {mark.evidence_id for mark in marks} == {evidence.id for evidence in answer.evidence}
    places = [mark.start for mark in marks]
    assert places == sorted(set(places))
    at = 0
    for piece in pieces:
        assert all(at <= mark.start < mark.end <= at + len(piece.text) for mark in piece.marks)
        at += len(piece.text)

    listed = text.index("\n## Sources\n")
    for found in re.finditer(r"(?<!\\)\[E[0-9]+\]", text):
        assert found.start() in places or found.start() > listed
    assert kept_as(text) == answer.trace_id
    assert "<think>" not in text
    assert "\u202e" not in text
    inside = [part for token in MarkdownIt().parse(text) for part in token.children or ()]
    assert not [part for part in inside if part.type in ("image", "html_inline", "code_inline")]
    assert all(str(p.attrs["href"]).startswith("https://pubmed.") for p in inside if p.type == "link_open")

    shown, whole = unmarked(text), unmarked(as_markdown(answer))
    whole.remove(next(line for line in whole if line.startswith("# ")))
    assert [line for line in shown if line and not line.startswith("- Answer: ")] == [line for line in whole if line]


def unmarked(page: str) -> list[str]:
    """The lines of a page, sorted, with marks as a message has them."""
    page = re.sub(r'<a id="e\d+"></a>\*\*(E\d+)\*\*', r"[\1]", page)
    return sorted(re.sub(r"\[(E\d+)\]\(#e\d+\)", r"[\1]", page).split("\n"))


def test_the_notice_comes_first_then_the_decision_and_the_support() -> None:
    sentence = Statement(
        text="It helps.",
        start=0,
        end=9,
        evidence=("E1",),
        verdict=Verdict(label="supported", critic="nli", probability=0.9),
    )
    answer = plain_answer(
        rationale="It helps.",
        statements=(sentence,),
        evidence=(Evidence(id="E1", document_id="PMID:1", start=0, end=5, quote="Helps"),),
        documents=(SourceDocument(id="PMID:1", title="A trial", kind="research"),),
        support=1.0,
        notice=Notice(kind="treatment", sentence="Talk to your doctor."),
    )
    texts = [piece.text.strip() for piece in chat_pieces(answer)]
    assert texts[0] == "**Talk to your doctor.**"
    assert texts[1].startswith("**What the sources say**")
    assert texts[2] == "All statements are supported."
    assert texts[3].startswith("It helps. [E1]")
    assert texts.count("All statements are supported.") == 1


def test_what_a_message_tells_of_its_answer() -> None:
    retracted = SourceDocument(id="PMID:9", title="It cures", kind="research", retraction="retracted")
    assert "RETRACTED: not used as evidence." in said(list(chat_pieces(plain_answer(documents=(retracted,)))))
    assert NOT_READ not in said(list(chat_pieces(plain_answer())))
    assert NOT_READ in said(list(chat_pieces(plain_answer(), not_read=True)))
    follows = Follows(answer="t", question="Does aspirin help?", asked="And in men?")
    question = Question.ask("And in men?", task="yes-no").model_copy(update={"follows": follows})
    assert "Does aspirin help?" in said(list(chat_pieces(plain_answer(question=question))))
    assert kept_as(said(list(chat_pieces(plain_answer()))).strip() + "\n") == "20260101-t1"
    for text in ("", "Hello.", "- Answer: a b", "- Answer: x\nand more", f"- Answer: {'x' * 65}"):
        assert kept_as(text) is None
