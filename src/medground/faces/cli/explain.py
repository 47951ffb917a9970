"""`medground explain`: why the first line of an answer is what it is."""

from medground.errors import ConfigError, UsageError
from medground.faces.cli import options as by
from medground.faces.cli.asking import STDIN, ask_one, read_stdin
from medground.faces.cli.terminal import say_either


def explain(
    question: by.QuestionText = None,
    corpus: by.Corpora = None,
    kb: by.KnowledgeBase = None,
    json: by.PrintJson = False,
    sets: by.Sets = None,
    preset: by.Preset = None,
    settings: by.SettingsFile = None,
    quiet: by.Quiet = False,
) -> None:
    """Show why an answer begins as it does: how the question was read, and how sentences were judged.

    The question is answered without a language model. The twelve best sentences are shown with each term of their
    score, then the first line and the reason for it.
    """
    from medground.answering.explanation import Explanation
    from medground.answering.trace import read_trace
    from medground.language.risk.notices import notice_first
    from medground.values.question import Question
    from medground.values.usage import KEYLESS
    from medground.wording.explaining import explained

    if question is None:
        raise UsageError("no question given; write one in quotes, or - to read it from standard input")
    text = read_stdin() if question == STDIN else question
    with notice_first(text):
        chosen = by.load_settings(sets, preset, settings, {**by.searched(corpus, kb), "recipe.name": "ground"})
        keyless = chosen.model.replace(default=KEYLESS, operators={})
        chosen = chosen.replace(model=keyless)
        answer = ask_one(Question.ask(text), chosen, quiet=quiet)
    try:
        spans = read_trace(chosen.home / "traces", answer.trace_id)
    except UsageError:
        raise ConfigError(f"cannot explain the answer: {chosen.home} is read-only; set MEDGROUND_HOME") from None
    explanation = Explanation.from_trace(answer, spans)
    say_either(explanation, explained(explanation), json=json)
