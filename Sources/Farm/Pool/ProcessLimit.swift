import CPosix

/// A resource limit of a process, as `ulimit` sets it. A worker inherits it from the host.
package struct ProcessLimit: Hashable, Sendable {
    package enum Resource: Hashable, Sendable, CaseIterable {
        case openFiles, addressSpace, data, stack
        /// The largest file that the process may write.
        case fileSize
        /// The processor time in seconds, over all threads.
        case processorTime

        /// The letter of the shell's `ulimit`.
        var letter: String {
            switch self {
            case .openFiles: "n"
            case .addressSpace: "v"
            case .data: "d"
            case .stack: "s"
            case .fileSize: "f"
            case .processorTime: "t"
            }
        }

        fileprivate var number: cposix_resource {
            switch self {
            case .openFiles: CPOSIX_OPEN_FILES
            case .addressSpace: CPOSIX_ADDRESS_SPACE
            case .data: CPOSIX_DATA
            case .stack: CPOSIX_STACK
            case .fileSize: CPOSIX_FILE_SIZE
            case .processorTime: CPOSIX_PROCESSOR
            }
        }
    }

    package let resource: Resource
    /// The soft limit in files, bytes or seconds; `UInt64.max` for no limit.
    package let value: UInt64
    /// The hard limit, up to which the process may raise it.
    package let highest: UInt64

    package init(_ resource: Resource) {
        var (soft, hard) = (UInt64.max, UInt64.max)
        _ = cposix_limit(resource.number, &soft, &hard)
        self.init(resource, value: soft, highest: hard)
    }

    init(_ resource: Resource, value: UInt64, highest: UInt64 = .max) {
        (self.resource, self.value, self.highest) = (resource, value, highest)
    }

    package var isSet: Bool { value != .max }

    /// The limit for people: `97 MiB (ulimit -v 100000)`, `12 (ulimit -n 12)`.
    package var forPeople: String {
        guard isSet else { return "any number" }
        switch resource {
        case .openFiles: return "\(value) (ulimit -n \(value))"
        case .processorTime: return "\(value) s (ulimit -t \(value))"
        case .addressSpace, .data, .stack, .fileSize: break
        }
        let size = value < 10 << 20 ? "\(value >> 10) KiB" : "\(value >> 20) MiB"
        return "\(size) (ulimit -\(resource.letter) \(value >> 10))"
    }

    /// Raises the limit as far as allowed, for this process and its future children.
    package func raised(to wanted: UInt64) -> ProcessLimit {
        _ = cposix_raise_limit(resource.number, wanted)
        return ProcessLimit(resource)
    }
}

/// The memory of a worker when it crashed, from its own note.
struct MemoryAtDeath: Hashable {
    /// The address space in bytes.
    var addressSpace: UInt64
    var data: UInt64

    /// A value above those of any process.
    private static let most = UInt64(1) << 56

    /// Parses a note.
    /// - Parameter note: two numbers, written by the worker; the result is nil for anything else,
    ///   or for more than a process can have.
    init?(_ note: some StringProtocol) {
        let numbers = note.split { $0 == " " || $0 == "\n" }.map { UInt64($0) }
        guard numbers.count == 2, let addressSpace = numbers[0], let data = numbers[1],
            max(addressSpace, data) <= Self.most
        else { return nil }
        (self.addressSpace, self.data) = (addressSpace, data)
    }

    /// Returns the limit that probably caused the crash, because the worker was close to it. Failed
    /// allocations are usually large ones: a picture, a thread's stack or an arena.
    func exhausted(_ limits: [ProcessLimit]) -> ProcessLimit? {
        limits.first { limit in
            let used =
                switch limit.resource {
                case .addressSpace: addressSpace
                case .data: data
                case .openFiles, .stack, .fileSize, .processorTime: UInt64(0)
                }
            return limit.isSet && used + min(limit.value / 4, 128 << 20) >= limit.value
        }
    }
}

/// The lack of a resource that ended a worker: half a sentence that continues after “its worker”.
enum WorkerLack {
    /// The messages of libraries on standard error before they give up.
    private static let sayings = [
        "std::bad_alloc", "out of memory", "cannot allocate memory", "failed to allocate", "could not allocate memory",
        "memory exhausted", "error allocating memory",
    ]

    /// Returns the text for a worker that used up its processor time (SIGXCPU).
    static func text(processorTime limit: ProcessLimit) -> String {
        "used up its processor time, of which a process may have \(limit.forPeople); raise that limit"
    }

    /// Returns the text for a worker that ran out of memory, or nil.
    /// - Parameters:
    ///   - errorTail: the last lines of its standard error.
    ///   - memory: its memory when it crashed; nil if it left no note.
    ///   - limits: its limits.
    static func text(_ errorTail: String, _ memory: MemoryAtDeath?, _ limits: [ProcessLimit]) -> String? {
        let tail = errorTail.lowercased()
        let exhausted = memory?.exhausted(limits)
        guard exhausted != nil || sayings.contains(where: tail.contains) else { return nil }
        guard let limit = exhausted ?? limits.first(where: \.isSet) else {
            return "ran out of memory; the machine has too little for it, or for so many workers"
        }
        return "ran out of memory, of which a process may have \(limit.forPeople)"
    }
}
