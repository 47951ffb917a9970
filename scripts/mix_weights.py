"""Mix two runs of one training: `python scripts/mix_weights.py FIRST SECOND SHARE OUT`, all `.safetensors`.

SECOND was trained on from FIRST, so their tensors can be averaged; SHARE is that of SECOND (Wortsman et al. 2022, model
soups). The result is between both in what it has learned, and less sure where they disagree.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file, save_file


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    parser.add_argument("share", type=float)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    first, second = load_file(arguments.first), load_file(arguments.second)
    with safe_open(arguments.second, "np") as file:
        about = file.metadata()
    mixed = {
        name: ((1 - arguments.share) * value.astype(np.float32) + arguments.share * second[name].astype(np.float32))
        for name, value in first.items()
    }
    save_file({name: value.astype(np.float16) for name, value in mixed.items()}, arguments.out, about)
    arguments.out.chmod(0o644)


if __name__ == "__main__":
    main()
