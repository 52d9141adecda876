#!/usr/bin/env bash
# Builds the docs site with MkDocs. Fails on every warning, such as a dead link.
# usage: build.sh FOLDER     where the site goes
# MkDocs comes from PyPI, in the versions of requirements.txt, into an environment of its own.
set -euo pipefail

folder=$(realpath -m "$1")
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
environment=$root/.build/docs

if ! cmp -s "$here/requirements.txt" "$environment/requirements.txt"; then
  rm -rf "$environment"
  if ! python3 -m venv "$environment"; then
    rm -rf "$environment"
    echo 'The docs are built in a virtual environment of Python: apt-get install python3-venv' >&2
    exit 1
  fi
  "$environment/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
  cp "$here/requirements.txt" "$environment/requirements.txt"
fi
cd "$root"
NO_MKDOCS_2_WARNING=1 PYTHONDONTWRITEBYTECODE=1 "$environment/bin/mkdocs" build --strict --quiet --clean --site-dir "$folder"
echo "The docs are in $folder. To read them with search: python3 -m http.server --directory ${folder@Q}"
