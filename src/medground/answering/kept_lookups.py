"""What the lookups of a run found, kept line by line, so that a run that was killed makes none of them twice.

Each line of the file is one finished call to a source, with a checksum: a search with its hits, documents by id, or a
count. A line that was cut off by a kill, or damaged later, counts as a call that was not made. A call that failed is
not kept, and so is made again.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from medground.home.files import digest, private_folder, private_opener, tell_once
from medground.models.registry import CallCache
from medground.sources.base import HoldingSource, Source
from medground.values.document import Document, Hit
from medground.values.graph import GraphFinding
from medground.values.lookup import Found, Lookup
from medground.values.query import Filters
from medground.values.report import Attachment

_LOOKUPS = "lookups.jsonl"
_CALLS = "calls"


class KeptLookups:
    """The finished calls of one run, in a folder of its own. One process uses it at a time.

    `calls` are the replies of models, also where a user's own cache of them is off.
    """

    def __init__(self, folder: Path) -> None:
        private_folder(folder)
        self.calls = CallCache(folder / _CALLS)
        self._path = folder / _LOOKUPS
        self._found: dict[str, Any] = {}
        self._documents: dict[str, dict[str, Document | None]] = {}
        self._origins: dict[str, str] = {}
        self._attachments: dict[str, tuple[Attachment, ...]] = {}
        for line in _lines(self._path):
            self._take(line)

    @property
    def is_empty(self) -> bool:
        """Whether no call has been finished."""
        return not self._path.is_file()

    def found(self, source: Source, lookup: Lookup, filters: Filters) -> Found | None:
        """What a search found before; None where it was not finished."""
        content = self._found.get(_key("search", source, lookup, filters))
        if content is None:
            return None
        finding = content["finding"]
        return Found(
            lookup=lookup,
            source=source.name,
            rankings=tuple(tuple(map(Hit.model_validate, ranking)) for ranking in content["rankings"]),
            finding=None if finding is None else GraphFinding.model_validate(finding),
            notes=tuple(content["notes"]),
            understood=content["understood"],
            wordings=tuple(content["wordings"]),
            sent=content.get("sent", ""),
        )

    def keep_found(self, source: Source, filters: Filters, found: Found) -> None:
        """Keep what a search found, with the documents that its source already has at hand."""
        held = source.held(sorted(found.documents)) if isinstance(source, HoldingSource) else {}
        self.keep_documents(source, tuple(held), held)
        content = {
            "rankings": [[_hit(hit) for hit in ranking] for ranking in found.rankings],
            "finding": None if found.finding is None else found.finding.model_dump(mode="json"),
            **{name: getattr(found, name) for name in ("notes", "understood", "wordings", "sent")},
        }
        self._add("search", _key("search", source, found.lookup, filters), content)

    def counted(self, source: Source, lookup: Lookup, filters: Filters) -> int | None:
        """A number that was counted before; None where it was not."""
        return cast("int | None", self._found.get(_key("count", source, lookup, filters)))

    def keep_count(self, source: Source, lookup: Lookup, filters: Filters, number: int) -> None:
        """Keep a number of documents."""
        self._add("count", _key("count", source, lookup, filters), number)

    def documents(self, source: Source, ids: Sequence[str]) -> dict[str, Document | None]:
        """The documents that a source was asked for before, by id; None for those that it does not have."""
        known = self._documents.get(_place(source), {})
        return {i: known[i] for i in ids if i in known}

    def keep_documents(self, source: Source, asked: Sequence[str], found: Mapping[str, Document]) -> None:
        """Keep the documents that a source was asked for; an id without one is kept as unknown to it."""
        known = self._documents.get(_place(source), {})
        new = {i: found.get(i) for i in asked if i not in known}
        if new:
            written = {i: None if one is None else one.model_dump(mode="json") for i, one in new.items()}
            self._add("documents", _place(source), written)
            self._documents.setdefault(_place(source), {}).update(new)

    def attachments(self, document_id: str) -> tuple[Attachment, ...] | None:
        """The files of a document that were fetched before; None where they were not."""
        return self._attachments.get(document_id)

    def keep_attachments(self, document_id: str, files: Sequence[Attachment]) -> None:
        """Keep which files go with a document; their content is kept already (`kept_attachments`)."""
        self._add("attachments", document_id, [file.model_dump(mode="json") for file in files])

    def admitted(self, ids: Sequence[str]) -> dict[str, dict[str, Document]]:
        """Those documents that the run has taken before, by the name of the source that each came from."""
        taken: dict[str, dict[str, Document]] = {}
        for i in ids:
            name = self._origins.get(i)
            of_any_state = [known.get(i) for place, known in self._documents.items() if place.startswith(f"{name}@")]
            if name is not None and (document := next(filter(None, of_any_state), None)) is not None:
                taken.setdefault(name, {})[i] = document
        return taken

    def keep_admitted(self, source: str, ids: Sequence[str]) -> None:
        """Keep that the run takes these documents from a source, and not another source's version of them."""
        if new := {i: source for i in ids if i not in self._origins}:
            self._add("admitted", "", new)
            self._origins.update(new)

    def _add(self, call: str, key: str, content: Any) -> None:
        """Append a line in one write; a line that a kill cut off is ended first."""
        entry = {"call": call, "key": key, "content": content}
        line = json.dumps({"sha256": digest(entry), "entry": entry}, ensure_ascii=False).encode() + b"\n"
        try:
            with open(self._path, "ab+", opener=private_opener) as file:
                if file.tell():
                    file.seek(-1, os.SEEK_END)
                    line = line if file.read(1) == b"\n" else b"\n" + line
                file.write(line)
        except OSError as error:
            tell_once(f"cannot keep what was found in {self._path}", error)

    def _take(self, entry: Mapping[str, Any]) -> None:
        try:
            if entry["call"] == "documents":
                read = {i: None if one is None else Document.model_validate(one) for i, one in entry["content"].items()}
                self._documents.setdefault(entry["key"], {}).update(read)
            elif entry["call"] == "attachments":
                self._attachments[entry["key"]] = tuple(map(Attachment.model_validate, entry["content"]))
            elif entry["call"] == "admitted":
                self._origins.update(entry["content"])
            else:
                self._found[entry["key"]] = entry["content"]
        except (KeyError, TypeError, AttributeError, ValidationError):  # of another version of Medground
            return


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    """The whole lines of a file, without those that are cut off or damaged."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return
    for line in content.split(b"\n"):
        try:
            stored = json.loads(line)
            if stored["sha256"] == digest(stored["entry"]):
                yield stored["entry"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue


def _hit(hit: Hit) -> dict[str, Any]:
    content = hit.model_dump(mode="json")
    content["passage"]["paper"] = list(hit.passage.paper)
    return content | {"scores": dict(hit.scores)}


def _place(source: Source) -> str:
    """A source in its state: a corpus that was built anew is another one."""
    return f"{source.name}@{source.state.hash if source.state else ''}"


def _key(call: str, source: Source, lookup: Lookup, filters: Filters) -> str:
    asked = lookup.replace(node="", shown="").model_dump(mode="json")
    return f"{call} {_place(source)} {digest([asked, filters.model_dump(mode='json')])}"
