import Foundation
import Testing

/// The program under test in a place of its own: a folder for files, and a cache and a runtime
/// folder that nobody else uses, so that whatever a run leaves behind is seen.
public final class Studio {
    /// Scripts and outputs; the working folder of every run.
    public let folder: TemporaryFolder
    private let state: TemporaryFolder
    /// Changes to the environment of every run.
    public var environment: [String: String?] = [:]

    public static let products = Project.products
    public static let program = products + "/cutroom"
    /// Runs a program as somebody whom permissions bind; root may do everything, so it gives the
    /// right up.
    public static let asNobody = geteuid() == 0 ? ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--"] : []

    public init() throws {
        folder = try TemporaryFolder()
        state = try TemporaryFolder()
        for name in ["cache", "run", "home"] {
            try FileManager.default.createDirectory(atPath: state.file(name), withIntermediateDirectories: true)
        }
    }

    public var cache: String { state.file("cache") }
    public var runtime: String { state.file("run") }
    public func file(_ name: String) -> String { folder.file(name) }

    /// A folder that no run has to do with.
    public func outside() throws -> String {
        let path = state.file("outside")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    /// Forgets every rendered part.
    public func emptyCache() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: cache) {
            try FileManager.default.removeItem(atPath: cache + "/" + name)
        }
    }

    /// The paths of the cache's entries, sorted: parts, and what analysers found.
    public var cacheEntries: [String] {
        let folder = cache + "/cutroom/entries"
        let records = (FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? [])
            .filter { $0.hasSuffix(".json") }
        return records.map { "\(folder)/\($0.dropLast(5))" }.sorted()
    }

    /// Entries of the cache that files are put together from: segments and sounds.
    public var cachedParts: Int { cacheEntries.count { !Self.isRun($0) } }

    /// A mixed run of a sound.
    public static func isRun(_ entry: String) -> Bool {
        FileManager.default.contents(atPath: entry)?.starts(with: Data("CUTROOM MIX".utf8)) == true
    }

    // MARK: Running

    private var variables: [String: String?] {
        let own: [String: String?] = [
            "XDG_CACHE_HOME": cache, "XDG_RUNTIME_DIR": runtime, "HOME": state.file("home"), "XDG_DATA_HOME": nil,
            "CUTROOM_WORKER": nil, "CUTROOM_PLUGIN_PATH": nil, "FREI0R_PATH": nil, "LADSPA_PATH": nil,
            "XDG_CONFIG_HOME": nil,
        ]
        return own.merging(environment) { $1 }
    }

    public func start(_ arguments: [String], through shell: [String] = []) throws -> Command {
        try Command(shell + [Self.program] + arguments, environment: variables, in: folder.path)
    }

    /// Runs the program to its end and checks that nothing is left behind.
    public func run(
        _ arguments: [String], through shell: [String] = [], timeout: Double = 60,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Command.Output {
        let output = try start(arguments, through: shell).wait(timeout: timeout)
        #expect(
            !output.isTimeout, "cutroom \(arguments.joined(separator: " ")) hangs: \(output)",
            sourceLocation: sourceLocation)
        expectClean(sourceLocation)
        return output
    }

    /// Writes a script; `body` finds `cutroom` and a `draft` of a small size made for it.
    @discardableResult
    public func script(
        _ body: String, size: (Int, Int) = (160, 96), fps: String = "30", options: String = "",
        as name: String = "edit.lua"
    )
        throws -> String
    {
        try folder.write(
            """
            local cutroom = require "cutroom"
            local draft = cutroom.draft { size = { \(size.0), \(size.1) }, fps = \(fps), export = { video = { quality = 8 } }\(options) }
            \(body)
            return draft

            """, to: name)
    }

    /// Renders a script that must succeed, by one worker unless told otherwise: the others would
    /// cost more to start than they save.
    /// - Returns: the output's absolute path.
    @discardableResult
    public func render(
        _ script: String = "edit.lua", to output: String = "out.mp4", with arguments: [String] = [],
        timeout: Double = 120,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        let workers = arguments.contains("--workers") ? [] : ["--workers", "1"]
        let result = try run(
            ["render", script, "-o", output] + workers + arguments, timeout: timeout, sourceLocation: sourceLocation)
        try #require(result.status == 0, "\(result)", sourceLocation: sourceLocation)
        return file(output)
    }

    // MARK: What is left

    /// The processes that were started for this studio and still run, without the program itself.
    public var workers: [pid_t] { Processes.all(mentioning: runtime + "/") }

    /// No worker, no temporary file beside an output, nothing in the runtime folder, no
    /// half-rendered part.
    public func expectClean(_ sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(Command.until(timeout: 3) { workers.isEmpty }, "workers are left", sourceLocation: sourceLocation)
        #expect(
            folder.names.filter { $0.hasSuffix(".part") || $0.contains(".part.") } == [], "temporary files are left",
            sourceLocation: sourceLocation)
        #expect(names(runtime) == [], "the runtime folder is not empty", sourceLocation: sourceLocation)
        #expect(names(cache + "/cutroom/parts") == [], "half-rendered parts are left", sourceLocation: sourceLocation)
    }

    /// What the running workers have written to their standard error.
    public var workerLogs: String {
        (FileManager.default.enumerator(atPath: runtime)?.allObjects as? [String] ?? [])
            .filter { $0.hasSuffix("/stderr") }
            .map { (try? String(contentsOfFile: runtime + "/" + $0, encoding: .utf8)) ?? "" }.joined()
    }

    private func names(_ path: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }
}

/// Processes of this machine, by `/proc`.
public enum Processes {
    /// Those whose command line contains `text`; zombies have none.
    public static func all(mentioning text: String) -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { pid in
            let line = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") ?? Data()
            return String(decoding: line, as: UTF8.self).contains(text)
        }
    }

    /// nil for a process that is gone.
    public static func parent(of process: pid_t) -> pid_t? {
        let status = FileManager.default.contents(atPath: "/proc/\(process)/status") ?? Data()
        let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("PPid:") }
        return line.flatMap { $0.split(separator: "\t").last }.flatMap { pid_t($0) }
    }
}
