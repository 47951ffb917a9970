"""The researcher's views in a real browser: evidence table, plot, report, structures, comparison, timeline, exports."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import pytest_socket
from browser import (
    BUILT,
    ENGINEERS,
    PHONE,
    Opened,
    faults,
    opened,
    overflow,
    papers_home,
    printed,
    served,
    violations,
    why_not,
)
from page_studies import DATALESS, DOZEN, JUDGED, REPORTED, UNJUDGED, keep_studies
from rows import each_row
from studies import QUESTION, STUDIES

pytest.importorskip("playwright", reason="needs the extra test")
from playwright.sync_api import Browser, Page, expect


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server over the studies and their answers."""
    if reason := why_not():
        pytest.skip(reason)
    home: Path = tmp_path_factory.mktemp("studies") / "home"
    settings = papers_home(home, list(STUDIES), "test")
    keep_studies(home)
    pytest_socket.enable_socket()
    with served(settings) as address:
        yield address


@pytest.fixture
def browser(loopback: None, chrome: Browser, studies: str) -> Iterator[Opened]:
    """A browser before that server. A message in its console fails the test."""
    with opened(studies, chrome) as found:
        yield found


def table_of(browser: Opened, answer: str = JUDGED, columns: str = "n|dose") -> Page:
    page = browser.page(f"#/table/{answer}?c={columns}")
    page.get_by_test_id("evidence-table").wait_for()
    return page


def column(page: Page, number: int) -> list[str]:
    return page.locator(f"table.studies tbody tr td:nth-child({number})").all_inner_texts()


def test_cells_are_quotes_that_open_where_they_stand_or_say_that_nothing_is_reported(browser: Opened) -> None:
    page = table_of(browser)
    first = page.locator("tr[data-document='PMID:1']")
    expect(first.locator("[data-state='quoted']")).to_have_count(2)
    expect(first).to_contain_text("supports a yes")
    expect(page.locator("tr[data-document='PMID:2'] [data-state='not reported']")).to_have_text("Not reported")
    expect(page.locator("tr[data-document='PMID:6']")).to_contain_text("RETRACTED: not used as evidence.")
    told = page.get_by_test_id("agreement")
    expect(told).to_contain_text("2 support a yes, 2 contradict it, 1 does neither")
    expect(told).to_contain_text("1 retracted study is not counted.")
    opener = first.get_by_role("button", name=re.compile(r"In the text \(n of"))
    opener.click()
    pane = page.get_by_test_id("place")
    chosen = pane.locator("mark.chosen")
    expect(chosen).to_have_text(
        "We randomly assigned 240 adults aged 70 years to vitamin D 800 IU daily or placebo for a year."
    )
    expect(pane).to_contain_text("word rules, without a model")
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(pane).to_have_count(0)
    expect(opener).to_be_focused()


def test_a_column_of_the_readers_own_is_added_kept_in_the_address_and_removed(browser: Opened) -> None:
    page = table_of(browser, columns="n")
    page.get_by_label("Your own columns").fill("hazard ratio")
    page.keyboard.press("Enter")
    cell = page.locator("tr[data-document='PMID:1'] [data-state='quoted']").nth(1)
    expect(cell).to_contain_text("hazard ratio 0.72")
    page.reload()
    expect(cell).to_contain_text("hazard ratio 0.72")
    page.get_by_role("button", name="Remove the column hazard ratio").click()
    expect(page.get_by_role("columnheader", name="hazard ratio")).to_have_count(0)


def test_rows_are_sorted_and_filtered(browser: Opened) -> None:
    page = table_of(browser)
    page.get_by_role("button", name="Year").click()
    assert column(page, 2) == ["2006", "2005", "2004", "2003", "2002", "2001"]
    page.get_by_role("button", name="Year").click()
    assert column(page, 2)[0] == "2001"
    expect(page.get_by_role("columnheader", name="Year")).to_have_attribute("aria-sort", "ascending")
    page.get_by_label("Show retracted").uncheck()
    expect(page.locator("tr[data-document]")).to_have_count(5)
    designs = page.get_by_role("combobox", name="Design")
    designs.select_option("meta-analysis")
    expect(page.locator("tr[data-document]")).to_have_count(1)
    designs.select_option("")
    page.get_by_role("searchbox").fill("nursing home")
    expect(page.locator("tr[data-document]")).to_have_count(1)
    expect(page.get_by_text("1 of 6 studies")).to_be_visible()


def test_agreement_is_never_guessed_and_a_study_that_cannot_be_read_is_failed(browser: Opened) -> None:
    expect(table_of(browser, UNJUDGED).get_by_test_id("agreement")).to_contain_text("no model read them")
    page = table_of(browser, DATALESS)
    failed = page.locator("tr[data-document='PMID:999'] [data-state='failed']").first
    expect(failed).to_have_text("Failed: no longer in any of the sources searched")
    expect(page.get_by_test_id("agreement")).to_have_count(0)


def test_studies_are_plotted_and_saved_as_a_table_and_as_references(browser: Opened) -> None:
    page = table_of(browser)
    drawn = page.get_by_test_id("plot").locator("svg")
    expect(drawn).to_have_attribute("aria-label", re.compile("6 studies from 2001 to 2006: .*1 meta-analysis"))
    signs = drawn.locator("text.sign").evaluate_all("all => all.map(one => one.firstChild.data)")
    assert sorted(signs) == sorted(["▲", "▼", "◆", "▲", "▼", "✕"])
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the table as CSV").click()
    content = download.value.path().read_text(encoding="utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(content, newline="")))
    assert download.value.suggested_filename == f"medground-{JUDGED}.csv"
    assert [row["dose"] == "not reported" for row in rows] == [False, True, True, True, True, True]
    page.get_by_text("For reference managers").click()
    for button, suffix in (("RIS", "ris"), ("BibTeX", "bib"), ("CSL-JSON", "json")):
        with page.expect_download() as download:
            page.get_by_test_id("exports").get_by_role("button", name=button, exact=True).click()
        assert download.value.suggested_filename == f"medground-{JUDGED}.{suffix}"
        assert "Vitamin D and falls: study 1" in download.value.path().read_text(encoding="utf-8")


def test_ten_papers_have_cards_their_years_and_all_of_it_on_paper(browser: Opened) -> None:
    page = browser.page(f"#/answer/{DOZEN}")
    page.emulate_media(color_scheme="dark")
    expect(page.get_by_role("img", name="12 papers from 2001 to 2012")).to_be_visible()
    cards = page.get_by_test_id("source-entry").filter(visible=True)
    expect(cards).to_have_count(5)
    expect(cards.first).to_contain_text("✓ For: “In study 1 they fell.”")
    expect(cards.nth(1)).to_contain_text("✗ Against")
    paper = printed(page)
    assert [n for n in range(1, 13) if f"In study {n} they fell." not in paper] == []
    assert "https://pubmed.ncbi.nlm.nih.gov/12/" in paper
    assert "Asked on 1 January 2026." in paper
    assert "Save as" not in paper
    page.goto(f"{browser.url}/#/table/{DOZEN}?c=n|dose|population|intervention|comparator|funding")
    expect(page.locator("[data-state]").last).to_be_visible()
    page.get_by_text("Your notes on certainty").click()
    page.get_by_label("Imprecision").fill("Few events")
    paper = printed(page)
    assert paper.count("Vitamin D and falls: study") == 12
    for shown in ("Asked on 1 January 2026.", "comparator", "Kept 12 papers", "Imprecision Few events"):
        assert shown in paper
    assert "Leave out" not in paper


def test_a_report_shows_its_sections_plan_counts_and_failures(browser: Opened) -> None:
    page = browser.page(f"#/report/{REPORTED}")
    expect(page.get_by_test_id("report-section").first).to_contain_text("No adverse events occurred.")
    expect(page.get_by_text("One source could not be searched.")).to_be_visible()
    expect(page.get_by_test_id("subanswers")).to_contain_text("<img src=x onerror='window.hacked = 1'>")
    expect(page.get_by_test_id("flow").locator("tbody tr")).to_have_count(1)
    assert "https://pubmed.ncbi.nlm.nih.gov/1/" in printed(page)
    drawing = page.get_by_role("img", name=re.compile("2 sub-questions and 3 keywords"))
    assert drawing.evaluate("image => image.decode().then(() => image.naturalWidth > 100)")
    assert page.evaluate("window.hacked") is None


def coloured(picture: bytes) -> int:
    """How many points of a picture are neither grey nor nearly so."""
    image = pytest.importorskip("PIL.Image").open(io.BytesIO(picture)).convert("RGB")
    return sum(count for count, point in image.getcolors(1 << 24) if max(point) - min(point) > 80)


def test_a_structure_is_drawn_only_when_it_is_asked_for(browser: Opened) -> None:
    loaded: list[str] = []
    page = browser.page(f"#/report/{REPORTED}")
    page.on("request", lambda request: loaded.append(request.url))
    browser.expected.append("GPU stall")  # said by the drawing in software of a computer without a graphics card
    page.get_by_role("button", name=re.compile("Show in 3D")).click()
    viewer = page.locator(".viewer[data-ready='yes']")
    expect(viewer.locator("canvas")).to_be_visible()
    viewer.scroll_into_view_if_needed()
    assert coloured(viewer.screenshot()) > 500
    assert [url for url in loaded if "structure-viewer" in url]
    assert [url for url in loaded if url.endswith("/files/P11473.pdb")]
    assert all(url.startswith(browser.url) for url in loaded)
    page.get_by_role("button", name=re.compile("Hide the structure")).click()
    expect(page.locator(".viewer")).to_have_count(0)


def test_two_recipes_answer_one_question_side_by_side(browser: Opened) -> None:
    page = browser.page("#/compare")
    page.get_by_label("Question").fill(QUESTION)
    page.get_by_label("First method").select_option("ground")
    page.get_by_label("Second method").select_option("rag")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.wait_for_url(re.compile(r"#/compare/.+/.+"))
    expect(page.get_by_test_id("compared")).to_have_count(2)
    expect(page.get_by_test_id("compared").first.get_by_role("heading", name="ground")).to_be_visible()
    expect(page.get_by_test_id("shared-documents")).to_contain_text("Quoted by both")
    page.reload()
    expect(page.get_by_test_id("compared").nth(1)).to_contain_text("$0, no model calls")
    assert violations(page) == []


def test_the_timeline_tells_seconds_tokens_and_money(browser: Opened) -> None:
    browser.expected.append("404")
    page = browser.page(f"#/trace/{JUDGED}")
    line = page.get_by_test_id("timeline").get_by_role("row", name=re.compile("operator extract"))
    expect(line).to_contain_text("1,200 / 80")
    expect(line).to_contain_text("$0.00420")
    expect(line).to_have_attribute("data-depth", "2")
    expect(page.get_by_test_id("trace-sum")).to_contain_text("1,200 tokens in, 80 out, $0.00420")
    page.goto(f"{browser.url}/#/trace/{UNJUDGED}")
    expect(page.get_by_role("alert")).to_contain_text("no trace")


@pytest.mark.slow
@each_row("where", [f"#/answer/{DOZEN}", f"#/table/{JUDGED}?c=n|dose", f"#/report/{REPORTED}", f"#/trace/{JUDGED}"])
def test_axe_finds_nothing_and_a_phone_needs_no_sideways_scroll(browser: Opened, where: str) -> None:
    page = browser.page(where, size=PHONE)
    page.wait_for_load_state("networkidle")
    assert overflow(page) <= 0
    assert faults(page) == []
    assert "#/trace" in where or not ENGINEERS.findall(page.locator("body").inner_text())
    page.close()


def test_the_script_is_small_and_the_viewer_apart() -> None:
    if reason := why_not():
        pytest.skip(reason)
    import gzip

    sizes = {file.name: len(gzip.compress(file.read_bytes())) for file in (BUILT / "assets").glob("*")}
    first = [name for name in sizes if (BUILT / "index.html").read_text().count(name)]
    languages = [sizes[name] for name in sizes if name[:3] in ("de-", "es-", "fr-")]
    assert len(languages) == 3
    assert sum(sizes[name] for name in first) + max(languages) <= 61_000  # a reader loads one of them
    assert not any("structure-viewer" in name for name in first)
    assert all(size < 300_000 for size in sizes.values())
