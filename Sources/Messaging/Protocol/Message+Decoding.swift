import FoundationEssentials

extension Message {
    /// Decodes messages that arrived together, two frames each.
    public static func decodeAll(_ frames: [Data]) -> [Result<Message, MessageProblem>] {
        guard frames.count.isMultiple(of: 2), (2...2 * Wire.mostAtOnce).contains(frames.count) else {
            return [.failure(.frames(count: frames.count))]
        }
        return stride(from: 0, to: frames.count, by: 2).map { decode([frames[$0], frames[$0 + 1]]) }
    }

    /// Decodes a message. Any bytes give a message or a problem.
    public static func decode(_ frames: [Data]) -> Result<Message, MessageProblem> {
        guard frames.count == 2 else { return .failure(.frames(count: frames.count)) }
        do throws(MessageProblem) {
            return .success(try Message(header: frames[0], body: frames[1]))
        } catch {
            return .failure(error)
        }
    }

    private init(header: Data, body: Data) throws(MessageProblem) {
        var reader = HeaderReader(bytes: header)
        guard header.count >= 8, reader.integer(UInt32.self) == Wire.magic else { throw .notOurs }
        let version = reader.integer(UInt16.self)
        let code = reader.integer(UInt8.self)
        _ = reader.integer(UInt8.self)
        // Peers of every version must understand a refusal.
        guard version == Wire.version || code == Wire.Kind.refused.rawValue else { throw .version(version) }
        guard let kind = Wire.Kind(rawValue: code) else { throw .unknownKind(code) }
        if kind == .refused {
            self = .refused(reason: String(decoding: body.prefix(Wire.largestText), as: UTF8.self))
            return
        }
        guard header.count <= Wire.longestHeader else { throw .malformed("a header of \(header.count) bytes") }
        let limit = kind == .assign || kind == .completed ? Wire.largestPayload : Wire.largestText
        guard body.count <= limit else { throw .tooLarge(bytes: body.count, limit: limit) }

        let epoch = reader.integer(UInt64.self)
        let (done, total) = (reader.integer(UInt64.self), reader.integer(UInt64.self))
        let steps = reader.integer(UInt64.self)
        let name = reader.text()
        let jobKind = reader.text()
        let libraries = kind == .assign ? reader.texts() : []
        guard reader.isSound, reader.isAtEnd, let name, let jobKind else {
            throw .malformed("the header is cut or damaged")
        }
        func lease() throws(MessageProblem) -> Lease {
            let job = JobID(name)
            guard job.isValid, epoch > 0 else { throw .malformed("no lease in a message that needs one") }
            return Lease(job: job, epoch: epoch)
        }

        switch kind {
        case .hello: self = .hello(try Self.introduction(body))
        case .ready: self = .ready
        case .heartbeat:
            let progress = Progress(
                done: Int(clamping: done), total: Int(clamping: total), steps: Int(clamping: steps))
            var vitals = HeaderReader(bytes: body)
            let processor = vitals.integer(UInt64.self)
            guard vitals.isSound else { throw .malformed("a heartbeat without its processor time") }
            self = .heartbeat(
                try lease(), progress,
                Vitals(
                    processor: Int(clamping: processor), activity: String(decoding: body.dropFirst(8), as: UTF8.self)))
        case .completed: self = .completed(try lease(), result: body)
        case .failed: self = .failed(try lease(), Self.failure(body))
        case .warning: self = .warning(try lease(), String(decoding: body.prefix(Wire.longestWarning), as: UTF8.self))
        case .goodbye: self = .goodbye
        case .welcome: self = .welcome(try Self.terms(body))
        case .refused: self = .refused(reason: "")
        case .introduceYourself: self = .introduceYourself
        case .assign:
            let job = Assignment(
                kind: jobKind, payload: body, libraries: Set(libraries), fence: done, threads: Int(clamping: total))
            self = .assign(try lease(), job)
        case .share: self = .share(try lease(), threads: Assignment.bounded(Int(clamping: total)))
        case .acknowledge: self = .acknowledge(try lease())
        case .cancel: self = .cancel(try lease())
        case .stop: self = .stop
        }
    }

    private static func introduction(_ body: Data) throws(MessageProblem) -> WorkerIntroduction {
        do {
            return try JSONDecoder().decode(WorkerIntroduction.self, from: body)
        } catch {
            throw .malformed("the introduction cannot be read")
        }
    }

    private static func terms(_ body: Data) throws(MessageProblem) -> WorkerTerms {
        do {
            return try JSONDecoder().decode(WorkerTerms.self, from: body)
        } catch {
            throw .malformed("the terms cannot be read")
        }
    }

    /// Decodes a failure. If its body is unreadable, it still counts as a failure: otherwise its
    /// job would never end.
    private static func failure(_ body: Data) -> JobFailure {
        (try? JSONDecoder().decode(JobFailure.self, from: body))
            ?? JobFailure(.internal, "The worker reported a failure that cannot be read.")
    }
}

extension MessageProblem: Error {}

/// A reader of consecutive little-endian fields; past the end it returns zeroes and remembers that.
private struct HeaderReader {
    private var rest: Data.SubSequence
    private(set) var isSound = true

    init(bytes: Data) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func integer<T: FixedWidthInteger>(_: T.Type) -> T {
        let width = MemoryLayout<T>.size
        guard rest.count >= width else {
            isSound = false
            rest = rest.suffix(0)
            return 0
        }
        defer { rest = rest.dropFirst(width) }
        return T(littleEndian: rest.withUnsafeBytes { $0.loadUnaligned(as: T.self) })
    }

    mutating func text() -> String? {
        let length = Int(integer(UInt16.self))
        guard isSound, rest.count >= length else {
            isSound = false
            return nil
        }
        defer { rest = rest.dropFirst(length) }
        return String(validating: rest.prefix(length), as: UTF8.self)
    }

    mutating func texts() -> [String] {
        var texts: [String] = []
        for _ in 0..<integer(UInt16.self) {
            guard let text = text() else {
                isSound = false
                return []
            }
            texts.append(text)
        }
        return texts
    }
}
