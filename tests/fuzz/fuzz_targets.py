"""What is fuzzed: each reader of files, each vocabulary, the settings and both parsers of queries.

    pip install atheris && python tests/fuzz/fuzz_targets.py [TARGET ...] [--minutes 10]

Each target takes bytes, and may raise nothing but our own errors. The bytes begin as the samples of the tests, and as
what was found before (`found/TARGET-*`). A failure is written there by its target's name, and `test_fuzz.py` runs it
from then on. Ten minutes of all, by hand, each week.
"""

import argparse
import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice
from pathlib import Path

from medground.corpus.readers import READERS, open_file
from medground.errors import MedgroundError
from medground.graph.vocabularies.base import checked
from medground.graph.vocabularies.obo import obo
from medground.graph.vocabularies.releases import drugbank, mesh
from medground.home.files import parsed_toml
from medground.pubmed.normalize import normalize
from medground.pubmed.translate import parse

HERE = Path(__file__).resolve().parent
Target = Callable[[bytes], object]
_MOST = 2000
"""Items that are read of a file."""
_VOCABULARIES = {"obo": (obo, ".obo"), "mesh": (mesh, ".tsv")}
_VOCABULARIES |= {"drugbank": (drugbank, ".xml")}


def _read(content: bytes, *, reader: str, suffix: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"a{suffix}")
        path.write_bytes(content)
        with contextlib.suppress(MedgroundError):
            for _ in islice(open_file(path, None, reader).read(0), _MOST):
                pass


def _vocabulary(content: bytes, *, name: str) -> None:
    opened, suffix = _VOCABULARIES[name]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"a{suffix}")
        path.write_bytes(content)
        with contextlib.suppress(MedgroundError):
            for part in opened(path).parts:
                for record in islice(part.records(), _MOST):
                    with contextlib.suppress(ValueError):
                        checked(record)


def _text(content: bytes, *, read: Callable[[str], object]) -> None:
    with contextlib.suppress(MedgroundError, ValueError):
        read(content.decode("utf-8", "replace"))


QUERIES = (
    'asthma[mh] AND (child*[tiab] OR "young adults"[tiab:~3]) NOT review[pt] AND 2010:2020/05[dp]',
    'neoplasms/dt AND #1 & hasabstract | 漢 [zz] ( ( " query: &amp;',
    "What helps a heart attack in the last 5 years?",
)

TARGETS: Mapping[str, Target] = {
    **{
        name: partial(_read, reader=name, suffix=(*reader.suffixes, ".txt")[0])
        for name, reader in READERS.items()
        if name != "wikipedia"
    },
    **{name: partial(_vocabulary, name=name) for name in _VOCABULARIES},
    "settings": partial(_text, read=parsed_toml),
    "query": partial(_text, read=parse),
    "words": partial(_text, read=normalize),
}
"""Wikipedia is read as other collections are."""


def seeds(name: str) -> list[bytes]:
    """What a target begins with: what was found before, then the samples of the tests that it may read."""
    found = [path.read_bytes() for path in sorted((HERE / "found").glob(f"{name}-*"))]
    if name in ("query", "words"):
        return [*found, *map(str.encode, QUERIES)]
    samples = [*(HERE.parent / "corpus" / "samples").iterdir(), *(HERE.parent / "graph" / "samples").iterdir()]
    return [*found, *(path.read_bytes() for path in sorted(samples) if path.is_file())]


def fuzz(name: str, seconds: int) -> None:
    """Run one target until its time is over; atheris ends the process at the first failure, and keeps its bytes."""
    import atheris

    with tempfile.TemporaryDirectory() as corpus:
        for number, seed in enumerate(seeds(name)):
            Path(corpus, str(number)).write_bytes(seed)
        kept = f"-artifact_prefix={HERE / 'found'}/{name}-"
        atheris.Setup([name, f"-max_total_time={seconds}", "-timeout=30", kept, corpus], TARGETS[name])
        atheris.Fuzz()


def main() -> int:
    """Run targets one after the other, each in a process of its own. Returns how many failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--minutes", type=float, default=10, help="of all of them together")
    given = parser.parse_args()
    chosen = given.targets or list(TARGETS)
    seconds = max(1, int(given.minutes * 60 / len(chosen)))
    failed = 0
    for name in chosen:
        watched = "import atheris\nwith atheris.instrument_imports(include=['medground']):\n  import fuzz_targets"
        command = [sys.executable, "-c", f"{watched}\nfuzz_targets.fuzz({name!r}, {seconds})"]
        failed += subprocess.run(command, cwd=HERE, check=False).returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
