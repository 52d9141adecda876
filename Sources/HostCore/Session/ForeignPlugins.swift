import Draft
import Foundation
import Values

/// Libraries with other plugin interfaces (frei0r, LADSPA), which workers adapt. There may be
/// hundreds, so none is opened just because it exists: only libraries that may have a requested
/// effect are.
package struct ForeignPlugins: Sendable {
    /// The part of an effect's id that determines its library.
    private enum Naming { case file, label }

    /// The first component of the ids, before a dot.
    package let name: String
    /// The search folders; the first file of a name wins.
    package let folders: [String]
    private let naming: Naming

    /// frei0r. An id ends with the library's file name without `.so`. The standard folders come
    /// after those of `$FREI0R_PATH`.
    static let frei0r = ForeignPlugins(
        name: "frei0r", variable: "FREI0R_PATH",
        usual: ["/usr/local/lib/frei0r-1", "/usr/lib/frei0r-1"], home: "/.frei0r-1/lib", naming: .file)

    /// LADSPA. An id ends with a plugin's label, or with the label, a dot and the plugin's number.
    /// Its library is only known after opening it.
    static let ladspa = ForeignPlugins(
        name: "ladspa", variable: "LADSPA_PATH",
        usual: ["/usr/local/lib", "/usr/lib"].flatMap { folder in
            ["\(folder)/ladspa"] + (machine.map { ["\(folder)/\($0)-linux-gnu/ladspa"] } ?? [])
        } + ["/usr/lib64/ladspa"], home: "/.ladspa", naming: .label)

    package static let all = [frei0r, ladspa]

    private init(name: String, variable: String, usual: [String], home: String, naming: Naming) {
        (self.name, self.naming) = (name, naming)
        let environment = ProcessInfo.processInfo.environment
        let here = FileManager.default.currentDirectoryPath
        let given = (environment[variable] ?? "").split(separator: ":").map { absolutePath(String($0), in: here) }
        folders = given + (environment["HOME"].map { [$0 + home] } ?? []) + usual
    }

    /// The architecture as in Debian's library folders: `x86_64`, `aarch64`.
    private static var machine: String? {
        var name = utsname()
        guard uname(&name) == 0 else { return nil }
        return withUnsafeBytes(of: &name.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// The paths of the libraries, in the order of the folders, then of file names.
    package var libraries: [String] {
        var seen: Set<String> = []
        return folders.flatMap { folder in
            ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted().filter {
                $0.hasSuffix(".so") && seen.insert($0).inserted
            }.map { "\(folder)/\($0)" }
        }
    }

    /// The libraries that may have an effect, in the order of preference.
    struct Candidates {
        var likely: [String] = []
        /// The libraries to open if none of the others has it.
        var others: [String] = []
    }

    func candidates(for id: String) -> Candidates {
        guard id.hasPrefix(name + ".") else { return Candidates() }
        let rest = String(id.dropFirst(name.count + 1))
        switch naming {
        case .file: return Candidates(likely: libraries.filter { Self.fileName($0) == rest })
        case .label:
            // Nearly every library contains its labels as strings; a compiler may turn some into
            // instructions.
            let labels = [rest] + (Self.withoutNumber(rest).map { [$0] } ?? [])
            return libraries.reduce(into: Candidates()) { candidates, path in
                if Self.file(path, names: labels) {
                    candidates.likely.append(path)
                } else {
                    candidates.others.append(path)
                }
            }
        }
    }

    /// Returns the candidates for an id; none if it belongs to no such interface.
    static func candidates(for id: String) -> Candidates {
        all.first { id.hasPrefix($0.name + ".") }?.candidates(for: id) ?? Candidates()
    }

    /// Returns the effects in the order of their libraries; an id that an earlier library has is
    /// replaced by one with the number.
    func withUniqueIDs(_ effects: [EffectDescriptor]) -> [EffectDescriptor] {
        func isLikely(_ effect: EffectDescriptor) -> Bool {
            naming == .file || Self.file(effect.path, names: [String(effect.id.dropFirst(name.count + 1))])
        }
        let twice = Dictionary(grouping: effects, by: \.id).filter { $1.count > 1 }
        let first = twice.mapValues { effects in (effects.first(where: isLikely) ?? effects[0]).path }
        return effects.map { effect in
            first[effect.id].map { $0 == effect.path } ?? true ? effect : effect.renamed(effect.numberedID)
        }
    }

    private static func file(_ path: String, names labels: [String]) -> Bool {
        let file = (try? Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)) ?? Data()
        return labels.contains { file.range(of: Data($0.utf8) + [0]) != nil }
    }

    /// The ids that are known without opening a library.
    static var ids: [String] {
        all.filter { $0.naming == .file }.flatMap { kind in
            kind.libraries.map { "\(kind.name).\(fileName($0))" }
        }.sorted()
    }

    private static func fileName(_ path: String) -> String {
        String(((path as NSString).lastPathComponent as NSString).deletingPathExtension)
    }

    /// Returns `amp` for `amp.1048`.
    private static func withoutNumber(_ name: String) -> String? {
        guard let dot = name.lastIndex(of: "."), name.index(after: dot) < name.endIndex,
            name[name.index(after: dot)...].allSatisfy({ ("0"..."9").contains($0) })
        else { return nil }
        return String(name[..<dot])
    }
}

extension [EffectDescriptor] {
    /// Returns the effect with an id, which for other interfaces may be followed by its version.
    package func named(_ id: String) -> EffectDescriptor? {
        first { $0.id == id } ?? first { $0.numberedID == id }.map { $0.renamed(id) }
    }
}

extension EffectDescriptor {
    fileprivate var numberedID: String { "\(id).\(version)" }

    fileprivate func renamed(_ id: String) -> EffectDescriptor {
        var copy = self
        copy.id = id
        return copy
    }
}
