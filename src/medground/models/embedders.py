"""Embedding models by name, and where those of a hub are. Heavy libraries are imported only when a model is opened."""

from pathlib import Path

from medground.corpus.embedder import Embedder
from medground.errors import ConfigError, needing
from medground.home.registry import find

# Checks with one request whether the model hub answers. Its own client retries for a minute and logs each attempt.

_SECONDS = 10.0


def is_away(name: str) -> bool:
    """Whether a model would have to come from a hub that does not answer. Only local files can be used then.

    Proxies from the environment are used, as the hub's client does. Any answer counts, even a refusal or a certificate
    that this machine does not trust: the client reports those better.
    """
    import http.client
    import ssl
    import urllib.error
    import urllib.request

    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE or Path(name).is_dir():
        return False
    try:
        with urllib.request.urlopen(urllib.request.Request(constants.ENDPOINT, method="HEAD"), timeout=_SECONDS):  # noqa: S310  # the user's own setting
            return False
    except (urllib.error.HTTPError, http.client.HTTPException):
        return False
    except urllib.error.URLError as error:
        return not isinstance(error.reason, ssl.SSLError)
    except OSError:
        return True


# Where MedCPT's three models are: a folder that the user names, the folder of fetched models, or a hub.

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
    """The folder of one of the three models (`QUERY`, `ARTICLE`, `CROSS`), or its name on the hub.

    `medcpt` is the folder `medcpt` of all fetched models if it exists, else the hub; `medcpt:FOLDER` is that folder.

    Raises ConfigError: the folder does not exist, or does not hold this model.
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


# Embedding models by name. Heavy libraries are imported only when a model is opened.


def open_embedder(name: str, home: Path, *, threads: int | None = None) -> Embedder:
    """Open `minilm` (int8), `minilm-fp32`, `medcpt`, `medcpt:FOLDER`, your own, or what sentence-transformers loads.

    `threads` are those inside one operation; None leaves the choice to the library.

    Raises ConfigError: the extra is not installed, the model has not been fetched, or no model has this name;
    StorageFailed: there is no space for the model's graph.
    """
    if name in ("minilm", "minilm-fp32"):
        with needing("dense", f"embedding model {name!r}"):
            from medground.models.minilm import open_minilm
        return open_minilm(home, "int8" if name == "minilm" else "fp32", threads)
    if (own := find("embedders", name, Embedder)) is not None:
        return own
    with needing("torch", f"embedding model {name!r}"):
        from medground.models.torch_models import open_medcpt, open_transformer
    return open_medcpt(name, home, threads) if is_medcpt(name) else open_transformer(name, threads)
