/// Names of files that others have chosen, as names within a folder of ours.
package enum ContentName {
    /// The last name of a path, without what a file's name may not have. What tells kinds of files apart, its end, stays.
    package static func file(_ path: String) -> String {
        let last = path.utf8.split(separator: UInt8(ascii: "/")).last ?? Substring("").utf8
        let text = String(decoding: last.filter { $0 != 0 }.suffix(200), as: UTF8.self)
        // Hidden names are our own.
        return text.isEmpty || text.hasPrefix(".") ? "_" + text : text
    }
}
