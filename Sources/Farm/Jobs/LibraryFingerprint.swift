/// The fingerprint of a library: one version of it, by a name that tells people which library it is.
package enum LibraryFingerprint {
    package static func name(_ path: String, version: String) -> String { "\(path)@\(version)" }

    static func path(of fingerprint: String) -> String {
        fingerprint.lastIndex(of: "@").map { String(fingerprint[..<$0]) } ?? fingerprint
    }
}
