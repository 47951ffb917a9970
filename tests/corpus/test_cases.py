"""Files with a known fault each: every field is as the file says it."""

import json
import re
from pathlib import Path
from typing import Any

from fields_held import FORMS, became, fields_held
from rows import each_row

from medground.corpus.readers import find_inputs
from medground.errors import BadDocument
from medground.values.document import Document


def flat(names: Any) -> list[str]:
    """Names without the signs in which exporters differ."""
    return [re.sub(r"[.,\s]", "", name) for name in names]


def wrong(document: Document, field: str, right: Any) -> str:
    """What a document says of a field, if that is not what its file says; a text without `has`, or with `hasnot`."""
    if field in ("has", "hasnot"):
        return ", ".join(piece for piece in right if (piece in document.text) != (field == "has"))
    places = (document.identifiers, document.imprint, {"published": document.dates.get("published")})
    found = next((place.get(field) for place in places if field in place), getattr(document, field, None))
    if field == "authors":
        return "" if flat(document.authors) == flat(right) else str(document.authors)
    if field == "sections":
        found = [section.label for section in document.sections]
    if field == "mesh":
        found = [heading.descriptor for heading in document.mesh]
    found = list(found) if isinstance(found, tuple) else found
    return "" if found == right or (isinstance(right, list) and found in right) else str(found)


@each_row("folder", ["cases", "cases_more"])
def test_every_field_is_as_its_file_says(shared: Path, folder: str) -> None:
    faults = []
    for case in json.loads((shared / folder / "expected.json").read_text(encoding="utf-8")):
        path, form, items = shared / folder / case["name"], "", list[Any]()
        try:
            for one in find_inputs([path]):
                form, items = one.reader, [*one.read(0)]
        except BadDocument as error:
            items = [error]
        if form in FORMS and folder == "cases":  # a naive reader knows them, too
            lost = [held for what, held in became(fields_held(path.read_text("utf-8"), form), items) if what == "lost"]
            faults += [f"{case['name']}: lost: {held}" for held in lost]
        documents, expected = [item for item in items if isinstance(item, Document)], case["expect"]
        if len(documents) != expected["n"]:
            faults.append(f"{case['name']}: {len(documents)} documents: {items}")
        for number, (document, fields) in enumerate(zip(documents, expected.get("docs", ()), strict=False), start=1):
            found = {field: wrong(document, field, right) for field, right in fields.items()}
            faults += [f"{case['name']}: {number}: {field}: {said}" for field, said in found.items() if said]
    assert not faults, "\n".join(faults)
