"""Numbers that no cited quote or source holds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from rows import each_row

from medground.answering.conclude.policy import release
from medground.answering.run import Run
from medground.answering.verify.check import check_all
from medground.answering.verify.numbers import QUANTITY, missing_quantities
from medground.home.settings_groups import VerifySettings
from medground.models.operators.verifying import EntailOutput
from medground.values.document import Document
from medground.values.evidence import Sentence
from medground.values.statement import Verdict

MakeRun = Callable[..., Run]
QUOTE = "Opioids were used by 17.5% of 40 patients on pregabalin and 52.5% on placebo (P = 0.001; HR 0.33)."
PAPER = Document(id="PMID:1", title="Pregabalin 75 mg", text=f"{QUOTE} Median stay was 9.5 days in PREG-2.", year=2011)


@each_row(
    ("sentence", "missing"),
    [
        ("Pregabalin lowered opioid use to 17.5 per cent (p=0.001).", []),
        ("Of forty patients on pregabalin 17.5 % used opioids.", []),
        ("About half (53 %) used opioids on placebo.", ["53 %"]),
        ("On placebo about 53 % used opioids.", []),
        ("Opioids were used by 15.7% on pregabalin.", ["15.7%"]),
        ("Opioid use was 17.5 percentage points.", ["17.5 percentage points"]),
        ("Opioids were used by 40 % of patients.", ["40 %"]),
        ("The odds ratio was 0.33.", ["0.33"]),
        ("The hazard ratio was 17.5, with 0.33% of patients.", ["17.5", "0.33%"]),
        ("It differed by more than 52.5 mg.", ["52.5 mg"]),
        ("There are three reasons and type 2 diabetes.", []),
        ("It took three weeks.", ["three weeks"]),
    ],
)
def test_each_number_must_be_in_a_quote_with_its_unit(sentence: str, missing: list[str]) -> None:
    assert [q.text for q in missing_quantities(sentence, [QUOTE])] == missing


def test_opposite_signs_and_numbers_in_names() -> None:
    assert missing_quantities("p > 0.05", ["p<0.05"])
    assert not missing_quantities("PREG 2 was a trial.", ["PREG-2 was a trial."])
    assert missing_quantities("1 mg", []) == missing_quantities("1 mg", ["no number"])


def verdict(run: Run, text: str) -> Verdict:
    run.ledger.admit([PAPER])
    run.ledger.quote("PMID:1", 0, len(QUOTE))
    return asyncio.run(check_all([Sentence(text=text, evidence=("E1",))], run))[0]


@each_row("trusted", [True, False])
def test_a_number_that_no_cited_source_has_is_held_whoever_judged_it(
    make_run: MakeRun, scripted_model: Any, trusted: bool
) -> None:
    model = scripted_model({"entail": EntailOutput(relation="entails", best="E1")})
    options = {"verify.trusted_judges": [model.name] if trusted else []}
    run = make_run("Does pregabalin spare opioids?", model=model, by_model=["entail"], options=options)
    text = "Pregabalin lowered opioid use from 52.5 % to 15.7 %."
    found = verdict(run, text)
    assert (found.label, found.assessed) == ("not found", None)
    kept, dropped = release([Sentence(text=text, evidence=("E1",))], [found], VerifySettings(unsupported="flag"))
    assert not kept
    assert "it gives 15.7 %, which the source that it cites does not contain" in dropped[0].reason


def test_a_number_elsewhere_in_the_cited_source_is_released_but_noticed(make_run: MakeRun, scripted_model: Any) -> None:
    model = scripted_model({"entail": EntailOutput(relation="entails", best="E1")})
    run = make_run("Does pregabalin spare opioids?", model=model, by_model=["entail"])
    found = verdict(run, "Patients on pregabalin stayed for 9.5 days in 2011.")
    assert QUANTITY not in found.flags
    assert "gives a number that the text quoted does not hold (`9.5 days, 2011`)" in found.note


def test_numbers_of_the_question_may_be_repeated(make_run: MakeRun) -> None:
    found = verdict(make_run("Does pregabalin 300 mg spare opioids?"), "Pregabalin 300 mg lowered the use of opioids.")
    assert QUANTITY not in found.flags
