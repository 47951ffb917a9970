"""A corpus that grows: what is added shares the files of the snapshot before, and ranks as if built at once."""

from __future__ import annotations

import pytest
from rows import each_row
from small_corpora import WordEmbedder, contents, make_documents, make_input, vectors_fit

from medground.corpus import patch, tables, vectors
from medground.corpus.build import add, build
from medground.corpus.library import Library
from medground.corpus.readers.base import Deleted
from medground.values.query import Everything, Words


def ranked(library, name="c"):
    """Scores of the best ten, and which passages are better than the last of them: others may be as good as that."""
    with library.open(name) as snapshot:
        asked = [Words(text=text) for text in ("statin heart", "zebrafish gene number 12", "sentence 3 about trial")]
        found = [snapshot.bm25(one, 10) for one in asked]
        return [([h.score for h in hits], [h.passage.key for h in hits if h.score > hits[-1].score]) for hits in found]


def test_adding_one_by_one_shares_files_and_ranks_as_a_corpus_built_at_once(library, tmp_path):
    embedder = WordEmbedder(dimensions=256)
    build(library, "c", [make_input(make_documents(300))], embedder=embedder)
    with library.open("c") as first:
        before = {first.folder / name: (first.folder / name).read_bytes() for name in first.manifest.files}
        shared = 0
        for number in range(300, 340):
            last = library.current("c")
            add(library, "c", [make_input(make_documents(1, number), f"{number}")], embedder=embedder)
            shared += (library.current("c") / tables.FILE_NAME).samefile(last / tables.FILE_NAME)
        assert 30 < shared < 40, "now and then the log becomes part of the file"
        assert all(path.read_bytes() == content for path, content in before.items())
        first.verify()
    whole = build(other := Library(tmp_path), "c", [make_input(make_documents(340))], embedder=embedder)
    assert library.verify("c").hash == whole.hash
    assert (ranked(library), contents(library, "c")) == (ranked(other), contents(other, "c"))
    vectors_fit(library, "c", embedder)


class Stop(BaseException):
    """Stands for a kill at one exact moment."""


@each_row("indexed", [False, True])
def test_revisions_and_deletions_are_patched_and_a_killed_patch_begins_again(library, monkeypatch, tmp_path, indexed):
    monkeypatch.setattr(patch, "_RENEW_BELOW", 0)
    monkeypatch.setattr(vectors, "EXACT_LIMIT", 100 if indexed else 1000)
    embedder = WordEmbedder(dimensions=256)
    documents = make_documents(300)
    build(library, "c", [make_input(documents)], embedder=embedder)
    revised = [one.model_copy(update={"text": f"Revised {one.text} " + "More. " * 300}) for one in documents[5:8]]
    changes = [make_input([*revised, Deleted(("PMID:300", "PMID:20")), *make_documents(2, 300)], "changes")]

    def stopping(step, done, total):
        if (step, indexed) in (("index", False), ("finish", True)):
            raise Stop

    with pytest.raises(Stop):
        add(library, "c", changes, embedder=embedder, progress=stopping)
    assert len(contents(library, "c")) == 300
    made = add(library, "c", changes, embedder=embedder)
    assert (made.removed > 0, made.origin != "", made.counts.deleted) == (True, True, 2)
    build(other := Library(tmp_path), "c", [make_input([*documents, *revised]), *changes], embedder=embedder)
    assert contents(library, "c") == contents(other, "c")
    vectors_fit(library, "c", embedder)
    with library.open("c") as snapshot:
        [vector] = embedder.embed([f"{revised[0].title} {revised[0].text[:1000]}"])
        assert snapshot.dense(vector, 1)[0].passage.document_id == revised[0].id
        assert len(snapshot.dense(vector, 1000)) <= len(snapshot.bm25(Everything(), 1000))
    gone = add(
        library, "c", [make_input([Deleted(tuple(f"PMID:{n}" for n in range(100, 200)))], "gone")], embedder=embedder
    )
    assert (gone.removed, gone.origin, gone.counts.documents) == (0, "", 200), "the word index is made anew"
    vectors_fit(library, "c", embedder)
