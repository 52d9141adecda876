/// What a host tells a worker on its command line. Both sides use this type, so they cannot disagree about the form.
public struct WorkerLaunch: Hashable, Sendable {
    /// Where the host listens, such as `ipc:///run/user/1000/cutroom-…/socket`.
    public var endpoint: String
    public var worker: WorkerID
    /// The worker's own folder: breadcrumb and scratch files. The host made it and removes it.
    public var directory: String
    /// Folders besides its own that the worker may write to.
    public var writable: [String]
    /// Plugins get their frames in guarded memory.
    public var isParanoid: Bool

    public init(
        endpoint: String, worker: WorkerID, directory: String, writable: [String] = [], isParanoid: Bool = false
    ) {
        self.endpoint = endpoint
        self.worker = worker
        self.directory = directory
        self.writable = writable
        self.isParanoid = isParanoid
    }

    private static let (paranoid, contentOption) = ("--paranoid", "--content")

    /// What is added to a worker's command line where a folder holds content that is named by what it is.
    public static func contentArguments(_ folder: String) -> [String] { [contentOption, folder] }

    /// That folder; nil where there is none.
    public static func contentFolder(in arguments: [String]) -> String? {
        guard let index = arguments.firstIndex(of: contentOption), index + 1 < arguments.endIndex else { return nil }
        return arguments[index + 1]
    }

    /// The command line, without the program's name.
    public var arguments: [String] {
        ["--endpoint", endpoint, "--worker", worker.name, "--directory", directory]
            + writable.flatMap { ["--writable", $0] } + (isParanoid ? [Self.paranoid] : [])
    }

    /// Where the worker notes which plugin it is about to call, for the host to read after a crash.
    public var breadcrumb: String { directory + "/breadcrumb" }
    /// Where the worker notes what a memory fault was about before it dies of it.
    public var fault: String { directory + "/fault" }
    /// Where the worker notes how much memory it had when it crashed.
    public var memory: String { directory + "/memory" }
    /// Where a run may put temporary files.
    public var scratch: String { directory + "/scratch" }

    /// Reads the command line; other arguments are ignored.
    /// - Returns: nil when one of the first three is missing.
    public init?(arguments: [String]) {
        func value(_ name: String) -> String? {
            guard let index = arguments.firstIndex(of: name), index + 1 < arguments.endIndex else { return nil }
            return arguments[index + 1]
        }
        guard let endpoint = value("--endpoint"), let worker = value("--worker"), let directory = value("--directory"),
            (1...WorkerID.longest).contains(worker.utf8.count)
        else { return nil }
        let writable = arguments.indices.dropLast().filter { arguments[$0] == "--writable" }.map { arguments[$0 + 1] }
        self.init(
            endpoint: endpoint, worker: WorkerID(worker), directory: directory, writable: writable,
            isParanoid: arguments.contains(Self.paranoid))
    }
}
