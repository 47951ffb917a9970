"""Filters: the meaning of `[sb]` and `[filter]`, and words that act as filters without a tag."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from medground.pubmed.combine import any_of
from medground.pubmed.dates import between, last_days
from medground.query import Everything, Mesh, Not, PublicationType, Query, Term

WORDS = frozenset(
    (
        *("hasabstract", "hascois", "haskeyword", "hasnonenglishabstract", "hasstructuredabstract", "hasnihmsid"),
        *("hasdatabanklist", "hasassociateddata", "hasassociateddataset", "hasassociatedpublication"),
        *("hascommentin", "hascommenton", "haserratumin", "haserratumfor", "hasretractionin", "hasretractionof"),
        *("hascorrectedrepublishedin", "hascorrectedrepublishedfrom", "hasupdatein", "hasupdateof"),
        *("hasexpressionofconcernin", "hasexpressionofconcernfor", "hasoriginalreportin", "hassummaryforpatientsin"),
        *("hasrepublishedin", "hasrepublishedfrom", "hasretractedandrepublishedin", "hasretractedandrepublishedfrom"),
        *("pubstatusaheadofprint", "pmcbook", "pmcbooktitle", "pmcbookchapter", "ownernasa", "ownernlm"),
        *("indexingmethod_automated", "indexingmethod_curated"),
    )
)
"""Filters that PubMed accepts without a tag."""

_SYNONYMS = {
    "ffrft": "free full text",
    "loattrfree full text": "free full text",
    "fft": "full text",
    "loattrfull text": "full text",
    "fha": "hasabstract",
    "abstract": "hasabstract",
    "systematicreview": "systematic",
    "systematic review": "systematic",
    "systematic reviews": "systematic",
    "booksdocs": "pmcbook",
    "pubmed books": "pmcbook",
}
_AGES = {
    "allinfant": ("Infant",),
    "allchild": ("Infant", "Child", "Adolescent"),
    "alladult": ("Adult",),
}
_MESH = {
    "human": "Humans",
    "humans": "Humans",
    "animals": "Animals",
    "otheranimals": "Animals",
    "male": "Male",
    "female": "Female",
    "adult": "Adult",
    "youngadult": "Young Adult",
    "middleaged": "Middle Aged",
    "aged": "Aged",
    "80andover": "Aged, 80 and over",
    "child": "Child",
    "preschoolchild": "Child, Preschool",
    "adolescent": "Adolescent",
    "infant": "Infant",
    "newborn": "Infant, Newborn",
}
_TYPES = {
    name.replace("-", "").replace(" ", ""): name
    for name in (
        *("review", "meta-analysis", "clinical trial", "randomized controlled trial"),
        *("controlled clinical trial", "clinical study", "observational study", "case reports", "guideline"),
        *("practice guideline", "letter", "editorial", "comment", "multicenter study", "comparative study", "preprint"),
    )
}
_LANGUAGES = """
eng english|ger german|fre french|spa spanish|ita italian|jpn japanese|chi chinese|rus russian|por portuguese
pol polish|dut dutch|kor korean|tur turkish|cze czech|dan danish|swe swedish|nor norwegian|fin finnish|hun hungarian
gre greek|heb hebrew|ara arabic|per persian|ukr ukrainian|rum romanian|bul bulgarian|hrv croatian|srp serbian
slo slovak|lat latin|slv slovenian|lit lithuanian|ice icelandic|cat catalan|vie vietnamese|tha thai|afr afrikaans
est estonian|mul multiple languages|und undetermined
"""
LANGUAGES: Mapping[str, str] = {
    name: code
    for row in _LANGUAGES.split("\n")
    for code, space, name in (pair.partition(" ") for pair in row.split("|"))
    if space
}
"""Language names accepted by PubMed, mapped to the codes used in records."""

_YEARS = {"y_1": 1, "y_5": 5, "y_10": 10}


def filtered(name: str, today: date) -> Query:
    """Return the query for a filter: a language, heading, publication type or period, or else a `subset` term."""
    name = " ".join(name.casefold().split())
    if name == "all":
        return Everything()
    joined = name.replace(" ", "").replace("-", "")
    if joined in _MESH:
        return Mesh(heading=_MESH[joined])
    if joined in _AGES:
        return any_of([Mesh(heading=heading) for heading in _AGES[joined]])
    if joined == "excludepreprints":
        return Not(part=PublicationType(name="preprint"))
    if joined in _TYPES:
        return PublicationType(name=_TYPES[joined])
    if name in LANGUAGES:
        return Term(value=LANGUAGES[name], field="language")
    if name in _YEARS and (found := last_days(f"last {_YEARS[name]} years", today)):
        return between("published", *found)
    return Term(value=_SYNONYMS.get(name, name), field="subset")
