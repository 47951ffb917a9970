"""The command line."""

import os

os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # to seek some in every distribution takes 9 ms
