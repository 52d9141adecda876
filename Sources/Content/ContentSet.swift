import Hashing

extension ContentID {
    /// Returns a name for a set of files, equal only for the same contents at the same paths: a
    /// SHA-256 in hexadecimal.
    public static func name(of files: [String: ContentID]) -> String {
        var hasher = SHA256()
        for (path, id) in files.sorted(by: { $0.key < $1.key }) { hasher.update("\(id) \(path)\n".utf8) }
        return hasher.finish()
    }
}
