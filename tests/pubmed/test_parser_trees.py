"""Queries based on PubMed's published help, with the trees they parse to."""

from __future__ import annotations

from datetime import date

from rows import each_row

from medground.pubmed.printer import to_pubmed
from medground.pubmed.translate import parse
from medground.values.query import (
    And,
    DateRange,
    Everything,
    FieldName,
    Mesh,
    Near,
    Not,
    Or,
    Phrase,
    PublicationType,
    Query,
    Range,
    Term,
)

TODAY = date(2026, 3, 31)


def word(value: str, field: FieldName = "all") -> Term:
    return Term(value=value, field=field)


def start(value: str, field: FieldName = "all") -> Term:
    return Term(value=value, field=field, prefix=True)


def phrase(text: str, field: FieldName = "all") -> Phrase:
    return Phrase(text=text, field=field)


def near(text: str, field: FieldName, distance: int) -> Near:
    return Near(text=text, field=field, distance=distance)


def mesh(heading: str, *qualifiers: str, explode: bool = True, major: bool = False) -> Mesh:
    return Mesh(heading=heading, qualifiers=qualifiers, explode=explode, major=major)


def subheading(name: str, explode: bool = True) -> Mesh:
    return Mesh(qualifiers=(name,), explode=explode)


def kind(name: str, explode: bool = True) -> PublicationType:
    return PublicationType(name=name, explode=explode)


def years(low: int | None, high: int | None) -> Range:
    return Range(low=low, high=high)


def pmid(number: int) -> Term:
    return Term(value=f"PMID:{number}", field="id")


def every(*parts: Query) -> And:
    return And(parts=parts)


def some(*parts: Query) -> Or:
    return Or(parts=parts)


def no(part: Query) -> Not:
    return Not(part=part)


def mapped(heading: str, *words: str) -> Or:
    """A one-word heading, and the words searched along with it."""
    return some(mesh(heading), *(word(w) for w in words))


ASTHMA = mapped("Asthma", "asthma")
CHILD = mapped("Child", "child")
TI_A, TI_B, TI_C, TI_D = (word(letter, "title") for letter in "abcd")

TREES: dict[str, Query] = {
    # Words of a field, in every spelling of the field.
    "asthma[ti]": word("asthma", "title"),
    "asthma [TI]": word("asthma", "title"),
    "asthma[Title]": word("asthma", "title"),
    "asthma[titl]": word("asthma", "title"),
    "asthma[tiab]": word("asthma", "title_abstract"),
    "asthma[Title/Abstract]": word("asthma", "title_abstract"),
    "asthma[ TITLE/ABSTRACT ]": word("asthma", "title_abstract"),
    "asthma[ab]": word("asthma", "text"),
    "asthma[Abstract]": word("asthma", "text"),
    "asthma[tw]": word("asthma", "text_word"),
    "asthma[Text Word]": word("asthma", "text_word"),
    "asthma[text words]": word("asthma", "text_word"),
    '"asthma"[all]': word("asthma"),
    '"asthma"[All Fields]': word("asthma"),
    '"asthma"': word("asthma"),
    "ASTHMA[ti]": word("asthma", "title"),
    "asthma[ot]": word("asthma", "keyword"),
    "asthma[Other Term]": word("asthma", "keyword"),
    # Phrases.
    '"kidney allograft"': phrase("kidney allograft"),
    "kidney allograft[tw]": phrase("kidney allograft", "text_word"),
    "kidney allograft[tiab]": phrase("kidney allograft", "title_abstract"),
    '"kidney allograft"[tiab]': phrase("kidney allograft", "title_abstract"),
    '"kidney   allograft" [ti]': phrase("kidney allograft", "title"),
    "kidney-allograft[ti]": word("kidney-allograft", "title"),
    "kidney, allograft.[ti]": phrase("kidney allograft", "title"),
    # Truncation.
    "therap*[tiab]": start("therap", "title_abstract"),
    "therap*": start("therap"),
    '"therap*"[ti]': start("therap", "title"),
    '"breast feed*"': start("breast feed"),
    "breast feed*[tiab]": start("breast feed", "title_abstract"),
    "the*[tiab]": word("the", "title_abstract"),
    "colo*r[tiab]": word("color", "title_abstract"),
    "heart attack*": every(mapped("Heart", "heart"), start("attack")),
    "neoplasm*[mh]": start("neoplasm", "mesh"),
    "neoplasm*[majr]": start("neoplasm", "mesh_major"),
    # Proximity.
    '"asthma child"[tiab:~3]': near("asthma child", "title_abstract", 3),
    '"rationing healthcare"[Title:~2]': near("rationing healthcare", "title", 2),
    '"patient physician relationship"[Title/Abstract:~0]': near("patient physician relationship", "title_abstract", 0),
    '"hopkins bloomberg public"[ad:~45]': near("hopkins bloomberg public", "affiliation", 45),
    '"hip pain" [ti : ~ 4]': near("hip pain", "title", 4),
    '"hip pain*"[ti:~4]': start("hip pain", "title"),
    '"hip"[ti:~4]': word("hip", "title"),
    # Operators go from left to right.
    "a[ti] AND b[ti]": every(TI_A, TI_B),
    "a[ti] OR b[ti]": some(TI_A, TI_B),
    "a[ti] NOT b[ti]": every(TI_A, no(TI_B)),
    "a[ti] b[ti]": every(TI_A, TI_B),
    "a[ti]b[ti]": every(TI_A, TI_B),
    "a[ti] & b[ti]": every(TI_A, TI_B),
    "a[ti] | b[ti]": some(TI_A, TI_B),
    "a[ti] AND b[ti] AND c[ti]": every(TI_A, TI_B, TI_C),
    "a[ti] OR b[ti] OR c[ti]": some(TI_A, TI_B, TI_C),
    "a[ti] OR b[ti] AND c[ti]": every(some(TI_A, TI_B), TI_C),
    "a[ti] AND b[ti] OR c[ti]": some(every(TI_A, TI_B), TI_C),
    "a[ti] AND b[ti] OR c[ti] AND d[ti]": every(some(every(TI_A, TI_B), TI_C), TI_D),
    "a[ti] OR b[ti] NOT c[ti]": every(some(TI_A, TI_B), no(TI_C)),
    "a[ti] NOT b[ti] OR c[ti]": some(every(TI_A, no(TI_B)), TI_C),
    "a[ti] NOT b[ti] NOT c[ti]": every(TI_A, no(TI_B), no(TI_C)),
    "a[ti] NOT b[ti] AND c[ti]": every(TI_A, no(TI_B), TI_C),
    "NOT a[ti]": no(TI_A),
    "NOT a[ti] AND b[ti]": every(no(TI_A), TI_B),
    # Parentheses.
    "(a[ti])": TI_A,
    "((a[ti]))": TI_A,
    "a[ti] AND (b[ti] OR c[ti])": every(TI_A, some(TI_B, TI_C)),
    "a[ti](b[ti] OR c[ti])": every(TI_A, some(TI_B, TI_C)),
    "(a[ti] OR b[ti])(c[ti] OR d[ti])": every(some(TI_A, TI_B), some(TI_C, TI_D)),
    "a[ti] OR (b[ti] AND c[ti])": some(TI_A, every(TI_B, TI_C)),
    "a[ti] AND (b[ti] AND c[ti])": every(TI_A, TI_B, TI_C),
    "a[ti] OR (b[ti] OR c[ti])": some(TI_A, TI_B, TI_C),
    "a[ti] NOT (b[ti] OR c[ti])": every(TI_A, no(some(TI_B, TI_C))),
    "a[ti] NOT (b[ti] AND c[ti])": every(TI_A, no(every(TI_B, TI_C))),
    "a[ti] OR (NOT b[ti])": some(TI_A, no(TI_B)),
    "NOT (NOT a[ti])": no(no(TI_A)),
    "((a[ti] OR b[ti]) AND c[ti]) NOT d[ti]": every(some(TI_A, TI_B), TI_C, no(TI_D)),
    # MeSH.
    "asthma[mh]": mesh("Asthma"),
    "asthma[mesh]": mesh("Asthma"),
    "asthma[MeSH Terms]": mesh("Asthma"),
    "Asthma[Mesh Term]": mesh("Asthma"),
    '"heart attack"[mh]': mesh("Myocardial Infarction"),
    "heart attack[mh]": mesh("Myocardial Infarction"),
    "neoplasms[mh:noexp]": mesh("Neoplasms", explode=False),
    "neoplasms[mesh:noexp]": mesh("Neoplasms", explode=False),
    "neoplasms[MeSH Terms:NoExp]": mesh("Neoplasms", explode=False),
    "neoplasms [mh : noexp]": mesh("Neoplasms", explode=False),
    "neoplasms[majr]": mesh("Neoplasms", major=True),
    "neoplasms[MeSH Major Topic]": mesh("Neoplasms", major=True),
    "neoplasms[majr:noexp]": mesh("Neoplasms", explode=False, major=True),
    '"stress, mechanical"[mh]': mesh("Stress, Mechanical"),
    "mechanical stress[mh]": mesh("Stress, Mechanical"),
    "benzo a pyrene[mh]": mesh("Benzo(a)pyrene"),
    '"Benzo(a)pyrene"[mh]': mesh("Benzo(a)pyrene"),
    "D001249[mh]": mesh("Asthma"),
    "marfan's syndrome[mh]": mesh("Marfan Syndrome"),
    '"a heading of next year"[mh]': mesh("a heading of next year"),
    "neoplasms/diet therapy": mesh("Neoplasms", "diet therapy"),
    "neoplasms/diet therapy[mh]": mesh("Neoplasms", "diet therapy"),
    "neoplasms/dh[mh]": mesh("Neoplasms", "diet therapy"),
    '"Neoplasms/DH"[Mesh]': mesh("Neoplasms", "diet therapy"),
    "plants/genetics[majr]": mesh("Plants", "genetics", major=True),
    "hypertension/therapy[mh:noexp]": mesh("Hypertension", "therapy", explode=False),
    '"asthma/administration and dosage"[mh]': mesh("Asthma", "administration & dosage"),
    '"asthma/administration & dosage"[mh]': mesh("Asthma", "administration & dosage"),
    "toxicity[sh]": subheading("toxicity"),
    "dh[sh]": subheading("diet therapy"),
    "diet therapy[MeSH Subheading]": subheading("diet therapy"),
    "therapy[sh:noexp]": subheading("therapy", explode=False),
    "hypertension[mh] AND toxicity[sh]": every(mesh("Hypertension"), subheading("toxicity")),
    # Publication types.
    "review[pt]": kind("review"),
    "Review[Publication Type]": kind("review"),
    "review[ptyp]": kind("review"),
    "review[pt:noexp]": kind("review", explode=False),
    '"Randomized Controlled Trial"[pt]': kind("randomized controlled trial"),
    '"clinical trial, phase iii"[pt]': kind("clinical trial, phase iii"),
    # Dates.
    "2010[dp]": years(2010, 2010),
    "2010[pdat]": years(2010, 2010),
    "2010[Date - Publication]": years(2010, 2010),
    "2010:2020[dp]": years(2010, 2020),
    "2010 : 2020 [dp]": years(2010, 2020),
    '"2010":"2020"[dp]': years(2010, 2020),
    '"2010/01/01"[PDAT] : "2020/12/31"[PDAT]': years(2010, 2020),
    '("2010/01/01"[Date - Publication] : "3000"[Date - Publication])': years(2010, None),
    "2010:3000[dp]": years(2010, None),
    "1000:2010[dp]": years(None, 2010),
    "1998/03/06[dp]": DateRange(low=date(1998, 3, 6), high=date(1998, 3, 6)),
    "1998/3/6[dp]": DateRange(low=date(1998, 3, 6), high=date(1998, 3, 6)),
    "1998/02[dp]": DateRange(low=date(1998, 2, 1), high=date(1998, 2, 28)),
    "2000/02[dp]": DateRange(low=date(2000, 2, 1), high=date(2000, 2, 29)),
    "1998/01:1998/04[dp]": DateRange(low=date(1998, 1, 1), high=date(1998, 4, 30)),
    "2010/05:3000[dp]": DateRange(low=date(2010, 5, 1)),
    "2024/01/01:2024/12/31[edat]": DateRange(field="entered", low=date(2024, 1, 1), high=date(2024, 12, 31)),
    "2024[crdt]": DateRange(field="created", low=date(2024, 1, 1), high=date(2024, 12, 31)),
    "2024/05[mdat]": DateRange(field="revised", low=date(2024, 5, 1), high=date(2024, 5, 31)),
    "2024/05[lr]": DateRange(field="revised", low=date(2024, 5, 1), high=date(2024, 5, 31)),
    "2000/03:2000/04[mhda]": DateRange(field="indexed", low=date(2000, 3, 1), high=date(2000, 4, 30)),
    "2000/03/15[dcom]": DateRange(field="completed", low=date(2000, 3, 15), high=date(2000, 3, 15)),
    "2001/03/15[epdat]": DateRange(field="electronic", low=date(2001, 3, 15), high=date(2001, 3, 15)),
    '"last 5 years"[dp]': DateRange(low=date(2021, 3, 31), high=TODAY),
    "last 5 years[dp]": DateRange(low=date(2021, 3, 31), high=TODAY),
    '"last 1 year"[dp]': DateRange(low=date(2025, 3, 31), high=TODAY),
    '"last 1 month"[dp]': DateRange(low=date(2026, 2, 28), high=TODAY),
    '"last 30 days"[crdt]': DateRange(field="created", low=date(2026, 3, 1), high=TODAY),
    # Persons, journals, identifiers.
    "smith[au]": word("smith", "author"),
    "smith j[au]": start("smith j", "author"),
    '"smith j"[au]': phrase("smith j", "author"),
    "Smith J[Author]": start("smith j", "author"),
    "o'brien jc jr[au]": start("o'brien jc jr", "author"),
    "Smith, J.[au]": start("smith j", "author"),
    "smith j[1au]": start("smith j", "first_author"),
    "smith j[First Author]": start("smith j", "first_author"),
    "smith j[lastau]": start("smith j", "last_author"),
    "varmus h[ps]": start("varmus h", "subject_name"),
    "soller b[ir]": start("soller b", "investigator"),
    "orcid 0000-0001-5027-4446 [auid]": phrase("orcid 0000-0001-5027-4446", "author_id"),
    "gene therapy[ta]": phrase("gene therapy", "journal"),
    '"J Biol Chem"[jour]': phrase("j biol chem", "journal"),
    "0021-9258[ta]": word("0021-9258", "journal"),
    "cleveland [ad] AND clinic [ad]": every(word("cleveland", "affiliation"), word("clinic", "affiliation")),
    "17170002[pmid]": pmid(17170002),
    "17170002[uid]": pmid(17170002),
    "17170002": pmid(17170002),
    "17170002 16381840": some(pmid(17170002), pmid(16381840)),
    "17170002 16381840[pmid]": some(pmid(17170002), pmid(16381840)),
    "10.1000/182[aid]": word("10.1000/182", "identifier"),
    "PMC2600426": word("pmc2600426", "identifier"),
    "CA101211[gr]": word("ca101211", "grant"),
    "genbank/AF001892[si]": word("genbank/af001892", "secondary_source"),
    "0375267[jid]": word("0375267", "nlm_id"),
    "97[vi] AND 3[ip] AND 12[pg]": every(word("97", "volume"), word("3", "issue"), word("12", "pages")),
    # Language, substances, filters.
    "english[la]": word("eng", "language"),
    "eng[la]": word("eng", "language"),
    "chi[la]": word("chi", "language"),
    "chinese[Language]": word("chi", "language"),
    "metformin[nm]": word("metformin", "substance"),
    "2751-14-6[rn]": word("2751-14-6", "registry_number"),
    "antihypertensive agents[pa]": phrase("antihypertensive agents", "pharmacological_action"),
    "free full text[sb]": word("free full text", "subset"),
    "ffrft[filter]": word("free full text", "subset"),
    "medline[sb]": word("medline", "subset"),
    "systematic[sb]": word("systematic", "subset"),
    "all[sb]": Everything(),
    "hasabstract": word("hasabstract", "subset"),
    "hasabstract[text]": word("hasabstract", "subset"),
    "hasabstract[All Fields]": word("hasabstract", "subset"),
    "fha[Filter]": word("hasabstract", "subset"),
    "humans[Filter]": mesh("Humans"),
    "english[Filter]": word("eng", "language"),
    "review[Filter]": kind("review"),
    "randomizedcontrolledtrial[Filter]": kind("randomized controlled trial"),
    "y_5[Filter]": DateRange(low=date(2021, 3, 31), high=TODAY),
    "humans[mh]": mesh("Humans"),
    # Untagged words among tagged ones.
    "asthma": ASTHMA,
    "asthma child": every(ASTHMA, CHILD),
    "asthma AND child": every(ASTHMA, CHILD),
    "asthma and the child": every(ASTHMA, CHILD),
    "asthma AND review[pt]": every(ASTHMA, kind("review")),
    'asthma "wheezing child"': every(ASTHMA, phrase("wheezing child")),
    "asthma hasabstract": every(ASTHMA, word("hasabstract", "subset")),
    "asthma[all]": ASTHMA,
    "qwertz uiop": every(word("qwertz"), word("uiop")),
    "the": word("the"),
    "Smith JA": start("smith ja", "author"),
    "child? (asthma)": every(CHILD, ASTHMA),
}
"""Query and expected tree."""


@each_row(("text", "tree"), TREES.items())
def test_a_query_parses_to_its_tree_and_so_does_what_is_printed(text: str, tree: Query) -> None:
    assert parse(text, today=TODAY) == tree
    assert parse(to_pubmed(tree), today=TODAY) == tree


@each_row(
    ("tree", "text", "read_back"),
    [
        (Term(value="2010", field="year"), "2010[Date - Publication]", Range(low=2010, high=2010)),
        (
            Phrase(text="asthma child", slop=3),
            '"asthma child"[Title/Abstract:~3]',
            Near(text="asthma child", field="title_abstract", distance=3),
        ),
    ],
)
def test_our_own_trees_are_printed_as_the_closest_pubmed_query(tree: Query, text: str, read_back: Query) -> None:
    assert to_pubmed(tree) == text
    assert parse(text, today=TODAY) == read_back
