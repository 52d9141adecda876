/// Converts file names from other machines to names in a local folder.
package enum ContentName {
    /// Returns the last component of a path, without characters that are not allowed in a file
    /// name. The suffix, which tells kinds of files apart, stays.
    package static func file(_ path: String) -> String {
        let last = path.utf8.split(separator: UInt8(ascii: "/")).last ?? Substring("").utf8
        let text = String(decoding: last.filter { $0 != 0 }.suffix(200), as: UTF8.self)
        // Hidden names are reserved for Cutroom.
        return text.isEmpty || text.hasPrefix(".") ? "_" + text : text
    }
}
