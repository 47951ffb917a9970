"""Answer a choice from a report: the paragraphs nearest to question and options, then the set of right options."""

from collections.abc import Sequence
from dataclasses import dataclass

from medground.answering.rank.cosines import cosines
from medground.answering.run import Run
from medground.errors import UsageError
from medground.language.sentences import sentence_spans
from medground.models.operators.base import SentencedPassage, SentenceView
from medground.models.operators.reasoning import ChooseInput, choose_options, option_lean
from medground.values.answer import Answer
from medground.values.question import Question

CHOICES = ("single-choice", "multiple-choice")


@dataclass(frozen=True)
class OptionEvidence:
    """What the paragraphs say about one option.

    Attributes:
        letter: of the option.
        sentences: those that a model names for it, or the nearest by words.
        lean: the share of its words that these sentences hold, 0 to 1, halved where they differ in direction, negation
            or number. It is not a probability, and says nothing about being right where a model has read them.
    """

    letter: str
    sentences: tuple[str, ...]
    lean: float


@dataclass(frozen=True)
class Chosen:
    """The answer to a choice.

    Attributes:
        paragraphs: which paragraphs were read, by their place in what was given, best first.
        options: what they say about each option, in the order of the options.
        answer: the letters that a model gives; empty if it gives none, or if no model was asked.
        lean: the letters that word statistics favour; on BioMedMCQs most of these sets are wrong
            (docs/measurements/methods.md).
    """

    paragraphs: tuple[int, ...]
    options: tuple[OptionEvidence, ...]
    answer: tuple[str, ...] = ()
    lean: tuple[str, ...] = ()


async def choose(question: Question, paragraphs: Sequence[str], run: Run, *, most: int, embedder: str) -> Chosen:
    """Answer a question with options from paragraphs alone.

    The paragraphs are ranked by cosine with the question and its options, and the first k are read. Without a paragraph
    only a model that must answer (`recipe.definite`) is asked.

    Args:
        paragraphs: of a report, or of any texts, without citation marks.

    Raises UsageError: the question has no options.
    """
    if question.task not in CHOICES:
        raise UsageError(f"a {question.task} question has no options to choose from; ask it as multiple-choice")
    read = await nearest_paragraphs(question, paragraphs, run, most=most, embedder=embedder)
    said: dict[str, str] = {}
    views = tuple(_numbered(f"P{n}", paragraphs[place], said) for n, place in enumerate(read, start=1))
    if not said and not run.answers_anyway(choose_options):
        return Chosen((), tuple(OptionEvidence(option.letter, (), 0.0) for option in question.options))
    value = ChooseInput(question=question.text, task=question.task, options=question.options, paragraphs=views)
    output = await run.ask_for_part(choose_options, value, "the choice of options")
    named: dict[str, tuple[str, ...]] = {option.letter: () for option in question.options}
    for one in output.options:  # a weak model names an option twice, or leaves it out
        named[one.letter] = tuple(dict.fromkeys((*named[one.letter], *(said[i] for i in one.sentences))))
    options = tuple(
        OptionEvidence(option.letter, named[option.letter], option_lean(option.text, named[option.letter]))
        for option in question.options
    )
    answer = tuple(option.letter for option in question.options if option.letter in output.answer)
    if run.settings.verify.gate and not all(named[letter] for letter in answer):
        answer = ()  # no sentence is named for it
    return Chosen(tuple(read), options, answer, leaning(question, options))


async def nearest_paragraphs(
    question: Question, paragraphs: Sequence[str], run: Run, *, most: int, embedder: str
) -> list[int]:
    """Places of the k paragraphs nearest to question and options, best first; of equal ones the earlier first."""
    asked = " ".join([question.text, *(option.text for option in question.options)])
    near = await cosines(asked, paragraphs, run, embedder=embedder)
    there = [n for n, text in enumerate(paragraphs) if text.strip()]
    return sorted(there, key=lambda n: (-near[n], n))[:most]


def leaning(question: Question, options: Sequence[OptionEvidence]) -> tuple[str, ...]:
    """The letters that the leans point to: those above the mean or, where one is right, the first of the highest."""
    if not options or not any(option.lean for option in options):
        return ()
    if question.task == "single-choice":
        return (max(options, key=lambda option: option.lean).letter,)
    mean = sum(option.lean for option in options) / len(options)
    return tuple(option.letter for option in options if option.lean >= mean)


def _numbered(key: str, text: str, said: dict[str, str]) -> SentencedPassage:
    sentences = {f"{key}.S{n}": text[start:end] for n, (start, end) in enumerate(sentence_spans(text), start=1)}
    said |= sentences
    return SentencedPassage(id=key, sentences=tuple(SentenceView(id=i, text=one) for i, one in sentences.items()))


def report_paragraphs(answer: Answer) -> list[str]:
    """The text of each section that has statements, without citation marks; none for an answer without a report."""
    found = []
    for section in answer.report.sections if answer.report else ():
        own = [s for s in answer.statements if section.start <= s.start and s.end <= section.end]
        if own:
            found.append(" ".join(" ".join(statement.text.split()) for statement in own))
    return found
