import FlyingFox
import Foundation
import HostCore
import Synchronization

/// The open pages, and the messages to all of them.
package final class LiveHub: Sendable {
    private struct State {
        var pages: [Int: AsyncStream<WSMessage>.Continuation] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())
    /// The maximum number of messages that wait for a slow page; beyond it, the page has to
    /// reconnect.
    private static let mostWaiting = 4096

    /// Adds a page.
    /// - Returns: the messages to it.
    func join(_ first: some Encodable) -> AsyncStream<WSMessage> {
        let (stream, page) = AsyncStream<WSMessage>.makeStream(bufferingPolicy: .bufferingOldest(Self.mostWaiting))
        let number = state.withLock { state in
            state.lastNumber += 1
            state.pages[state.lastNumber] = page
            return state.lastNumber
        }
        page.onTermination = { [self] _ in state.withLock { _ = $0.pages.removeValue(forKey: number) } }
        page.yield(.text(JSON.text(first)))
        return stream
    }

    func tell(_ message: some Encodable) {
        let text = JSON.text(message)
        for page in state.withLock({ Array($0.pages.values) }) {
            if case .dropped = page.yield(.text(text)) { page.finish() }
        }
    }

    var pageCount: Int { state.withLock { $0.pages.count } }
}

/// JSON in the page's format, with snake-case names.
enum JSON {
    static func data(_ value: some Encodable) -> Data {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.withoutEscapingSlashes]
        // Our own values contain no numbers that JSON lacks.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return (try? encoder.encode(value)) ?? Data()
    }

    static let empty = Data("{}".utf8)

    static func text(_ value: some Encodable) -> String { String(decoding: data(value), as: UTF8.self) }

    static func read<Value: Decodable>(_ type: Value.Type, _ data: Data) throws(HostError) -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        do {
            return try decoder.decode(type, from: data)
        } catch {
            throw HostError(.usage, "The request is not one that the editor understands.", details: ["\(error)"])
        }
    }
}

/// Messages to pages.
enum LiveMessage {
    struct State: Encodable {
        let type = "state"
        var revision: Int
    }

    struct Loading: Encodable { let type = "loading" }

    struct Ready: Encodable {
        let type = "ready"
        var keys: [String]
    }

    struct Failed: Encodable {
        let type = "failed"
        var key: String
        var message: String
    }

    struct Damaged: Encodable {
        let type = "damaged"
        /// All current ones, each with its file and time.
        var messages: [String]
    }

    struct Progress: Encodable {
        let type = "progress"
        var renderedFrames: Int
        var totalFrames: Int
        /// The recent rate in frames per second.
        var rate: Double
        var workers: Int
    }

    struct Export: Encodable {
        let type = "export"
        var export: ExportStatus
    }

    /// A message from a page.
    struct Incoming: Decodable {
        var type: String
        package var frame: Int?
        var playing: Bool?
        var rate: Double?
        var loop: [Int]?
    }
}
