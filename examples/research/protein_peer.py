"""A stand-in for UniProt, AlphaFold DB and PDBe: it answers their real URL forms from stored answers, or fails as told.

    peer = ProteinPeer.from_folder(data)          # a folder with `uniprot` and `alphafold_pdb`, see `from_folder`
    wire = httpx2.ASGITransport(peer.app())        # without a socket, or serve `peer.app()` with uvicorn

UniProt and AlphaFold DB are at the root, PDBe is below `/pdbe`. Of UniProt's query language it knows what the source
`uniprot` sends: `field:value` and `field:"value"` with AND, OR and brackets.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

Entry = Mapping[str, Any]
_TOKEN = re.compile(r'\(|\)|\bAND\b|\bOR\b|[a-z_]+:(?:"[^"]*"|[^\s()]+)')
_BEACONS = "pdbe-kb/3dbeacons/api/v2/uniprot/summary"


@dataclass(frozen=True)
class PeerFault:
    """How the peer fails for addresses that contain `path`.

    Attributes:
        path: part of the path, such as `uniprotkb/search`.
        status: the status sent.
        body: sent instead of the answer; None for the answer itself.
        headers: further headers, such as `retry-after`.
        media_type: a wrong type.
        keep: bytes of the body that are sent before the connection breaks; None for all.
        wait: seconds before the reply.
        times: how often it fails, then it answers.
    """

    path: str = ""
    status: int = 200
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    media_type: str | None = None
    keep: int | None = None
    wait: float = 0.0
    times: int = 1_000_000


@dataclass(frozen=True)
class PeerAnswer:
    """A status, a media type and a body."""

    status: int
    media_type: str
    body: bytes

    @classmethod
    def of_json(cls, value: Any, status: int = 200) -> Self:
        """A JSON answer."""
        return cls(status, "application/json", json.dumps(value).encode())


class ProteinPeer:
    """Stored answers of the three services.

    Args:
        entries: UniProtKB entries in the form of its REST interface, inactive ones too.
        models: AlphaFold DB's answers, by accession.
        structures: 3D-Beacons' answers, by accession.
        files: structure files by path, such as `files/AF-P05067-F1-model_v6.pdb` or `static/entry/1amb_updated.cif`.
        organisms: records of UniProt's taxonomy, beside those of the entries.
        faults: how it fails; the first that fits counts.
    """

    def __init__(
        self,
        entries: Sequence[Entry] = (),
        *,
        models: Mapping[str, Sequence[Entry]] | None = None,
        structures: Mapping[str, Any] | None = None,
        files: Mapping[str, bytes] | None = None,
        organisms: Sequence[Entry] = (),
        faults: Sequence[PeerFault] = (),
    ) -> None:
        self.entries = {str(one["primaryAccession"]): one for one in entries}
        self.models = dict(models or {})
        self.structures = dict(structures or {})
        self.files = dict(files or {})
        self.organisms = [*organisms, *(one["organism"] for one in entries if "organism" in one)]
        self.asked: list[str] = []
        self._faults = [[one, one.times] for one in faults]

    @classmethod
    def from_folder(cls, folder: Path, **more: Any) -> Self:
        """The answers stored in a folder, and more entries, models or files.

        Read are `uniprot/uniprotkb_ACCESSION.json[.gz]`, and in `alphafold_pdb` the files `alphafold_api_prediction_*`,
        `AF-*`, `*_updated.cif.gz`, `3dbeacons_*` and `uniprot_rest_taxonomy_*`.
        """
        uniprot, alphafold = folder / "uniprot", folder / "alphafold_pdb"
        stored = [_json(path) for path in sorted(uniprot.glob("uniprotkb_*.json*"))]
        entries = [one for one in stored if "primaryAccession" in one and "entryType" in one]
        models = {path.name.split("_")[3].partition(".")[0]: _json(path) for path in alphafold.glob("alphafold_api_*")}
        files = {f"files/{path.name.removesuffix('.gz')}": _bytes(path) for path in alphafold.glob("AF-*.gz")}
        files |= {f"static/entry/{p.name.removesuffix('.gz')}": _bytes(p) for p in alphafold.glob("*_updated.cif.gz")}
        beacons = [one for path in alphafold.glob("3dbeacons_*.json") for one in _json(path)]
        organisms = [one for p in alphafold.glob("uniprot_rest_taxonomy_*.json") for one in _json(p)["results"]]
        given: dict[str, Any] = {
            "entries": [*entries, *more.pop("entries", ())],
            "models": {**models, **more.pop("models", {})},
            "structures": {
                **{one["uniprot_entry"]["ac"]: one for one in beacons if "ac" in one["uniprot_entry"]},
                **more.pop("structures", {}),
            },
            "files": {**files, **more.pop("files", {})},
            "organisms": [*organisms, *more.pop("organisms", ())],
        }
        return cls(**given, **more)

    def answer(self, target: str, parameters: Mapping[str, str]) -> PeerAnswer:
        """The answer to a path without its first slash."""
        path = target.removeprefix("pdbe/")
        if path == "uniprotkb/search":
            return self._search(self.entries.values(), parameters, _entry_fits)
        if path == "taxonomy/search":
            return self._search(self.organisms, parameters, _organism_fits)
        if path.startswith("uniprotkb/"):
            return self._entry(path.removeprefix("uniprotkb/").removesuffix(".json"))
        if path.startswith("api/prediction/"):
            return _found(self.models.get(path.removeprefix("api/prediction/").partition("-")[0]))
        if path.startswith(_BEACONS):
            return _found(self.structures.get(path.removeprefix(f"{_BEACONS}/").removesuffix(".json")))
        if path in self.files:
            return PeerAnswer(200, "text/plain", self.files[path])
        return _found(None)

    def app(self) -> Starlette:
        """The peer as an ASGI application."""
        from starlette.applications import Starlette
        from starlette.routing import Route

        return Starlette(routes=[Route("/{target:path}", self._respond)])

    async def _respond(self, request: Request) -> Response:
        from starlette.responses import Response, StreamingResponse

        target = request.path_params["target"]
        self.asked.append(f"{target}?{request.url.query}" if request.url.query else target)
        answer = self.answer(target, dict(request.query_params))
        fault = self._fault(target)
        if fault is None:
            return Response(answer.body, answer.status, media_type=answer.media_type)
        await asyncio.sleep(fault.wait)
        body = answer.body if fault.body is None else fault.body
        media = fault.media_type or answer.media_type
        status = answer.status if fault.status == 200 else fault.status
        if fault.keep is None:
            return Response(body, status, dict(fault.headers), media)
        told = {"content-length": str(len(body)), **fault.headers}
        return StreamingResponse(_broken(body[: fault.keep]), status, told, media)

    def _fault(self, target: str) -> PeerFault | None:
        for held in self._faults:
            fault, left = held
            if isinstance(fault, PeerFault) and isinstance(left, int) and left and fault.path in target:
                held[1] = left - 1
                return fault
        return None

    def _search(
        self, records: Iterable[Entry], parameters: Mapping[str, str], fits: Callable[[Entry, str, str], bool]
    ) -> PeerAnswer:
        query = parameters.get("query", "")
        size = int(parameters.get("size", "25"))
        tokens = _TOKEN.findall(query)
        found = [one for one in records if tokens and _holds(list(tokens), partial(fits, one))]
        return PeerAnswer.of_json({"results": found[:size]})

    def _entry(self, accession: str) -> PeerAnswer:
        if (known := self.entries.get(accession)) is None:
            holders = (e for e in self.entries.values() if accession in e.get("secondaryAccessions", ()))
            known = next(holders, None)
        if known is None:
            return PeerAnswer.of_json({"url": f"/uniprotkb/{accession}", "messages": ["Resource not found"]}, 404)
        return PeerAnswer.of_json(known)


def _json(path: Path) -> Any:
    return json.loads(_bytes(path))


def _bytes(path: Path) -> bytes:
    content = path.read_bytes()
    return gzip.decompress(content) if path.suffix == ".gz" else content


def _found(value: Any) -> PeerAnswer:
    return PeerAnswer.of_json({"error": "not found"}, 404) if value is None else PeerAnswer.of_json(value)


async def _broken(body: bytes) -> AsyncIterator[bytes]:
    """The start of a body; then the connection breaks."""
    yield body
    raise ConnectionResetError("the peer breaks the connection")


def _holds(tokens: list[str], fits: Callable[[str, str], bool]) -> bool:
    """Whether a record fits a query: OR of ANDs of terms and brackets."""
    value = _all_hold(tokens, fits)
    while tokens and tokens[0] == "OR":
        tokens.pop(0)
        value = _all_hold(tokens, fits) or value
    return value


def _all_hold(tokens: list[str], fits: Callable[[str, str], bool]) -> bool:
    value = _one_holds(tokens, fits)
    while tokens and tokens[0] == "AND":
        tokens.pop(0)
        value = _one_holds(tokens, fits) and value
    return value


def _one_holds(tokens: list[str], fits: Callable[[str, str], bool]) -> bool:
    token = tokens.pop(0)
    if token != "(":
        name, _, value = token.partition(":")
        return fits(name, value.strip('"').casefold())
    value_of = _holds(tokens, fits)
    tokens.pop(0)
    return value_of


def _entry_fits(entry: Entry, name: str, value: str) -> bool:
    from medground.sources.proteins.names import read_names

    names = read_names(entry)
    match name:
        case "gene_exact" | "gene":
            return value in (one.casefold() for one in (names.gene, *names.synonyms))
        case "protein_name":
            words = re.findall(r"\w+", value)
            told = (" ".join(re.findall(r"\w+", one.casefold())) for one in names.names)
            return any(f" {' '.join(words)} " in f" {one} " for one in told)
        case "organism_id":
            return value == str(names.taxon)
        case "reviewed":
            return names.reviewed == (value == "true")
        case "accession":
            return value == names.accession.casefold()
        case _:
            return False


def _organism_fits(organism: Entry, name: str, value: str) -> bool:
    key = {"tax_id": "taxonId", "scientific": "scientificName", "common": "commonName"}.get(name, "")
    return value in str(organism.get(key, "")).casefold()
