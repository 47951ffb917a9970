"""Building a set of multiple-choice questions: dividing a topic, findings of papers, a question, and its second check.

Source: BioMedSearch, section IV.A and Figure 2. The instructions are in our own words. Without a model nothing is made:
word statistics can neither write a wrong option nor tell whether a paper bears one out. The operator that checks an
option never sees who wrote it, why, or what its key is, and may be given another model than the one that wrote it.
"""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from medground.models import (
    FewWords,
    InvalidOutput,
    OperatorInput,
    OperatorOutput,
    SentencedPassage,
    Untrusted,
    only_known,
    operator,
    sentence_ids,
)
from medground.values import AtLeastOne
from medground_evaluate.prompts import PROMPTS

Level = Literal[1, 2, 3]
LEVELS: tuple[Level, ...] = (1, 2, 3)
MOST_FINDINGS = 12
_LONGEST = 400


class DivideInput(OperatorInput):
    topic: Untrusted
    titles: tuple[Untrusted, ...] = Field(description="of papers that a first search for the topic found")
    subtopics: AtLeastOne
    keywords_each: AtLeastOne


class WrittenSubTopic(OperatorOutput):
    text: str = Field(min_length=3, max_length=200, description="the sub-topic as a noun phrase")
    keywords: tuple[str, ...] = Field(description="words or short phrases to search for, most telling first")


class DivideOutput(OperatorOutput):
    subtopics: tuple[WrittenSubTopic, ...]


def _divided(value: DivideInput, output: DivideOutput) -> None:
    if not output.subtopics:
        raise InvalidOutput("name at least one sub-topic")
    if any(
        not subtopic.keywords or not all(word.strip() for word in subtopic.keywords) for subtopic in output.subtopics
    ):
        raise InvalidOutput("every sub-topic needs keywords, none of them empty")


@operator(instructions=PROMPTS["divide_topic"], check=_divided)
def divide_topic(value: DivideInput) -> DivideOutput:
    """The topic itself."""
    return DivideOutput(subtopics=(WrittenSubTopic(text=value.topic, keywords=(value.topic,)),))


class BriefInput(OperatorInput):
    topic: Untrusted
    level: Level
    papers: tuple[SentencedPassage, ...]


class WrittenFinding(OperatorOutput):
    text: str = Field(min_length=10, max_length=_LONGEST, description="what the paper found, one sentence")
    sentences: tuple[str, ...] = Field(min_length=1, description="ids of the sentences that state it, of one paper")


class BriefOutput(OperatorOutput):
    findings: tuple[WrittenFinding, ...] = Field(max_length=MOST_FINDINGS)


def _briefed(value: BriefInput, output: BriefOutput) -> None:
    only_known((s for finding in output.findings for s in finding.sentences), sentence_ids(value.papers), "sentence")
    if any(len({s.partition(".")[0] for s in finding.sentences}) > 1 for finding in output.findings):
        raise InvalidOutput("a finding names sentences of two papers; give each paper its own findings")


@operator(instructions=PROMPTS["brief_papers"], check=_briefed)
def brief_papers(value: BriefInput) -> BriefOutput:
    """Nothing."""
    return BriefOutput(findings=())


class FindingView(OperatorInput):
    """A finding to write a question from: `F1`, `F2`, ..."""

    id: str
    text: Untrusted


class WriteQuestionInput(OperatorInput):
    topic: Untrusted
    level: Level
    right: AtLeastOne = Field(description="number of right options")
    wrong: AtLeastOne = Field(description="number of wrong options")
    findings: tuple[FindingView, ...]
    rejected: tuple[FewWords, ...] = Field(default=(), description="why earlier questions on this topic were rejected")


class WrittenOption(OperatorOutput):
    text: str = Field(min_length=10, max_length=2 * _LONGEST)
    right: bool
    findings: tuple[str, ...] = Field(min_length=1, description="ids of the findings that show it right or wrong")


class WriteQuestionOutput(OperatorOutput):
    question: str = Field(default="", max_length=1000)
    options: tuple[WrittenOption, ...] = Field(default=(), description="empty if the findings do not carry a question")


def _written(value: WriteQuestionInput, output: WriteQuestionOutput) -> None:
    if not output.options:
        return
    if not output.question.strip():
        raise InvalidOutput("the question is empty")
    only_known((f for option in output.options for f in option.findings), (f.id for f in value.findings), "finding")
    right = sum(option.right for option in output.options)
    if (right, len(output.options) - right) != (value.right, value.wrong):
        raise InvalidOutput(f"write {value.right} right and {value.wrong} wrong options")
    if len({option.text.strip().lower() for option in output.options}) < len(output.options):
        raise InvalidOutput("two options are the same")


@operator(instructions=PROMPTS["write_choice_question"], check=_written)
def write_choice_question(value: WriteQuestionInput) -> WriteQuestionOutput:
    """Nothing."""
    return WriteQuestionOutput()


Says = Literal["shown", "ruled out", "silent"]


class CheckOptionInput(OperatorInput):
    option: Untrusted
    passages: tuple[SentencedPassage, ...]


_Few = BeforeValidator(lambda said: tuple(said)[:6] if isinstance(said, list | tuple) else said)


class CheckOptionOutput(OperatorOutput):
    sentences: Annotated[tuple[str, ...], _Few] = Field(
        max_length=6, description="ids of the sentences that decide it; none if it is silent"
    )
    says: Says


def _checked(value: CheckOptionInput, output: CheckOptionOutput) -> None:
    if output.says != "silent" and not output.sentences:
        raise InvalidOutput("name the sentences that show it or rule it out, or say that the passages are silent")


@operator(
    instructions=PROMPTS["check_option"], check=_checked, ids={"sentences": lambda value: sentence_ids(value.passages)}
)
def check_option(value: CheckOptionInput) -> CheckOptionOutput:
    """Silent: word statistics cannot tell."""
    return CheckOptionOutput(sentences=(), says="silent")


BUILDING = (divide_topic, brief_papers, write_choice_question, check_option)
