import FoundationEssentials
import FuzzSubjects

/// What libFuzzer calls with each input (https://llvm.org/docs/LibFuzzer.html); it has the program's `main`. What is wrong ends the process.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMessages(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let problem = MessageSubject.problem(Data(bytes: bytes, count: count))
    precondition(problem == nil, problem ?? "")
    return 0
}
