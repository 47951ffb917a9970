"""Twelve aims of people who read medicine, each reached by what is visible alone, in few actions and in their words."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest
from browser import ENGINEERS, Opened, opened, papers_home, served
from page_papers import PAPERS, QUESTION
from playwright.sync_api import Browser, TimeoutError, expect
from studies import QUESTION as FALLS
from studies import STUDIES, study

from medground.faces.service import service
from medground.home.settings import Settings

pytest.importorskip("playwright", reason="needs the extra test")

MOST = 12
TABLE = Path(__file__).parents[3] / "docs" / "measurements" / "page.md"


class Reader:
    """A person at the page, who knows what they see. `actions` are clicks, keys and fields, `words` what they type."""

    def __init__(self, browser: Opened, home: Path, place: Path) -> None:
        self.page, self.home, self.place, self.url = browser.page(), home, place, browser.url
        self.actions = self.words = 0

    def click(self, text: str) -> None:
        named = re.compile(f"^{re.escape(text)}")
        wanted = self.page.locator("a, button, summary, label, [role=option]").filter(has_text=named, visible=True)
        wanted.first.click()
        self.actions += 1

    def write(self, label: str, text: str) -> None:
        self.page.get_by_label(label, exact=True).fill(text)
        self.actions, self.words = self.actions + 1, self.words + len(text.split())

    def ask(self, question: str, field: str = "Question") -> None:
        """Ask, and wait for the answer."""
        before = self.page.url
        self.write(field, question)
        self.page.keyboard.press("Enter")
        self.actions += 1
        try:
            self.page.wait_for_url(lambda url: "/answer/" in url and url != before)
        except TimeoutError:
            pytest.fail(f"no answer at {self.page.url}: {self.page.locator('body').inner_text()[:2000]}")
        expect(self.page.locator(".headline")).to_be_visible()

    def choose(self, name: str, content: str) -> None:
        (self.place / name).write_text(content)
        self.page.get_by_label("Files").set_input_files([self.place / name])
        self.actions += 1

    def saves(self, button: str, *texts: str) -> None:
        """Save a Word file that holds these texts, and nothing of how it was made."""
        with self.page.expect_download() as saved:
            self.click(button)
        with ZipFile(saved.value.path()) as word:
            held = re.sub("<[^>]+>", "", word.read("word/document.xml").decode())
        assert [text for text in texts if text not in held] == []
        assert not re.search("Cost:|Recipe:", held)

    def sees(self, text: str) -> None:
        """This, and no word that only engineers know."""
        expect(self.page.get_by_text(text).filter(visible=True).first).to_be_visible(timeout=20_000)
        assert not ENGINEERS.findall(self.page.locator("body").inner_text())

    def finds(self, selector: str, text: str) -> None:
        expect(self.page.locator(selector).first).to_contain_text(text)

    def comes_back(self, view: str = "ask") -> None:
        self.page.wait_for_timeout(300)  # what was typed last is on its way
        self.page.goto("about:blank")
        self.page.goto(f"{self.url}/#/{view}")

    def waits_for_a_new_paper(self) -> None:
        new = study(77, {"RESULTS": "Vitamin D halved falls in 500 older adults. Vitamin D prevented falls."})
        papers_home(self.home, [*STUDIES, new], "falls-in-old-age")
        told = "fetch('/v1/saved').then(r => r.json()).then(told => told.watched.some(w => w.again))"
        for _ in range(150):  # `wait_for_function` takes the promise itself for true, and waits for nothing
            if self.page.evaluate(told):
                return
            self.page.wait_for_timeout(200)
        pytest.fail("the server did not ask the watched question again within 30 s")


@pytest.fixture(scope="module")
def shelf(page_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A home with three collections, and a server that searches all of them, and soon sees that one has changed."""
    home = tmp_path_factory.mktemp("aims") / "home"
    for name, papers in (("starter", PAPERS[4:]), ("papers", PAPERS), ("falls-in-old-age", list(STUDIES))):
        papers_home(home, papers, name)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(service, "MINUTE", 0.5)
        with served(Settings.load(options={"home": home})) as address:
            yield home, address


FOLLOW = "Ask a follow-up question"
TRIALS = "\n".join(
    json.dumps({"id": f"D:{n}", "title": f"Trial {n}", "text": "It helped. " * 40}) for n in range(60_000)
)
AIMS: dict[str, list[tuple[str, ...]]] = {
    "check a claim of a leaflet": [
        ("ask", "Aspirin prevents stroke in adults with atrial fibrillation."), ("finds", "mark.chosen", "Aspirin"),
    ],
    "make a table of five trials and send it as Word": [
        ("ask", FALLS), ("click", "Evidence table"), ("click", "Look for more studies"), ("click", "+ population"),
        ("click", "+ primary outcome"), ("sees", "5 of 5 studies"),
        ("saves", "Save the table as Word", "Vitamin D and falls: study 1", "population", "Screened"),
    ],
    "come back to a build, and stop it": [
        ("click", "Collections"), ("write", "Name", "Many trials"), ("choose", "many.jsonl", TRIALS),
        ("click", "Build"), ("sees", "Many trials:"), ("comes_back", "corpora"), ("sees", "Many trials:"),
        ("click", "Stop"), ("sees", "Stopped. The collection is as it was before."),
    ],
    "ask three follow-ups": [
        ("ask", QUESTION), ("ask", "Is bleeding rare?", FOLLOW), ("ask", "Did a cohort find it too?", FOLLOW),
        ("ask", "And with warfarin?", FOLLOW), ("sees", "And with warfarin?"),
    ],
    "share an answer with a colleague": [
        ("ask", QUESTION), ("saves", "Word", "Asked on", "Aspirin prevented stroke", "pubmed.ncbi.nlm.nih.gov"),
    ],
    "see what changed since I asked": [
        ("ask", FALLS), ("click", "Watch for new papers"), ("sees", "Watched."), ("waits_for_a_new_paper",),
        ("comes_back",), ("sees", "There is something new"), ("click", "See what changed"), ("sees", "New (1)"),
    ],
    "leave a paper out, and read what remains": [
        ("ask", FALLS), ("click", "Evidence table"), ("click", "Leave out"), ("sees", "Left out by you"),
        ("sees", "not relevant: 1"), ("click", "Answer"), ("sees", "One paper was left out by you"),
    ],
    "search one collection only, also next time": [
        ("click", "Rare diseases (HPO)"), ("click", "Falls in old age"), ("ask", QUESTION),
        ("sees", "Searched: papers ("), ("comes_back",),
        ("finds", ".chip:has(:checked)", "Papers"), ("finds", ".chip:not(:has(:checked))", "Falls in"),
    ],
    "keep an answer in a project, and find it again": [
        ("ask", QUESTION), ("write", "Project", "Journal club"), ("click", "Save to project"),
        ("sees", "Saved in Journal club"), ("click", "Saved work"), ("click", QUESTION), ("finds", ".papers", "stroke"),
    ],
    "note how certain the evidence is": [
        ("ask", FALLS), ("click", "Evidence table"), ("click", "Your notes on certainty"),
        ("write", "Imprecision", "Few events"), ("write", "Risk of bias", "Serious: no blinding"), ("click", "Answer"),
        ("click", "Evidence table"), ("saves", "Save the table as Word", "Few events", "Serious: no blinding"),
    ],
    "get on where nothing was found": [
        ("click", "Papers"), ("click", "Rare diseases (HPO)"), ("ask", "Does aspirin prevent stroke?"),
        ("sees", "Not searched:"), ("click", "Search them too"), ("finds", ".papers", "Aspirin and stroke"),
    ],
    "find out whether zinc helps against colds, in my folder": [
        ("click", "Collections"), ("write", "Name", "My Cold Papers"),
        ("choose", "zinc.txt", "Zinc and colds\n\nZinc shortened colds in 120 adults."), ("click", "Build"),
        ("sees", "My cold papers:"), ("click", "Ask it a question"), ("ask", "Does zinc shorten colds?"),
        ("sees", "Zinc shortened colds in 120 adults."),
    ],
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.usefixtures("loopback")
@pytest.mark.parametrize("aim", AIMS)
def test_an_aim_is_reached_by_what_is_visible(
    chrome: Browser, shelf: tuple[Path, str], tmp_path: Path, aim: str
) -> None:
    with opened(shelf[1], chrome) as browser:
        me = Reader(browser, shelf[0], tmp_path)
        for does, *what in AIMS[aim]:
            getattr(me, does)(*what)
    told = re.search(rf"^\| {re.escape(aim)} \|[^|]*\| (\d+) \| (\d+) \|$", TABLE.read_text(encoding="utf-8"), re.M)
    assert me.actions <= MOST
    assert told, f"docs/measurements/page.md has no row | {aim} | before | {me.actions} | {me.words} |"
    assert (int(told[1]), int(told[2])) == (me.actions, me.words)
