"""BioASQ Task B golden files as literature: the snippets that experts chose, grouped by paper; no whole abstracts."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from medground.corpus import base, compose
from medground.errors import BadDocument
from medground.values import Document, grouped

Snippet = Mapping[str, Any]

_NAME = re.compile(r"\D*(\d{1,2})b\w*\.json(?:\.gz)?", re.IGNORECASE)
_PMID = re.compile(r"pubmed(?:\.ncbi\.nlm\.nih\.gov)?/(\d+)")


def golden_files(folder: Path) -> list[tuple[int, Path]]:
    """The golden files of a folder by the number of their task, such as 11 for `11B1_golden.json`, oldest first."""
    named = [(found, path) for path in folder.iterdir() if (found := _NAME.fullmatch(path.name)) and path.is_file()]
    return sorted((int(found[1]), path) for found, path in named)


def paper_id(url: str) -> str:
    """`PMID:...` of a PubMed URL; empty for other documents (concepts, triples), which are not papers."""
    found = _PMID.search(url)
    return f"PMID:{found[1]}" if found else ""


def open_bioasq(path: Path) -> base.Input:
    """One golden file, or a folder of them, whose snippets of one paper form one document."""
    files = [file for _, file in golden_files(path)] if path.is_dir() else [path]
    if not files:
        raise BadDocument("the folder contains no golden file, such as 11B1_golden.json", file=path)
    state = "\n".join(map(base.fingerprint, files))

    def papers(skip: int) -> Iterator[base.Item]:
        questions = [question for file in files for question in golden_questions(file)]
        try:
            snippets = (snippet for question in questions for snippet in question.get("snippets") or ())
            yield from islice(papers_of(snippets), skip, None)
        except (ValueError, TypeError, AttributeError) as error:
            raise BadDocument(f"a snippet is not in BioASQ's form ({error})", file=files[0].parent) from error

    return base.Input(str(path), "bioasq", state, papers)


def papers_of(snippets: Iterable[Snippet]) -> Iterator[Document]:
    """One document for each paper that the snippets are from, in order of first mention."""
    told = [snippet for snippet in snippets if str(snippet.get("text", "")).strip()]
    for paper, given in grouped((paper_id(str(snippet.get("document", ""))), snippet) for snippet in told).items():
        if paper:
            yield _paper(paper, given)


def golden_questions(file: Path) -> list[dict[str, Any]]:
    """The questions of one golden file."""
    try:
        return [{**question} for question in json.loads(compose.decoded(base.content_of(file)))["questions"]]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadDocument("not a golden file of BioASQ Task B: no list of questions", file=file) from error


def _paper(paper: str, snippets: Sequence[Snippet]) -> Document:
    titles = [str(snippet["text"]).strip() for snippet in snippets if snippet.get("beginSection") == "title"]
    paragraphs = _joined([snippet for snippet in snippets if snippet.get("beginSection") != "title"])
    title = max(titles, key=len, default="")
    return compose.make_document({"title": title, "text": "\n\n".join(paragraphs) or title, **of_pubmed(paper)})


def of_pubmed(paper: str) -> dict[str, Any]:
    """The fields that the id `PMID:...` of a paper gives its document."""
    number = paper.removeprefix("PMID:")
    url = f"https://pubmed.ncbi.nlm.nih.gov/{number}/"
    return {"id": paper, "identifiers": {"pmid": number}, "url": url}


def _joined(snippets: Sequence[Snippet]) -> Iterator[str]:
    """The texts in the paper's order, each stretch of the paper once."""
    places = [(int(snippet.get("offsetInBeginSection") or 0), str(snippet["text"]).strip()) for snippet in snippets]
    text, end = "", -1
    for start, fresh in sorted(places, key=lambda place: (place[0], -len(place[1]))):
        overlap = end - start
        if fresh in text:
            continue
        if 0 < overlap < len(fresh) and text.endswith(fresh[:overlap]):
            text += fresh[overlap:]
        else:
            if text:
                yield text
            text = fresh
        end = start + len(fresh)
    if text:
        yield text


BIOASQ = base.Reader(open_bioasq, begins=re.compile(r'\s*\{\s*"questions"\s*:\s*\['))
