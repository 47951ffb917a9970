"""A research plan for readers: as a tree of text, as Mermaid, and as a drawing."""

from medground.wording.plans.mermaid import mermaid
from medground.wording.plans.svg import svg
from medground.wording.plans.tree import tree

__all__ = ["mermaid", "svg", "tree"]
