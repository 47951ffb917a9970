"""How people and programs reach the engine: a face parses, calls the engine and renders."""

from medground.values.exports import exported

__getattr__, __dir__ = exported(__name__)
