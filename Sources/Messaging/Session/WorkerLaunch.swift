/// A worker's command line. Host and worker share this type, so they cannot disagree about its
/// form.
public struct WorkerLaunch: Hashable, Sendable {
    /// The host's address, such as `ipc:///run/user/1000/cutroom-…/socket`.
    public var endpoint: String
    public var worker: WorkerID
    /// The worker's own folder, for breadcrumb and scratch files. The host made it and removes it.
    public var directory: String
    /// Further folders that the worker may write to.
    public var writable: [String]
    /// Whether plugins get their frames in guarded memory.
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

    /// Returns the arguments for a folder of content, in which files are named by their digests.
    public static func contentArguments(_ folder: String) -> [String] { [contentOption, folder] }

    /// Returns that folder; nil if there is none.
    public static func contentFolder(in arguments: [String]) -> String? {
        guard let index = arguments.firstIndex(of: contentOption), index + 1 < arguments.endIndex else { return nil }
        return arguments[index + 1]
    }

    /// The command line, without the program's name.
    public var arguments: [String] {
        ["--endpoint", endpoint, "--worker", worker.name, "--directory", directory]
            + writable.flatMap { ["--writable", $0] } + (isParanoid ? [Self.paranoid] : [])
    }

    /// The file in which the worker notes the plugin call that it is about to make, for the host to
    /// read after a crash.
    public var breadcrumb: String { directory + "/breadcrumb" }
    /// The file in which the worker describes a memory fault before it dies of it.
    public var fault: String { directory + "/fault" }
    /// The file in which the worker notes how much memory it had when it crashed.
    public var memory: String { directory + "/memory" }
    /// The folder for a run's temporary files.
    public var scratch: String { directory + "/scratch" }

    /// Parses a command line, ignoring other arguments.
    /// - Returns: nil if one of the first three is missing.
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
