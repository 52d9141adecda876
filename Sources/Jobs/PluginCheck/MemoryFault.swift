import Foundation

/// Memory that a plugin had no business with, and what it did there.
public struct MemoryFault: Sendable {
    /// What happened: half a sentence that begins with “it”.
    public let what: String
    public let advice: String

    /// - Parameter line: nil comes of one that tells of something else.
    public init?(_ line: PluginCheckLine) {
        guard case .fault(let place, let offset, let length, let access) = line else { return nil }
        let verb = access == "write" ? "writes" : access == "read" ? "reads" : "touches"
        let stay =
            "stay within `width` samples of each row and `height` rows (chroma: half of them, rounded up), `stride` bytes apart"
        if place.isEmpty {
            (what, advice) = ("it \(verb) memory that is not there", "look for pointers that are null or were freed")
        } else if offset < 0 {
            (what, advice) = ("it \(verb) \(-offset) bytes before the first byte of \(place)", stay)
        } else if offset >= length {
            (what, advice) = ("it \(verb) \(offset - length + 1) bytes beyond the last byte of \(place)", stay)
        } else if place.hasPrefix("input"), access == "write" {
            (what, advice) = (
                "it writes to \(place), at byte \(offset)", "never write an input: other effects and threads read it"
            )
        } else {
            (what, advice) = (
                "it touches \(place) after the call", "end all work with lent memory before process returns"
            )
        }
    }

    /// What a process has left that died of one; nil where there is none.
    public init?(_ data: Data) {
        guard let line = try? JSONDecoder().decode(PluginCheckLine.self, from: data) else { return nil }
        self.init(line)
    }
}
