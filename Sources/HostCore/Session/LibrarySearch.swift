import Draft
import Foundation
import Glibc
import Jobs

/// The plugin libraries on a search path, in order of precedence, and their descriptions by
/// workers.
///
/// The libraries that come with Cutroom are read together, each other one by a separate job, so
/// that it can affect only its own description.
struct LibrarySearch {
    /// Real paths, each once.
    let libraries: [String]
    /// The unusable paths, with the reasons.
    private var problems: [String] = []

    /// Lists the libraries.
    /// - Parameter paths: folders, whose `*.so` are taken in order of name except hidden ones, and
    ///   single libraries.
    init(_ paths: [String]) {
        var found: [String] = []
        for path in paths {
            guard let real = realPath(path) else {
                problems.append("plugin path \(path) cannot be used: \(String(cString: strerror(errno)))")
                continue
            }
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: real, isDirectory: &isFolder), isFolder.boolValue else {
                found.append(real)
                continue
            }
            guard access(real, R_OK | X_OK) == 0,
                let names = try? FileManager.default.contentsOfDirectory(atPath: real)
            else {
                problems.append("plugin folder \(path) cannot be read: \(String(cString: strerror(errno)))")
                continue
            }
            found += names.filter { $0.hasSuffix(".so") && !$0.hasPrefix(".") }.sorted().map { "\(real)/\($0)" }
        }
        var seen: Set<String> = []
        libraries = found.compactMap(realPath).filter { seen.insert($0).inserted }
    }

    /// The libraries, grouped by the jobs that read them.
    var groups: [[String]] {
        let shipped = libraries.filter(PluginPaths.isShipped)
        return (shipped.isEmpty ? [] : [shipped]) + libraries.filter { !PluginPaths.isShipped($0) }.map { [$0] }
    }

    /// Merges the descriptions: of two effects with one id, the first counts.
    /// - Parameter replies: the replies for the groups, in order.
    func joined(_ replies: [InspectJob.Reply]) -> InspectJob.Reply {
        var all = InspectJob.Reply(effects: [], problems: problems)
        // A library can only describe its own effects.
        var effects: [String: [EffectDescriptor]] = [:]
        for (group, reply) in zip(groups, replies) {
            all.problems += reply.problems
            for effect in reply.effects where group.contains(effect.path) {
                effects[effect.path, default: []].append(effect)
            }
        }
        var first: [String: String] = [:]
        for effect in libraries.flatMap({ effects[$0] ?? [] }) {
            if !PluginPaths.isShipped(effect.path), let refusal = EffectID.refusalOfOthers(effect.id) {
                all.problems.append("effect \(effect.id) of plugin \(effect.path) is left out: \(refusal)")
                continue
            }
            guard let other = first[effect.id] else {
                first[effect.id] = effect.path
                all.effects.append(effect)
                continue
            }
            all.problems.append(
                "effect \(effect.id) of plugin \(effect.path) is not used: \(other) has one of the same id and comes first on the search path"
            )
        }
        return all
    }
}
