#!/usr/bin/env bash
# Assigns the files of an installation to packages: each file goes to the first package whose list
# (PACKAGE.files) has it. A file in no list, and a line of a list that matches no file, are errors.
# usage: split.sh PREFIX FOLDER
# Moves PREFIX into FOLDER/cutroom-worker/usr and FOLDER/cutroom/usr.
set -euo pipefail
prefix=${1:?usage: split.sh PREFIX FOLDER} folder=${2:?usage: split.sh PREFIX FOLDER}
lists=$(cd "$(dirname "$0")" && pwd)
declare -A package=()
failed=0

mapfile -d '' -t files < <(cd "$prefix" && find . ! -type d -printf '%P\0' | sort -z)
for name in cutroom-worker cutroom; do
  while read -r pattern; do
    found=0
    for file in "${files[@]}"; do
      # shellcheck disable=SC2053 # The right side is a pattern.
      [[ $file == $pattern ]] || continue
      found=1
      [ -n "${package[$file]:-}" ] || package[$file]=$name
    done
    [ "$found" = 1 ] || { echo "‘$pattern’ in $lists/$name.files fits nothing that is installed." >&2; failed=1; }
  done < <(grep -v '^#' "$lists/$name.files")
done
for file in "${files[@]}"; do
  [ -n "${package[$file]:-}" ] || { echo "‘$file’ is installed, and in no package's list in $lists." >&2; failed=1; }
done
[ "$failed" = 0 ] || exit 1

for file in "${files[@]}"; do
  target=$folder/${package[$file]}/usr/$file
  mkdir -p "$(dirname "$target")"
  mv "$prefix/$file" "$target"
done
