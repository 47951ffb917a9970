#!/bin/sh
# Installs Medground as a service needs it into a new virtual environment: sh install.sh FOLDER, where pyproject.toml is.
# The versions are those that the tests last passed with.
set -eu
sed -e '/--hash=/d' -e 's/ *\\$//' requirements.lock >/tmp/constraints.txt
python3 -m venv "$1"
"$1/bin/pip" install --no-cache-dir --disable-pip-version-check --constraint /tmp/constraints.txt \
  ".[dense,export,files,group,mcp,models,pubmed,starter]"
"$1/bin/pip" uninstall -y -q pip
find "$1" -name tests -type d -prune -exec rm -r {} +
"$1/bin/medground" --version
