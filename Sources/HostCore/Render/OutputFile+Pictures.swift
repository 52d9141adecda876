import CPosix
import Foundation
import Glibc

// Picture sequences: many files that appear together.

extension OutputFile {
    /// Checks the folder, which may exist and is then written into.
    func checkPictureFolder() throws(HostError) {
        var info = stat()
        guard stat(path, &info) == 0 else { return try checkFolder() }
        guard info.st_mode & S_IFMT == S_IFDIR else {
            throw HostError(.cannotCreate, "The output ‘\(path)/’ is a file; give another folder.")
        }
        guard access(path, W_OK | X_OK) == 0 else {
            throw HostError(
                .cannotCreate,
                "The output's folder ‘\(path)’ cannot be written to: \(String(cString: strerror(errno))).")
        }
    }

    /// Refuses existing names, before any work.
    /// - Parameter count: the number of pictures.
    package func checkPictures(_ count: Int) throws(HostError) {
        guard let pictures, count > 0 else { return }
        for number in 1...count {
            var info = stat()
            guard lstat(pictures.path(number), &info) == 0 else { continue }
            guard overwrites else { throw exists(pictures.path(number)) }
            if info.st_mode & S_IFMT != S_IFREG {
                throw HostError(
                    .cannotCreate, "‘\(pictures.path(number))’ is not a regular file, so it cannot be replaced.")
            }
        }
    }

    private func exists(_ path: String) -> HostError {
        HostError(.cannotCreate, "‘\(path)’ exists; give another name or --overwrite.")
    }

    /// Moves the finished pictures to their names: a new folder as a whole, otherwise one by one.
    /// If one cannot be moved, those before it are removed again unless they replaced others.
    package func commit(_ pictures: PictureNames, from temporary: String, count: Int) throws(HostError) {
        let suffix = "." + container.rawValue
        func fail(_ path: String, _ code: Int32) -> HostError {
            code == EEXIST
                ? exists(path)
                : HostError(
                    .cannotCreate, "The output ‘\(path)’ cannot be put in place: \(String(cString: strerror(code))).")
        }
        if pictures.isFolder, access(path, F_OK) != 0 {
            for number in 1...max(1, count)
            where Glibc.rename("\(temporary)/\(number)\(suffix)", "\(temporary)/\(pictures.name(number))") != 0 {
                throw fail(pictures.path(number), errno)
            }
            guard cposix_rename_exclusive(temporary, path) == 0 else { throw fail(path, errno) }
            return syncFolder((path as NSString).deletingLastPathComponent)
        }
        for number in 1...max(1, count) where rename("\(temporary)/\(number)\(suffix)", pictures.path(number)) != 0 {
            let code = errno
            if !overwrites { for placed in 1..<number { unlink(pictures.path(placed)) } }
            throw fail(pictures.path(number), code)
        }
        rmdir(temporary)
        syncFolder(pictures.folder)
    }
}
