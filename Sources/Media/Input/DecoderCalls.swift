import Synchronization

/// The files that this process is decoding at this moment. A decoder may take seconds for one
/// picture, and says nothing meanwhile: another thread tells here what the process is inside of.
public final class DecoderCalls: Sendable {
    public static let current = DecoderCalls()

    private struct State {
        var number: UInt64 = 0
        var open: [(number: UInt64, path: String)] = []
    }

    private let state = Mutex(State())

    private init() {}

    /// Calls a library that reads or decodes a file.
    func during<Result>(_ path: String, _ call: () -> Result) -> Result {
        let number = state.withLock { state in
            state.number &+= 1
            state.open.append((state.number, path))
            return state.number
        }
        defer { state.withLock { state in state.open.removeAll { $0.number == number } } }
        return call()
    }

    /// The call that was begun first, as half a sentence; nil where there is none.
    public var oldest: String? { state.withLock { $0.open.first }.map { "the decoder of ‘\($0.path)’" } }
}
