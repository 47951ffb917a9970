"""Sign in, history, corpora, evaluation runs and usage in a real browser, used as people do, and seen by axe."""

import csv
import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import pytest_socket
import rispy
from browser import ENGINEERS, PHONE, Opened, faults, opened, overflow, served, violations
from playwright.sync_api import Browser, Page, expect
from printed import LOREM, Print
from runs import line, write_run

from medground.faces.service.accounts import Tokens
from medground.faces.service.records import Records
from medground.home.settings import Settings

VIEWS = ("ask", "history", "saved", "corpora", "corpora/papers", "runs/small", "usage")
ADVANCED = ("runs", "usage")


@pytest.fixture(scope="module")
def own_home(page_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the home, with a run of evaluation, for tests that change it."""
    home = tmp_path_factory.mktemp("own") / "home"
    shutil.copytree(page_home, home)
    lines = [
        line(f"q{n}", "yes", answer, question=f"Is <i>{n}</i> true?", task="yes-no", status=status)
        for n, (answer, status) in enumerate([("yes", "answered"), ("no", "answered"), ("", "failed")])
    ]
    (home / "runs").mkdir()
    write_run(home / "runs" / "small.jsonl", lines, recipe="ground")
    return home


@pytest.fixture(scope="module")
def own(own_home: Path) -> Iterator[str]:
    pytest_socket.enable_socket()
    with served(Settings.load(options={"home": own_home, "retrieval.corpora": ("papers",)})) as address:
        yield address


@pytest.fixture
def desk(loopback: None, chrome: Browser, own: str) -> Iterator[Opened]:
    with opened(own, chrome) as found:
        yield found


@pytest.fixture(scope="module")
def guarded(own_home: Path) -> Iterator[tuple[str, str]]:
    """The same home behind a login, and a token that may not change corpora."""
    pytest_socket.enable_socket()
    records = Records(own_home)
    token = Tokens(records).create("ada")
    records.close()
    settings = Settings.load(options={"home": own_home, "retrieval.corpora": ("papers",)})
    with served(settings, authenticated=True) as address:
        yield address, token


def settled(page: Page) -> Page:
    expect(page.get_by_text("Loading")).to_have_count(0)
    return page


@pytest.mark.slow
def test_views_have_no_fault_that_axe_finds_and_fit_a_phone(desk: Opened) -> None:
    for view in VIEWS:
        page = settled(desk.page(f"#/{view}", size=PHONE))
        assert overflow(page) == 0, view
        assert faults(page) == [], view
        assert view.startswith(ADVANCED) or ENGINEERS.findall(page.locator("body").inner_text()) == [], view
        page.close()


def test_history_is_searched_opened_followed_up_and_deleted(desk: Opened) -> None:
    page = settled(desk.page("#/history"))
    expect(page.get_by_text("are kept until you delete them")).to_be_visible()
    questions = page.locator(".cards li")
    before = questions.count()
    assert before >= 1
    page.get_by_label("Search your questions").fill("zzz nothing")
    expect(page.get_by_text("No question contains these words.")).to_be_visible()
    page.get_by_label("Search your questions").fill("")
    expect(questions).to_have_count(before)
    assert "#/ask?follow=" in (questions.first.get_by_role("link", name="Follow up").get_attribute("href") or "")

    questions.first.get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(questions).to_have_count(before)

    page.get_by_role("button", name="Delete all").click()
    dialog.get_by_role("button", name="Delete all").click()
    expect(page.get_by_text("You have asked nothing yet.")).to_be_visible()
    page.reload()
    expect(page.get_by_text("You have asked nothing yet.")).to_be_visible()


def test_files_become_a_corpus_with_progress_and_what_was_passed_over_is_named(desk: Opened, tmp_path: Path) -> None:
    records = [{"id": f"D:{n}", "title": f"Trial {n}", "text": f"Drug {n} helped."} for n in range(50)]
    (tmp_path / "trials.jsonl").write_text("\n".join(map(json.dumps, records)))
    (tmp_path / "scan.bin").write_bytes(b"\x00\x01" * 100)
    (tmp_path / "empty.txt").write_bytes(b"")
    page = settled(desk.page("#/corpora"))
    page.get_by_label("Name").fill("Trials")
    page.get_by_label("Files").set_input_files(sorted(tmp_path.iterdir()))
    page.get_by_role("button", name="Build").click()
    expect(page.get_by_text("trials: 50 documents, 50 passages; 1 file skipped: scan.bin")).to_be_visible()
    passed_over = page.get_by_role("list").filter(has_text="scan.bin")
    expect(passed_over).to_contain_text("empty.txt: the file is empty")
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name="Trials", exact=True))
    expect(row).to_contain_text("1 file skipped")
    assert violations(page) == []

    page.get_by_label("Name").fill("trials")  # it exists now: replacing it is a choice
    page.get_by_label("Files").set_input_files([tmp_path / "trials.jsonl"])
    expect(page.get_by_role("button", name="Build")).to_be_disabled()

    row.get_by_role("link", name="Trials").click()
    expect(page.get_by_role("heading", name="Trials", level=1)).to_be_visible()
    page.get_by_label("Only files that were skipped").check()
    expect(page.get_by_role("row").filter(has_text="scan.bin")).to_contain_text("skipped:")
    (tmp_path / "more.txt").write_text("Zinc shortens colds.")
    page.locator("#corpus-files").set_input_files([tmp_path / "more.txt"])
    page.get_by_role("button", name="Add the files").click()
    expect(page.get_by_text("trials: 51 documents")).to_be_visible()

    page.get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_role("heading", name="Collections", level=1)).to_be_visible()
    expect(page.get_by_role("link", name="Trials", exact=True)).to_have_count(0)

    page.get_by_label("Name").fill("nothing")  # of files that nobody can read
    page.get_by_label("Files").set_input_files([tmp_path / "scan.bin"])
    page.get_by_role("button", name="Build").click()
    expect(page.get_by_role("alert")).to_contain_text("scan.bin")
    expect(page.get_by_role("link", name="Nothing", exact=True)).to_have_count(0)


def folder_of_a_person(place: Path) -> Path:
    """A paper as a PDF, forty texts of which two have one name, and what cannot be read or is hidden by a system."""
    folder = place / "Dr Ada's papers"
    for name in ("older/zinc 1.txt", *(f"zinc {number}.txt" for number in range(1, 40))):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"Zinc and colds\n\nZinc shortened colds in trial {name.removesuffix('.txt')}.")
    paper = Print(folder / "older" / "paper.pdf")
    paper.line(815, "Journal of Trials 2011, 5:39", 8)
    paper.line(780, "Selenium and the thyroid in adults: a randomised trial", 18, "Times-Bold")
    paper.line(755, "Ann E Miller, Jan van der Berg and Wei Chen")
    paper.line(725, "doi:10.1234/trials.2011.39", 7)
    paper.line(700, "Results", 12, "Times-Bold")
    paper.text(680, f"=SUM(1), selenium improved the thyroid of 120 adults. {LOREM}")
    paper.page()
    paper.save()
    (folder / "older" / "broken.pdf").write_bytes(paper.path.read_bytes()[:700])
    (folder / "scan.bin").write_bytes(b"\x00\x01" * 100)
    for hidden in (".DS_Store", "older/Thumbs.db"):
        (folder / hidden).write_bytes(b"\x00\x01")
    return folder


@pytest.mark.slow
def test_a_whole_folder_is_chosen_stopped_built_asked_and_its_papers_are_cited(desk: Opened, tmp_path: Path) -> None:
    desk.expected.append("net::ERR")
    page = settled(desk.page("#/corpora"))
    picker = page.get_by_label("Or a whole folder")
    picker.set_input_files(folder_of_a_person(tmp_path))
    expect(page.get_by_label("Name")).to_have_value("Dr Ada's papers")
    expect(page.get_by_text("43 files, ")).to_be_visible()

    page.route("**/v1/corpora?*", lambda route: None)  # a line so slow that the person gives up
    page.get_by_role("button", name="Build").click()
    expect(page.get_by_role("progressbar", name="Sending")).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("alert")).to_contain_text("The upload was stopped; nothing has changed.")
    page.unroute("**/v1/corpora?*")

    page.get_by_role("button", name="Build").click()
    built = page.get_by_role("region", name="Building dr-adas-papers")
    expect(built.get_by_role("status")).to_contain_text("41 documents")
    expect(built.get_by_role("listitem")).to_contain_text(
        ["broken.pdf: the PDF is damaged or incomplete", "scan.bin: this is a binary file"]
    )
    built.get_by_role("link", name="Ask it a question").click()
    page.get_by_label("Question").fill("Does selenium improve the thyroid?")
    page.keyboard.press("Enter")
    expect(page.locator(".papers")).to_contain_text("Selenium and the thyroid in adults")

    def saved(button: str) -> str:
        with page.expect_download() as download:
            page.get_by_role("button", name=button, exact=True).click()
        return download.value.path().read_text(encoding="utf-8-sig")

    page.get_by_text("For reference managers").click()
    [reference] = rispy.loads(saved("RIS"))
    assert reference["authors"] == ["Miller, A. E.", "van der Berg, J.", "Chen, W."]
    assert (reference["secondary_title"], reference["year"]) == ("Journal of Trials", "2011")
    assert reference["doi"] == "10.1234/trials.2011.39"
    page.get_by_role("link", name="Evidence table").click()
    [row] = csv.DictReader(io.StringIO(saved("Save the table as CSV"), newline=""))
    assert row["title"] == reference["title"]
    assert "selenium improved the thyroid of 120 adults." in row["quotes"]
    assert not row["quotes"].startswith("=")


def test_a_run_is_opened_and_its_failures_count(desk: Opened) -> None:
    page = settled(desk.page("#/runs"))
    row = page.get_by_role("row").filter(has_text="pubmedqa")
    expect(row).to_contain_text("25.0 %")
    expect(row).to_contain_text("1 of 4")
    expect(row).to_contain_text("1 failed, 1 unfinished")
    row.get_by_role("link").click()
    expect(page.get_by_role("heading", name="ground on pubmedqa")).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="correct when it answered")).to_contain_text("1 of 2")
    expect(page.get_by_text("1 of 4 questions are unfinished and count as wrong")).to_be_visible()
    page.get_by_label("Show").select_option("failed")
    expect(page.get_by_text("1 to 1 of 1 questions")).to_be_visible()
    expect(page.get_by_text("Is <i>2</i> true?")).to_be_visible()
    with page.expect_download() as saved:
        page.get_by_role("link", name="Download the report").click()
    assert saved.value.suggested_filename == "small.html"


@pytest.mark.usefixtures("loopback")
def test_signing_in_and_out_keeps_no_token_in_the_browser(chrome: Browser, guarded: tuple[str, str]) -> None:
    address, token = guarded
    with opened(address, chrome) as browser:
        browser.expected = ["401"]
        sign_in_and_out(browser, token)


def sign_in_and_out(browser: Opened, token: str) -> None:
    page = browser.page("#/corpora")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(page.get_by_role("navigation")).to_have_count(0)
    assert violations(page) == []
    page.get_by_label("Token").fill("mg_" + "x" * 43)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("wrong or was revoked")
    expect(page.get_by_label("Token")).to_be_focused()

    page.get_by_label("Token").fill(token)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Collections", level=1)).to_be_visible()
    expect(page.get_by_text("but not build or remove them")).to_be_visible()
    assert token not in page.content()
    kept = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
    assert token not in kept
    assert "medground_session" not in kept
    page.reload()
    expect(page.get_by_role("heading", name="Collections", level=1)).to_be_visible()

    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert page.context.cookies() == []


def test_use_is_shown_and_a_change_after_the_session_was_lost_is_sent_again(
    desk: Opened, guarded: tuple[str, str]
) -> None:
    desk.expected = ["403"]
    page = settled(desk.page("#/usage"))
    expect(page.get_by_role("heading", name="This computer")).to_be_visible()
    expect(page.get_by_role("region", name="Table of tokens")).to_contain_text("ada")
    page.goto(f"{desk.url}/#/ask")
    page.context.clear_cookies()
    page.get_by_label("Question").fill("Does aspirin prevent stroke?")
    page.keyboard.press("Enter")
    page.wait_for_url("**/#/answer/**")
