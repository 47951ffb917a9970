"""The audit finds planted clues, and finds nothing if there are none."""

import random
import sys
from pathlib import Path

import pytest
from command_line import run
from refusals import refused
from runs import write_lines

from medground.errors import ConfigError, UsageError
from medground.values.document import Document
from medground.values.question import Question, Task
from medground_evaluate.auditing import audit, best_blind
from medground_evaluate.blind import Audit, longest
from medground_evaluate.items import Item, Split

WORDS = ("gene", "cell", "dose", "trial", "liver", "bone", "nerve", "blood", "virus", "drug", "heart", "lung")


def some_words(chance: random.Random, count: int) -> str:
    return " ".join(chance.choices(WORDS, k=count))


def choice(
    number: int, options: list[str], gold: str, *, task: Task = "single-choice", split: Split = "test", group: str = ""
) -> Item:
    question = Question.ask(f"What is asked in number {number}?", task=task, options=options)
    return Item(id=f"q{number}", question=question, gold=tuple(gold), split=split, group=group)


def closed(number: int, text: str, gold: str, **more: object) -> Item:
    question = Question.ask(text, task="yes-no-maybe")
    return Item.model_validate({"id": f"q{number}", "question": question, "gold": (gold,)} | more)


def shares(found: Audit) -> dict[str, float]:
    return {figure.name: figure.share for figure in (*found.baselines, *found.facts)}


def by_hand() -> list[Item]:
    """Six questions: A is correct in four, the longest option in three."""
    first, second, third = (["tiny", "short", "brief"] for _ in range(3))
    first[0] = second[1] = third[2] = "the longest of all"
    asked = [(first, "A"), (first, "A"), (second, "A"), (second, "A"), (third, "C"), (third, "B")]
    return [choice(n, options, gold) for n, (options, gold) in enumerate(asked, start=1)]


def test_baselines_by_hand() -> None:
    found = audit(by_hand(), models=False)
    assert found.items == found.scored == 6
    counted = shares(found)
    assert counted.pop("nearly twice") > 0  # some differ only in their number
    sixths = {"majority class": 4, "longest option": 3, "chance": 2, "asked twice": 0}
    sixths |= {"option 1 is right": 4, "option 2 is right": 1, "option 3 is right": 1}
    assert counted == pytest.approx({name: number / 6 for name, number in sixths.items()})
    best = found.baselines[0]
    assert (best.name, best.count, best.of) == ("majority class", 4, 6)
    assert (best.low, best.high) == pytest.approx((0.2999, 0.9032), abs=1e-3)

    early, late = ["one longer", "two longer", "c", "d"], ["a", "two longer", "three longer", "d"]
    asked = [(early, "AB"), (late, "BC"), (early, "AC"), (early, "ABC")]
    items = [choice(n, options, gold, task="multiple-choice") for n, (options, gold) in enumerate(asked)]
    found = shares(audit(items, models=False))
    assert found["2 longest options"] == 2 / 4
    assert found["number of right answers"] == 3 / 4
    assert found["chance"] == 0.0  # 3 of 4 have two of four letters: 3/4 * 1/6 of 4, rounded to whole items

    items = [choice(n, ["a", "b"], "B") for n in range(3)] + [closed(9, "Is it so?", "no")]
    assert shares(audit(items, models=False))["majority class"] == 1.0

    # A is always correct and all options have the same length, so always choosing the first would be correct.
    items = [choice(n, ["aa", "bb", "cc", "dd"], "A") for n in range(200)]
    one = longest(items)
    assert one and one.share == pytest.approx(0.25, abs=0.08) and longest(items) == one


@pytest.mark.slow
def test_clues_in_words_are_found_and_chance_stays_chance() -> None:
    chance = random.Random(3)
    items = []
    for n in range(60):
        right = chance.randrange(4)
        options = [
            f"{some_words(chance, 6)} {'may' if place == right else 'always'} {some_words(chance, 3)} {place}"
            for place in range(4)
        ]
        items.append(choice(n, options, "ABCD"[right]))
    found = audit(items)
    assert shares(found)["option text alone"] > 0.9
    assert shares(found)["function words of options alone"] > 0.9
    assert shares(found)["question alone"] < 0.5

    chance = random.Random(5)
    items = [
        choice(n, [f"{some_words(chance, 8)} {place}" for place in range(4)], chance.choice("ABCD")) for n in range(120)
    ]
    assert all(baseline.blind and baseline.share < 0.42 for baseline in audit(items).baselines)

    # Each case is asked ten times with one answer, so only a model that saw the case knows it.
    chance = random.Random(7)
    items = []
    for case in range(10):
        gold = chance.choice(("yes", "no", "maybe"))
        for n in range(7):
            text = f"Is case{case} {some_words(chance, 4)} of case{case} so?"
            items.append(closed(case * 7 + n, text, gold, group=f"case {case}"))
    grouped = shares(audit(items))["question alone"]
    alone = shares(audit([item.model_copy(update={"group": ""}) for item in items]))["question alone"]
    assert alone > 0.9
    assert grouped < 0.6

    chance = random.Random(11)
    items = []
    for n in range(60):
        gold = chance.choice(("yes", "no"))
        text = f"{some_words(chance, 12)} {'improved' if gold == 'yes' else 'unchanged'}"
        items.append(closed(n, f"Is {some_words(chance, 5)} so?", gold, context=(Document(id=f"DOC:{n}", text=text),)))
    found = audit(items)
    assert found.baselines[0].name == "context alone" and found.baselines[0].share > 0.9
    best = best_blind(items)
    assert best and best.share < 0.8 and best == next(baseline for baseline in found.baselines if baseline.blind)


LONG = "Does early treatment with the new drug reduce the rate of stroke in older patients with fibrillation?"


def test_the_same_question_twice() -> None:
    nearly = LONG.replace("older", "elderly")
    items = [
        closed(1, LONG, "yes", group="PMID:1", documents=("PMID:1",)),
        closed(2, nearly, "no", group="PMID:2", documents=("PMID:2",)),
        closed(3, "Are wholly different words asked about kidneys of small mice here?", "no", group="PMID:1"),
    ]
    train = items[2].model_copy(update={"split": "train"})
    twin = items[1].model_copy(update={"split": "train"})
    found = shares(audit(items[:1], every=[items[0], twin, train], models=False))
    assert found["question in another split"] == pytest.approx(2 / 3)
    assert found["group in another split"] == pytest.approx(2 / 3)
    documents = [Document(id="PMID:1", title=LONG, text="It does."), Document(id="PMID:7", text="Other words.")]
    found = shares(audit(items, documents=iter(documents), models=False))
    assert found["own document in the corpus"] == 1 / 2
    assert found["question in the corpus"] == pytest.approx(2 / 3)

    options = ["a graft of bone", "a graft of nerve", "a graft of blood"]
    one, other = choice(1, options, "A"), choice(2, options[::-1], "C")
    same = other.model_copy(update={"question": other.question.model_copy(update={"text": one.question.text})})
    assert shares(audit([one, same], models=False))["asked twice"] == 1.0


def test_what_cannot_be_audited_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    item = Item(id="q", question=Question.ask("How does it work in the liver?"), reference="In words.")
    found = audit([item])
    assert found.baselines == () and best_blind([item]) is None
    assert "no blind accuracy" in found.notes[0]

    found = audit(by_hand())
    assert "option text alone" not in shares(found)
    assert any("no linear model" in note for note in found.notes)

    refused(UsageError, "no item", audit, [])

    monkeypatch.setitem(sys.modules, "sklearn", None)
    refused(ConfigError, "scikit-learn", lambda: audit(by_hand()))
    best = best_blind(by_hand())
    assert best and best.name == "majority class" and "no linear models" in best.words


def test_the_command_line(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = [{"id": f"q{n}", "question": f"Is it so in case {n}?", "answer": "yes"} for n in range(3)]
    path = write_lines(tmp_path / "own.jsonl", asked)
    words = ["eval", "audit", "jsonl", "--data", str(path)]
    assert run(*words) == 0
    shown = capsys.readouterr().out
    assert "3 items, 3 with a gold answer" in shown
    assert "majority class  100.0%  [ 43.9%, 100.0%]  3 of 3: always 'yes'" in shown
    assert run(*words, "--json", "--no-linear") == 0
    assert Audit.model_validate_json(capsys.readouterr().out).baselines[0].name == "majority class"
    assert run(*words, "--split", "train") == 2
    assert "no questions in split 'train'" in capsys.readouterr().err
