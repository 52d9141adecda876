import Foundation
import TestSupport
import Testing

/// A file of expected lines: values of pictures that a person has checked.
/// `CUTROOM_RENEW_GOLDEN=1 swift test --filter GoldenTests` writes such files anew; look at the
/// pictures before you commit that: with a folder's path in place of 1 they come there as PPM
/// files.
struct GoldenFile {
    private let path: String

    static let renewal = ProcessInfo.processInfo.environment["CUTROOM_RENEW_GOLDEN"]
    /// The folder for pictures that a person wants to look at.
    static var album: String? { renewal.flatMap { $0.hasPrefix("/") ? $0 : nil } }

    /// - Parameter path: below the tests' folder, without the suffix.
    init(_ path: String) { self.path = "\(Project.root)/Tests/WorkersTests/\(path).golden" }

    /// The lines of the file, as many as were found.
    func known(_ found: [String]) throws -> [String] {
        if Self.renewal != nil {
            try (found.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        }
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(lines.count == found.count)
        return lines
    }

    static func bytes(_ hexadecimal: Substring) -> [Int] {
        stride(from: 0, to: hexadecimal.count, by: 2).compactMap { Int(hexadecimal.dropFirst($0).prefix(2), radix: 16) }
    }
}
