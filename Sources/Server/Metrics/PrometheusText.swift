import Farm
import Foundation

/// Metrics in the text format of Prometheus, version 0.0.4:
/// https://prometheus.io/docs/instrumenting/exposition_formats/
struct PrometheusText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    enum Kind: String { case counter, gauge }

    /// One value of a metric that has several, distinguished by labels.
    struct Sample {
        let labels: KeyValuePairs<String, String>
        let value: Double

        init(_ labels: KeyValuePairs<String, String>, _ value: Double) { (self.labels, self.value) = (labels, value) }
    }

    private(set) var text = ""

    /// Adds a metric without labels.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        head(name, kind.rawValue, help)
        line(name, [], value)
    }

    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
        add(name, kind, help, Double(value))
    }

    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        head(name, kind.rawValue, help)
        for sample in samples { line(name, sample.labels.map { $0 }, sample.value) }
    }

    mutating func add(_ name: String, _ help: String, _ histogram: Histogram) {
        head(name, "histogram", help)
        var count = 0
        for (bound, more) in zip(histogram.bounds + [.infinity], histogram.counts) {
            count += more
            line(name + "_bucket", [("le", Self.number(bound))], Double(count))
        }
        line(name + "_sum", [], histogram.sum)
        line(name + "_count", [], Double(count))
    }

    private mutating func head(_ name: String, _ kind: String, _ help: String) {
        text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(kind)\n"
    }

    private mutating func line(_ name: String, _ labels: [(key: String, value: String)], _ value: Double) {
        let list = labels.map { "\($0.key)=\"\(Self.escaped($0.value, quotes: true))\"" }.joined(separator: ",")
        text += name + (list.isEmpty ? "" : "{\(list)}") + " \(Self.number(value))\n"
    }

    private static func number(_ value: Double) -> String {
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : "\(value)"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        let text = text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
        return quotes ? text.replacing("\"", with: "\\\"") : text
    }
}
