"""The models that answer operators: keyless, served through pydantic-ai, GGUF files, fetched networks."""

from medground.values.exports import exported

__getattr__, __dir__ = exported(__name__)
