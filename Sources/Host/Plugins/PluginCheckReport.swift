import Composition

/// The results of all tests of a library.
struct PluginCheckReport: Encodable, Sendable {
    /// The absolute path of the library.
    var path: String
    /// The name for messages; nil if it could not be read.
    var name: String?
    var seed: UInt64
    /// A description of how the plugin's processes were sandboxed; nil if none has reported it.
    var isolation: String?
    var results: [PluginTestResult] = []

    var isPassed: Bool { results.allSatisfy { $0.outcome == .passed || $0.outcome == .skipped } }

    enum CodingKeys: String, CodingKey { case path, name, seed, isolation, passed, results }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(path, forKey: .path)
        try container.encodeIfPresent(name, forKey: .name)
        try container.encode(seed, forKey: .seed)
        try container.encodeIfPresent(isolation, forKey: .isolation)
        try container.encode(isPassed, forKey: .passed)
        try container.encode(results, forKey: .results)
    }

    var forPeople: String {
        var lines = ["\(name.map { "\($0), " } ?? "")\(path), seed \(seed)"]
        if let isolation { lines.append(isolation) }
        var effect: String?
        // Most tests make the same calls print the same lines.
        var seen: Set<String> = []
        for result in results {
            if result.effect != effect {
                effect = result.effect
                lines.append(effect ?? "")
            }
            lines += result.forPeople
            for line in result.printed where seen.insert(line).inserted {
                lines.append("              Output: \(line)")
            }
        }
        lines.append(summary)
        return lines.joined(separator: "\n")
    }

    private var summary: String {
        func count(_ outcome: PluginTestResult.Outcome) -> Int { results.count { $0.outcome == outcome } }
        var parts = ["\(count(.passed)) passed"]
        if count(.failed) > 0 { parts.append("\(count(.failed)) FAILED") }
        if count(.skipped) > 0 { parts.append("\(count(.skipped)) do not apply") }
        if count(.notRun) > 0 { parts.append("\(count(.notRun)) not run") }
        return parts.joined(separator: ", ")
    }
}

extension PluginTestResult {
    /// One line and, for each finding, what was found, where, and how to fix it.
    var forPeople: [String] {
        let word =
            switch outcome {
            case .passed: "passed  "
            case .failed: "FAILED  "
            case .skipped: "–       "
            case .notRun: "not run "
            }
        var lines = ["  \(word)  \(test.rawValue)\(reason.map { ": \($0)" } ?? "")"]
        for finding in findings {
            lines.append("              \(finding.what).")
            if let place = finding.at { lines.append("              Found with: \(place).") }
            lines.append("              Fix: \(finding.advice).")
        }
        if outcome == .failed { lines.append("              Again: \(command)") }
        return lines
    }
}
