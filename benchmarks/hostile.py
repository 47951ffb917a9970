"""Runs the table of attacks, `attacks.tsv`: hostile files, settings and requests, each in a process of its own.

    python benchmarks/hostile.py --work FOLDER [--only TEXT] [--source SRC] [--limit SECONDS]

A row of the table says what is attacked (a reader, a vocabulary, the settings, the server), how the file or the body of
the request is made (`before`, a `unit` so many `times`, `after`; `№` in a unit is its number, and `|` nests it), and
what must happen. For each row a line is printed: its size before it is packed, the seconds, the peak memory above that
of a plain file of the same kind, the outcome, and the last words. Seconds are those of a processor, of the command and
what it starts, so that a loaded machine changes nothing; of a request the clock's. `read` and `refused` (one line,
nothing built) are outcomes; a traceback, an internal error, a run that had to be killed, more than 400 MB and 16 for
each MB of the file above a plain one (at most 1,400), or more than 10 s for each MB (and 20 s in all) are none. A row
fails (`!`) whose outcome the table does not name. `--source` names the `src` folder of another checkout.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACE, LEAST = 10.0, 20.0
MB = 1_000_000
WORDS = "Aspirin reduced pain in adults with acute migraine after two hours. "
_P = "<PubmedArticle><MedlineCitation><PMID>1</PMID><Article><ArticleTitle>T</ArticleTitle><Abstract><AbstractText>"
_Q = "</AbstractText></Abstract></Article></MedlineCitation></PubmedArticle>"
_J = "<article><front><article-meta><title-group><article-title>T</article-title></title-group></article-meta></front>"
MACROS: Mapping[str, str] = {
    "$W": WORDS,
    "$PUBMED(": f"<PubmedArticleSet>{_P}{WORDS}",
    ")PUBMED$": f"{_Q}</PubmedArticleSet>",
    "$ARTICLE": f"{_P}{WORDS}{_Q}",
    "$JATS(": f"{_J}<body><sec><title>Results</title><p>{WORDS}",
    ")JATS$": "</p></sec></body></article>",
    "$LINE": json.dumps({"id": "A:1", "title": "T", "text": WORDS}) + "\\n",
    "$HTML(": f"<html><head><title>T</title></head><body><article><p>{WORDS * 5}</p>",
    ")HTML$": "</article></body></html>",
    "$LOL": "<!DOCTYPE x [<!ENTITY l0 'lol'>"
    + "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" for n in range(1, 10))
    + "]>",
    "$ATOM": "C0000001|ENG|P|L1|PF|S1|Y|A1||||MSH|MH|D1|heart disease|0|N||\\n",
    "$OBO": "format-version: 1.2\\nontology: tiny\\n\\n[Term]\\nid: T:1\\nname: heart disease\\n",
}
PLAIN: Mapping[str, tuple[str, str]] = {
    "corpus": ("a.txt", "$W"),
    "obo": ("a.obo", "$OBO"),
    "mesh": ("a.tsv", "D000001\\theart disease\\tcardiopathy\\tC14.280\\n"),
    "drugbank": ("a.xml", "<drugbank xmlns='http://www.drugbank.ca'><drug><drugbank-id primary='true'>DB1</drugbank-id>"
    "<name>aspirin</name></drug></drugbank>"),
    "umls": ("MRCONSO.RRF", "$ATOM"),
    "settings": ("a.toml", 'recipe = { name = "ground" }'),
    "retractions": ("a.csv", "OriginalPaperDOI,OriginalPaperPubMedID,RetractionNature\\n10.1/a,1,Retraction\\n"),
    "request": ("POST /v1/plan", '{"question": "Is aspirin safe?"}'),
}  # fmt: skip
"""What is attacked, with a plain file of its kind. `corpus`: the reader is chosen by content, as for any folder."""


@dataclass(frozen=True)
class Attack:
    """A row of the table."""

    target: str
    name: str
    file: str
    before: str
    unit: str
    times: str
    after: str
    must: str

    def parts(self) -> Iterator[bytes]:
        """The bytes of the file, a block at a time, so that a gigabyte is never held."""
        yield _text(self.before)
        unit, times = _text(self.unit), int(self.times.replace(",", "") or 0)
        opening, bar, closing = unit.partition(b"|")
        if "№".encode() in unit:
            yield b"".join(unit.replace("№".encode(), b"%d" % n) for n in range(times))
        elif bar:
            yield opening * times + b"x" + closing * times
        elif unit:
            block = max(1, MB // len(unit))
            yield from (unit * min(block, times - done) for done in range(0, times, block))
        yield _text(self.after)

    def make(self, place: Path) -> Path:
        """Write the file; what stands before `:` in its name packs it, or is a function of this module."""
        how, _, name = self.file.rpartition(":")
        path = place / name
        if how:
            PACKED[how](path, b"".join(self.parts()))
        else:
            with gzip.open(path, "wb", 6) if name.endswith(".gz") else path.open("wb") as file:
                for part in self.parts():
                    file.write(part)
        return path


def _text(cell: str) -> bytes:
    for macro, text in MACROS.items():
        cell = cell.replace(macro, text)

    def sign(found: re.Match[bytes]) -> bytes:
        if found[1]:
            return chr(int(found[1], 16)).encode("utf-8", "surrogatepass")
        return (
            bytes([int(found[2], 16)]) if found[2] else {b"n": b"\n", b"t": b"\t", b"r": b"\r"}.get(found[3], found[3])
        )

    return re.sub(rb"\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|(.))", sign, cell.encode())


# Files that are no plain text.


def docx(path: Path, body: bytes) -> None:
    """A Word document with this body."""
    _archive(path, {"word/document.xml": _BODY + body + b"</w:body></w:document>"})


def lying(path: Path, body: bytes) -> None:
    """A Word document whose main part says that it has 1,000 bytes."""
    whole = _BODY + body + b"</w:body></w:document>"
    _archive(path, {"word/document.xml": whole})
    said = len(whole).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(said, (1000).to_bytes(4, "little")))


def media(path: Path, content: bytes) -> None:
    """A Word document with a picture of these bytes."""
    _archive(path, {"word/document.xml": _BODY + b"</w:body></w:document>", "word/media/a.png": content})


def page(path: Path, content: bytes) -> None:
    """A PDF of one page with this content."""
    path.write_bytes(_pdf(_stream(content)))


def box(path: Path, size: bytes) -> None:
    """A PDF of one page of this size."""
    path.write_bytes(_pdf(_stream(b"BT /F1 12 Tf 50 700 Td (%s) Tj ET" % WORDS.encode()), box=size))


def kids(path: Path, kids: bytes) -> None:
    """A PDF with these pages."""
    shown = _stream(b"BT /F1 12 Tf 50 700 Td (%s) Tj ET" % WORDS.encode())
    path.write_bytes(_pdf(shown, kids=kids, count=kids.count(b"R")))


def forms(path: Path, depth: bytes) -> None:
    """A PDF whose forms each draw the next one twice: 2^depth drawings."""
    most = len(depth)
    bodies = [b"/X Do /X Do"] * (most - 1) + [b"BT /F1 12 Tf 50 700 Td (%s) Tj ET" % WORDS.encode()]
    head = b"<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</Font<</F1 5 0 R>>"
    head += b"/XObject<</X %d 0 R>>>>/Length %d>>stream\n%s\nendstream"
    made = [head % (7 + n, len(body), body) for n, body in enumerate(bodies)]
    path.write_bytes(_pdf(_stream(b"/X Do"), *made, more=b"/XObject<</X 6 0 R>>"))


PACKED: Mapping[str, Callable[[Path, bytes], None]] = {
    one.__name__: one for one in (docx, lying, media, page, box, kids, forms)
}
_BODY = b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
_OFFICE = "http://schemas.openxmlformats.org/"
_TYPES = (
    f'<Types xmlns="{_OFFICE}package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxml'
    'formats-package.relationships+xml"/><Default Extension="png" ContentType="image/png"/><Override '
    'PartName="/word/document.xml" ContentType="application/vnd.'
    'openxmlformats-officedocument.wordprocessingml.document.main+xml"/>'
    "</Types>"
)
_LINKS = (
    f'<Relationships xmlns="{_OFFICE}package/2006/relationships"><Relationship Id="r1" Type="{_OFFICE}officeDocument/'
    '2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>'
)


def _archive(path: Path, parts: Mapping[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in {"[Content_Types].xml": _TYPES, "_rels/.rels": _LINKS, **parts}.items():
            file.writestr(name, content)


def _stream(content: bytes) -> bytes:
    packed = zlib.compress(content)
    return b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(packed), packed)


def _pdf(
    content: bytes,
    *more_objects: bytes,
    box: bytes = b"0 0 600 800",
    kids: bytes = b"3 0 R",
    count: int = 1,
    more: bytes = b"",
) -> bytes:
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, count),
        b"<</Type/Page/Parent 2 0 R/MediaBox[%s]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>%s>>>>" % (box, more),
        content,
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        *more_objects,
    ]
    out, places = io.BytesIO(), []
    out.write(b"%PDF-1.7\n")
    for number, one in enumerate(objects, start=1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, one))
    begun = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.writelines(b"%010d 00000 n \n" % place for place in places)
    out.write(b"trailer <</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, begun))
    return out.getvalue()


# Each attack as a process of its own.


@dataclass(frozen=True)
class Cost:
    """What one run took: seconds, peak memory in MB, how it ended, and what it said."""

    seconds: float
    memory: float
    code: int
    said: str

    @property
    def outcome(self) -> str:
        """`read`, `refused`, or what nobody expects."""
        if "internal error" in self.said.lower() or "Traceback" in self.said:
            return "internal error"
        if self.code < 0:
            return "killed"
        return "refused" if self.code else "read"


def run(attack: Attack, place: Path, work: Path, given: argparse.Namespace) -> Cost:
    """Make the file and use it as a person would."""
    is_request = attack.target == "request"
    home = work / ("served" if is_request else "home")  # a first start builds the starter corpus
    if not is_request:
        shutil.rmtree(home, ignore_errors=True)
    environ = os.environ | {"MEDGROUND_HOME": str(home), "PYTHONPATH": str(given.source)}
    if is_request:
        return _requested(attack, environ, given.limit)
    path = attack.make(place)
    match attack.target:
        case "corpus":
            command = ["corpus", "build", "hostile", str(path)]
        case "settings":
            command = ["config", "show", "--settings", str(path)]
        case "retractions":
            command = ["update", "retractions", str(path)]
        case vocabulary:
            if vocabulary == "umls":
                for table in ("MRSTY", "MRDEF", "MRREL"):
                    (place / f"{table}.RRF").touch()
                path = place
            spec = place / "spec.toml"
            input_ = f'inputs = [{{ reader = "{vocabulary}", path = {json.dumps(str(path))} }}]'
            told = 'kind = "graph"\nabout = "a"\nlicence = "l"\norigin = "o"'
            spec.write_text(f'name = "hostile"\n[[sources]]\n{told}\n{input_}\n')
            command = ["kb", "build", str(spec)]
    with tempfile.TemporaryFile() as told_to:
        begun, used = time.perf_counter(), _used()
        process = subprocess.Popen(
            [sys.executable, "-m", "medground", *command],
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=told_to,
            stderr=told_to,
        )
        memory = _watched(process, begun + given.limit)
        spent = _used() - used
        told_to.seek(0)
        said = told_to.read().decode("utf-8", "replace")
    shutil.rmtree(home, ignore_errors=True)
    return Cost(spent, memory, process.returncode, said)


def _used() -> float:
    """Seconds of a processor of the processes that have ended."""
    of_children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return of_children.ru_utime + of_children.ru_stime


def _requested(attack: Attack, environ: dict[str, str], limit: float) -> Cost:
    """Send the request to a server that was started for it."""
    command = [sys.executable, "-m", "medground", "serve", "--port", "0"]
    server = subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert server.stdout is not None
    address = next(found[0] for line in server.stdout if (found := re.search(r"http://127[^\s,;]*\d", line)))
    method, path = attack.file.split(" ")
    body = b"".join(attack.parts())
    request = urllib.request.Request(
        address.rstrip("/") + path, body, {"Content-Type": "application/json"}, method=method
    )
    begun = time.perf_counter()
    try:
        with urllib.request.urlopen(request, timeout=limit) as reply:
            code, said = 0, f"{reply.status} {reply.read(150).decode('utf-8', 'replace')}"
    except urllib.error.HTTPError as error:
        code, said = int(error.code < 500) or -1, f"{error.code} {error.read(150).decode('utf-8', 'replace')}"
    except OSError as error:  # a body that is too large is not read to its end
        code, said = 1 if "reset" in str(error) or "pipe" in str(error) else -1, str(error)
    spent, memory = time.perf_counter() - begun, _peak(server.pid)
    server.terminate()
    server.wait(30)
    return Cost(spent, memory, code, said)


def _watched(process: subprocess.Popen[bytes], until: float) -> float:
    """The peak memory of a process and its children in MB; it is killed when its time is over."""
    memory = 0.0
    while process.poll() is None:
        memory = max(memory, _peak(process.pid))
        if time.perf_counter() > until:
            process.kill()
        time.sleep(0.01)
    return memory


def _peak(pid: int) -> float:
    """Peak resident memory of a process and of its children in MB. (`ru_maxrss` would count this process too.)"""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
    except OSError:
        return 0.0
    own = next((int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM")), 0.0)
    return own + sum(_peak(int(child)) for child in children)


def _gist(text: str) -> str:
    """The line that says why a file was refused, else the last."""
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if "hostile/" in line and ("skipped" in line or ": " in line)]
    return (telling or lines or [""])[-1][-110:]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print. Returns how many rows failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--source", type=Path, default=HERE.parent / "src")
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=float, default=100)
    given = parser.parse_args(arguments)
    with (HERE / "attacks.tsv").open(encoding="utf-8", newline="") as file:
        rows = [Attack(*row) for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row][1:]
    plain: dict[str, float] = {}
    failed = count = 0
    print("| attack | bytes | s | MB | outcome | said |\n| --- | --- | --- | --- | --- | --- |")
    for attack in rows:
        if given.only not in f"{attack.target}: {attack.name}":
            continue
        if attack.target not in plain:
            name, content = PLAIN[attack.target]
            peer, _ = _measured(Attack(attack.target, "plain", name, content, "", "", "", "read"), given)
            assert peer.outcome == "read", peer
            plain[attack.target] = peer.memory
        found, size = _measured(attack, given)
        more, outcome = max(0.0, found.memory - plain[attack.target]), found.outcome
        if more > min(400 + 16 * size / MB, 1400):
            outcome += ", too much memory"
        if found.seconds > max(LEAST, PACE * size / MB):
            outcome += ", too slow"
        fails = outcome not in attack.must.split(" or ")
        failed, count = failed + fails, count + 1
        name = f"{'! ' * fails}{attack.target}: {attack.name}"
        told = _gist(found.said).replace("|", " ")
        print(f"| {name} | {size:,} | {found.seconds:.1f} | {more:.0f} | {outcome} | {told} |", flush=True)
    print(f"\n{count - failed} of {count} attacks end as they must")
    return failed


def _measured(attack: Attack, given: argparse.Namespace) -> tuple[Cost, int]:
    place = given.work / "hostile"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    found = run(attack, place, given.work, given)
    size = sum(map(len, attack.parts()))
    shutil.rmtree(place)
    return found, size


if __name__ == "__main__":
    sys.exit(bool(main()))
