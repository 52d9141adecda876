import CPosix
import Files
import Foundation
import Glibc
import Jobs

/// The test cannot go on; why has been reported.
struct CheckStop: Error {}

/// Writes what a test does and finds into the file that the host reads, line by line.
final class CheckReport {
    /// Stays open until the process ends: what explains a memory fault writes to it then.
    let descriptor: Int32
    /// What is being done; part of every finding.
    private(set) var place: String?
    private(set) var findings = 0
    /// A test often finds the same fault a hundred times.
    private static let most = 8
    private var last = ""

    /// - Parameter path: a file; made where there is none.
    init?(path: String) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        if descriptor < 0 { return nil }
    }

    /// What is about to be done, so that a process that dies has said it.
    func at(_ text: String) {
        place = text
        guard text != last else { return }
        last = text
        write(.at(text))
    }

    /// Forgets what was being done: what follows concerns the whole.
    func atNothing() { place = nil }

    /// - Parameters:
    ///   - what: what was found, a sentence without a full stop.
    ///   - advice: what to do, a sentence without a full stop.
    func find(_ what: String, advice: String) {
        findings += 1
        if findings <= Self.most { write(.finding(.init(what: what, at: place, advice: advice))) }
    }

    /// Reports something after which going on makes no sense.
    func stop(_ what: String, advice: String) -> CheckStop {
        find(what, advice: advice)
        return CheckStop()
    }

    func skip(_ reason: String) -> CheckStop {
        write(.skipped(reason))
        return CheckStop()
    }

    /// A line of a plugin's log, to standard error: it is shown where the process dies.
    static func log(_ line: String) {
        writeAll("plugin: \(line)\n".utf8, to: STDERR_FILENO)
    }

    func write(_ line: PluginCheckLine) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard var data = try? encoder.encode(line) else { return }
        data.append(UInt8(ascii: "\n"))
        writeAll(data, to: descriptor)
    }
}
