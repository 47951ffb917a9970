"""The documents that contract tests run on."""

from __future__ import annotations

from medground.document import Document, MeshHeading

DOCUMENTS: tuple[Document, ...] = (
    Document(
        id="PMID:1",
        title="Ectopia lentis in Marfan syndrome",
        text="Ectopia lentis was found in sixty percent of patients with Marfan syndrome. FBN1 variants were common.",
        year=1999,
        mesh=(MeshHeading(descriptor="Marfan Syndrome", major=True, qualifiers=("genetics",)),),
        publication_types=("Journal Article", "Review"),
        authors=("Dietz HC",),
        journal="Ophthalmology",
        language="eng",
        keywords=("lens dislocation",),
        identifiers={"doi": "10.1000/lens.1"},
    ),
    Document(
        id="PMID:2",
        title="Losartan and the aortic root",
        text="In a trial of losartan, dilation of the aortic root in Marfan syndrome slowed. Syndrome onset differed.",
        year=2008,
        publication_types=("Randomized Controlled Trial",),
        language="eng",
    ),
    Document(
        id="PMID:3",
        title="Zebrafish fins",
        text="Fin regeneration in zebrafish needs blastema cells. Größe und β-catenin 数据 were seen in naïve fish.",
        year=2015,
        kind="wiki",
    ),
    Document(id="PMID:4", title="A withdrawn paper", text="Vitamin drinks cure migraine.", retraction="retracted"),
)
