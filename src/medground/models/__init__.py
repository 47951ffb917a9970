"""The models that answer operators: keyless, served through pydantic-ai, GGUF files, fetched networks."""
