import CPosix
import Composition
import Foundation
import Glibc

/// What one test found out about a plugin.
struct PluginTestResult: Encodable, Sendable {
    enum Outcome: String, Encodable, Sendable {
        case passed, failed
        /// It does not apply: `reason` says why.
        case skipped
        /// An earlier failure makes it useless: `reason` says which.
        case notRun = "not_run"
    }

    /// How the test's process ended, where it did not by itself.
    enum Death: String, Encodable, Sendable { case crash, exception, hang, exit }

    var test: PluginTest
    /// The effect's id; nil for tests of the library.
    var effect: String?
    var outcome: Outcome
    var death: Death?
    var reason: String?
    var findings: [PluginCheckLine.Finding] = []
    /// The command that runs this test again with the same pictures and values.
    var command: String
}

extension PluginTestResult {
    /// Judges a process by what it has written and how it ended.
    /// - Parameter limit: seconds that it was given.
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
        outcome = !findings.isEmpty ? .failed : reason == nil ? .passed : .skipped
        if outcome == .failed { reason = nil }
    }

    init(_ launch: PluginCheckLaunch, notRun reason: String) {
        (test, effect, outcome, self.reason) = (launch.test, launch.effectID, .notRun, reason)
        command = Self.command(launch)
    }

    private static func command(_ launch: PluginCheckLaunch) -> String {
        let isPlain = launch.path.allSatisfy { $0.isLetter || $0.isNumber || "/._-+".contains($0) }
        let path = isPlain ? launch.path : "'" + launch.path.replacingOccurrences(of: "'", with: "'\\''") + "'"
        return "cutroom plugin check \(path)" + (launch.effectID.map { " --effect \($0)" } ?? "")
            + " --only \(launch.test.rawValue) --seed \(launch.seed)"
    }

    private static func death(_ run: PluginCheckProcess.Outcome, limit: Double) -> (
        Death, what: String, advice: String
    )? {
        switch run.ending {
        case .timeout:
            return (
                .hang, "it does not return within \(limit.formatted()) s",
                "let every call return, whatever its frames and values are"
            )
        case .signal(let number):
            let name = "SIG" + (cposix_signal_name(number).map { String(cString: $0) } ?? "\(number)")
            if let exception = exception(run.stderr) {
                return (
                    .exception, "a C++ exception leaves a function of the plugin: \(exception)",
                    "catch everything (catch (...)) in each function that the interface calls, and return a status"
                )
            }
            if let (what, advice) = fault(run.lines) { return (.crash, "\(what) (\(name))", advice) }
            let last = run.stderr.split(separator: "\n").last.map { ": \($0)" } ?? ""
            return (
                .crash, "it ends the process by \(name)\(last)",
                "run the command below under a debugger, or build with -fsanitize=address"
            )
        case .code(let code):
            if code == 0, run.lines.contains(.finished) { return nil }
            return (.exit, "it ends the process with exit code \(code)", "return a status; a plugin never calls exit")
        }
    }

    /// What libstdc++ and libc++ say before they abort.
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

    private static func fault(_ lines: [PluginCheckLine]) -> (what: String, advice: String)? {
        for case .fault(let place, let offset, let length, let access) in lines {
            let verb = access == "write" ? "writes" : access == "read" ? "reads" : "touches"
            let stay =
                "stay within `width` samples of each row and `height` rows (chroma: half of them, rounded up), `stride` bytes apart"
            if place.isEmpty {
                return ("it \(verb) memory that is not there", "look for pointers that are null or were freed")
            }
            if offset < 0 { return ("it \(verb) \(-offset) bytes before the first byte of \(place)", stay) }
            if offset >= length {
                return ("it \(verb) \(offset - length + 1) bytes beyond the last byte of \(place)", stay)
            }
            if place.hasPrefix("input"), access == "write" {
                return (
                    "it writes to \(place), at byte \(offset)",
                    "never write an input: other effects and threads read it"
                )
            }
            return ("it touches \(place) after the call", "end all work with lent memory before process returns")
        }
        return nil
    }
}
