"""The baseline without retrieval: a model answers from memory.

Source: PubMed Reasoner, section 4.2 and appendix D.
"""

from __future__ import annotations

from medground.answer import Answer, Verdict
from medground.conclude.compose import compose
from medground.operators.answering import RecallInput, recall
from medground.question import Question
from medground.recipes.base import Recipe
from medground.run import Run
from medground.sentence import Sentence
from medground.write.draft import Draft


async def model_only(question: Question, run: Run) -> Answer:
    """Answer from the model's memory. Nothing is searched, so no sentence is supported."""
    output = await run.ask(recall, RecallInput(question=question.text, task=question.task, options=question.options))
    sentences = tuple(Sentence(text=s.text, evidence=()) for s in output.sentences)
    draft = Draft(
        sentences=sentences,
        answer=output.answer,
        basis="model" if output.answer else None,
        reason="" if output.answer else "this recipe does not search, and no model gave an answer",
    )
    nothing = Verdict(label="not found", critic="citation", note="written without evidence")
    return compose(run, draft, [nothing] * len(sentences))


MODEL_ONLY = Recipe(
    name="model-only",
    run=model_only,
    operators=(recall,),
    writers=(recall,),
    needs_evidence=False,
)
