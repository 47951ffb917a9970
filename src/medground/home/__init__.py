"""Settings, secrets, and every file in the user's folder."""

from medground.values.exports import exported

__getattr__ = exported(__name__)
