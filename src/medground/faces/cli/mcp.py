"""`medground mcp`: the tools for an agent, over standard input and output or over HTTP."""

from __future__ import annotations

from medground.faces.cli.options import KnowledgeBase, Preset, Sets, SettingsFile, load_settings, searched
from medground.faces.cli.question_options import Corpora, ModelName


def mcp(
    corpus: Corpora = None,
    kb: KnowledgeBase = None,
    model: ModelName = None,
    sets: Sets = None,
    preset: Preset = None,
    settings: SettingsFile = None,
) -> None:
    """Offer search, answers and lookups to an agent by the Model Context Protocol, over standard input and output."""
    import asyncio

    from medground.errors import ConfigError

    try:
        from medground.faces.mcp.run import over_stdio
    except ImportError as error:
        raise ConfigError(
            f'the MCP server needs a package ({error.name} is missing); run: pip install "medground[mcp]"'
        ) from None
    chosen = load_settings(sets, preset, settings, {**searched(corpus, kb), "model.default": model})
    asyncio.run(over_stdio(chosen))
