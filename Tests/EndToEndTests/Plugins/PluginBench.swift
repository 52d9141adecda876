import Foundation
import TestSupport
import Testing

/// Plugins that tests build, and the check of them.
struct PluginBench {
    /// The form of `cutroom plugin check --json`.
    struct Report: Decodable {
        struct Result: Decodable {
            struct Finding: Decodable {
                var what: String
                var at: String?
                var advice: String
            }
            var test: String
            var effect: String?
            var outcome: String
            var death: String?
            var reason: String?
            var findings: [Finding]
            var command: String
        }
        var path: String
        var name: String?
        var seed: UInt64
        var isolation: String?
        var passed: Bool
        var results: [Result]

        subscript(_ test: String) -> Result? { results.first { $0.test == test } }
        var failed: [String] { results.filter { $0.outcome == "failed" }.map(\.test) }
        func with(_ outcome: String) -> [String] { results.filter { $0.outcome == outcome }.map(\.test) }
    }

    static let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

    let studio: Studio

    init() throws { studio = try Studio() }

    /// Builds a fixture as a third party would.
    /// - Returns: the library's path.
    func build(_ source: String, _ defines: [String] = []) throws -> String {
        let path = studio.file((source as NSString).lastPathComponent + defines.joined(separator: "-") + ".so")
        try TestPlugin.build(source, defines, to: path)
        return path
    }

    /// Checks a library; the exit code must go with the report.
    func check(_ library: String, only tests: [String] = [], _ arguments: [String] = [], timeout: Double = 240) throws
        -> Report
    {
        let result = try studio.run(
            ["plugin", "check", library, "--json"] + tests.flatMap { ["--only", $0] } + arguments, timeout: timeout)
        try #require(result.status == 0 || result.status == 65, "\(result)")
        let report = try JSONDecoder().decode(Report.self, from: result.stdout)
        #expect(report.passed == (result.status == 0) && report.passed == report.failed.isEmpty, "\(result)")
        return report
    }
}
