import Content
import Farm
import FoundationEssentials
import Glibc
import Messaging

/// The node's policy for plugins from a server: they are programs, which run here only with the
/// owner's consent. Plugins that come with Cutroom are the node's own, of the same build, and are
/// never transferred.
package struct PluginGate: Sendable {
    package enum Policy: Hashable, Sendable {
        case allow
        /// Allow plugins with one of these SHA-256 digests, in hexadecimal.
        case pinned(Set<String>)
        case none
    }

    let policy: Policy
    /// The plugins that come with this machine's Cutroom, by name.
    private let shipped: [String: String]
    private let digests = Locked<[String: String]>([:])

    /// Reads the names of the plugins that come with Cutroom.
    /// - Parameter program: the worker program's path; the plugins lie beside it, or in
    ///   `../lib/cutroom/plugins`.
    init(_ policy: Policy, program: String) {
        self.policy = policy
        let folder = program.lastIndex(of: "/").map { String(program[..<$0]) } ?? "."
        var shipped: [String: String] = [:]
        for place in [folder + "/../lib/cutroom/plugins", folder] {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
            where name.hasPrefix("libcutroom_plugin_") && name.hasSuffix(".so") {
                guard shipped[name] == nil, let real = realpath("\(place)/\(name)", nil) else { continue }
                shipped[name] = String(cString: real)
                free(real)
            }
        }
        self.shipped = shipped
    }

    /// Returns this machine's plugin of the same name and content; nil if it has none.
    func own(_ name: String, _ id: ContentID) -> String? {
        guard let path = shipped[name] else { return nil }
        if let known = digests.withLock({ $0[path] }) { return known == id.digest ? path : nil }
        guard let file = try? ContentFile(path: path), let digest = (try? ContentRecord(counting: file))??.id.digest
        else { return nil }
        digests.withLock { $0[path] = digest }
        return digest == id.digest ? path : nil
    }

    /// Checks a plugin against the policy.
    /// - Throws: `declined` if this node refuses it.
    func check(_ path: String, _ id: ContentID) throws(JobFailure) {
        switch policy {
        case .allow: return
        case .pinned(let digests) where digests.contains(id.digest): return
        case .pinned:
            throw JobFailure(
                .declined, "it refuses the plugin ‘\(path)’: its SHA-256, \(id.digest), is not pinned (--plugins)"
            )
        case .none: throw JobFailure(.declined, "it refuses plugins (--plugins), and ‘\(path)’ is one")
        }
    }
}

extension PluginGate.Policy {
    /// Parses `allow`, `none`, or `pinned:` with a file of digests in the format of `sha256sum`.
    /// - Throws: a problem, as a sentence.
    package init(_ word: String) throws(NodeAgent.Problem) {
        switch word {
        case "allow": self = .allow
        case "none": self = .none
        default:
            guard word.hasPrefix("pinned:"), let data = FileManager.default.contents(atPath: String(word.dropFirst(7)))
            else {
                throw NodeAgent.Problem(
                    description:
                        "‘--plugins’ is ‘\(word)’, but must be ‘allow’, ‘none’, or ‘pinned:FILE’ with a file of SHA-256 digests, one per line, as sha256sum writes them."
                )
            }
            var digests: Set<String> = []
            for line in String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline) {
                let first = line.split(separator: " ").first.map { $0.lowercased() } ?? ""
                if first.isEmpty || first.hasPrefix("#") { continue }
                guard ContentID(digest: first, size: 0) != nil else {
                    throw NodeAgent.Problem(
                        description:
                            "‘\(word.dropFirst(7))’ (--plugins) has a line that does not begin with a SHA-256: ‘\(line)’."
                    )
                }
                digests.insert(first)
            }
            self = .pinned(digests)
        }
    }
}
