#!/usr/bin/env bash
# Builds what is released, lists what it is made of, and signs it:
#   dist/*.whl, dist/*.tar.gz          the packages, built from a clean checkout with what `.ci/build.lock` names
#   dist/medground.cdx.json            CycloneDX: every package that requirements.lock names, with its hashes
#   dist/provenance.dsse.json          SLSA provenance: commit, locks and hashes, signed by KEY, if one is given
#   dist/*.publish.attestation         PEP 740: who built each package, signed by sigstore for the identity that runs this
# usage: python -m venv RELEASE && PATH=RELEASE/bin:$PATH scripts/release.sh [KEY]
# Needs what `.ci/release.lock` names (`.ci/install .ci/build.lock .ci/release.lock`). KEY is an Ed25519 key in PEM; with
# it nothing else is asked. Without it, signing opens a browser, or takes the identity of the CI job that it runs in; it
# asks sigstore's public servers.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -z "$(git status --porcelain)" ] || { echo "the checkout has changes: commit them first"; exit 1; }
rm -rf dist
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
python -m build --no-isolation
cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible -o dist/medground.cdx.json requirements.lock
python -m twine check --strict dist/*.whl dist/*.tar.gz
if [ -n "${1:-}" ]; then
  python scripts/provenance.py sign "$1" dist/*
  echo "signed by $1: dist/provenance.dsse.json; PyPI takes attestations of sigstore alone: run this without a key for those"
  exit
fi
python -m pypi_attestations sign dist/*.whl dist/*.tar.gz 2>dist/signing.log || {
  tail -1 dist/signing.log
  echo "not signed: sigstore's servers and an identity are needed; the packages and their list are in dist"
  exit 1
}
echo "now: twine upload --attestations dist/*.whl dist/*.tar.gz dist/*.attestation"
