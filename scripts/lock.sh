#!/usr/bin/env bash
# Writes the eight lock files: the packages that CI installs, each with its exact version and the SHA-256 of every file
# that the package index has of it.
#   requirements.lock   what `pip install -e ".[starter,test]"` brings
#   deploy/image.lock   what `deploy/install.sh` installs into the image, in the same versions
#   .ci/build.lock      what builds Medground, and the one package that comes as source alone
#   .ci/frameworks.lock the frameworks that the integrations are tested with, and what the page on many questions draws
#                       with, beside requirements.lock
#   .ci/ray.lock        Ray, which builds a corpus on a cluster, beside requirements.lock
#   .ci/llama.lock      LlamaIndex's client of servers like OpenAI's, in an environment of its own: it needs openai<3
#   .ci/audit.lock      the audit of known vulnerabilities, in an environment of its own
#   .ci/release.lock    what `scripts/release.py` builds, lists and signs with
# usage: pip install uv && scripts/lock.sh [--upgrade]
# A version stays while pyproject.toml allows it; --upgrade takes the newest of every package.
set -euo pipefail
cd "$(dirname "$0")/.."
lock() {
  uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --custom-compile-command scripts/lock.sh "$@"
}
lock pyproject.toml --extra starter --extra test --output-file requirements.lock "$@"
image=(--extra dense --extra export --extra files --extra group --extra mcp --extra models --extra otlp --extra pubmed)
lock pyproject.toml "${image[@]}" --extra starter --constraint requirements.lock --output-file deploy/image.lock "$@"
printf '%s\n' "hatchling>=1.27" editables setuptools wheel |
  lock - --constraint requirements.lock --output-file .ci/build.lock "$@"
printf '%s\n' "langchain-core>=1" "llama-index-core>=0.14" "haystack-ai>=2.20" "dspy>=3" "smolagents>=1.20" \
  langchain-openai pandas matplotlib tqdm |
  lock - --constraint requirements.lock --output-file .ci/frameworks.lock "$@"
printf '%s\n' "ray>=2.50" | lock - --constraint requirements.lock --output-file .ci/ray.lock "$@"
printf '%s\n' llama-index-llms-openai-like | lock - --output-file .ci/llama.lock "$@"
printf '%s\n' pip-audit | lock - --output-file .ci/audit.lock "$@"
printf '%s\n' build cyclonedx-bom pypi-attestations twine | lock - --output-file .ci/release.lock "$@"
