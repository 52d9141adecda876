#!/usr/bin/env bash
# Runs the built tests, and says at the end which failed, where, and why: among thousands of lines they are hard to find.
# usage: run-tests.sh [ARGUMENT OF swift test]…
#
# With AGAIN=1 the suites of what failed run once more, by themselves; a test that fails again fails the run, and one that does
# not is named as unsteady. That is for machines whose load nobody knows; it is no excuse for such a test.
set -euo pipefail
cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Prints what failed, with the lines that say why.
failures() {
  echo
  echo "What failed:"
  grep -aE -A 4 '^✘ .* recorded an issue' "$log" | grep -aE '^(✘ |↳ |--|[^◇✔➜])' || grep -aE '^✘|error:|[Ff]atal' "$log" | tail -n 20
}

"$swift" test --skip-build "$@" 2>&1 | tee "$log" && exit 0
failures
[ "${AGAIN:-0}" = 1 ] || exit 1

# The issue's place names the suite: each suite has a file of its own. Where the run did not end by itself there is none.
grep -aqE '^✘ Test run with .* failed' "$log" || exit 1
suites=$(grep -aoE 'recorded an issue .*at [A-Za-z0-9_+]+Tests(\+[A-Za-z0-9_]+)?\.swift' "$log" | sed -E 's/.* at ([A-Za-z0-9_]+).*/\1/' | sort -u)
failed=$(grep -acE '^✘ Test ("|[A-Za-z0-9_]+\().* failed after' "$log")
[ -n "$suites" ] && [ "$failed" -le 3 ] || exit 1
names=$(grep -aE '^✘ Test ("|[A-Za-z0-9_]+\().* failed after' "$log")
echo
echo "Once more, by themselves: $(echo $suites)"
"$swift" test --skip-build --filter "($(echo $suites | tr ' ' '|'))" 2>&1 | tee "$log" || { failures; exit 1; }
grep -aqE '^✔ Test run with [1-9]' "$log" || exit 1
echo
echo "UNSTEADY: these failed among the others and passed by themselves. Each is a defect, of the test or of what it tests:"
echo "$names"
