# How tests are built, for the scripts that build them: sourced, from the project's folder. Package.swift says what is optimised: without that,
# programs would take most of the time, and random tests under a sanitizer an hour. A test that crashes is told of by its lines.
export CUTROOM_TEST_BUILD=own-runtime
# Some distributions of Swift come without the libraries for that.
resources=$("${SWIFT:-swift}" -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
[ -e "${resources}_static/linux/libFoundation.a" ] || CUTROOM_TEST_BUILD=shared-runtime
# A module that is written by a run of the compiler of its own is type-checked twice.
test_build=(-c release -Xswiftc -enable-testing -Xswiftc -Onone -Xswiftc -gline-tables-only -Xswiftc -no-emit-module-separately-wmo)
