/// `path` seen from `folder` (both absolute) where it lies below it or in a folder beside it; else
/// as it is.
package func relativePath(_ path: String, to folder: String) -> String {
    let target = path.split(separator: "/")
    let base = folder.split(separator: "/")
    guard path.hasPrefix("/"), !target.isEmpty else { return path }
    let common = zip(target, base).prefix { $0 == $1 }.count
    guard base.count - common <= 1, common > 0 || base.isEmpty else { return path }
    let up = Array(repeating: "..", count: base.count - common)
    return (up + target[common...].map(String.init)).joined(separator: "/")
}

/// `path` as an absolute one, `.` and `..` taken out; relative paths start at `folder`.
public func absolutePath(_ path: String, in folder: String) -> String {
    var parts: [Substring] = []
    for part in (path.hasPrefix("/") ? path : folder + "/" + path).split(separator: "/") {
        switch part {
        case ".": break
        case "..": _ = parts.popLast()
        default: parts.append(part)
        }
    }
    return "/" + parts.joined(separator: "/")
}

/// The sentence for a path that is a URL (RFC 3986: a scheme and `://`), without its subject; nil
/// where it is none.
public func urlRefusal(_ path: String) -> String? {
    guard let colon = path.firstIndex(of: ":"), path[colon...].hasPrefix("://") else { return nil }
    let scheme = path[..<colon]
    guard let first = scheme.utf8.first, (97...122).contains(first | 0x20),
        scheme.utf8.allSatisfy({ (97...122).contains($0 | 0x20) || (48...57).contains($0) || "+-.".utf8.contains($0) })
    else { return nil }
    let advice = scheme.lowercased() == "file" ? "give the path alone" : "fetch the file and give its path"
    return "\(Value.quoted(path)) is a URL, and URLs are not supported yet; \(advice)"
}
