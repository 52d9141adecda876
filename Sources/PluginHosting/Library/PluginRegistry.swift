import Draft
import Files
import Glibc
import Messaging
import PluginABI
import Values

/// The plugins of a worker: finds libraries, opens each once and keeps it. Used from one thread.
///
/// Opening a library runs its code, so this exists in worker processes only; the host asks a
/// worker.
package final class PluginRegistry {
    /// Folders, whose `*.so` files are looked at in order of name, and single libraries; earlier
    /// ones win.
    let searchPaths: [String]
    private let host: PluginHost
    private let table: UnsafePointer<cutroom_host>
    private let trail: PluginTrail
    /// Opened libraries, and those that could not be, by real path: nothing is tried twice in one
    /// process.
    private var libraries: [String: Result<PluginLibrary, PluginError>] = [:]
    /// All data files of the libraries that lacked one of theirs when ``descriptors(without:)`` was
    /// called last.
    package private(set) var lacking: [String] = []

    /// - Parameters:
    ///   - searchPaths: a path that does not exist is a problem of the scan; leave out default
    ///     folders that are not there.
    ///   - breadcrumb: where to note the current call, for the process that finds this one dead.
    ///   - current: shows which call is in progress.
    ///   - log: takes the lines that plugins log.
    ///   - notice: hears what calls have changed of their threads.
    ///   - isCancelled: true when the result of the job is not wanted any more; asked from any
    ///     thread.
    package init(
        searchPaths: [String], breadcrumb: BreadcrumbWriter? = nil, current: PluginTrail.Current? = nil,
        log: @escaping PluginHost.Log = { _, _ in },
        notice: @escaping PluginTrail.Notice = { _, _ in }, isCancelled: @escaping @Sendable () -> Bool = { false }
    ) {
        self.searchPaths = searchPaths
        host = PluginHost(log: log, isCancelled: isCancelled)
        table = host.makeTable()
        trail = PluginTrail(writer: breadcrumb, current: current, notice: notice)
    }

    /// Every effect on the search path. An unusable library is a problem, not a failure: a bad
    /// library costs its own effects only. Where two effects have one id, the one found first
    /// counts.
    /// - Parameter leftOut: paths of libraries that are not opened.
    package func descriptors(without leftOut: [String] = []) -> (effects: [EffectDescriptor], problems: [PluginProblem])
    {
        lacking = []
        var effects: [EffectDescriptor] = []
        var problems: [PluginProblem] = []
        for path in candidates(problems: &problems) where !leftOut.contains(path) {
            do throws(PluginError) {
                let library = try library(at: path)
                problems += library.problems
                for effect in library.effects.map(\.descriptor) {
                    if let first = effects.first(where: { $0.id == effect.id }) {
                        problems.append(
                            PluginProblem(
                                path: path,
                                reason:
                                    "effect \(effect.id) of plugin \(path) is not used: \(first.path) has one of the same id and "
                                    + "comes first on the search path"))
                    } else {
                        effects.append(effect)
                    }
                }
            } catch {
                problems.append(PluginProblem(path: path, reason: error.description))
                lacking += error.dataFiles
            }
        }
        return (effects, problems)
    }

    /// The effect of the library at `path`, which need not be on the search path.
    /// - Throws: where the library cannot be used, has no such effect, or the effect needs what it
    ///   is not given.
    package func load(path: String, effectID: String) throws(PluginError) -> LoadedEffect {
        let library = try library(at: path)
        guard let effect = library.effect(effectID) else {
            let problem = library.problems.first { $0.reason.hasPrefix("effect \(effectID) ") }
            let hint = suggestion(for: effectID, in: library.effects.map(\.descriptor.id))
            throw PluginError(
                code: .unknownEffect, operation: "load", path: path, plugin: library.name, effectID: effectID,
                reason: problem?.reason ?? "there is no such effect in it\(hint)")
        }
        if let refusal = effect.descriptor.refusal {
            throw PluginError(
                code: .unsupportedKind, operation: "load", path: path, plugin: library.name, effectID: effectID,
                reason: "it cannot be used: \(refusal)")
        }
        return LoadedEffect(effect, plugin: library.name, host: table, trail: trail)
    }

    private func library(at path: String) throws(PluginError) -> PluginLibrary {
        guard let real = realPath(path) else {
            throw PluginError(
                code: .missing, operation: "load", path: path,
                reason: "\(String(cString: strerror(errno))); check --plugin-path and CUTROOM_PLUGIN_PATH")
        }
        if let known = libraries[real] { return try known.get() }
        let result = Result { () throws(PluginError) in
            try PluginLibrary(path: real, host: host, table: table, trail: trail)
        }
        libraries[real] = result
        return try result.get()
    }

    /// The libraries to look at, each once.
    private func candidates(problems: inout [PluginProblem]) -> [String] {
        var paths: [String] = []
        for path in searchPaths {
            var status = stat()
            guard stat(path, &status) == 0, let real = realPath(path) else {
                problems.append(
                    PluginProblem(
                        path: path, reason: "plugin path \(path) cannot be used: \(String(cString: strerror(errno)))"))
                continue
            }
            if status.st_mode & S_IFMT != S_IFDIR {
                paths.append(real)
            } else if let names = libraryNames(in: real) {
                paths += names.compactMap { realPath("\(real)/\($0)") }
            } else {
                problems.append(
                    PluginProblem(
                        path: path, reason: "plugin folder \(path) cannot be read: \(String(cString: strerror(errno)))")
                )
            }
        }
        var seen: Set<String> = []
        return paths.filter { seen.insert($0).inserted }
    }
}

/// The absolute path without links; nil, with `errno`, where there is none.
private func realPath(_ path: String) -> String? {
    guard let pointer = realpath(path, nil) else { return nil }
    defer { free(pointer) }
    return String(cString: pointer)
}

/// The names in `folder` that end in `.so`, sorted.
private func libraryNames(in folder: String) -> [String]? {
    guard let directory = opendir(folder) else { return nil }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name.hasSuffix(".so"), !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
}

/// Returns the SHA-256 of a regular file in hexadecimal.
func fileDigest(_ path: String) throws(Errno) -> String {
    // Without `nonBlocking`, opening a pipe waits for its other end.
    let file = try OpenFile(path, .readOnly, .nonBlocking)
    let kind = try file.status().st_mode & S_IFMT
    guard kind == S_IFREG else { throw kind == S_IFDIR ? .isDirectory : Errno(rawValue: EOPNOTSUPP) }
    return try file.digest().digest
}
