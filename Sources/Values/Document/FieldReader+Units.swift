import Foundation

/// Advice on factors that are written with a unit.
extension FieldReader {
    /// The options that are factors, where 1 is the whole.
    private static let factors: Set = ["opacity", "volume", "scale", "speed", "intensity", "factor"]

    /// Returns `; 30% is 0.3` for a percentage, and the same for decibels of a volume; nil for
    /// anything else.
    static func factor(_ key: String, for value: Value) -> String? {
        guard factors.contains(key), case .string(let text) = value, text.utf8.count < 20 else { return nil }
        if let share = percents(value) { return "; \(text) is \(share.factor)" }
        let written = text.filter { $0 != " " }.lowercased()
        if key == "volume", written.hasSuffix("db"), let decibels = Double(written.dropLast(2)),
            (-80...40).contains(decibels)
        {
            return "; \(text) is \(Value.text(of: (pow(10, decibels / 20) * 1e4).rounded() / 1e4))"
        }
        return nil
    }

    /// Returns a percentage as it is written, and as a factor; nil for anything else.
    package static func percents(_ value: Value) -> (text: String, factor: String)? {
        guard case .string(let text) = value, text.utf8.count < 20 else { return nil }
        let written = text.filter { $0 != " " }
        guard written.hasSuffix("%"), let percents = Double(written.dropLast()), (0...10_000).contains(percents)
        else { return nil }
        return (text, Value.text(of: (percents * 1e4).rounded() / 1e6))
    }
}
