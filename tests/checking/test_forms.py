"""Forms of files that a check reads: LaTeX, works in the fields of Word, absences in certain people."""

from __future__ import annotations

import json
from typing import Any

import pytest

from medground.checking.absences import absence_in
from medground.checking.entries import entries_of
from medground.checking.files import shown
from medground.checking.printed import _of_csl
from medground.checking.sentences import CitingText, read_text
from medground.checking.sources import source_of
from medground.values.document import Document

WORK = {"title": "Zinc in colds", "author": [{"family": "Smith", "given": "John"}], "DOI": "10.1234/zinc"}


@pytest.mark.parametrize(
    ("more", "work"),
    [
        ({}, "Smith J. Zinc in colds. DOI: 10.1234/zinc"),
        ({"issued": {"date-parts": [[2019, 3]]}}, "Smith J. Zinc in colds. 2019. DOI: 10.1234/zinc"),
        ({"author": [{"literal": "WHO"}]}, "WHO. Zinc in colds. DOI: 10.1234/zinc"),
        ({"author": [{"family": None}, 3]}, "Zinc in colds. DOI: 10.1234/zinc"),
        ({"author": None, "issued": {"date-parts": [[]]}}, "Zinc in colds. DOI: 10.1234/zinc"),
        ({"issued": "2010", "title": 5, "PMID": []}, "Smith J. DOI: 10.1234/zinc"),
    ],
)
def test_a_field_of_a_wrong_type_is_left_out(more: dict[str, Any], work: str) -> None:
    items = [{"itemData": WORK | more}, {"itemData": None}, None]
    assert [*_of_csl(f"CSL_CITATION {json.dumps({'citationItems': items})}")] == [work]


@pytest.mark.parametrize(
    "held", [{"citationItems": None}, {"citationItems": 3}, [], {"citationItems": [{}, {"itemData": {"DOI": ""}}]}]
)
def test_a_citation_without_works_has_none(held: object) -> None:
    assert not any(_of_csl(f"CSL_CITATION {{{json.dumps(held)[1:]}"))


LATEX = r"""\documentclass{article}
\usepackage{natbib}
\begin{document}
\section{Results}
Discharge was lower with \textbf{zinc} than with placebo \citep[p.~3]{smith}. In women, \citet{miller} gave
juice. Both were \emph{well tolerated \cite{smith, miller}} in \cite{a} and \cite{b}.

\section*{Discussion}
Mouth irritation occurred in 25\% of adults \cite{smith}. % a remark \cite{x}

\begin{thebibliography}{99}
\bibitem{smith} Smith JA. \newblock Zinc lozenges for the common cold. {\em J Cold}. 2019.

\bibitem[Miller(2020)]{miller}
Miller C. Cranberry juice and urinary infection in women. 2020.
\end{thebibliography}
\appendix
Garlic was not studied \cite{miller}.
\end{document}
"""


def latex(text: str) -> CitingText:
    readable = shown(text, "a.tex")
    assert len(readable) == len(text)
    return read_text(text, "a.tex", readable)


@pytest.mark.parametrize("mark", [r"\citet{miller}", "@miller", "[2]"])
def test_a_mark_that_opens_a_sentence_belongs_to_it(mark: str) -> None:
    read = read_text(f"Discharge was lower with zinc [1]. {mark} gave juice to women. Fever fell.[3] Cough was rare.")
    cites = [(one.text.split()[-1], one.keys, one.carried) for one in read.sentences]
    assert cites[0] == ("[1].", ("1",), False)
    assert cites[1] == ("women.", (mark.strip("@[]{}\\").removeprefix("citet{"),), False)
    assert cites[2] == ("fell.[3]", ("3",), False)


@pytest.mark.parametrize("heading", ["", "\\section*{References}"])
def test_a_whole_file_of_latex(heading: str) -> None:
    text = LATEX if not heading else LATEX.replace(r"\begin{thebibliography}{99}", heading)
    read = latex(text)
    assert [(one.claim.split()[0], one.keys) for one in read.sentences] == [
        ("Discharge", ("smith",)),
        ("In", ("miller",)),
        ("Both", ("smith", "miller", "a", "b")),
        ("Mouth", ("smith",)),
        ("Garlic", ("miller",)),
    ]
    assert all(text[one.start : one.end] == one.text for one in read.sentences)
    assert read.sentences[0].claim == "Discharge was lower with zinc than with placebo."
    assert [(one.mark, one.text.split(".")[1].strip(), one.year) for one in read.entries] == [
        ("smith", "Zinc lozenges for the common cold", 2019),
        ("miller", "Cranberry juice and urinary infection in women", 2020),
    ]
    assert shown(r"... in the trial \cite{a}.", "a.tex") == r"... in the trial \cite{a}."


def test_entries_that_a_list_does_not_number_have_their_places() -> None:
    lines = ["Smith JA. Zinc lozenges for the common cold. 2019.", "WHO. 2010.", "Miller C. Cranberry juice. 2020."]
    text = "Zinc helps women (3). It helps men, too [1].\n\nReferences\n\n" + "\n\n".join(lines)
    assert [(one.mark, one.year) for one in entries_of(text)[0]] == [("1", 2019), ("3", 2020)]
    assert [one.keys for one in read_text(text.replace("[1]", "")).sentences] == [(), ()]  # 3 women
    wrapped = "References\n\nSmith JA. Zinc lozenges for the\ncommon cold in adults. J Cold. 2019.\n"
    assert {one.mark for one in entries_of(wrapped)[0]} == {""}


FEVER = "Pyrexia and convulsions occurred in five treated children. Myocardial infarction occurred in two."


@pytest.mark.parametrize(
    ("claim", "kind"),
    [
        ("The trial did not report heart attacks among treated patients.", "false_absence"),
        ("The trial did not report fever in children.", "false_absence"),
        ("The trial did not report fever in older women.", "not_checked"),  # it does in children
        ("The trial did not report seizures in children.", "not_checked"),  # a word of longer names
        ("The trial did not report bone density in children.", "supported"),
    ],
)
def test_an_absence_in_certain_people(claim: str, kind: str) -> None:
    told = absence_in(claim, [source_of(Document(id="PMID:1", title="A trial", text=FEVER))])
    assert told is not None and told.kind == kind
