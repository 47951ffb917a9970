"""The MCP server of the bundle: `medground mcp`, over standard input and output."""

from medground.faces.cli.app import main

main(["mcp"])
