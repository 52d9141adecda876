import ArgumentParser
import Foundation
import Logging

/// The options of every command that starts workers.
protocol SessionOptions: ParsableArguments, Sendable {
    var workerOptions: WorkerOptions { get }
    var plugins: PluginSearchOptions { get }
    var messages: MessageOptions { get }
}

/// The options of commands that start workers for little work: how many is nothing to think about, so help does not show it.
struct FarmOptions: SessionOptions {
    @OptionGroup(title: "Plugins") var plugins: PluginSearchOptions
    @OptionGroup(visibility: .hidden) var workerOptions: WorkerOptions
    @OptionGroup(title: "Messages") var messages: MessageOptions
}

/// The options of commands that have workers make pictures.
struct RenderFarmOptions: SessionOptions {
    @OptionGroup(title: "Plugins") var plugins: PluginSearchOptions
    @OptionGroup(title: "Workers") var workerOptions: WorkerOptions
    @OptionGroup(title: "Messages") var messages: MessageOptions
}

struct WorkerOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Worker processes. Default: as many as there are cores, and the limits allow. The output is the same for any number.",
            valueName: "number"))
    var workers: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Give up on a job that makes no progress for this long. Default: 60.", valueName: "seconds"))
    var stallTimeout: Int?

    mutating func validate() throws {
        if let workers, !(1...1024).contains(workers) {
            throw ValidationError("‘--workers’ is \(workers), but must lie between 1 and 1024.")
        }
        if let stallTimeout, stallTimeout < 1 {
            throw ValidationError("‘--stall-timeout’ is \(stallTimeout), but must be at least 1 second.")
        }
    }

    var count: Int { workers ?? max(1, ProcessInfo.processInfo.activeProcessorCount) }
}

struct PluginSearchOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A folder of plugins, or a plugin; may be given several times, or several separated by ‘:’.",
            valueName: "path"), completion: .file())
    var pluginPath: [String] = []
}

/// What every command can be told of how it talks.
struct MessageOptions: ParsableArguments {
    @Flag(
        name: [.short, .long], help: "Say more: what the workers do, and the chain of causes behind an error.")
    var verbose = false

    @Option(help: "The form of errors, warnings and log lines on standard error: text, or json, an object a line.")
    var logFormat: LogFormat = .text

    enum LogFormat: String, ExpressibleByArgument, CaseIterable { case text, json }

    var logger: Logger {
        let level: Logger.Level = verbose ? .debug : .warning
        var logger = Logger(label: "cutroom") { [logFormat] _ in ConsoleLogHandler(isJSON: logFormat == .json) }
        logger.logLevel = level
        return logger
    }
}

extension SessionOptions {
    var verbose: Bool { messages.verbose }
    var logger: Logger { messages.logger }
    /// Where the whole standard error of crashed workers is kept.
    var logFolder: String? { verbose ? SegmentCache.logFolder : nil }
}
