#!/usr/bin/env bash
# Builds the bundle for clients that install MCP servers with one click (MCPB), and checks its manifest as they do.
# The client starts it by uv, which installs the release of Medground that mcpb/pyproject.toml names.
# usage: scripts/bundle.sh [FOLDER]    (dist by default; needs npx)
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(python3 -c 'import json; print(json.load(open("mcpb/manifest.json"))["version"])')
mkdir -p "${1:-dist}"
npx --yes @anthropic-ai/mcpb@2.1.2 validate mcpb/manifest.json
npx --yes @anthropic-ai/mcpb@2.1.2 pack mcpb "${1:-dist}/medground-$version.mcpb"
