"""How people and programs reach the engine. A face parses, calls the engine and renders."""
