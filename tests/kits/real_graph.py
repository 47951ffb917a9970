"""The graph of the installed release and every 97th of its pages, written by a process that no coverage slows down.

python real_graph.py FOLDER
"""

import gc
import pickle
import sys
from pathlib import Path

from medground.graph.starter import GraphWriter, pages
from medground.graph.vocabularies.hpo import Hpo


def main(folder: Path) -> None:
    gc.disable()  # a million small values, of which none is a circle
    release, sample = Hpo.open(), []
    writer = GraphWriter(release)
    for number, page in enumerate(pages(release)):
        writer.add(page)
        if number % 97 == 0:
            sample.append(page)
    writer.save(folder / "graph.sqlite")
    (folder / "pages.pickle").write_bytes(pickle.dumps(sample))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
