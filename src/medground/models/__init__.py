"""Who answers operators: `keyless`, models over pydantic-ai, a GGUF file. `open.open_models` opens what settings name."""
