import FoundationEssentials
import FuzzSubjects

/// libFuzzer's own loop (https://llvm.org/docs/LibFuzzer.html).
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ body: @convention(c) (UnsafePointer<UInt8>, Int) -> CInt
) -> CInt

/// The program's beginning, under the name that the package manager has for it.
@_cdecl("FuzzContent_main")
public func start(_ count: CInt, _ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    var (count, words) = (count, words)
    return runFuzzer(&count, &words, LLVMFuzzerTestOneInput)
}

/// What libFuzzer calls with each input. What is wrong ends the process.
@_cdecl("LLVMFuzzerTestOneInput")
public func LLVMFuzzerTestOneInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let problem = ContentSubject.problem(Data(bytes: bytes, count: count))
    precondition(problem == nil, problem ?? "")
    return 0
}
