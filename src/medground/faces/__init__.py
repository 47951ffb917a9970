"""How people and programs reach the engine: a face parses, calls the engine and renders."""
