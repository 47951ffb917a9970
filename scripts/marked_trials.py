"""Questions on the full texts of trials, with the sentences that doctors marked or that conclude the paper.

Evidence Inference has, for an intervention, a comparator and an outcome, the spans of the paper that tell the result.
They become questions by templates. Of titles that name an effect, questions are made as a reader would ask them; what
they ask for is what the paper itself concludes or finds, told by its headings.
"""

from __future__ import annotations

import re
from pathlib import Path

from marked import Marked, is_in, lines, plain

from medground.answering.read.reading_list import Reading
from medground.corpus.build import build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.corpus.snapshot import Snapshot
from medground.language.quoting.headings import parts_of
from medground.language.quoting.judged import Candidate

TEMPLATES = (
    "Does {i} affect {o} compared with {c}?",
    "What is the effect of {i} on {o}?",
    "Does {i} change {o}?",
    "Is there a difference in {o} between {i} and {c}?",
)
_TITLE = re.compile(
    r"(?:the )?(?:[\w-]+ )?(?:effects?|impact|influence|efficacy|effectiveness)(?: and \w+)? of (.{5,90}?) "
    r"(on|in|for) (.{5,90}?)"
    r"(?:[:.\[(–—].*| [-–—] .*|, an? .*)?$",
    re.IGNORECASE,
)


def build_trials(data: Path, home: Path) -> str:
    """Build the corpus of the articles unless it is there; gives its name."""
    library = Library(home)
    if not library.has("trials"):
        build(library, "trials", find_inputs([data / "jats" / "evidence_inference"]))
    return "trials"


def trials(data: Path) -> list[Marked]:
    """The prompts on articles whose full text is here, as questions; an article is a group."""
    folder = data / "evidence_inference"
    here = {path.name.split(".")[0] for path in (data / "jats" / "evidence_inference").iterdir()}
    marked = []
    for r in lines(folder / "prompts_labelled.jsonl.gz"):
        texts = [plain(a["evidence"]) for a in r["annotations"] if a["valid_label"] == "True"]
        texts = [t for t in texts if len(t.split()) > 5]
        if r["pmcid"] in here and texts and "&" not in r["intervention"] + r["outcome"]:
            form = TEMPLATES[r["prompt_id"] % len(TEMPLATES)]
            question = form.format(i=_name(r["intervention"]), c=_name(r["comparator"]), o=_name(r["outcome"]))
            gold = {f"PMC:{r['pmcid']}": texts}
            marked.append(Marked("trials", str(r["prompt_id"]), "trial", r["pmcid"], question, gold))
    return marked


def _name(text: str) -> str:
    """A name within a sentence."""
    text = " ".join(text.split())
    return text[0].lower() + text[1:] if text[1:2].islower() else text


def titled(snapshot: Snapshot) -> list[Marked]:
    """Questions made of the titles that name an effect."""
    marked = []
    for document in snapshot.all_documents():
        if match := _TITLE.fullmatch(document.title):
            cause, link, outcome = match.groups()
            forms = (f"What is the effect of {cause} {link} {outcome}?", f"Does {cause} affect {outcome}?")
            question = forms[len(document.title) % 2 if link == "on" else 0]
            article, gold = document.id.split(":")[1], {document.id: ()}
            marked.append(Marked("titled", document.id, "titled", article, question, gold))
    return marked


def worth(one: Marked, reading: Reading, candidate: Candidate) -> list[float]:
    """What the sentences of a paper are worth as quotes."""
    marked = one.gold.get(reading.document_id)
    if marked is None:
        return [0.0] * len(candidate.sentences)
    own = [_own(candidate.heading(n)) for n in range(len(candidate.sentences))]
    if one.kind == "titled":
        return own
    return [1.0 if is_in(plain(s), marked) else 0.12 + 0.2 * w for s, w in zip(candidate.sentences, own, strict=True)]


def _own(heading: str | None) -> float:
    """How surely a sentence states what the paper itself found."""
    under = parts_of(heading)
    in_abstract = "abstract" in under
    if "conclusion" in under:
        return 1.0 if in_abstract else 0.9
    if "results" in under:
        return 0.8 if in_abstract else 0.4
    return 0.1 if "discussion" in under else 0.03
