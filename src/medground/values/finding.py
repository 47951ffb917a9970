"""What a check of a text against its own references finds: one finding for each sentence that says something."""

from typing import Literal

from pydantic import Field

from medground.values.document import Frozen

FindingKind = Literal[
    "supported",
    "contradicted",
    "silent",
    "elsewhere",
    "fabricated_quote",
    "altered_quote",
    "number",
    "false_absence",
    "retracted",
    "wrong_reference",
    "not_checked",
]
"""`silent`: the cited text does not say it. `elsewhere`: another stored paper says it. `false_absence`: said not to be
reported, and it is. `wrong_reference`: the id, title, authors and year of an entry are not of one paper. `not_checked`
never counts as good; the reason says why."""


class FindingEvidence(Frozen):
    """The sentence of a stored paper that a finding rests on, letter by letter; `ref` is the paper's id."""

    ref: str
    quote: str


class Finding(Frozen):
    """What the sources say of one sentence. `start` and `end` count characters of the file; `cited` are the ids of the
    papers that its marks lead to. `likelihood`: how likely what it cites says it, where a judge read both."""

    file: str
    sentence: str
    start: int
    end: int
    kind: FindingKind
    cited: tuple[str, ...] = ()
    evidence: FindingEvidence | None = None
    reason: str = ""
    likelihood: float | None = None


class JoinedReference(Frozen):
    """An entry of a reference list, and the stored paper that it is; without `ref`, `reason` says why there is none."""

    file: str
    mark: str
    entry: str
    ref: str | None = None
    title: str = ""
    reason: str = ""


class TextCheck(Frozen):
    """The findings of one or more texts, in the order of their sentences, with the reference lists as they were read.

    `remarks`: what a reader must know of how a text was read, such as that one mark counts for several sentences.
    `texts`: each text as it was read, by its file: the offsets of its findings count in it.
    """

    findings: tuple[Finding, ...]
    references: tuple[JoinedReference, ...] = ()
    remarks: tuple[str, ...] = ()
    texts: dict[str, str] = Field(default={})
