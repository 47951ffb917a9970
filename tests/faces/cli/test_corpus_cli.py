"""`medground corpus` and `medground kb` as a user types them."""

import json
from pathlib import Path

import pytest
from command_line import Printed
from knowledge_base import ALL, WIKI, filled, written
from refusals import refused
from rows import each_row
from typer.testing import CliRunner

from medground.corpus.library import Library
from medground.errors import BadDocument, UsageError
from medground.faces.cli.corpus import corpus_app


@pytest.fixture
def papers(tmp_path):
    """A file of three records, one of them broken."""
    path = tmp_path / "papers.jsonl"
    records = [
        {"id": "PMID:1", "title": "Lens", "text": "Ectopia lentis is found in Marfan syndrome.", "year": 1999},
        {"id": "PMID:2", "title": "Aorta", "text": "Losartan slows dilation of the aortic root."},
    ]
    path.write_text("\n".join([json.dumps(records[0]), '{"id": "PMID:9", ', json.dumps(records[1])]) + "\n")
    return path


def run(*words, **more):
    return CliRunner().invoke(corpus_app, [str(w) for w in words], catch_exceptions=False, **more)


def test_build_search_info_add_verify_remove(home, papers, tmp_path):
    built = run("build", "mine", papers)
    assert built.exit_code == 0
    assert "index" in built.stderr, "progress"
    assert "index" not in built.stdout
    assert built.stdout.startswith("mine: 2 documents, 2 passages, ")
    assert "1 skipped" in built.stdout
    assert "papers.jsonl:2" in built.stderr

    assert run("list").stdout.startswith("mine ")
    found = run("search", "mine", "lens of the eye in marfan syndrome")
    assert found.stdout.splitlines()[0].split()[:2] == ["1", "PMID:1#0-43"]
    assert run("search", "mine", "xylophone").stdout == ""
    refused(UsageError, "query is empty", run, "search", "mine", "  ")

    shown = run("info", "mine").stdout
    assert "documents   2 (" in shown
    assert "(jsonlines)" in shown
    assert "papers.jsonl:2" in shown
    assert json.loads(run("info", "mine", "--json").stdout)["counts"]["skipped"] == 1

    more = tmp_path / "more.jsonl"
    more.write_text(json.dumps({"id": "PMID:3", "text": "Zebrafish fins."}))
    assert run("add", "mine", more, "--quiet").stdout.startswith("mine: 3 documents")
    assert "PMID:3" in run("search", "mine", "zebrafish").stdout
    assert run("verify", "mine").stdout.startswith("mine is intact: ")
    assert run("remove", "mine", input="n\n").exit_code == 1
    assert Library(home).has("mine")
    assert run("remove", "mine", "--yes").exit_code == 0
    assert not Library(home).has("mine")
    assert "no corpora yet" in run("list").stderr


def test_a_search_marks_records_that_are_not_evidence(home, tmp_path):
    path = tmp_path / "papers.jsonl"
    records = [
        {"id": "PMID:1", "title": "Retracted: Zinc and growth", "text": "Zinc doubles growth."},
        {"id": "PMID:2", "title": "Erratum: zinc and growth", "text": "Zinc tripled growth should read doubled."},
        {"id": "PMID:3", "title": "Zinc", "text": "Zinc was given."},
    ]
    path.write_text("\n".join(map(json.dumps, records)))
    run("build", "mine", path, "--quiet")
    marks = {line.split()[1].split("#")[0]: line for line in run("search", "mine", "zinc").stdout.splitlines()[::2]}
    assert marks["PMID:1"].endswith("[RETRACTED]")
    assert marks["PMID:2"].endswith("[AN ERRATUM]")
    assert not marks["PMID:3"].endswith("]")


@each_row(
    ("words", "error", "says"),
    [
        (["build", "mine", "nowhere.xml"], UsageError, r"nowhere\.xml"),
        (["build", "../mine", "PAPERS"], UsageError, "is not a valid corpus name"),
        (["build", "mine", "PAPERS", "--reader", "klingon"], UsageError, "klingon"),
        (["build", "mine", "BINARY"], BadDocument, "BINARY"),
        (["add", "other", "PAPERS"], UsageError, "no corpus 'other'"),
        (["remove", "other", "--yes"], UsageError, "no corpus 'other'"),
    ],
)
def test_mistakes_are_reported_in_one_line(home, papers, tmp_path, words, error, says):
    places = {"PAPERS": papers, "BINARY": tmp_path / "BINARY.xml"}
    places["BINARY"].write_bytes(bytes(range(256)) * 20)
    with pytest.raises(error, match=says) as caught:
        run(*(places.get(word, word) for word in words))
    assert "\n" not in str(caught.value)
    assert Library(home).list() == ()


def test_a_folder_is_built_followed_and_limited(home, tmp_path, monkeypatch):
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "mine.jsonl").write_text('{"id": "a1", "text": "Statins helped.", "ward": "ICU"}\n')
    refs = "TY  - JOUR\nTI  - Statins failed\nJO  - Lancet\nPY  - 2019\nER  - \nTY  - JOUR\nVL  - 3\nER  - \n"
    (folder / "refs.ris").write_text(refs)
    (folder / "scan.png").write_bytes(b"\x89PNG")
    monkeypatch.chdir(folder)
    built = run("build", "mine", ".", "--quiet")
    assert "1 file skipped" in built.stdout
    assert "skipped     1 .png: an image, which holds no text (scan.png)" in built.stderr
    assert "ids without a prefix (1) were given DOC:; kept as metadata: ward" in built.stderr
    listed = run("files", "mine").stdout.splitlines()
    assert [line.split()[0] for line in listed if line[0] != " "] == ["jsonlines", "ris", "skipped"]
    assert any("skipped at 6: text: the field is missing" in line for line in listed), (
        "each record that was passed over"
    )
    refused(BadDocument, r"scan\.png: an image", run, "build", "mine", ".", "--strict", "--quiet")

    assert run("sync", "mine", folder, "--quiet").stdout == "mine is up to date: 3 files\n"
    (folder / "more.txt").write_text("Statins again.")
    (folder / "scan.png").unlink()
    synced = run("sync", "mine", folder, "--quiet")
    assert synced.stdout.startswith("mine: 3 documents")
    assert synced.stderr.splitlines()[0] == "1 new, 1 gone, 2 as they were"
    assert "fields      entry_type, ward" in run("info", "mine").stdout

    def found(*where):
        options = [word for limit in where for word in ("--where", limit)]
        return [line.split()[1] for line in run("search", "mine", "statins", *options).stdout.splitlines()[::2]]

    assert found("ward=icu") == ["DOC:a1#0-15"]
    assert [key[:4] for key in found("journal=lancet", "date=2019-01..")] == ["REF:"]
    with pytest.raises(UsageError, match="no field 'wrad' is in what is searched; the nearest: ward"):
        run("search", "mine", "statins", "--where", "wrad=ICU")
    refused(UsageError, "is not a limit; write FIELD=VALUE", run, "search", "mine", "statins", "--where", "ward")


TITLE = "Losartan and dilation of the aortic root in Marfan syndrome"


@pytest.fixture
def two_corpora(home, tmp_path):
    """A corpus of records, and a folder with a file of two papers and a file of one."""
    records = tmp_path / "records.jsonl"
    fields = {"title": TITLE, "text": "An abstract.", "publication_types": ["Randomized Controlled Trial"]}
    write_lines(records, {"id": "PMID:1", "doi": "10.1000/a", **fields}, {"id": "PMID:3", "doi": "10.1000/c", **fields})
    assert run("build", "medline", records, "-q").exit_code == 0
    folder = tmp_path / "folder"
    folder.mkdir()
    losartan = {"id": "a", "title": TITLE, "text": "Losartan worked.", "doi": "10.1000/A"}
    zinc = {"id": "c", "title": "Zinc for the common cold", "text": "Zinc did not.", "doi": "10.1000/C"}
    write_lines(folder / "many.jsonl", losartan, zinc)
    write_lines(folder / "one.jsonl", {**losartan, "id": "b"})
    return folder


def write_lines(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def test_enrich_tells_what_was_joined(two_corpora):
    built = run("build", "papers", two_corpora, "--enrich", "medline", "-q")
    line = "joined with medline: 2 of 3 documents; 1 not joined, the record has another title (many.jsonl)"
    assert line in built.stderr.splitlines()
    assert line in run("info", "papers").stdout.splitlines()
    files = run("files", "papers").stdout.splitlines()
    assert files[1].strip() == "1 of 2 records joined"
    assert files[2].strip() == "DOC:c: not joined with corpus:medline: the record with its id has another title"
    assert "joined with PMID:1 of corpus:medline: identifiers.pmid, publication_types" in map(str.strip, files)
    assert run("sync", "papers", two_corpora, "-q").stdout.startswith("papers is up to date")
    assert "joined" not in run("enrich", "papers", "--from", "none", "-q").stderr
    refused(UsageError, "papers has no source of records yet; name one with --from", run, "enrich", "papers", "-q")
    with pytest.raises(UsageError, match="no corpus 'medlin' to enrich from; the nearest: medline"):
        run("build", "papers", two_corpora, "--enrich", "medlin", "-q")


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    return written(filled(tmp_path / "in"), *ALL)


def test_a_base_is_built_listed_shown_checked_searched_asked_and_removed(
    typed: Printed, home: Path, spec: Path
) -> None:
    code, out, err = typed("kb", "build", spec, "-q")
    assert code == 0
    assert "omni.book: 3 documents, 3 passages" in out
    assert [line.split()[0] for line in out.splitlines()[-7:]] == [
        *("Source", "book", "guideline", "research", "wiki"),
        *("#Concepts", "graph"),
    ]
    code, again, err = typed("kb", "build", spec, "-q")
    assert err.count("is up to date") == 5
    assert again.strip() == "\n".join(out.splitlines()[-7:]).strip()

    assert typed("kb", "list")[1].startswith("omni             book, guideline, research, wiki, graph; ")
    shown = typed("kb", "show", "omni")[1]
    assert "licence    the licence of the guideline" in shown
    assert "origin     the wiki of this test" in shown
    assert "a term, a comma, what is asked about it" in shown
    assert json.loads(typed("kb", "show", "omni", "--json")[1])["graph"]["kind"] == "graph"
    assert json.loads(typed("kb", "stats", "omni", "--json")[1])["research"]["chunks"] == 5
    assert typed("kb", "stats", "omni")[1].strip() == again.strip()
    assert typed("kb", "verify", "omni")[1].count("is intact") == 5

    assert "Influenza is an infection." in typed("corpus", "search", "omni.wiki", "influenza")[1]
    found = typed("kb", "search", "omni", "infection organ zinc", "--limit", "20")[1]
    assert {"QA:2", "P:3"} <= {line.split()[1].partition("#")[0] for line in found.splitlines()[::2]}
    assert "no knowledge base" in typed("kb", "search", "none", "zinc")[2]

    code, asked, _ = typed("ask", "Does zinc help?", "--kb", "omni", "--json", "-q")
    answer = json.loads(asked)
    assert code == 0
    assert "corpus:omni.research" in {search["source"] for search in answer["searches"]}
    assert {one["license"] for one in answer["documents"]} <= {"the licence of the research"}
    assert json.loads(typed("verify", "Zinc was given.", "--kb", "omni", "--json", "-q")[1])["documents"]
    assert typed("ask", "Does zinc help?", "--set", "retrieval.knowledge_base=omni", "-q")[0] == 0

    err = typed("kb", "build", written(spec.parent, WIKI), "-q")[2]
    assert "guideline is no longer in the specification: removed" in err
    assert typed("kb", "remove", "omni", "-y")[0] == 0
    assert Library(home).list() == ()
    assert "no knowledge bases yet" in typed("kb", "list")[2]


@each_row(
    ("words", "told"),
    [
        (["ask", "Does zinc help?", "--kb", "../omni"], "'../omni' is not a name of a knowledge base"),
        (["ask", "Does zinc help?", "--kb", "omni"], "no knowledge base 'omni' (existing: none)"),
        (["kb", "show", "nothing"], "build one with medground kb build SPEC"),
        (["kb", "remove", "/etc", "-y"], "is not a name of a knowledge base"),
        (["kb", "build", "nowhere.toml"], "no specification nowhere.toml"),
    ],
)
def test_a_mistake_is_one_line_and_exit_status_2(typed: Printed, words: list[str], told: str) -> None:
    code, _, err = typed(*words)
    assert code == 2
    assert told in err
    assert len(err.strip().splitlines()) == 1
