import Foundation
import Glibc
import TestSupport
import Testing

/// An editor of a studio's script, and a plain client of its server: bytes over a socket, to test
/// requests that no browser sends.
final class EditorClient {
    let command: Command
    let port: UInt16
    let token: String

    struct Answer {
        var status: Int
        var head: String
        var body: Data
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    struct State: Decodable {
        struct Part: Decodable, Hashable { var key: String, firstFrame: Int, frames: Int }
        struct Piece: Decodable { var key: String, firstSample: Int, samples: Int }
        struct Sound: Decodable { var sampleRate: Int, pieces: [Piece] }
        struct Finding: Decodable { var message: String, file: String?, line: Int? }
        struct Item: Decodable { var id: String, kind: String, label: String, startFrame: Int, frames: Int, line: Int? }
        struct Track: Decodable { var kind: String, items: [Item] }
        struct Picture: Decodable { var frames: Int, previewWidth: Int, previewHeight: Int }
        struct Parameter: Decodable { var name: String, type: String }
        var revision: Int
        var status: String
        var goodRevision: Int?
        var problems: [Finding]
        var draft: Picture?
        var parts: [Part]
        var ready: [String]
        var sound: Sound?
        var tracks: [Track]
        var parameters: [Parameter]
    }

    /// Starts the program and waits for its address.
    init(_ studio: Studio, _ arguments: [String] = ["edit.lua"], through shell: [String] = []) throws {
        let page = try studio.outside() + "/page"
        try FileManager.default.createDirectory(atPath: page, withIntermediateDirectories: true)
        try Data("<!DOCTYPE html><title>The page</title>".utf8).write(to: URL(fileURLWithPath: page + "/index.html"))
        command = try studio.start(["edit", "--no-open", "--page-folder", page] + arguments, through: shell)
        let command = command
        let isThere = Command.until(timeout: 30) { command.stdoutSoFar.contains("\n") || !command.isRunning }
        let line = command.stdoutSoFar.prefix { $0 != "\n" }
        let words = line.split { ":/?=".contains($0) }
        try #require(isThere && words.count == 5, "\(command.stdoutSoFar)\(command.stderrSoFar)")
        (port, token) = (try #require(UInt16(words[2])), String(words[4]))
    }

    /// Stops the program as Ctrl-C does, and checks that nothing is left.
    func end(_ studio: Studio, sourceLocation: SourceLocation = #_sourceLocation) {
        command.send(SIGINT)
        let output = command.wait(timeout: 30)
        #expect(output.status == 130, "\(output)", sourceLocation: sourceLocation)
        studio.expectClean(sourceLocation)
    }

    // MARK: Requests

    func connect() -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        if code == 0 { return descriptor }
        close(descriptor)
        return -1
    }

    /// Returns the response to these bytes, until the other side closes the connection.
    func exchange(_ bytes: [UInt8]) throws -> Answer {
        let descriptor = connect()
        try #require(descriptor >= 0, "\(command.stderrSoFar)")
        defer { close(descriptor) }
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { break }
            sent += count
        }
        return Self.answer(Self.readAll(descriptor))
    }

    static func readAll(_ descriptor: Int32) -> Data {
        var (data, buffer) = (Data(), [UInt8](repeating: 0, count: 64 << 10))
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return data }
            data += buffer[..<count]
        }
    }

    private static func answer(_ data: Data) -> Answer {
        guard let end = data.range(of: Data("\r\n\r\n".utf8)) else { return Answer(status: 0, head: "", body: Data()) }
        let head = String(decoding: data[..<end.lowerBound], as: UTF8.self)
        let words = head.split(separator: " ")
        return Answer(status: words.count > 1 ? Int(words[1]) ?? 0 : 0, head: head, body: Data(data[end.upperBound...]))
    }

    /// Sends a request.
    /// - Parameter fields: in addition to Host and the token; fields with the same names replace
    ///   them.
    func ask(
        _ method: String = "GET", _ target: String, _ fields: [String: String?] = [:], body: String? = nil
    ) throws -> Answer {
        var all: [String: String?] = ["Host": "127.0.0.1:\(port)", "Authorization": "Bearer \(token)"]
        if let body { all.merge(["Content-Type": "application/json", "Content-Length": "\(body.utf8.count)"]) { $1 } }
        all.merge(fields) { $1 }
        let lines = all.compactMap { name, value in value.map { "\(name): \($0)\r\n" } }.sorted()
        return try exchange(Array("\(method) \(target) HTTP/1.1\r\n\(lines.joined())\r\n\(body ?? "")".utf8))
    }

    func state() throws -> State {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(State.self, from: try ask("GET", "/api/state").body)
    }

    /// Returns the state as soon as it fulfils a condition.
    func state(timeout: Double = 30, where isWished: (State) -> Bool) throws -> State {
        var found = try state()
        _ = Command.until(timeout: timeout) {
            if isWished(found) { return true }
            usleep(50_000)
            if let next = try? state() { found = next }
            return false
        }
        try #require(isWished(found), "\(found)")
        return found
    }

    /// Returns the state of the first good revision.
    func ready() throws -> State { try state { $0.status == "ready" } }

    /// Writes a part or a piece of sound to a file.
    func fetch(_ kind: String, _ key: String, to path: String) throws -> String {
        let answer = try ask("GET", "/\(kind)/\(key).mp4")
        try #require(answer.status == 200, "\(answer.text)")
        try answer.body.write(to: URL(fileURLWithPath: path))
        return path
    }
}
