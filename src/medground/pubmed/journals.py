"""Names and abbreviations of major journals, so that a journal name in a search is not treated as a subject.

To add the journals of a snapshot, use `Mapper(vocabulary(), with_journals(names))`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from medground.pubmed.mesh.fold import fold

_KNOWN = """
N Engl J Med|New England Journal of Medicine|NEJM
JAMA|Journal of the American Medical Association
BMJ|British Medical Journal|The BMJ
Lancet|The Lancet
Lancet Oncol|Lancet Oncology
Lancet Neurol|Lancet Neurology
Lancet Infect Dis|Lancet Infectious Diseases
Ann Intern Med|Annals of Internal Medicine
Arch Intern Med|Archives of Internal Medicine
JAMA Intern Med|JAMA Internal Medicine
Proc Natl Acad Sci U S A|Proceedings of the National Academy of Sciences|PNAS
Nat Med|Nature Medicine
Nat Genet|Nature Genetics
Nat Commun|Nature Communications
Nat Biotechnol|Nature Biotechnology
Sci Rep|Scientific Reports
Sci Transl Med|Science Translational Medicine
J Biol Chem|Journal of Biological Chemistry
J Clin Invest|Journal of Clinical Investigation
J Clin Oncol|Journal of Clinical Oncology
J Am Coll Cardiol|Journal of the American College of Cardiology
J Immunol|Journal of Immunology
J Pediatr|Journal of Pediatrics
J Urol|Journal of Urology
J Virol|Journal of Virology
J Infect Dis|Journal of Infectious Diseases
J Clin Endocrinol Metab|Journal of Clinical Endocrinology and Metabolism
J Natl Cancer Inst|Journal of the National Cancer Institute
J Allergy Clin Immunol|Journal of Allergy and Clinical Immunology
J Neurosci|Journal of Neuroscience
J Am Chem Soc|Journal of the American Chemical Society
Am J Cardiol|American Journal of Cardiology
Am J Epidemiol|American Journal of Epidemiology
Am J Hum Genet|American Journal of Human Genetics
Am J Psychiatry|American Journal of Psychiatry
Am J Public Health|American Journal of Public Health
Am J Clin Nutr|American Journal of Clinical Nutrition
Am J Obstet Gynecol|American Journal of Obstetrics and Gynecology
Am J Respir Crit Care Med|American Journal of Respiratory and Critical Care Medicine
Ann Surg|Annals of Surgery
Ann Neurol|Annals of Neurology
Ann Rheum Dis|Annals of the Rheumatic Diseases
Ann Oncol|Annals of Oncology
Arch Dis Child|Archives of Disease in Childhood
Br J Cancer|British Journal of Cancer
Br J Surg|British Journal of Surgery
Br J Psychiatry|British Journal of Psychiatry
BMC Public Health
BMC Med|BMC Medicine
BMC Cancer
BMC Bioinformatics
Cancer Res|Cancer Research
Clin Cancer Res|Clinical Cancer Research
Clin Infect Dis|Clinical Infectious Diseases
Cochrane Database Syst Rev|Cochrane Database of Systematic Reviews
Crit Care Med|Critical Care Medicine
Diabetes Care
Endocr Pathol|Endocrine Pathology
Eur Heart J|European Heart Journal
Genome Biol|Genome Biology
Genome Res|Genome Research
Health Aff (Millwood)|Health Affairs
Int J Cancer|International Journal of Cancer
Int J Epidemiol|International Journal of Epidemiology
JAMA Netw Open|JAMA Network Open
JAMA Oncol|JAMA Oncology
JAMA Psychiatry
J Gen Intern Med|Journal of General Internal Medicine
J Med Internet Res|Journal of Medical Internet Research
Kidney Int|Kidney International
Med Care|Medical Care
Mol Cell|Molecular Cell
Mol Biol Cell|Molecular Biology of the Cell
Nucleic Acids Res|Nucleic Acids Research
PLoS One|Public Library of Science One
PLoS Med|PLoS Medicine
PLoS Biol|PLoS Biology
PLoS Genet|PLoS Genetics
PLoS Comput Biol|PLoS Computational Biology
Soc Sci Med|Social Science and Medicine
Trends Genet|Trends in Genetics
"""


@cache
def known_journals() -> Mapping[str, str]:
    """Return folded journal names, mapped to the abbreviation used in records."""
    rows = (row.split("|") for row in _KNOWN.strip().split("\n"))
    return {fold(name): names[0] for names in rows for name in names}


def with_journals(names: Iterable[str]) -> Mapping[str, str]:
    """Return the known journals plus further names, which map to themselves."""
    return {**{fold(name): name for name in names}, **known_journals()}
