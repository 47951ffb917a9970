"""Where MedCPT's three models are: a folder that the user names, the folder of fetched models, or a hub.

Source: Jin et al., "MedCPT", Bioinformatics 39(10), 2023: an encoder of queries, one of articles, and a cross-encoder.
"""

from __future__ import annotations

from pathlib import Path

from medground.errors import ConfigError

NAME = "medcpt"
QUERY, ARTICLE, CROSS = "MedCPT-Query-Encoder", "MedCPT-Article-Encoder", "MedCPT-Cross-Encoder"
"""The names of the models on the hub, and of their folders here."""

_OWNER = "ncbi"


def is_medcpt(name: str) -> bool:
    """Whether a setting names MedCPT: `medcpt`, or `medcpt:FOLDER`."""
    return name == NAME or name.startswith(f"{NAME}:")


def full_name(name: str) -> str:
    """The name with the whole path of its folder, so that it means the same from everywhere."""
    _, _, folder = name.partition(":")
    return f"{NAME}:{Path(folder).expanduser().resolve()}" if folder else NAME


def place(name: str, part: str, models: Path) -> str:
    """The folder of one of the three models, or its name on the hub.

    Args:
        name: `medcpt` (the folder `medcpt` of `models` if it exists, else the hub) or `medcpt:FOLDER`.
        part: `QUERY`, `ARTICLE` or `CROSS`.
        models: folder of all fetched models.

    Raises:
        ConfigError: the folder does not exist, or does not hold this model.
    """
    _, _, given = name.partition(":")
    if not given and not (models / NAME).is_dir():
        return f"{_OWNER}/{part}"
    folder = Path(given).expanduser().resolve() if given else models / NAME
    if not folder.is_dir():
        raise ConfigError(f"{folder}: no such folder; name the one that holds {QUERY} and {ARTICLE}")
    if not (folder / part / "config.json").is_file():
        held = ", ".join(other for other in (QUERY, ARTICLE, CROSS) if (folder / other).is_dir()) or "none of the three"
        raise ConfigError(f"{folder} has no {part} (it has {held}); download {_OWNER}/{part} into {folder / part}")
    return str(folder / part)
