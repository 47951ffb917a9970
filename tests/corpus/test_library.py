"""Names, listing, removing, locks."""

from __future__ import annotations

import pytest
from rows import each_row

from medground.corpus.build import add, build
from medground.corpus.library import Library
from medground.errors import SnapshotCorrupt, UsageError


@each_row("name", ["", "../x", "a/b", "A", ".hidden", "-x", "x" * 65, "a b", "a\n", "ü", "a\x00", ".."])
def test_a_name_cannot_be_a_path(library, make_documents, make_input, name):
    for call in (library.open, library.info, library.verify, library.remove, library.has):
        with pytest.raises(UsageError, match="is not a valid corpus name"):
            call(name)
    with pytest.raises(UsageError, match="is not a valid corpus name"):
        build(library, name, [make_input(make_documents(1))])


def test_an_unknown_name_lists_the_existing_corpora(library, make_documents, make_input):
    with pytest.raises(UsageError, match=r"no corpus 'x' \(existing: none\)"):
        library.open("x")
    build(library, "b", [make_input(make_documents(1))])
    build(library, "a.1", [make_input(make_documents(1))])
    assert library.list() == ("a.1", "b")
    for call in (library.open, library.info, library.verify, library.remove):
        with pytest.raises(UsageError, match=r"no corpus 'x' \(existing: a\.1, b\)"):
            call("x")


def test_a_damaged_pointer_is_reported_and_a_removed_corpus_is_gone(library, make_documents, make_input):
    build(library, "a", [make_input(make_documents(1))])
    for content in (b"", b"../../etc", b"\xff\xfe", b"0123456789abcdef"):
        (library.folder_of("a") / "CURRENT").write_bytes(content)
        with pytest.raises(SnapshotCorrupt, match="CURRENT does not name a snapshot"):
            library.open("a")
    assert library.has("a")
    library.remove("a")
    assert not library.has("a")
    assert not library.folder_of("a").exists()


def test_a_damaged_corpus_is_fixed_by_rebuilding_it(library, make_documents, make_input):
    first = build(library, "a", [make_input(make_documents(5))])
    victim = library.current("a") / "documents.sqlite"
    content = victim.read_bytes()
    victim.unlink()  # a new file: a reader may have the old one open or mapped
    victim.write_bytes(content[:-1] + b"!")
    with pytest.raises(SnapshotCorrupt):
        library.verify("a")
    second = build(library, "a", [make_input(make_documents(5))])
    assert second.hash == first.hash
    assert library.verify("a") == second


def test_two_builds_of_one_corpus_at_once(library, make_documents, make_input):
    build(library, "a", [make_input(make_documents(1))])
    with library.lock("a"):
        for call in (build, add):
            with pytest.raises(UsageError, match="corpus a is being built by another process"):
                call(Library(library.folder.parent), "a", [make_input(make_documents(2))])
        with pytest.raises(UsageError, match="is being built"):
            Library(library.folder.parent).remove("a")
        build(library, "b", [make_input(make_documents(2))])
    build(library, "a", [make_input(make_documents(2))])
