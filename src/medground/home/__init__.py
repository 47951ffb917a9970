"""Settings, secrets, and every file in the user's folder."""

from medground.values.exports import exported

__getattr__, __dir__ = exported(__name__)
