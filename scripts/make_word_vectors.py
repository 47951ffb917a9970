"""Make the vectors of words: `python scripts/make_word_vectors.py --data ../shared/data --home FOLDER`.

Each word that the data has is read by all-MiniLM-L6-v2 (Apache-2.0) by itself; the vectors of the words of one stem are
averaged by how often each is there, centred, and turned to their principal axes. `FOLDER` has the model
(`medground models fetch minilm`). Words of everyday life that the data hardly has are added from
`everyday_words.txt.gz`: those of SCOWL's small lists that are rare in abstracts (see `make_plain_words.py` for their
licence). The longer list that ships would crowd them out.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from pairing.lines import lines

from medground.language import words
from medground.models.embedders import open_embedder

OUT = Path(__file__).parent.parent / "src" / "medground" / "data" / "word_vectors.npz"
EVERYDAY = Path(__file__).parent / "everyday_words.txt.gz"
SIZE, MOST, LEAST = 128, 30_000, 4
"""Numbers of a vector, stems, and texts that a stem is in."""
_BATCH = 512


def texts(data: Path) -> Iterator[str]:
    """Questions and answers of people, and sentences of papers."""
    for record in lines(data / "medquad" / "qa.jsonl.gz"):
        yield record["answer"]
    for record in lines(data / "omni_long" / "questions.jsonl.gz"):
        yield record["question"]
    for record in lines(data / "pubmedqa" / "pqa_l.jsonl.gz"):
        yield " ".join([record["question"], *record["contexts"], record["long_answer"]])
    for task in "78":
        content = json.loads(gzip.decompress((data / "bioasq" / f"task{task}b.json.gz").read_bytes()))
        for question in content["questions"]:
            yield " ".join([question["body"], *(snippet["text"] for snippet in question["snippets"])])


def main() -> None:
    """Write `word_vectors.npz`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--home", type=Path, required=True)
    arguments = parser.parse_args()
    count = Counter(word for text in texts(arguments.data) for word in set(words.tokens(text)) if not word[0].isdigit())
    count.update(dict.fromkeys(gzip.decompress(EVERYDAY.read_bytes()).decode("utf-8").split(), LEAST))
    by_stem: dict[str, list[str]] = defaultdict(list)
    for word in count:
        by_stem[words.stem(word)].append(word)
    often = {stem: sum(count[word] for word in own) for stem, own in by_stem.items()}
    stems = sorted(sorted((s for s in often if often[s] >= LEAST), key=lambda s: -often[s])[:MOST])
    chosen = [word for stem in stems for word in by_stem[stem]]
    model = open_embedder("minilm", arguments.home, threads=2)
    read = np.concatenate([np.asarray(model.embed(chosen[n : n + _BATCH])) for n in range(0, len(chosen), _BATCH)])
    vectors, place = np.zeros((len(stems), read.shape[1])), 0
    for row, stem in enumerate(stems):
        own = by_stem[stem]
        share = np.array([count[word] for word in own], dtype=float)
        vectors[row] = share @ read[place : place + len(own)] / share.sum()
        place += len(own)
    vectors -= vectors.mean(axis=0)
    axes = np.linalg.svd(vectors, full_matrices=False)[2][:SIZE]
    vectors = vectors @ axes.T
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    scale = 127 / np.abs(vectors).max()
    total = sum(1 for _ in texts(arguments.data))
    share = np.array([often[stem] / total for stem in stems], dtype=np.float32)
    np.savez_compressed(
        OUT, stems=np.array("\n".join(stems)), shares=share, vectors=np.round(vectors * scale).astype(np.int8)
    )
    print(len(stems), "stems of", len(count), "words;", OUT.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
