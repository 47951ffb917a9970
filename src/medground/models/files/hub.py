"""Checks with one request whether the model hub answers. Its own client retries for a minute and logs each attempt."""

from __future__ import annotations

import http.client
import ssl
import urllib.error
import urllib.request
from pathlib import Path

_SECONDS = 10.0


def is_away(name: str) -> bool:
    """Whether a model would have to come from a hub that does not answer. Only local files can be used then.

    Proxies from the environment are used, as the hub's client does. Any answer counts, even a refusal or a certificate
    that this machine does not trust: the client reports those better.
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
