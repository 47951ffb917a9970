#!/usr/bin/env bash
# Builds the image of the version that the tree has: NAME:0.3.1, and for a release NAME:0.3 and NAME:latest too.
# usage: scripts/image.sh [NAME]    (medground by default, or such as registry.example/group/medground; docker or podman)
set -euo pipefail
cd "$(dirname "$0")/.."
name=${1:-medground}
version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' src/medground/version.py)
tool=$(command -v docker || command -v podman) || { echo "neither docker nor podman is installed"; exit 1; }
tags=(--tag "$name:$version")
case $version in *[!0-9.]*) ;; *) tags+=(--tag "$name:${version%.*}" --tag "$name:latest") ;; esac
"$tool" build -f deploy/Dockerfile "${tags[@]}" \
  --label "org.opencontainers.image.title=medground" --label "org.opencontainers.image.licenses=Apache-2.0" \
  --label "org.opencontainers.image.version=$version" --label "org.opencontainers.image.revision=$(git rev-parse HEAD)" .
