"""Medground in other frameworks: a module for each, which needs the extra of its name. See docs/integrations.md."""
