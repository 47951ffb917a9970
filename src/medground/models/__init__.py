"""Who answers operators: `keyless`, a model over pydantic-ai, a GGUF file. See `medground.models.open`."""
