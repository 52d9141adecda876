/// What files are called in messages: as the script or document wrote their paths, which the draft
/// has as absolute ones.
public struct PathNames: Hashable, Sendable {
    /// Where relative paths start; nil: not known.
    public var folder: String?
    /// Paths as they were written, by the absolute ones.
    private var written: [String: String] = [:]

    public init(folder: String? = nil) { self.folder = folder }

    public mutating func note(_ path: String, written text: String) {
        if path != text, !text.isEmpty { written[path] = text }
    }

    /// The path as it was written; where that is not known, from the folder on if it lies below
    /// that.
    public func name(of path: String) -> String {
        if let text = written[path] { return text }
        guard let folder, path.hasPrefix(folder + "/"), path.utf8.count > folder.utf8.count + 1 else { return path }
        return String(path.dropFirst(folder.count + 1))
    }

    /// A sentence in which the absolute paths that stand in quotes have their names.
    public func applied(to text: String) -> String {
        guard text.contains("‘/") else { return text }
        let parts = text.split(separator: "‘", omittingEmptySubsequences: false)
        return parts.enumerated().map { number, part in
            guard number > 0, part.hasPrefix("/"), let end = part.firstIndex(of: "’") else { return String(part) }
            return name(of: String(part[..<end])) + part[end...]
        }.joined(separator: "‘")
    }
}

extension Problem {
    /// The problem with the files' names.
    public func naming(_ names: PathNames) -> Problem {
        var problem = self
        (problem.object, problem.message) = (names.applied(to: object), names.applied(to: message))
        return problem
    }
}
