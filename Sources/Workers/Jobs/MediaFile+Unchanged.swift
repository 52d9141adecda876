import Composition
import Content
import Draft
import Glibc
import Messaging

extension MediaFile {
    /// Throws where the file is not the file any more that the plan was made with: frames of two
    /// versions must not mix, and none may be cached under the other's key.
    func checkUnchanged() throws(JobFailure) {
        // The files of a draft are asked for themselves.
        guard draft == nil else { return }
        // The file at this path is the one that its name describes.
        if let folder = ContentFolder.path, path.hasPrefix(folder + "/") { return }
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw JobFailure(.input, "‘\(path)’ went away while it was being rendered.")
        }
        guard Int64(status.st_size) == info.identity.size, status.st_mtim.nanoseconds == info.identity.modified else {
            throw JobFailure(.input, "‘\(path)’ changed while it was being rendered; render again.")
        }
    }
}

/// The folder of files that have the names of their content; nil where this worker uses none.
enum ContentFolder {
    static let path = WorkerLaunch.contentFolder(in: CommandLine.arguments)
}
