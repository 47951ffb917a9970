"""What titles say: the forms of publishers and databases, and the papers that only look like them."""

from __future__ import annotations

from rows import each_row

from medground.corpus.retraction import Said, said_by

TITLE = "Effect of aspirin on stroke: a randomised trial"
SAID: dict[Said, tuple[str, ...]] = {
    "retracted": (
        "RETRACTED CHAPTER: {}",
        "<b>RETRACTED:</b> {}",
        "RETRACTED\uff1a{}",
        "\u3010RETRACTED\u3011{}",
        "RE\u200bTRACTED: {}",
        "R E T R A C T E D: {}",
        "Retracted by the authors: {}",
        "{} (Retracted article. See vol. 12, p. 34, 2015)",
        "{} [Retraction in: JAMA 2004;1:2]",
        "{} - RETRACTED",
        "Artículo retractado: {}",
        "Zurückgezogen: {}",
        "【撤稿】{}",
        "Статья отозвана: {}",
        "Zurückgezogene Publikation: {}",
        "【撤回論文】{}",
        "مقالة مسحوبة: {}",
    ),
    "removed": ("[REMOVED] {}", "ARTICLE REMOVED: {}", "TEMPORARILY WITHDRAWN: {}", "{} [REMOVED]"),
    "notice": (
        "Retraction of Smith et al: {}",
        "Retraction and replacement of: {}",
        "Notice of removal: {}",
        "{} (Retraction of vol 12, pg 34, 2005)",
        "撤稿声明：{}",
        "Retrait de l’article « {} »",
        "Retraktion des Artikels: {}",
        "論文取り下げのお知らせ：{}",
        "إشعار سحب: {}",
        "Retraction of the article {}",
    ),
    "concern": ("Editors' Expression of Concern: {}", "Notice of concern: {}", "{} (Expression of concern)"),
    "in doubt": ("{}: retraction", "{} (retraction)", "{} - Retraction"),
    "erratum": (
        "[Correction] {}",
        "Correction Notice to: {}",
        "{} (vol 12, pg 34, 2005)",
        "Fe de erratas: {}",
        "更正：{}",
    ),
}
PAPERS = (
    "Retraction of the tongue in facial palsy",
    "RETRACTED EARDRUM IN CHILDREN: A COHORT",
    "Retracted and protracted scapula: a study",
    "Retracted articles on stem cells: a bibliometric study",
    "Why articles are retracted: an analysis",
    "Opioid withdrawal: clonidine for detoxification",
    "Outcome of patients withdrawn",
    "Removal of wisdom teeth: antibiotics and pain",
    "Correction of scoliosis with rods",
    "Errata in package inserts of statins",
    "Parental expressions of concern about vaccines",
    "Retrait du rofécoxib du marché : étude",
    "[Withdrawal of antiepileptics in children]",
    "Rétraction capsulaire de l'épaule : traitement",
    "Widerruf der Einwilligung in klinischen Studien",
    "撤退训练对脑卒中患者的影响",
    "أعراض انسحاب الكحول",
    "Rofecoxib - withdrawn",
)
IN_DOUBT = (
    "Retraction: a cause of nerve injury in hip surgery",
    "Withdrawal: what patients tell",
    "Correction: the surgery of hallux valgus",
)


@each_row(("said", "form"), [(said, form) for said, forms in SAID.items() for form in forms])
def test_a_title_says_what_its_record_is(said: Said, form: str) -> None:
    assert said_by(form.format(TITLE)) == said


@each_row("title", [*PAPERS, TITLE, ""])
def test_a_paper_that_looks_alike_is_a_paper(title: str) -> None:
    assert said_by(title) is None


@each_row("title", IN_DOUBT)
def test_a_title_that_goes_on_in_words_of_a_sentence_is_in_doubt(title: str) -> None:
    assert said_by(title) == "in doubt"
