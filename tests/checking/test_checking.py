"""Texts checked against their own references, through the engine and the command line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import word_parts
from command_line import corpus_of, run, type_in
from hypothesis import given
from hypothesis import strategies as st

from medground import BlockingEngine
from medground.answering.verify.critic import Claim, Judgement
from medground.checking.entries import entries_of
from medground.checking.marks import marks
from medground.checking.printed import word_text
from medground.checking.sentences import read_text
from medground.checking.support import parts_of
from medground.errors import ModelFailed, UsageError
from medground.models.operators.checking import CheckInput, CheckOutput, Entailment, StatementCheck
from medground.values.finding import Finding, TextCheck

TRIAL = {
    "id": "PMID:11111111",
    "title": "Zinc lozenges for the common cold in adults",
    "text": "We randomised 120 adults with a cold to zinc or placebo for 7 days. Nasal discharge was significantly "
    "lower with zinc than with placebo (p = 0.01). Mouth irritation occurred in 25% with zinc and in 8% with placebo. "
    "One patient died in the placebo group. Adults who took garlic were not included. "
    "Zinc may shorten the cold in adults. There was no difference in cough.",
    "authors": ["Smith JA", "Jones B"],
    "year": 2019,
    "doi": "10.1234/zinc.19",
}
JUICE = {
    "id": "PMID:22222222",
    "title": "Cranberry juice and urinary infection in women",
    "text": "Cranberry juice prevented recurrent urinary infection in young women in this community trial.",
    "authors": ["Miller C"],
    "year": 2020,
}
GONE = {"id": "PMID:33333333", "title": "Magnets for gout", "text": "Magnets cure gout.", "retraction": "retracted"}
REFERENCES = """

## References

1. Smith JA, Jones B. Zinc lozenges for the common cold in adults. J Cold. 2019. PMID: 11111111
2. Miller C. Cranberry juice and urinary infection in women. 2020.
3. Magnets for gout. PMID: 33333333
4. Smith JA. Effects of garlic on blood pressure in older men with hypertension. 2011. PMID: 11111111
5. Nobody N. A paper on the moons of Jupiter that is stored nowhere at all. 2001.
"""


class Agrees:
    """A critic that supports whatever it is asked; it notes what that is."""

    name = "agrees"
    reads = "windows"

    def __init__(self) -> None:
        self.asked: list[Sequence[Claim]] = []

    async def judge(self, claims: Sequence[Claim]) -> list[Judgement]:
        self.asked.append(claims)
        return [Judgement("entails", claim.premises[0].id, 0.99, 0.99) for claim in claims]


@pytest.fixture
def critic(home: Path) -> Agrees:
    corpus_of(TRIAL, JUICE, GONE)
    return Agrees()


def checked(critic: Agrees, text: str, **more: Any) -> TextCheck:
    settings = {"retrieval.corpora": ("papers",), "verify.trusted_judges": ("agrees",)}
    with BlockingEngine(settings, critic=critic) as engine:
        return engine.check_text(text, **more)


def kinds(critic: Agrees, *sentences: str) -> list[str]:
    return [one.kind for one in checked(critic, "\n\n".join(sentences) + REFERENCES).findings]


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("Nasal discharge was significantly lower with zinc than with placebo [1].", "supported"),
        ("Nasal discharge was significantly lower with placebo than with zinc [1].", "contradicted"),
        ("Nasal discharge was significantly higher with zinc than with placebo [1].", "contradicted"),
        ("Mouth irritation occurred in 35% of adults with zinc [1].", "number"),
        ("Mouth irritation occurred in 8% with zinc and in 25% with placebo [1].", "number"),
        ("The authors conclude that “zinc will shorten the cold in adults” [1].", "altered_quote"),
        ("They add that it would “shorten the cold in adults” [1].", "altered_quote"),
        ("They say “every pharmacy should sell zinc lozenges at once” [1].", "fabricated_quote"),
        ("They say “Zinc may shorten the cold in adults” [1].", "supported"),
        ("This trial does not report mouth irritation [1].", "false_absence"),
        ("No deaths occurred in this trial [1].", "false_absence"),
        ("There was no difference in cough [1].", "supported"),
        ("Adults who took garlic were not included [1].", "supported"),
        ("Mouth irritation occurred in 35% of adults with zinc [1,5].", "not_checked"),
        ("Bone mineral density was not measured [1].", "supported"),
        ("Cranberry juice prevented recurrent urinary infection in young women [1].", "elsewhere"),
        ("Statins lowered the risk of myocardial infarction in diabetic men [1].", "silent"),
        ("Magnets cure gout [3].", "retracted"),
        ("Garlic lowers blood pressure in men [4].", "wrong_reference"),
        ("Jupiter has many moons of different sizes [5].", "not_checked"),
        ("Many people have colds in winter.", "not_checked"),
    ],
)
def test_each_kind(critic: Agrees, sentence: str, kind: str) -> None:
    (found,) = checked(critic, sentence + REFERENCES).findings
    assert found.kind == kind, found.reason
    if found.evidence:
        texts = {one["id"]: f"{one['title']}\n{one['text']}" for one in (TRIAL, JUICE, GONE)}
        assert found.evidence.quote in texts[found.evidence.ref]


def test_another_paper_is_found_in_any_of_several_collections(critic: Agrees) -> None:
    corpus_of(JUICE, name="juices")
    corpus_of(TRIAL, name="papers")
    text = "Cranberry juice prevented recurrent urinary infection in young women [1]." + REFERENCES
    with BlockingEngine({"retrieval.corpora": ("papers", "juices")}, critic=critic) as engine:
        (found,) = engine.check_text(text).findings
    assert (found.kind, found.evidence and found.evidence.ref) == ("elsewhere", JUICE["id"])


def test_an_abstract_supports_also_where_the_whole_text_is_stored(critic: Agrees) -> None:
    like = "Nurses wrote down the nasal discharge of adults with a winter cold who got zinc or got placebo. "
    corpus_of(TRIAL, TRIAL | {"id": "PMC:PMC1111111", "pmid": "11111111", "text": like * 90})
    claim = "In adults with a winter cold, nasal discharge was significantly lower with zinc than with placebo [1]."
    assert kinds(critic, claim) == ["supported"]


@pytest.mark.parametrize("name", ["PMC1111111", "pmcid PMC1111111", "doi:10.1234/zinc.19"])
def test_a_paper_that_is_named_by_its_id_alone_is_that_paper(critic: Agrees, name: str) -> None:
    corpus_of(TRIAL | {"id": "PMC:PMC1111111"})
    assert kinds(critic, f"Nasal discharge was significantly lower with zinc than with placebo ({name}).") == [
        "supported"
    ]


@pytest.mark.parametrize("name", ["doi: 10.1234/zinc.19", "PubMed: PMID 11111111", "PMCID: PMC1111111"])
def test_an_entry_that_is_an_id_alone_is_that_paper(critic: Agrees, name: str) -> None:
    corpus_of(TRIAL | {"id": "PMC:PMC1111111", "pmid": "11111111"})
    text = f"Nasal discharge was significantly lower with zinc than with placebo [1].\n\n## References\n\n1. {name}\n"
    with BlockingEngine({"retrieval.corpora": ("papers",)}, critic=critic) as engine:
        assert [one.kind for one in engine.check_text(text).findings] == ["supported"]


def test_an_entry_without_the_subtitle_is_that_paper(critic: Agrees) -> None:
    corpus_of(TRIAL | {"title": f"{TRIAL['title']}: a randomised trial at nine schools of nursing in the north"})
    text = "Nasal discharge was significantly lower with zinc than with placebo [1]."
    text += REFERENCES.replace(" PMID: 11111111", "")
    with BlockingEngine({"retrieval.corpora": ("papers",)}, critic=critic) as engine:
        assert [one.kind for one in engine.check_text(text).findings] == ["supported"]


def test_numbers_that_change_places_between_two_clauses_are_not_supported_part_by_part(critic: Agrees) -> None:
    corpus_of(TRIAL)
    said = "Mouth irritation occurred in 8% with zinc, and mouth irritation occurred in 25% with placebo [1]."
    assert kinds(critic, said) != ["supported"]


def test_what_another_sentence_says_of_the_sides_contradicts_no_comparison(critic: Agrees) -> None:
    more = "Irritation of the mouth was higher with zinc than with placebo."
    corpus_of(TRIAL | {"text": f"{TRIAL['text']} {more}"})
    assert kinds(critic, "Nasal discharge was lower with zinc than with placebo [1].") == ["supported"]


def test_a_critic_that_always_agrees_supports_no_opposite_and_reads_all_in_one_batch(critic: Agrees) -> None:
    found = kinds(
        critic,
        "Zinc shortened colds of adults [1].",
        "Cough was significantly worse with placebo than with zinc [1].",
        "Cranberry juice keeps young women free of urinary infection [2].",
    )
    assert found[0] != "contradicted" and found[1] != "supported" and found[2] == "supported"
    assert len(critic.asked) == 1


@pytest.mark.parametrize(
    ("sentence", "kind", "told"),
    [
        (
            "Zinc lowered nasal discharge in adults, and cough was significantly reduced too [1].",
            "contradicted",
            "cough",
        ),
        ("Zinc lowered nasal discharge and, in 35% of them, mouth irritation occurred [1].", "number", "35%"),
        (
            "Cranberry juice prevented infection [2] and zinc irritated the mouth of 35% [1].",
            "number",
            "irritated",
        ),
        (
            "Juice prevented infection in 25% [2] and zinc irritated the mouth of 25% [1].",
            "number",
            "infection",
        ),
    ],
)
def test_a_true_part_hides_no_wrong_one(critic: Agrees, sentence: str, kind: str, told: str) -> None:
    (found,) = checked(critic, sentence + REFERENCES).findings
    assert found.kind == kind and told in found.reason


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("The paper gives no information on mouth irritation [1].", "false_absence"),
        ("Nowhere do the authors discuss deaths, coughing or fractures [1].", "false_absence"),
        ("It is not stated whether cough was assessed [1].", "false_absence"),
        ("Data on the common cold are lacking [1].", "false_absence"),
        ("The trial was not designed to measure fever [1].", "supported"),
    ],
)
def test_forms_of_absences(critic: Agrees, sentence: str, kind: str) -> None:
    (found,) = checked(critic, sentence + REFERENCES).findings
    assert found.kind == kind, found.reason


def test_a_true_absence_is_certified_text_by_text(critic: Agrees) -> None:
    (found,) = checked(critic, "The trials did not report fever [1,2]." + REFERENCES).findings
    assert found.kind == "supported" and "MeSH: Pyrexia" in found.reason and "HPO: Hyperthermia" in found.reason
    for paper in (TRIAL, JUICE):
        assert f"{paper['id']} (abstract; nearest: “" in found.reason


ENTRIES = {
    "Smith JA. J Cold. 2019;5:1-9.": ("PMID:11111111", ""),
    "Smyth JA. Zinc lozenges for the common cold in adults. J Cold. 2018 [accessed 3 May 2024]": ("PMID:11111111", ""),
    "Miller C, Cranberry juice & urinary infections, 2020. PMID: 22222222": ("PMID:22222222", ""),
    "PMID: 22222222": ("PMID:22222222", ""),
    "Hollister P, Miller C. Cranberry juice and urinary infection in women. 2020.": ("PMID:22222222", "name first"),
    "Miller C. Cranberry juice and urinary infection in women. 2014.": ("PMID:22222222", "of 2020"),
    "Miller C. Cranberry juice and urinary infection in women. 2020. PMID: 11111111": ("PMID:11111111", "which the"),
    "Miller C. Cranberry juice and urinary infection in women. 2020. PMID: 99999999": ("PMID:22222222", "is not this"),
    "Miller C. Long-term outcomes of cohorts of adolescents in Peru. 2020.": (None, "not stored"),
}


def test_entries_are_joined_only_where_all_of_them_is_one_paper(critic: Agrees) -> None:
    listed = "\n".join(f"{number}. {entry}" for number, entry in enumerate(ENTRIES, 1))
    found = checked(critic, f"Juice is good for women [1].\n\n## References\n\n{listed}").references
    for entry, one in zip(ENTRIES, found, strict=True):
        paper, why = ENTRIES[entry]
        assert one.ref == paper and (why in one.reason if why else "name" not in one.reason), (entry, one)


def test_authors_and_year_without_a_list_lead_to_the_only_paper(critic: Agrees) -> None:
    corpus_of(TRIAL, JUICE, JUICE | {"id": "PMID:44444444", "title": "Juice and falls in men", "text": "Men fell."})
    alone = "Mouth irritation occurred in 35% with zinc (Smith et al., 2019)."
    first, second = checked(critic, f"{alone}\n\nJuice helps all women (Miller, 2020).").findings
    assert (first.cited, first.kind) == (("PMID:11111111",), "number")
    assert second.kind == "not_checked" and "several stored papers" in second.reason


def test_without_a_judge_nothing_is_supported_but_the_words_of_the_source(home: Path) -> None:
    corpus_of(TRIAL, JUICE, GONE)
    text = "Cranberry juice keeps young women free of urinary infection [2].\n\nMagnets cure gout [3]." + REFERENCES
    with BlockingEngine({"retrieval.corpora": ("papers",)}) as engine:
        first, second = engine.check_text(text).findings
    assert (first.kind, second.kind) == ("not_checked", "retracted") and "models fetch" in first.reason


@pytest.mark.parametrize(
    "mark",
    [
        *(
            "[1]",
            "[1,3-5]",
            "[3; 1]",
            "<sup>1,2</sup>",
            "^1,2^",
            "(Smith et al., 2019; Miller 2020)",
            "(PMID: 11111111)",
        ),
        *("(doi:10.1234/zinc.19)", "(Smith & Jones, 2019)"),
    ],
)
def test_forms_of_marks_lead_to_the_paper(critic: Agrees, mark: str) -> None:
    (found,) = checked(critic, f"Mouth irritation was seen with zinc {mark}." + REFERENCES).findings
    assert "PMID:11111111" in found.cited


def test_keys_of_footnotes_pandoc_and_latex(critic: Agrees, tmp_path: Path) -> None:
    bib = tmp_path / "refs.bib"
    bib.write_text(
        "@article{smith19, title={Zinc lozenges for the common cold in adults}, author={Smith, J. A.}, year={2019}}\n"
        "@article{miller, title={Cranberry juice and urinary infection in women}, author={Miller, C.}, year={2020}}\n",
        encoding="utf-8",
    )
    for text in (
        "It irritates the mouth [@smith19; see @miller].",
        r"It irritates the mouth \citep[p.~3]{smith19,miller}.",
    ):
        (found,) = checked(critic, text, references=[bib], file="a.md").findings
        assert found.cited == ("PMID:11111111", "PMID:22222222")
    notes = (
        "It irritates the mouth.[^a] It was sweet.[^b]\n\n[^a]: Zinc lozenges for the common cold in adults. 2019.\n"
    )
    first, second = checked(
        critic, notes + "[^b]: Miller C. Cranberry juice and urinary infection in women. 2020."
    ).findings
    assert (first.cited, second.cited) == (("PMID:11111111",), ("PMID:22222222",))
    assert (notes[first.start : first.end], second.sentence) == ("It irritates the mouth.[^a]", "It was sweet.[^b]")


def test_one_mark_for_several_sentences_is_told(critic: Agrees) -> None:
    text = "Colds are common. Mouth irritation occurred in 95% with zinc and in 8% with placebo. The rest was mild [1]."
    found = checked(critic, text + REFERENCES)
    assert [one.kind for one in found.findings[:2]] == ["not_checked", "number"]
    assert any("without a mark" in remark for remark in found.remarks)


def test_html_latex_and_fields_keep_the_places_of_their_files(critic: Agrees) -> None:
    html = (
        "<html><head><title>x</title><style>p{}</style></head><body><p>Mouth irritation occurred in <b>35%</b> of "
        "adults with zinc.<sup>1</sup></p><h2>References</h2><ol><li>Smith JA. Zinc lozenges for the common cold in "
        "adults. 2019.</li></ol></body></html>"
    )
    (found,) = checked(critic, html, file="a.html").findings
    assert found.kind == "number" and html[found.start : found.end] == found.sentence
    assert found.sentence.startswith("Mouth") and found.cited == ("PMID:11111111",)
    claims = json.dumps(
        {"claims": [{"text": "Magnets “cure” gout.", "ref": "PMID:33333333"}, {"text": "No. 2", "ref": ""}]}
    )
    (found, *_) = checked(critic, claims, file="a.json", fields=["claims.text"]).findings
    assert found.kind == "retracted" and claims[found.start : found.end] == found.sentence
    yaml = (
        "a:\n  - text: >\n      Mouth irritation occurred in 35% of\n      adults with zinc.\n    ref: PMID:11111111\n"
    )
    (found,) = checked(critic, yaml, file="a.yaml", fields=["a.text"]).findings
    assert found.kind == "number" and yaml[found.start : found.end] == found.sentence


@pytest.mark.parametrize(
    ("text", "more", "line"),
    [
        (" \n", {}, "no text"),
        ("a: [", {"file": "a.yaml", "fields": ["a"]}, "not YAML or JSON at line"),
        ("a: b", {"file": "a.yaml", "fields": ["c.d"]}, "no text at c.d"),
        ("x", {"references": [Path("/no/such.bib")]}, "no such file"),
        ("x" * 2_000_001, {}, "at most 2,000,000"),
    ],
)
def test_bad_input_is_told_in_one_line(critic: Agrees, text: str, more: dict[str, Any], line: str) -> None:
    with pytest.raises(UsageError, match=line) as told:
        checked(critic, text, **more)
    assert "\n" not in str(told.value)


WORDS = st.sampled_from(
    ["Zinc", "helped", "3.5%", "of", "patients", "e.g.", "Smith", "et al.", "in 2019", "“so it is”"]
)
MARKS = st.sampled_from(["", " [1]", "[1,2-4]", "[^x]", ".[^x]", "¹", " (PMID: 12345678)", r"~\cite{a,b}", " [@k; @l]"])


@given(st.lists(st.tuples(st.lists(WORDS, min_size=1, max_size=8), MARKS, st.sampled_from([" ", "\n", "\n\n"]))))
def test_places_give_the_sentences_back(parts: list[tuple[list[str], str, str]]) -> None:
    text = "".join(f"{' '.join(words)}{mark}.{gap}" for words, mark, gap in parts)
    last = 0
    for one in read_text(text).sentences:
        assert text[one.start : one.end] == one.text and one.start >= last
        last = one.end
    for mark in marks(text):
        assert mark.keys and 0 <= mark.start < mark.end <= len(text)


def test_what_a_file_may_hold_costs_little_and_breaks_nothing(critic: Agrees) -> None:
    with pytest.raises(UsageError, match="deeper than"):
        checked(critic, "[" * 150, file="a.json", fields=["a"])
    with pytest.raises(UsageError, match=r"deeper than|not YAML or JSON"):  # newer libraries refuse it themselves
        checked(critic, "[" * 40_000, file="a.json", fields=["a"])
    assert read_text(f"A b c.\n\nReferences{' ' * 50_000}x").entries == ()
    assert [mark.keys for mark in marks("It fell <sup>1,</sup> and rose <sup>–</sup>.")] == [("1",)]
    lines = f"Zinc helps [1].{REFERENCES}".replace("\n", "\r\n").replace("## References", "**References:**")
    assert [one.claim for one in read_text(lines).sentences] == ["Zinc helps."]
    notes = read_text(f"Zinc helps [1].\n\nNotes\n\nStatins cause gout in all adults [1].{REFERENCES}")
    assert len(notes.sentences) == 2


def test_a_long_or_backward_range_and_a_measure_are_no_marks() -> None:
    assert not marks("Values [1-400] and [9-3], 5 kg/m² and 10³ cells, see [text](1).")
    assert [mark.keys for mark in marks("as before [1,3-5].")] == [("1", "3", "4", "5")]


def test_lists_of_references_by_heading_and_by_note() -> None:
    found, places = entries_of("A.\n\n# Bibliography\n\n[k1] One paper. 2001.\n[k2] Two. doi:10.1/x 2002.\n\n# Next\n")
    assert [(one.mark, one.year, one.ids) for one in found] == [
        ("k1", 2001, ()),
        ("k2", 2002, ("doi:10.1/x",)),
    ] or places


def test_the_command_exits_by_what_it_found(
    critic: Agrees, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = tmp_path / "a.md"
    text.write_text("Magnets cure gout [3]." + REFERENCES, encoding="utf-8")
    assert run("check", str(text), "--refs", "papers") == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert "a.md:1:1: Retracted paper Magnets cure gout [3]. Cited: PMID:33333333 “" in shown
    assert run("check", str(text), "--refs", "papers", "--json") == 1
    (found,) = json.loads(capsys.readouterr().out)
    assert Finding.model_validate(found).kind == "retracted"
    text.write_text("Many people have colds in winter.", encoding="utf-8")
    assert run("check", str(text), "--refs", "papers") == 0
    type_in(monkeypatch, "Colds are common.")
    assert run("check", "-", "--refs", "papers") == 0
    (tmp_path / "b.bin").write_bytes(b"\x00\x01")
    for name in ("b.bin", "none.md"):
        assert run("check", str(tmp_path / name), "--refs", "papers") == 2


class Reads:
    """Replies of a language model, by what a statement says; it notes what it was asked."""

    def __init__(self) -> None:
        self.asked: list[CheckInput] = []

    def __call__(self, value: CheckInput) -> CheckOutput:
        self.asked.append(value)
        relations: dict[str, Entailment] = {"keeps": "entails", "breeds": "contradicts"}
        said = {
            one.id: next((r for word, r in relations.items() if word in one.text), "related")
            for one in value.statements
        }
        best = {one.id: value.evidence[0].id for one in value.statements}
        return CheckOutput(
            statements=tuple(StatementCheck(statement=name, relation=r, best=best[name]) for name, r in said.items())
        )


KEEPS = "Cranberry juice keeps young women free of urinary infection [2]."
BREEDS = "Cranberry juice breeds urinary infection in young women of the community [2]."


def by_model(scripted_model: Any, reply: Any, **settings: Any) -> TextCheck:
    corpus_of(TRIAL, JUICE, GONE)
    model = scripted_model({"check": reply})
    with BlockingEngine({"retrieval.corpora": ("papers",), **settings}, model=model) as engine:
        return engine.check_text(f"{KEEPS}\n\n{BREEDS}{REFERENCES}")


def test_a_language_model_judges_the_sentences_of_a_source_in_one_call(home: Path, scripted_model: Any) -> None:
    reads = Reads()
    found = by_model(scripted_model, reads, **{"verify.trusted_judges": ("scripted:model",)})
    assert [one.kind for one in found.findings] == ["supported", "contradicted"]
    (asked,) = reads.asked
    assert len(asked.statements) == 2 and len({one.id for one in asked.evidence}) == len(asked.evidence)
    assert found.findings[0].evidence and found.findings[0].evidence.quote in str(JUICE["text"])


def test_a_language_model_that_was_not_measured_takes_away_and_never_gives(home: Path, scripted_model: Any) -> None:
    first, second = by_model(scripted_model, Reads()).findings
    assert (first.kind, second.kind) == ("not_checked", "contradicted") and "judge measure" in first.reason


def test_a_language_model_that_fails_is_told_and_code_judges(home: Path, scripted_model: Any) -> None:
    found = by_model(scripted_model, ModelFailed("it is down", model="scripted:model"))
    assert {one.kind for one in found.findings} == {"not_checked"}
    assert any("scripted:model did not judge 2 sentences" in remark for remark in found.remarks)


def test_of_a_sentence_with_several_marks_the_part_that_fits_counts(home: Path) -> None:
    whole = (
        "Statins lower the risk of infarction in men [2], and cranberry juice keeps young women free of infection [1]."
    )
    assert parts_of(whole)[1] == "and cranberry juice keeps young women free of infection"
    assert parts_of("Zinc (a metal) shortened fifteen colds of adults [1].") == [
        "Zinc (a metal) shortened 15 colds of adults."
    ]


def test_lists_without_a_heading_and_text_behind_a_list() -> None:
    entries = "1. Smith JA, Jones B. Zinc lozenges for colds. J Cold. 2019.\n2. Miller C. Juice\n   for women. 2020.\n"
    for heading in ("", "References\n\n"):
        text = read_text(f"Zinc helps [1].\n\n{heading}{entries}\nThe appendix says that zinc is sweet [1].")
        assert [one.mark for one in text.entries] == ["1", "2"]
        assert [one.keys for one in text.sentences] == [("1",), ("1",)]
    assert not read_text("1. In 2019 we gave zinc to all.\n2. In 2020 we gave juice to all.\n").entries


def test_word_shows_marks_links_tables_and_the_works_of_its_fields() -> None:
    import docx
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls

    word, item = (
        docx.Document(),
        {"itemData": {"title": "Zinc lozenges", "author": [{"family": "Smith", "given": "JA"}]}},
    )
    cites = f" ADDIN ZOTERO_ITEM CSL_CITATION {json.dumps({'citationItems': [item]})}"
    link = '<w:hyperlink w:anchor="x"><w:r><w:t>in links</w:t></w:r></w:hyperlink>'
    kinds = ("begin", cites, "separate", "1", "end")
    runs = (
        f'<w:r><w:fldChar w:fldCharType="{one}"/></w:r>' if one in ("begin", "separate", "end")
        else f"<w:r><w:instrText>{one}</w:instrText></w:r>" if one == cites
        else f'<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>{one}</w:t></w:r>'
        for one in kinds
    )  # fmt: skip
    word.element.body.insert(
        0, parse_xml(f"<w:p {nsdecls('w')}><w:r><w:t>It helps </w:t></w:r>{link}{''.join(runs)}</w:p>")
    )
    word.add_table(1, 1).cell(0, 0).text = "In a cell."
    held = BytesIO()
    word.save(held)
    text = word_text(held.getvalue())
    assert text.startswith("It helps in links<sup>1</sup>") and "In a cell." in text
    assert text.endswith("[1] Smith J. Zinc lozenges")


def test_notes_of_a_word_file_stand_below_it_with_their_marks() -> None:
    words, note = "It helps.", "Smith J. 2019."
    part = word_parts.Part(word_parts.run(word_parts.text(words)), words, note)
    text = word_text(word_parts.made([[part]], [], in_control=False))
    assert "It helps. [^footnote2]" in text and "[^footnote2]: Smith J. 2019." in text
