import ArgumentParser
import Composition
import Farm
import Foundation
import HostCore

struct CacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache", abstract: "Show the cache of rendered parts, or clear it.",
        subcommands: [Show.self, Clear.self],
        defaultSubcommand: Show.self)

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show where the cache is, its size and its limit.")
        @Flag(help: "Print JSON.")
        var json = false
        @OptionGroup(title: "Messages") var messages: MessageOptions

        func run() async throws {
            try await reportingErrors(verbose: messages.verbose) {
                let report = try CacheReport()
                Console.say(json ? prettyJSON(report) : report.forPeople)
            }
        }
    }

    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Remove all rendered parts, the analyses of media files and the logs of crashed workers. Running renders keep what they use."
        )
        @OptionGroup(title: "Messages") var messages: MessageOptions

        func run() async throws {
            try await reportingErrors(verbose: messages.verbose) {
                let folder = SegmentCache.baseFolder
                guard FileManager.default.fileExists(atPath: folder) else {
                    return Console.say("removed 0 entries, 0 bytes")
                }
                let removed = try CacheStore(folder: folder).clear()
                for folder in [SegmentCache.logFolder, MediaMemory.usualFolder] {
                    try? FileManager.default.removeItem(atPath: folder)
                }
                Console.say(
                    "removed \(counted(removed.entries, "entry", "entries")), \(ByteSize(bytes: removed.bytes).forPeople)"
                )
            }
        }
    }
}

/// The output of ``CacheCommand``.
private struct CacheReport: Encodable {
    var folder: String
    var bytes: Int64
    var entries: Int
    /// In bytes; the limit of a render without options.
    var bound: Int64
    /// ISO 8601, of any entry; nil if there are none.
    var lastUse: String?
    var runningRenders: Int

    enum CodingKeys: String, CodingKey {
        case folder, bytes, entries, bound
        case lastUse = "last_use"
        case runningRenders = "running_renders"
    }

    init() throws(HostError) {
        folder = SegmentCache.baseFolder
        bound = try SegmentCache.bound(nil).bytes
        // Showing the cache must not create it.
        let isThere = FileManager.default.fileExists(atPath: folder)
        let usage = isThere ? try CacheStore(folder: folder).usage() : (entries: [], runningRenders: 0)
        entries = usage.entries.count
        bytes = usage.entries.reduce(0) { $0 + $1.bytes }
        runningRenders = usage.runningRenders
        let newest = usage.entries.map { Double($0.lastUse.tv_sec) + Double($0.lastUse.tv_nsec) / 1e9 }.max()
        lastUse = newest.map { Date(timeIntervalSince1970: $0).formatted(.iso8601) }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(folder, forKey: .folder)
        try container.encode(bytes, forKey: .bytes)
        try container.encode(entries, forKey: .entries)
        try container.encode(bound, forKey: .bound)
        // Always present, so that readers need no check.
        try container.encode(lastUse, forKey: .lastUse)
        try container.encode(runningRenders, forKey: .runningRenders)
    }

    var forPeople: String {
        """
        folder: \(folder)
        size: \(ByteSize(bytes: bytes).forPeople) in \(counted(entries, "entry", "entries")), at most \(ByteSize(bytes: bound).forPeople)
        last use: \(lastUse ?? "never")
        running renders: \(runningRenders)
        """
    }
}
