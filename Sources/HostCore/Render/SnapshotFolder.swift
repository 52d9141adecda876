import Cleanup
import Delivery
import Foundation
import Glibc
import Values

/// The folder for snapshots with numbered names.
package struct SnapshotFolder: Sendable {
    /// The absolute path.
    package let path: String
    /// The path as the user gave it.
    private let wished: String
    private let count: Int
    private let format: StillFormat
    private let overwrites: Bool

    package init(_ wished: String, count: Int, format: StillFormat, overwrites: Bool) {
        self.wished = wished
        self.count = count
        self.format = format
        self.overwrites = overwrites
        path = absolutePath(wished, in: FileManager.default.currentDirectoryPath)
    }

    /// Checks the folder.
    /// - Throws: if it cannot be made, or contains one of the names.
    package func check() throws(HostError) {
        try OutputFile.checkName(wished)
        var info = stat()
        if stat(path, &info) == 0 {
            guard info.st_mode & S_IFMT == S_IFDIR else {
                throw HostError(.cannotCreate, "The output ‘\(wished)’ is a file, not a folder.")
            }
            return _ = try files()
        }
        var above = path
        repeat {
            above = (above as NSString).deletingLastPathComponent
        } while access(above, F_OK) != 0 && above.count > 1
        guard access(above, W_OK | X_OK) == 0 else {
            throw HostError(.cannotCreate, "The folder ‘\(wished)’ cannot be made: \(systemText(errno)).")
        }
    }

    /// Makes the folder.
    /// - Returns: the folders that did not exist before, innermost first.
    package func make() throws(HostError) -> [String] {
        var new: [String] = []
        var folder = path
        while access(folder, F_OK) != 0, folder.count > 1 {
            new.append(folder)
            CleanupRegistry.shared.note(folder, .emptyFolder)
            folder = (folder as NSString).deletingLastPathComponent
        }
        let code = makeFolders(path)
        guard code == 0 else {
            throw HostError(.cannotCreate, "The folder ‘\(wished)’ cannot be made: \(systemText(code)).")
        }
        return new
    }

    /// Returns the files of the pictures, in order.
    package func files() throws(HostError) -> [OutputFile] {
        let width = max(2, "\(count)".count)
        var files: [OutputFile] = []
        for index in 1...count {
            let text = "\(index)"
            let name = "snapshot-\(String(repeating: "0", count: width - text.count))\(text).\(format.suffix)"
            files.append(try OutputFile(single: "\(path)/\(name)", overwrites: overwrites))
        }
        return files
    }
}
