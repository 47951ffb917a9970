"""What titles say: the forms of publishers and databases, and the papers that only look like them."""

from __future__ import annotations

from rows import each_row

from medground.corpus.retraction import Said, said_by

TITLE = "Effect of aspirin on stroke: a randomised trial"
SAID: dict[Said, tuple[str, ...]] = {
    "retracted": (
        "RETRACTED CHAPTER: {}",
        "Article Withdrawn - {}",
        "This article has been retracted: {}",
        "<b>RETRACTED:</b> {}",
        "**RETRACTED** {}",
        "RETRACTED {}",
        "RETRACTED\uff1a{}",
        "\u3010RETRACTED\u3011{}",
        "RE\u200bTRACTED: {}",
        "R E T R A C T E D: {}",
        "Retracted (2019): {}",
        "Retracted by the authors: {}",
        "{} (Retracted article. See vol. 12, p. 34, 2015)",
        "{} (Withdrawn article. See vol 45, pg 34, 2015)",
        "{} [Retraction in: JAMA 2004;1:2]",
        "{} - RETRACTED",
        "{} RETRACTED ARTICLE",
        "Artículo retractado: {}",
        "RÉTRACTÉ : {}",
        "Zurückgezogen: {}",
        "GERİ ÇEKİLDİ: {}",
        "【撤稿】{}",
        "Статья отозвана: {}",
        "[Publication rétractée] {}",
        "{} [article rétracté]",
        "Artículo retractado. {}",
        "Publicação retratada: {}",
        "Zurückgezogene Publikation: {}",
        "撤稿论文：{}",
        "{}（已撤稿）",
        "【撤回論文】{}",
        "مقالة مسحوبة: {}",
        "Retracted Review: {}",
        "{} -- RETRACTED",
    ),
    "removed": ("[REMOVED] {}", "ARTICLE REMOVED: {}", "TEMPORARILY WITHDRAWN: {}", "{} [REMOVED]"),
    "notice": (
        "Retraction of Smith et al: {}",
        "Editors' retraction: {}",
        "Retraction and replacement of: {}",
        "Article Withdrawal Notice: {}",
        "Notice of removal: {}",
        "{} (Retraction of vol 12, pg 34, 2005)",
        "Nota de retractación: {}",
        "撤稿声明：{}",
        "Rétraction : {}",
        "Retrait de l’article « {} »",
        "Retractación del artículo: {}",
        "Retraktion des Artikels: {}",
        "論文取り下げのお知らせ：{}",
        "إشعار سحب: {}",
        "Retraction of the article {}",
        "Voluntary retraction: {}",
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
    "Retraction pockets of the tympanic membrane",
    "RETRACTED EARDRUM IN CHILDREN: A COHORT",
    "RETRACTION OF THE TONGUE WITH A DEVICE",
    "Retracted and protracted scapula: a study",
    "Retracted articles on stem cells: a bibliometric study",
    "Why articles are retracted: an analysis",
    "Withdrawal symptoms after opioids: a cohort",
    "Opioid withdrawal: clonidine for detoxification",
    "Withdrawn behaviour in toddlers",
    "Outcome of patients withdrawn",
    "Removal of wisdom teeth: antibiotics and pain",
    "Stent removal: antibiotics and pain",
    "Temporary removal of implants: outcomes",
    "Correction of scoliosis with rods",
    "Refractive correction: lenses in myopia",
    "Errata in package inserts of statins",
    "Parental expressions of concern about vaccines",
    "Retrait du rofécoxib du marché : étude",
    "Rétraction gingivale et fil",
    "撤药后的作用",
    "[Withdrawal of antiepileptics in children]",
    "Rétraction capsulaire de l'épaule : traitement",
    "Retraktion des Trommelfells: Therapie",
    "Widerruf der Einwilligung in klinischen Studien",
    "Retirada de catéter en pacientes críticos",
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
