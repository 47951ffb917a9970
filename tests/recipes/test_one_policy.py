"""The same scripted model in every recipe: the same head of what it reads, the same headline, the same policy."""

import asyncio
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import pytest
from rows import each_row, tables
from scripted_capable import checks

from medground.answering.run import Run
from medground.errors import ModelFailed
from medground.recipes.base import open_recipe
from medground.values.document import Document
from medground.values.source_plan import SourceDescription
from medground.wording.phrases import headline

TABLES = tables(__file__)
PAPER = Document.model_validate(TABLES["paper"])
RECIPES = (
    "ground",
    "pubmed-reasoner",
    "rag",
    "self-reflection",
    "reason-and-verify",
    "self-medrag",
    "omni-rag",
    "biomedsearch",
)
OPTIONS = {"omni_rag.planner": "all", "reason_and_verify.shots": 0, "reason_and_verify.rerank": False}
HEAD = ("PMID:7", "Aspirin in gout: a trial", 2019, "randomized controlled trial")


def cited(value: Any, cue: str) -> str:
    """The id of the first sentence or quote shown that has some words."""
    shown = [(one.id, one.text) for passage in getattr(value, "passages", ()) for one in passage.sentences]
    shown += [(e.evidence[0], e.text) for e in getattr(value, "summary", ())]
    shown += [(quote.id, quote.quote) for part in getattr(value, "parts", ()) for quote in part.quotes]
    return next(name for name, text in shown if cue in text)


class OneModel:
    """It writes one sentence and one short answer, by whatever operator it is asked; its check agrees."""

    def __init__(self, case: dict[str, Any], answer: list[str]) -> None:
        self.heads: set[tuple[Any, ...]] = set()
        self._case, self._answer, self._sentence = case, tuple(answer), case["sentence"]
        writers = ("read_and_answer", "reason", "read_sources", "respond", "compose_report", "answer_part")
        self.replies: dict[str, Any] = dict.fromkeys(writers, self._written)
        self.replies |= {"extract": self._extracted, "summarise": self._summarised}

    def _written(self, value: Any) -> dict[str, Any]:
        self._look(value)
        place = cited(value, self._case["cue"])
        claims = ({"text": self._sentence, "sentences": (place,)},)
        written = ({"text": self._sentence, "evidence": (place,)},)
        parts = {"statements": claims, "claims": claims, "sentences": written, "synthesis": written, "background": ()}
        return parts | {"answer": self._answer, "form": self._case.get("form"), "answerable": True}

    def _extracted(self, value: Any) -> dict[str, Any]:
        self._look(value)
        return {"sentences": ({"sentence": cited(value, self._case["cue"]), "stance": "mixed"},)}

    def _summarised(self, value: Any) -> dict[str, Any]:
        return {"observations": tuple({"text": e.quote, "evidence": (e.id,)} for e in value.evidence)}

    def _look(self, value: Any) -> None:
        for passage in getattr(value, "passages", ()):
            self.heads.add((passage.paper, passage.title, passage.year, passage.design))
        for one in getattr(value, "summary", ()):
            self.heads.add((one.article, one.title, one.year, one.design))


Answered = Callable[..., tuple[Any, OneModel]]


@pytest.fixture
def answered(make_run: Callable[..., Run], memory_source: Any, scripted_model: Any) -> Answered:
    def ask(name: str, case: dict[str, Any], answer: list[str], broken: str = "", **more: Any) -> tuple[Any, OneModel]:
        recipe, one = open_recipe(name), OneModel(case, answer)

        def reply(output: Any, written: Callable[[Any], dict[str, Any]], value: Any) -> Any:
            return output.model_validate({n: said for n, said in written(value).items() if n in output.model_fields})

        known = [operator for operator in recipe.operators if operator.name in one.replies]
        replies: dict[str, Any] = {o.name: partial(reply, o.output, one.replies[o.name]) for o in known}
        replies["check"] = checks(lambda asked: asked.is_("entails", asked.evidence[0].id if asked.evidence else None))
        source = memory_source([PAPER])
        source.described = SourceDescription.of_kind("research")
        if broken:
            replies[broken] = ModelFailed("it returned no usable output", model="scripted:model")
        model, options = scripted_model(replies), OPTIONS | {"recipe.name": name} | more
        run = make_run(case["question"], [source], model, list(replies), options=options, recipe=recipe)
        return asyncio.run(recipe.run(run.question, run)), one

    return ask


@each_row(("recipe", "case"), product(RECIPES, TABLES["cases"]))
def test_a_right_headline_is_shown_and_a_wrong_one_is_withheld(
    answered: Answered, recipe: str, case: dict[str, Any]
) -> None:
    right, model = answered(recipe, case, case["right"])
    assert (right.decision.status, right.decision.shown()) == ("decided", ", ".join(case["right"])), headline(right)
    assert headline(right).startswith(case["head"])
    assert model.heads == {HEAD}

    wrong, _ = answered(recipe, case, case["wrong"])
    assert wrong.decision.shown() != ", ".join(case["wrong"])
    assert "; ".join(case["reason"]) in " ".join([wrong.decision.reason, *(one.reason for one in wrong.dropped)])


@each_row(
    ("recipe", "part"),
    [
        *(("biomedsearch", part) for part in ("name_keywords", "build_graph", "connect_parts")),
        *(("pubmed-reasoner", part) for part in ("screen", "extract", "sufficient", "coverage", "summarise")),
    ],
)
def test_a_part_on_which_the_model_fails_is_told_in_one_line_and_the_rest_stands(
    answered: Answered, recipe: str, part: str
) -> None:
    case = next(one for one in TABLES["cases"] if one["right"] == ["no"])
    answer, _ = answered(recipe, case, case["right"], part)
    assert answer.decision.shown() == "no"
    told = [one for one in answer.warnings if "it returned no usable output" in one]
    assert told and len(set(told)) == len(told)
    assert all(one.count("\n") == 0 for one in told)
    with pytest.raises(ModelFailed):
        answered(recipe, case, case["right"], part, **{"verify.gate": False})
