import Draft
import Foundation

/// Libraries of other interfaces, which workers present as plugins. There may be hundreds of them, so none is opened because it
/// is there: only those that may have an effect are opened when somebody asks for it.
package struct ForeignPlugins: Sendable {
    /// What tells from an effect's id which library it is in.
    private enum Naming { case file, label }

    /// What ids begin with, before a dot.
    package let name: String
    /// Where they are looked for; the first file of a name wins.
    package let folders: [String]
    private let naming: Naming

    /// The id ends with the name of the library's file without `.so`. frei0r's own places come after those of `$FREI0R_PATH`.
    static let frei0r = ForeignPlugins(
        name: "frei0r", variable: "FREI0R_PATH",
        usual: ["/usr/local/lib/frei0r-1", "/usr/lib/frei0r-1"], home: "/.frei0r-1/lib", naming: .file)

    /// The id ends with a plugin's label, or with that, a dot and the plugin's number. Which library has it is only known by opening it.
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

    /// The processor as Debian names folders for libraries: `x86_64`, `aarch64`.
    private static var machine: String? {
        var name = utsname()
        guard uname(&name) == 0 else { return nil }
        return withUnsafeBytes(of: &name.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// Paths, in the order of the folders, then of the files' names.
    package var libraries: [String] {
        var seen: Set<String> = []
        return folders.flatMap { folder in
            ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted().filter {
                $0.hasSuffix(".so") && seen.insert($0).inserted
            }.map { "\(folder)/\($0)" }
        }
    }

    /// The libraries that may have an effect, in the order in which they count.
    struct Candidates {
        var likely: [String] = []
        /// To be opened where none of the others has it.
        var others: [String] = []
    }

    func candidates(for id: String) -> Candidates {
        guard id.hasPrefix(name + ".") else { return Candidates() }
        let rest = String(id.dropFirst(name.count + 1))
        switch naming {
        case .file: return Candidates(likely: libraries.filter { Self.fileName($0) == rest })
        case .label:
            // Nearly every library has its labels as texts; compilers make instructions of some.
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

    /// None where the id is of no such interface.
    static func candidates(for id: String) -> Candidates {
        all.first { id.hasPrefix($0.name + ".") }?.candidates(for: id) ?? Candidates()
    }

    /// In the order in which libraries count; where one has the id of an earlier one, it is listed by its number.
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

    /// The ids that are known without a look into any library.
    static var ids: [String] {
        all.filter { $0.naming == .file }.flatMap { kind in
            kind.libraries.map { "\(kind.name).\(fileName($0))" }
        }.sorted()
    }

    private static func fileName(_ path: String) -> String {
        String(((path as NSString).lastPathComponent as NSString).deletingPathExtension)
    }

    /// `amp` of `amp.1048`.
    private static func withoutNumber(_ name: String) -> String? {
        guard let dot = name.lastIndex(of: "."), name.index(after: dot) < name.endIndex,
            name[name.index(after: dot)...].allSatisfy({ ("0"..."9").contains($0) })
        else { return nil }
        return String(name[..<dot])
    }
}

extension [EffectDescriptor] {
    /// The effect that an id names: by its own id or, of other interfaces, with its version after that.
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
