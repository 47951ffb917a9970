"""What a judge is tested on: labelled pairs of public sets, and statements of any records with errors planted in them.

None of the public sets trains anything that ships. They are public, so a hosted model may have seen them; what is
planted in records of your own it has not.
"""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple
from zlib import crc32

from medground.answering import judges
from medground.errors import UsageError
from medground.language import is_prose, reports_result, sentence_spans
from medground.values import Document
from medground_evaluate.datasets.literature import SCIFACT
from medground_evaluate.datasets.loader import json_file, json_lines

Truth = Literal["support", "refute", "neutral"]
PER_SET: Mapping[Truth, int] = {"support": 24, "refute": 24, "neutral": 12}
"""Pairs of each label in a set. Half of those that decide support, so that guessing is right half of the time."""
_TRUTHS: Mapping[str, Truth] = {
    **dict.fromkeys(("support", "supports", "entailment"), "support"),
    **dict.fromkeys(("refute", "refutes", "contradict", "contradiction"), "refute"),
    **dict.fromkeys(("neutral", "notenoughinfo"), "neutral"),
}


class LabelledPair(NamedTuple):
    """A statement, the text to judge it by, and the truth. `group`: pairs of one share a document or a claim.

    Where a sentence is `shown`, the statement is put as a question about it, with the short answer `yes`.
    """

    id: str
    dataset: str
    group: str
    text: str
    statement: str
    truth: Truth
    shown: str = ""


Read = Callable[[Path, str], Iterator[LabelledPair]]
"""The pairs of a set in a folder or file, under its name."""


def _scifact(folder: Path, name: str) -> Iterator[LabelledPair]:
    """Development claims, each with every abstract that it cites."""
    for item in SCIFACT.read(folder, "validation"):
        for document in item.context:
            number = document.id.partition(":")[2]
            given = item.extra["evidence"].get(number)
            truth = _TRUTHS[given[0]["label"].casefold()] if given else "neutral"
            yield LabelledPair(f"{item.id}-{number}", name, number, document.text, item.question.text, truth)


def _check_covid(folder: Path, name: str) -> Iterator[LabelledPair]:
    """Claims with the sentences of an abstract that their annotators named."""
    abstracts = {row["cord_id"]: row["abstract"] for _, row in json_lines(folder / "corpus.json")}
    for file in sorted(folder.glob("covidCheck_dev_*.json")):
        for _, row in json_lines(file):
            said = [abstracts[row["cord_id"]][one["sent_index"]] for one in row["evidence_set"]]
            yield _pair(row["id"], name, row["cord_id"], " ".join(said), row["claim"], row["label"])


def _healthver(folder: Path, name: str) -> Iterator[LabelledPair]:
    with (folder / "healthver_dev.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield _pair(row["id"], name, row["claim"], row["evidence"], row["claim"], row["label"])


def _nli4ct(folder: Path, name: str) -> Iterator[LabelledPair]:
    """Statements about one or two trials, with the lines of their registration that decide."""
    for key, row in json_file(folder / "dev.json").items():
        lines = []
        for trial in ("Primary", "Secondary"):
            if identifier := row.get(f"{trial}_id"):
                section = json_file(folder / "CT json" / f"{identifier}.json")[row["Section_id"]]
                lines += [f"{trial} trial.", *(section[n].strip() for n in row[f"{trial}_evidence_index"])]
        yield _pair(key, name, row["Primary_id"], " ".join(lines), row["Statement"], row["Label"])


def _lines(file: Path, name: str) -> Iterator[LabelledPair]:
    """The same as JSON Lines with `id`, `group`, `premise`, `hypothesis`, `label` and, where it has splits, `split`."""
    for _, row in json_lines(file):
        if row.get("split") in (None, "dev", "validation"):
            yield _pair(row["id"], name, row["group"], row["premise"], row["hypothesis"], row["label"])


def _pair(key: object, name: str, group: str, text: str, statement: str, label: str) -> LabelledPair:
    truth = _TRUTHS[str(label).casefold()]
    return LabelledPair(str(key), name, group, " ".join(text.split()), " ".join(statement.split()), truth)


SETS: Mapping[str, tuple[str, str, Read]] = {
    "SciFact dev": ("scifact", "github.com/allenai/scifact: claims_dev.jsonl, corpus.jsonl", _scifact),
    "Check-COVID dev": ("check_covid", "github.com/posuer/Check-COVID: dev/*.json, corpus.json", _check_covid),
    "HealthVer dev": ("healthver", "github.com/sarrouti/HealthVer: data/healthver_dev.csv", _healthver),
    "NLI4CT evidence": ("nli4ct", "github.com/ai-systems/nli4ct: training_data.zip, unpacked", _nli4ct),
    "Evidence Inference validation": ("evidence_inference", "", _lines),
}
"""The sets by the names that answers use: its place in the data folder, where its owner has it, and its reader."""


def public_pairs(data: Path) -> list[LabelledPair]:
    """The pairs of the sets that are in a data folder, set by set; one may be there as lines, below `nli`."""
    where = "; ".join(f"{place}/ from {address}" for place, address, _ in SETS.values() if address)
    if not data.is_dir():
        raise UsageError(f"{data} is not a folder; put the public sets into one: {where}")
    there: dict[str, tuple[Path, Read]] = {}
    for name, (place, _, read) in SETS.items():
        for found in (data / place, *sorted(data.glob(f"nli/{place}*.jsonl.gz"))):
            if found.exists():
                there.setdefault(name, (found, _lines if found.is_file() else read))
    if "SciFact dev" not in there or len(there) < judges.SETS:
        raise UsageError(f"{data} has too few sets; a proof needs scifact and {judges.SETS - 1} more: {where}")
    pairs: list[LabelledPair] = []
    for name, (found, read) in there.items():
        try:
            pairs += _drawn(read(found, name), name)
        except (KeyError, IndexError, AttributeError, OSError) as error:
            raise UsageError(f"{found}: not as its owner publishes it ({error!r})") from None
    return pairs


def _drawn(pairs: Iterable[LabelledPair], name: str) -> list[LabelledPair]:
    """The fixed draw of a set: by the checksum of ids, of each group one before any second."""
    ordered = sorted(pairs, key=lambda pair: (crc32(pair.id.encode()), pair.id))
    used = set[str]()
    found: list[LabelledPair] = []
    for truth, most in PER_SET.items():
        fresh: list[LabelledPair] = []
        again: list[LabelledPair] = []
        for pair in (pair for pair in ordered if pair.truth == truth):
            (again if pair.group in used else fresh).append(pair)
            used.add(pair.group)
        found += [*fresh, *again][:most]
    if not {"support", "refute"} <= {pair.truth for pair in found}:
        raise UsageError(f"{name} has no pairs of both kinds, supported and refuted; copy the data again")
    return sorted(found, key=lambda pair: crc32(pair.id.encode()))


EACH = 20
"""Findings for each kind of error."""
_READ = 3_000
"""Records that are looked at, at most."""
_OPPOSITES = (
    "increased decreased, increase decrease, increases decreases, higher lower, greater smaller, longer shorter, "
    "better worse, improved worsened, improves worsens, reduced raised, reduces raises, more fewer, positive negative"
)
_TURNED = {a: b for pair in _OPPOSITES.split(", ") for a, b in (pair.split(), reversed(pair.split()))}
_DIRECTION = re.compile(rf"\b(?:{'|'.join(_TURNED)})\b(?! than \d)")
_NUMBER = re.compile(r"(?<![\w.,/-])(?!(?:19|20)\d\d\b)(\d+)((?:\.\d+)?)(?![\w/-]|[.,]\d)")
_VERB = re.compile(r"\b(was|were|is|are|has|have|had|did|does|can|could|may|will|would)(?: not)?\b")


def _renumbered(match: re.Match[str]) -> str:
    """Another number of the same form: its first digit that is not 0 is changed."""
    return re.sub(r"[1-9]", lambda digit: str((int(digit[0]) + 3) % 9 + 1), match[0], count=1)


ERRORS: Mapping[str, tuple[re.Pattern[str], Callable[[re.Match[str]], str]]] = {
    "a number": (_NUMBER, _renumbered),
    "a direction": (_DIRECTION, lambda match: _TURNED[match[0]]),
    "a negation": (_VERB, lambda match: match[1] if match[0].endswith(" not") else f"{match[0]} not"),
}
"""What is changed, once in a sentence, and into what."""
PLANTED = "planted: "
"""What the name of a set of planted errors begins with."""
ANSWERS = f"{PLANTED}a short answer"


def planted_pairs(documents: Iterable[Document]) -> list[LabelledPair]:
    """Findings of records as they stand (supported) and with one error (refuted), the same number of each kind; and
    each of the last ones as a short answer to a question that its own record answers the other way.
    """
    found: dict[str, list[LabelledPair]] = {kind: [] for kind in ERRORS}
    for document in sorted(islice(documents, _READ), key=lambda one: crc32(one.id.encode())):
        for kind in sorted(found, key=lambda kind: len(found[kind])):
            if len(found[kind]) < 2 * EACH and (pairs := _planted(document, kind)):
                found[kind] += pairs
                break
    pairs = [pair for those in found.values() for pair in those]
    asked = [pair for kind in ("a direction", "a negation") for pair in found[kind][:EACH]]
    true = {pair.group: pair.statement for pair in pairs if pair.truth == "support"}
    return [*pairs, *(p._replace(id=f"{p.id}?", dataset=ANSWERS, shown=true[p.group]) for p in asked)]


def _planted(document: Document, kind: str) -> list[LabelledPair]:
    """The first finding of a record in which this error can be planted, without and with it."""
    pattern, change = ERRORS[kind]
    sentences = [document.text[start:end] for start, end in sentence_spans(document.text)]
    for place, sentence in enumerate(sentences):
        told = " ".join(sentence.split())
        if not (50 <= len(told) <= 300 and told.endswith(".") and is_prose(told) and reports_result(told)):
            continue
        if changed := next((told[: m.start()] + change(m) + told[m.end() :] for m in pattern.finditer(told)), ""):
            text = " ".join(" ".join(sentences[max(place - 1, 0) : place + 2]).split())
            shared = (f"{PLANTED}{kind}", document.id, text)
            return [
                LabelledPair(f"{document.id} {kind}", *shared, told, "support"),
                LabelledPair(f"{document.id} {kind} changed", *shared, changed, "refute"),
            ]
    return []
