import FoundationEssentials

/// The folders that the machines of a farm share, by common names: `media` may be `/srv/media` on
/// the server and `/mnt/media` on a node.
package struct PathRoots: Hashable, Sendable {
    /// Absolute paths by name, without a slash at the end.
    package private(set) var folders: [String: String] = [:]

    /// An invalid option, as a sentence.
    package struct Problem: Error, CustomStringConvertible {
        package let description: String
    }

    package init() {}

    /// Parses options.
    /// - Parameters:
    ///   - words: each `NAME=/FOLDER`.
    ///   - option: the option's name, for messages.
    package init(_ words: [String], option: String = "--map") throws(Problem) {
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, Self.isName(parts[0]) else {
                throw Problem(
                    description:
                        "‘\(option)’ is ‘\(word)’, but must be a name and a folder, such as media=/srv/media; a name has letters, digits, - and _."
                )
            }
            try add(String(parts[0]), String(parts[1]), word, option)
        }
    }

    /// Takes the roots of another machine; invalid ones are left out.
    package init(told: [String: String]) {
        folders = told.filter { Self.isName($0.key[...]) && Self.normal($0.value) == $0.value && $0.value != "/" }
    }

    private mutating func add(
        _ name: String, _ path: String, _ word: String, _ option: String
    ) throws(Problem) {
        guard let folder = Self.normal(path), folder != "/" else {
            throw Problem(
                description:
                    "‘\(option) \(word)’ must name a folder by its absolute path, without ‘..’, and not ‘/’ itself.")
        }
        guard folders[name] == nil else {
            throw Problem(description: "‘\(option)’ names ‘\(name)’ twice; give each folder a name of its own.")
        }
        if let other = folders.first(where: { $0.value == folder })?.key {
            throw Problem(
                description: "‘\(option)’ gives ‘\(folder)’ two names, ‘\(other)’ and ‘\(name)’; give it one.")
        }
        folders[name] = folder
    }

    private static func isName(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.count <= 64
            && text.utf8.allSatisfy {
                (97...122).contains($0 | 0x20) || (48...57).contains($0) || $0 == 45 || $0 == 95
            }
    }

    /// Returns the normalized path; nil if it is not absolute, or leaves its root by `..`.
    package static func normal(_ path: String) -> String? {
        guard path.hasPrefix("/"), !path.utf8.contains(0) else { return nil }
        let parts = path.split(separator: "/")
        return parts.contains("..") || parts.contains(".") ? nil : "/" + parts.joined(separator: "/")
    }

    package var isEmpty: Bool { folders.isEmpty }

    /// Returns the longest root that contains a path, or equals it.
    package func root(of path: String) -> (name: String, rest: Substring)? {
        var found: (name: String, rest: Substring, length: Int)?
        for (name, folder) in folders where path == folder || path.hasPrefix(folder + "/") {
            let length = folder.utf8.count
            if length > found?.length ?? 0 { found = (name, path.dropFirst(folder.count), length) }
        }
        return found.map { ($0.name, $0.rest) }
    }
}

/// A mapping of paths between two machines whose shared folders have different paths.
package struct PathMap: Hashable, Sendable {
    /// The roots of the machine that jobs come from.
    let theirs: PathRoots
    /// This machine's roots.
    let ours: PathRoots

    package init(theirs: PathRoots, ours: PathRoots) { (self.theirs, self.ours) = (theirs, ours) }

    /// Whether every path is the same on both machines.
    package var isIdentity: Bool {
        theirs.isEmpty || theirs.folders.allSatisfy { ours.folders[$0.key] == $0.value }
    }

    package enum Place: Hashable, Sendable {
        /// The path on this machine.
        case here(String)
        /// The name of a root that this machine does not have.
        case lacking(String)
        /// A path under no root: machines that share it have it at the same path.
        case same
        /// A path that leaves its root by `..`.
        case escapes
    }

    /// Returns the place of the other machine's path on this machine.
    package func place(of path: String) -> Place {
        guard let (name, rest) = theirs.root(of: path) else { return .same }
        if rest.split(separator: "/").contains("..") { return .escapes }
        guard let folder = ours.folders[name] else { return .lacking(name) }
        return .here(folder + rest)
    }

    /// Returns the place of a writable folder of the other machine; nil if it has none here.
    package func writable(_ folder: String) -> String? {
        switch place(of: folder) {
        case .here(let folder): folder
        case .same: folder
        case .lacking, .escapes: nil
        }
    }

    /// Returns a path of this machine as the other one calls it.
    package func returned(_ path: String) -> String {
        // Roots of this machine may be nested; those that the other one does not know are ignored.
        let known = ours.keeping { theirs.folders[$0] != nil }
        guard let (name, rest) = known.root(of: path), let folder = theirs.folders[name] else { return path }
        return folder + rest
    }

    /// Returns a text for people, with this machine's paths replaced by the other's.
    package func returned(inText text: String) -> String {
        let pairs = ours.folders.compactMap { name, folder in theirs.folders[name].map { (folder, $0) } }
            .filter { $0 != $1 }.sorted { $0.0.utf8.count > $1.0.utf8.count }
        guard pairs.contains(where: { text.contains($0.0) }) else { return text }
        var (result, rest) = ("", text[...])
        while !rest.isEmpty {
            // Folder names match as a whole: ‘/mnt/media2’ is not in ‘/mnt/media’.
            let pair = pairs.first { folder, _ in
                rest.hasPrefix(folder) && !Self.goesOn(rest.dropFirst(folder.count).first)
            }
            let isStart = result.last.map { !Self.goesOn($0) && $0 != "/" } ?? true
            if let pair, isStart {
                result += pair.1
                rest = rest.dropFirst(pair.0.count)
            } else {
                result.append(rest.removeFirst())
            }
        }
        return result
    }

    private static func goesOn(_ character: Character?) -> Bool {
        character.map { $0.isLetter || $0.isNumber || "._-".contains($0) } ?? false
    }
}

extension PathRoots {
    fileprivate func keeping(_ isKept: (String) -> Bool) -> PathRoots {
        var roots = PathRoots()
        roots.folders = folders.filter { isKept($0.key) }
        return roots
    }
}
