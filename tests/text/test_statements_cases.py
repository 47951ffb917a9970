"""How a rationale is split into statements, case by case: one text per line, `|` where a statement ends."""

from __future__ import annotations

from rows import each_row

from medground.language.statements import segment

CASES = {
    "sentences": """
        Aspirin lowered the risk of stroke. | Bleeding rose with aspirin.
        Did aspirin help? | Stroke fell by a third!
        The cells lacked vitamin C. | The culture died.
        Mortality fell (P<.001). | (Bleeding rose as well.)
    """,
    "causes": """
        Aspirin reduced stroke | because platelets were inhibited.
        Because adherence was low, | the effect of the drug was small.
        Stroke fell | and because smoking was banned, | infarction fell too.
        The dose was reduced | so that fewer patients would bleed.
        Smoking rates fell, | so lung cancer became rare.
        The trial was stopped early because of bleeding.
        Mortality did not fall because adherence was low.
        Mortality fell not because aspirin works but because care improved.
        It is unclear whether aspirin works because trials were small.
        If stroke falls because aspirin works, patients should take it.
        Aspirin reduced stroke because it inhibits platelets.
        Screening helps | because early tumours are curable, | and therefore guidelines recommend screening.
    """,
    "consequences": """
        Bleeding rose, | and therefore the trial was stopped.
        The gene was lost; | hence, the protein was absent.
        Bleeding rose; | as a result, the dose was halved.
        The drug was therefore stopped.
        The drug raised pressure, thus worsening heart failure.
        Thus far, aspirin has reduced stroke in all trials.
        Therefore aspirin is recommended, | although bleeding is a risk.
    """,
    "contrasts": """
        Mortality fell, | whereas bleeding increased.
        Whereas mortality fell, | bleeding increased.
        Although aspirin reduced stroke, | bleeding rose.
        Although aspirin reduced stroke, infarction, and death, | bleeding rose.
        Mortality was lower, although not significantly.
        Mortality was lower, | though small numbers limit the finding.
        Smith et al. showed that aspirin works, | while others disagree.
        While patients were receiving aspirin, bleeding rose.
        Bleeding rose while patients were receiving aspirin.
        While receiving aspirin, patients bled.
        E. coli and S. aureus grew, | but B. subtilis did not.
        Aspirin reduced stroke but not infarction.
        Aspirin reduced not only stroke, but also infarction was rare.
        Aspirin was safe, | however, two trials were stopped.
        Aspirin, however, reduced stroke.
        However small the dose, bleeding rose.
        Stroke fell; | on the other hand, bleeding rose.
        Stroke fell; | nevertheless, mortality was unchanged.
    """,
    "what findings mean": """
        Stroke fell, | which suggests that aspirin works.
        Stroke fell, | which strongly suggests that platelets are involved.
        Stroke fell, which suggests a benefit.
        Stroke fell, suggesting a benefit of aspirin.
        Stroke fell, which was expected.
        The findings suggesting that aspirin works were not replicated.
        This suggests that aspirin works; | however, two trials disagree.
        It is known that aspirin inhibits platelets; | it is likely that stroke falls.
    """,
    "semicolons": """
        Patients treated with aspirin had fewer strokes; | patients treated with placebo had more.
        Rates were 5% with aspirin; 6% with placebo; 7% without treatment.
        Aspirin reduced stroke; it also raised bleeding.
        Aspirin reduced stroke; | this effect was significant.
        Endpoints: stroke; infarction; death.
        Aspirin (75 mg; daily) reduced stroke.
        p &lt; 0.05; aspirin works well.
        The genotype was A;B and the phenotype was normal.
        First stroke fell; | then bleeding rose; | finally mortality increased.
    """,
    "lists": """
        Three findings emerged: | (i) aspirin reduced stroke, | (ii) bleeding rose, | and (iii) mortality was unchanged.
        Outcomes were: 1) stroke fell, | 2) bleeding rose, | 3) mortality did not change.
        Outcomes differed: | (1) stroke fell, | (2) bleeding rose.
        The drug reduced (i) stroke, (ii) infarction, and (iii) death.
        Many causes exist, including (a) the age of the patients; (b) the lack of staff; and (c) the forms of care.
        First, aspirin reduced stroke, | second, bleeding rose, | and finally, mortality fell.
        1. Aspirin lowers stroke. | 2. Bleeding rises.
        Aspirin was studied twice: | • stroke fell | • bleeding rose.
        Stroke fell (1) and infarction fell (2).
        Stroke fell (see (ii) above), and type (iv) was rare.
        The trial showed that (i) stroke fell | and (ii) bleeding rose.
    """,
    "abbreviations, numbers, units, names": """
        Smith et al. showed in 2004 that aspirin works, | but Jones et al. found none of this.
        The dose was 5 mg/kg b.i.d. in both groups, | whereas controls received 0.9% saline i.v. daily.
        The hazard ratio was 0.8 (95% CI 0.7; 0.9), | but the difference was not significant.
        TP53 was mutated (see Fig. 2; n = 5), | and thus p53 was lost.
        Levels of 25(OH)D fell below 20 ng/mL, i.e. patients were deficient.
        C. difficile was found in 4.1% of samples, | while C. albicans was absent.
        Vitamin A rose; | vitamin D fell.
        St. John's wort induces CYP3A4, | so ciclosporin levels fall.
        The U.S. trial, which enrolled 2,000 patients, was positive.
    """,
    "citations": """
        Aspirin reduced stroke [E1][E2]. | Bleeding rose [E3].
        Aspirin reduced stroke. [E1][E2] | Bleeding rose. [PMID: 1]
        Aspirin reduced stroke [E1; E2] | because platelets were inhibited [E3].
        Aspirin reduced stroke [1, 2]; | bleeding rose [3-5].
        Aspirin reduced stroke [E1], | whereas [E2] bleeding rose.
    """,
    "asides and quotes": """
        Aspirin (which inhibits platelets because of COX-1; irreversibly) reduced stroke.
        The authors wrote "stroke fell because platelets were inhibited; nothing else helped" in the paper.
        The report said "Stroke fell. Bleeding rose." | The editor agreed with the report.
        Stroke fell (see Table 1. The rest is in the appendix), | but bleeding rose.
        The tube was 5" long; | the needle was 3" long.
        Stroke fell (as expected; | bleeding rose too.
    """,
    "fragments stay with their neighbours": """
        No. The trial was negative; | mortality was unchanged.
        Aspirin.
        Bleeding
        12.5%
        In patients with diabetes, because insulin was low, glucose rose.
        In patients who had diabetes, hypertension, or both, mortality was higher.
        The drug, therefore, a salicylate, works.
        Aspirin works; really.
        Stroke fell; thus increasing survival.
    """,
    "other languages": """
        Аспирин снижает риск. | Кровотечения чаще; смертность не изменилась.
        阿司匹林降低卒中风险。| 出血增加；死亡率不变。
        एस्पिरिन जोखिम घटाता है। | रक्तस्राव बढ़ता है।
        الأسبرين يقلل الخطر. | النزيف يزداد.
        Aspirin senkt das Risiko; Blutungen nehmen zu.
    """,
}
MARKED = [(kind, line.strip()) for kind, lines in CASES.items() for line in lines.strip().splitlines()]


@each_row(("kind", "marked"), MARKED)
def test_texts_are_split_as_in_the_table(kind: str, marked: str) -> None:
    text = marked.replace("| ", "").replace("|", "")
    found = [text[start:end] for start, end in segment(text)]
    assert found == [part.strip() for part in marked.split("|")], kind
