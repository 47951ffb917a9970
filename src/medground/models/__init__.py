"""The models that answer operators: `keyless`, models through pydantic-ai, GGUF files. See `medground.models.open`."""
