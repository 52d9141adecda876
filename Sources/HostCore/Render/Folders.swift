import Files
import Foundation
import Glibc

/// Makes a folder and its missing parents.
/// - Returns: 0, or an errno.
package func makeFolders(_ path: String) -> Int32 {
    if mkdir(path, 0o755) == 0 { return 0 }
    let code = errno
    switch code {
    case EEXIST:
        var info = stat()
        return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR ? 0 : ENOTDIR
    case ENOENT:
        let above = (path as NSString).deletingLastPathComponent
        guard above != path, !above.isEmpty else { return code }
        let failure = makeFolders(above)
        if failure != 0 { return failure }
        return mkdir(path, 0o755) == 0 || errno == EEXIST ? 0 : errno
    // A read-only file system reports this even for existing folders.
    default:
        var info = stat()
        return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR ? 0 : code
    }
}

/// Replaces the content of a small file.
/// - Returns: 0, or an errno.
package func writeFile(_ path: String, _ data: Data) -> Int32 {
    do throws(Errno) {
        try OpenFile(path, .writeOnly, [.create, .truncate], permissions: .readableByAll).write(data)
        return 0
    } catch {
        return error.rawValue
    }
}

/// Returns the system's text for an error, such as ‘Permission denied’.
package func systemText(_ code: Int32) -> String { String(cString: strerror(code)) }
