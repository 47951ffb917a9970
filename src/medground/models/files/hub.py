"""Whether the hub of models answers: one request says so, where its own client tries for a minute and logs each try."""

from __future__ import annotations

import http.client
import ssl
import urllib.error
import urllib.request
from pathlib import Path

_SECONDS = 10.0


def is_away(name: str) -> bool:
    """Whether a name would be asked for at a hub that does not answer; only files on this machine can be used then.

    Proxies of the environment are used, as the hub's client does. Any answer counts, a refusal too, and so does a
    certificate that this machine does not know: what it means is for the client to say.
    """
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
