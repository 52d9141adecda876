/// The taint of a job that opens a library: one version of it, by a name that tells people which library it is.
package enum LibraryTaint {
    package static func name(_ path: String, version: String) -> String { "\(path)@\(version)" }

    static func path(of taint: String) -> String {
        taint.lastIndex(of: "@").map { String(taint[..<$0]) } ?? taint
    }
}
