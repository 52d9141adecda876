# Sets how tests are built. Scripts that build tests source this file from the project's folder.
# Package.swift lists the optimised modules. Without optimisation, programs would take most of the
# time of the tests, and random tests under a sanitizer an hour. A test that crashes is reported
# with its lines.
export CUTROOM_TEST_BUILD=own-runtime
# Some distributions of Swift come without the libraries for that.
resources=$("${SWIFT:-swift}" -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
[ -e "${resources}_static/linux/libFoundation.a" ] || CUTROOM_TEST_BUILD=shared-runtime
# A module that is written by a run of the compiler of its own is type-checked twice.
test_build=(-c release -Xswiftc -enable-testing -Xswiftc -Onone -Xswiftc -gline-tables-only -Xswiftc -no-emit-module-separately-wmo)
