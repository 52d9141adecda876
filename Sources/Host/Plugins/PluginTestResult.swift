import CPosix
import Foundation
import Glibc
import HostCore
import Jobs

/// The result of one test of a plugin.
struct PluginTestResult: Encodable, Sendable {
    enum Outcome: String, Encodable, Sendable {
        case passed, failed
        /// The test does not apply; `reason` says why.
        case skipped
        /// An earlier failure makes the test useless; `reason` says which.
        case notRun = "not_run"
    }

    /// How the test's process ended abnormally.
    enum Death: String, Encodable, Sendable { case crash, exception, hang, exit }

    var test: PluginTest
    /// The effect's id; nil for tests of the library.
    var effect: String?
    var outcome: Outcome
    var death: Death?
    var reason: String?
    var findings: [PluginCheckLine.Finding] = []
    /// The last lines that the plugin printed to standard error or logged.
    var printed: [String] = []
    private static let mostPrinted = 10
    /// The command that repeats this test with the same pictures and values.
    var command: String
}

extension PluginTestResult {
    /// Judges a process by its output and its end.
    /// - Parameter limit: its time limit in seconds.
    init(_ launch: PluginCheckLaunch, _ run: PluginCheckProcess.Outcome, limit: Double) {
        test = launch.test
        effect = launch.effectID
        command = Self.command(launch)
        let place = run.lines.compactMap { if case .at(let text) = $0 { text } else { nil } }.last
        for line in run.lines {
            switch line {
            case .finding(let finding): findings.append(finding)
            case .skipped(let text): reason = text
            default: break
            }
        }
        if let (death, what, advice) = Self.death(run, limit: limit) {
            self.death = death
            findings.append(.init(what: what, at: place, advice: advice))
        }
        printed = run.stderr.split(whereSeparator: \.isNewline).suffix(Self.mostPrinted).map { line in
            String(
                line.prefix(200).map { $0.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 } ? $0 : "?" })
        }
        outcome = !findings.isEmpty ? .failed : reason == nil ? .passed : .skipped
        if outcome == .failed { reason = nil }
    }

    init(_ launch: PluginCheckLaunch, notRun reason: String) {
        (test, effect, outcome, self.reason) = (launch.test, launch.effectID, .notRun, reason)
        command = Self.command(launch)
    }

    init(_ launch: PluginCheckLaunch, skipped reason: String) {
        self.init(launch, notRun: reason)
        outcome = .skipped
    }

    /// Adds a finding, which fails the test.
    mutating func add(_ finding: PluginCheckLine.Finding) {
        findings.append(finding)
        (outcome, reason) = (.failed, nil)
    }

    private static func command(_ launch: PluginCheckLaunch) -> String {
        let isPlain = launch.path.allSatisfy { $0.isLetter || $0.isNumber || "/._-+".contains($0) }
        let path = isPlain ? launch.path : "'" + launch.path.replacingOccurrences(of: "'", with: "'\\''") + "'"
        return "cutroom plugin check \(path)" + (launch.effectID.map { " --effect \($0)" } ?? "")
            + " --only \(launch.test.rawValue) --seed \(launch.seed)" + (launch.isTakenForPure ? " --as-pure" : "")
    }

    private static func death(_ run: PluginCheckProcess.Outcome, limit: Double) -> (
        Death, what: String, advice: String
    )? {
        switch run.ending {
        case .timeout:
            return (
                .hang, "it does not return within \(limit.formatted()) s",
                "make every call return, whatever its frames and values are"
            )
        case .signal(let number):
            let name = "SIG" + (cposix_signal_name(number).map { String(cString: $0) } ?? "\(number)")
            if let exception = exception(run.stderr) {
                return (
                    .exception, "a C++ exception leaves a function of the plugin: \(exception)",
                    "catch all exceptions (catch (...)) in each function that the interface calls, and return a status"
                )
            }
            if let fault = run.lines.lazy.compactMap(MemoryFault.init).first {
                return (.crash, "\(fault.what) (\(name))", fault.advice)
            }
            let last = run.stderr.split(separator: "\n").last.map { ": \($0)" } ?? ""
            return (
                .crash, "it terminates the process with \(name)\(last)",
                "run the command below under a debugger, or build with -fsanitize=address"
            )
        case .code(let code):
            if code == 0, run.lines.contains(.finished) { return nil }
            return (
                .exit, "it terminates the process with exit code \(code)",
                "return a status; a plugin must never call exit"
            )
        }
    }

    /// Returns the exception from the message that libstdc++ or libc++ prints before aborting.
    private static func exception(_ stderr: String) -> String? {
        let lines = stderr.split(separator: "\n").map(String.init)
        guard
            let index = lines.lastIndex(where: {
                $0.contains("terminate called") || $0.contains("terminating due to uncaught exception")
            })
        else {
            return nil
        }
        let type = lines[index].split(separator: "'").dropFirst().first.map(String.init) ?? lines[index]
        let what = lines[index...].first { $0.contains("what():") }
            .map { $0.replacingOccurrences(of: "what():", with: "").trimmingCharacters(in: .whitespaces) }
        return what.map { "\(type), “\($0)”" } ?? type
    }
}
