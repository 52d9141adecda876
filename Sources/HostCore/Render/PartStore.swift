import Jobs
import Messaging
import Rendering

/// The storage of a render's parts, including those of earlier renders, and of its output. Every
/// function may block, except those that return at once.
package protocol PartStore: Sendable {
    /// The render's own folder, into which workers write.
    var partsFolder: String { get }
    /// Returns a part that was rendered before, under a new name of this render's own.
    func find(_ version: PartVersion) -> WrittenFile?
    /// Keeps a finished part of this render. Returns at once.
    func keep(_ part: WrittenFile, as key: String)
    /// Removes a part that turned out to be damaged. Returns at once.
    func forget(_ key: String)
    /// Returns the job that has been making a part elsewhere since before this run; nil if there is
    /// none.
    func lentJob(for key: String) -> JobID?
    /// Notes that a worker got the job that makes a part. Returns at once.
    func lent(_ key: String, _ lease: Lease, to worker: WorkerID)
    /// Notes that a part's job is not running any more. Returns at once.
    func returned(_ key: String)
    /// Returns the name under which the file is assembled, in a folder into which workers write
    /// nothing else. Must be released with ``OutputFile/removeRuns(of:)``.
    func stage(_ output: OutputFile) -> String
    /// Gives the finished file its name.
    func commit(_ temporary: String, to output: OutputFile, count: Int) throws(HostError)
}

extension PartStore {
    package func lentJob(for key: String) -> JobID? { nil }
    package func lent(_ key: String, _ lease: Lease, to worker: WorkerID) {}
    package func returned(_ key: String) {}

    package func commit(_ temporary: String, to output: OutputFile, count: Int) throws(HostError) {
        try output.commit(temporary, count: count)
    }
}

/// An observer of a render.
package protocol RenderWatcher: Sendable {
    func update(_ progress: RenderProgress)
    func tell(_ notice: Notice)
}

extension WrittenFile {
    /// Returns whether it is the path of a file within a folder: not of the folder itself, or in
    /// another one.
    package func lies(in folder: String) -> Bool {
        let start = folder + "/"
        guard path.utf8.starts(with: start.utf8) else { return false }
        let name = path.utf8.dropFirst(start.utf8.count)
        return !name.contains(UInt8(ascii: "/")) && !["", ".", ".."].contains { name.elementsEqual($0.utf8) }
    }
}
