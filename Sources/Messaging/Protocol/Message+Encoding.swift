import FoundationEssentials

extension Message {
    /// Encodes the message as its two frames. A text too long for its field is truncated;
    /// submission checks the names of jobs.
    public func encoded() -> (header: Data, body: Data) {
        switch self {
        case .hello(let introduction): (Self.header(.hello), Self.json(introduction))
        case .ready: (Self.header(.ready), Data())
        case .heartbeat(let lease, let progress, let vitals):
            (Self.header(.heartbeat, lease, progress), Self.body(of: vitals))
        case .completed(let lease, let result): (Self.header(.completed, lease), result)
        case .failed(let lease, let failure): (Self.header(.failed, lease), Self.json(failure.bounded()))
        case .warning(let lease, let text): (Self.header(.warning, lease), Data(text.utf8.prefix(Wire.longestWarning)))
        case .goodbye: (Self.header(.goodbye), Data())
        case .welcome(let terms): (Self.header(.welcome), Self.json(terms))
        case .refused(let reason): (Self.header(.refused), Data(reason.utf8.prefix(Wire.largestText)))
        case .introduceYourself: (Self.header(.introduceYourself), Data())
        case .assign(let lease, let job): (Self.header(lease, job), job.payload)
        case .share(let lease, let threads): (Self.header(.share, lease, threads: threads), Data())
        case .acknowledge(let lease): (Self.header(.acknowledge, lease), Data())
        case .cancel(let lease): (Self.header(.cancel, lease), Data())
        case .stop: (Self.header(.stop), Data())
        }
    }

    private static func header(
        _ kind: Wire.Kind, _ lease: Lease? = nil, _ progress: Progress? = nil, fence: UInt64 = 0,
        threads: Int = 0, jobKind: String = ""
    ) -> Data {
        var bytes = Data(capacity: 64)
        bytes.append(littleEndian: Wire.magic)
        bytes.append(littleEndian: Wire.version)
        bytes.append(kind.rawValue)
        bytes.append(0)
        bytes.append(littleEndian: lease?.epoch ?? 0)
        bytes.append(littleEndian: progress.map { UInt64(clamping: $0.done) } ?? fence)
        bytes.append(littleEndian: UInt64(clamping: progress?.total ?? threads))
        bytes.append(littleEndian: UInt64(clamping: progress?.steps ?? 0))
        bytes.append(text: lease?.job.name ?? "")
        bytes.append(text: jobKind)
        return bytes
    }

    private static func header(_ lease: Lease, _ job: Assignment) -> Data {
        var bytes = header(.assign, lease, fence: job.fence, threads: job.threads, jobKind: job.kind)
        bytes.append(littleEndian: UInt16(clamping: job.libraries.count))
        for library in job.libraries.sorted().prefix(Int(UInt16.max)) { bytes.append(text: library) }
        return bytes
    }

    /// Encodes the processor time, then the activity in UTF-8.
    private static func body(of vitals: Vitals) -> Data {
        var bytes = Data()
        bytes.append(littleEndian: UInt64(clamping: vitals.processor))
        return bytes + Data((vitals.activity ?? "").utf8)
    }

    private static func json(_ value: some Encodable) -> Data {
        // Encoding strings and integers cannot fail; an empty body would be answered as malformed.
        (try? JSONEncoder().encode(value)) ?? Data()
    }
}

extension JobFailure {
    /// Returns the failure with its evidence truncated to the size of a message: to half the limit,
    /// because JSON escapes some characters.
    func bounded() -> JobFailure {
        var room = Wire.largestText / 16
        func cut(_ text: String) -> String {
            let kept = text.utf8.count <= room ? text : String(decoding: text.utf8.prefix(room), as: UTF8.self)
            room -= min(room, kept.utf8.count)
            return kept
        }
        // Fills these first, since evidence is what can be left out.
        let (message, fault, blame) = (
            cut(message), fault.map { JobFault(cut($0.reason), culprit: $0.culprit.map(cut), isLack: $0.isLack) },
            blame.map {
                PluginBlame(
                    path: cut($0.path), effectID: cut($0.effectID), frame: $0.frame, reason: $0.reason.map(cut))
            }
        )
        return JobFailure(
            category, message, details: details.prefix(256).map(cut), blame: blame, fault: fault,
            isTransient: isTransient)
    }
}

extension Data {
    fileprivate mutating func append(littleEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }

    fileprivate mutating func append(text: String) {
        let utf8 = text.utf8.prefix(Int(UInt16.max))
        append(littleEndian: UInt16(utf8.count))
        append(contentsOf: utf8)
    }
}
