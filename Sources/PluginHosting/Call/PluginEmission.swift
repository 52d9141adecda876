import Draft

/// What an analyser gives for one frame, bounded.
package struct PluginEmission {
    package private(set) var numbers: [String: [Double]] = [:]
    /// Why the last thing that it gave is not taken: half a sentence that begins with “it”.
    package private(set) var refusal: String?
    private var count = 0

    package init() {}

    /// Takes numbers under a name; of one name the last ones count.
    /// - Returns: whether they are taken.
    package mutating func take(_ key: String, _ new: UnsafeBufferPointer<Double>) -> Bool {
        let old = numbers[key]?.count ?? 0
        if !isIdentifier(key) || key.utf8.count > 64 {
            refusal = "it gives numbers under the name ‘\(key.prefix(64))’; names are 1 to 64 of a–z, 0–9 and _"
        } else if Analysis.reservedKeys.contains(key) {
            refusal = "it gives numbers under the name ‘\(key)’, which a frame has itself"
        } else if numbers[key] == nil, numbers.count >= Analysis.mostKeys {
            refusal = "it gives numbers under more than \(Analysis.mostKeys) names for one frame"
        } else if count - old + new.count > Analysis.mostNumbers {
            refusal = "it gives more than \(Analysis.mostNumbers) numbers for one frame"
        } else if let number = new.first(where: { !$0.isFinite }) {
            refusal = "it gives \(number) under the name ‘\(key)’, and numbers must be finite"
        } else {
            count += new.count - old
            numbers[key] = Array(new)
            return true
        }
        return false
    }
}
