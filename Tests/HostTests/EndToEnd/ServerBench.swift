import Foundation
import Renders
import TestSupport
import Testing

@testable import ServerClient

/// A studio with a server that has its own workers.
final class ServerBench {
    let studio: Studio
    private(set) var server: Command
    private let arguments: [String]
    /// The output of previous servers.
    private(set) var logs = ""

    init(_ arguments: [String] = ["--workers", "1"]) throws {
        studio = try Studio()
        self.arguments = arguments
        studio.environment["XDG_STATE_HOME"] = studio.file("state")
        server = try Self.start(studio, arguments)
    }

    private static func start(_ studio: Studio, _ arguments: [String]) throws -> Command {
        let server = try studio.start(["serve"] + arguments)
        try #require(Command.until { server.stderrSoFar.contains("listens in") || !server.isRunning })
        try #require(server.isRunning, "\(server.wait())")
        return server
    }

    func kill() {
        server.send(SIGKILL)
        logs += server.wait().stderr
    }

    func startAgain() throws { server = try Self.start(studio, arguments) }

    func ask(_ words: String...) throws -> Command.Output { try studio.start(words).wait() }

    /// - Returns: the number of the render.
    func submit(_ script: String = "edit.lua", to output: String) throws -> String {
        let done = try ask("submit", script, "-o", output)
        try #require(done.succeeded, "\(done)")
        return done.text.trimmingCharacters(in: .newlines)
    }

    func status(_ id: String) -> RenderStatus? {
        guard let output = try? ask("jobs", "show", id), output.succeeded else { return nil }
        return try? PrintedJSON.decode(RenderStatus.self, output.stdout)
    }

    func wait(_ id: String, for state: RenderState = .done) -> Bool {
        Command.until(timeout: 90) { status(id)?.entry.state == state }
    }

    /// Returns the files of a render in the server's folder, by prefix.
    func parts(_ id: String, _ beginning: String) -> [String] {
        let folder = studio.file("state/cutroom/parts/\(id)")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasPrefix(beginning) }.sorted().map { "\(folder)/\($0)" }
    }

    /// Ends the server as a user would, and compares outputs with an undisturbed render.
    func expectUndisturbed(_ outputs: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
        server.send(SIGTERM)
        #expect(server.wait().succeeded, sourceLocation: sourceLocation)
        studio.expectClean(sourceLocation)
        let undisturbed = try Undisturbed.file(studio)
        for output in outputs {
            let file = try Data(contentsOf: URL(fileURLWithPath: studio.file(output)))
            #expect(file == undisturbed, "\(output)", sourceLocation: sourceLocation)
        }
    }
}
