import ArgumentParser
import Foundation
import Logging

/// The options of every command that starts workers.
struct FarmOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: "Worker processes. Default: as many as there are cores. The output is the same for any number.")
    var workers: Int?

    @Option(
        help: ArgumentHelp(
            "A folder of plugins, or a plugin; may be given several times, or several separated by ‘:’.",
            valueName: "path"))
    var pluginPath: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Give up on a job that makes no progress for this long.", valueName: "seconds"))
    var stallTimeout: Int?

    @Flag(help: "Say more: what the workers do, and the chain of causes behind an error.")
    var verbose = false

    @Option(help: "The form of log lines on standard error: text or json.")
    var logFormat: LogFormat = .text

    enum LogFormat: String, ExpressibleByArgument, CaseIterable { case text, json }

    mutating func validate() throws {
        if let workers, !(1...1024).contains(workers) {
            throw ValidationError("‘--workers’ is \(workers), but must lie between 1 and 1024.")
        }
        if let stallTimeout, stallTimeout < 1 {
            throw ValidationError("‘--stall-timeout’ is \(stallTimeout), but must be at least 1 second.")
        }
    }

    var workerCount: Int { workers ?? max(1, ProcessInfo.processInfo.activeProcessorCount) }

    /// Where the whole standard error of crashed workers is kept.
    var logFolder: String? { verbose ? SegmentCache.logFolder : nil }

    var logger: Logger {
        let level: Logger.Level = verbose ? .debug : .warning
        var logger = Logger(label: "cutroom") { [logFormat] _ in ConsoleLogHandler(isJSON: logFormat == .json) }
        logger.logLevel = level
        return logger
    }
}
