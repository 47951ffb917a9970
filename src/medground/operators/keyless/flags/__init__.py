"""The keyless critic: is a premise evidence about a statement, and what makes a lookalike wrong?

Nothing here says that a premise supports a statement. Measured on SciFact, word statistics do not tell SUPPORT from
REFUTE better than the majority does; they tell `related` from `not related`, and they point at differences to look at.
"""

from medground.operators.keyless.flags.compare import RELATED, Comparison, compare
from medground.operators.keyless.flags.kinds import FLAGS, differences

__all__ = ["FLAGS", "RELATED", "Comparison", "compare", "differences"]
