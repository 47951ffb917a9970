"""Measures `ground` with a scripted capable model on expert questions whose paper the first search may miss.

    python benchmarks/second_search.py [--data ../shared/data/bioasq] [--count 300]

The corpus is the snippets of three years of BioASQ; the questions are those of the newest year that ask for yes or
no, a name or a list. The script knows one paper of each question, the first with a title. Where it is not among the
documents of the first call, the script gives no answer, says what is missing, and writes a query: the two rarest words
of what the experts marked in that paper, which a reader of the field would think of. Its judge agrees with all.

The rows say, of the questions that the first search sufficed for and of the others: the calls, the tokens (characters
by four, of instructions, form, prompt and reply), how often the paper was read in the end, and of these how often the
model's answer was shown, and with the sentence that was missing. `--show` also prints the first line of the others.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from scripted_capable import Capable, Gold

from medground import Answer, Engine, Settings
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import open_file
from medground.language import words
from medground.language.sentences import sentence_spans
from medground.models.base import CallLimits, Reply
from medground.models.operators.base import I, O, Operator
from medground.models.output import form_of
from medground.values.question import Task
from medground_evaluate.datasets import snippets

CORPUS = "bioasq"
FORMS = {"factoid": "name", "list": "items"}


class Counted(Capable):
    """Counts the tokens of its calls."""

    tokens = 0

    async def answer(self, operator: Operator[I, O], value: I, limits: CallLimits) -> Reply[O]:
        """Answer one call."""
        reply = await super().answer(operator, value, limits)
        sent = f"{operator.instructions}{form_of(operator.output)}{operator.prompt(value)}"
        self.tokens += (len(sent) + len(reply.output.model_dump_json())) // 4
        return reply


def known(file: Path) -> Iterator[tuple[Gold, Task]]:
    """What the script knows of each question, and the task."""
    for question in snippets.golden_questions(file):
        papers = [one for one in snippets.papers_of(question.get("snippets") or ()) if one.title]
        kind, exact = question["type"], question.get("exact_answer")
        if kind == "summary" or not papers or not exact:
            continue
        spans = sentence_spans(papers[0].text) or [(0, len(papers[0].text))]
        marked = tuple(papers[0].text[start:end].strip() for start, end in spans)[:2]
        said = {one for one in words.tokens(" ".join(marked)) if words.terms(one)}
        rare = sorted(said, key=lambda one: (-words.weight(words.stem(one)), one))[:2]
        names = tuple(dict.fromkeys(one if isinstance(one, str) else one[0] for one in exact))
        yield (
            Gold(
                question["body"],
                exact if kind == "yesno" else "",
                marked,
                title=papers[0].title,
                items=() if kind == "yesno" else names[:1] if kind == "factoid" else names,
                form=FORMS.get(kind),
                query=" AND ".join(f"{one}[tiab]" for one in rare),
            ),
            "yes-no" if kind == "yesno" else "free",
        )


async def asked(home: Path, questions: Sequence[tuple[Gold, Task]]) -> list[tuple[Gold, Answer, int, int]]:
    """Each question with its answer, how often documents were read, and the tokens."""
    chosen = {"home": str(home), "retrieval.corpora": (CORPUS,)}
    found = []
    async with Engine.open(Settings.load(environ={}, options=chosen)) as engine:
        for gold, task in questions:
            model = Counted([gold])
            engine.models = model.models()
            answer = await engine.ask(gold.question, task=task)
            found.append((gold, answer, model.asked["read_and_answer"], model.tokens))
    return found


def row(found: Sequence[tuple[Gold, Answer, int, int]]) -> tuple[str, list[str]]:
    """The cells of some questions, and the first lines where the paper was read and the answer is not shown."""
    written = [(gold, answer) for gold, answer, *_ in found if answer.statements or answer.dropped]
    shown = [gold.given == _given(answer) for gold, answer in written]
    told = sum(all(one in answer.rationale for one in gold.sentences) for gold, answer in written)
    calls = [answer.usage.model_calls for _, answer, *_ in found]
    tokens = statistics.median(tokens for *_, tokens in found)
    lost = [
        f"{gold.question[:60]} | {gold.given} | {str(answer).split(chr(10) * 2)[1][:150]!r}"
        for (gold, answer), right in zip(written, shown, strict=True)
        if not right
    ]
    cells = (len(found), max(calls), f"{tokens:,.0f}", len(written), sum(shown), told)
    return " | ".join(map(str, cells)), lost


def _given(answer: Answer) -> tuple[str, ...]:
    """The exact answer, as the script gives it."""
    exact = answer.decision.exact_answer
    if exact is None or isinstance(exact, str):
        return (exact,) if exact else ()
    return tuple(one if isinstance(one, str) else one[0] for one in exact)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/bioasq"))
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    files = [file for _, file in sorted(snippets.golden_files(options.data))]
    questions = list(known(files[-1]))
    random.Random(0).shuffle(questions)
    with tempfile.TemporaryDirectory() as home:
        build(Library(Path(home)), CORPUS, [open_file(file) for file in files])
        found = asyncio.run(asked(Path(home), questions[: options.count]))
    print("| first search | n | most calls | tokens (median) | paper read | answer shown | with its sentences |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for title, reads in (("suffices", 1), ("does not", 2)):
        those = [one for one in found if one[2] == reads]
        if those:
            cells, lost = row(those)
            print(f"| {title} | {cells} |", flush=True)
            for line in lost if options.show else ():
                print(f"    {line}")


if __name__ == "__main__":
    main()
