import Foundation
import Glibc

/// The files that a draft was made from, identified by device and inode: an output must not replace
/// any of them, under whatever name.
package struct ReadFiles: Sendable {
    private struct Identity: Hashable { var device: UInt64, inode: UInt64 }
    /// The path under which each file was read, by identity.
    private let paths: [Identity: String]

    /// Identifies files.
    /// - Parameter paths: absolute. Files that do not exist any more are ignored.
    package init(_ paths: some Sequence<String>) {
        self.paths = paths.sorted().reduce(into: [:]) { paths, path in
            if let identity = Self.identity(of: path) { paths[identity] = paths[identity] ?? path }
        }
    }

    private static func identity(of path: String) -> Identity? {
        var info = stat()
        return stat(path, &info) == 0 ? Identity(device: UInt64(info.st_dev), inode: UInt64(info.st_ino)) : nil
    }

    /// Checks an output.
    /// - Throws: if the output is one of the files, or a link to one.
    package func refuse(_ output: String) throws(HostError) {
        guard let identity = Self.identity(of: output), let source = paths[identity] else { return }
        let same = source == output ? "is" : "is the same file as ‘\(source)’,"
        throw HostError(
            .cannotCreate, "The output ‘\(output)’ \(same) a file that the draft is made from; give another name.")
    }
}

extension HostSession {
    /// Every file that this session has read for its draft: scripts, modules and documents, media
    /// and LUTs, fonts, data and libraries of plugins.
    package var readFiles: ReadFiles {
        let (sources, catalog) = known.withLock { ($0.sources, $0.catalog) }
        let libraries = self.catalog.effects.flatMap(\.ownPaths)
        return ReadFiles(
            sources.union(catalog.media.keys).union(catalog.data.keys).union(catalog.fonts.keys).union(libraries))
    }
}

extension OutputFile {
    /// Refuses to replace a file that the draft is made from.
    /// - Parameter count: the number of pictures, for a sequence.
    package func refuse(_ files: ReadFiles, count: Int = 1) throws(HostError) {
        guard overwrites else { return }
        guard let pictures else { return try files.refuse(path) }
        for number in 1...max(1, count) { try files.refuse(pictures.path(number)) }
    }
}
