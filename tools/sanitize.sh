#!/usr/bin/env bash
# Runs the tests under a sanitizer, in a build folder of its own.
# usage: sanitize.sh address|thread [ARGUMENT OF swift test]…
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:?usage: sanitize.sh address|thread [ARGUMENT OF swift test]…}
shift
swift=${SWIFT:-swift}
build=.build/$kind
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 LSAN_OPTIONS=suppressions=$PWD/tools/leaks.supp:print_suppressions=0
export TSAN_OPTIONS=halt_on_error=0:exitcode=66:suppressions=$PWD/tools/races.supp
. tools/test-build.sh
export CUTROOM_TEST_BUILD=sanitized
# Plugins find the sanitizer's functions in the program that loads them.
options=("${test_build[@]}" --sanitize="$kind" --scratch-path "$build" -Xlinker --export-dynamic)
"$swift" build --build-tests "${options[@]}"
if [ "$kind" = thread ]; then
  clang -shared -fPIC -O1 -Wall -Wextra -Werror tools/tsan-mutex.c -o "$build/libtsan-mutex.so"
  export LD_PRELOAD=$PWD/$build/libtsan-mutex.so
fi
"$swift" test --skip-build "${options[@]}" "$@"
