/// The rules for the ids of plugins' effects.
public enum EffectID {
    /// What the ids of effects that come with Cutroom begin with. No other library may use it.
    public static let ownPrefix = "org.cutroom."

    /// What ``isValid(_:)`` asks for, as the rest of a sentence.
    public static let rule =
        "a reverse domain name of a–z, 0–9, - and _ with dots between its parts, such as org.example.glow"

    public static func isValid(_ id: String) -> Bool {
        let parts = id.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count > 1 && id.utf8.count <= 200
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.utf8.allSatisfy {
                        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || "-_".utf8.contains($0)
                    }
            }
    }

    /// Returns why a library that does not come with Cutroom cannot have an effect of this id; nil
    /// where it can.
    public static func refusalOfOthers(_ id: String) -> String? {
        guard id.hasPrefix(ownPrefix) else { return nil }
        return
            "ids that begin with ‘\(ownPrefix)’ are reserved for the plugins that come with Cutroom; use a domain of your "
            + "own, such as org.example.\(id.split(separator: ".").last ?? "glow")"
    }
}
