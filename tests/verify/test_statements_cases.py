"""How a rationale is split into statements, case by case: one text per line, `|` where a statement ends."""

from __future__ import annotations

from rows import each_row

from medground.language.statements import segment

CASES = {
    "sentences": """
        Aspirin lowered the risk of stroke. | Bleeding rose with aspirin.
        Did aspirin help? | Stroke fell by a third!
        The cells lacked vitamin C. | The culture died.
        It never fell. | None of the rats recovered.
        Registration: NCT01234567. | Funding was public.
        Mortality fell (P<.001). | (Bleeding rose as well.)
        Aspirin helped... | Bleeding rose.
    """,
    "causes": """
        Aspirin reduced stroke | because platelets were inhibited.
        Aspirin reduced stroke, | because platelet aggregation was inhibited.
        Because adherence was low, | the effect of the drug was small.
        However, because adherence was low, | the effect was small.
        Stroke fell | mainly because blood pressure was lower.
        Stroke fell | and because smoking was banned, | infarction fell too.
        The dose was reduced | so that fewer patients would bleed.
        Smoking rates fell, | so lung cancer became rare.
        The trial was stopped early because of bleeding.
        Mortality did not fall because adherence was low.
        No patient died because treatment was late.
        Mortality fell not because aspirin works but because care improved.
        It is unclear whether aspirin works because trials were small.
        If stroke falls because aspirin works, patients should take it.
        Aspirin reduced stroke because it inhibits platelets.
        Aspirin reduced stroke because of this.
        The drug failed | because no receptor was expressed.
        Screening helps | because early tumours are curable, | and therefore guidelines recommend screening.
    """,
    "consequences": """
        Bleeding rose, | and therefore the trial was stopped.
        Bleeding rose, | thus the board ended the trial.
        The gene was lost; | hence, the protein was absent.
        Bleeding rose; | therefore, aspirin cannot be recommended.
        Bleeding rose, | and consequently the dose was halved.
        Bleeding rose; | as a result, the dose was halved.
        The drug was therefore stopped.
        The drug raised pressure and was therefore stopped.
        The drug raised pressure, thus worsening heart failure.
        The drug may thus reduce mortality.
        Thus, aspirin reduces stroke.
        Thus far, aspirin has reduced stroke in all trials.
        Therefore aspirin is recommended, | although bleeding is a risk.
        The variant is hence a risk factor that increases mortality.
    """,
    "contrasts": """
        Mortality fell, | whereas bleeding increased.
        Whereas mortality fell, | bleeding increased.
        Although aspirin reduced stroke, | bleeding rose.
        Aspirin reduced stroke | even though adherence was poor.
        Although aspirin reduced stroke, infarction, and death, | bleeding rose.
        Although aspirin, a salicylate, reduced stroke, bleeding rose.
        Mortality was lower, although not significantly.
        Mortality was lower, | though small numbers limit the finding.
        Although limited by size, the trial showed a benefit.
        Smith et al. showed that aspirin works, | while others disagree.
        While aspirin reduced stroke, | bleeding rose.
        While patients were receiving aspirin, bleeding rose.
        Bleeding rose while patients were receiving aspirin.
        While receiving aspirin, patients bled.
        For a while the effect was visible.
        E. coli and S. aureus grew, | but B. subtilis did not.
        Aspirin reduced stroke but not infarction.
        Aspirin reduced not only stroke, but also infarction was rare.
        Aspirin was safe; | however, two trials were stopped.
        Aspirin was safe, | however, two trials were stopped.
        Aspirin, however, reduced stroke.
        Stroke fell; | bleeding, however, did not.
        However small the dose, bleeding rose.
        Stroke fell; | on the other hand, bleeding rose.
        Stroke fell, in contrast to bleeding.
        Stroke fell, | yet bleeding was rare.
        Stroke fell; | nevertheless, mortality was unchanged.
    """,
    "what findings mean": """
        Stroke fell, | which suggests that aspirin works.
        Stroke fell, | which strongly suggests that platelets are involved.
        Stroke fell, | which indicates that platelets matter.
        Stroke fell, | demonstrating that aspirin is active.
        Stroke fell, which suggests a benefit.
        Stroke fell, suggesting a benefit of aspirin.
        Stroke fell, suggesting that it works.
        Stroke fell, which was expected.
        The findings suggesting that aspirin works were not replicated.
        These data suggest that aspirin works.
        This suggests that aspirin works; | however, two trials disagree.
        It is known that aspirin inhibits platelets; | it is likely that stroke falls.
        Stroke fell; | it was shown that platelets are involved.
    """,
    "semicolons": """
        Aspirin lowered the risk of stroke; | bleeding rose with aspirin.
        Patients treated with aspirin had fewer strokes; | patients treated with placebo had more.
        Rates were 5% with aspirin; 6% with placebo; 7% without treatment.
        Aspirin reduced stroke; it also raised bleeding.
        Aspirin reduced stroke; this was significant.
        Aspirin reduced stroke; | this effect was significant.
        Aspirin reduced stroke; they were relieved.
        Stroke fell; infarction too.
        Endpoints: stroke; infarction; death.
        Of 120 patients, 60 received aspirin; | 12 of these died.
        Aspirin (75 mg; daily) reduced stroke.
        p &lt; 0.05; aspirin works well.
        The effect was large (odds ratio 0.5; 95% CI 0.3; 0.8).
        The genotype was A;B and the phenotype was normal.
        Stroke fell ; | bleeding rose.
        First stroke fell; | then bleeding rose; | finally mortality increased.
    """,
    "lists": """
        Three findings emerged: | (i) aspirin reduced stroke, | (ii) bleeding rose, | and (iii) mortality was unchanged.
        Outcomes were: 1) stroke fell, | 2) bleeding rose, | 3) mortality did not change.
        Outcomes differed: | a) stroke fell; | b) bleeding rose.
        Outcomes differed: | (1) stroke fell, | (2) bleeding rose.
        The drug reduced (i) stroke, (ii) infarction, and (iii) death.
        The groups were 1) aspirin, 2) placebo, and 3) no treatment.
        Many causes exist, including (a) the age of the patients; (b) the lack of staff; and (c) the forms of care.
        First, aspirin reduced stroke, | second, bleeding rose, | and finally, mortality fell.
        First, aspirin reduced stroke. | Second, bleeding rose.
        1. Aspirin lowers stroke. | 2. Bleeding rises.
        Aspirin was studied twice: | • stroke fell | • bleeding rose.
        Stroke fell (1) and infarction fell (2).
        Stroke fell in group b) only.
        Stroke fell (see (ii) above), and type (iv) was rare.
        Patients received (a) aspirin or (b) placebo.
        The trial showed that (i) stroke fell | and (ii) bleeding rose.
    """,
    "abbreviations, numbers, units, names": """
        Smith et al. showed in 2004 that aspirin works, | but Jones et al. found none of this.
        The dose was 5 mg/kg b.i.d. in both groups, | whereas controls received 0.9% saline i.v. daily.
        Mortality was 12.5% vs. 14.1% (HR 0.88; 95% CI 0.79-0.98; P = .02).
        The hazard ratio was 0.8 (95% CI 0.7; 0.9), | but the difference was not significant.
        TP53 was mutated (see Fig. 2; n = 5), | and thus p53 was lost.
        IL-6 and TNF-α rose 1.5-fold; | IL-10 fell to 3.2 pg/mL.
        Levels of 25(OH)D fell below 20 ng/mL, i.e. patients were deficient.
        In approx. 3 of 5 cases, e.g. in group A, the test failed.
        C. difficile was found in 4.1% of samples, | while C. albicans was absent.
        The p.Val600Glu variant of BRAF was present in 40-60% of melanomas.
        Vitamin A rose; | vitamin D fell.
        The mean age was 64.2 (SD 9.1) years, range 41-80.
        Follow-up was 12 months; | 3.4% of patients were lost.
        The effect was significant (p<0.05) | because variance was low (SD = 0.3).
        St. John's wort induces CYP3A4, | so ciclosporin levels fall.
        It was stored at 37 degrees C. | The cells grew.
        The U.S. trial, which enrolled 2,000 patients, was positive.
        Na+ and K+ were normal; | Ca2+ was low (1.8 mmol/L).
    """,
    "citations": """
        Aspirin reduced stroke [E1][E2]. | Bleeding rose [E3].
        Aspirin reduced stroke. [E1][E2] | Bleeding rose. [PMID: 1]
        Aspirin reduced stroke.[E1] | Bleeding rose.[E2]
        Aspirin reduced stroke [E1; E2] | because platelets were inhibited [E3].
        Aspirin reduced stroke [1, 2]; | bleeding rose [3-5].
        Aspirin reduced stroke [E1], | whereas [E2] bleeding rose.
        As shown before [PMID: 12345678], aspirin works.
    """,
    "asides and quotes": """
        Aspirin (which inhibits platelets because of COX-1; irreversibly) reduced stroke.
        The authors wrote "stroke fell because platelets were inhibited; nothing else helped" in the paper.
        The authors wrote “stroke fell. Bleeding rose.” in the paper.
        The report said "Stroke fell. Bleeding rose." | The editor agreed with the report.
        Stroke fell (see Table 1. The rest is in the appendix), | but bleeding rose.
        The tube was 5" long; | the needle was 3" long.
        Stroke fell (as expected; | bleeding rose too.
    """,
    "fragments stay with their neighbours": """
        Yes. Aspirin reduces stroke.
        No. The trial was negative; | mortality was unchanged.
        Aspirin.
        Bleeding
        12.5%
        In patients with diabetes, because insulin was low, glucose rose.
        In patients who had diabetes, hypertension, or both, mortality was higher.
        Patients who smoked were older, | whereas those who never smoked lived long.
        The drug, therefore, a salicylate, works.
        Because of bleeding; because of cost.
        Aspirin works; really.
        Stroke fell; thus increasing survival.
        Stroke fell, so much so.
    """,
    "other languages": """
        Аспирин снижает риск. | Кровотечения чаще; смертность не изменилась.
        阿司匹林降低卒中风险。| 出血增加；死亡率不变。
        アスピリンは脳卒中を減らした。| 出血は増えた。
        एस्पिरिन जोखिम घटाता है। | रक्तस्राव बढ़ता है।
        الأسبرين يقلل الخطر. | النزيف يزداد.
        Aspirin senkt das Risiko; Blutungen nehmen zu.
        L'aspirine réduit le risque, mais les saignements augmentent.
    """,
}
MARKED = [(kind, line.strip()) for kind, lines in CASES.items() for line in lines.strip().splitlines()]


@each_row(("kind", "marked"), MARKED)
def test_texts_are_split_as_in_the_table(kind: str, marked: str) -> None:
    text = marked.replace("| ", "").replace("|", "")
    found = [text[start:end] for start, end in segment(text)]
    assert found == [part.strip() for part in marked.split("|")], kind
