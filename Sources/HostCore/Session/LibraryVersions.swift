import Draft
import Farm
import Foundation
import Glibc

/// The versions of the libraries on a search path, and of their data files, according to the file
/// system: descriptions remain valid while they are the same.
struct LibraryVersions: Sendable {
    /// The versions by path.
    private var versions: [String: String] = [:]
    /// The time at which the first one was read.
    private let begun: Date
    /// The resolution of file systems' clocks, in seconds.
    private static let tolerance = 0.05

    /// Notes versions.
    /// - Parameter paths: of libraries, before they are read.
    init(_ paths: [String]) {
        begun = Date()
        add(paths)
    }

    /// Adds files that are known only after a library was read.
    mutating func add(_ paths: some Sequence<String>) {
        for path in paths where versions[path] == nil { versions[path] = Self.version(of: path) }
    }

    /// Returns whether the libraries are the same, and no file has changed since it was read.
    /// - Parameter paths: the libraries that exist now.
    func isCurrent(_ paths: [String]) -> Bool {
        let libraries = Set(paths)
        return libraries.allSatisfy { versions[$0] != nil }
            && versions.allSatisfy { path, version in
                Self.version(of: path) == version && Self.changed(path) < begun.timeIntervalSince1970 - Self.tolerance
            }
    }

    /// Returns the fingerprint of a library. Two versions differ in it, so no process loads both.
    /// - Parameter files: its data files, absolute.
    static func fingerprint(_ library: String, _ files: [String]) -> String {
        // FNV-1a, 64 bits, over all versions.
        let text = ([library] + files).map(version).joined(separator: " ")
        let hash = text.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return LibraryFingerprint.name(library, version: String(hash, radix: 16))
    }

    private static func version(of path: String) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else { return "-" }
        return "\(status.st_dev)-\(status.st_ino)-\(status.st_size)-\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    }

    /// The time of the last change, in seconds since 1970.
    private static func changed(_ path: String) -> Double {
        var status = stat()
        guard stat(path, &status) == 0 else { return 0 }
        return Double(status.st_ctim.tv_sec) + Double(status.st_ctim.tv_nsec) / 1e9
    }
}
