"""A paper's own prompts: files that a script makes of the paper, asked as they are, and replies read as it says."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import knowledge_base
import pytest
from chat_peer import ChatPeer, Sent, chat, prompt_of
from command_line import run as medground
from refusals import refused
from small_corpora import corpus_of_documents

from medground.engine.engine import Engine
from medground.errors import ConfigError
from medground.home.layers import preset_layer
from medground.home.settings import Settings
from medground.recipes import ExploredSource
from medground.values.answer import Answer
from medground.values.document import Document
from medground.values.question import Question
from medground_evaluate.planning.exploring import ExploreInput, JudgeInput, explore, judge_found

SCRIPT = Path(__file__).parents[2] / "scripts" / "paper_prompts.py"
TOLD = "Zinc shortened colds in adults by two days. Children were not studied. Nausea was more common with zinc."
ASKED = Question.ask("Does zinc shorten colds in adults?", task="yes-no-maybe")
CHOICE = Question.ask("Does zinc shorten colds in adults?", options=["by two days", "not at all"])
OPEN = Question.ask("How much shorter are colds with zinc?", task="free")

REPLIES = {
    "write_query": '```json\n{"query": "zinc AND colds", "rationale": "both"}\n```',
    "self_critic": '{"query": "zinc", "rationale": "", "feedback": {"coverage": 1, "coverage_suggestion": "none", '
    '"alignment": 1, "redundancy": 1}}',
    "sufficient": '{"is_sufficient": true, "rationale": "it is", "needed_pmids": []}',
    "summarise": '{"verified_sources": "Adults were ill for less time. Zinc shortened colds [PMID: 1].",}',
    "respond": '{"answer": "yes", "rationale": "Colds were two days shorter [PMID: 1]. This is well known."}',
    "recall": '{"answer": "maybe", "rationale": "I remember no trial."}',
    "reflect": '{"query": "", "rationale": "no gap"}',
    "pubmedqa": "Colds were shorter [1]. Document 2 agrees.\n\nFINAL ANSWER: A. yes",
    "bioasq": "No document says so.\nANSWER UNAVAILABLE",
    "plan_sources": "<book> zinc </book> <research> zinc ; colds </research>",
    "name_terms": "<term>zinc , colds</term>",
    "write_passage": "<passage>Zinc and colds.</passage>",
    "improve_plan": "<research>zinc</research>",
    "read_sources": "Document 1 says that colds were shorter.\n<answer>A</answer>",
    "read_sources_open": "Document 1 says so.\n<answer>Zinc shortened colds by two days.</answer>",
}


class PaperPeer(ChatPeer):
    """Replies as papers ask, by the file that a prompt was made of; to what is ours, in the form that is asked for."""

    def __init__(self) -> None:
        super().__init__(self._reply)
        self.prompts: dict[str, str] = {}
        self.forms: list[str] = []

    def _reply(self, asked: dict[str, Any]) -> Sent:
        told, form = "\n".join(str(one["content"]) for one in asked["messages"]), asked.get("response_format")
        name = next((name for name in REPLIES if f"File {name}." in told), "")
        if not name:
            self.forms.append(form["json_schema"]["name"])
            return chat('{"relevant": ["P1"], "sentences": [{"sentence": "P1.S1", "stance": "supports"}]}')
        assert form is None and "tools" not in asked  # nothing constrains it
        self.prompts[name] = told
        return chat(REPLIES[name])


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verbatim")
    documents = [Document(id=f"PMID:{n}", title=f"Zinc and colds, trial {n}", text=TOLD) for n in (1, 2)]
    corpus_of_documents(folder / "home", documents, name="tiny")
    base = knowledge_base.written(knowledge_base.filled(folder / "kb"), *knowledge_base.ALL)
    knowledge_base.made(base, folder / "home")
    for number, preset in (("000", "pubmed-reasoner"), ("001", "reason-and-verify"), ("002", "omni-rag")):
        for ending in ("-verbatim", {"001": "-verbatim-bioasq", "002": "-verbatim-open"}.get(number, "-verbatim")):
            for asked in preset_layer(preset + ending)["operators"].values():
                path = folder / "home" / "prompts" / asked["instructions"]
                path.parent.mkdir(parents=True, exist_ok=True)
                task = "Task: answer {task}." if number == "000" else ""
                path.write_text(
                    f"File {path.stem}.\n---\nQuestion: {{question}} {{like_this}} {{passages}}\n{task}\n{{options}}\n"
                )
    return folder / "home"


@pytest.fixture
def peer(loopback: None, monkeypatch: pytest.MonkeyPatch, home: Path) -> Iterator[PaperPeer]:
    monkeypatch.setenv("MEDGROUND_HOME", str(home))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with PaperPeer() as peer:
        yield peer


def answer_of(preset: str, peer: PaperPeer, asked: Question, more: Mapping[str, Any]) -> Answer:
    chosen: dict[str, Any] = {"model.default": "openai:stub", "model.base_url": peer.url, "model.cache": False, **more}
    for operator in ("check", "label", "assess", "rewrite", "rate_plan"):
        chosen[f"model.operators.{operator}"] = "keyless"
    chosen |= {"retrieval.reranker": "none", "verify.critic": "check", "reason_and_verify.rerank": False}
    if preset.startswith("omni"):
        chosen["retrieval.knowledge_base"] = "omni"
    else:
        chosen |= {"retrieval.corpora": ["tiny"], "retrieval.sources": []}

    async def answered() -> Answer:
        async with await Engine.open(Settings.load(preset=preset, options=chosen)) as engine:
            return await engine.ask(asked)

    return asyncio.run(answered())


@pytest.mark.parametrize(
    ("preset", "asked", "more", "value", "used"),
    [
        ("pubmed-reasoner-verbatim", ASKED, {}, "yes", {"write_query", "self_critic", "summarise", "respond"}),
        ("pubmed-reasoner-verbatim", ASKED, {"recipe.name": "rag"}, "yes", {"write_query", "summarise", "respond"}),
        ("pubmed-reasoner-verbatim", ASKED, {"recipe.name": "self-reflection"}, "yes", {"reflect"}),
        ("pubmed-reasoner-verbatim", ASKED, {"recipe.name": "model-only"}, "maybe", {"recall"}),
        ("reason-and-verify-verbatim", ASKED, {}, "yes", {"pubmedqa"}),
        ("reason-and-verify-verbatim-bioasq", ASKED, {}, None, {"bioasq"}),
        ("omni-rag-verbatim", CHOICE, {}, "A", {"plan_sources", "read_sources"}),
        ("omni-rag-verbatim", ASKED, {}, "yes", {"plan_sources", "read_sources"}),
        ("omni-rag-verbatim", CHOICE, {"omni_rag.planner": "original"}, "A", {"name_terms", "read_sources"}),
        ("omni-rag-verbatim", CHOICE, {"omni_rag.planner": "query2doc"}, "A", {"write_passage", "read_sources"}),
        ("omni-rag-verbatim", CHOICE, {"omni_rag.planner": "reflexion"}, "A", {"improve_plan", "read_sources"}),
    ],
)
def test_a_papers_prompts_are_asked_as_they_are_and_its_replies_are_read(
    preset: str, asked: Question, more: Mapping[str, Any], value: str | None, used: set[str], peer: PaperPeer
) -> None:
    answer = answer_of(preset, peer, asked, more)
    assert answer.decision.value == value, (answer.decision, answer.warnings)
    assert used <= peer.prompts.keys(), peer.prompts.keys()
    for name in used:
        assert f"Question: {asked.text} {{like_this}}" in peer.prompts[name]  # other braces stay
        assert "material to work on" not in peer.prompts[name]  # no rule of ours
    if "respond" in used or "pubmedqa" in used:
        assert {quote.document_id for quote in answer.evidence} >= {"PMID:1"}  # what it cites by number is a quote


def test_a_letter_is_shown_and_read_where_the_task_closes_the_question(peer: PaperPeer) -> None:
    answer_of("omni-rag-verbatim", peer, ASKED, {})
    assert "\nA. yes\nB. no\nC. maybe" in peer.prompts["read_sources"]
    answer_of("omni-rag-verbatim", peer, CHOICE, {})
    assert "\nA. by two days\nB. not at all" in peer.prompts["read_sources"]


def test_the_task_is_told_by_its_answers_and_not_by_our_name_of_it(peer: PaperPeer) -> None:
    for asked, task, options in (
        (ASKED, "Task: answer yes/no/maybe.", ""),
        (CHOICE, "Task: answer A/B.", "A. by two days\nB. not at all"),
    ):
        answer_of("pubmed-reasoner-verbatim", peer, asked, {})
        assert f"{task}\n{options}" in peer.prompts["respond"] and "A. yes" not in peer.prompts["respond"]


def test_an_open_question_has_no_options_and_its_answer_is_told(peer: PaperPeer) -> None:
    answer = answer_of("omni-rag-verbatim-open", peer, OPEN, {})
    assert "\nA. " not in peer.prompts["read_sources_open"]
    assert answer.decision.status == "decided"
    assert [one.text for one in answer.statements][-1] == "Zinc shortened colds by two days."


def test_a_typed_prompt_of_ones_own_is_held_to_the_form(peer: PaperPeer, home: Path, tmp_path: Path) -> None:
    own = tmp_path / "mine.txt"
    own.write_text("Say briefly what you know.", encoding="utf-8")
    chosen = {"recipe.name": "model-only", "operators.recall.instructions": str(own)}
    asked: list[dict[str, Any]] = []

    def reply(body: dict[str, Any]) -> Sent:
        asked.append(body)
        return chat('{"sentences": [], "answer": ["no"]}')

    with ChatPeer(reply) as typed:
        more = {**chosen, "model.base_url": typed.url}
        answer = answer_of("pubmed-reasoner-paper", peer, ASKED, more)
    assert answer.decision.value == "no" and "response_format" in asked[0]
    assert "Say briefly what you know." in str(asked[0]["messages"][0]["content"])
    assert "<question>" in prompt_of(asked[0])  # without `---` the input is shown as always

    before = Settings.load(options=chosen).hash
    own.write_text("Say at length what you know.", encoding="utf-8")
    assert Settings.load(options=chosen).hash != before  # what the file says decides, not its path


def test_a_prompt_that_cannot_be_used_is_refused_before_a_call(peer: PaperPeer, tmp_path: Path) -> None:
    own = tmp_path / "mine.txt"
    own.write_text("Answer.\n---\nNothing is shown here.", encoding="utf-8")
    for said, more in (
        ("write it there", {"operators.recall.instructions": "nowhere.txt"}),
        ("use some of {question}", {"operators.recall.instructions": str(own)}),
        ("is not an operator", {"operators.remember.instructions": str(own)}),
    ):
        refused(
            ConfigError,
            said,
            answer_of,
            "pubmed-reasoner-paper",
            peer,
            ASKED,
            {"recipe.name": "model-only", **more},
        )
    assert not peer.prompts


PAPER = """1 Introduction
We print our prompts in Appendix B.
Appendix B Prompts
B.1. Base Instructions
**Task Instruction:** Read the papers and say what they say.
B.2. Dataset-Specific Instructions
B.2.1. PubMedQA Prompt
PubMedQA requires ternary classification (yes/no/maybe). We appended:
12
End with one of “FINAL ANSWER: A. yes”
B.2.2. BioASQ Prompt
BioASQ requires binary classification (yes/no). We appended:
End with yes or no.
"""


def test_the_script_takes_prompts_out_of_a_paper(tmp_path: Path) -> None:
    paper = tmp_path / "paper.txt"
    paper.write_text(PAPER, encoding="utf-8")

    def run(number: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(SCRIPT), number, str(paper), "--out", str(tmp_path / "out")]
        return subprocess.run(command, capture_output=True, text=True)

    assert run("001").returncode == 0
    system, _, user = (tmp_path / "out" / "001" / "pubmedqa.txt").read_text().partition("\n---\n")
    assert system == "Read the papers and say what they say."
    assert user.endswith('Question: {question}\n\nEnd with one of "FINAL ANSWER: A. yes"\n') and "{passages}" in user
    assert "End with yes or no." in (tmp_path / "out" / "001" / "bioasq.txt").read_text()
    failed = run("002")
    assert failed.returncode == 1 and "is it this paper, with its appendix?" in failed.stderr


@pytest.mark.parametrize("number", ["000", "001", "002"])
def test_the_papers_prompts_fit_their_operators(number: str, shared: Path, tmp_path: Path) -> None:
    texts = sorted((shared.parent / "seeds").glob(f"{number}_*.txt"))
    if not texts:
        pytest.skip("the papers' texts are not here")
    subprocess.run([sys.executable, str(SCRIPT), number, str(texts[0]), "--out", str(tmp_path / "prompts")], check=True)
    preset = {"000": "pubmed-reasoner", "001": "reason-and-verify", "002": "omni-rag"}[number]
    named = Settings.load(preset=f"{preset}-verbatim", options={"home": str(tmp_path)}).prompts
    assert named and all(
        "\n---\n" in f"\n{text}" and "{question}" in text for name, text in named.items() if name != "summarise"
    )
    if number == "000":  # the task, as the paper writes it where it sets the problem
        assert all("answer {task} " in named[name] for name in ("respond_openly", "recall"))


TABLE = """
paper = "000"
title = "T"
table = "Table 1"
shows = "Accuracy"
of = "one question"
columns = ["own.accuracy"]
verbatim = "pubmed-reasoner-verbatim"
[data.own]
set = "jsonl"
corpora = ["tiny"]
[[rows]]
name = "reasoner"
recipe = "pubmed-reasoner"
preset = "pubmed-reasoner-paper"
"""


def test_a_table_says_which_prompts_made_a_row(
    peer: PaperPeer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEDGROUND_MODEL__BASE_URL", peer.url)
    (tmp_path / "table.toml").write_text(TABLE, encoding="utf-8")
    asked = {"id": "1", "question": ASKED.text, "task": "yes-no-maybe", "answer": "yes"}
    (tmp_path / "questions.jsonl").write_text(json.dumps(asked) + "\n", encoding="utf-8")
    words = ("experiment", "run", str(tmp_path / "table.toml"), "--data", str(tmp_path), "--model", "openai:stub", "-q")
    assert medground(*words, "--out", str(tmp_path / "runs"), "--verbatim") == 0
    told = capsys.readouterr().out
    assert "100" in told and "no gate; prompts: 000/recall.txt, 000/reflect.txt, 000/respond.txt" in told
    assert "self_critic" in peer.prompts

    none = TABLE.replace('verbatim = "pubmed-reasoner-verbatim"\n', "")
    (tmp_path / "table.toml").write_text(none, encoding="utf-8")
    assert medground(*words, "--verbatim") == 2
    assert "paper 000 prints no prompts" in capsys.readouterr().err


def test_training_reads_its_papers_replies() -> None:
    sources = tuple(ExploredSource(name=kind, kind=kind, about="texts") for kind in ("book", "graph"))
    asked = ExploreInput(question="Does zinc help?", sources=sources, queries_for_each=2)
    assert explore.reads is not None and judge_found.reads is not None
    found = explore.reads(asked, "<book> a ; b ; c </book>\n<graph> zinc , use ; iron </graph>")
    assert explore.reads(asked, "**Book**: a ; b ; c\n\ngraph: zinc , use ; iron") == found  # as E.2 prints it
    assert {one.source: [(q.term, q.text) for q in one.queries] for one in found.plan} == {
        "book": [("", "a"), ("", "b")],
        "graph": [("zinc", "use"), ("iron", "iron")],
    }
    judged = judge_found.reads(
        JudgeInput(question="q", gold_answer="yes", documents=()), "So it says. <answer>No</answer>"
    )
    assert (judged.reason, judged.answer) == ("So it says.", "no")
