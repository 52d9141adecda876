import FoundationEssentials

/// Folders that machines of a farm share, by names that all of them know: `media` may be `/srv/media` on the server and
/// `/mnt/media` on a node.
package struct PathRoots: Hashable, Sendable {
    /// Absolute paths by name, without a slash at the end.
    package private(set) var folders: [String: String] = [:]

    /// What is wrong with what was given, as a sentence.
    package struct Problem: Error, CustomStringConvertible {
        package let description: String
    }

    package init() {}

    /// - Parameters:
    ///   - words: each `NAME=/FOLDER`.
    ///   - option: what they were given by, for messages.
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

    /// What another machine has told; what is no root there is left out.
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

    /// nil for a path that is not absolute, or climbs.
    package static func normal(_ path: String) -> String? {
        guard path.hasPrefix("/"), !path.utf8.contains(0) else { return nil }
        let parts = path.split(separator: "/")
        return parts.contains("..") || parts.contains(".") ? nil : "/" + parts.joined(separator: "/")
    }

    package var isEmpty: Bool { folders.isEmpty }

    /// The longest root that a path lies under, or is.
    package func root(of path: String) -> (name: String, rest: Substring)? {
        var found: (name: String, rest: Substring, length: Int)?
        for (name, folder) in folders where path == folder || path.hasPrefix(folder + "/") {
            let length = folder.utf8.count
            if length > found?.length ?? 0 { found = (name, path.dropFirst(folder.count), length) }
        }
        return found.map { ($0.name, $0.rest) }
    }
}

/// The way of paths between two machines whose shared folders lie in different places.
package struct PathMap: Hashable, Sendable {
    /// The machine's that jobs come from.
    let theirs: PathRoots
    /// This machine's.
    let ours: PathRoots

    package init(theirs: PathRoots, ours: PathRoots) { (self.theirs, self.ours) = (theirs, ours) }

    /// Every path is the same on both.
    package var isIdentity: Bool {
        theirs.isEmpty || theirs.folders.allSatisfy { ours.folders[$0.key] == $0.value }
    }

    package enum Place: Hashable, Sendable {
        /// The path on this machine.
        case here(String)
        /// It lies under a root that this machine has not; its name.
        case lacking(String)
        /// It lies under no root: on machines that share it, it is the same on all.
        case same
        /// It leads out of its root again.
        case escapes
    }

    /// Where a path of theirs lies here.
    package func place(of path: String) -> Place {
        guard let (name, rest) = theirs.root(of: path) else { return .same }
        if rest.split(separator: "/").contains("..") { return .escapes }
        guard let folder = ours.folders[name] else { return .lacking(name) }
        return .here(folder + rest)
    }

    /// Where a folder of theirs that may be written to lies here; nil where it does not.
    package func writable(_ folder: String) -> String? {
        switch place(of: folder) {
        case .here(let folder): folder
        case .same: folder
        case .lacking, .escapes: nil
        }
    }

    /// A path of this machine's as they call it.
    package func returned(_ path: String) -> String {
        // Several names of ours may lie in each other; those that they do not know say nothing.
        let known = ours.keeping { theirs.folders[$0] != nil }
        guard let (name, rest) = known.root(of: path), let folder = theirs.folders[name] else { return path }
        return folder + rest
    }

    /// What people read, with their paths in the place of this machine's.
    package func returned(inText text: String) -> String {
        let pairs = ours.folders.compactMap { name, folder in theirs.folders[name].map { (folder, $0) } }
            .filter { $0 != $1 }.sorted { $0.0.utf8.count > $1.0.utf8.count }
        guard pairs.contains(where: { text.contains($0.0) }) else { return text }
        var (result, rest) = ("", text[...])
        while !rest.isEmpty {
            // A folder's name must end where it ends: ‘/mnt/media2’ is not in ‘/mnt/media’.
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
