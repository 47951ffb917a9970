"""The step that rewrites a question whose search found too little.

Source: Reason and Verify, section 3.1 (query rewriter) and Algorithm 1, line 8.
"""

from __future__ import annotations

from collections.abc import Sequence

from medground.document import Hit
from medground.operators.rewriting import RewriteInput, rewrite
from medground.question import Question
from medground.run import Run


async def rewritten(question: Question, hits: Sequence[Hit], run: Run) -> str:
    """The question in words that the literature uses (q'); the same text when nobody knows better ones.

    Raises:
        ModelFailed: the model gave no usable output.
    """
    found = tuple(f"{hit.passage.title}\n{hit.passage.text}".strip() for hit in hits)
    output = await run.ask(rewrite, RewriteInput(question=question.text, found=found))
    return " ".join(output.question.split())
