import FoundationEssentials
import FuzzSubjects

/// libFuzzer's own loop (https://llvm.org/docs/LibFuzzer.html).
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ body: @convention(c) (UnsafePointer<UInt8>, Int) -> CInt
) -> CInt

/// What is done with an input, by the subject's name in `CUTROOM_FUZZ`: what is wrong, nil where
/// all is well.
private let problem: @Sendable (Data) -> String? = {
    switch ProcessInfo.processInfo.environment["CUTROOM_FUZZ"] {
    case "messages": { MessageSubject.problem($0) }
    case "content": { ContentSubject.problem($0) }
    case "documents": { DocumentSubject.problem($0) }
    default: fatalError("CUTROOM_FUZZ must be messages, content or documents")
    }
}()

/// The program's beginning, under the name that the package manager has for it.
@_cdecl("Fuzz_main")
public func start(_ count: CInt, _ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    var (count, words) = (count, words)
    return runFuzzer(&count, &words, LLVMFuzzerTestOneInput)
}

/// What libFuzzer calls with each input. What is wrong ends the process.
@_cdecl("LLVMFuzzerTestOneInput")
public func LLVMFuzzerTestOneInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let found = problem(Data(bytes: bytes, count: count))
    precondition(found == nil, found ?? "")
    return 0
}
