import Jobs
import Messaging
import Rendering

/// Where a render's parts lie, those of earlier renders too, and how its file comes to its name. Every function may wait, but for the two
/// that put something away.
package protocol PartStore: Sendable {
    /// The render's own folder, into which workers write.
    var partsFolder: String { get }
    /// A part that was rendered before, under a name of this render's own, which has not been used.
    func find(_ version: PartVersion) -> WrittenFile?
    /// Keeps a finished part of this render. Returns at once.
    func keep(_ part: WrittenFile, as key: String)
    /// Forgets a part that turned out to be damaged. Returns at once.
    func forget(_ key: String)
    /// The job that makes a part elsewhere since before this run; nil: there is none.
    func lentJob(for key: String) -> JobID?
    /// A job was given to a worker that makes this part. Returns at once.
    func lent(_ key: String, _ lease: Lease, to worker: WorkerID)
    /// The job that was to make this part does so no more. Returns at once.
    func returned(_ key: String)
    /// The name under which the file is put together, in a folder in which workers write nothing else. To be ended by ``OutputFile/removeRuns(of:)``.
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

/// What somebody who watches a render is told.
package protocol RenderWatcher: Sendable {
    func update(_ progress: RenderProgress)
    func tell(_ notice: Notice)
}

extension WrittenFile {
    /// Whether its path is that of a folder with a name behind it: no other folder, and not the folder itself.
    package func lies(in folder: String) -> Bool {
        let start = folder + "/"
        guard path.utf8.starts(with: start.utf8) else { return false }
        let name = path.utf8.dropFirst(start.utf8.count)
        return !name.contains(UInt8(ascii: "/")) && !["", ".", ".."].contains { name.elementsEqual($0.utf8) }
    }
}
