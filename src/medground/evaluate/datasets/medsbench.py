"""Three clinical sets of MedS-Bench: SEER (treatment), DDXPlus (diagnosis), MIMIC-IV-ED (outcomes of a visit).

MedS-Bench has one JSON file per task with a definition and instances (`input`, `output`); the options are the list in
the definition or, without one, all outputs in the file. Omni-RAG has the same sets with lettered options.
"""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Generator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from medground.errors import UsageError
from medground.evaluate.base import Item
from medground.evaluate.datasets.asking import LETTERS, closed
from medground.evaluate.datasets.loader import Loader, described
from medground.evaluate.datasets.omni import is_omni, omni_item, omni_records, omni_split
from medground.evaluate.datasets.records import Placed, Record, json_file

_LISTED = re.compile(r"\[[^\[\]]*\]")
_ANSWER_AFTER = re.compile(r"^[^:]{1,60} is:\s*", re.IGNORECASE)
_YES_NO = {"true": "yes", "false": "no", "1": "yes", "0": "no"}
_SOURCES = {"seer": ("seer",), "ddxplus": ("ddxplus",), "mimic-iv-ed": ("mimic",)}


def _records(path: Path, name: str) -> Generator[Placed]:
    content = None if path.name.removesuffix(".gz").endswith(".jsonl") else json_file(path)
    if isinstance(content, dict):
        yield from _instances(path, content, name)
        return
    yield from omni_records(path)


def _instances(path: Path, content: Mapping[str, Any], name: str) -> Generator[Placed]:
    instances, definition = content.get("Instances"), content.get("Definition")
    if not isinstance(instances, list) or not isinstance(definition, list) or not definition:
        raise UsageError(f'{path} is not a MedS-Bench task: it has no lists "Definition" and "Instances"')
    if not any(part in f"{path.name} {content.get('Source')}".lower() for part in _SOURCES[name]):
        raise UsageError(f"{path} is a different MedS-Bench task, not {name}; its file name or source says which")
    outputs = [_output(instance) for instance in instances]
    options = _options(definition[0], outputs)
    for number, (instance, output) in enumerate(zip(instances, outputs, strict=True), start=1):
        letter = next((letter for letter, option in options.items() if option.lower() == output.lower()), None)
        yield (
            f"{path.name}: instance {number}",
            {
                "id": f"{path.name.partition('_')[0]}-{number:06d}",
                "question": f"{instance.get('input')}\n{definition[0]}",
                "options": options,
                "gold": letter,
                "output": output,
                "name": name,
                "split": "test",
            },
        )


def _output(instance: Mapping[str, Any]) -> str:
    """The answer alone: `The treatment planning is: X` is X, `True` is yes."""
    given = instance.get("output")
    text = str(given[0] if isinstance(given, list) and given else given)
    text = _ANSWER_AFTER.sub("", text.strip()).strip().rstrip(".")
    return _YES_NO.get(text.lower(), text)


def _options(definition: str, outputs: Sequence[str]) -> dict[str, str]:
    for listed in _LISTED.findall(definition):
        with contextlib.suppress(ValueError, SyntaxError):
            named = ast.literal_eval(listed)
            if len(named) > 1 and all(isinstance(option, str) for option in named):
                return dict(zip(LETTERS, named, strict=False))
    named = sorted(set(outputs), reverse={*outputs} <= {"yes", "no"})
    return dict(zip(LETTERS, named, strict=False))


def _item(record: Record) -> Item:
    if is_omni(record):
        return omni_item(record)
    if record["gold"] is None:
        raise ValueError(f"the gold answer {record['output'][:60]!r} is not one of the options")
    question, gold = closed(record["question"], record["options"], record["gold"])
    return Item(id=record["id"], question=question, gold=gold, split=omni_split(record), extra={"set": record["name"]})


def _medsbench_loader(name: str) -> Loader:
    return Loader(
        info=described(name),
        files=("test_short.json",),
        records=partial(_records, name=name),
        known=lambda record: is_omni(record) or {"options", "gold", "output", "name"} <= record.keys(),
        ours=lambda record: str(record["name"]).startswith((name, *_SOURCES[name])),
        split=omni_split,
        item=_item,
    )


SEER, DDXPLUS, MIMIC_IV_ED = (_medsbench_loader(name) for name in _SOURCES)
