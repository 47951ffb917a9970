#!/usr/bin/env bash
# Builds what is released, lists what it is made of, and signs it:
#   dist/*.whl, dist/*.tar.gz          the packages, built from a clean checkout with what `.ci/build.lock` names
#   dist/medground.cdx.json            CycloneDX: every package that requirements.lock names, with its hashes
#   dist/*.publish.attestation         PEP 740: who built each package, signed by sigstore for the identity that runs this
# usage: python -m venv RELEASE && PATH=RELEASE/bin:$PATH scripts/release.sh
# Needs what `.ci/release.lock` names (`.ci/install .ci/build.lock .ci/release.lock`). Signing opens a browser, or takes
# the identity of the CI job that it runs in; it asks sigstore's public servers.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -z "$(git status --porcelain)" ] || { echo "the checkout has changes: commit them first"; exit 1; }
rm -rf dist
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
python -m build --no-isolation
cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible -o dist/medground.cdx.json requirements.lock
python -m pypi_attestations sign dist/*.whl dist/*.tar.gz
echo "now: twine upload --attestations dist/*.whl dist/*.tar.gz dist/*.attestation"
