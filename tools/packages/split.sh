#!/usr/bin/env bash
# Parts what `make install` has installed between the packages: each file goes to the first one whose list (PACKAGE.files) has it.
# A file that no list has, and a line of a list that fits no file, are errors: nothing is left out unnoticed.
# usage: split.sh PREFIX FOLDER     FOLDER gets cutroom-worker/usr/… and cutroom/usr/…; what is in PREFIX is moved there
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
