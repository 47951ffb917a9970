"""All operators by name, for settings that give one to a model. Names only, so that none has to be loaded."""

from __future__ import annotations

from medground.home.registry import RECIPES
from medground.recipes.base import open_recipe

_NAMES = """
    alignment answer_part assess brief_papers build_graph check_answer check_option choose_options choose_tools
    compare_explanations compose_report connect_parts coverage decompose direct direct_or_recall divide_topic
    draft_query entail explore extract improve_plan judge_found label mesh_terms name_keywords name_terms
    plan_sources rate_long_answer rate_pages rate_plan read_sources reason reason_or_recall recall redundancy
    refine_query reflect respond respond_openly rewrite screen select_terms self_critic sufficient summarise
    tabulate update_terms write write_choice_question write_passage write_query
"""


def operator_names() -> tuple[str, ...]:
    """The names of our operators and of those that recipes declare, in order."""
    declared = [operator.name for name in RECIPES for operator in open_recipe(name).operators]
    return tuple(sorted({*_NAMES.split(), *declared}))
