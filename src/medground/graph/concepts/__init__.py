"""The concept graph: any vocabulary as concepts with definitions and relations, one document for each concept."""
