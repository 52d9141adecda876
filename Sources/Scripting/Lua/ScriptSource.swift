import Foundation
import Values

/// A script's or module's text and the names it goes by.
struct ScriptSource {
    /// The path as the user gave it, for messages.
    var name: String
    /// The absolute folder that relative paths start from.
    var folder: String
    var text: String

}

extension ScriptSource {
    /// A script that is larger than this is a mistake.
    static let maximumSize = 16 << 20

    /// - Parameters:
    ///   - path: relative to the working folder, or absolute.
    ///   - data: what is in it; nil: the file is read.
    init(path: String, data: Data? = nil) throws(ScriptError) {
        let absolute = absolutePath(path, in: FileManager.default.currentDirectoryPath)
        text = if let data { try Self.text(of: data, name: path) } else { try Self.read(absolute, name: path) }
        name = path
        folder = absolutePath("..", in: absolute)
    }

    /// The text of a regular file, a first line `#!…` made a comment.
    static func read(_ file: String, name: String) throws(ScriptError) -> String {
        func refuse(_ reason: String) -> ScriptError { ScriptError(.unreadable, reason, file: name) }
        let kind: FileAttributeType?
        let size: Int
        do {
            let resolved = URL(fileURLWithPath: file).resolvingSymlinksInPath().path
            let attributes = try FileManager.default.attributesOfItem(atPath: resolved)
            kind = attributes[.type] as? FileAttributeType
            size = (attributes[.size] as? NSNumber)?.intValue ?? 0
        } catch {
            throw refuse("is not there")
        }
        guard kind != .typeDirectory else { throw refuse("is a folder, not a file") }
        guard kind == .typeRegular else { throw refuse("is not a regular file") }
        guard size <= maximumSize else { throw refuse("is larger than \(maximumSize >> 20) MB") }
        // An empty file is not read: Foundation would leak its buffer.
        guard size > 0 else { return "" }
        guard let data = FileManager.default.contents(atPath: file) else {
            throw refuse("cannot be read; its permissions forbid it")
        }
        return try text(of: data, name: name)
    }

    private static func text(of data: Data, name: String) throws(ScriptError) -> String {
        func refuse(_ reason: String) -> ScriptError { ScriptError(.unreadable, reason, file: name) }
        guard data.count <= maximumSize else { throw refuse("is larger than \(maximumSize >> 20) MB") }
        guard data.first != 0x1b else { throw ScriptError(.forbidden, "is compiled Lua; only text is run", file: name) }
        guard let text = String(validating: data, as: UTF8.self) else { throw refuse("is not a UTF-8 text") }
        guard !text.utf8.contains(0) else { throw refuse("has a zero byte in it, so it is not a text") }
        let body = text.unicodeScalars.first == "\u{feff}" ? String(text.unicodeScalars.dropFirst()) : text
        return body.hasPrefix("#") ? "--" + body : body
    }
}
