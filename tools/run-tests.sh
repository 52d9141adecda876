#!/usr/bin/env bash
# Builds and runs the tests. At the end it prints the failures with place and reason, the durations
# of the build and the tests, and the slowest tests. It keeps this summary in .build/tests-KIND.txt.
# usage: run-tests.sh usual|sweeps [ARGUMENT OF swift test]…
#   usual:  all tests except for the sweeps
#   sweeps: the tests in suites called Sweep; with --filter, those of them that match it
#
# With AGAIN=1, suites with failures run once more, alone. A test that fails again fails the run; a
# test that passes is reported as unsteady. This is for machines with unknown load. Unsteady tests
# must be fixed.
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:?usage: run-tests.sh usual|sweeps [ARGUMENT OF swift test]…}
shift
sweep=/Sweep/
case $kind in
  usual) choice=(--skip "$sweep") ;;
  sweeps)
    chosen=() rest=()
    while [ $# -gt 0 ]; do
      case $1 in
        --filter) chosen+=("${2:?--filter needs a pattern}"); shift 2 ;;
        --filter=*) chosen+=("${1#*=}"); shift ;;
        *) rest+=("$1"); shift ;;
      esac
    done
    # `swift test` runs the union of its filters, so each of them requires a sweep.
    choice=()
    for pattern in "${chosen[@]:-}"; do choice+=(--filter "^(?=.*$sweep).*($pattern)"); done
    set -- "${rest[@]}" ;;
  *) echo "There are the tests ‘usual’ and ‘sweeps’, and no ‘$kind’." >&2; exit 64 ;;
esac
swift=${SWIFT:-swift}
. tools/test-build.sh
options=("${test_build[@]}" --scratch-path .build/tests)
log=$(mktemp) events=$(mktemp) turns=$(mktemp)
export CUTROOM_TURNS=$turns
trap 'rm -f "$log" "$events" "$turns"' EXIT

# Prints the failures, with the lines that say why.
failures() {
  echo
  echo "What failed:"
  grep -aE -A 4 '^✘ .* recorded an issue' "$log" | grep -aE '^(✘ |↳ |--|[^◇✔➜])' || grep -aE '^✘|error:|[Ff]atal' "$log" | tail -n 20
}

# Prints the runner's last line, the duration of the build and of the tests in seconds, and the
# slowest tests.
summary() {
  grep -aE '^[✔✘] Test run with ' "$log" | tail -n 1 || echo "The run did not end by itself."
  echo "Build $1 s, tests $2 s. The slowest tests ($kind):"
  python3 -B tools/slowest-tests.py "$events" "$turns"
}

run() { "$swift" test --skip-build "${options[@]}" --event-stream-output-path "$events" "$@" 2>&1 | tee "$log"; }

started=$SECONDS
"$swift" build --build-tests "${options[@]}"
built=$SECONDS
status=0
run "${choice[@]}" "$@" || status=$?
ended=$SECONDS
[ "$status" = 0 ] || failures
echo
if [ "$status" = 0 ] && ! grep -aqE '^✔ Test run with [1-9]' "$log"; then
  echo "There are no such tests."
  exit 1
fi
summary $((built - started)) $((ended - built)) | tee ".build/tests-$kind.txt"
[ "$status" != 0 ] || exit 0
[ "${AGAIN:-0}" = 1 ] || exit 1

# The place of an issue names the suite, because each suite has its own file. There is no place if
# the run was killed.
grep -aqE '^✘ Test run with .* failed' "$log" || exit 1
suites=$(grep -aoE 'recorded an issue .*at [A-Za-z0-9_+]+Tests(\+[A-Za-z0-9_]+)?\.swift' "$log" | sed -E 's/.* at ([A-Za-z0-9_]+).*/\1/' | sort -u)
failed=$(grep -acE '^✘ Test ("|[A-Za-z0-9_]+\().* failed after' "$log")
[ -n "$suites" ] && [ "$failed" -le 3 ] || exit 1
names=$(grep -aE '^✘ Test ("|[A-Za-z0-9_]+\().* failed after' "$log")
echo
echo "Once more, by themselves: $(echo $suites)"
pattern="($(echo $suites | tr ' ' '|'))"
case $kind in
  usual) choice+=(--filter "$pattern") ;;
  sweeps) choice=(--filter "$pattern$sweep") ;;
esac
run "${choice[@]}" || { failures; exit 1; }
grep -aqE '^✔ Test run with [1-9]' "$log" || exit 1
{
  echo
  grep -aE '^✔ Test run with ' "$log" | tail -n 1
  echo "UNSTEADY: these failed among the others and passed by themselves. Each is a defect, of the test or of what it tests:"
  echo "$names"
} | tee -a ".build/tests-$kind.txt"
