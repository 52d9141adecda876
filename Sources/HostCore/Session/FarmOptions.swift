import ArgumentParser
import Farm
import Foundation
import Logging
import Messaging

/// The options of every command that starts workers.
package protocol SessionOptions: ParsableArguments, Sendable {
    var workerOptions: WorkerOptions { get }
    /// The addresses for remote workers.
    var listen: [String] { get }
    /// The folders that remote workers may have under other paths.
    var map: [String] { get }
    /// The port of the content service for nodes without this machine's storage.
    var contentPort: UInt16? { get }
    var plugins: PluginSearchOptions { get }
    var messages: MessageOptions { get }
}

/// The options of commands that start workers for little work. The number of workers hardly
/// matters, so help hides it.
package struct FarmOptions: SessionOptions {
    package init() {}

    @OptionGroup(title: "Plugins") package var plugins: PluginSearchOptions
    @OptionGroup(visibility: .hidden) package var workerOptions: WorkerOptions
    @OptionGroup(title: "Messages") package var messages: MessageOptions

    package mutating func validate() throws { try workerOptions.check(hasOthers: false) }
}

/// The options of commands whose workers render pictures.
package struct RenderFarmOptions: SessionOptions {
    package init() {}

    @OptionGroup(title: "Plugins") package var plugins: PluginSearchOptions
    @OptionGroup(title: "Workers") package var workerOptions: WorkerOptions
    @Option(
        help: ArgumentHelp(
            "Also use the farm's nodes: listen for them at tcp://ADDRESS:PORT (see ‘cutroom farm’). Then ‘--workers’ may be 0.",
            valueName: "address"))
    package var listen: [String] = []
    @Option(
        help: ArgumentHelp(
            "A folder that nodes, or the server at ‘--server’, may have under another path, with the name by which they map it. Repeatable.",
            valueName: "name=folder"))
    package var map: [String] = []
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The port at which nodes without shared storage fetch files. Default: any that is free.",
            valueName: "port"))
    package var contentPort: UInt16?
    @OptionGroup(title: "Messages") package var messages: MessageOptions

    package mutating func validate() throws {
        try workerOptions.check(hasOthers: !listen.isEmpty)
        if contentPort == 0 { throw ValidationError("‘--content-port’ is 0, but must lie between 1 and 65535.") }
        if contentPort != nil, listen.isEmpty {
            throw ValidationError("‘--content-port’ is for nodes, which need ‘--listen’.")
        }
        if let wrong = listen.first(where: { !TCPAddress.isValid($0, forListening: true) }) {
            throw ValidationError("‘--listen’ is ‘\(wrong)’, but must be an address such as tcp://0.0.0.0:7700.")
        }
        do { _ = try PathRoots(map) } catch { throw ValidationError("\(error)") }
    }

    /// Checks `--map`.
    /// - Parameter isUsed: whether a remote server is told the folders, too.
    package func checkMap(isUsed: Bool = false) throws {
        guard !map.isEmpty, listen.isEmpty, !isUsed else { return }
        throw ValidationError("‘--map’ is for nodes, which need ‘--listen’.")
    }
}

package struct WorkerOptions: ParsableArguments {
    package init() {}

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The number of worker processes. Default: the number of cores, within system limits. The output is the same for any number.",
            valueName: "number"))
    package var workers: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Give up on a job that makes no progress for this long while idle, or for three times as long while busy. Default: 60.",
            valueName: "seconds"))
    var stallTimeout: Int?

    /// Checks the numbers.
    /// - Parameter hasOthers: whether there may be remote workers.
    package func check(hasOthers: Bool) throws {
        if let workers, !((hasOthers ? 0 : 1)...1024).contains(workers) {
            throw ValidationError("‘--workers’ is \(workers), but must lie between \(hasOthers ? 0 : 1) and 1024.")
        }
    }

    package mutating func validate() throws {
        if let stallTimeout, stallTimeout < 1 {
            throw ValidationError("‘--stall-timeout’ is \(stallTimeout), but must be at least 1 second.")
        }
    }

    package var count: Int { workers ?? max(1, ProcessInfo.processInfo.activeProcessorCount) }
}

package struct PluginSearchOptions: ParsableArguments {
    package init() {}

    @Option(
        help: ArgumentHelp(
            "A folder of plugins, or a plugin. Repeatable, or separate several by ‘:’.",
            valueName: "path"), completion: .file())
    package var pluginPath: [String] = []
}

/// The options for a command's messages.
package struct MessageOptions: ParsableArguments {
    package init() {}

    @Flag(
        name: [.short, .long], help: "Print more: what the workers do, and the chain of causes behind an error.")
    package var verbose = false

    @Option(
        help: "The format of errors, warnings and log lines on standard error: text, or json with one object per line.")
    var logFormat: LogFormat = .text

    enum LogFormat: String, ExpressibleByArgument, CaseIterable { case text, json }

    package var logger: Logger {
        let level: Logger.Level = verbose ? .debug : .warning
        var logger = Logger(label: "cutroom") { [logFormat] _ in ConsoleLogHandler(isJSON: logFormat == .json) }
        logger.logLevel = level
        return logger
    }
}

extension SessionOptions {
    package var listen: [String] { [] }
    package var map: [String] { [] }
    package var contentPort: UInt16? { nil }
    package var verbose: Bool { messages.verbose }
    package var logger: Logger { messages.logger }
    /// The folder that keeps the whole standard error of crashed workers.
    package var logFolder: String? { verbose ? SegmentCache.logFolder : nil }
}
