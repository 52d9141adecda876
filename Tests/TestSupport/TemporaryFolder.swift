import Foundation

/// A new, empty folder that is removed with everything in it when the last reference to it goes.
/// Prefer ``with(_:)``: a local variable may be released after its last use, before the test ends.
public final class TemporaryFolder: Sendable {
    /// Absolute, symbolic links resolved.
    public let path: String

    public init() throws {
        let base = Project.realPath(NSTemporaryDirectory()) ?? "/tmp"
        var template = Array((base + "/cutroom-test-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw CocoaError(.fileWriteUnknown) }
        path = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The absolute path of `name` in the folder, whether it exists or not.
    public func file(_ name: String) -> String { path + "/" + name }

    /// Writes a text file and returns its absolute path. Folders on the way are made.
    @discardableResult
    public func write(_ text: String, to name: String) throws -> String {
        try write(Data(text.utf8), to: name)
    }

    @discardableResult
    public func write(_ data: Data, to name: String) throws -> String {
        let url = URL(fileURLWithPath: file(name))
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url)
        return url.path
    }

    /// The names in the folder, sorted; what a test compares to find forgotten files.
    public var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

    /// Runs `body` with a new folder that lives until it returns.
    public static func with<R>(_ body: (TemporaryFolder) throws -> R) throws -> R {
        let folder = try TemporaryFolder()
        return try withExtendedLifetime(folder) { try body(folder) }
    }

    /// Runs `body` with a new folder that lives until it returns.
    public static func with<R>(_ body: (TemporaryFolder) async throws -> R) async throws -> R {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        return try await body(folder)
    }
}
