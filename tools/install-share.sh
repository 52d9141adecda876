#!/usr/bin/env bash
# Installs files that the program generates: completions for bash, zsh and fish, and the manual.
# usage: install-share.sh PROGRAM FOLDER     FOLDER is the prefix's share folder
set -euo pipefail
program=${1:?usage: install-share.sh PROGRAM FOLDER} share=${2:?usage: install-share.sh PROGRAM FOLDER}
tools=$(dirname "$0")

completions() { # SHELL FILE
  install -d "$share/$(dirname "$2")"
  "$program" --generate-completion-script "$1" >"$share/$2"
  chmod 644 "$share/$2"
}
completions bash bash-completion/completions/cutroom
completions zsh zsh/site-functions/_cutroom
completions fish fish/vendor_completions.d/cutroom.fish

install -d "$share/man/man1"
python3 -B "$tools/manual.py" "$program" "$share/man/man1"
chmod 644 "$share"/man/man1/cutroom*.1
