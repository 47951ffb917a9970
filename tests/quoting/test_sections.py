"""Headings as parts of a paper: `quoting.sections.parts`."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rows import each_row

from medground.language.quoting.model import strengths
from medground.language.quoting.pool import NAMES, Candidate, parts


def named(heading: str | None) -> list[str]:
    return [name for name, value in zip(NAMES, parts(heading), strict=True) if value]


@each_row(
    ("heading", "expected"),
    [
        (None, []),
        ("", []),
        ("Zidovudine", []),
        ("RESULTS", ["results"]),
        ("Abstract > Conclusions:", ["abstract", "conclusion"]),
        ("3. Results", ["results"]),
        ("III. Methods", ["methods"]),
        ("2.1 Statistical analysis", ["methods"]),
        ("Results and discussion", ["results", "discussion"]),
        ("Discussion > Conclusions", ["conclusion"]),
        ("Methods > Outcome measures", ["methods"]),
        ("Results > Outcomes of the second cohort", ["results"]),
        ("What is already known", ["opening"]),
        ("What this study adds", ["conclusion"]),
        ("Figure 2", ["legend"]),
        ("Table A1", ["legend"]),
        ("Authors’ contributions", ["back"]),
        ("List of abbreviations used", ["back"]),
        ("Abstract > Trial registration", ["abstract", "back"]),
    ],
)
def test_headings_name_parts(heading: str | None, expected: list[str]) -> None:
    assert named(heading) == expected


@given(st.text(max_size=200))
def test_any_heading_gives_one_number_per_part(heading: str) -> None:
    assert len(parts(heading)) == len(NAMES)
    assert set(parts(heading)) <= {0.0, 1.0}


@given(st.sampled_from(["Results", "Methods", "Discussion", "Conclusion"]), st.integers(1, 20))
def test_numbers_before_a_heading_do_not_matter(heading: str, number: int) -> None:
    assert parts(f"{number}. {heading}") == parts(heading) == parts(f"{number}.2 {heading.upper()}")


def test_what_a_paper_concludes_is_chosen_before_what_others_found() -> None:
    paper = Candidate(
        title="Early atropine in stress echocardiography: a randomised trial",
        sentences=(
            "Atropine shortened stress echocardiography in earlier studies.",
            "Atropine shortened stress echocardiography without more complications.",
            "Atropine: sulphate of atropine; echo: stress echocardiography.",
        ),
        headings=("Background", "Abstract > Conclusion", "Abbreviations"),
    )
    (found,) = strengths("Does early atropine shorten stress echocardiography?", [paper])
    assert max(range(3), key=found.__getitem__) == 1
    assert found[1] > max(found[0], found[2]) + 1
