import CKernels

/// The versions that a kernel has: the one this processor gets, and the one that a processor
/// without AVX2 gets.
enum KernelVersion: CaseIterable, Sendable {
    case fastest, portable

    /// For the kernels that this thread calls until `leave()`. A test that is not `async` stays on
    /// one thread.
    func choose() { ck_use_portable(self == .portable ? 1 : 0) }
    static func leave() { ck_use_portable(0) }

    /// What a calculation gives with each version.
    static func results<Result>(_ body: () -> Result) -> [Result] {
        defer { leave() }
        return allCases.map { version in
            version.choose()
            return body()
        }
    }
}
