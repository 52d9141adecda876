import Foundation
import TestSupport
import Testing

/// A recorder whose standard input is written to by the test.
final class RecordClient {
    let command: Command
    private let input: Int32

    init(_ studio: Studio, _ arguments: [String], through shell: [String] = []) throws {
        let pipe = studio.file("input")
        unlink(pipe)
        #expect(mkfifo(pipe, 0o600) == 0)
        command = try studio.start(
            ["record", "talk.cutroom"] + arguments,
            through: ["bash", "-c", #"exec "$0" "$@" <"# + pipe] + shell)
        // Waits until the other end is open.
        input = open(pipe, O_WRONLY | O_CLOEXEC)
    }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(write(input, bytes, bytes.count) == bytes.count)
    }

    /// Sends a command of the JSON protocol.
    func send(command: String) { send(#"{"command":"\#(command)"}"# + "\n") }

    func endInput() { close(input) }

    /// Records a take of half a second, or of two such parts.
    /// - Parameter options: what the start command has besides its name.
    func record(_ take: Int, options: String = "", pauses: Bool = false) throws {
        send(#"{"command": "start"\#(options)}"# + "\n")
        try wait(for: "started \(take)")
        usleep(500_000)
        if pauses {
            send(command: "pause")
            try wait(for: "paused \(take)")
            usleep(500_000)
            send(command: "start")
            try wait(for: "resumed \(take)")
            usleep(500_000)
        }
        send(command: "finish")
        try wait(for: "finished \(take)")
    }

    /// The events so far: their names and takes.
    var events: [String] {
        command.stdoutSoFar.split(separator: "\n").compactMap { line in
            guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                let name = object["event"] as? String, name != "progress"
            else { return nil }
            let takes = (object["take"] as? Int).map { [$0] } ?? object["takes"] as? [Int]
            return name + (takes.map { " " + $0.map(String.init).joined(separator: ",") } ?? "")
        }
    }

    func wait(for event: String, count: Int = 1) throws {
        try #require(
            Command.until { events.count { $0 == event } >= count },
            "\(event) in \(events): \(command.stderrSoFar)")
    }
}
