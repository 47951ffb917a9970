#!/usr/bin/env bash
# Tries a wheel where nothing else is installed: what it needs comes from the package index, then a corpus of one paper is
# built and asked.
# usage: scripts/try_wheel.sh WHEEL
set -euo pipefail
wheel=$(realpath "$1")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
unset PYTHONPATH
export MEDGROUND_HOME="$place/home"
python3 -m venv bare
bare/bin/pip install -q --disable-pip-version-check "$wheel"
bare/bin/pip check >check.txt || { cat check.txt; exit 1; }
bare/bin/medground doctor >doctor.txt || { cat doctor.txt; exit 1; }
echo '{"id": "DOC:1", "title": "Aspirin", "text": "Aspirin prevents stroke in adults."}' >bare.jsonl
bare/bin/medground corpus build papers bare.jsonl --quiet >built.txt
bare/bin/medground ask -c papers "Does aspirin prevent stroke?" >answer.txt
grep -q "Aspirin prevents stroke" answer.txt || { cat answer.txt; exit 1; }
bare/bin/medground --version
