#!/usr/bin/env bash
# Runs the tests under a sanitizer in a build folder of its own.   usage: sanitize.sh address|thread
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:?usage: sanitize.sh address|thread}
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 LSAN_OPTIONS=suppressions=$PWD/tools/leaks.supp:print_suppressions=0
export TSAN_OPTIONS=halt_on_error=0:exitcode=66
swift build --build-tests --sanitize="$kind" --scratch-path ".build/$kind"
swift test --skip-build --sanitize="$kind" --scratch-path ".build/$kind"
