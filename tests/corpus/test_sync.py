"""`sync`: what is new, changed or gone, at the price of what changed; the snapshot is the truth of what it holds."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from refusals import refused
from rows import each_row
from small_corpora import WordEmbedder, contents, vectors_fit

from medground.corpus import build as build_module
from medground.corpus import sync as sync_module
from medground.corpus.build import add, build
from medground.corpus.library import Library
from medground.corpus.readers import find_inputs
from medground.corpus.sync import Changes, sync
from medground.errors import BadDocument, ConfigError, UsageError
from medground.values.query import Words


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Thirty notes and a bibliography."""
    made = tmp_path / "papers"
    (made / "sub").mkdir(parents=True)
    for n in range(30):
        (made / "sub" / f"{n:02}.txt").write_text(f"Note {n} on statins. " * (1 + n % 3))
    (made / "refs.ris").write_text(ris((1, "First paper."), (2, "Second paper.")))
    return made


def ris(*papers: tuple[int, str]) -> str:
    return "".join(f"TY  - JOUR\nTI  - T{n}\nAB  - {text}\nAN  - {n}\nER  - \n" for n, text in papers)


def texts(library: Library) -> dict[str, str]:
    return {name: document.text for name, document in contents(library, "papers").items()}


def names(paths: tuple[str, ...]) -> list[str]:
    return [Path(path).name for path in paths]


def test_new_changed_and_gone(library: Library, folder: Path) -> None:
    embedder = WordEmbedder(dimensions=256)
    _, changes = sync(library, "papers", folder, embedder=embedder)
    assert len(changes.new) == 31
    first, changes = sync(library, "papers", folder, embedder=embedder)
    assert changes == Changes(same=31)
    done = embedder.embedded
    (folder / "new.md").write_text("# New\nA new note.")
    (folder / "sub" / "03.txt").write_text("Changed note.")
    (folder / "sub" / "05.txt").unlink()
    (folder / "refs.ris").write_text(ris((1, "First paper."), (3, "Third paper.")))
    second, changes = sync(library, "papers", folder, embedder=embedder)
    assert (names(changes.new), names(changes.changed), names(changes.gone)) == (
        ["new.md"],
        ["refs.ris", "03.txt"],
        ["05.txt"],
    )
    assert (changes.same, embedder.embedded - done) == (28, 3)  # PMID:1 is as it was
    found = texts(library)
    assert found["FILE:sub/03.txt"] == "Changed note."
    assert {"PMID:1", "PMID:3", "FILE:new.md"} < set(found)
    assert not {"PMID:2", "FILE:sub/05.txt"} & set(found)
    assert first.hash != second.hash
    os.utime(folder / "refs.ris", ns=(1, 1))
    touched, changes = sync(library, "papers", folder, embedder=embedder)
    assert (names(changes.changed), touched.hash) == (["refs.ris"], second.hash)
    assert {(entry.reader, entry.files) for entry in second.inputs} == {("ris", 1), ("texts", 30)}
    vectors_fit(library, "papers", embedder)


OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["a.txt", "b.ris", "c.ris", "d.nbib", "e.jsonl"]),
        st.sampled_from(["write", "remove", "touch"]),
        st.lists(st.integers(1, 4), max_size=3),
        st.sampled_from(["short.", "a longer text. " * 3, "x " * 700]),
    ),
    min_size=1,
    max_size=4,
)


@pytest.mark.slow
@given(st.lists(OPERATIONS, min_size=1, max_size=3))
@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_a_synced_corpus_is_that_of_a_fresh_build(tmp_path_factory: pytest.TempPathFactory, rounds) -> None:
    base = tmp_path_factory.mktemp("sync")
    folder, library = base / "papers", Library(base / "home")
    folder.mkdir()
    (folder / "z.txt").write_text("Always here.")
    clock = 1_000_000_000
    for operations in rounds:
        for name, operation, ids, text in operations:
            file, clock = folder / name, clock + 10**9
            if operation == "remove":
                file.unlink(missing_ok=True)
            elif operation == "write":
                file.write_text(written(name, ids, text))
            if file.exists():
                os.utime(file, ns=(clock, clock))
        sync(library, "papers", folder)
        synced = texts(library)
        fresh = Library(base / "fresh")
        build(fresh, "papers", find_inputs([folder]))
        assert synced == texts(fresh)


def written(name: str, ids: list[int], text: str) -> str:
    if name.endswith(".txt"):
        return text
    if name.endswith(".ris"):
        return ris(*((n, f"{name} {text}") for n in ids))
    if name.endswith(".nbib"):
        return "".join(f"PMID- {n}\nTI  - T\nAB  - {name} {text}\n\n" for n in ids)
    return "".join(json.dumps({"id": f"PMID:{n}", "text": f"{name} {text}"}) + "\n" for n in ids)


@each_row("where", ["patch", "describe_files"])
def test_killed_at_any_moment_the_corpus_is_as_it_was(
    library: Library, folder: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    sync(library, "papers", folder)
    before = texts(library)
    (folder / "sub" / "00.txt").write_text("Changed.")

    class Killed(BaseException):
        pass

    def killed(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(build_module, where, killed)
        with pytest.raises(Killed):
            sync(library, "papers", folder)
    assert texts(library) == before
    (library.folder_of("papers") / "building-change").mkdir()  # as after kill -9
    (library.folder_of("papers") / "building-change" / "documents.sqlite").write_bytes(b"half")
    _, changes = sync(library, "papers", folder)
    assert names(changes.changed) == ["00.txt"]
    assert texts(library) == before | {"FILE:sub/00.txt": "Changed."}


def test_a_file_that_failed_for_a_passing_reason_is_tried_again_and_others_are_not(
    library: Library, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "broken.xml").write_text("<PubmedArticleSet>")
    (folder / "busy.txt").write_text("Busy.")
    real = Path.open

    def busy(self: Path, *arguments, **named):
        if self.name == "busy.txt":
            raise PermissionError(13, "Permission denied")
        return real(self, *arguments, **named)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", busy)
        manifest, _ = sync(library, "papers", folder)
    assert manifest.counts.passed_over == 2
    manifest, changes = sync(library, "papers", folder)
    assert (names(changes.again), manifest.counts.passed_over) == (["busy.txt"], 1)
    assert texts(library)["FILE:busy.txt"] == "Busy."
    assert not sync(library, "papers", folder)[1].any


def test_the_word_index_is_made_anew_when_much_was_removed(
    library: Library, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medground.corpus.patch._RENEW_BELOW", 0)
    sync(library, "papers", folder)
    (folder / "sub" / "00.txt").unlink()
    little, _ = sync(library, "papers", folder)
    assert (little.removed > 0, little.origin != "") == (True, True)
    (folder / "more.txt").write_text("More.")
    more, _ = sync(library, "papers", folder)
    assert (more.origin, more.removed) == (little.origin, little.removed)
    (other := folder.parent / "other.txt").write_text("Other.")
    added = add(library, "papers", find_inputs([other]))
    assert added.origin == little.origin
    for n in range(1, 20):
        (folder / "sub" / f"{n:02}.txt").unlink()
    much, _ = sync(library, "papers", folder)
    assert (much.removed, much.origin) == (0, "")
    build(fresh := Library(folder.parent / "fresh"), "papers", [*find_inputs([folder]), *find_inputs([other])])
    assert fresh.info("papers").hash == much.hash
    with library.open("papers") as one, fresh.open("papers") as two:
        scores = [{h.passage.key: h.score for h in s.bm25(Words(text="note statins more"), 50)} for s in (one, two)]
    assert scores[0] == scores[1]


def test_many_new_files_are_added_as_a_build_does(
    library: Library, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = WordEmbedder()
    sync(library, "papers", folder, embedder=embedder)
    monkeypatch.setattr(sync_module, "_MANY", 3)
    for n in range(5):
        (folder / f"new{n}.txt").write_text(f"New {n}.")
    (folder / "new.png").write_bytes(b"\x89PNG")
    (folder / ".hidden").write_text("x")
    (folder / "sub" / "00.txt").write_text("Changed.")
    _, changes = sync(library, "papers", folder, embedder=embedder)
    assert (len(changes.new), names(changes.changed), changes.same) == (7, ["00.txt"], 30)
    found = texts(library)
    assert (found["FILE:new4.txt"], found["FILE:sub/00.txt"], len(found)) == ("New 4.", "Changed.", 37)
    assert not sync(library, "papers", folder, embedder=embedder)[1].any


def test_what_cannot_be_synced(library: Library, folder: Path) -> None:
    refused(UsageError, "no such folder", sync, library, "papers", folder / "none")
    sync(library, "papers", folder, embedder=WordEmbedder())
    refused(ConfigError, "has vectors of words@1", sync, library, "papers", folder)
    for file in folder.rglob("*"):
        if file.is_file():
            file.unlink()
    with pytest.raises(BadDocument, match="no readable document is left"):
        sync(library, "papers", folder, embedder=WordEmbedder())
    assert len(texts(library)) == 32
