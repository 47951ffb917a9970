"""Medground answers biomedical questions from the literature and proves every sentence.

from medground import ask
print(ask("Is ectopia lentis a feature of Marfan syndrome?").rationale)
"""

from medground.values.exports import exported

__getattr__, __dir__ = exported(__name__)
