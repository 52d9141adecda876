/// The fingerprint of a library: its path, for messages, and its version.
package enum LibraryFingerprint {
    package static func name(_ path: String, version: String) -> String { "\(path)@\(version)" }

    static func path(of fingerprint: String) -> String {
        fingerprint.lastIndex(of: "@").map { String(fingerprint[..<$0]) } ?? fingerprint
    }
}
