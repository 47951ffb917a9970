#!/bin/sh
# Installs Medground as a service needs it into a new virtual environment: sh deploy/install.sh FOLDER, in the project's
# folder. Only files whose hashes deploy/image.lock and .ci/build.lock name are taken; scripts/lock.sh has the extras.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
python3 -m venv "$work/build"
"$work/build/bin/pip" install -q --require-hashes --no-deps --no-build-isolation -r .ci/build.lock
"$work/build/bin/pip" wheel -q --require-hashes --no-deps --no-build-isolation --wheel-dir "$work/wheels" -r deploy/image.lock
"$work/build/bin/pip" wheel -q --no-deps --no-build-isolation --wheel-dir "$work/wheels" .
python3 -m venv "$1"
"$1/bin/pip" install -q --no-deps --no-index "$work"/wheels/*.whl
"$1/bin/pip" check
"$1/bin/pip" uninstall -y -q pip
find "$1" -name tests -type d -prune -exec rm -r {} +
"$1/bin/medground" --version
