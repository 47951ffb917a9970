"""Structures as attachments of a report: their files, and a picture of each."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from medground.document import Document
from medground.errors import SourceUnavailable
from medground.kept_attachments import Attachments
from medground.proteins.picture import picture
from medground.report import Attachment
from medground.run import Run
from medground.sources.structures import StructureFile, StructureSource
from medground.together import together


async def structures_of(
    documents: Sequence[Document], sources: Sequence[StructureSource], run: Run
) -> tuple[tuple[Attachment, ...], list[str]]:
    """The files and pictures of the first structure of each protein in each source, and a line for each that failed.

    Raises:
        StorageFailed: a file cannot be kept.
    """
    wanted: dict[tuple[str, str], tuple[StructureSource, Document]] = {}
    for document in documents:
        origin = run.origins.get(document.id)
        source = next((one for one in sources if one.name == origin), None)
        if source is not None:
            key = source.name, document.identifiers.get("uniprot", document.id)
            wanted.setdefault(key, (source, document))
    got = await together(_of_one(source, document, run) for source, document in wanted.values())
    return tuple(one for kept, _ in got for one in kept), [line for _, lines in got for line in lines]


async def _of_one(source: StructureSource, document: Document, run: Run) -> tuple[list[Attachment], list[str]]:
    if run.kept is not None and (before := run.kept.attachments(document.id)) is not None:
        return list(before), []
    try:
        found = await source.files(document)
    except SourceUnavailable as error:
        return [], [f"{error.source}: {error.reason}; the files of {document.id} were missed"]
    kept = await asyncio.to_thread(_keep, found.files, document, source.predicted, Attachments(run.settings.home))
    if run.kept is not None and not found.refused:
        run.kept.keep_attachments(document.id, kept)
    return kept, list(found.refused)


def _keep(files: Sequence[StructureFile], document: Document, predicted: bool, kept: Attachments) -> list[Attachment]:
    """Keep the files, and a picture of the first of them."""

    def keep(content: bytes, name: str, media_type: str, title: str, origin: str) -> Attachment:
        about = {"title": title, "document_id": document.id, "licence": document.license or "", "origin": origin}
        return kept.keep(content, name=name, media_type=media_type, **about)

    attachments = [
        keep(one.content, one.name, one.media_type, f"{document.title}: {one.name.rpartition('.')[2]} file", one.origin)
        for one in files
    ]
    if files:
        first = files[0]
        title = f"{document.title}, {'predicted' if predicted else 'experimental'} structure"
        svg = picture(first.structure, title, predicted=predicted).encode()
        name = f"{first.name.rpartition('.')[0]}.svg"
        attachments.insert(0, keep(svg, name, "image/svg+xml", title, first.origin))
    return attachments
