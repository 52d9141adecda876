import Foundation
import Glibc

/// The files that a draft was made from, known by device and inode: an output must not replace any
/// of them, under whatever name.
package struct ReadFiles: Sendable {
    private struct Identity: Hashable { var device: UInt64, inode: UInt64 }
    /// By identity, the path under which the file was read.
    private let paths: [Identity: String]

    /// - Parameter paths: absolute. Files that are not there any more count for nothing.
    package init(_ paths: some Sequence<String>) {
        self.paths = paths.sorted().reduce(into: [:]) { paths, path in
            if let identity = Self.identity(of: path) { paths[identity] = paths[identity] ?? path }
        }
    }

    private static func identity(of path: String) -> Identity? {
        var info = stat()
        return stat(path, &info) == 0 ? Identity(device: UInt64(info.st_dev), inode: UInt64(info.st_ino)) : nil
    }

    /// - Throws: where the output is one of the files, or a link to one.
    package func refuse(_ output: String) throws(HostError) {
        guard let identity = Self.identity(of: output), let source = paths[identity] else { return }
        let same = source == output ? "is" : "is the same file as ‘\(source)’,"
        throw HostError(
            .cannotCreate, "The output ‘\(output)’ \(same) a file that the draft is made from; give another name.")
    }
}

extension HostSession {
    /// Every file that this session has read for its draft: scripts, modules and documents, media
    /// and looks, fonts, data and libraries of plugins.
    package var readFiles: ReadFiles {
        let (sources, catalog) = known.withLock { ($0.sources, $0.catalog) }
        let libraries = self.catalog.effects.flatMap(\.ownPaths)
        return ReadFiles(
            sources.union(catalog.media.keys).union(catalog.data.keys).union(catalog.fonts.keys).union(libraries))
    }
}

extension OutputFile {
    /// Refuses to replace what the draft is made from.
    /// - Parameter count: pictures to come, of a sequence.
    package func refuse(_ files: ReadFiles, count: Int = 1) throws(HostError) {
        guard overwrites else { return }
        guard let pictures else { return try files.refuse(path) }
        for number in 1...max(1, count) { try files.refuse(pictures.path(number)) }
    }
}
